//! States of tasks to measure searches on: what a task was told, a line per task.
//!
//! A line holds the problem, the seed, the sizes at which the task is a state of its own (its first
//! so many trials), and the trials as coordinates in the unit cube, level and value. Four digits are
//! kept: the state is what is written, not what it was made from.

use crate::Outcome;
use crate::failure::Failure;
use baton::{Campaign, Goal, Method, Settings, Task};
use baton_lab::Spec;
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, fresh_master};
use clap::Args;
use serde::{Deserialize, Serialize};

/// Which tasks are run.
#[derive(Args)]
pub struct Call {
    /// The problem.
    #[arg(long, default_value = "hartmann6")]
    problem: String,
    /// The method that chooses the trials.
    #[arg(long, default_value = "mf-mes-fitted")]
    method: String,
    /// How many tasks, each a fresh one.
    #[arg(long, default_value_t = 20)]
    tasks: u64,
    /// Sizes at which a task is a state.
    #[arg(long, value_delimiter = ',', default_value = "16,24,36,48,64")]
    sizes: Vec<usize>,
}

/// A task as it went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// name of the family
    pub problem: String,
    /// seed of the task
    pub seed: u64,
    /// counts of trials at which it is a state
    pub sizes: Vec<usize>,
    /// coordinates in the unit cube, level and value
    pub trials: Vec<(Vec<f64>, usize, f64)>,
}

/// Runs the tasks and prints a line each.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    for seed in 1..=call.tasks {
        let record = record(call, seed)?;
        let line =
            serde_json::to_string(&record).map_err(|error| Failure::new("write a state", error))?;
        out!("{line}");
    }
    Ok(Outcome::Done)
}

fn record(call: &Call, seed: u64) -> Result<Record, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::new("run a task", error);
    let method: Method = call.method.parse().map_err(|error| refused(&error))?;
    let settings = Settings::new(method).seed(seed);
    let spec = Spec::new(&call.problem, settings).map_err(|error| refused(&error))?;
    let family =
        baton_problems::family(&call.problem).ok_or_else(|| refused(&"no such problem"))?;
    let benchmark = family.task(fresh_master(seed), 1);
    let count = call.sizes.iter().copied().max().unwrap_or(0);
    let trials = trials(&spec, benchmark.as_ref(), seed, count).map_err(|error| refused(&error))?;
    Ok(Record { problem: call.problem.clone(), seed, sizes: call.sizes.clone(), trials })
}

/// The task with a budget that is never short.
fn trials(
    spec: &Spec,
    benchmark: &dyn Benchmark,
    seed: u64,
    count: usize,
) -> Result<Vec<(Vec<f64>, usize, f64)>, baton_lab::LabError> {
    let mut task = task(spec)?;
    let space = baton_problems::family(&spec.problem).map(|family| family.description().space);
    let mut noise = Key { seed, ..Key::default() }.stream(Purpose::Noise, 0);
    let mut trials = Vec::new();
    while trials.len() < count {
        let Some(trial) = task.ask()? else { break };
        let raw: Vec<f64> = (0..trial.point.len()).filter_map(|i| trial.number(i).ok()).collect();
        let value = benchmark.value(&raw, trial.level) + 0.1_f64.sqrt() * noise.normal();
        task.tell(trial.id, value)?;
        let coordinates =
            space.as_ref().map(|space| space.coordinates(&trial.point)).transpose()?;
        let coordinates = coordinates.unwrap_or_default().into_iter().map(rounded).collect();
        trials.push((coordinates, trial.level, rounded(value)));
    }
    Ok(trials)
}

/// A first task of the study's campaign.
pub fn task(spec: &Spec) -> Result<Task, baton_lab::LabError> {
    let description = spec.family()?.description();
    let (space, fidelities) = (description.space, description.fidelities);
    let campaign = Campaign::new(space, fidelities, Goal::Maximize, spec.settings.clone())?;
    Ok(campaign.start(1e6)?)
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
