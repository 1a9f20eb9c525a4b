//! The desk: a campaign's records and the algorithm side by side, and the next step of the campaign.
//!
//! A step is computed from the records as they were read and written only if they still are so;
//! else it is computed again. Taking turns (see [`Store::take_turn`]) keeps several processes from
//! computing the same step; that the budget holds does not depend on it.

mod earlier;
mod notes;

pub use earlier::Row;
pub use notes::attributes;

use crate::error::{Result, RunnerError};
use crate::process;
use crate::records::Records;
use crate::replay::{Replay, described_text};
use crate::spec::Spec;
use crate::wanted::Plan;
use baton::{Description, Finished, Stopped, Trial, Value};
use baton::{Recommendation, model::Note, shared::Verdict};
use baton_store::{
    Answer, Lease, NewTask, Report, Settled, Store, StoreError, TaskRecord, TaskState, TrialRecord,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often a step is computed anew because others changed the records.
const MOST_TRIES: u32 = 100;
/// How long a turn lasts without a sign of life, for those who give none.
const TURN_SECONDS: f64 = 20.0;

/// What the next step of a campaign was.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// a trial to evaluate
    Trial(Box<TrialRecord>),
    /// it is others' turn
    Busy,
    /// nothing can be asked for until a pending trial is answered, or ever
    Wait,
    /// the task is paused
    Paused {
        /// its name
        task: String,
        /// why
        reason: String,
    },
    /// a task was finished
    Finished(u32),
    /// all tasks are finished
    Done,
}

/// The result of a finished task, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskResult {
    /// the point to use, where anything was told
    pub recommendation: Option<Expected>,
    /// what had to be survived on the way
    pub notes: Vec<Note>,
    /// what carried knowledge did for it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// the same of the quantities that have to keep bounds, by their names
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<(String, Verdict)>,
    /// why it ended early, if it did
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

/// What is expected of the truth at a point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// one value per parameter
    pub point: Vec<Value>,
    /// the expected value
    pub mean: f64,
    /// a 90 % interval for it
    pub interval: (f64, f64),
    /// how likely it is to keep all constraints, where there are some
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feasible: Option<f64>,
}

impl From<Recommendation> for Expected {
    fn from(best: Recommendation) -> Self {
        let Recommendation { point, mean, interval, feasible, .. } = best;
        Self { point, mean, interval, feasible }
    }
}

/// Who asks, and by which request.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// who will evaluate the trial
    pub lease: Lease<'a>,
    /// names the call, so that it can be repeated without asking twice
    pub request: Option<&'a str>,
}

/// A campaign at work.
#[derive(Debug)]
pub struct Desk {
    store: Arc<Store>,
    records: Records,
    /// the task under way
    at_work: Option<(u32, Replay)>,
}

impl Desk {
    /// Opens a campaign of a store.
    ///
    /// # Errors
    /// If there is none of that name, or its records cannot be understood.
    pub fn open(store: Arc<Store>, name: &str) -> Result<Self> {
        let records = Records::read(&store, name)?;
        Ok(Self { store, records, at_work: None })
    }

    /// Opens a campaign, which is made if it is missing and brought to what is wanted now.
    ///
    /// # Errors
    /// If what is wanted would change the meaning of what was done.
    pub fn create(store: Arc<Store>, name: &str, wanted: &Spec) -> Result<Self> {
        wanted.campaign(None)?;
        let known = store.campaigns()?.iter().any(|known| known == name);
        let known = known.then(|| Records::read(&store, name)).transpose()?;
        wanted.check_sense(known.as_ref().map(|records| &records.spec))?;
        store.create(name, &wanted.to_json()?)?;
        let mut desk = Self::open(store, name)?;
        let begun: Vec<String> = desk.records.tasks.iter().map(|t| t.name.clone()).collect();
        let amended = desk.records.spec.amended(wanted, &begun)?;
        desk.records.check_problems(&amended)?;
        desk.reopen(&amended)?;
        if desk.records.spec != amended {
            desk.store.amend(name, &desk.records.campaign.spec, &amended.to_json()?)?;
            desk.refresh()?;
        }
        desk.raise_budget()?;
        Ok(desk)
    }

    /// A finished task whose budget is raised is opened again, if no later one has begun with what it
    /// taught. Before the plan is changed: a call that is cut off in between can be made again.
    fn reopen(&mut self, wanted: &Spec) -> Result<()> {
        let known = &self.records.spec.tasks;
        let raised = wanted.tasks.iter().filter(|plan| !known.contains(plan));
        let raised: Vec<(u32, f64)> = raised
            .filter_map(|plan| {
                let task = self.records.tasks.iter().find(|task| task.name == plan.name)?;
                let budget = plan.budget + self.records.handed_on(task.number);
                let more = task.state == TaskState::Finished && budget > task.budget;
                more.then_some((task.number, budget))
            })
            .collect();
        for (task, budget) in raised {
            self.store.reopen(self.name(), task, budget)?;
            self.refresh()?;
        }
        Ok(())
    }

    /// A higher budget in the plan of the task under way is given to it.
    fn raise_budget(&mut self) -> Result<()> {
        let Some(task) = self.records.present() else { return Ok(()) };
        let Some(plan) = self.records.plan_of(&task.name) else { return Ok(()) };
        let budget = plan.budget + self.records.handed_on(task.number);
        if budget <= task.budget {
            return Ok(());
        }
        self.store.raise_budget(self.name(), task.number, budget)?;
        self.refresh()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.records.campaign.name
    }

    /// Its store.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Its records, as they were read last.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Reads what others did.
    ///
    /// # Errors
    /// If the store fails.
    pub fn refresh(&mut self) -> Result<()> {
        self.records.refresh(&self.store)
    }

    /// Lets a paused task go on.
    ///
    /// # Errors
    /// If the store fails.
    pub fn go_on(&mut self) -> Result<()> {
        let paused = self.records.present().filter(|task| task.state == TaskState::Paused);
        let Some(task) = paused else { return Ok(()) };
        self.store.go_on(self.name(), task.number)?;
        self.refresh()
    }

    /// What processes of this machine had that are there no longer, their turn included, is free for
    /// whoever comes next: nobody waits until their leases end.
    ///
    /// # Errors
    /// If the store fails.
    pub fn end_leases_of_the_gone(&self) -> Result<()> {
        Ok(self.store.end_leases(self.name(), &process::is_gone)?)
    }

    /// Does the next step of the campaign: asks for a trial, finishes a task that has spent its
    /// budget, starts the next one.
    ///
    /// # Errors
    /// If the store or the algorithm fails.
    pub fn step(&mut self, asker: Asker<'_>) -> Result<Step> {
        self.in_turn(asker.lease, |desk| desk.try_step(asker))
    }

    /// Asks for a trial of the task under way, or of the next one, and finishes nothing: for
    /// programs that decide about that themselves.
    ///
    /// # Errors
    /// If the store or the algorithm fails.
    pub fn ask(&mut self, asker: Asker<'_>) -> Result<Step> {
        self.ask_in(asker, &Description::new())
    }

    /// The same where descriptors differ from ask to ask.
    ///
    /// # Errors
    /// As [`Desk::ask`], and if the context names what is no descriptor, or a value that it cannot take.
    pub fn ask_in(&mut self, asker: Asker<'_>, context: &Description) -> Result<Step> {
        self.in_turn(asker.lease, |desk| desk.try_ask(asker, context))
    }

    /// Computes the next ask of the task under way in advance, and changes nothing: it is taken if the records are
    /// the same then.
    ///
    /// # Errors
    /// If the store or the algorithm fails.
    pub fn prepare(&mut self) -> Result<()> {
        self.refresh()?;
        let waits = self.records.present().is_some_and(|task| task.state != TaskState::Paused);
        if waits && let Some(replay) = self.task()? {
            replay.task.prepare()?;
        }
        Ok(())
    }

    /// The trial that a request was given, or that a worker has already.
    ///
    /// # Errors
    /// If the store fails.
    pub fn given_before(&self, asker: Asker<'_>) -> Result<Option<TrialRecord>> {
        if let Some(request) = asker.request
            && let Some(served) = self.store.served(self.name(), request)?
        {
            return Ok(served.into_iter().next());
        }
        let mut all = self.records.trials.iter().flatten();
        let own = |r: &&TrialRecord| {
            r.trial.is_pending() && r.holder.as_deref() == Some(asker.lease.holder)
        };
        Ok(all.find(own).cloned())
    }

    /// Ends the task under way; its pending trials are given up.
    ///
    /// # Errors
    /// If no task is under way, or the store or the algorithm fails.
    pub fn finish(&mut self, lease: Lease<'_>) -> Result<Step> {
        self.in_turn(lease, |desk| {
            let none = || RunnerError::refused("no task is under way");
            let number = desk.records.present().ok_or_else(none)?.number;
            desk.try_finish(number)
        })
    }

    /// Takes in an answer for a trial of the task under way.
    ///
    /// # Errors
    /// If there is no such trial or the value is not finite.
    pub fn settle(&mut self, report: &Report<'_>) -> Result<Settled> {
        if let Answer::Value(measured) = &report.answer {
            measured.check(report.trial, self.records.constraints_of(report.task))?;
        }
        let settled = self.store.settle(self.name(), report)?;
        self.refresh()?;
        // Repeated: a lost connection may have kept the first answer from being acknowledged.
        if matches!(report.answer, Answer::Failure { .. }) && settled != Settled::Superseded {
            self.pause_if_it_keeps_failing()?;
        }
        Ok(settled)
    }

    /// The answer of a trial that failed: charged or not, as the campaign says.
    pub fn failure(&self, reason: impl Into<String>) -> Answer {
        Answer::Failure { reason: reason.into(), charged: self.records.spec.charges_failed() }
    }

    fn pause_if_it_keeps_failing(&mut self) -> Result<()> {
        let Some((task, reason)) = self.records.keeps_failing() else { return Ok(()) };
        self.store.pause(self.name(), task, &reason)?;
        self.refresh()
    }

    /// The task under way, replayed and up to date. `None` if none has begun.
    ///
    /// # Errors
    /// If its records contradict each other.
    pub fn task(&mut self) -> Result<Option<&mut Replay>> {
        let Some(record) = self.records.present() else {
            self.at_work = None;
            return Ok(None);
        };
        match &mut self.at_work {
            Some((number, replay)) if *number == record.number => {
                replay.follow(&self.records, record)?;
            }
            slot => *slot = Some((record.number, Replay::of(&self.records, record.number)?)),
        }
        Ok(self.at_work.as_mut().map(|(_, replay)| replay))
    }

    /// Makes a point of the user's choice pending in the task under way, or begins the next one with
    /// it. Nothing is computed for it, so that it waits for nobody's turn.
    ///
    /// # Errors
    /// If no task is left, the point is not legal, or the budget does not allow it.
    pub fn suggest(&mut self, point: &[Value], level: usize, asker: Asker<'_>) -> Result<Step> {
        self.repeat(&mut |desk: &mut Self| {
            if let Some(replay) = desk.task()? {
                let trial = replay.task.suggest(point, level)?;
                return desk.append(&trial, asker);
            }
            let (plan, mut replay) = desk.next_task()?;
            let trial = replay.task.suggest(point, level)?;
            let started = desk.start(&plan, &[trial], Some(asker.lease), asker.request)?;
            desk.given(started)
        })
    }

    fn in_turn(
        &mut self,
        lease: Lease<'_>,
        mut step: impl FnMut(&mut Self) -> Result<Step>,
    ) -> Result<Step> {
        if !self.store.is_shared() {
            return self.repeat(&mut step); // there are no others
        }
        let turn = Lease { seconds: Some(lease.seconds.unwrap_or(TURN_SECONDS)), ..lease };
        if !self.store.take_turn(self.name(), turn)? {
            return Ok(Step::Busy);
        }
        let result = self.repeat(&mut step);
        self.store.end_turn(self.name(), lease.holder)?;
        result
    }

    fn repeat(&mut self, step: &mut impl FnMut(&mut Self) -> Result<Step>) -> Result<Step> {
        for _ in 0..MOST_TRIES {
            self.refresh()?;
            match step(self) {
                Err(RunnerError::Store(StoreError::Stale)) => {} // the task follows its records
                result => return result,
            }
        }
        Err(RunnerError::Overtaken { times: MOST_TRIES })
    }

    fn try_step(&mut self, asker: Asker<'_>) -> Result<Step> {
        let step = self.try_ask(asker, &Description::new())?;
        match self.records.present() {
            Some(task) if step == Step::Wait && !self.records.has_pending(task.number) => {
                let number = task.number;
                self.try_finish(number)
            }
            _ => Ok(step),
        }
    }

    fn try_ask(&mut self, asker: Asker<'_>, context: &Description) -> Result<Step> {
        match self.records.present() {
            Some(TaskRecord { state: TaskState::Paused, name, reason, .. }) => {
                Ok(Step::Paused { task: name.clone(), reason: reason.clone().unwrap_or_default() })
            }
            Some(_) => match self.task()? {
                Some(replay) => match replay.task.ask_in(context)? {
                    Some(trial) => self.append(&trial, asker),
                    None => Ok(Step::Wait),
                },
                None => Ok(Step::Wait),
            },
            None if self.records.next().is_none() => Ok(Step::Done),
            None => {
                let (plan, mut replay) = self.next_task()?;
                let first = replay.task.ask_in(context)?;
                let first: Vec<Trial> = first.into_iter().collect();
                let number = self.number_of_next();
                let started = self.start(&plan, &first, Some(asker.lease), asker.request)?;
                self.at_work = Some((number, replay));
                self.given(started)
            }
        }
    }

    /// The next planned task, not begun yet, with what the one before left.
    fn next_task(&self) -> Result<(Plan, Replay)> {
        let Some(mut plan) = self.records.next().cloned() else {
            return Err(RunnerError::refused("all tasks of the campaign are finished"));
        };
        plan.budget += self.records.handed_on(self.number_of_next());
        let campaign = self.records.present_campaign()?;
        let mut task = campaign.start_described(plan.budget, &plan.describe)?;
        task.guess(&plan.guess)?;
        task.stop_when(self.records.stop_of(&plan.name));
        Ok((plan, Replay { campaign, task }))
    }

    fn number_of_next(&self) -> u32 {
        u32::try_from(self.records.tasks.len()).unwrap_or(u32::MAX)
    }

    fn start(
        &self,
        plan: &Plan,
        first: &[Trial],
        lease: Option<Lease<'_>>,
        request: Option<&str>,
    ) -> Result<Vec<TrialRecord>> {
        let described = described_text(&plan.describe)?;
        let task = NewTask {
            number: self.number_of_next(),
            name: &plan.name,
            budget: plan.budget,
            knowledge: self.records.campaign.knowledge.as_deref(),
            described: described.as_deref(),
        };
        Ok(self.store.start(self.name(), task, first, lease, request)?)
    }

    fn append(&mut self, trial: &Trial, asker: Asker<'_>) -> Result<Step> {
        let Some(task) = self.records.present() else { return Ok(Step::Wait) };
        let trials = std::slice::from_ref(trial);
        let (lease, request) = (Some(asker.lease), asker.request);
        let appended = self.store.append(self.name(), task.number, trials, lease, request)?;
        self.given(appended)
    }

    fn given(&mut self, trials: Vec<TrialRecord>) -> Result<Step> {
        self.refresh()?;
        Ok(trials.into_iter().next().map_or(Step::Wait, |record| Step::Trial(Box::new(record))))
    }

    fn try_finish(&mut self, number: u32) -> Result<Step> {
        let seen = self.records.campaign.change;
        if self.task()?.is_none() {
            return Ok(Step::Finished(number)); // somebody else did
        }
        // Taken away: a finished task is of no further use, and one that is stale is replayed.
        let Some((_, Replay { mut campaign, mut task })) = self.at_work.take() else {
            return Ok(Step::Wait);
        };
        let (recommended, stopped) = (task.recommendation(), task.stopped().ok().flatten());
        let mut finished = campaign.finish(task)?;
        if let Err(error) = &recommended {
            finished.notes.push(Note::FellBack(error.to_string()));
        }
        let recommendation = recommended.ok().flatten().map(Expected::from);
        let Finished { notes, verdict, constraints, .. } = finished;
        let result = TaskResult { recommendation, notes, verdict, constraints, stopped };
        let result = serde_json::to_string(&result)
            .map_err(|error| RunnerError::refused(error.to_string()))?;
        let knowledge = campaign.knowledge().to_json()?;
        self.store.finish(self.name(), number, seen, &finished.trials, (&knowledge, &result))?;
        self.refresh()?;
        Ok(Step::Finished(number))
    }
}
