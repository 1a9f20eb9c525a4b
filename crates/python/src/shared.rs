//! What the threads of a process share of a campaign: its desk, and the trials that nobody waited for.

use crate::gate::compute;
use crate::turn::{in_order, refused};
use baton::Description;
use baton_runner::desk::Asker;
use baton_runner::{Desk as Inner, RunnerError, Step};
use baton_store::{Lease, Store, TrialRecord};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Result<T> = std::result::Result<T, RunnerError>;

/// What the threads of a process share.
pub struct Shared {
    pub store: Arc<Store>,
    pub name: String,
    pub desk: Mutex<Inner>,
    /// trials that were asked for by somebody who did not wait for the answer
    pub orphans: Mutex<Vec<TrialRecord>>,
    pub process: u32,
}

impl Shared {
    /// The desk, once it is free.
    pub fn lock(&self) -> Result<MutexGuard<'_, Inner>> {
        if self.process != std::process::id() {
            return Err(refused(
                "the campaign was opened by another process; open it again in this one",
            ));
        }
        Ok(self.desk.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A trial that nobody waited for and that is still to be evaluated.
    fn orphan(&self, desk: &Inner, holder: &str, context: &Description) -> Option<TrialRecord> {
        let mut orphans = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
        orphans.retain(|orphan| {
            let now = desk.records().trials_of(orphan.task).get(orphan.trial.id);
            now.is_some_and(|now| now.trial.is_pending())
        });
        let is_own = |orphan: &TrialRecord| {
            orphan.holder.as_deref() == Some(holder) && orphan.trial.context == *context
        };
        let own = orphans.iter().position(is_own)?;
        Some(orphans.remove(own))
    }
}

/// The next step: a trial that was asked for before and nobody waited for, one that is to be done again, or
/// what the desk says.
pub fn next(
    shared: &Shared,
    desk: &mut Inner,
    lease: Lease<'_>,
    task: Option<&str>,
    (drives, forgetful, context): (bool, Option<&str>, &Description),
) -> Result<Step> {
    desk.refresh()?;
    if let Some(task) = task
        && let Some(finished) = in_order(desk.records(), task)?
    {
        return Ok(Step::Finished(finished));
    }
    if let Some(record) = shared.orphan(desk, lease.holder, context) {
        return Ok(Step::Trial(Box::new(record)));
    }
    if drives && let Some(record) = desk.store().claim(desk.name(), lease)? {
        desk.refresh()?;
        return Ok(Step::Trial(Box::new(record)));
    }
    if let Some(whose) = forgetful {
        let whose = Some(whose).filter(|whose| !whose.is_empty());
        if let Some(record) = desk.store().take_over(desk.name(), whose, lease)? {
            desk.refresh()?;
            return Ok(Step::Trial(Box::new(record)));
        }
    }
    let asker = Asker { lease, request: None };
    compute(|| if drives { desk.step(asker) } else { desk.ask_in(asker, context) })
}
