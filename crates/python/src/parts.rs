//! Spaces, fidelities, settings and knowledge, checked and turned into what campaigns are made of.

use crate::errors::to_python;
use baton::problem::check_fidelities;
use baton::{Fidelity, Goal, Knowledge, Method, Preset, Settings, Space, Value};
use baton_runner::desk::Row;
use baton_runner::{Plan, RunnerError, Spec};
use pyo3::prelude::*;
use serde_json::{Value as Json, json};

type Result<T> = std::result::Result<T, RunnerError>;

/// Keys with their values, in the words of the campaign file.
pub type Entries = Vec<(String, String)>;

/// Parameters and fidelities as JSON, and the goal.
pub type Problem = (String, String, String);

/// Text that is not what it should be: only the package itself writes it, so this tells little.
pub fn unreadable(error: &serde_json::Error) -> RunnerError {
    RunnerError::Refused { reason: format!("this cannot be read: {error}") }
}

fn read_space(text: &str) -> Result<Space> {
    let parameters: Vec<baton::Parameter> =
        serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    Ok(Space::new(parameters)?)
}

fn read_fidelities(text: &str) -> Result<Vec<Fidelity>> {
    let fidelities: Vec<Fidelity> =
        serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    check_fidelities(&fidelities)?;
    Ok(fidelities)
}

/// Settings from a method, perhaps a preset, and single values.
fn read_settings(method: &str, preset: Option<&str>, entries: Entries) -> Result<Settings> {
    let method: Method = method.parse()?;
    let mut settings = match preset {
        Some(preset) => Settings::with_preset(method, preset.parse::<Preset>()?),
        None => Settings::new(method),
    };
    for (key, value) in entries {
        settings.set(&key, &value)?;
    }
    Ok(settings)
}

/// Settings from all of their keys, as `settings` returned them.
fn settings_of(mut entries: Entries) -> Result<Settings> {
    let mut take = |wanted: &str| {
        let place = entries.iter().position(|(key, _)| key == wanted)?;
        Some(entries.remove(place).1)
    };
    let (method, preset) = (take("method"), take("preset"));
    read_settings(method.as_deref().unwrap_or("default"), preset.as_deref(), entries)
}

/// What a campaign is, from its parts.
pub fn spec(
    (space, fidelities, goal): Problem,
    settings: Entries,
    tasks: Vec<(String, f64)>,
) -> Result<Spec> {
    let goal: Goal = serde_json::from_value(json!(goal)).map_err(|error| unreadable(&error))?;
    let tasks = tasks.into_iter().map(|(name, budget)| Plan { name, budget }).collect();
    let (space, fidelities) = (read_space(&space)?, read_fidelities(&fidelities)?);
    Ok(Spec::new(space, fidelities, goal, &settings_of(settings)?, tasks))
}

/// Evaluations made elsewhere: `[[point, level, value], ..]`.
pub fn rows(text: &str) -> Result<Vec<Row>> {
    let rows: Vec<(Vec<Value>, usize, f64)> =
        serde_json::from_str(text).map_err(|error| unreadable(&error))?;
    let row = |(point, level, value)| Row { point, level, value };
    Ok(rows.into_iter().map(row).collect())
}

/// Points: one list of values each.
pub fn points(text: &str) -> Result<Vec<Vec<Value>>> {
    serde_json::from_str(text).map_err(|error| unreadable(&error))
}

fn checked<T>(result: Result<T>) -> PyResult<T> {
    result.map_err(|error| to_python(&error))
}

fn written(value: &impl serde::Serialize) -> PyResult<String> {
    checked(serde_json::to_string(value).map_err(|error| unreadable(&error)))
}

/// Checks parameters and returns them as they are kept.
#[pyfunction]
pub fn space(parameters: &str) -> PyResult<String> {
    written(&checked(read_space(parameters))?)
}

/// Checks fidelities and returns them as they are kept.
#[pyfunction]
pub fn fidelities(levels: &str) -> PyResult<String> {
    written(&checked(read_fidelities(levels))?)
}

/// Checks settings and returns every key with its value.
#[pyfunction]
#[pyo3(signature = (method, preset, entries))]
pub fn settings(method: &str, preset: Option<&str>, entries: Entries) -> PyResult<Entries> {
    let settings = checked(read_settings(method, preset, entries))?;
    Ok(settings.entries())
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
        "space": schema.space,
        "fidelities": schema.fidelities,
        "goal": schema.goal,
        "particles": knowledge.belief.as_ref().map_or(0, |belief| belief.particles().count()),
        "shared": knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len),
        "recommended": recommended,
    });
    Ok(summary.to_string())
}
