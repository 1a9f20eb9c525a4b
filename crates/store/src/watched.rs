//! A connection with somebody who sees every statement before it is made and after.
//!
//! For tests that let things go wrong at each of these moments: who watches may end the process, or
//! return the error that the caller is to see instead of the answer.

use crate::database::{Cell, Database, Dialect, Row};
use crate::error::Result;
use std::sync::Arc;

/// A moment at which something may go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment<'a> {
    /// the statement has not reached the database
    Before(&'a str),
    /// the database has answered, the caller does not know it
    After(&'a str),
}

/// Sees every moment.
pub type Watcher = dyn Fn(Moment<'_>) -> Result<()> + Send + Sync;

pub(crate) struct Watched {
    pub database: Box<dyn Database>,
    pub watcher: Arc<Watcher>,
}

impl Watched {
    fn around<T>(
        &mut self,
        statement: &str,
        make: impl FnOnce(&mut dyn Database) -> Result<T>,
    ) -> Result<T> {
        (self.watcher)(Moment::Before(statement))?;
        let answer = make(self.database.as_mut())?;
        (self.watcher)(Moment::After(statement))?;
        Ok(answer)
    }
}

impl Database for Watched {
    fn dialect(&self) -> &'static Dialect {
        self.database.dialect()
    }

    fn rows(&mut self, statement: &str, cells: &[Cell]) -> Result<Vec<Row>> {
        self.around(statement, |database| database.rows(statement, cells))
    }

    fn run(&mut self, statements: &str) -> Result<()> {
        self.around(statements, |database| database.run(statements))
    }
}
