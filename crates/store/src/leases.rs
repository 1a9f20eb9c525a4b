//! Calls on leases: claim, take over, renew, release.

use crate::database::{Cell, Transaction};
use crate::error::Result;
use crate::record::{Lease, TrialRecord};
use crate::rows::campaign::{begin_change, lock};
use crate::rows::trial::{Place, UNSEALED, find, number, record};
use crate::seal;
use crate::store::Store;

impl Store {
    /// A pending trial to evaluate: the holder's own if it has one, so that a worker that crashed
    /// gets back what it had; else the oldest whose lease ended or that nobody holds.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn claim(&self, campaign: &str, lease: Lease<'_>) -> Result<Option<TrialRecord>> {
        self.write(|transaction| {
            lock(transaction, campaign)?; // who finds nothing changes nothing
            let which = "(holder IS NULL OR holder = $2 OR expires < {now})";
            let cells = [campaign.into(), lease.holder.into()];
            let found = pending(transaction, which, &cells)?;
            found.map_or(Ok(None), |found| hand_over(transaction, campaign, &found, lease))
        })
    }

    /// A pending trial that somebody holds for as long as it takes, without a lease that ends: the
    /// oldest one, of that holder or of anybody. For trials that were asked for and forgotten.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn take_over(
        &self,
        campaign: &str,
        of: Option<&str>,
        lease: Lease<'_>,
    ) -> Result<Option<TrialRecord>> {
        self.write(|transaction| {
            lock(transaction, campaign)?;
            let which = "expires IS NULL AND holder = coalesce($3, holder)";
            let cells = [campaign.into(), lease.holder.into(), of.into()];
            let Some(mut found) = pending(transaction, which, &cells)? else { return Ok(None) };
            found.holder = None; // nobody was lost
            hand_over(transaction, campaign, &found, lease)
        })
    }

    /// A sign of life: the leases that holders still have begin anew, that of the turn included.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn renew(&self, campaign: &str, leases: &[Lease<'_>]) -> Result<()> {
        self.write(|transaction| {
            // First the campaign's row, as everybody does: who locks in another order may wait for
            // one who waits for him.
            lock(transaction, campaign)?;
            for lease in leases {
                let cells = [campaign.into(), lease.holder.into(), lease.seconds.into()];
                transaction.run(
                    "UPDATE baton_trial SET expires = {now} + $3
                     WHERE campaign = $1 AND holder = $2 AND state = 'pending'",
                    &cells,
                )?;
                transaction.run(
                    "UPDATE baton_campaign SET turn_expires = {now} + $3
                     WHERE name = $1 AND turn_holder = $2",
                    &cells,
                )?;
            }
            Ok(())
        })
    }

    /// The leases of those who are known to be gone end at once, that of the turn included. What they
    /// had counts as lost, as if its lease had ended by itself.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn end_leases(&self, campaign: &str, gone: &dyn Fn(&str) -> bool) -> Result<()> {
        self.write(|transaction| {
            lock(transaction, campaign)?;
            let holders = transaction.rows(
                "SELECT holder FROM baton_trial
                 WHERE campaign = $1 AND state = 'pending' AND expires IS NOT NULL
                 UNION SELECT turn_holder FROM baton_campaign WHERE name = $1",
                &[campaign.into()],
            )?;
            for mut row in holders {
                let Some(holder) = row.optional_text()?.filter(|holder| gone(holder)) else {
                    continue;
                };
                let cells = [campaign.into(), holder.as_str().into()];
                transaction.run(
                    "UPDATE baton_trial SET expires = {now} - 1
                     WHERE campaign = $1 AND holder = $2 AND state = 'pending'
                       AND expires IS NOT NULL",
                    &cells,
                )?;
                transaction.run(
                    "UPDATE baton_campaign SET turn_expires = {now} - 1
                     WHERE name = $1 AND turn_holder = $2",
                    &cells,
                )?;
            }
            Ok(())
        })
    }

    /// Gives back what holders have and did not answer, their turn included: whoever comes next need
    /// not wait until their leases end. Nobody counts as lost.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn release(&self, campaign: &str, holders: &[&str]) -> Result<()> {
        self.write(|transaction| {
            lock(transaction, campaign)?; // who has nothing changes nothing
            for holder in holders {
                let mut cells = vec![campaign.into(), (*holder).into()];
                transaction.run(
                    "UPDATE baton_campaign SET turn_holder = NULL, turn_expires = NULL
                     WHERE name = $1 AND turn_holder = $2",
                    &cells,
                )?;
                if pending(transaction, "holder = $2", &cells)?.is_none() {
                    continue;
                }
                let (_, change) = begin_change(transaction, campaign)?;
                cells.push(change.into());
                transaction.run(
                    "UPDATE baton_trial SET holder = NULL, expires = NULL, change = $3
                     WHERE campaign = $1 AND holder = $2 AND state = 'pending'",
                    &cells,
                )?;
            }
            Ok(())
        })
    }
}

/// The oldest pending trial of some, first of all the holder's own (the second cell).
fn pending(
    transaction: &mut Transaction<'_>,
    which: &str,
    cells: &[Cell],
) -> Result<Option<TrialRecord>> {
    let selected = seal::TRIAL.selected();
    let statement = format!(
        "SELECT {selected}, {UNSEALED} FROM baton_trial
         WHERE campaign = $1 AND state = 'pending' AND {which}
         ORDER BY CASE WHEN holder = $2 THEN 0 ELSE 1 END, task, number LIMIT 1"
    );
    transaction.row(&statement, cells)?.map(record).transpose()
}

/// Gives a pending trial to a holder.
fn hand_over(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    found: &TrialRecord,
    lease: Lease<'_>,
) -> Result<Option<TrialRecord>> {
    let (_, change) = begin_change(transaction, campaign)?;
    let lost = match &found.holder {
        Some(holder) if holder != lease.holder => found.lost + 1,
        _ => found.lost,
    };
    let place = Place { campaign, task: found.task, change };
    transaction.run(
        "UPDATE baton_trial
         SET holder = $4, expires = {now} + $5, lost = $6, change = $7
         WHERE campaign = $1 AND task = $2 AND number = $3",
        &[
            campaign.into(),
            found.task.into(),
            number(&found.trial),
            lease.holder.into(),
            lease.seconds.into(),
            lost.into(),
            change.into(),
        ],
    )?;
    find(transaction, place, found.trial.id)
}
