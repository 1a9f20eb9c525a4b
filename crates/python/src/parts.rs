//! Spaces, fidelities, settings and knowledge, checked and turned into what campaigns are made of.

use crate::errors::to_python;
use baton::problem::check_fidelities;
use baton::{Knowledge, Settings, Space, Value};
use baton_runner::desk::Row;
use baton_runner::wanted::{self, WantedFidelity, WantedParameter};
use baton_runner::{Mistake, Plan, RunnerError, Spec, Wanted};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

type Result<T> = std::result::Result<T, RunnerError>;

/// Keys with their values, in the words of the campaign file.
pub type Entries = Vec<(String, String)>;

/// Text that is not what it should be: only the package itself writes it, so this tells little.
fn unreadable(error: &serde_json::Error) -> RunnerError {
    RunnerError::Refused { reason: format!("this cannot be read: {error}") }
}

/// What the package wrote.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T> {
    serde_json::from_str(text).map_err(|error| unreadable(&error))
}

/// What is sound, or the first mistake.
fn sound<T>(checked: std::result::Result<T, Vec<Mistake>>) -> Result<T> {
    let first = |found: Vec<Mistake>| found.into_iter().next().map(|mistake| mistake.error);
    let unknown = || RunnerError::Refused { reason: "there is a mistake".into() };
    checked.map_err(|found| first(found).unwrap_or_else(unknown))
}

/// What a campaign is, with tasks whose budgets are checked by who begins them.
pub fn spec(wanted: &Wanted, tasks: Vec<(String, f64)>) -> Result<Spec> {
    let mut spec = sound(wanted.spec())?;
    spec.tasks = tasks.into_iter().map(|(name, budget)| Plan::new(name, budget)).collect();
    Ok(spec)
}

/// A space in the words of the campaign file.
pub fn described(space: &Space) -> Vec<WantedParameter> {
    space.parameters().iter().map(WantedParameter::of).collect()
}

/// Evaluations made elsewhere: `[[point, level, value], ..]`.
pub fn rows(text: &str) -> Result<Vec<Row>> {
    let rows: Vec<(Vec<Value>, usize, f64)> = read(text)?;
    let row = |(point, level, value)| Row { point, level, value };
    Ok(rows.into_iter().map(row).collect())
}

fn checked<T>(result: Result<T>) -> PyResult<T> {
    result.map_err(|error| to_python(&error))
}

/// Checks parameters and returns them as they are described.
#[pyfunction]
pub fn space(parameters: &str) -> PyResult<String> {
    let read = || sound(wanted::space(&read::<Vec<WantedParameter>>(parameters)?));
    Ok(json!(described(&checked(read())?)).to_string())
}

/// Checks fidelities and returns them as they are kept.
#[pyfunction]
pub fn fidelities(levels: &str) -> PyResult<String> {
    let read = || {
        let levels: Vec<WantedFidelity> = read(levels)?;
        if levels.is_empty() {
            check_fidelities(&[])?; // who gives a list means it
        }
        sound(wanted::levels(&levels))
    };
    Ok(json!(checked(read())?).to_string())
}

/// Checks settings and returns every key with its value.
#[pyfunction]
#[pyo3(signature = (method, preset, entries))]
pub fn settings(method: &str, preset: Option<&str>, entries: Entries) -> PyResult<Entries> {
    let read = || -> baton::Result<Entries> {
        let mut settings = Settings::by_name(method, preset)?;
        for (key, value) in entries {
            settings.set(&key, &value)?;
        }
        Ok(settings.entries())
    };
    checked(read().map_err(RunnerError::from))
}

/// Checks knowledge and returns what it is about.
#[pyfunction]
pub fn knowledge(text: &str) -> PyResult<String> {
    let knowledge = checked(Knowledge::from_json(text).map_err(RunnerError::from))?;
    let schema = knowledge.schema();
    let points = knowledge.incumbents().iter();
    let recommended: Vec<Vec<Value>> =
        points.filter_map(|coordinates| schema.space.point(coordinates).ok()).collect();
    let summary: Json = json!({
        "tasks": knowledge.tasks,
        "space": described(&schema.space),
        "fidelities": schema.fidelities,
        "goal": schema.goal,
        "particles": knowledge.belief.as_ref().map_or(0, |belief| belief.particles().count()),
        "shared": knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len),
        "recommended": recommended,
    });
    Ok(summary.to_string())
}
