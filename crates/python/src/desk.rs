//! A campaign with its records, as Python sees it.
//!
//! One desk may be used by many threads of Python; they take turns. What is asked for while the user
//! presses Ctrl-C is not lost: the trial is handed out by the next ask.

use crate::gate::{Reply, compute, enter, pass};
use crate::parts::{self, Entries};
use crate::shared::{Shared, next};
use crate::show;
use crate::turn::{refused, with_task};
use baton::Recommendation;
use baton::{Description, Knowledge, Measured, Measurement, Value};
use baton_runner::desk::{Asker, Expected};
use baton_runner::insight::insight;
use baton_runner::look::kept_result;
use baton_runner::{Desk as Inner, Records, RunnerError, Spec, Step, Wanted};
use baton_store::{Answer, Lease, Report, Settled, Store};
use pyo3::prelude::*;
use serde_json::json;
use std::sync::{Arc, Mutex, PoisonError};

type Result<T> = std::result::Result<T, RunnerError>;

/// What Python tells of a trial: a `Measurement`.
#[derive(FromPyObject)]
struct Told {
    value: f64,
    noise: Option<f64>,
    cost: Option<f64>,
    constraints: Measured,
}

impl From<Told> for Measurement {
    fn from(Told { value, noise, cost, constraints }: Told) -> Self {
        Self { value, noise, cost, constraints }
    }
}

/// A campaign with its records.
#[pyclass(frozen, module = "baton._baton")]
pub struct Desk {
    shared: Arc<Shared>,
}

impl Desk {
    fn new(desk: Inner) -> Self {
        let (store, name) = (Arc::clone(desk.store()), desk.name().to_owned());
        let (desk, orphans) = (Mutex::new(desk), Mutex::new(Vec::new()));
        let process = std::process::id();
        Self { shared: Arc::new(Shared { store, name, desk, orphans, process }) }
    }

    /// Passes the gate with the desk in hand.
    fn pass<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Inner) -> Result<T> + Send + 'static,
    ) -> PyResult<T> {
        let shared = Arc::clone(&self.shared);
        pass(py, move || work(&mut *shared.lock()?))
    }
}

/// Opens a store; without an address, a new one in memory.
fn open(url: Option<&str>) -> Result<Arc<Store>> {
    let store = match url {
        Some(url) => Store::open(url),
        None => Store::in_memory(None),
    };
    Ok(Arc::new(store?))
}

/// Opens a store that is there; none is made.
fn existing(url: &str) -> Result<Arc<Store>> {
    Ok(Arc::new(Store::open_existing(url)?))
}

/// The campaign as wanted, with the tasks that it has already.
fn continued(
    store: &Store,
    name: &str,
    mut wanted: Spec,
    pause_after: Option<u32>,
) -> Result<Spec> {
    if store.campaigns()?.iter().any(|known| known == name) {
        let spec = Spec::from_json(&store.changes(name, i64::MAX)?.campaign.spec)?;
        (wanted.most_failures, wanted.tasks) = (spec.most_failures, spec.tasks);
        wanted.stop = wanted.stop.or(spec.stop);
    }
    wanted.most_failures = pause_after.unwrap_or(wanted.most_failures);
    Ok(wanted)
}

/// What is said of a task or of a trial, as the package wrote it.
fn said(text: Option<&str>) -> Result<Description> {
    Ok(text.map(parts::read).transpose()?.unwrap_or_default())
}

#[pymethods]
impl Desk {
    /// Opens a campaign, which is made if it is missing. Without an address it is kept in memory.
    #[staticmethod]
    fn create(
        py: Python<'_>,
        url: Option<String>,
        name: String,
        wanted: String,
        tasks: Vec<parts::Task>,
    ) -> PyResult<Self> {
        let desk = pass(py, move || {
            let wanted: Wanted = parts::read(&wanted)?;
            let pause_after = wanted.pause_after;
            let wanted = parts::spec(&wanted)?;
            let mut anew = wanted.clone();
            for task in &tasks {
                parts::plan(&mut anew, task.clone())?; // what is wrong is told before a store is made
            }
            let store = open(url.as_deref())?;
            let mut wanted = continued(&store, &name, wanted, pause_after)?;
            for task in tasks {
                parts::plan(&mut wanted, task)?;
            }
            Inner::create(store, &name, &wanted)
        })?;
        Ok(Self::new(desk))
    }

    /// Opens a campaign that is there.
    #[staticmethod]
    fn open(py: Python<'_>, url: String, name: String) -> PyResult<Self> {
        Ok(Self::new(pass(py, move || Inner::open(existing(&url)?, &name))?))
    }

    /// The names of the campaigns of a store; with `active`, of those that are not archived.
    #[staticmethod]
    #[pyo3(signature = (url, active=false))]
    fn campaigns(py: Python<'_>, url: String, active: bool) -> PyResult<Vec<String>> {
        pass(py, move || {
            let store = existing(&url)?;
            Ok(if active { store.active()? } else { store.campaigns()? })
        })
    }

    /// Opens a campaign in memory, from what `image` returned.
    #[staticmethod]
    fn from_image(py: Python<'_>, image: Vec<u8>, name: String) -> PyResult<Self> {
        let desk = pass(py, move || Inner::open(Arc::new(Store::in_memory(Some(&image))?), &name))?;
        Ok(Self::new(desk))
    }

    /// All records of a campaign that is kept in memory.
    fn image(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.pass(py, |desk| Ok(desk.store().image()?))
    }

    /// Adds a task, or changes the budget of one, or what is said of it.
    fn plan(&self, py: Python<'_>, task: parts::Task) -> PyResult<()> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let mut spec = desk.records().spec.clone();
            parts::plan(&mut spec, task)?;
            let (store, campaign) = (Arc::clone(desk.store()), desk.name().to_owned());
            *desk = Inner::create(store, &campaign, &spec)?;
            Ok(())
        })
    }

    /// Reads what others did; what the campaign is and how far it is.
    fn overview(&self, py: Python<'_>) -> PyResult<String> {
        self.pass(py, |desk| {
            desk.refresh()?;
            Ok(show::overview(desk.records()).to_string())
        })
    }

    /// What is optimised in a task, begun or to come, and what is otherwise than in the one before; without
    /// a name, in the present or next one, and with `last` in the last that has begun.
    #[pyo3(signature = (task=None, last=false))]
    fn problem(&self, py: Python<'_>, task: Option<String>, last: bool) -> PyResult<String> {
        self.pass(py, move |desk| {
            let records = desk.records();
            let name = task.unwrap_or_default();
            let begun = records.tasks.iter().find(|known| known.name == name);
            let problem = match begun {
                Some(begun) => records.problem_of(begun.number),
                None if last => records.last_problem(),
                None if name.is_empty() => records.present_problem()?,
                None => records.spec.problem_of(&name)?,
            };
            Ok(show::problem(&problem, records.changes_of(&name)).to_string())
        })
    }

    /// Every setting by its key.
    fn settings(&self, py: Python<'_>) -> PyResult<Entries> {
        self.pass(py, |desk| {
            let settings = desk.records().spec.settings()?;
            Ok(settings.entries())
        })
    }

    /// The trials of a task.
    fn trials(&self, py: Python<'_>, task: u32) -> PyResult<String> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let records = desk.records();
            let all = records.trials_of(task).iter().map(|record| show::trial(record, records));
            Ok(json!(all.collect::<Vec<_>>()).to_string())
        })
    }

    /// The next step of the campaign, or of one task of it. With `drives`, a trial that the holder
    /// has or that others lost comes first, and a task that has spent its budget is finished. Trials
    /// without a lease that were asked for by `forgetful` are taken over; by anybody if it is empty.
    /// A trial that is asked for without `drives` may have a context.
    #[pyo3(signature = (holder, seconds, task, drives, forgetful=None, context=None))]
    #[allow(clippy::too_many_arguments)] // Python names them
    fn step(
        &self,
        py: Python<'_>,
        holder: String,
        seconds: Option<f64>,
        task: Option<String>,
        drives: bool,
        forgetful: Option<String>,
        context: Option<String>,
    ) -> PyResult<String> {
        let shared = Arc::clone(&self.shared);
        let work = move |reply: &Reply<(Step, String)>| {
            let mut desk = match shared.lock() {
                Ok(desk) => desk,
                Err(error) => return reply.give(Err(error)),
            };
            let lease = Lease { holder: &holder, seconds };
            let (task, forgetful) = (task.as_deref(), forgetful.as_deref());
            let step = said(context.as_deref()).and_then(|context| {
                next(&shared, &mut desk, lease, task, (drives, forgetful, &context))
            });
            // With the desk still in hand: the next to come must find what is abandoned.
            reply.give(step.map(|step| {
                let text = show::step(&step, desk.records()).to_string();
                (step, text)
            }));
        };
        let shared = Arc::clone(&self.shared);
        let abandoned = move |(step, _)| match step {
            // One that is driven is given back; if that fails, its lease ends by itself.
            Step::Trial(record) if seconds.is_some() => {
                let holder: Vec<&str> = record.holder.as_deref().into_iter().collect();
                let _ = shared.store.release(&shared.name, &holder);
            }
            Step::Trial(record) => {
                shared.orphans.lock().unwrap_or_else(PoisonError::into_inner).push(*record);
            }
            _ => {}
        };
        Ok(enter(py, work, abandoned)?.1)
    }

    /// Makes a point of the user's choice pending.
    fn suggest(
        &self,
        py: Python<'_>,
        point: String,
        level: usize,
        holder: String,
    ) -> PyResult<String> {
        self.pass(py, move |desk| {
            let point =
                parts::read::<Vec<Vec<Value>>>(&point)?.into_iter().next().unwrap_or_default();
            let lease = Lease { holder: &holder, seconds: None };
            let step = desk.suggest(&point, level, Asker { lease, request: None })?;
            Ok(show::step(&step, desk.records()).to_string())
        })
    }

    /// Answers a trial with a value, or with the reason why there is none. Returns what became of
    /// the answer, and the trial.
    fn settle(
        &self,
        py: Python<'_>,
        task_and_trial: (u32, usize),
        holder: Option<String>,
        told: Option<Told>,
        reason: String,
        log: String,
    ) -> PyResult<(&'static str, String)> {
        let (task, trial) = task_and_trial;
        self.pass(py, move |desk| {
            desk.refresh()?;
            if trial >= desk.records().trials_of(task).len() {
                let reason = "there is no such trial in this task".to_owned();
                return Err(baton::Error::Trial { id: trial, reason }.into());
            }
            let measured = told.map(Measurement::from);
            let answer = measured.map_or_else(|| desk.failure(reason), Answer::Value);
            let (holder, log) = (holder.as_deref(), log.as_str());
            let report = Report { task, trial, holder, answer, attempts: 1, log };
            let became = match desk.settle(&report)? {
                Settled::Counted => "counted",
                Settled::Repeated => "repeated",
                Settled::Superseded => "superseded",
            };
            let records = desk.records();
            let now = &records.trials_of(task)[trial];
            Ok((became, show::trial(now, records).to_string()))
        })
    }

    /// Sets attributes of a task, or of one of its trials; returns all there are.
    #[pyo3(signature = (task, trial, changes))]
    fn annotate(
        &self,
        py: Python<'_>,
        task: u32,
        trial: Option<usize>,
        changes: String,
    ) -> PyResult<String> {
        self.pass(py, move |desk| {
            let changes = serde_json::from_str(&changes).map_err(|e| refused(e.to_string()))?;
            Ok(json!(desk.annotate((task, trial), changes)?).to_string())
        })
    }

    /// Renames a campaign of a store.
    #[staticmethod]
    fn rename(py: Python<'_>, url: String, name: String, new: String) -> PyResult<()> {
        pass(py, move || Ok(existing(&url)?.rename(&name, &new)?))
    }

    /// Puts a campaign of a store aside, or takes it up again.
    #[staticmethod]
    fn archive(py: Python<'_>, url: String, name: String, aside: bool) -> PyResult<()> {
        pass(py, move || Ok(existing(&url)?.archive(&name, aside)?))
    }

    /// Deletes a campaign of a store with all its records.
    #[staticmethod]
    fn delete(py: Python<'_>, url: String, name: String) -> PyResult<()> {
        pass(py, move || Ok(existing(&url)?.delete(&name)?))
    }

    /// A sign of life of those who evaluate.
    fn renew(&self, py: Python<'_>, holders: Vec<String>, seconds: f64) -> PyResult<()> {
        // Past the desk: signs of life must not wait for an ask.
        let shared = Arc::clone(&self.shared);
        pass(py, move || {
            let lease = |holder| Lease { holder, seconds: Some(seconds) };
            let leases: Vec<Lease<'_>> = holders.iter().map(|holder| lease(holder)).collect();
            Ok(shared.store.renew(&shared.name, &leases)?)
        })
    }

    /// Gives back what those who evaluate have and did not answer.
    fn release(&self, py: Python<'_>, holders: Vec<String>) -> PyResult<()> {
        // Past the desk: who leaves does not wait for an ask.
        let shared = Arc::clone(&self.shared);
        pass(py, move || {
            let holders: Vec<&str> = holders.iter().map(String::as_str).collect();
            Ok(shared.store.release(&shared.name, &holders)?)
        })
    }

    /// What processes of this machine had that are there no longer is free at once.
    fn end_leases_of_the_gone(&self, py: Python<'_>) -> PyResult<()> {
        self.pass(py, |desk| desk.end_leases_of_the_gone())
    }

    /// The trials of the task under way that have no answer, with their leases as they are now.
    fn pending(&self, py: Python<'_>) -> PyResult<String> {
        self.pass(py, |desk| {
            // Read anew: signs of life are no change that a refresh would see.
            let records = Records::read(desk.store(), desk.name())?;
            Ok(json!(show::pending(&records)).to_string())
        })
    }

    /// Lets a paused task go on.
    fn go_on(&self, py: Python<'_>) -> PyResult<()> {
        self.pass(py, |desk| {
            desk.refresh()?;
            desk.go_on()
        })
    }

    /// Ends the task under way. Returns whether it was our turn.
    fn finish(&self, py: Python<'_>, holder: String) -> PyResult<bool> {
        self.pass(py, move |desk| {
            let lease = Lease { holder: &holder, seconds: None };
            Ok(compute(|| desk.finish(lease))? != Step::Busy)
        })
    }

    /// The point to use of a task, perhaps in a context, as JSON.
    #[pyo3(signature = (task, context=None))]
    fn recommendation(
        &self,
        py: Python<'_>,
        task: u32,
        context: Option<String>,
    ) -> PyResult<Option<String>> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let context = said(context.as_deref())?;
            let record = desk.records().tasks.get(task as usize);
            let kept = record.and_then(kept_result).filter(|_| context.is_empty());
            let expected = if kept.is_some() {
                kept
            } else {
                let in_context = |task: &mut baton::Task| task.recommendation_in(&context);
                with_task(desk, task, in_context)?.map(Expected::from)
            };
            let records = desk.records();
            Ok(expected.map(|expected| {
                let mut shown = json!(expected);
                shown["evaluated"] = json!(records.was_evaluated(task, &expected.point));
                shown["seen"] = json!(records.best(task).and_then(|best| best.trial.value()));
                shown.to_string()
            }))
        })
    }

    /// What is expected of the truth at some points: means, and the ends of 90 % intervals.
    fn expectations(
        &self,
        py: Python<'_>,
        task: u32,
        points: String,
    ) -> PyResult<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let points: Vec<Vec<Value>> = parts::read(&points)?;
            let expected = with_task(desk, task, |task| task.expectations(&points))?;
            let of = |part: fn(&Recommendation) -> f64| expected.iter().map(part).collect();
            Ok((of(|e| e.mean), of(|e| e.interval.0), of(|e| e.interval.1)))
        })
    }

    /// What is expected of a task of this description before its first trial, as JSON; nothing before a
    /// task has taught anything.
    fn predict(&self, py: Python<'_>, describe: String) -> PyResult<Option<String>> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let (records, description) = (desk.records(), said(Some(&describe))?);
            let campaign = records.present_campaign()?;
            let predicted = compute(|| campaign.predict(&description))?;
            Ok(predicted.map(|predicted| show::prediction(predicted, records).to_string()))
        })
    }

    /// The same at up to `count` values of one descriptor: `[[value, expected], ..]`.
    fn predict_over(
        &self,
        py: Python<'_>,
        describe: String,
        over: String,
        count: u32,
    ) -> PyResult<String> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let (records, description) = (desk.records(), said(Some(&describe))?);
            let campaign = records.present_campaign()?;
            let curve = compute(|| campaign.predict_over(&description, &over, count))?;
            let shown =
                curve.into_iter().map(|(at, of)| json!([at, show::prediction(of, records)]));
            Ok(json!(shown.collect::<Vec<_>>()).to_string())
        })
    }

    /// How much each descriptor has to do with how tasks differ, as JSON.
    fn descriptor_weights(&self, py: Python<'_>) -> PyResult<String> {
        self.pass(py, |desk| {
            desk.refresh()?;
            let records = desk.records();
            let campaign = records.present_campaign()?;
            let weights = compute(|| campaign.descriptor_weights())?;
            Ok(show::weights(&weights).to_string())
        })
    }

    /// What the campaign taught, or one of its tasks, as JSON.
    #[pyo3(signature = (task=None))]
    fn insight(&self, py: Python<'_>, task: Option<String>) -> PyResult<String> {
        self.pass(py, move |desk| {
            desk.refresh()?;
            let records = desk.records();
            let found = compute(|| insight(records, task.as_deref()))?;
            Ok(json!(found).to_string())
        })
    }

    /// Adds evaluations made elsewhere to the task under way, or to the next one, without those that
    /// it has already unless they are wanted again. Returns how many were left out, if it was our
    /// turn.
    fn add_free(
        &self,
        py: Python<'_>,
        rows: String,
        holder: String,
        again: bool,
    ) -> PyResult<Option<usize>> {
        self.pass(py, move |desk| {
            let (all, lease) = (parts::rows(&rows)?, Lease { holder: &holder, seconds: None });
            desk.refresh()?;
            let new = if again { all.clone() } else { desk.new_rows(&all)? };
            if new.is_empty() && !all.is_empty() {
                return Ok(Some(all.len()));
            }
            let added = desk.add_free(&new, lease)? != Step::Busy;
            Ok(added.then_some(all.len() - new.len()))
        })
    }

    /// Adds a finished task made of evaluations from elsewhere, unless a task has all of them already
    /// and they are not wanted again. Returns whether it was our turn.
    #[pyo3(signature = (name, rows, holder, again, describe=None))]
    fn add_finished(
        &self,
        py: Python<'_>,
        name: String,
        rows: String,
        holder: String,
        again: bool,
        describe: Option<String>,
    ) -> PyResult<bool> {
        self.pass(py, move |desk| {
            let description = said(describe.as_deref())?;
            let (rows, lease) = (parts::rows(&rows)?, Lease { holder: &holder, seconds: None });
            desk.refresh()?;
            if let Some(task) = desk.added_before(&rows)?.filter(|task| !again && *task != name) {
                return Err(refused(format!(
                    "add the finished task {name:?}: all of its results are there already, in the \
                     task {task:?}; again=True adds them once more, as further observations"
                )));
            }
            let task = (name.as_str(), &description);
            Ok(compute(|| desk.add_finished(task, &rows, lease))? != Step::Busy)
        })
    }

    /// What was learned so far.
    fn knowledge(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.pass(py, |desk| {
            desk.refresh()?;
            Ok(desk.records().campaign.knowledge.clone())
        })
    }

    /// The same as it may be given to others.
    fn shareable_knowledge(&self, py: Python<'_>) -> PyResult<Option<String>> {
        self.pass(py, |desk| {
            desk.refresh()?;
            desk.records().shareable_knowledge()
        })
    }

    /// Lets the next task start from what was learned elsewhere.
    fn set_knowledge(&self, py: Python<'_>, text: String) -> PyResult<()> {
        self.pass(py, move |desk| {
            Knowledge::from_json(&text)?;
            let records = desk.records();
            records.spec.campaign_over(&records.present_problem()?, Some(&text))?;
            desk.store().set_knowledge(desk.name(), &text)?;
            desk.refresh()
        })
    }
}
