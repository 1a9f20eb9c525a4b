//! Paired runs of families, arms and seeds, one after the other in one thread: the arms of a family and seed
//! see the same tasks and the same noise. Rows are appended to a file when a run is done, and what is there is
//! not done again, so that a process may be ended at any time; several processes share the work by seeds, each
//! with a file of its own.

// Each study uses its part.
#![allow(dead_code)]

use baton::{Task, Trial, Value};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Description, Family, family};
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::{Duration, Instant};

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What to run unless the command line says otherwise.
pub struct Study {
    pub out: &'static str,
    /// after family, arm, seed
    pub columns: &'static str,
    pub families: &'static [&'static str],
    pub arms: &'static [&'static str],
}

struct Call {
    out: String,
    families: Vec<String>,
    arms: Vec<String>,
    seeds: std::ops::RangeInclusive<u64>,
    until: Option<Instant>,
}

impl Study {
    /// Runs everything that is not in the file yet; `run` returns a run's rows after family, arm and seed.
    pub fn run(
        &self,
        run: impl Fn(&dyn Family, &str, u64) -> Result<Vec<String>, Failure> + Sync,
    ) -> Result<(), Failure> {
        let call = self.read(std::env::args().skip(1))?;
        let text = fs::read_to_string(&call.out).unwrap_or_default();
        let name = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
        let done: HashSet<String> = text.lines().map(name).collect();
        let mut file = OpenOptions::new().create(true).append(true).open(&call.out)?;
        if text.is_empty() {
            writeln!(file, "family,arm,seed,{}", self.columns)?;
        }
        for seed in call.seeds.clone() {
            for (name, arm) in
                call.families.iter().flat_map(|f| call.arms.iter().map(move |a| (f, a)))
            {
                let begin = format!("{name},{arm},{seed}");
                if done.contains(&begin) {
                    continue;
                }
                if call.until.is_some_and(|until| Instant::now() >= until) {
                    return Ok(());
                }
                let family = family(name).ok_or_else(|| format!("there is no family {name}"))?;
                let rows = parallel::with_threads(1, || run(family.as_ref(), arm, seed));
                let rows = rows.map_err(|error| format!("{begin}: {error}"))?;
                let mut text = Vec::new();
                for row in &rows {
                    writeln!(text, "{begin},{row}")?;
                }
                file.write_all(&text)?;
            }
        }
        Ok(())
    }

    fn read(&self, mut words: impl Iterator<Item = String>) -> Result<Call, Failure> {
        let own = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let mut call = Call {
            out: self.out.to_owned(),
            families: own(self.families),
            arms: own(self.arms),
            seeds: 1..=60,
            until: None,
        };
        let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                "--out" => call.out = value()?,
                "--families" => call.families = list(&value()?),
                "--arms" => call.arms = list(&value()?),
                "--seeds" => call.seeds = value()?.parse()?..=value()?.parse()?,
                "--limit-seconds" => {
                    call.until = Some(Instant::now() + Duration::from_secs(value()?.parse()?));
                }
                _ => return Err(format!("there is no option {word}").into()),
            }
        }
        Ok(call)
    }
}

/// A task of a family with its noise.
pub struct Posed<'a> {
    pub benchmark: &'a dyn Benchmark,
    pub description: &'a Description,
    pub seed: u64,
    pub number: u32,
}

impl Posed<'_> {
    pub fn top(&self) -> usize {
        self.description.fidelities.len() - 1
    }

    /// Asks and tells until nothing more is asked for.
    pub fn finish(&self, task: &mut Task) -> Result<(), Failure> {
        while let Some(trial) = task.ask()? {
            task.tell(trial.id, self.observed(&trial)?)?;
        }
        Ok(())
    }

    /// What an evaluation of the trial says.
    pub fn observed(&self, trial: &Trial) -> Result<f64, Failure> {
        let variance = self.description.fidelities[trial.level].noise_variance.unwrap_or(0.0);
        let step = u32::try_from(trial.id).unwrap_or(u32::MAX);
        let key = Key { seed: self.seed, campaign: 0, task: self.number, step };
        let noise = variance.sqrt() * key.stream(Purpose::Noise, 0).normal();
        Ok(self.value(&trial.point, trial.level)? + noise)
    }

    fn value(&self, point: &[Value], level: usize) -> Result<f64, Failure> {
        let numbers = point.iter().map(|value| value.number().ok_or("it is no number"));
        Ok(self.benchmark.value(&numbers.collect::<Result<Vec<f64>, _>>()?, level))
    }

    /// What an evaluation at the highest fidelity would say without noise.
    pub fn truth(&self, point: &[Value]) -> Result<f64, Failure> {
        self.value(point, self.top())
    }

    /// By how much a point is worse than the best one.
    pub fn regret(&self, point: &[Value]) -> Result<f64, Failure> {
        Ok(self.benchmark.optimum().value - self.truth(point)?)
    }

    /// The least regret of some trials at the highest fidelity; none without any.
    pub fn queried<'a>(
        &self,
        trials: impl Iterator<Item = &'a Trial>,
    ) -> Result<Option<f64>, Failure> {
        let mut least: Option<f64> = None;
        for trial in trials.filter(|trial| trial.level == self.top() && trial.value().is_some()) {
            let regret = self.regret(&trial.point)?;
            least = Some(least.map_or(regret, |least| least.min(regret)));
        }
        Ok(least)
    }

    /// The regret of the recommended point.
    pub fn recommended(&self, task: &mut Task) -> Result<f64, Failure> {
        self.regret(&task.recommendation()?.ok_or("nothing is recommended")?.point)
    }
}
