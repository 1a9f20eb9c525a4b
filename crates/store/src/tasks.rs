//! Calls on tasks: start, pause, continue, budget, finish.

use crate::error::{Result, StoreError};
use crate::record::{Lease, NewTask, TaskRecord, TaskState, TrialRecord};
use crate::rows::campaign::{self, begin_change};
use crate::rows::task::{changed, find, seal, unfinished};
use crate::rows::trial;
use crate::store::Store;
use crate::trials::named;
use baton::Outcome;
use baton::Trial;

impl Store {
    /// Starts the next task of a campaign with its first trials, and returns them. A `request` that
    /// was served before gets what it got then.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the task is not the next one, or another is not finished.
    pub fn start(
        &self,
        campaign: &str,
        task: NewTask<'_>,
        first: &[Trial],
        lease: Option<Lease<'_>>,
        request: Option<&str>,
    ) -> Result<Vec<TrialRecord>> {
        let request = named(request);
        let request = request.as_str();
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            if let Some(served) = trial::served_before(transaction, campaign, request)? {
                return Ok(served);
            }
            let tasks = changed(transaction, campaign, 0)?;
            let next = u32::try_from(tasks.len()).unwrap_or(u32::MAX);
            let under_way = tasks.iter().any(|task| task.state != TaskState::Finished);
            if task.number != next || under_way {
                return Err(StoreError::Stale);
            }
            transaction.run(
                "INSERT INTO baton_task (campaign, number, name, began_with, budget, state,
                                         continued, knowledge, started, change, described)
                 VALUES ($1, $2, $3, $4, $4, 'open', 0, $5, {now}, $6, $7)",
                &[
                    campaign.into(),
                    task.number.into(),
                    task.name.into(),
                    task.budget.into(),
                    task.knowledge.into(),
                    change.into(),
                    task.described.into(),
                ],
            )?;
            seal(transaction, campaign, task.number)?;
            let place = trial::Place { campaign, task: task.number, change };
            trial::insert(transaction, place, first, lease, Some(request))
        })
    }

    /// Stops asking for a task's trials, for a reason.
    ///
    /// # Errors
    /// If there is no such task, or it is finished.
    pub fn pause(&self, campaign: &str, task: u32, reason: &str) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            unfinished(transaction, campaign, task)?;
            transaction.run(
                "UPDATE baton_task SET state = 'paused', reason = $3, change = $4
                 WHERE campaign = $1 AND number = $2",
                &[campaign.into(), task.into(), reason.into(), change.into()],
            )?;
            seal(transaction, campaign, task)
        })
    }

    /// Lets a paused task go on. Failures so far do not count towards the next pause.
    ///
    /// # Errors
    /// If there is no such task, or it is finished.
    pub fn go_on(&self, campaign: &str, task: u32) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            unfinished(transaction, campaign, task)?;
            transaction.run(
                "UPDATE baton_task SET state = 'open', reason = NULL, continued = $3, change = $3
                 WHERE campaign = $1 AND number = $2",
                &[campaign.into(), task.into(), change.into()],
            )?;
            seal(transaction, campaign, task)
        })
    }

    /// Raises a task's budget to a new total.
    ///
    /// # Errors
    /// If there is no such task, it is finished, or it has more already.
    pub fn raise_budget(&self, campaign: &str, task: u32, total: f64) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            let record = unfinished(transaction, campaign, task)?;
            if !(total.is_finite() && total >= record.budget) {
                let TaskRecord { name, budget, .. } = record;
                let reason = format!("the task {name:?} has a budget of {budget}, over {total}");
                return Err(StoreError::refused(reason));
            }
            transaction.run(
                "UPDATE baton_task SET budget = $3, change = $4 WHERE campaign = $1 AND number = $2",
                &[campaign.into(), task.into(), total.into(), change.into()],
            )?;
            seal(transaction, campaign, task)
        })
    }

    /// Opens a finished task again with a higher budget, and takes back what it taught: the next task
    /// would start from what this one began with. Trials that were given up stay so.
    ///
    /// # Errors
    /// If there is no such task, it is not finished, has more already, or a later task has begun.
    pub fn reopen(&self, campaign: &str, task: u32, total: f64) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            let tasks = changed(transaction, campaign, i64::MIN)?;
            let Some(record) = tasks.iter().find(|record| record.number == task) else {
                return Err(StoreError::refused(format!("the campaign has no task {}", task + 1)));
            };
            let TaskRecord { name, budget, state, knowledge, .. } = record;
            if let Some(later) = tasks.iter().find(|later| later.number > task) {
                let reason = format!(
                    "the task {name:?} is finished, and {:?} has begun with what it taught; plan \
                     a new task for what is still to be spent",
                    later.name
                );
                return Err(StoreError::refused(reason));
            }
            if *state == TaskState::Finished && !(total.is_finite() && total > *budget) {
                let reason = format!("the task {name:?} had a budget of {budget}, not below {total}");
                return Err(StoreError::refused(reason));
            }
            transaction.run(
                "UPDATE baton_task SET state = 'open', reason = NULL, result = NULL, finished = NULL,
                        budget = $3, continued = $4, change = $4
                 WHERE campaign = $1 AND number = $2",
                &[campaign.into(), task.into(), total.into(), change.into()],
            )?;
            seal(transaction, campaign, task)?;
            transaction.run(
                "UPDATE baton_campaign SET knowledge = $2 WHERE name = $1",
                &[campaign.into(), knowledge.as_deref().into()],
            )?;
            campaign::seal(transaction, campaign)
        })
    }

    /// Ends a task: gives up its pending trials as `trials` has them, keeps its result, and replaces
    /// the knowledge that the next task starts from. Finishing a finished task changes nothing.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the task or one of its trials changed after `seen`.
    pub fn finish(
        &self,
        campaign: &str,
        task: u32,
        seen: i64,
        trials: &[Trial],
        (knowledge, result): (&str, &str),
    ) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            let record = find(transaction, campaign, task)?;
            if record.state == TaskState::Finished {
                return Ok(());
            }
            if record.change > seen || trial::last_change(transaction, campaign, task)? > seen {
                return Err(StoreError::Stale);
            }
            for trial in trials {
                if let Outcome::Failed { reason } = &trial.outcome {
                    let place = trial::Place { campaign, task, change };
                    trial::give_up(transaction, place, trial, reason)?;
                }
            }
            transaction.run(
                "UPDATE baton_task SET state = 'finished', reason = NULL, result = $3, change = $4,
                        finished = {now}
                 WHERE campaign = $1 AND number = $2",
                &[campaign.into(), task.into(), result.into(), change.into()],
            )?;
            seal(transaction, campaign, task)?;
            transaction.run(
                "UPDATE baton_campaign SET knowledge = $2 WHERE name = $1",
                &[campaign.into(), knowledge.into()],
            )?;
            campaign::seal(transaction, campaign)
        })
    }
}
