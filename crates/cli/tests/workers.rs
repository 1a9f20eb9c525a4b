//! Eight workers on one PostgreSQL, a quarter of them killed.
//!
//! PostgreSQL is found in `BATON_TEST_POSTGRES`; `scripts/with-postgres cargo test` provides one.

use crate::support::{Moments, Running, Scratch};
use baton::Outcome;
use baton_runner::Records;
use baton_store::{Store, TaskState};
use std::collections::BTreeSet;
use std::time::Duration;

const WORKERS: usize = 8;
const KILLED: usize = WORKERS / 4;

const SIMULATOR: &str = r#"read -r line
number() { printf '%s' "$line" | sed -n "s/.*\"$1\":\(-\{0,1\}[0-9.eE+-]*\).*/\1/p"; }
echo "$(number task_number) $(number trial) begins" >> "$1"
sleep 0.2
awk -v x="$(number x)" -v y="$(number y)" 'BEGIN { printf "{\"value\": %.17g}\n", (x - 0.6)^2 + (y - 0.3)^2 }'
"#;

const FILE: &str = r#"
name = "shared"
seed = 5
[space]
x = { low = 0, high = 1 }
y = { low = 0, high = 1 }
[[fidelity]]
name = "coarse"
cost = 1
[[fidelity]]
name = "fine"
cost = 3
[objective]
goal = "minimize"
[method]
particles = 3
svgd_steps = 10
candidates = 40
[[task]]
name = "one"
budget = 120
[[task]]
name = "two"
budget = 120
"#;

fn url(name: &str) -> String {
    let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
        panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
    };
    let schema = format!("baton_cli_{}_{name}", std::process::id());
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
    format!("{url}?options=-csearch_path%3D{schema}")
}

/// How many trials of the campaign have their value.
fn told(store: &str) -> usize {
    let records = Records::read(&Store::open(store).unwrap(), "shared").unwrap();
    records.trials.iter().flatten().filter(|record| !record.trial.is_pending()).count()
}

#[test]
fn eight_workers_of_which_two_die_lose_nothing_and_count_nothing_twice() {
    let scratch = Scratch::new("workers");
    let store = url("workers");
    scratch.write("simulate.sh", SIMULATOR);
    scratch.write("campaign.toml", &format!("store = \"{store}\"\n{FILE}"));
    // The file makes the campaign; this process watches and evaluates nothing.
    let watcher = scratch.spawn(&["run", "campaign.toml", "--workers", "0"]);
    while Store::open(&store).unwrap().campaigns().unwrap().is_empty() {
        std::thread::sleep(Duration::from_millis(50));
    }
    let log = scratch.0.join("evaluations").display().to_string();
    let worker = |i: usize| {
        let name = format!("w{i}");
        let call = ["worker", "--store", &store, "--campaign", "shared", "--lease", "2s", "--name"];
        let command = [&name, "--", "sh", "simulate.sh", &log];
        scratch.spawn(&[&call[..], &command[..]].concat())
    };
    let mut workers: Vec<Running> = (0..WORKERS).map(worker).collect();
    let mut moments = Moments::new();
    for _ in 0..KILLED {
        // By what was done, not by the clock: at least 80 trials are to come in all.
        let told = told(&store) + 1 + usize::try_from(moments.below(10)).unwrap();
        while self::told(&store) < told {
            moments.pause(1, 20);
        }
        let unlucky = usize::try_from(moments.below(workers.len() as u64)).unwrap();
        let mut victim = workers.swap_remove(unlucky);
        assert!(!victim.is_over(), "it was over before: make it longer");
        victim.kill();
    }
    for worker in workers {
        assert_eq!(worker.exit_code(Duration::from_mins(2)), Some(0));
    }
    assert_eq!(watcher.exit_code(Duration::from_secs(10)), Some(0));
    check(&Records::read(&Store::open(&store).unwrap(), "shared").unwrap(), &scratch);
}

fn check(records: &Records, scratch: &Scratch) {
    assert!(records.tasks.iter().all(|task| task.state == TaskState::Finished));
    assert_eq!(records.tasks.len(), 2);
    let evaluations = scratch.read("evaluations");
    let mut workers = BTreeSet::new();
    for task in &records.tasks {
        let trials = records.trials_of(task.number);
        // Nothing lost: every trial was told, none is missing.
        let mut orders = Vec::new();
        for (place, record) in trials.iter().enumerate() {
            assert_eq!(record.trial.id, place);
            let Outcome::Told { order, .. } = record.trial.outcome else { panic!("{record:?}") };
            orders.push(order);
            workers.insert(record.holder.clone().unwrap());
            let line = format!("{} {place} begins", task.number + 1);
            let begun = evaluations.lines().filter(|known| *known == line).count();
            // Given to another only when it was lost; who lost it may have died before it began.
            assert!((1..=1 + record.lost as usize).contains(&begun), "{line}: {record:?}");
        }
        // Nothing counted twice.
        orders.sort_unstable();
        assert_eq!(orders, (0..trials.len()).collect::<Vec<_>>());
        // The budget is exact: whole costs, nothing over it, not even the cheapest fits any more.
        let spent: f64 = trials.iter().map(|record| record.trial.cost).sum();
        assert_eq!(spent, 120.0);
    }
    assert!(workers.len() >= WORKERS - KILLED, "{workers:?}");
}
