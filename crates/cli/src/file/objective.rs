//! `[objective]`: how a trial is evaluated. Stays on this machine.

use super::section::{Section, number};
use crate::failure::Failure;
use baton::Goal;
use baton_runner::evaluator::{Builtin, CommandEvaluator};
use baton_runner::{Evaluator, Options};
use std::path::Path;
use std::time::Duration;
use toml::de::DeValue;

/// Seconds without a sign of life after which a trial is given to another worker.
pub const LEASE_SECONDS: f64 = 60.0;

/// How trials are evaluated.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// the program and its arguments
    pub command: Option<Vec<String>>,
    /// or a built-in problem
    pub problem: Option<String>,
    /// how long one evaluation may take
    pub timeout: Option<Duration>,
    /// how often a broken evaluation is tried again
    pub retries: u32,
    /// evaluations at a time
    pub workers: usize,
    /// see [`LEASE_SECONDS`]
    pub lease_seconds: f64,
}

impl Default for Objective {
    fn default() -> Self {
        Self {
            command: None,
            problem: None,
            timeout: None,
            retries: 0,
            workers: 1,
            lease_seconds: LEASE_SECONDS,
        }
    }
}

impl Objective {
    /// Who evaluates, in the folder of the file.
    pub fn evaluator(&self, folder: &Path) -> Result<Box<dyn Evaluator>, Failure> {
        if let Some(command) = &self.command {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let (command, folder) = (command.clone(), folder.to_owned());
            return Ok(Box::new(CommandEvaluator { command, folder, limit: self.timeout }));
        }
        match self.problem.as_deref().and_then(Builtin::new) {
            Some(builtin) => Ok(Box::new(builtin)),
            None => Err(Failure::new("evaluate trials", "the file names no command")
                .hint("add command = [\"python3\", \"simulate.py\"] to [objective]")),
        }
    }

    /// How the driver works, under a name.
    pub fn options(&self, name: String, take_over: bool) -> Options {
        let Self { workers, retries, lease_seconds, .. } = *self;
        Options { name, workers, retries, lease_seconds, take_over }
    }
}

/// Reads the section: the goal, where it is given, and how trials are evaluated.
pub fn objective(section: &Section<'_>) -> (Option<Goal>, Objective, Option<u32>) {
    let goal = section.text("goal").and_then(|found| match found.as_str() {
        "maximize" => Some(Goal::Maximize),
        "minimize" => Some(Goal::Minimize),
        other => {
            let reason = format!("goal must be \"maximize\" or \"minimize\", not {other:?}");
            section.mistake_in("goal", reason);
            None
        }
    });
    let mut objective = Objective::default();
    if let Some(list) = section.list("command") {
        let words: Option<Vec<String>> =
            list.into_iter().map(|entry| Some(entry.get_ref().as_str()?.to_owned())).collect();
        match words.filter(|words| words.first().is_some_and(|word| !word.is_empty())) {
            Some(words) => objective.command = Some(words),
            None => section.mistake_with_hint(
                section.place("command"),
                "command must be a list of texts: a program and its arguments",
                "command = [\"python3\", \"simulate.py\"]",
            ),
        }
    }
    if let Some(problem) = section.text("problem") {
        if Builtin::new(&problem).is_none() {
            let reason = format!("there is no built-in problem {problem:?}");
            section.mistake_with_hint(
                section.place("problem"),
                reason,
                "`baton problem --list` names them",
            );
        } else if objective.command.is_some() {
            section.mistake_in("problem", "give a command or a built-in problem, not both");
        }
        objective.problem = Some(problem);
    }
    objective.timeout = duration(section, "timeout");
    let small = |key: &'static str, most: u32| -> Option<u32> {
        let fits = u32::try_from(section.count(key)?).ok().filter(|value| *value <= most);
        if fits.is_none() {
            section.mistake_in(key, format!("{key} must be at most {most}"));
        }
        fits
    };
    objective.retries = small("retries", 1_000).unwrap_or(0);
    objective.workers = small("workers", 1_000).unwrap_or(1) as usize;
    let lease = duration(section, "lease").map(|lease| lease.as_secs_f64());
    objective.lease_seconds = lease.unwrap_or(LEASE_SECONDS);
    let pause_after = small("pause_after", 1_000_000);
    section.refuse_others();
    (goal, objective, pause_after)
}

/// `"90s"`, `"10m"`, `"2h"`, or a number of seconds.
fn duration(section: &Section<'_>, key: &'static str) -> Option<Duration> {
    let raw = section.raw(key)?;
    let seconds = match raw.get_ref() {
        DeValue::String(text) => parse_duration(text),
        other => number(other),
    };
    let usable = seconds.filter(|s| *s >= 0.001 && *s <= 1e9).map(Duration::from_secs_f64);
    if usable.is_none() {
        let reason = format!("{key} must be a duration such as \"30s\", \"10m\" or \"2h\"");
        section.mistake_in(key, reason);
    }
    usable
}

/// Seconds of a text such as `10m`.
pub fn parse_duration(text: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| c.is_alphabetic()).unwrap_or(text.len());
    let (amount, unit) = text.split_at(split);
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3_600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    amount.trim().parse::<f64>().ok().map(|amount| amount * seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_with_their_unit() {
        let read = ["30s", "10m", "2h", "1.5 h", "200ms", "7"].map(parse_duration);
        assert_eq!(read, [30.0, 600.0, 7200.0, 5400.0, 0.2, 7.0].map(Some));
        assert_eq!(["", "m", "5 parsecs", "1e"].map(parse_duration), [None; 4]);
    }
}
