//! What the paper leaves open, measured: regret by task, and what the particles are worth to the next task.
//!
//! ```sh
//! cargo run --release --package baton-lab --example sweep -- ROWS OUT.csv SECONDS FAMILY SEED COUNT TASKS
//! ```
//!
//! A line of `ROWS` is `NAME METHOD PRESET [KEY=VALUE ...]`; with `shrinking=B` the kernel density has
//! variance `B / n` in task `n`, with `falling=B` beta is `B / n`. Every seed has tasks of its own. Seeds go round over all
//! rows, so that a sweep that is cut short is balanced; called again, it goes on. `before` and `after` are
//! the log density per observation that the particles give to the next task's observations before and after
//! SVGD has moved them by this task's.

use baton::model::{Earlier, InputKernel, Mean, Noise, Surrogate, SurrogateSettings};
use baton::problem::{History, Units};
use baton::{Knowledge, Outcome, Preset, Settings, Trial};
use baton_lab::Spec;
use baton_lab::experiment::Experiment;
use baton_numerics::parallel;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error + Send + Sync>;

struct Row {
    name: String,
    settings: Settings,
    /// variance of the kernel density in the first task, if it becomes less with every one
    shrinking: Option<f64>,
    /// beta in the first task, if it becomes less with every one
    falling: Option<f64>,
}

impl Row {
    fn parse(line: &str) -> Result<Self, Failure> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, method, preset, keys @ ..] = &words[..] else {
            return Err(format!("NAME METHOD PRESET [KEY=VALUE ...], not {line}").into());
        };
        let mut settings = Settings::with_preset(method.parse()?, preset.parse::<Preset>()?);
        let (mut shrinking, mut falling) = (None, None);
        for word in keys {
            match word.split_once('=').ok_or("KEY=VALUE")? {
                ("shrinking", value) => shrinking = Some(value.parse()?),
                ("falling", value) => falling = Some(value.parse()?),
                (key, value) => settings.set(key, value)?,
            }
        }
        Ok(Self { name: (*name).to_owned(), settings, shrinking, falling })
    }

    /// The settings of task `n`.
    fn of_task(&self, n: u32) -> Result<Settings, Failure> {
        let mut settings = self.settings.clone();
        if let Some(variance) = self.shrinking {
            settings.set("kde_variance", &(variance / f64::from(n)).to_string())?;
        }
        if let Some(beta) = self.falling {
            settings.set("beta", &(beta / f64::from(n)).to_string())?;
        }
        Ok(settings)
    }
}

/// Lines of an experiment: row, seed, task, scores, log densities.
fn experiment(row: &Row, family: &str, seed: u64, tasks: u32) -> Result<String, Failure> {
    let mut lines = String::new();
    let mut known: Vec<Knowledge> = Vec::new();
    for n in 1..=tasks {
        let spec = Spec { fresh_tasks: true, seed, ..Spec::new(family, row.of_task(n)?)? };
        let mut experiment = Experiment::new(&spec, 0, known.last().cloned())?;
        let result = experiment.next_task()?;
        let [before, after] = [2, 1].map(|back| {
            let knowledge = known.len().checked_sub(back).map(|at| &known[at]);
            knowledge.and_then(|knowledge| log_density(knowledge, &spec, experiment.trials()))
        });
        let number = |log: Option<f64>| log.map_or(String::new(), |log| format!("{log:.4}"));
        writeln!(
            lines,
            "{},{family},{seed},{n},{},{},{},{}",
            row.name,
            result.score,
            result.honest_score,
            number(before),
            number(after)
        )?;
        known.push(experiment.knowledge().clone());
    }
    Ok(lines)
}

/// Log density per observation, averaged over the particles of what was known.
fn log_density(knowledge: &Knowledge, spec: &Spec, trials: &[Trial]) -> Option<f64> {
    let (units, belief) = (knowledge.units?, knowledge.belief.as_ref()?);
    let surrogate = surrogate(spec, &units)?;
    let space = spec.family().ok()?.description().space;
    let mut history = History::new(space.dimension());
    for trial in trials {
        if let Outcome::Told { value, .. } = trial.outcome {
            let point = space.coordinates(&trial.point).ok()?;
            history.push(&point, trial.level, units.to_model(value)).ok()?;
        }
    }
    let log = |theta: &Vec<f64>| Some(-surrogate.evidence(theta, &history).ok()?.negative_log);
    let logs: Vec<f64> = belief.particles().thetas().iter().filter_map(log).collect();
    let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mean = logs.iter().map(|log| (log - most).exp()).sum::<f64>() / logs.len() as f64;
    Some((most + mean.ln()) / history.len() as f64)
}

fn surrogate(spec: &Spec, units: &Units) -> Option<Surrogate> {
    let description = spec.family().ok()?.description();
    let noise: Option<Vec<f64>> = description.fidelities.iter().map(|f| f.noise_variance).collect();
    let deep = spec.settings.model.kernel == baton::model::Kernel::Deep;
    SurrogateSettings {
        dimension: description.space.dimension(),
        levels: description.fidelities.len(),
        input: if deep { InputKernel::deep() } else { InputKernel::Rbf },
        fidelity: spec.settings.model.fidelity_kernel,
        mean: if deep { Mean::Zero } else { Mean::Learned },
        noise: Noise::Known(noise?.into_iter().map(|v| units.variance_to_model(v)).collect()),
        earlier: Earlier::None,
        descriptors: 0,
        drifting: Vec::new(),
        link: units.link(),
    }
    .check()
    .ok()
}

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, out, seconds, family, seed, count, tasks] = &words[..] else {
        return Err("ROWS OUT.csv SECONDS FAMILY SEED COUNT TASKS".into());
    };
    let text = std::fs::read_to_string(rows)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let rows = lines.map(Row::parse).collect::<Result<Vec<_>, _>>()?;
    let (first, count): (u64, u64) = (seed.parse()?, count.parse()?);
    let tasks: u32 = tasks.parse()?;
    let end = Instant::now() + Duration::from_secs(seconds.parse()?);
    let done = std::fs::read_to_string(out).unwrap_or_default();
    let job = |line: &str| line.splitn(4, ',').take(3).collect::<Vec<_>>().join(",");
    let done: HashSet<String> = done.lines().map(job).collect();
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(out)?;
    if done.is_empty() {
        file.write_all(b"row,family,seed,task,score,honest_score,before,after\n")?;
    }
    let file = Mutex::new(file);
    let jobs: Vec<(&Row, u64)> =
        (first..first + count).flat_map(|seed| rows.iter().map(move |row| (row, seed))).collect();
    let missing: Vec<_> = jobs
        .into_iter()
        .filter(|(row, seed)| !done.contains(&format!("{},{family},{seed}", row.name)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while Instant::now() < end {
            let Some((row, seed)) = missing.get(next.fetch_add(1, Ordering::Relaxed)) else {
                break;
            };
            match parallel::with_threads(1, || experiment(row, family, *seed, tasks)) {
                Ok(lines) => {
                    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                    file.write_all(lines.as_bytes())?;
                }
                Err(error) => eprintln!("{} {seed}: {error}", row.name),
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        all.into_iter()
            .try_for_each(|one| one.join().unwrap_or_else(|_| Err("a thread died".into())))
    })
}
