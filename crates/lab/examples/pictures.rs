//! The pictures of the benchmarks, from the results that are kept: `docs/figures/default-method.svg`,
//! `gain.svg`, `sweep.svg` and `asks.svg`.
//!
//! ```sh
//! cargo run --package baton-lab --example pictures
//! ```

use baton_lab::figure::{Curve, CurvePoint, LineFigure, SheetFigure};
use baton_lab::summary::statistics;
use serde_json::Value as Json;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

type Failure = Box<dyn std::error::Error>;
/// By family and method: the scores of all runs, task by task.
type Studies = HashMap<(String, String), Vec<Vec<f64>>>;

const FAMILIES: [&str; 10] = [
    "hartmann6",
    "hartmann6-shifted",
    "gas",
    "gas-moving",
    "radio",
    "forrester",
    "branin",
    "rosenbrock",
    "levy",
    "styblinski",
];
const METHODS: [&str; 3] = ["default", "warm-start", "mf-mes-fitted"];
/// Each of their tasks is a first one: nothing passes from task to task.
const PEERS: [(&str, &str); 2] = [("BoTorch, MF-GIBBON", "botorch"), ("Optuna, GP", "optuna")];
const AXES: [&str; 4] = ["points", "particles", "dimension", "fidelities"];
const TABLES: [(&str, &str); 2] =
    [("SVGD step, ms", "sweep-svgd.csv"), ("ask, preset paper, ms", "sweep-ask.csv")];
/// By their names in the table, and in the picture.
const ARMS: [(&str, &str); 3] = [
    ("Baton", "Baton"),
    ("Baton all kept", "Baton, all kept"),
    ("BoTorch MF-GIBBON", "BoTorch, fit and ask"),
];

fn main() -> Result<(), Failure> {
    let own = studies()?;
    write("default-method", &SheetFigure { panels: families(&own), columns: 5 })?;
    write("gain", &SheetFigure { panels: beside_peers(&own)?, columns: 2 })?;
    write("sweep", &SheetFigure { panels: growth()?, columns: 4 })?;
    write("asks", &SheetFigure { panels: asks()?, columns: 2 })
}

/// The default method and its rivals on every family.
fn families(own: &Studies) -> Vec<LineFigure> {
    let panel_of = |family: &str| {
        // Radio's score is a share of the optimum: what is missing to 1 is drawn.
        let missing = family == "radio";
        let curves = METHODS.iter().enumerate().filter_map(|(style, method)| {
            let mut curve = by_task(method, style, own.get(&key(family, method))?);
            if missing {
                curve.points.iter_mut().for_each(|point| point.mean = 1.0 - point.mean);
            }
            Some(curve)
        });
        panel(if missing { "radio, 1 - ratio" } else { family }, curves.collect())
    };
    FAMILIES.map(panel_of).into()
}

/// What transfer gains: the default method beside BoTorch and Optuna.
fn beside_peers(own: &Studies) -> Result<Vec<LineFigure>, Failure> {
    let panel_of = |(family, name): (&str, &str)| {
        let falling = own.get(&key(family, "default")).ok_or("no results")?;
        let mut curves = vec![by_task("Baton", 0, falling)];
        for (style, (label, file)) in PEERS.iter().enumerate() {
            // Tasks of a family are independent draws: all runs of a peer count for every task.
            let scores = vec![regrets(file, family, label)?; falling.len()];
            curves.push(by_task(label, style + 1, &scores));
        }
        Ok(panel(&format!("{name}: simple regret by task"), curves))
    };
    [("hartmann6", "Hartmann-6"), ("rosenbrock", "Rosenbrock")].into_iter().map(panel_of).collect()
}

/// Milliseconds over each axis.
fn growth() -> Result<Vec<LineFigure>, Failure> {
    let panel_of = |axis: &str| {
        let mut curves = Vec::new();
        for (style, (label, file)) in TABLES.iter().enumerate() {
            let points = column(&fs::read_to_string(results(file))?, axis, 1);
            curves.push(Curve { label: (*label).into(), points, style, is_grey: false });
        }
        Ok(LineFigure { log_x: true, ..panel(axis, curves) })
    };
    AXES.into_iter().map(panel_of).collect()
}

/// Seconds of an ask over the observations of its task: with a fit, and half of all.
fn asks() -> Result<Vec<LineFigure>, Failure> {
    let table = fs::read_to_string(results("ask-times.csv"))?;
    let panel_of = |(name, cell): (&str, usize)| {
        let curves = ARMS.iter().enumerate().map(|(style, (arm, label))| {
            // Every ask of BoTorch comes with a fit.
            let cell = if arm.starts_with("BoTorch") { 2 } else { cell };
            Curve {
                label: (*label).into(),
                points: column(&table, arm, cell),
                style,
                is_grey: false,
            }
        });
        LineFigure { log_x: true, ..panel(name, curves.collect()) }
    };
    Ok(vec![
        panel_of(("observations: slowest ask, with a fit, s", 1)),
        panel_of(("observations: median ask, s", 2)),
    ])
}

fn key(family: &str, method: &str) -> (String, String) {
    (family.to_owned(), method.to_owned())
}

fn panel(name: &str, curves: Vec<Curve>) -> LineFigure {
    LineFigure { x_label: name.into(), log_y: true, curves, ..LineFigure::default() }
}

/// Means with their 90 % intervals over the numbers of tasks.
fn by_task(label: &str, style: usize, scores: &[Vec<f64>]) -> Curve {
    let point = |(task, runs): (usize, &Vec<f64>)| {
        let found = statistics(runs);
        CurvePoint { x: (task + 1) as f64, mean: found.mean, half_width: found.half_width }
    };
    let points = scores.iter().enumerate().map(point).collect();
    Curve { label: label.into(), points, style, is_grey: false }
}

/// The studies of the present state: no earlier `state`, nothing `set`; of the rivals those with the
/// same first seed. Seeds 1 to 10 are BoTorch's: the first tasks of them alone are compared.
fn studies() -> Result<Studies, Failure> {
    let mut present = lines("default-method.jsonl")?;
    let first = |study: &Json| study["first_seed"].as_u64().unwrap_or(1);
    present.retain(|s| first(s) > 1 && s.get("state").is_none() && s.get("set").is_none());
    let text = |study: &Json, key: &str| study[key].as_str().unwrap_or_default().to_owned();
    let own = present.iter().filter(|study| study["method"] == "default");
    let seeds: HashMap<String, u64> =
        own.map(|study| (text(study, "problem"), first(study))).collect();
    let mut found = Studies::new();
    for study in present.iter().filter(|s| seeds.get(&text(s, "problem")) == Some(&first(s))) {
        let scores = serde_json::from_value(study["scores"].clone())?;
        found.insert((text(study, "problem"), text(study, "method")), scores);
    }
    Ok(found)
}

/// All regrets of a peer on a family.
fn regrets(file: &str, family: &str, peer: &str) -> Result<Vec<f64>, Failure> {
    let runs = lines(&format!("{file}-{family}.jsonl"))?;
    let own = runs.iter().filter(|run| run["peer"] == peer);
    Ok(own.filter_map(|run| run["regret"].as_f64()).collect())
}

/// Of the rows that begin with a name, so many cells after the value they are drawn over.
fn column(table: &str, axis: &str, cell: usize) -> Vec<CurvePoint> {
    let rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let of_axis = rows.filter(|cells| cells.first() == Some(&axis));
    let point = |cells: Vec<&str>| {
        let number = |cell: usize| cells.get(cell)?.parse::<f64>().ok();
        Some(CurvePoint { x: number(1)?, mean: number(1 + cell)?, half_width: f64::NAN })
    };
    of_axis.filter_map(point).collect()
}

fn lines(file: &str) -> Result<Vec<Json>, Failure> {
    let text = fs::read_to_string(results(file))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn results(file: &str) -> PathBuf {
    root().join("benchmarks/results").join(file)
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn write(name: &str, figure: &SheetFigure) -> Result<(), Failure> {
    let path = root().join(format!("docs/figures/{name}.svg"));
    Ok(fs::write(path, figure.svg()?)?)
}
