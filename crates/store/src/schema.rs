//! The tables and their versions.
//!
//! A store remembers its version. Opening it brings it to the latest one, step by step, in a single
//! transaction; a store of a later version is refused. A step that was released never changes.

use crate::database::{Cell, Database, Transaction};
use crate::error::{Result, StoreError};
use crate::seal;

/// The version from which on every record has a seal.
const SEALED: i64 = 3;

/// Step `i` leads from version `i` to `i + 1`. The names of types mean the same in both dialects. A
/// step cannot be taken twice, so that a wrong version in a damaged file is noticed.
const STEPS: &[&str] = &[
    "
CREATE TABLE baton_campaign (
    name TEXT PRIMARY KEY,
    spec TEXT NOT NULL,
    knowledge TEXT,
    change BIGINT NOT NULL,
    turn_holder TEXT,
    turn_expires DOUBLE PRECISION
);
CREATE TABLE baton_task (
    campaign TEXT NOT NULL REFERENCES baton_campaign (name),
    number BIGINT NOT NULL,
    name TEXT NOT NULL,
    began_with DOUBLE PRECISION NOT NULL,
    budget DOUBLE PRECISION NOT NULL,
    state TEXT NOT NULL,
    reason TEXT,
    continued BIGINT NOT NULL,
    knowledge TEXT,
    result TEXT,
    started DOUBLE PRECISION NOT NULL,
    finished DOUBLE PRECISION,
    change BIGINT NOT NULL,
    PRIMARY KEY (campaign, number),
    UNIQUE (campaign, name)
);
CREATE TABLE baton_trial (
    campaign TEXT NOT NULL,
    task BIGINT NOT NULL,
    number BIGINT NOT NULL,
    asked_for TEXT NOT NULL,
    state TEXT NOT NULL,
    value DOUBLE PRECISION,
    place BIGINT,
    reason TEXT,
    charged BIGINT NOT NULL,
    holder TEXT,
    expires DOUBLE PRECISION,
    lost BIGINT NOT NULL,
    attempts BIGINT NOT NULL,
    log TEXT NOT NULL,
    asked DOUBLE PRECISION NOT NULL,
    answered DOUBLE PRECISION,
    request TEXT,
    change BIGINT NOT NULL,
    PRIMARY KEY (campaign, task, number),
    FOREIGN KEY (campaign, task) REFERENCES baton_task (campaign, number)
);
CREATE INDEX baton_trial_change ON baton_trial (campaign, change);
CREATE INDEX baton_trial_request ON baton_trial (campaign, request);
",
    "
ALTER TABLE baton_campaign ADD COLUMN seal BIGINT;
ALTER TABLE baton_task ADD COLUMN seal BIGINT;
ALTER TABLE baton_trial ADD COLUMN seal BIGINT;
",
    "ALTER TABLE baton_schema ADD COLUMN sealed BIGINT",
    "
ALTER TABLE baton_trial ADD COLUMN noise DOUBLE PRECISION;
ALTER TABLE baton_trial ADD COLUMN paid DOUBLE PRECISION;
ALTER TABLE baton_trial ADD COLUMN attributes TEXT;
ALTER TABLE baton_task ADD COLUMN attributes TEXT;
ALTER TABLE baton_campaign ADD COLUMN archived DOUBLE PRECISION;
",
    "ALTER TABLE baton_task ADD COLUMN described TEXT",
    "ALTER TABLE baton_trial ADD COLUMN constraints TEXT",
];

/// The latest version.
pub(crate) fn version() -> i64 {
    i64::try_from(STEPS.len()).unwrap_or(i64::MAX)
}

/// Brings the tables to the latest version.
pub(crate) fn migrate(database: &mut dyn Database) -> Result<()> {
    migrate_by(database, STEPS)
}

fn migrate_by(database: &mut dyn Database, steps: &[&str]) -> Result<()> {
    let dialect = database.dialect();
    database.run(dialect.begin_write)?;
    let result = take_steps(database, steps);
    database.run(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    result
}

fn take_steps(database: &mut dyn Database, steps: &[&str]) -> Result<()> {
    database.run(database.dialect().lock_schema)?;
    database.run("CREATE TABLE IF NOT EXISTS baton_schema (version BIGINT NOT NULL)")?;
    let known = i64::try_from(steps.len()).unwrap_or(i64::MAX);
    let found = match Transaction::new(database).row("SELECT version FROM baton_schema", &[])? {
        Some(mut row) => row.integer()?,
        None => 0,
    };
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found == known {
        return Ok(());
    }
    for step in steps.iter().skip(usize::try_from(found).unwrap_or(0)) {
        database.run(step)?;
    }
    let mut transaction = Transaction::new(database);
    if found < SEALED && known >= SEALED {
        seal::seal_all(&mut transaction)?;
    }
    transaction.run("DELETE FROM baton_schema", &[])?;
    transaction.run("INSERT INTO baton_schema (version) VALUES ($1)", &[Cell::Integer(known)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::Sqlite;
    use std::path::Path;

    fn version(database: &mut dyn Database) -> i64 {
        let mut transaction = Transaction::new(database);
        let row = transaction.row("SELECT version FROM baton_schema", &[]).unwrap();
        row.unwrap().integer().unwrap()
    }

    #[test]
    fn steps_are_taken_once_and_what_was_there_is_kept() {
        let mut database = Sqlite::open(Path::new(":memory:")).unwrap();
        migrate(&mut database).unwrap();
        let fill = "INSERT INTO baton_campaign (name, spec, change) VALUES ('a', '{}', 0)";
        database.run(fill).unwrap();
        migrate(&mut database).unwrap();
        let mut steps = STEPS.to_vec();
        steps.push("ALTER TABLE baton_campaign ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'");
        migrate_by(&mut database, &steps).unwrap();
        migrate_by(&mut database, &steps).unwrap();
        assert_eq!(version(&mut database), i64::try_from(steps.len()).unwrap());
        let mut transaction = Transaction::new(&mut database);
        let colour = transaction.row("SELECT colour FROM baton_campaign", &[]).unwrap();
        assert_eq!(colour.unwrap().text().unwrap(), "red");
    }

    #[test]
    fn records_from_before_there_were_seals_are_given_one() {
        let mut database = Sqlite::open(Path::new(":memory:")).unwrap();
        migrate_by(&mut database, &STEPS[..2]).unwrap();
        let fill = "INSERT INTO baton_campaign (name, spec, change) VALUES ('a', '{}', 0)";
        database.run(fill).unwrap();
        migrate(&mut database).unwrap();
        let select = format!("SELECT {} FROM baton_campaign", seal::CAMPAIGN.selected());
        let row = Transaction::new(&mut database).row(&select, &[]).unwrap().unwrap();
        assert!(seal::CAMPAIGN.open(row).is_ok());
        database.run("UPDATE baton_schema SET version = 2").unwrap();
        assert!(migrate(&mut database).is_err(), "a step is not taken twice");
    }

    #[test]
    fn a_failed_step_leaves_the_store_as_it_was_and_a_later_version_is_refused() {
        let mut database = Sqlite::open(Path::new(":memory:")).unwrap();
        migrate(&mut database).unwrap();
        let known = version(&mut database);
        let broken = [STEPS, &["CREATE TABLE half (x BIGINT)", "nonsense"]].concat();
        assert!(migrate_by(&mut database, &broken).is_err());
        assert_eq!(version(&mut database), known);
        assert!(database.run("SELECT * FROM half").is_err());
        database.run("UPDATE baton_schema SET version = 8").unwrap();
        assert_eq!(migrate(&mut database), Err(StoreError::Newer { found: 8, known }));
    }
}
