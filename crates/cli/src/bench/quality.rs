//! The share of the best possible choice that the search of an ask finds, on stored states.

use super::measured::threads;
use super::states::{self, Record};
use crate::Outcome;
use crate::failure::Failure;
use baton::campaign::SearchQuality;
use baton::{Settings, Task};
use baton_lab::{LabError, Spec};
use baton_numerics::parallel;
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;

/// A state counts as lost below this share.
const ENOUGH: f64 = 0.999;

/// Which states, and how they are searched.
#[derive(Args)]
pub struct Call {
    /// The file of states, as written by `baton bench states`.
    #[arg(long)]
    states: PathBuf,
    /// Model and inference: `paper` (with the method `mft-mes`) or `default`.
    #[arg(long, default_value = "default")]
    preset: String,
    /// Policy; by default `mft-mes` or `default`, by the preset.
    #[arg(long)]
    method: Option<String>,
    /// Any other setting, `key=value`.
    #[arg(long = "set")]
    set: Vec<String>,
    /// How many times the candidates and starts of an ask the thorough search has.
    #[arg(long, default_value_t = 100)]
    factor: usize,
    /// Threads of the comparison; asks are timed on one.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print one JSON document, a row per state.
    #[arg(long)]
    json: bool,
}

/// What came of one state.
struct Row {
    seed: u64,
    points: usize,
    quality: SearchQuality,
    /// of one ask without refit, on one thread
    milliseconds: f64,
}

/// Searches all states and prints what was found.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let records = read(call)?;
    let states: Vec<(&Record, usize)> = records
        .iter()
        .flat_map(|record| record.sizes.iter().map(move |size| (record, *size)))
        .collect();
    let searched = parallel::with_threads(threads(call.threads), || {
        parallel::map(states.len(), |i| state(call, states[i].0, states[i].1))
    });
    let rows = parallel::with_threads(1, || timed(searched))
        .map_err(|error| Failure::new("search a state", error))?;
    print(call, &rows);
    Ok(Outcome::Done)
}

fn read(call: &Call) -> Result<Vec<Record>, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::on_file("read", &call.states, error);
    let text = std::fs::read_to_string(&call.states).map_err(|error| refused(&error))?;
    let record = |line| serde_json::from_str(line).map_err(|error| refused(&error));
    text.lines().filter(|line| !line.is_empty()).map(record).collect()
}

fn spec(call: &Call, record: &Record) -> Result<Spec, LabError> {
    let implied = if call.preset == "paper" { "mft-mes" } else { "default" };
    let method = call.method.as_deref().unwrap_or(implied);
    let settings = Settings::by_name(method, Some(&call.preset))?;
    let mut spec = Spec::new(&record.problem, settings.seed(record.seed))?;
    for pair in &call.set {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        spec.settings.set(key, value)?;
    }
    Ok(spec)
}

/// Tells a task the first `size` trials and compares the searches.
fn state(call: &Call, record: &Record, size: usize) -> Result<Option<(Task, Row)>, LabError> {
    let spec = spec(call, record)?;
    let space = spec.family()?.description().space;
    let mut task = states::task(&spec)?;
    for (coordinates, level, value) in record.trials.iter().take(size) {
        task.add_free(&space.point(coordinates)?, *level, *value)?;
    }
    let Some(quality) = task.search_quality(call.factor)? else { return Ok(None) };
    let row = Row { seed: record.seed, points: size, quality, milliseconds: 0.0 };
    Ok(Some((task, row)))
}

/// Times an ask of each state. What its particles and factors cost is paid: no ask refits.
fn timed(states: Vec<Result<Option<(Task, Row)>, LabError>>) -> Result<Vec<Row>, LabError> {
    let mut rows = Vec::new();
    for state in states {
        let Some((mut task, row)) = state? else { continue };
        let begin = Instant::now();
        task.ask()?;
        rows.push(Row { milliseconds: begin.elapsed().as_secs_f64() * 1e3, ..row });
    }
    Ok(rows)
}

fn print(call: &Call, rows: &[Row]) {
    let count = rows.len().max(1) as f64;
    let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / count;
    let least = rows.iter().map(|row| row.quality.ratio()).fold(1.0, f64::min);
    let lost = rows.iter().filter(|row| row.quality.ratio() < ENOUGH).count();
    let ratio = mean(|row| row.quality.ratio());
    let milliseconds = mean(|row| row.milliseconds);
    let (scored, climbed) =
        (mean(|row| row.quality.scored as f64), mean(|row| row.quality.climbed as f64));
    if call.json {
        let row = |row: &Row| {
            serde_json::json!({
                "seed": row.seed, "points": row.points, "ratio": row.quality.ratio(),
                "rate": row.quality.rate, "scored": row.quality.scored,
                "climbed": row.quality.climbed, "ms": row.milliseconds,
            })
        };
        let rows: Vec<serde_json::Value> = rows.iter().map(row).collect();
        let document = serde_json::json!({
            "preset": call.preset, "factor": call.factor, "states": rows.len(),
            "mean_ratio": ratio, "least_ratio": least, "below_0.999": lost,
            "ms_per_ask": milliseconds, "rows": rows,
        });
        out!("{document}");
    } else {
        out!(
            "{} states: the search finds {:.4} of what {} times the effort finds, {least:.4} at least; \
             {lost} below {ENOUGH}",
            rows.len(),
            ratio,
            call.factor
        );
        out!(
            "{milliseconds:.2} ms per ask without refit on one thread ({scored:.0} points scored, \
             {climbed:.0} with slope)"
        );
    }
}
