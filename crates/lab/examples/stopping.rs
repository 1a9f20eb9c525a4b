//! What a task that ends early saves, and what it loses. Behind `benchmarks/stopping`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example stopping -- --out stopping.csv \
//!     [--families hartmann6,rosenbrock,..] [--arms 0.01/0.9/3] [--seeds 1 60] [--limit-seconds 560]
//! ```
//!
//! Three tasks of a family, each with its full budget. Where the rule would end a task, the task ends early in
//! a copy (after the trial that confirms what is recommended), and the full one goes on as if nobody had asked:
//! both have the same trials until then, and the next task begins with what the full one taught. An arm is a
//! rule and a budget, `gain/confidence/multiple` of the family's own.
//!
//! A line per task: the regret of the best trial at the highest fidelity in the design (of the first such trial
//! where there is none), of the recommended point and the best one queried at the end, in full and ended early,
//! the budget and what was spent of it early.

mod paired;

use baton::{Campaign, Goal, Settings, Stop};
use baton_problems::{Family, fresh_master};
use paired::{Failure, Posed, Study};

const TASKS: u32 = 3;

fn main() -> Result<(), Failure> {
    let study = Study {
        out: "stopping.csv",
        columns: "task,first,full,early,full_queried,early_queried,budget,spent",
        families: &["hartmann6", "hartmann6-shifted", "gas", "branin", "rosenbrock"],
        arms: &["0.01/0.9/1", "0.01/0.9/3"],
    };
    study.run(run)
}

fn run(family: &dyn Family, arm: &str, seed: u64) -> Result<Vec<String>, Failure> {
    let parts: Vec<f64> = arm.split('/').map(str::parse).collect::<Result<_, _>>()?;
    let [gain, confidence, times] = parts[..] else {
        return Err("an arm is gain/confidence/budget, the last as a multiple".into());
    };
    let stop = Stop { gain: gain.try_into()?, confidence: confidence.try_into()? };
    let description = family.description();
    let budget = times * description.budget;
    let settings = Settings::default().seed(seed);
    let (space, levels) = (description.space.clone(), description.fidelities.clone());
    let mut campaign = Campaign::new(space, levels, Goal::Maximize, settings)?;
    let mut rows = Vec::new();
    for number in 1..=TASKS {
        let benchmark = family.task(fresh_master(seed), u64::from(number));
        let posed = Posed { benchmark: &*benchmark, description: &description, seed, number };
        let mut early = campaign.start(budget)?;
        early.stop_when(Some(stop));
        // Until the rule speaks, both are one.
        let mut shared = None;
        while let Some(trial) = early.ask()? {
            if shared.is_none() && trial.reason.ends_with("ends early") {
                shared = Some(trial.id);
            }
            early.tell(trial.id, posed.observed(&trial)?)?;
        }
        let shared = shared.unwrap_or(early.trials().len());
        let mut full = campaign.resume(budget, &early.trials()[..shared])?;
        posed.finish(&mut full)?;
        let design = full.trials().iter().filter(|trial| trial.aim.name() == "design");
        let at_top = |trial: &&baton::Trial| trial.level == posed.top();
        let first = match posed.queried(design)? {
            Some(first) => first,
            None => {
                posed.queried(full.trials().iter().find(at_top).into_iter())?.unwrap_or(f64::NAN)
            }
        };
        let queried = |task: &baton::Task| posed.queried(task.trials().iter());
        let (all, some) = (queried(&full)?, queried(&early)?);
        rows.push(format!(
            "{number},{first:.6},{:.6},{:.6},{:.6},{:.6},{},{}",
            posed.recommended(&mut full)?,
            posed.recommended(&mut early)?,
            all.unwrap_or(f64::NAN),
            some.unwrap_or(f64::NAN),
            budget,
            budget - early.cost_left(),
        ));
        campaign.finish(full)?;
    }
    Ok(rows)
}
