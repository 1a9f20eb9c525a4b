//! The paper's figures and two of ours: which studies they need, and how they are drawn.
//!
//! Studies are kept by [`crate::records`], so a figure that was stopped goes on where it was, and
//! figures that share a study share its results.

mod draw;
mod plan;

pub use plan::{FIGURES, Measured, Plan, Shape, Study};

use crate::summary::{by_task, csv};
use crate::{LabError, study};
use std::fs;
use std::path::Path;

/// Runs what is missing of a figure's studies. `done` is called after every task.
///
/// # Errors
/// If a study cannot be run or its results cannot be kept.
pub fn measure<'a>(
    plan: &'a Plan,
    results: &Path,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Measured<'a>>, LabError> {
    let measure = |study: &'a Study| {
        let tasks = by_task(&study::run(&study.spec, Some(results), done)?);
        Ok(Measured { study, tasks })
    };
    plan.studies.iter().map(measure).collect()
}

/// Draws a figure and writes it with the data it was drawn from: `NAME.svg`, `.png` and `.csv`.
///
/// # Errors
/// If it cannot be drawn or a file cannot be written.
pub fn write(plan: &Plan, measured: &[Measured<'_>], folder: &Path) -> Result<(), LabError> {
    fs::create_dir_all(folder).map_err(|error| LabError::file(folder, &error))?;
    let (svg, png) = draw::figure(plan, measured)?;
    let put = |ending: &str, bytes: &[u8]| {
        let path = folder.join(format!("{}.{ending}", plan.name));
        fs::write(&path, bytes).map_err(|error| LabError::file(&path, &error))
    };
    put("svg", svg.as_bytes())?;
    put("png", &png)?;
    put("csv", data(measured).as_bytes())
}

/// A line per study, task and experiment.
fn data(measured: &[Measured<'_>]) -> String {
    let mut text =
        String::from("curve,value,version,problem,method,task,seed,score,honest_score\n");
    for Measured { study, tasks } in measured {
        let value = study.value.map_or(String::new(), |value| value.to_string());
        for line in csv(&study.spec, tasks).lines().skip(1) {
            // Labels have commas in them.
            let label = ["\"", &study.label, "\""].concat();
            text += &[label.as_str(), &value, &study.spec.version, line].join(",");
            text.push('\n');
        }
    }
    text
}
