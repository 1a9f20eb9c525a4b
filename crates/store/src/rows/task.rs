//! Rows of tasks: read, checked and sealed.

use crate::database::{Row, Transaction};
use crate::error::{Result, StoreError};
use crate::record::{TaskRecord, TaskState};
use crate::seal;

/// What is read besides what is sealed.
const UNSEALED: &str = "started, finished, attributes, change";

/// Seals a task's record as it is now.
pub(crate) fn seal(transaction: &mut Transaction<'_>, campaign: &str, number: u32) -> Result<()> {
    seal::TASK.seal(transaction, &[campaign.into(), number.into()])
}

/// The tasks that changed since a change.
pub(crate) fn changed(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    since: i64,
) -> Result<Vec<TaskRecord>> {
    let selected = seal::TASK.selected();
    let statement = format!(
        "SELECT {selected}, {UNSEALED} FROM baton_task WHERE campaign = $1 AND change > $2
         ORDER BY number"
    );
    let rows = transaction.rows(&statement, &[campaign.into(), since.into()])?;
    rows.into_iter().map(record).collect()
}

/// The record of a task.
pub(crate) fn find(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    number: u32,
) -> Result<TaskRecord> {
    let selected = seal::TASK.selected();
    let statement = format!(
        "SELECT {selected}, {UNSEALED} FROM baton_task WHERE campaign = $1 AND number = $2"
    );
    let row = transaction.row(&statement, &[campaign.into(), number.into()])?;
    let missing = || StoreError::refused(format!("the campaign has no task {}", number + 1));
    record(row.ok_or_else(missing)?)
}

/// The record of a task that is not finished.
pub(crate) fn unfinished(
    transaction: &mut Transaction<'_>,
    campaign: &str,
    number: u32,
) -> Result<TaskRecord> {
    let record = find(transaction, campaign, number)?;
    if record.state == TaskState::Finished {
        return Err(StoreError::refused(format!("the task {:?} is finished", record.name)));
    }
    Ok(record)
}

fn record(row: Row) -> Result<TaskRecord> {
    let mut row = seal::TASK.open(row)?;
    row.text()?; // the campaign
    Ok(TaskRecord {
        number: row.count()?,
        name: row.text()?,
        began_with: row.real()?,
        budget: row.real()?,
        state: {
            let name = row.text()?;
            let state = TaskState::ALL.into_iter().find(|state| state.name() == name);
            state.ok_or_else(|| StoreError::damaged("a task", format!("its state is {name:?}")))?
        },
        reason: row.optional_text()?,
        continued: row.integer()?,
        knowledge: row.optional_text()?,
        result: row.optional_text()?,
        described: row.optional_text()?,
        started: row.real()?,
        finished: row.optional_real()?,
        attributes: row.optional_text()?,
        change: row.integer()?,
    })
}
