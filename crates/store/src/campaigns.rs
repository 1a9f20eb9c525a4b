//! Calls on campaigns: create, amend, changes, knowledge, and whose turn it is to ask.

use crate::database::Transaction;
use crate::error::{Result, StoreError};
use crate::record::{CampaignRecord, Changes, Lease};
use crate::rows::{campaign, task, trial};
use crate::store::Store;

impl Store {
    /// The names of all campaigns.
    ///
    /// # Errors
    /// If the database fails.
    pub fn campaigns(&self) -> Result<Vec<String>> {
        let names = |transaction: &mut Transaction<'_>| {
            let rows = transaction.rows("SELECT name FROM baton_campaign ORDER BY name", &[])?;
            rows.into_iter().map(|mut row| row.text()).collect()
        };
        self.read(names)
    }

    /// The number of each campaign's last change, by its name.
    ///
    /// # Errors
    /// If the database fails.
    pub fn numbers(&self) -> Result<Vec<(String, i64)>> {
        self.read(|transaction| {
            let statement = "SELECT name, change FROM baton_campaign ORDER BY name";
            let rows = transaction.rows(statement, &[])?;
            rows.into_iter().map(|mut row| Ok((row.text()?, row.integer()?))).collect()
        })
    }

    /// The number of a campaign's last change.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn last_change(&self, name: &str) -> Result<i64> {
        self.read(|transaction| {
            let row = transaction
                .row("SELECT change FROM baton_campaign WHERE name = $1", &[name.into()])?;
            row.ok_or_else(|| StoreError::NoCampaign { name: name.to_owned() })?.integer()
        })
    }

    /// Makes a campaign, unless there is one of that name, and returns the one that is there.
    ///
    /// # Errors
    /// If the database fails.
    pub fn create(&self, name: &str, spec: &str) -> Result<CampaignRecord> {
        self.write(|transaction| {
            let made = transaction.row(
                "INSERT INTO baton_campaign (name, spec, change) VALUES ($1, $2, 0)
                 ON CONFLICT (name) DO NOTHING RETURNING name",
                &[name.into(), spec.into()],
            )?;
            if made.is_some() {
                campaign::seal(transaction, name)?;
            }
            campaign::read(transaction, name)
        })
    }

    /// Replaces what a campaign is about, if it is still what the caller knows.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if it is not.
    pub fn amend(&self, name: &str, known: &str, spec: &str) -> Result<()> {
        self.write(|transaction| {
            let (record, change) = campaign::begin_change(transaction, name)?;
            if record.spec != known && record.spec != spec {
                return Err(StoreError::Stale);
            }
            transaction.run(
                "UPDATE baton_campaign SET spec = $2, change = $3 WHERE name = $1",
                &[name.into(), spec.into(), change.into()],
            )?;
            campaign::seal(transaction, name)
        })
    }

    /// Replaces what the next task starts from.
    ///
    /// # Errors
    /// If a task is under way: what it was asked for rests on what it began with.
    pub fn set_knowledge(&self, name: &str, knowledge: &str) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = campaign::begin_change(transaction, name)?;
            let under_way = transaction.row(
                "SELECT name FROM baton_task WHERE campaign = $1 AND state <> 'finished'",
                &[name.into()],
            )?;
            if let Some(mut row) = under_way {
                let task = row.text()?;
                return Err(StoreError::refused(format!("the task {task:?} is under way")));
            }
            transaction.run(
                "UPDATE baton_campaign SET knowledge = $2, change = $3 WHERE name = $1",
                &[name.into(), knowledge.into(), change.into()],
            )?;
            campaign::seal(transaction, name)
        })
    }

    /// All that changed since a change: 0 for everything.
    ///
    /// # Errors
    /// If there is no such campaign, or a record cannot be understood.
    pub fn changes(&self, name: &str, since: i64) -> Result<Changes> {
        // Numbers of changes are not sealed: a wrong one must not hide a record from whoever wants all.
        let since = if since == 0 { i64::MIN } else { since };
        self.read(|transaction| {
            let campaign = campaign::read(transaction, name)?;
            let tasks = task::changed(transaction, name, since)?;
            let trials = trial::changed(transaction, name, since)?;
            Ok(Changes { campaign, tasks, trials })
        })
    }

    /// Takes the right to do the campaign's next step. It saves others from computing the same, and
    /// it ends by itself: a step done out of turn is refused by what it is based on, not by this.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn take_turn(&self, name: &str, lease: Lease<'_>) -> Result<bool> {
        self.write(|transaction| {
            let taken = transaction.row(
                "UPDATE baton_campaign SET turn_holder = $2, turn_expires = {now} + $3
                 WHERE name = $1
                   AND (turn_holder IS NULL OR turn_holder = $2 OR turn_expires < {now})
                 RETURNING name",
                &[name.into(), lease.holder.into(), lease.seconds.into()],
            )?;
            match taken {
                Some(_) => Ok(true),
                None => campaign::read(transaction, name).map(|_| false),
            }
        })
    }

    /// Gives the right back.
    ///
    /// # Errors
    /// If the database fails.
    pub fn end_turn(&self, name: &str, holder: &str) -> Result<()> {
        self.write(|transaction| {
            transaction.run(
                "UPDATE baton_campaign SET turn_holder = NULL, turn_expires = NULL
                 WHERE name = $1 AND turn_holder = $2",
                &[name.into(), holder.into()],
            )
        })
    }
}
