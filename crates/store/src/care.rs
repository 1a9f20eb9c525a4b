//! Calls on whole campaigns and on what people note: rename, archive, delete, annotate.

use crate::database::{Cell, Transaction};
use crate::error::{Result, StoreError};
use crate::rows::campaign::{begin_change, lock};
use crate::rows::{task, trial};
use crate::seal;
use crate::store::Store;

impl Store {
    /// Gives a campaign another name. Who works on it by the old name is told that there is none.
    ///
    /// # Errors
    /// If there is no such campaign, or one of the new name.
    pub fn rename(&self, name: &str, new: &str) -> Result<()> {
        if new.trim().is_empty() {
            return Err(StoreError::refused("a campaign needs a name"));
        }
        self.write(|transaction| {
            lock(transaction, name)?;
            // Damage must be found before the copies are sealed.
            task::changed(transaction, name, i64::MIN)?;
            trial::changed(transaction, name, i64::MIN)?;
            let taken = "SELECT name FROM baton_campaign WHERE name = $1";
            if transaction.row(taken, &[new.into()])?.is_some() {
                return Err(StoreError::refused(format!("there is a campaign {new:?} already")));
            }
            let cells = [name.into(), new.into()];
            // Copies first: a record is never without the one it belongs to.
            transaction.run(
                "INSERT INTO baton_campaign (name, spec, knowledge, change, archived)
                 SELECT $2, spec, knowledge, change + 1, archived FROM baton_campaign WHERE name = $1",
                &cells,
            )?;
            transaction.run(
                "INSERT INTO baton_task (campaign, number, name, began_with, budget, state, reason,
                     continued, knowledge, result, started, finished, change, attributes,
                     described)
                 SELECT $2, number, name, began_with, budget, state, reason, continued, knowledge,
                     result, started, finished, change, attributes, described
                 FROM baton_task WHERE campaign = $1",
                &cells,
            )?;
            transaction.run("UPDATE baton_trial SET campaign = $2 WHERE campaign = $1", &cells)?;
            transaction.run("DELETE FROM baton_task WHERE campaign = $1", &cells[..1])?;
            transaction.run("DELETE FROM baton_campaign WHERE name = $1", &cells[..1])?;
            seal::seal_campaign(transaction, new)
        })
    }

    /// Puts a campaign aside, or takes it up again. Nothing else about it changes.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn archive(&self, name: &str, aside: bool) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, name)?;
            let when = if aside { "{now}" } else { "NULL" };
            let statement =
                format!("UPDATE baton_campaign SET archived = {when}, change = $2 WHERE name = $1");
            transaction.run(&statement, &[name.into(), change.into()])
        })
    }

    /// The names of the campaigns that are not archived, in order.
    ///
    /// # Errors
    /// If the database fails.
    pub fn active(&self) -> Result<Vec<String>> {
        self.read(|transaction| {
            let statement = "SELECT name FROM baton_campaign WHERE archived IS NULL ORDER BY name";
            transaction.rows(statement, &[])?.into_iter().map(|mut row| row.text()).collect()
        })
    }

    /// Deletes a campaign with all its records.
    ///
    /// # Errors
    /// If there is no such campaign.
    pub fn delete(&self, name: &str) -> Result<()> {
        self.write(|transaction| {
            lock(transaction, name)?;
            delete(transaction, name)
        })
    }

    /// Replaces what people noted about a task, or about one of its trials; not looked into.
    ///
    /// # Errors
    /// If there is no such task or trial.
    pub fn annotate(
        &self,
        campaign: &str,
        (task, trial): (u32, Option<usize>),
        attributes: Option<&str>,
    ) -> Result<()> {
        self.write(|transaction| {
            let (_, change) = begin_change(transaction, campaign)?;
            let mut cells = vec![campaign.into(), task.into(), attributes.into(), change.into()];
            let (table, which) = match trial {
                None => ("baton_task", "number = $2"),
                Some(trial) => {
                    cells.push(Cell::Integer(trial.try_into().unwrap_or(i64::MAX)));
                    ("baton_trial", "task = $2 AND number = $5")
                }
            };
            let statement = format!(
                "UPDATE {table} SET attributes = $3, change = $4
                 WHERE campaign = $1 AND {which} RETURNING change"
            );
            found(transaction, &statement, &cells, (task, trial))
        })
    }
}

/// Deletes all rows of a campaign.
pub(crate) fn delete(transaction: &mut Transaction<'_>, name: &str) -> Result<()> {
    for statement in [
        "DELETE FROM baton_trial WHERE campaign = $1",
        "DELETE FROM baton_task WHERE campaign = $1",
        "DELETE FROM baton_campaign WHERE name = $1",
    ] {
        transaction.run(statement, &[name.into()])?;
    }
    Ok(())
}

fn found(
    transaction: &mut Transaction<'_>,
    statement: &str,
    cells: &[Cell],
    (task, trial): (u32, Option<usize>),
) -> Result<()> {
    if transaction.row(statement, cells)?.is_some() {
        return Ok(());
    }
    let what = trial.map_or_else(String::new, |trial| format!("trial {trial} of "));
    Err(StoreError::refused(format!("the campaign has no {what}task {}", task + 1)))
}
