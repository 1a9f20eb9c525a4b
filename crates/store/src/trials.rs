//! Calls on trials: append and settle; `leases` has who evaluates them.

use crate::database::Transaction;
use crate::error::{Result, StoreError};
use crate::record::{Answer, Lease, Report, Settled, TrialRecord};
use crate::rows::campaign::next_change;
use crate::rows::task::unfinished;
use crate::rows::trial::{Place, find, insert, served_before, write_outcome};
use crate::store::Store;
use baton::Outcome;
use baton::Trial;
use std::hash::{BuildHasher, Hasher, RandomState};

impl Store {
    /// Appends trials to a task and returns them. Their numbers must continue those that are there;
    /// trials that were told already must continue the order of tells. A `request` that was served
    /// before gets what it got then.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the numbers do not continue; refused if the task is finished.
    pub fn append(
        &self,
        campaign: &str,
        task: u32,
        trials: &[Trial],
        lease: Option<Lease<'_>>,
        request: Option<&str>,
    ) -> Result<Vec<TrialRecord>> {
        let request = named(request);
        let request = request.as_str();
        self.write(|transaction| {
            let change = next_change(transaction, campaign)?;
            if let Some(served) = served_before(transaction, campaign, request)? {
                return Ok(served);
            }
            unfinished(transaction, campaign, task)?;
            let place = Place { campaign, task, change };
            insert(transaction, place, trials, lease, Some(request))
        })
    }

    /// The trials that a request was given, if it was served.
    ///
    /// # Errors
    /// If a record cannot be understood.
    pub fn served(&self, campaign: &str, request: &str) -> Result<Option<Vec<TrialRecord>>> {
        self.read(|transaction| served_before(transaction, campaign, request))
    }

    /// Takes in the answer to a trial. The rule for late answers: **the first value counts, whoever
    /// gives it**, since an evaluation is worth the same after its lease ended; a failure counts
    /// only while nobody else is at the trial. A trial that has its outcome keeps it.
    ///
    /// # Errors
    /// If there is no such trial.
    pub fn settle(&self, campaign: &str, report: &Report<'_>) -> Result<Settled> {
        self.write(|transaction| settle(transaction, campaign, report).map(|(settled, _)| settled))
    }

    /// Takes in answers to trials of any campaigns, in one transaction: many answers are on disk for
    /// the price of one. Each is judged by itself, as if it came alone, and comes with the trial as it
    /// is then.
    ///
    /// # Errors
    /// If the database fails; then nothing was taken in.
    pub fn settle_all(
        &self,
        reports: &[(&str, Report<'_>)],
    ) -> Result<Vec<Result<(Settled, TrialRecord)>>> {
        // Campaigns are locked in the order of their names, so that nobody waits in a circle.
        let mut order: Vec<usize> = (0..reports.len()).collect();
        order.sort_by_key(|i| reports[*i].0);
        self.write(|transaction| {
            let mut settled = Vec::with_capacity(order.len());
            for i in &order {
                let (campaign, report) = &reports[*i];
                match settle(transaction, campaign, report) {
                    Err(error @ (StoreError::Lost { .. } | StoreError::Database { .. })) => {
                        return Err(error);
                    }
                    judged => settled.push((*i, judged)),
                }
            }
            settled.sort_by_key(|(i, _): &(usize, _)| *i);
            Ok(settled.into_iter().map(|(_, judged)| judged).collect())
        })
    }
}

fn settle(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    report: &Report<'_>,
) -> Result<(Settled, TrialRecord)> {
    let change = next_change(transaction, campaign)?;
    let place = Place { campaign, task: report.task, change };
    let Some(found) = find(transaction, place, report.trial)? else {
        let reason = format!("task number {} has no trial {}", report.task + 1, report.trial);
        return Err(StoreError::refused(reason));
    };
    let judged = judge(&found, report);
    if judged != Settled::Counted {
        return Ok((judged, found));
    }
    write_outcome(transaction, place, report)?;
    let now = find(transaction, place, report.trial)?;
    Ok((judged, now.unwrap_or(found)))
}

fn judge(found: &TrialRecord, report: &Report<'_>) -> Settled {
    match (&found.trial.outcome, &report.answer) {
        (Outcome::Pending, Answer::Value(_)) => Settled::Counted,
        (Outcome::Pending, Answer::Failure { .. }) => {
            let taken = report.holder.is_some() && found.holder.as_deref() != report.holder;
            if taken { Settled::Superseded } else { Settled::Counted }
        }
        (Outcome::Told { value, .. }, Answer::Value(again))
            if *value == again.value
                && says_the_same(found.trial.noise, again.noise)
                && says_the_same(found.trial.paid, again.cost)
                && (again.constraints.is_empty()
                    || again.constraints == found.trial.constraints) =>
        {
            Settled::Repeated
        }
        (Outcome::Failed { reason }, Answer::Failure { reason: again, .. }) if reason == again => {
            Settled::Repeated
        }
        _ => Settled::Superseded,
    }
}

/// Who does not speak of something again does not contradict it.
fn says_the_same(known: Option<f64>, again: Option<f64>) -> bool {
    again.is_none() || again == known
}

/// The name of a call: the caller's, or one of its own. If the connection breaks after the call
/// arrived, it is known by that name when it is made again.
pub(crate) fn named(request: Option<&str>) -> String {
    let random = || RandomState::new().build_hasher().finish();
    request.map_or_else(|| format!("call {:016x}{:016x}", random(), random()), str::to_owned)
}
