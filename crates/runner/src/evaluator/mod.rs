//! Evaluators: who turns a trial into a value.

mod builtin;
mod command;
mod group;

pub use builtin::Builtin;
pub use command::{CommandEvaluator, LOG_LINES};

use crate::records::Records;
use crate::replay::description;
use crate::stop::Stop;
use baton::{Description, Measurement, Space, Trial};
use baton_store::TrialRecord;
use serde_json::{Map, Value as Json, json};

/// What is to be evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// the trial
    pub trial: Trial,
    /// names of the parameters, in the order of the trial's point
    pub parameters: Vec<String>,
    /// the task's place in the campaign, from 0
    pub task: u32,
    /// the task's name
    pub task_name: String,
    /// what is said of the task, and of this trial
    pub describe: Description,
    /// for the simulator's random numbers; the same whenever this trial is evaluated
    pub seed: u32,
    /// from 1
    pub attempt: u32,
}

impl Request {
    /// A request for a trial.
    pub fn new(trial: Trial, space: &Space, task: (u32, &str), campaign_seed: u64) -> Self {
        let parameters = space.parameters().iter().map(|p| p.name.clone()).collect();
        let seed = seed(campaign_seed, task.0, trial.id);
        let (task, task_name) = (task.0, task.1.to_owned());
        let describe = trial.context.clone();
        Self { trial, parameters, task, task_name, describe, seed, attempt: 1 }
    }

    /// A request for a trial as it is recorded.
    pub fn of(record: &TrialRecord, records: &Records) -> Self {
        let task = records.tasks.get(record.task as usize);
        let name = task.map_or("", |task| task.name.as_str());
        let seed = records.spec.setting("seed").and_then(|seed| seed.parse().ok()).unwrap_or(0);
        let trial = record.trial.clone();
        let mut request =
            Self::new(trial, records.space_of(record.task), (record.task, name), seed);
        // What was said with the ask counts first.
        let mut said = task.and_then(|task| description(task).ok()).unwrap_or_default();
        said.append(&mut request.describe);
        Self { describe: said, ..request }
    }

    /// As the user's command reads it, on one line.
    pub fn to_json(&self) -> String {
        let named = self.parameters.iter().zip(&self.trial.point);
        let named = named.filter(|(_, value)| !value.is_absent());
        let point: Map<String, Json> =
            named.map(|(name, value)| (name.clone(), json!(value))).collect();
        let mut document = json!({
            "point": point,
            "fidelity": self.trial.fidelity,
            "level": self.trial.level + 1,
            "task": self.task_name,
            "task_number": self.task + 1,
            "trial": self.trial.id,
            "seed": self.seed,
            "attempt": self.attempt,
        });
        if !self.describe.is_empty() {
            document["describe"] = json!(self.describe);
        }
        document.to_string()
    }
}

/// A number that depends on all three and looks random: steps of `SplitMix64`. 32 bits, since many
/// generators of random numbers take no more.
fn seed(campaign: u64, task: u32, trial: usize) -> u32 {
    let mix = |z: u64| {
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)).wrapping_add(0x9E37_79B9_7F4A_7C15)
    };
    let mixed = mix(mix(mix(campaign) ^ u64::from(task)) ^ trial as u64);
    u32::try_from(mixed >> 32).unwrap_or(0)
}

/// Why there is no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// the objective itself says so; it is taken at its word
    Reported(String),
    /// it crashed, took too long or answered nonsense; it may be tried again
    Broken(String),
    /// it could not even be started: nothing was evaluated, and nothing is known about the point
    NotStarted(String),
    /// it was stopped because the user wants an end at once
    Stopped,
}

/// What an evaluation gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// the value with what is known of it, or why there is none
    pub result: Result<Measurement, Trouble>,
    /// the last lines of error, whether it went well or not
    pub log: String,
}

impl From<Result<Measurement, Trouble>> for Evaluation {
    fn from(result: Result<Measurement, Trouble>) -> Self {
        Self { result, log: String::new() }
    }
}

/// Evaluates trials, from several threads at a time.
pub trait Evaluator: Sync {
    /// Evaluates one. Gives up when `stop` says at once.
    fn evaluate(&self, request: &Request, stop: &Stop) -> Evaluation;
}

/// Any function is an evaluator; its errors are taken at their word.
impl<F: Fn(&Request) -> Result<f64, String> + Sync> Evaluator for F {
    fn evaluate(&self, request: &Request, _: &Stop) -> Evaluation {
        finite(self(request)).into()
    }
}

/// A value that is not a finite number is none.
fn finite(result: Result<f64, String>) -> Result<Measurement, Trouble> {
    match result {
        Ok(value) if value.is_finite() => Ok(value.into()),
        Ok(value) => Err(Trouble::Reported(format!("the value is {value}, not a finite number"))),
        Err(reason) => Err(Trouble::Reported(reason)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_differ_between_trials_tasks_and_campaigns_and_stay_the_same() {
        let mut seeds = std::collections::BTreeSet::new();
        for campaign in 0..10 {
            for task in 0..10 {
                for trial in 0..10 {
                    seeds.insert(seed(campaign, task, trial));
                }
            }
        }
        assert_eq!(seeds.len(), 1000);
        assert_eq!(seed(7, 1, 3), seed(7, 1, 3));
    }
}
