//! Whole campaigns: all rows with all columns and seals, as they leave a store and come into another.

use crate::database::{Cell, Row, Transaction};
use crate::error::{Result, StoreError};
use crate::seal::{self, Sealed};

/// A table of a campaign's records.
pub(crate) struct Table {
    /// what a row of it is called
    pub kind: &'static str,
    /// what is sealed
    sealed: &'static Sealed,
    /// what is kept besides; whose turn it is to ask is not: who has it is at work elsewhere
    unsealed: &'static [&'static str],
    /// the column that has the campaign's name
    campaign: &'static str,
}

/// The tables, so that each is before those that refer to it.
pub(crate) static TABLES: [Table; 3] = [
    Table {
        kind: "campaign",
        sealed: &seal::CAMPAIGN,
        unsealed: &["archived", "change"],
        campaign: "name",
    },
    Table {
        kind: "task",
        sealed: &seal::TASK,
        unsealed: &["started", "finished", "attributes", "change"],
        campaign: "campaign",
    },
    Table {
        kind: "trial",
        sealed: &seal::TRIAL,
        unsealed: &[
            "lost",
            "attempts",
            "log",
            "asked",
            "answered",
            "request",
            "attributes",
            "change",
            "holder",
            "expires",
        ],
        campaign: "campaign",
    },
];

impl Table {
    /// All columns in the order of a row's cells: what is sealed, the seal, the rest.
    pub(crate) fn columns(&self) -> Vec<&'static str> {
        [self.sealed.columns(), &["seal"], self.unsealed].concat()
    }

    /// Refuses a row whose seal does not fit.
    pub(crate) fn check(&self, cells: &[Cell]) -> Result<()> {
        self.sealed.open(Row::new(cells.to_vec())).map(drop)
    }

    fn read(&self, transaction: &mut Transaction<'_>, name: &str) -> Result<Vec<Vec<Cell>>> {
        let keys = self.sealed.keys().join(", ");
        let statement = format!(
            "SELECT {} FROM {} WHERE {} = $1 ORDER BY {keys}",
            self.columns().join(", "),
            self.sealed.table(),
            self.campaign
        );
        let rows = transaction.rows(&statement, &[name.into()])?;
        let rows: Vec<Vec<Cell>> = rows.into_iter().map(Row::into_cells).collect();
        rows.iter().try_for_each(|cells| self.check(cells))?;
        Ok(rows)
    }

    fn insert(&self, transaction: &mut Transaction<'_>, cells: &[Cell]) -> Result<()> {
        let columns = self.columns();
        let places: Vec<String> = (1..=columns.len()).map(|place| format!("${place}")).collect();
        let statement = format!(
            "INSERT INTO {} ({}) VALUES ({})",
            self.sealed.table(),
            columns.join(", "),
            places.join(", ")
        );
        transaction.run(&statement, cells)
    }

    fn cell<'a>(&self, cells: &'a [Cell], column: &str) -> &'a Cell {
        let place = self.columns().iter().position(|known| *known == column);
        place.and_then(|place| cells.get(place)).unwrap_or(&Cell::Null)
    }
}

/// All rows of a campaign.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Whole {
    /// those of each of [`TABLES`]
    pub rows: [Vec<Vec<Cell>>; 3],
}

impl Whole {
    /// Reads it; none of its records may be damaged.
    pub(crate) fn read(transaction: &mut Transaction<'_>, name: &str) -> Result<Self> {
        let mut whole = Self::default();
        for (rows, table) in whole.rows.iter_mut().zip(&TABLES) {
            *rows = table.read(transaction, name)?;
        }
        if whole.rows[0].is_empty() {
            return Err(StoreError::NoCampaign { name: name.to_owned() });
        }
        Ok(whole)
    }

    /// Writes it, reads it back and compares.
    pub(crate) fn write(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        for (table, rows) in TABLES.iter().zip(&self.rows) {
            rows.iter().try_for_each(|cells| table.insert(transaction, cells))?;
        }
        if Self::read(transaction, self.name())? == *self {
            return Ok(());
        }
        let reason = format!("the records of {:?} are not read as they were written", self.name());
        Err(StoreError::refused(reason))
    }

    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self.rows[0].first().map(|cells| TABLES[0].cell(cells, "name")) {
            Some(Cell::Text(name)) => name,
            _ => "",
        }
    }

    /// The number of its last change.
    pub(crate) fn change(&self) -> i64 {
        match self.rows[0].first().map(|cells| TABLES[0].cell(cells, "change")) {
            Some(Cell::Integer(change)) => *change,
            _ => 0,
        }
    }

    /// The same without leases: who had a trial for a limited time works at another store.
    pub(crate) fn released(&self) -> Self {
        let mut whole = self.clone();
        let table = &TABLES[2];
        for cells in &mut whole.rows[2] {
            let pending = *table.cell(cells, "state") == Cell::from("pending");
            if pending && *table.cell(cells, "expires") != Cell::Null {
                let end = cells.len(); // holder and expires are the last two
                cells[end - 2..].fill(Cell::Null);
            }
        }
        whole
    }
}
