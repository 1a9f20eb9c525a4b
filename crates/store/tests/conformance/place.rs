//! Fresh stores of both kinds, and the records that the tests begin with.

use baton::{Aim, Outcome};
use baton::{Trial, Value};
use baton_store::{Answer, Lease, NewTask, Report, Store, TrialRecord};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The same tests on both databases.
macro_rules! suite {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[test] fn $name() { super::$name(&crate::place::sqlite()); })*
        }
        mod on_postgres {
            $(#[test] fn $name() { super::$name(&crate::place::postgres()); })*
        }
    };
}

/// A fresh store that can be opened several times.
pub struct Place {
    pub url: String,
    pub folder: Option<std::path::PathBuf>,
}

static FRESH: AtomicUsize = AtomicUsize::new(0);

pub fn fresh_name() -> String {
    format!("baton_test_{}_{}", std::process::id(), FRESH.fetch_add(1, Ordering::Relaxed))
}

pub fn sqlite() -> Place {
    let folder = std::env::temp_dir().join(fresh_name());
    std::fs::create_dir_all(&folder).unwrap();
    Place { url: format!("sqlite:{}", folder.join("store.db").display()), folder: Some(folder) }
}

pub fn postgres() -> Place {
    let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
        panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
    };
    let schema = fresh_name();
    let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
    client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
    Place { url: format!("{url}?options=-csearch_path%3D{schema}"), folder: None }
}

impl Place {
    pub fn open(&self) -> Store {
        Store::open(&self.url).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

pub fn trial(id: usize) -> Trial {
    Trial {
        id,
        point: vec![Value::Real(0.1 + 0.2), Value::Integer(3), Value::Text("ä\"b".into())],
        level: 1,
        fidelity: "fine".into(),
        cost: 1.0 / 3.0,
        charged: true,
        aim: Aim::BOTH,
        reason: String::new(),
        nats: None,
        runner_up: Some(("coarse".into(), 1e-7)),
        notes: Vec::new(),
        outcome: Outcome::Pending,
        noise: None,
        paid: None,
        constraints: baton::Measured::new(),
        context: baton::Description::new(),
    }
}

pub const TASK: NewTask<'_> =
    NewTask { number: 0, name: "monday", budget: 0.3, knowledge: Some("k0"), described: None };

pub fn lease(holder: &str, seconds: f64) -> Lease<'_> {
    Lease { holder, seconds: Some(seconds) }
}

pub fn value(trial: usize, holder: &str, value: f64) -> Report<'_> {
    let answer = Answer::Value(value.into());
    Report { task: 0, trial, holder: Some(holder), answer, attempts: 1, log: "" }
}

pub fn failure(trial: usize, holder: &str, charged: bool) -> Report<'_> {
    let answer = Answer::Failure { reason: "boom".into(), charged };
    Report { task: 0, trial, holder: Some(holder), answer, attempts: 2, log: "line\nlast" }
}

/// A campaign `c` with one task and one trial, held by `w` for a minute.
pub fn started(store: &Store) -> Vec<TrialRecord> {
    store.create("c", "spec").unwrap();
    store.start("c", TASK, &[trial(0)], Some(lease("w", 60.0)), None).unwrap()
}

pub fn records(store: &Store) -> Vec<TrialRecord> {
    store.changes("c", 0).unwrap().trials
}
