//! How the hot paths grow with points, particles, dimensions and fidelities, one axis at a time.

use super::measured::{Measured, threads};
use super::{ask, peak, svgd};
use crate::Outcome;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use std::fmt::Write as _;
use std::path::PathBuf;

/// What is swept, and how it is printed.
#[derive(Args)]
pub struct Call {
    /// What is timed.
    #[arg(long, value_enum, default_value = "svgd")]
    what: Subject,
    /// Model and inference of the asks: `paper`, which does not refit within a task, or `default`.
    #[arg(long, default_value = "paper")]
    preset: String,
    /// The largest number of points.
    #[arg(long, default_value_t = 2_000)]
    most_points: usize,
    /// Threads.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Write the table to this file, too.
    #[arg(long)]
    csv: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Subject {
    Svgd,
    Ask,
}

/// One case: ten particles, fifty points, six dimensions and four fidelities but for one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Case {
    axis: &'static str,
    value: usize,
    particles: usize,
    points: usize,
    dimension: usize,
    fidelities: usize,
}

const POINTS: [usize; 8] = [20, 50, 100, 200, 400, 800, 1_400, 2_000];
const PARTICLES: [usize; 6] = [1, 2, 5, 10, 20, 50];
const DIMENSIONS: [usize; 5] = [2, 6, 12, 25, 50];
const FIDELITIES: [usize; 4] = [1, 2, 4, 8];

/// Operations to spend on one case of the SVGD step: some seconds at most on any machine of today.
const SPENT: f64 = 2e10;

/// A case and what came of it.
struct Row {
    case: Case,
    measured: Measured,
    share: f64,
}

/// Times every case and prints the table.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let threads = threads(call.threads);
    let peak = peak::measured(threads);
    let mut rows = Vec::new();
    for case in cases(call.most_points) {
        let measured = match call.what {
            Subject::Svgd => steps(case, threads)?,
            Subject::Ask => asks(case, &call.preset, threads)?,
        };
        rows.push(Row { case, measured, share: measured.share_of(peak) });
    }
    if let Some(path) = &call.csv {
        std::fs::write(path, csv(&rows))
            .map_err(|error| Failure::on_file("write the table to", path, error))?;
    }
    if call.json {
        print_json(call, threads, peak, &rows);
    } else {
        print_table(threads, peak, &rows);
    }
    Ok(Outcome::Done)
}

fn cases(most_points: usize) -> Vec<Case> {
    let base = Case { axis: "", value: 0, particles: 10, points: 50, dimension: 6, fidelities: 4 };
    let points = POINTS.into_iter().filter(|points| *points <= most_points);
    let points = points.map(|value| Case { axis: "points", value, points: value, ..base });
    let particles =
        PARTICLES.map(|value| Case { axis: "particles", value, particles: value, ..base });
    let dimensions =
        DIMENSIONS.map(|value| Case { axis: "dimension", value, dimension: value, ..base });
    let fidelities =
        FIDELITIES.map(|value| Case { axis: "fidelities", value, fidelities: value, ..base });
    points.chain(particles).chain(dimensions).chain(fidelities).collect()
}

/// Few steps where a step is long.
fn steps(case: Case, threads: usize) -> Result<Measured, Failure> {
    let Case { points, dimension, fidelities, .. } = case;
    let particles = u32::try_from(case.particles).unwrap_or(u32::MAX);
    let size = svgd::Size { particles, points, dimension, fidelities };
    let affordable = SPENT / svgd::operations(size);
    let runs: u32 = if affordable < 10.0 { 1 } else { 3 };
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 1 and 100
    let count = (affordable / f64::from(runs)).clamp(1.0, 100.0) as u32;
    svgd::measured(size, count, runs as usize, threads)
        .map_err(|error| Failure::new("time the SVGD step", error))
}

/// The median of a few asks; the first, which factors the covariances, is the longest.
fn asks(case: Case, preset: &str, threads: usize) -> Result<Measured, Failure> {
    let size = ask::Size {
        points: case.points,
        dimension: case.dimension,
        fidelities: case.fidelities,
        particles: Some(case.particles),
        method: None,
        preset: preset.to_owned(),
        asks: if case.points > 500 { 3 } else { 7 },
        set: Vec::new(),
    };
    Ok(ask::measured(&size, threads)?.median())
}

fn csv(rows: &[Row]) -> String {
    let mut text = String::from("axis,value,ms,mflop,share_of_peak\n");
    for Row { case, measured, share } in rows {
        let (ms, mflop) = (measured.seconds * 1e3, measured.operations / 1e6);
        let _ = writeln!(text, "{},{},{ms:.4},{mflop:.3},{share:.4}", case.axis, case.value);
    }
    text
}

fn print_table(threads: usize, peak: f64, rows: &[Row]) {
    out!("{:>10} {:>6} {:>11} {:>11} {:>7}", "axis", "value", "ms", "MFLOP", "of peak");
    for Row { case, measured, share } in rows {
        out!(
            "{:>10} {:>6} {:>11.3} {:>11.1} {:>5.0} %",
            case.axis,
            case.value,
            measured.seconds * 1e3,
            measured.operations / 1e6,
            100.0 * share
        );
    }
    out!(
        "the other sizes: 10 particles, 50 points, 6 dimensions, 4 fidelities; {threads} threads, \
         measured peak {:.1} GFLOP/s",
        peak / 1e9
    );
}

fn print_json(call: &Call, threads: usize, peak: f64, rows: &[Row]) {
    let row = |row: &Row| {
        serde_json::json!({
            "axis": row.case.axis, "value": row.case.value, "ms": row.measured.seconds * 1e3,
            "operations": row.measured.operations, "share_of_peak": row.share,
            "particles": row.case.particles, "points": row.case.points,
            "dimension": row.case.dimension, "fidelities": row.case.fidelities,
        })
    };
    let what = if call.what == Subject::Svgd { "svgd" } else { "ask" };
    let cases: Vec<serde_json::Value> = rows.iter().map(row).collect();
    let document = serde_json::json!({
        "what": what, "threads": threads, "peak_gflops": peak / 1e9, "cases": cases,
    });
    out!("{document}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_passes_through_the_base_case_and_points_can_be_cut() {
        let all = cases(2_000);
        let base = |case: &&Case| {
            (case.particles, case.points, case.dimension, case.fidelities) == (10, 50, 6, 4)
        };
        assert_eq!(all.iter().filter(base).count(), 4);
        assert_eq!(all.iter().map(|case| case.points).max(), Some(2_000));
        assert_eq!(cases(60).iter().map(|case| case.points).max(), Some(50));
    }
}
