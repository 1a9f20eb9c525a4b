//! A SQLite file. Needs no set-up: the file is made when it is first opened.
//!
//! Write-ahead log, so that anybody may read while one writes; synced at every commit, so that what
//! was acknowledged outlives a power failure.

use crate::database::{Cell, Database, Dialect, Row};
use crate::error::{Result, StoreError};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ErrorCode, MAIN_DB, ToSql};
use std::path::Path;
use std::time::Duration;

/// How long a writer waits for another one: their transactions take milliseconds.
const PATIENCE: Duration = Duration::from_mins(1);

/// More than there are statements: with fewer kept, the round of an ask and a tell would push each
/// other's out, and parsing them takes longer than running them.
const STATEMENTS: usize = 128;

static DIALECT: Dialect = Dialect {
    begin_read: "BEGIN",
    begin_write: "BEGIN IMMEDIATE", // one writer at a time, from the beginning
    lock_schema: "",
    lock: "",
    now: "unixepoch('now', 'subsec')",
};

pub(crate) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let damaged = |reason: String| StoreError::Damaged {
            what: format!("the file {}", path.display()),
            reason,
        };
        let unreachable = |error: rusqlite::Error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                damaged(error.to_string())
            }
            _ => StoreError::Unreachable {
                place: path.display().to_string(),
                reason: error.to_string(),
            },
        };
        let connection = Connection::open(path).map_err(unreachable)?;
        connection.busy_timeout(PATIENCE).map_err(unreachable)?;
        keep_statements(&connection).map_err(unreachable)?;
        // Before anything is changed: a damaged file stays as it is.
        let found: String = connection
            .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
            .map_err(unreachable)?;
        if found != "ok" {
            return Err(damaged(found));
        }
        connection.pragma_update(None, "journal_mode", "WAL").map_err(unreachable)?;
        connection.pragma_update(None, "synchronous", "FULL").map_err(unreachable)?;
        connection.pragma_update(None, "foreign_keys", "ON").map_err(unreachable)?;
        Ok(Self { connection })
    }

    /// A database in memory: empty, or a copy of another one's image.
    pub(crate) fn in_memory(image: Option<&[u8]>) -> Result<Self> {
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        keep_statements(&connection).map_err(failed)?;
        if let Some(image) = image {
            connection
                .deserialize_read_exact(MAIN_DB, image, image.len(), false)
                .map_err(failed)?;
        }
        connection.pragma_update(None, "foreign_keys", "ON").map_err(failed)?;
        Ok(Self { connection })
    }
}

/// Statements are parsed once. Without the promise that plans do not depend on what is bound to their
/// places, SQLite would plan each anew whenever that changes.
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map(|_| ())
}

impl Database for Sqlite {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn rows(&mut self, statement: &str, cells: &[Cell]) -> Result<Vec<Row>> {
        // `$1` would be a name here; `?1` is a number.
        let numbered = statement.replace('$', "?");
        let mut prepared = self.connection.prepare_cached(&numbered).map_err(failed)?;
        let columns = prepared.column_count();
        let mut found = prepared.query(rusqlite::params_from_iter(cells)).map_err(failed)?;
        let mut rows = Vec::new();
        while let Some(row) = found.next().map_err(failed)? {
            let cells = (0..columns).map(|i| Ok(cell(row.get_ref(i).map_err(failed)?)));
            rows.push(Row::new(cells.collect::<Result<_>>()?));
        }
        Ok(rows)
    }

    fn run(&mut self, statements: &str) -> Result<()> {
        if statements.is_empty() || statements.contains(';') {
            return self.connection.execute_batch(statements).map_err(failed);
        }
        // The begin and the end of every transaction: parsed once, too.
        let mut prepared = self.connection.prepare_cached(statements).map_err(failed)?;
        prepared.execute([]).map_err(failed).map(drop)
    }

    fn image(&mut self) -> Result<Vec<u8>> {
        Ok(self.connection.serialize(MAIN_DB).map_err(failed)?.to_vec())
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Integer(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Cell::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Self::Null => ToSqlOutput::Owned(Value::Null),
            Self::Integer(value) => ToSqlOutput::Owned(Value::Integer(*value)),
            Self::Real(value) => ToSqlOutput::Owned(Value::Real(*value)),
            Self::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

#[allow(clippy::needless_pass_by_value)] // for map_err
fn failed(error: rusqlite::Error) -> StoreError {
    let reason = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy) => format!("another program kept the file busy ({error})"),
        _ => error.to_string(),
    };
    StoreError::Database { reason }
}
