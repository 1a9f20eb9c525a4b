//! `baton demo`: a small campaign on a built-in problem, from nothing to a result.

use crate::Outcome;
use crate::failure::Failure;
use baton::problem::Goal;
use baton::{Campaign, Settings, Task};
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Description, MASTER, family};
use clap::Args;

/// How it is run.
#[derive(Args)]
pub struct Call {
    /// Tasks in the sequence.
    #[arg(long, default_value_t = 4)]
    tasks: u32,
    /// Seed of all random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

const PROBLEM: &str = "branin";
const BAR: usize = 40;

/// Runs the campaign and tells what happened.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let refused = |error: baton::Error| Failure::new("run the demonstration", error);
    let Some(family) = family(PROBLEM) else {
        return Err(Failure::new("run the demonstration", "the problem is not built in"));
    };
    let description = family.description();
    let settings = Settings::default().seed(call.seed);
    let (space, fidelities) = (description.space.clone(), description.fidelities.clone());
    let mut campaign =
        Campaign::new(space, fidelities, Goal::Maximize, settings).map_err(refused)?;
    introduce(&description, call.tasks);
    for number in 1..=call.tasks {
        let benchmark = family.task(MASTER, u64::from(number));
        let mut task = campaign.start(description.budget).map_err(refused)?;
        evaluate(&mut task, &description, benchmark.as_ref(), call.seed).map_err(refused)?;
        tell(&mut task, &description, benchmark.as_ref()).map_err(refused)?;
        campaign.finish(&mut task).map_err(refused)?;
    }
    println!("What was learned is {} bytes of knowledge; no raw data is in it.", size(&campaign));
    Ok(Outcome::Done)
}

fn size(campaign: &Campaign) -> usize {
    campaign.knowledge().to_json().map_or(0, |text| text.len())
}

fn introduce(description: &Description, tasks: u32) {
    let levels: Vec<String> = description
        .fidelities
        .iter()
        .map(|fidelity| format!("{} for {}", fidelity.name, fidelity.cost))
        .collect();
    println!(
        "{tasks} related tasks, each a {PROBLEM} function that was moved and bent; budget {} a task; \
         an evaluation costs: {}.\n",
        description.budget,
        levels.join(", ")
    );
}

fn evaluate(
    task: &mut Task,
    description: &Description,
    benchmark: &dyn Benchmark,
    seed: u64,
) -> baton::Result<()> {
    while let Some(trial) = task.ask()? {
        let point: Vec<f64> = (0..trial.point.len()).map(|i| trial.number(i)).collect();
        let variance = description.fidelities[trial.level].noise_variance.unwrap_or(0.0);
        let step = u32::try_from(trial.id).unwrap_or(u32::MAX);
        let key = Key { seed, campaign: 0, task: task.number(), step };
        let noise = variance.sqrt() * key.stream(Purpose::Noise, 0).normal();
        task.tell(trial.id, benchmark.value(&point, trial.level) + noise)?;
    }
    Ok(())
}

/// A bar for the share of the budget that went to each fidelity, and the result.
fn tell(
    task: &mut Task,
    description: &Description,
    benchmark: &dyn Benchmark,
) -> baton::Result<()> {
    println!("Task {}", task.number() + 1);
    for (level, fidelity) in description.fidelities.iter().enumerate() {
        let count = task.trials().iter().filter(|trial| trial.level == level).count();
        let share = count as f64 * fidelity.cost / description.budget;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most BAR
        let filled = (share * BAR as f64).round() as usize;
        println!("  {:<8} {:<BAR$} {count} trials", fidelity.name, "#".repeat(filled.min(BAR)));
    }
    let Some(best) = task.recommendation()? else { return Ok(()) };
    let numbers: Vec<f64> = best.point.iter().filter_map(baton::Value::number).collect();
    let truth = benchmark.value(&numbers, description.fidelities.len() - 1);
    let optimum = benchmark.optimum();
    let shown: Vec<String> = numbers.iter().map(|x| format!("{x:.3}")).collect();
    println!(
        "  recommended ({}): expected {:.3}, 90 % between {:.3} and {:.3}",
        shown.join(", "),
        best.mean,
        best.interval.0,
        best.interval.1
    );
    println!("  in truth {truth:.3}; the best there is {:.3}", optimum.value);
    if let Some(last) = task.trials().last() {
        println!("  its last trial: {}\n", last.why());
    }
    Ok(())
}
