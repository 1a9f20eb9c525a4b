//! Spaces, descriptors, fidelities, settings and knowledge, checked and turned into what campaigns are made of.

use crate::errors::to_python;
use baton::problem::check_fidelities;
use baton::{Description, Guess, Knowledge, Measured, Parameter, Settings, Stop, Value};
use baton_runner::desk::Row;
use baton_runner::wanted::{self, WantedConstraint, WantedFidelity, WantedParameter};
use baton_runner::{Mistake, Plan, RunnerError, Spec, Wanted};
use pyo3::prelude::*;
use serde::Deserialize;
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

/// A task that is wanted: its name, its budget, what is said of it and what changes with it, as JSON. What is
/// left out of a task that is there stays as it is.
pub type Task = (String, Option<f64>, Option<String>, Option<String>);

/// What is otherwise from a task on.
#[derive(Deserialize)]
struct Changes {
    space: Option<Vec<WantedParameter>>,
    forbid: Option<Vec<String>>,
    fidelities: Option<Vec<WantedFidelity>>,
    constraints: Option<Vec<WantedConstraint>>,
    #[serde(default)]
    stop: Option<Stop>,
    #[serde(default)]
    guess: Option<Vec<Guess>>,
}

/// An evaluation made elsewhere.
#[derive(Deserialize)]
#[serde(untagged)]
enum Made {
    Plain(Vec<Value>, usize, f64),
    Measured(Vec<Value>, usize, f64, Measured),
}

/// What a campaign is, without its tasks.
pub fn spec(wanted: &Wanted) -> Result<Spec> {
    sound(wanted.spec())
}

/// Adds a task to the plan, or changes the one of that name, which keeps its place. Refuses what is no
/// budget, and what is no description.
pub fn plan(spec: &mut Spec, (name, budget, describe, changes): Task) -> Result<()> {
    let known = spec.tasks.iter().position(|known| known.name == name);
    let mut plan = known.map_or_else(|| Plan::new(name, 0.0), |place| spec.tasks[place].clone());
    plan.budget = budget.unwrap_or(plan.budget);
    if let Some(text) = describe {
        plan.describe = spec.descriptors.canonical(&read::<Description>(&text)?)?;
    }
    if let Some(text) = changes {
        let Changes { space, forbid, fidelities, constraints, stop, guess } = read(&text)?;
        plan.stop = stop.or(plan.stop);
        plan.guess = guess.unwrap_or(plan.guess);
        plan.space = space.unwrap_or(plan.space);
        plan.forbid = forbid.or(plan.forbid);
        plan.fidelities = fidelities.unwrap_or(plan.fidelities);
        plan.constraints = constraints.unwrap_or(plan.constraints);
    }
    let mut changed = spec.clone();
    match known {
        Some(place) => changed.tasks[place] = plan.clone(),
        None => changed.tasks.push(plan.clone()),
    }
    sound(changed.problems())?;
    let problem = changed.problem_of(&plan.name)?;
    changed.campaign_over(&problem, None)?.start_described(plan.budget, &plan.describe)?;
    *spec = changed;
    Ok(())
}

/// Parameters or descriptors in the words of the campaign file.
pub fn described(parameters: &[Parameter]) -> Vec<WantedParameter> {
    parameters.iter().map(WantedParameter::of).collect()
}

/// Evaluations made elsewhere: `[[point, level, value, constraints], ..]`, the last part left out where there
/// is none.
pub fn rows(text: &str) -> Result<Vec<Row>> {
    let row = |given: Made| match given {
        Made::Plain(point, level, value) => (point, level, value, Measured::new()),
        Made::Measured(point, level, value, constraints) => (point, level, value, constraints),
    };
    let rows: Vec<Made> = read(text)?;
    let rows = rows.into_iter().map(row);
    let row = |(point, level, value, constraints)| Row {
        point,
        level,
        value,
        context: Description::new(),
        constraints,
    };
    Ok(rows.map(row).collect())
}

fn checked<T>(result: Result<T>) -> PyResult<T> {
    result.map_err(|error| to_python(&error))
}

/// Checks parameters and returns them as they are described.
#[pyfunction]
pub fn space(parameters: &str) -> PyResult<String> {
    let read = || sound(wanted::space(&read::<Vec<WantedParameter>>(parameters)?));
    Ok(json!(described(checked(read())?.parameters())).to_string())
}

/// A point with other values of the parameter at a place: a row for each value, with what is there then.
#[pyfunction]
pub fn varied(parameters: &str, row: &str, place: usize, values: &str) -> PyResult<String> {
    let read = || -> Result<Vec<Vec<Value>>> {
        let space = sound(wanted::space(&read::<Vec<WantedParameter>>(parameters)?))?;
        let (point, values) =
            (space.canonical(&read::<Vec<Value>>(row)?)?, read::<Vec<Value>>(values)?);
        Ok(values.iter().map(|value| space.varied(&point, place, value)).collect())
    };
    Ok(json!(checked(read())?).to_string())
}

/// Checks descriptors and returns them as they are described.
#[pyfunction]
pub fn descriptors(parameters: &str) -> PyResult<String> {
    let read = || sound(wanted::descriptors(&read::<Vec<WantedParameter>>(parameters)?));
    Ok(json!(described(checked(read())?.parameters())).to_string())
}

/// Checks what is said of a task and returns it in its one form.
#[pyfunction]
pub fn description(descriptors: &str, said: &str) -> PyResult<String> {
    let read = || -> Result<Description> {
        let descriptors = sound(wanted::descriptors(&read::<Vec<WantedParameter>>(descriptors)?))?;
        Ok(descriptors.canonical(&read::<Description>(said)?)?)
    };
    Ok(json!(checked(read())?).to_string())
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
        "space": described(schema.space.parameters()),
        "descriptors": described(schema.descriptors.parameters()),
        "fidelities": schema.fidelities,
        "goal": schema.goal,
        "particles": knowledge.belief.as_ref().map_or(0, |belief| belief.particles().count()),
        "shared": knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len),
        "recommended": recommended,
    });
    Ok(summary.to_string())
}
