//! `baton experiment`: a study on a built-in problem, a row per task.

use crate::Outcome;
use crate::failure::Failure;
use crate::progress::Bar;
use baton::Settings;
use baton_lab::summary::{TaskSummary, by_task, csv, document, statistics};
use baton_lab::{Initial, LabError, Spec, study};
use baton_numerics::parallel;
use clap::Args;
use std::path::PathBuf;

/// What is run.
#[derive(Args)]
pub struct Call {
    /// The problem; `baton problem --list` names them.
    #[arg(long)]
    problem: String,
    /// The method, such as mft-mes, continual or default.
    #[arg(long, default_value = "default")]
    method: String,
    /// Model and inference: paper, calibrated or default; each method implies one.
    #[arg(long)]
    preset: Option<String>,
    /// Overrides one setting, as key=value; may be given several times.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    overrides: Vec<String>,
    /// Tasks in a sequence; by default as many as the problem has.
    #[arg(long)]
    tasks: Option<u32>,
    /// How many sequences, with seeds counting on from --seed.
    #[arg(long, default_value_t = 10)]
    experiments: u32,
    /// Seed of the first experiment.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Every experiment draws a sequence of tasks of its own.
    #[arg(long)]
    fresh_tasks: bool,
    /// The random evaluations that open a task: free, charged or uncounted.
    #[arg(long, default_value = "free")]
    initial: String,
    /// What may be spent on a task; by default what the problem says.
    #[arg(long)]
    budget: Option<f64>,
    /// Threads; by default all.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Results are kept here; the same command goes on where it stopped.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a CSV line per experiment and task.
    #[arg(long)]
    csv: bool,
}

/// Runs the study and prints it.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::new("run the experiment", error);
    let spec = spec(call).map_err(|error| refused(&error))?;
    let score = spec.score().map_err(|error| refused(&error))?;
    let bar = Bar::new(u64::from(spec.tasks) * u64::from(spec.experiments), &spec.folder());
    let results = parallel::with_threads(call.threads, || {
        study::run(&spec, call.out.as_deref(), &|| bar.advance())
    });
    bar.finish();
    let tasks = by_task(&results.map_err(|error| refused(&error))?);
    if call.json {
        out!("{}", document(&spec, score, &tasks));
    } else if call.csv {
        out!("{}", csv(&spec, &tasks).trim_end());
    } else {
        print_table(&spec, &tasks);
    }
    Ok(Outcome::Done)
}

fn spec(call: &Call) -> Result<Spec, LabError> {
    let settings = Settings::by_name(&call.method, call.preset.as_deref())?;
    let mut spec = Spec::new(&call.problem, settings)?;
    for entry in &call.overrides {
        let (key, value) = entry.split_once('=').unwrap_or((entry, ""));
        spec.settings.set(key, value)?;
    }
    spec.tasks = call.tasks.unwrap_or(spec.tasks).max(1);
    spec.experiments = call.experiments.max(1);
    spec.seed = call.seed;
    spec.fresh_tasks = call.fresh_tasks;
    spec.budget = call.budget;
    let modes = [Initial::Free, Initial::Charged, Initial::Uncounted];
    let mode = modes.into_iter().find(|mode| mode.name() == call.initial);
    spec.initial = mode.ok_or_else(|| baton::Error::Setting {
        key: "initial".into(),
        value: call.initial.clone(),
        reason: "it must be free, charged or uncounted".into(),
    })?;
    Ok(spec)
}

fn print_table(spec: &Spec, tasks: &[TaskSummary]) {
    out!(
        "{} with {} (preset {}), {} experiments from seed {}",
        spec.problem,
        spec.settings.method(),
        spec.settings.preset(),
        spec.experiments,
        spec.seed
    );
    out!(
        "{:>4} {:>9} {:>8} {:>9} {:>11} {:>8} {:>10} {:>10}  trials per fidelity",
        "task",
        "mean",
        "+- 90 %",
        "median",
        "recommended",
        "cost",
        "ms per ask",
        "ms finish"
    );
    for task in tasks {
        let score = statistics(&task.scores);
        let honest = statistics(&task.honest_scores);
        let trials: Vec<String> =
            task.trials_per_fidelity.iter().map(|count| format!("{count:.1}")).collect();
        out!(
            "{:>4} {:>9.4} {:>8.4} {:>9.4} {:>11.4} {:>8.1} {:>10.2} {:>10.1}  {}",
            task.task,
            score.mean,
            score.half_width,
            score.median,
            honest.mean,
            task.cost,
            task.ms_per_ask,
            task.ms_per_finish,
            trials.join(" ")
        );
    }
}
