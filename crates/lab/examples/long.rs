//! Campaigns of a hundred tasks: whether later tasks stay as good and as quick as earlier ones. Behind
//! `benchmarks/many`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example long -- --out long.csv [--family hartmann6-shifted] \
//!     [--tasks 100] [--budget 500] [--seed 1]
//! ```
//!
//! One campaign, one thread. Appends a line per task as it ends: family, seed, task, simple regret of the
//! recommended point and of the best one queried at the highest fidelity, trials, seconds of the median ask and
//! of handing on.

use baton::{Campaign, Goal, Settings, Value};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Family, family, fresh_master};
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Instant;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let (mut out, mut name) = ("long.csv".to_owned(), "hartmann6-shifted".to_owned());
    let (mut tasks, mut budget, mut seed) = (100_u32, 500.0, 1_u64);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--out" => out = value,
            "--family" => name = value,
            "--tasks" => tasks = value.parse()?,
            "--budget" => budget = value.parse()?,
            "--seed" => seed = value.parse()?,
            _ => return Err(format!("there is no option {word}").into()),
        }
    }
    let family = family(&name).ok_or_else(|| format!("there is no family {name}"))?;
    let mut file = OpenOptions::new().create(true).append(true).open(&out)?;
    let run = || -> Result<(), Failure> {
        let description = family.description();
        let settings = Settings::default().seed(seed);
        let space = description.space.clone();
        let levels = description.fidelities.clone();
        let mut campaign = Campaign::new(space, levels, Goal::Maximize, settings)?;
        for number in 1..=tasks {
            let row = task(&*family, &mut campaign, (seed, number), budget)?;
            writeln!(file, "{name},{seed},{number},{row}")?;
        }
        Ok(())
    };
    parallel::with_threads(1, run)
}

/// What a line says of a task, once it is done.
fn task(
    family: &dyn Family,
    campaign: &mut Campaign,
    (seed, number): (u64, u32),
    budget: f64,
) -> Result<String, Failure> {
    let levels = &family.description().fidelities;
    let top = levels.len() - 1;
    let benchmark = family.task(fresh_master(seed), number.into());
    let mut task = campaign.start(budget)?;
    let mut seconds = Vec::new();
    loop {
        let begin = Instant::now();
        let Some(trial) = task.ask()? else { break };
        seconds.push(begin.elapsed().as_secs_f64());
        let step = u32::try_from(seconds.len())?;
        let noise = levels[trial.level].noise_variance.unwrap_or(0.0).sqrt()
            * Key { seed, campaign: 0, task: number, step }.stream(Purpose::Noise, 0).normal();
        task.tell(trial.id, value(&*benchmark, &trial.point, trial.level)? + noise)?;
    }
    let recommended = task.recommendation()?.ok_or("nothing is recommended")?;
    let reached = value(&*benchmark, &recommended.point, top)?;
    let mut queried = f64::NEG_INFINITY;
    for trial in task.trials().iter().filter(|trial| trial.level == top) {
        queried = queried.max(value(&*benchmark, &trial.point, top)?);
    }
    let best = benchmark.optimum().value;
    let begin = Instant::now();
    campaign.finish(task)?;
    let handed_on = begin.elapsed().as_secs_f64();
    seconds.sort_by(f64::total_cmp);
    let median = seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN);
    let (recommended, queried) = (best - reached, best - queried);
    Ok(format!("{recommended:.6},{queried:.6},{},{median:.6},{handed_on:.6}", seconds.len()))
}

fn value(benchmark: &dyn Benchmark, point: &[Value], level: usize) -> Result<f64, Failure> {
    let numbers: Option<Vec<f64>> = point.iter().map(Value::number).collect();
    Ok(benchmark.value(&numbers.ok_or("a point that is no number")?, level))
}
