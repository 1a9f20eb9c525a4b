//! A PostgreSQL database, for campaigns whose workers run on several machines.
//!
//! Every writer first locks the row of its campaign, so that writers of one campaign take turns and
//! no transaction has to be rolled back for another's sake.

use crate::database::{Cell, Database, Dialect, Row};
use crate::error::{Result, StoreError};
use crate::tls::Security;
use postgres::types::private::BytesMut;
use postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls};
use std::time::Duration;

/// How long a connection may take to be made.
const PATIENCE: Duration = Duration::from_secs(10);

static DIALECT: Dialect = Dialect {
    begin_read: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    begin_write: "BEGIN",
    lock_schema: "SELECT pg_advisory_xact_lock(1111577679)",
    lock: "FOR UPDATE",
    now: "extract(epoch from clock_timestamp())::double precision",
};

pub(crate) struct Postgres {
    client: Client,
}

impl Postgres {
    pub(crate) fn open(url: &str, place: &str) -> Result<Self> {
        let unreachable =
            |reason: String| StoreError::Unreachable { place: place.to_owned(), reason };
        let misread = |reason: String| StoreError::Address { place: place.to_owned(), reason };
        let (url, security) = Security::of_address(url).map_err(misread)?;
        let mut config: Config =
            url.parse().map_err(|error: postgres::Error| misread(full(&error)))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(PATIENCE);
        }
        let connected = match security.connector().map_err(misread)? {
            Some(encrypted) => config.connect(encrypted),
            None => config.connect(NoTls),
        };
        let mut client = connected.map_err(|error| unreachable(full(&error)))?;
        // Whatever the server's habit is: what we acknowledge is on its disk.
        client
            .batch_execute("SET synchronous_commit = on; SET client_min_messages = warning")
            .map_err(|error| unreachable(full(&error)))?;
        Ok(Self { client })
    }
}

impl Database for Postgres {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn rows(&mut self, statement: &str, cells: &[Cell]) -> Result<Vec<Row>> {
        let places: Vec<&(dyn ToSql + Sync)> =
            cells.iter().map(|cell| cell as &(dyn ToSql + Sync)).collect();
        let found = self.client.query(statement, &places).map_err(|e| failed(&e))?;
        found.iter().map(row).collect()
    }

    fn run(&mut self, statements: &str) -> Result<()> {
        self.client.batch_execute(statements).map_err(|error| failed(&error))
    }
}

fn row(found: &postgres::Row) -> Result<Row> {
    let cell = |i: usize| -> std::result::Result<Cell, postgres::Error> {
        Ok(match *found.columns()[i].type_() {
            Type::INT8 => found.try_get::<_, Option<i64>>(i)?.into(),
            Type::INT4 => found.try_get::<_, Option<i32>>(i)?.map(i64::from).into(),
            Type::FLOAT8 => found.try_get::<_, Option<f64>>(i)?.into(),
            _ => found.try_get::<_, Option<&str>>(i)?.into(),
        })
    };
    let cells: std::result::Result<Vec<Cell>, _> = (0..found.len()).map(cell).collect();
    cells.map(Row::new).map_err(|error| failed(&error))
}

impl ToSql for Cell {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> std::result::Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(value) => value.to_sql(kind, out),
            Self::Real(value) => value.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::FLOAT8, Type::TEXT].contains(kind)
    }

    to_sql_checked!();
}

/// A broken connection is told from a refused statement by the lack of an answer of the server, or
/// by the server saying that it is going away.
fn failed(error: &postgres::Error) -> StoreError {
    use postgres::error::SqlState;
    let leaving = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::IDLE_SESSION_TIMEOUT,
    ];
    let reason = full(error);
    match error.code() {
        Some(code) if !leaving.contains(code) => StoreError::Database { reason },
        _ => StoreError::Lost { reason },
    }
}

/// The error with its causes: on its own it may say no more than "db error".
fn full(error: &postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
