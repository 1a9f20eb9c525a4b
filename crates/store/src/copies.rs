//! Calls on copies: campaigns to a [`Backup`] and back, and out of the store once they are kept.

use crate::backup::Backup;
use crate::database::Transaction;
use crate::error::{Result, StoreError};
use crate::rows::campaign::lock;
use crate::rows::whole::Whole;
use crate::store::Store;
use std::cell::Cell as Flag;

impl Store {
    /// All campaigns, or one: one state of all, whoever works with the store in the meantime.
    ///
    /// # Errors
    /// If there is no such campaign, or a record is damaged.
    pub fn back_up(&self, only: Option<&str>) -> Result<Backup> {
        self.read(|transaction| {
            let names = match only {
                Some(name) => vec![name.to_owned()],
                None => names(transaction)?,
            };
            let whole = |name: &String| Whole::read(transaction, name);
            let campaigns = names.iter().map(whole).collect::<Result<_>>()?;
            let now = transaction.row("SELECT {now}", &[])?;
            let written = now.map_or(Ok(0.0), |mut row| row.real())?;
            Ok(Backup { campaigns, written })
        })
    }

    /// Puts campaigns back, all or none, under their names and with the numbers of their changes. What
    /// somebody had for a limited time is nobody's then. They are read back before they count.
    ///
    /// # Errors
    /// If the store has any campaign and `empty` is demanded, or one of such a name.
    pub fn put_back(&self, backup: &Backup, empty: bool) -> Result<()> {
        let campaigns: Vec<Whole> = backup.campaigns.iter().map(Whole::released).collect();
        let repeated = Flag::new(false);
        self.write(|transaction| {
            let there = names(transaction)?;
            let is_there = |whole: &&Whole| there.iter().any(|name| name == whole.name());
            // If the answer to the first attempt was lost, all may be there already.
            if repeated.replace(true)
                && !there.is_empty()
                && campaigns.iter().all(|it| is_there(&it))
            {
                return Ok(());
            }
            if empty && !there.is_empty() {
                let reason = format!("the store is not empty: it has {}", there.join(", "));
                return Err(StoreError::refused(reason));
            }
            if let Some(taken) = campaigns.iter().find(is_there) {
                let reason = format!("there is a campaign {:?} already", taken.name());
                return Err(StoreError::refused(reason));
            }
            campaigns.iter().try_for_each(|whole| whole.write(transaction))
        })
    }

    /// Deletes the campaigns of a backup, if each is still what the backup has.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if one has changed since; then none is deleted.
    pub fn remove(&self, backup: &Backup) -> Result<()> {
        let repeated = Flag::new(false);
        self.write(|transaction| {
            let again = repeated.replace(true);
            for whole in &backup.campaigns {
                match lock(transaction, whole.name()) {
                    Ok(found) if found.change == whole.change() => {}
                    Ok(_) => return Err(StoreError::Stale),
                    Err(StoreError::NoCampaign { .. }) if again => continue,
                    Err(error) => return Err(error),
                }
                crate::care::delete(transaction, whole.name())?;
            }
            Ok(())
        })
    }
}

fn names(transaction: &mut Transaction<'_>) -> Result<Vec<String>> {
    let rows = transaction.rows("SELECT name FROM baton_campaign ORDER BY name", &[])?;
    rows.into_iter().map(|mut row| row.text()).collect()
}
