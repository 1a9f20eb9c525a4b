//! Variants of a method side by side: any families, any settings, the same seeds.
//!
//! ```sh
//! cargo run --release --package baton-lab --example arms -- --out arms.csv --families hartmann6,levy \
//!     explore: neither:explore=0 beta:beta=0.3,explore=0,transfer_gain=noisy
//! ```
//!
//! An arm is `NAME:KEY=VALUE,..`, with `method=NAME` among the keys for another method than `default`. Every
//! experiment draws tasks of its own, the same for all arms of a seed. Work is divided over all cores, the
//! longest first. Appends a line per task once its experiment is done: family, arm, seed, task, simple regret
//! of the recommended point and of the best one queried, milliseconds per ask. Run again, it goes on with
//! what is missing; with `--limit-seconds` it gives up in time what it cannot end.

use baton::Settings;
use baton_lab::Spec;
use baton_lab::experiment::{Experiment, TaskResult};
use baton_numerics::parallel;
use std::collections::{HashSet, VecDeque};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error>;

const HEADER: &str = "family,arm,seed,task,regret,queried,ms_per_ask\n";

struct Call {
    out: String,
    families: Vec<String>,
    arms: Vec<(String, Vec<(String, String)>)>,
    tasks: u32,
    seeds: u64,
    first_seed: u64,
    threads: usize,
    limit: Duration,
}

struct Job {
    arm: String,
    spec: Spec,
    /// how long it may take, in units of its own
    length: f64,
}

impl Job {
    fn name(&self) -> String {
        format!("{},{},{}", self.spec.problem, self.arm, self.spec.seed)
    }
}

fn main() -> Result<(), Failure> {
    let call = Call::read(std::env::args().skip(1))?;
    let text = fs::read_to_string(&call.out).unwrap_or_default();
    let done: HashSet<String> =
        text.lines().map(|line| line.split(',').take(3).collect::<Vec<_>>().join(",")).collect();
    let mut jobs = call.jobs()?;
    let all = jobs.len();
    jobs.retain(|job| !done.contains(&job.name()));
    jobs.sort_by(|a, b| b.length.total_cmp(&a.length));
    println!("{} of {all} experiments to do", jobs.len());
    let mut file = OpenOptions::new().create(true).append(true).open(&call.out)?;
    if text.is_empty() {
        file.write_all(HEADER.as_bytes())?;
    }
    let (queue, file) = (Mutex::new(VecDeque::from(jobs)), Mutex::new(file));
    let end = Instant::now() + call.limit;
    let worker = || -> Result<(), String> {
        loop {
            let job = queue.lock().map_err(|e| e.to_string())?.pop_front();
            let Some(job) = job else { return Ok(()) };
            let results = parallel::with_threads(1, || run(&job, end));
            let Some(results) = results.map_err(|e| e.to_string())? else { return Ok(()) };
            let text: String = results.iter().map(|result| line(&job, result)).collect();
            let mut file = file.lock().map_err(|e| e.to_string())?;
            file.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..call.threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err("a worker ended early".into()))
        })
    })?;
    let written = fs::read_to_string(&call.out)?.lines().count();
    println!("{} lines", written.saturating_sub(1));
    Ok(())
}

/// All tasks, or nothing if the time is over before they are done.
fn run(job: &Job, end: Instant) -> Result<Option<Vec<TaskResult>>, baton_lab::LabError> {
    let mut experiment = Experiment::new(&job.spec, 0, None)?;
    let mut results = Vec::new();
    for _ in 0..job.spec.tasks {
        if Instant::now() >= end {
            return Ok(None);
        }
        results.push(experiment.next_task()?);
    }
    Ok(Some(results))
}

fn line(job: &Job, result: &TaskResult) -> String {
    let TaskResult { task, score, honest_score, ms_per_ask, .. } = result;
    format!("{},{task},{honest_score:.6},{score:.6},{ms_per_ask:.2}\n", job.name())
}

impl Call {
    fn read(words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut call = Self {
            out: "arms.csv".into(),
            families: vec!["hartmann6".into()],
            arms: Vec::new(),
            tasks: 8,
            seeds: 60,
            first_seed: 900_001,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            limit: Duration::from_secs(u64::from(u32::MAX)),
        };
        let mut words = words;
        while let Some(word) = words.next() {
            if let Some((name, keys)) = word.split_once(':') {
                let pairs = keys.split(',').filter(|entry| !entry.is_empty());
                let pair = |entry: &str| {
                    let (key, value) =
                        entry.split_once('=').ok_or("an arm is NAME:KEY=VALUE,..")?;
                    Ok((key.to_owned(), value.to_owned()))
                };
                call.arms.push((name.into(), pairs.map(pair).collect::<Result<_, Failure>>()?));
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            match word.as_str() {
                "--out" => call.out = value,
                "--families" => call.families = value.split(',').map(str::to_owned).collect(),
                "--tasks" => call.tasks = value.parse()?,
                "--seeds" => call.seeds = value.parse()?,
                "--first-seed" => call.first_seed = value.parse()?,
                "--threads" => call.threads = value.parse()?,
                "--limit-seconds" => call.limit = Duration::from_secs(value.parse()?),
                _ => return Err(format!("{word} is not known").into()),
            }
        }
        Ok(call)
    }

    fn jobs(&self) -> Result<Vec<Job>, Failure> {
        let mut jobs = Vec::new();
        for family in &self.families {
            for (arm, keys) in &self.arms {
                let method = keys.iter().find(|(key, _)| key == "method");
                let method = method.map_or("default", |(_, name)| name);
                let mut spec = Spec::new(family, Settings::by_name(method, None)?)?;
                let mut length = 1.0;
                for (key, value) in keys.iter().filter(|(key, _)| key != "method") {
                    spec.settings.set(key, value)?;
                    // The gain about theta is asked of many models instead of one.
                    length *= if key == "beta" && value != "0" { 4.0 } else { 1.0 };
                }
                let of = spec.family()?.description();
                let costs = of.fidelities.iter().map(|fidelity| fidelity.cost);
                length *= of.space.dimension() as f64 * of.budget / costs.fold(of.budget, f64::min);
                (spec.tasks, spec.experiments, spec.fresh_tasks) = (self.tasks, 1, true);
                for seed in self.first_seed..self.first_seed + self.seeds {
                    let spec = Spec { seed, ..spec.clone() };
                    jobs.push(Job { arm: arm.clone(), spec, length });
                }
            }
        }
        Ok(jobs)
    }
}
