//! Theorem 1 in numbers: `benchmarks/results/theorem.csv` and `docs/figures/theorem.svg`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example theorem -- [EXPERIMENTS [TASKS]]
//! ```
//!
//! Hartmann-6, preset `calibrated`: `two-phase`, which the theorem is about, and `mft-mes` beside it. The
//! columns are explained in `crates/lab/src/theorem.rs`.

use baton::Settings;
use baton_lab::experiment::Experiment;
use baton_lab::figure::{Curve, CurvePoint, LineFigure, SheetFigure, png};
use baton_lab::summary::statistics;
use baton_lab::theorem::{Terms, Truth};
use baton_lab::{LabError, Spec};
use baton_numerics::parallel;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

type Failure = Box<dyn std::error::Error>;

const SEED: u64 = 910_001;
const METHODS: [&str; 2] = ["two-phase", "mft-mes"];
/// More trials than a task has.
const ROUNDS: usize = 60;

/// One task of one experiment.
struct Row {
    method: &'static str,
    seed: u64,
    task: u32,
    simple_regret: f64,
    /// of the particles that it began with; none in a first task
    distance: Option<f64>,
    terms: Terms,
}

fn main() -> Result<(), Failure> {
    let counts: Vec<u32> = std::env::args().skip(1).map(|w| w.parse()).collect::<Result<_, _>>()?;
    let (experiments, tasks) =
        (counts.first().copied().unwrap_or(10), counts.get(1).copied().unwrap_or(8));
    let mut rows = Vec::new();
    for method in METHODS {
        let mut spec = Spec::new("hartmann6", Settings::by_name(method, None)?)?;
        (spec.tasks, spec.seed, spec.fresh_tasks) = (tasks, SEED, true);
        let truth = Truth::of(spec.family()?.as_ref(), ROUNDS)?;
        println!("{method}: theta* = {:.2?}", truth.theta());
        let all = parallel::map(experiments as usize, |index| {
            parallel::with_threads(1, || one(method, &spec, index, &truth))
        });
        for of_one in all {
            rows.extend(of_one?);
        }
        tell(&rows, method, tasks);
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs::write(root.join("benchmarks/results/theorem.csv"), csv(&rows))?;
    let svg = SheetFigure { panels: panels(&rows, tasks), columns: 3 }.svg()?;
    fs::write(root.join("docs/figures/theorem.png"), png(&svg, 1600)?)?;
    Ok(fs::write(root.join("docs/figures/theorem.svg"), svg)?)
}

fn one(
    method: &'static str,
    spec: &Spec,
    index: usize,
    truth: &Truth,
) -> Result<Vec<Row>, LabError> {
    let index = u32::try_from(index).unwrap_or(u32::MAX);
    let mut experiment = Experiment::new(spec, index, None)?;
    let mut rows = Vec::new();
    for task in 1..=spec.tasks {
        let distance = experiment.knowledge().belief.as_ref().map(|b| truth.distance(b));
        let simple_regret = experiment.next_task()?.score;
        let terms = truth.terms(experiment.trials(), experiment.benchmark(task)?.as_ref())?;
        let seed = spec.seed + u64::from(index);
        rows.push(Row { method, seed, task, simple_regret, distance, terms });
    }
    Ok(rows)
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from(
        "method,seed,task,simple_regret,rounds,measured,expected,nu,delta,deviations,variances,\
         information,most_information,width,bound,bound_if_known,distance\n",
    );
    for Row { method, seed, task, simple_regret, distance, terms: t } in rows {
        let distance = distance.map_or(String::new(), |d| format!("{d:.4}"));
        let _ = writeln!(
            text,
            "{method},{seed},{task},{simple_regret:.4},{},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},{:.4},\
             {:.4},{:.4},{:.4},{:.4},{distance}",
            t.rounds,
            t.measured,
            t.expected,
            t.nu,
            t.delta,
            t.deviations,
            t.variances,
            t.information,
            t.most_information,
            t.width,
            t.bound(),
            t.bound_if_known()
        );
    }
    text
}

/// Mean and 90 % interval over experiments at each task.
fn curve(
    rows: &[Row],
    (method, tasks): (&str, u32),
    (label, style): (&str, usize),
    of: impl Fn(&Row) -> Option<f64>,
) -> Curve {
    let point = |task: u32| {
        let here = rows.iter().filter(|row| row.method == method && row.task == task);
        let s = statistics(&here.filter_map(&of).collect::<Vec<_>>());
        CurvePoint { x: f64::from(task), mean: s.mean, half_width: s.half_width }
    };
    Curve { label: label.into(), points: (1..=tasks).map(point).collect(), style, is_grey: false }
}

fn panels(rows: &[Row], tasks: u32) -> Vec<LineFigure> {
    let by = |method: &'static str, named, of: fn(&Row) -> Option<f64>| {
        curve(rows, (method, tasks), named, of)
    };
    let panel = |name: &str, curves| LineFigure {
        x_label: name.into(),
        log_y: true,
        curves,
        ..LineFigure::default()
    };
    let two = "two-phase";
    vec![
        panel(
            "cumulative regret, over tasks",
            vec![
                by(two, ("bound", 0), |r| Some(r.terms.bound())),
                by(two, ("bound, theta* known", 1), |r| Some(r.terms.bound_if_known())),
                by(two, ("expected by theta*", 2), |r| Some(r.terms.expected)),
                by(two, ("measured", 3), |r| Some(r.terms.measured)),
            ],
        ),
        panel(
            "factors of the bound",
            vec![
                by(two, ("nu", 4), |r| Some(r.terms.nu)),
                by(two, ("Delta", 5), |r| Some(r.terms.delta)),
            ],
        ),
        panel(
            "particles from theta*, squared",
            vec![
                by(two, ("two-phase", 6), |r| r.distance),
                by("mft-mes", ("mft-mes", 7), |r| r.distance),
            ],
        ),
    ]
}

/// Means over experiments, a line per task, and over all the factors of the proof's steps.
fn tell(rows: &[Row], method: &str, tasks: u32) {
    println!("task simple measured expected nu delta width bound known distance");
    for task in 1..=tasks {
        let here: Vec<&Row> =
            rows.iter().filter(|r| r.method == method && r.task == task).collect();
        let mean = |of: &dyn Fn(&Row) -> f64| {
            here.iter().map(|row| of(row)).sum::<f64>() / here.len().max(1) as f64
        };
        println!(
            "{task} {:.3} {:.2} {:.2} {:.2} {:.2} {:.2} {:.1} {:.1} {:.2}",
            mean(&|r| r.simple_regret),
            mean(&|r| r.terms.measured),
            mean(&|r| r.terms.expected),
            mean(&|r| r.terms.nu),
            mean(&|r| r.terms.delta),
            mean(&|r| r.terms.width),
            mean(&|r| r.terms.bound()),
            mean(&|r| r.terms.bound_if_known()),
            mean(&|r| r.distance.unwrap_or(f64::NAN))
        );
    }
    let all: Vec<&Row> = rows.iter().filter(|row| row.method == method).collect();
    for step in 0..3 {
        let factors: Vec<f64> = all.iter().map(|row| row.terms.steps()[step]).collect();
        println!("step {}: median factor {:.2}", step + 1, statistics(&factors).median);
    }
    let rounds: Vec<f64> = all.iter().map(|row| row.terms.rounds as f64).collect();
    let shares: Vec<f64> =
        all.iter().map(|row| row.terms.information / row.terms.most_information).collect();
    println!(
        "rounds {:.1}, information of the most possible {:.2}",
        statistics(&rounds).mean,
        statistics(&shares).mean
    );
}
