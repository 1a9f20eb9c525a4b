//! `baton demo`: a small campaign on a built-in problem, against the same tasks started cold; a
//! picture, and what was handed on in plain words.

use crate::Outcome;
use crate::failure::Failure;
use baton::problem::Goal;
use baton::{Campaign, Knowledge, Settings, Task};
#[cfg(feature = "full")]
use baton_lab::figure::{Curve, CurvePoint, LineFigure};
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Description, MASTER, family};
use clap::Args;
#[cfg(feature = "full")]
use std::path::{Path, PathBuf};

/// How it is run.
#[derive(Args)]
pub struct Call {
    /// Tasks in the sequence.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=100))]
    tasks: u32,
    /// Seed of all random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the picture here too, as SVG.
    #[cfg(feature = "full")]
    #[arg(long, value_name = "FILE.svg")]
    picture: Option<PathBuf>,
}

const PROBLEM: &str = "branin";
/// Letters of a whole bar.
const BAR: usize = 32;
/// Shares of the budget after which the recommendation is judged.
const SHARES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// Simple regret of the recommended point after each share of the budget.
type Regrets = [f64; SHARES.len()];

/// Runs the campaign and tells what happened.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let refused = |error: baton::Error| Failure::new("run the demonstration", error);
    let Some(family) = family(PROBLEM) else {
        return Err(Failure::new("run the demonstration", "the problem is not built in"));
    };
    let description = family.description();
    let fresh = || {
        let settings = Settings::default().seed(call.seed);
        let (space, fidelities) = (description.space.clone(), description.fidelities.clone());
        Campaign::new(space, fidelities, Goal::Maximize, settings).map_err(refused)
    };
    introduce(&description, call.tasks);
    let mut campaign = fresh()?;
    let (mut handed_on, mut cold) = (Vec::new(), Vec::new());
    for number in 1..=call.tasks {
        let benchmark = family.task(MASTER, u64::from(number));
        let mut task = campaign.start(description.budget).map_err(refused)?;
        let regrets = work(&mut task, &description, benchmark.as_ref(), call.seed);
        let regrets = regrets.map_err(refused)?;
        tell(&mut task, &description, regrets).map_err(refused)?;
        campaign.finish(task).map_err(refused)?;
        if number > 1 {
            let mut task = fresh()?.start(description.budget).map_err(refused)?;
            let alone = work(&mut task, &description, benchmark.as_ref(), call.seed);
            handed_on.push(regrets);
            cold.push(alone.map_err(refused)?);
        }
    }
    let (handed_on, cold) = (mean(&handed_on), mean(&cold));
    draw(handed_on, cold, call.tasks);
    explain(campaign.knowledge(), handed_on, cold);
    #[cfg(feature = "full")]
    if let Some(path) = &call.picture {
        write_picture(path, handed_on, cold, call.tasks)?;
    }
    Ok(Outcome::Done)
}

fn introduce(description: &Description, tasks: u32) {
    let levels: Vec<String> = description
        .fidelities
        .iter()
        .map(|fidelity| format!("{} for {}", fidelity.name, fidelity.cost))
        .collect();
    out!(
        "{tasks} related tasks, each a {PROBLEM} function that was moved and bent; budget {} a task; \
         an evaluation costs: {}.\n",
        description.budget,
        levels.join(", ")
    );
}

/// Spends the task's budget, and judges its recommendation on the way.
fn work(
    task: &mut Task,
    description: &Description,
    benchmark: &dyn Benchmark,
    seed: u64,
) -> baton::Result<Regrets> {
    let mut regrets = [f64::NAN; SHARES.len()];
    let mut next = 0;
    while let Some(trial) = task.ask()? {
        let point: Vec<f64> = (0..trial.point.len()).filter_map(|i| trial.number(i).ok()).collect();
        let variance = description.fidelities[trial.level].noise_variance.unwrap_or(0.0);
        let step = u32::try_from(trial.id).unwrap_or(u32::MAX);
        let key = Key { seed, campaign: 0, task: task.number(), step };
        let noise = variance.sqrt() * key.stream(Purpose::Noise, 0).normal();
        task.tell(trial.id, benchmark.value(&point, trial.level) + noise)?;
        let spent = 1.0 - task.cost_left() / task.budget();
        while next < SHARES.len() - 1 && spent >= SHARES[next] {
            regrets[next] = regret(task, benchmark, description)?;
            next += 1;
        }
    }
    let at_the_end = regret(task, benchmark, description)?;
    regrets[next..].fill(at_the_end);
    Ok(regrets)
}

fn regret(
    task: &mut Task,
    benchmark: &dyn Benchmark,
    description: &Description,
) -> baton::Result<f64> {
    let Some(best) = task.recommendation()? else { return Ok(f64::NAN) };
    let numbers: Vec<f64> = best.point.iter().filter_map(baton::Value::number).collect();
    let truth = benchmark.value(&numbers, description.fidelities.len() - 1);
    Ok(benchmark.optimum().value - truth)
}

/// A bar for the share of the budget that went to each fidelity, and the result.
fn tell(task: &mut Task, description: &Description, regrets: Regrets) -> baton::Result<()> {
    out!("Task {}", task.number() + 1);
    for (level, fidelity) in description.fidelities.iter().enumerate() {
        let count = task.trials().iter().filter(|trial| trial.level == level).count();
        let share = count as f64 * fidelity.cost / description.budget;
        out!("  {:<8} {:<BAR$} {count} trials", fidelity.name, bar(share));
    }
    if let Some(best) = task.recommendation()? {
        let shown: Vec<String> =
            best.point.iter().map(|x| format!("{:.3}", x.number().unwrap_or(f64::NAN))).collect();
        let (low, high) = best.interval;
        out!(
            "  recommended ({}): expected {:.3}, 90 % between {low:.3} and {high:.3}",
            shown.join(", "),
            best.mean
        );
    }
    out!("  simple regret {:.3}\n", regrets[SHARES.len() - 1]);
    Ok(())
}

fn bar(share: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most BAR
    let filled = (share.clamp(0.0, 1.0) * BAR as f64).round() as usize;
    "#".repeat(filled)
}

fn mean(runs: &[Regrets]) -> Regrets {
    std::array::from_fn(|i| runs.iter().map(|run| run[i]).sum::<f64>() / runs.len() as f64)
}

fn draw(handed_on: Regrets, cold: Regrets, tasks: u32) {
    out!("Simple regret of the recommended point, mean over tasks 2 to {tasks}:\n");
    let most = handed_on.iter().chain(&cold).copied().fold(0.0, f64::max);
    for (i, share) in SHARES.iter().enumerate() {
        let label = format!("after {:.0} % of the budget", 100.0 * share);
        out!("  {label:<26} with transfer  {:<BAR$} {:.3}", bar(handed_on[i] / most), handed_on[i]);
        out!("  {:<26} cold start     {:<BAR$} {:.3}", "", bar(cold[i] / most), cold[i]);
    }
}

fn explain(knowledge: &Knowledge, handed_on: Regrets, cold: Regrets) {
    let bytes = knowledge.to_json().map_or(0, |text| text.len());
    let points = knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len);
    out!(
        "\nWhat was handed from task to task is {bytes} bytes:\n  \
         - {points} equivalent observations of the function that the tasks have in common\n  \
         - how fast it changes along each parameter, how much tasks differ, how much coarse\n    \
         evaluations tell about fine ones\n  \
         - the scale of the values, and the points that were recommended\n\
         A task that starts from this looks where it should be good, and need not find out again\n\
         what coarse evaluations are worth."
    );
    if handed_on[0] < 0.9 * cold[0] {
        out!(
            "After a quarter of the budget its simple regret is {:.3}, that of a cold start {:.3}.",
            handed_on[0],
            cold[0]
        );
    } else {
        out!("In these few tasks that made little difference; other seeds may show more.");
    }
    let last = SHARES.len() - 1;
    out!("By the end the two have {:.3} and {:.3}.", handed_on[last], cold[last]);
    out!("\nNext: `baton init` writes a campaign file of your own.");
}

#[cfg(feature = "full")]
fn write_picture(
    path: &Path,
    handed_on: Regrets,
    cold: Regrets,
    tasks: u32,
) -> Result<(), Failure> {
    let curve = |label: &str, regrets: Regrets, style: usize| {
        let points = SHARES.iter().zip(regrets);
        let points =
            points.map(|(share, mean)| CurvePoint { x: 100.0 * share, mean, half_width: f64::NAN });
        Curve { label: label.to_owned(), points: points.collect(), style, is_grey: false }
    };
    let figure = LineFigure {
        title: "What is handed on".to_owned(),
        x_label: "share of the budget spent, %".to_owned(),
        y_label: "simple regret".to_owned(),
        log_x: false,
        log_y: false,
        curves: vec![curve("with transfer", handed_on, 0), curve("cold start", cold, 1)],
        caption: format!("{PROBLEM}, mean over tasks 2 to {tasks}"),
    };
    let refuse = |error: &dyn std::fmt::Display| Failure::on_file("write the picture", path, error);
    let svg = figure.svg().map_err(|error| refuse(&error))?;
    std::fs::write(path, svg).map_err(|error| refuse(&error))?;
    out!("{} written", path.display());
    Ok(())
}
