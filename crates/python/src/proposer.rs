//! The next trial of a task whose records are kept by somebody else, such as Optuna.
//!
//! The list of trials is the whole state of a task, so it is given with every call. What was computed
//! for the last call is used again where the list has only grown.

use crate::gate::{compute, pass};
use crate::parts;
use baton::{Aim, Measured, Outcome};
use baton::{Campaign, Fidelity, Task, Trial, Value};
use baton_runner::desk::Expected;
use baton_runner::{RunnerError, Spec};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};

type Result<T> = std::result::Result<T, RunnerError>;

/// Who keeps the records also keeps the budget.
const WITHOUT_END: f64 = 1e15;

struct Inner {
    spec: Spec,
    campaign: Campaign,
    task: Task,
}

/// Proposes trials from records that are given.
#[pyclass(frozen, module = "baton._baton")]
pub struct Proposer {
    inner: Arc<Mutex<Inner>>,
}

/// `[point, level, outcome, aim, constraints]`. The outcome is a value, `"failed"`, or nothing if it is not
/// known yet; the aim is the one that was proposed with the point, or nothing if it was not proposed here;
/// what was measured of constrained quantities may be nothing.
type Given = (Vec<Value>, usize, Option<serde_json::Value>, Option<Aim>, Option<Measured>);

/// The records as trials. Those whose point is not of the space are left out.
fn trials(text: &str, fidelities: &[Fidelity], space: &baton::Space) -> Result<Vec<Trial>> {
    let given: Vec<Given> = parts::read(text)?;
    let mut trials: Vec<Trial> = Vec::new();
    let mut told = 0;
    for (point, level, outcome, aim, constraints) in given {
        let Ok(point) = space.canonical(&point) else { continue };
        let Some(Fidelity { name, cost, .. }) = fidelities.get(level) else { continue };
        let outcome = match outcome {
            None if trials.iter().any(|other| other.is_pending() && other.point == point) => {
                continue; // two that run at one point teach as much as one
            }
            None => Outcome::Pending,
            Some(outcome) => match outcome.as_f64().filter(|value| value.is_finite()) {
                Some(value) => {
                    told += 1;
                    Outcome::Told { value, order: told - 1 }
                }
                None => Outcome::Failed { reason: outcome.to_string() },
            },
        };
        trials.push(Trial {
            id: trials.len(),
            point,
            level,
            fidelity: name.clone(),
            cost: *cost,
            charged: true,
            aim: aim.unwrap_or(Aim::GIVEN),
            reason: String::new(),
            nats: None,
            runner_up: None,
            notes: Vec::new(),
            outcome,
            noise: None,
            paid: None,
            constraints: constraints.unwrap_or_default(),
            context: baton::Description::new(),
        });
    }
    Ok(trials)
}

impl Inner {
    fn follow(&mut self, records: &str) -> Result<&mut Task> {
        let trials = trials(records, &self.spec.fidelities, &self.spec.space)?;
        self.task.follow(&trials)?;
        Ok(&mut self.task)
    }
}

impl Proposer {
    fn pass<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let inner = Arc::clone(&self.inner);
        pass(py, move || {
            let mut inner = inner.lock().unwrap_or_else(PoisonError::into_inner);
            let inner = &mut *inner;
            compute(|| work(inner))
        })
    }
}

#[pymethods]
impl Proposer {
    /// For a campaign as described, from some knowledge, and for a task of which something may be said.
    #[new]
    #[pyo3(signature = (wanted, knowledge=None, describe=None))]
    fn new(wanted: &str, knowledge: Option<&str>, describe: Option<&str>) -> PyResult<Self> {
        let make = || -> Result<Inner> {
            let spec = parts::spec(&parts::read(wanted)?)?;
            let said = describe.map(parts::read).transpose()?.unwrap_or_default();
            let campaign = spec.campaign(knowledge)?;
            let task = campaign.start_described(WITHOUT_END, &said)?;
            Ok(Inner { spec, campaign, task })
        };
        let inner = make().map_err(|error| crate::errors::to_python(&error))?;
        Ok(Self { inner: Arc::new(Mutex::new(inner)) })
    }

    /// The next point, its level and its aim after these records, `[[point, level, outcome, aim, constraints], ..]`
    /// in the order of their outcomes, those without one last. Nothing if the space is used up.
    fn propose(&self, py: Python<'_>, records: String) -> PyResult<Option<String>> {
        self.pass(py, move |inner| {
            let trial = inner.follow(&records)?.ask()?;
            Ok(trial.map(|trial| json!([trial.point, trial.level, trial.aim]).to_string()))
        })
    }

    /// The point to use after these records.
    fn recommend(&self, py: Python<'_>, records: String) -> PyResult<Option<String>> {
        self.pass(py, move |inner| {
            let best = inner.follow(&records)?.recommendation()?;
            Ok(best.map(|best| json!(Expected::from(best)).to_string()))
        })
    }

    /// What is known after a task with these records, to be given to the proposer of the next one.
    fn learn(&self, py: Python<'_>, records: String) -> PyResult<String> {
        self.pass(py, move |inner| {
            let task = inner.follow(&records)?.clone();
            let mut campaign = inner.campaign.clone();
            campaign.finish(task)?;
            Ok(campaign.knowledge().to_json()?)
        })
    }
}
