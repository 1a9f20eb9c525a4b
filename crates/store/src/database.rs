//! What a database must offer: statements with numbered places, and a few words of its own.
//!
//! All statements are written once, in the common part of both dialects. `{lock}` and `{now}` stand
//! for the two expressions that differ.

use crate::error::{Result, StoreError};

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

impl Cell {
    /// For people to read.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Null => "nothing".to_owned(),
            Self::Integer(value) => value.to_string(),
            Self::Real(value) => value.to_string(),
            Self::Text(text) => text.chars().take(80).collect(),
        }
    }
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<u32> for Cell {
    fn from(value: u32) -> Self {
        Self::Integer(value.into())
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        // PostgreSQL keeps no zero bytes in text; then nobody does.
        Self::Text(text.replace('\0', "\u{FFFD}"))
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of an answer, read from left to right.
#[derive(Debug)]
pub(crate) struct Row {
    cells: std::vec::IntoIter<Cell>,
}

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self { cells: cells.into_iter() }
    }

    pub(crate) fn cells(&self) -> &[Cell] {
        self.cells.as_slice()
    }

    pub(crate) fn into_cells(self) -> Vec<Cell> {
        self.cells.collect()
    }

    fn unexpected<T>(wanted: &str, found: &Cell) -> Result<T> {
        Err(StoreError::damaged("a row", format!("{} where {wanted} was expected", found.shown())))
    }

    pub(crate) fn integer(&mut self) -> Result<i64> {
        match self.cells.next().unwrap_or(Cell::Null) {
            Cell::Integer(value) => Ok(value),
            other => Self::unexpected("a whole number", &other),
        }
    }

    pub(crate) fn optional_integer(&mut self) -> Result<Option<i64>> {
        match self.cells.next().unwrap_or(Cell::Null) {
            Cell::Null => Ok(None),
            Cell::Integer(value) => Ok(Some(value)),
            other => Self::unexpected("a whole number", &other),
        }
    }

    /// A count, a place or another small number.
    pub(crate) fn count(&mut self) -> Result<u32> {
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| Self::unexpected("a count", &Cell::Integer(value)))
    }

    pub(crate) fn real(&mut self) -> Result<f64> {
        match self.optional_real()? {
            Some(value) => Ok(value),
            None => Self::unexpected("a number", &Cell::Null),
        }
    }

    pub(crate) fn optional_real(&mut self) -> Result<Option<f64>> {
        match self.cells.next().unwrap_or(Cell::Null) {
            Cell::Null => Ok(None),
            Cell::Real(value) => Ok(Some(value)),
            other => Self::unexpected("a number", &other),
        }
    }

    pub(crate) fn text(&mut self) -> Result<String> {
        match self.optional_text()? {
            Some(text) => Ok(text),
            None => Self::unexpected("text", &Cell::Null),
        }
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<String>> {
        match self.cells.next().unwrap_or(Cell::Null) {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            other => Self::unexpected("text", &other),
        }
    }
}

/// Where the two databases differ in what they want to hear.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// begins a transaction that sees one state of everything
    pub begin_read: &'static str,
    /// begins a transaction that will write
    pub begin_write: &'static str,
    /// keeps others from migrating at the same time
    pub lock_schema: &'static str,
    /// ends a `select` whose rows nobody else may write until this transaction ends
    pub lock: &'static str,
    /// the clock, in seconds of Unix time
    pub now: &'static str,
}

/// An open connection.
pub(crate) trait Database: Send {
    fn dialect(&self) -> &'static Dialect;

    /// Runs a statement and returns its rows.
    fn rows(&mut self, statement: &str, cells: &[Cell]) -> Result<Vec<Row>>;

    /// Runs statements that have no places and return nothing.
    fn run(&mut self, statements: &str) -> Result<()>;

    /// All of it as bytes, where it is kept in memory.
    fn image(&mut self) -> Result<Vec<u8>> {
        Err(StoreError::refused("only what is kept in memory has an image"))
    }
}

/// A transaction under way.
pub(crate) struct Transaction<'a> {
    database: &'a mut dyn Database,
}

impl<'a> Transaction<'a> {
    pub(crate) fn new(database: &'a mut dyn Database) -> Self {
        Self { database }
    }

    pub(crate) fn rows(&mut self, statement: &str, cells: &[Cell]) -> Result<Vec<Row>> {
        let dialect = self.database.dialect();
        let statement = statement.replace("{lock}", dialect.lock).replace("{now}", dialect.now);
        self.database.rows(&statement, cells)
    }

    pub(crate) fn row(&mut self, statement: &str, cells: &[Cell]) -> Result<Option<Row>> {
        Ok(self.rows(statement, cells)?.into_iter().next())
    }

    pub(crate) fn run(&mut self, statement: &str, cells: &[Cell]) -> Result<()> {
        self.rows(statement, cells).map(|_| ())
    }
}
