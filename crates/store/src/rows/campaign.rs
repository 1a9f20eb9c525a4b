//! The row of a campaign: who writes waits for it and takes the number of its change from it.

use crate::database::{Cell, Transaction};
use crate::error::{Result, StoreError};
use crate::record::CampaignRecord;
use crate::seal;

/// Keeps other writers of the campaign waiting until the transaction ends.
pub(crate) fn lock(transaction: &mut Transaction<'_>, name: &str) -> Result<CampaignRecord> {
    read_by(transaction, name, "{lock}")
}

/// Keeps other writers of the campaign waiting, and takes the number of its next change.
pub(crate) fn begin_change(
    transaction: &mut Transaction<'_>,
    name: &str,
) -> Result<(CampaignRecord, i64)> {
    let record = lock(transaction, name)?;
    let change = record.change + 1;
    transaction.run(
        "UPDATE baton_campaign SET change = $2 WHERE name = $1",
        &[name.into(), change.into()],
    )?;
    Ok((record, change))
}

/// The same without reading what the campaign is about, which may be long.
pub(crate) fn next_change(transaction: &mut Transaction<'_>, name: &str) -> Result<i64> {
    let row = transaction.row(
        "UPDATE baton_campaign SET change = change + 1 WHERE name = $1 RETURNING change",
        &[name.into()],
    )?;
    row.ok_or_else(|| StoreError::NoCampaign { name: name.to_owned() })?.integer()
}

/// The record of a campaign.
pub(crate) fn read(transaction: &mut Transaction<'_>, name: &str) -> Result<CampaignRecord> {
    read_by(transaction, name, "")
}

fn read_by(transaction: &mut Transaction<'_>, name: &str, lock: &str) -> Result<CampaignRecord> {
    let selected = seal::CAMPAIGN.selected();
    let statement =
        format!("SELECT {selected}, archived, change FROM baton_campaign WHERE name = $1 {lock}");
    let Some(row) = transaction.row(&statement, &[Cell::from(name)])? else {
        return Err(StoreError::NoCampaign { name: name.to_owned() });
    };
    let mut row = seal::CAMPAIGN.open(row)?;
    Ok(CampaignRecord {
        name: row.text()?,
        spec: row.text()?,
        knowledge: row.optional_text()?,
        archived: row.optional_real()?.is_some(),
        change: row.integer()?,
    })
}

/// Seals a campaign's record as it is now.
pub(crate) fn seal(transaction: &mut Transaction<'_>, name: &str) -> Result<()> {
    seal::CAMPAIGN.seal(transaction, &[name.into()])
}
