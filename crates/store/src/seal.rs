//! Seals: a checksum in every record of what must not change unnoticed.
//!
//! Neither database notices a flipped bit in the middle of a text or a number. A record whose seal
//! does not fit is refused. What is not sealed (who evaluates a trial and until when, times, logs,
//! the numbers of changes) can cost work when it is wrong, never a result.

use crate::database::{Cell, Row, Transaction};
use crate::error::{Result, StoreError};
use baton_numerics::checksum;

/// A table whose records are sealed.
pub(crate) struct Sealed {
    /// what a record is of
    what: &'static str,
    table: &'static str,
    /// what is sealed, first of all what tells a record from others
    columns: &'static [&'static str],
    /// how many columns tell a record from others
    keys: usize,
    /// how many of the last columns came later: empty, they are not part of the seal
    later: usize,
}

pub(crate) const CAMPAIGN: Sealed = Sealed {
    what: "campaign",
    table: "baton_campaign",
    columns: &["name", "spec", "knowledge"],
    keys: 1,
    later: 0,
};

pub(crate) const TASK: Sealed = Sealed {
    what: "task",
    table: "baton_task",
    columns: &[
        "campaign",
        "number",
        "name",
        "began_with",
        "budget",
        "state",
        "reason",
        "continued",
        "knowledge",
        "result",
        "described",
    ],
    keys: 2,
    later: 1,
};

pub(crate) const TRIAL: Sealed = Sealed {
    what: "trial",
    table: "baton_trial",
    columns: &[
        "campaign",
        "task",
        "number",
        "asked_for",
        "state",
        "value",
        "place",
        "reason",
        "charged",
        "noise",
        "paid",
        "constraints",
    ],
    keys: 3,
    later: 3,
};

impl Sealed {
    /// Its table in the database.
    pub(crate) fn table(&self) -> &'static str {
        self.table
    }

    /// What is sealed.
    pub(crate) fn columns(&self) -> &'static [&'static str] {
        self.columns
    }

    /// What tells a record from others.
    pub(crate) fn keys(&self) -> &'static [&'static str] {
        &self.columns[..self.keys]
    }

    /// What [`Sealed::open`] wants to see first in a row.
    pub(crate) fn selected(&self) -> String {
        format!("{}, seal", self.columns.join(", "))
    }

    /// Seals a record as it is now.
    pub(crate) fn seal(&self, transaction: &mut Transaction<'_>, keys: &[Cell]) -> Result<()> {
        let places: Vec<String> =
            (1..).zip(&self.columns[..self.keys]).map(|(i, key)| format!("{key} = ${i}")).collect();
        let (table, which) = (self.table, places.join(" AND "));
        let select = format!("SELECT {} FROM {table} WHERE {which}", self.columns.join(", "));
        let Some(row) = transaction.row(&select, keys)? else { return Ok(()) };
        let mut cells = keys.to_vec();
        cells.push(Cell::Integer(checksum(self.sealed(row.cells()))));
        transaction
            .run(&format!("UPDATE {table} SET seal = ${} WHERE {which}", cells.len()), &cells)
    }

    /// What of a record is sealed: records from before a column was added keep their seals.
    fn sealed<'a>(&self, cells: &'a [Cell]) -> &'a [Cell] {
        let least = self.columns.len() - self.later;
        let last = cells.iter().rposition(|cell| *cell != Cell::Null).map_or(0, |last| last + 1);
        &cells[..last.max(least).min(cells.len())]
    }

    /// Seals the records that have no seal yet.
    fn seal_missing(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let (keys, table) = (self.columns[..self.keys].join(", "), self.table);
        let select = format!("SELECT {keys} FROM {table} WHERE seal IS NULL");
        for row in transaction.rows(&select, &[])? {
            self.seal(transaction, &row.into_cells())?;
        }
        Ok(())
    }

    /// The row without its seal, if that fits.
    pub(crate) fn open(&self, row: Row) -> Result<Row> {
        let mut cells = row.into_cells();
        let count = self.columns.len();
        if cells.len() <= count {
            return Err(StoreError::damaged("a row", "it is too short"));
        }
        let seal = cells.remove(count);
        if seal == Cell::Integer(checksum(self.sealed(&cells[..count]))) {
            return Ok(Row::new(cells));
        }
        let which: Vec<String> = cells[..self.keys].iter().map(Cell::shown).collect();
        let what = format!("{} {}", self.what, which.join("/"));
        Err(StoreError::damaged(what, "its checksum does not fit its content"))
    }
}

/// Seals all records of a store from before there were seals.
pub(crate) fn seal_all(transaction: &mut Transaction<'_>) -> Result<()> {
    [CAMPAIGN, TASK, TRIAL].iter().try_for_each(|table| table.seal_missing(transaction))
}

/// Seals all records of a campaign as they are now.
pub(crate) fn seal_campaign(transaction: &mut Transaction<'_>, name: &str) -> Result<()> {
    CAMPAIGN.seal(transaction, &[name.into()])?;
    for table in [TASK, TRIAL] {
        let keys = table.columns[..table.keys].join(", ");
        let select = format!("SELECT {keys} FROM {} WHERE campaign = $1", table.table);
        for row in transaction.rows(&select, &[name.into()])? {
            table.seal(transaction, &row.into_cells())?;
        }
    }
    Ok(())
}

/// Over all cells.
fn checksum(cells: &[Cell]) -> i64 {
    let mut hash = checksum::START;
    let mut take = |kind: u8, bytes: &[u8]| {
        let length = (bytes.len() as u64).to_le_bytes();
        for part in [&[kind], &length[..], bytes] {
            hash = checksum::fnv1a(hash, part);
        }
    };
    for cell in cells {
        match cell {
            Cell::Null => take(0, &[]),
            Cell::Integer(value) => take(1, &value.to_le_bytes()),
            Cell::Real(value) => take(2, &value.to_bits().to_le_bytes()),
            Cell::Text(text) => take(3, text.as_bytes()),
        }
    }
    hash.cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_cell_and_a_missing_seal_are_noticed() {
        let cells = || vec![Cell::from("c"), Cell::from("spec"), Cell::Null];
        let sealed = |seal: Cell| {
            let mut cells = cells();
            cells.extend([seal, Cell::Integer(7)]);
            cells
        };
        let good = sealed(Cell::Integer(checksum(&cells())));
        assert_eq!(CAMPAIGN.open(Row::new(good.clone())).unwrap().into_cells().len(), 4);
        assert!(CAMPAIGN.open(Row::new(sealed(Cell::Null))).is_err());
        for (place, other) in [(0, "d"), (1, "spek"), (2, "")] {
            let mut bad = good.clone();
            bad[place] = Cell::from(other);
            let refused = CAMPAIGN.open(Row::new(bad)).unwrap_err().to_string();
            assert!(refused.contains("checksum"), "{refused}");
        }
        assert!(CAMPAIGN.open(Row::new(cells())).is_err());
    }

    #[test]
    fn records_from_before_a_column_was_added_keep_their_seals() {
        let mut task: Vec<Cell> = (0..10).map(Cell::Integer).collect();
        let sealed = Cell::Integer(checksum(&task));
        task.extend([Cell::Null, sealed]);
        assert!(TASK.open(Row::new(task.clone())).is_ok());
        task[10] = Cell::from("{}");
        assert!(TASK.open(Row::new(task)).is_err(), "what is said of a task is sealed");
    }
}
