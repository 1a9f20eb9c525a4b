//! One suite for both databases: what every store must do, whatever is behind it.
//!
//! PostgreSQL is found in `BATON_TEST_POSTGRES`; `scripts/with-postgres cargo test` provides one.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

use baton::{Aim, Outcome};
use baton::{Measurement, Trial, Value};
use baton_store::{
    Answer, Lease, Moment, NewTask, Report, Settled, Store, StoreError, TaskState, TrialRecord,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

/// A fresh store that can be opened several times.
struct Place {
    url: String,
    folder: Option<std::path::PathBuf>,
}

static FRESH: AtomicUsize = AtomicUsize::new(0);

fn fresh_name() -> String {
    format!("baton_test_{}_{}", std::process::id(), FRESH.fetch_add(1, Ordering::Relaxed))
}

fn sqlite() -> Place {
    let folder = std::env::temp_dir().join(fresh_name());
    std::fs::create_dir_all(&folder).unwrap();
    Place { url: format!("sqlite:{}", folder.join("store.db").display()), folder: Some(folder) }
}

fn postgres() -> Place {
    let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
        panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
    };
    let schema = fresh_name();
    let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
    client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
    Place { url: format!("{url}?options=-csearch_path%3D{schema}"), folder: None }
}

impl Place {
    fn open(&self) -> Store {
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

fn trial(id: usize) -> Trial {
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
    }
}

const TASK: NewTask<'_> = NewTask { number: 0, name: "monday", budget: 0.3, knowledge: Some("k0") };

fn lease(holder: &str, seconds: f64) -> Lease<'_> {
    Lease { holder, seconds: Some(seconds) }
}

fn value(trial: usize, holder: &str, value: f64) -> Report<'_> {
    let answer = Answer::Value(value.into());
    Report { task: 0, trial, holder: Some(holder), answer, attempts: 1, log: "" }
}

fn failure(trial: usize, holder: &str, charged: bool) -> Report<'_> {
    let answer = Answer::Failure { reason: "boom".into(), charged };
    Report { task: 0, trial, holder: Some(holder), answer, attempts: 2, log: "line\nlast" }
}

/// A campaign `c` with one task and one trial, held by `w` for a minute.
fn started(store: &Store) -> Vec<TrialRecord> {
    store.create("c", "spec").unwrap();
    store.start("c", TASK, &[trial(0)], Some(lease("w", 60.0)), None).unwrap()
}

fn records(store: &Store) -> Vec<TrialRecord> {
    store.changes("c", 0).unwrap().trials
}

fn what_was_written_is_read_by_others(place: &Place) {
    let store = place.open();
    let returned = started(&store);
    assert_eq!(store.settle("c", &value(0, "w", 0.1 + 0.7)).unwrap(), Settled::Counted);
    drop(store);
    let again = place.open();
    assert_eq!(again.campaigns().unwrap(), ["c"]);
    let changes = again.changes("c", 0).unwrap();
    assert_eq!(changes.campaign.spec, "spec");
    assert_eq!(changes.campaign.knowledge, None);
    let task = &changes.tasks[0];
    assert_eq!((task.number, task.name.as_str(), task.budget), (0, "monday", 0.3));
    assert_eq!((task.state, task.knowledge.as_deref()), (TaskState::Open, Some("k0")));
    let expected = Trial { outcome: Outcome::Told { value: 0.1 + 0.7, order: 0 }, ..trial(0) };
    assert_eq!(changes.trials[0].trial, expected);
    assert_eq!(returned[0].trial, trial(0));
    assert_eq!(returned[0].holder.as_deref(), Some("w"));
    assert!(returned[0].expires.unwrap() > returned[0].asked + 50.0);
    let (asked, answered) = (changes.trials[0].asked, changes.trials[0].answered.unwrap());
    assert!(answered >= asked && asked > 1.6e9);
}

fn a_campaign_is_made_once_and_amended_by_who_knows_it(place: &Place) {
    let store = place.open();
    assert_eq!(store.create("c", "one").unwrap().spec, "one");
    assert_eq!(store.create("c", "two").unwrap().spec, "one");
    assert_eq!(store.amend("c", "zero", "two"), Err(StoreError::Stale));
    store.amend("c", "one", "two").unwrap();
    store.amend("c", "one", "two").unwrap(); // the same call again
    assert_eq!(store.changes("c", 0).unwrap().campaign.spec, "two");
    let missing = StoreError::NoCampaign { name: "d".into() };
    assert_eq!(store.changes("d", 0).unwrap_err(), missing);
    assert_eq!(store.claim("d", lease("w", 1.0)).unwrap_err(), missing);
    assert_eq!(store.take_turn("d", lease("w", 1.0)).unwrap_err(), missing);
}

fn trials_are_appended_in_order_or_not_at_all(place: &Place) {
    let store = place.open();
    started(&store);
    for wrong in [vec![trial(0)], vec![trial(2)], vec![trial(1), trial(3)]] {
        assert_eq!(store.append("c", 0, &wrong, None, None), Err(StoreError::Stale));
    }
    assert_eq!(records(&store).len(), 1);
    let told = |id, order| Trial { outcome: Outcome::Told { value: 2.0, order }, ..trial(id) };
    assert_eq!(store.append("c", 0, &[told(1, 1)], None, None), Err(StoreError::Stale));
    store.append("c", 0, &[trial(1), told(2, 0), told(3, 1)], None, None).unwrap();
    assert_eq!(records(&store)[3].trial, told(3, 1));
    assert!(store.append("c", 7, &[trial(0)], None, None).is_err());
    let second = NewTask { number: 1, name: "tuesday", ..TASK };
    let early = store.start("c", second, &[trial(0)], None, None);
    assert_eq!(early, Err(StoreError::Stale), "the first task is not finished");
}

fn a_request_is_served_once(place: &Place) {
    let store = place.open();
    store.create("c", "spec").unwrap();
    let start = || store.start("c", TASK, &[trial(0), trial(1)], None, Some("first")).unwrap();
    let first = start();
    assert_eq!(start(), first);
    let append = |id| store.append("c", 0, &[trial(id)], None, Some("second")).unwrap();
    assert_eq!(append(2), append(3));
    assert_eq!(records(&store).len(), 3);
    assert_eq!(store.served("c", "first").unwrap().unwrap(), first);
    assert_eq!(store.served("c", "third").unwrap(), None);
}

fn a_worker_gets_its_own_trial_back(place: &Place) {
    let store = place.open();
    started(&store);
    let before = records(&store)[0].clone();
    assert_eq!(store.claim("c", lease("other", 60.0)).unwrap(), None, "it is leased to w");
    let back = store.claim("c", lease("w", 90.0)).unwrap().unwrap();
    assert_eq!((back.trial, back.lost), (before.trial, 0));
    assert!(back.expires > before.expires);
}

fn a_lost_trial_is_given_to_one_other(place: &Place) {
    let store = place.open();
    store.create("c", "spec").unwrap();
    store.start("c", TASK, &[trial(0)], Some(lease("dead", -1.0)), None).unwrap();
    let barrier = Arc::new(Barrier::new(8));
    let workers: Vec<_> = (0..8)
        .map(|i| {
            let (store, barrier) = (place.open(), Arc::clone(&barrier));
            std::thread::spawn(move || {
                barrier.wait();
                store.claim("c", lease(&format!("w{i}"), 60.0)).unwrap()
            })
        })
        .collect();
    let given: Vec<TrialRecord> =
        workers.into_iter().filter_map(|worker| worker.join().unwrap()).collect();
    assert_eq!(given.len(), 1);
    assert_eq!(given[0].lost, 1);
    // A trial asked for by a person is nobody else's, however long it takes.
    let person = Lease { holder: "person", seconds: None };
    store.append("c", 0, &[trial(1)], Some(person), None).unwrap();
    assert_eq!(store.claim("c", lease("x", 60.0)).unwrap(), None);
    // One that nobody holds is anybody's.
    store.append("c", 0, &[trial(2)], None, None).unwrap();
    assert_eq!(store.claim("c", lease("x", 60.0)).unwrap().unwrap().trial.id, 2);
}

fn answers_taken_in_together_are_judged_one_by_one(place: &Place) {
    let store = place.open();
    started(&store);
    store.append("c", 0, &[trial(1)], None, None).unwrap();
    store.create("b", "spec").unwrap();
    store.start("b", TASK, &[trial(0)], None, None).unwrap();
    let reports = [
        ("c", value(1, "w", 1.0)),
        ("nowhere", value(0, "w", 1.0)),
        ("b", value(0, "w", 2.0)),
        ("c", value(7, "w", 1.0)),
        ("c", value(1, "v", 1.0)),
        ("c", value(1, "v", 3.0)),
    ];
    let (judged, trials): (Vec<_>, Vec<_>) = store
        .settle_all(&reports)
        .unwrap()
        .into_iter()
        .map(|one| match one {
            Ok((settled, record)) => (Ok(settled), record.trial.value()),
            Err(error) => (Err(error), None),
        })
        .unzip();
    assert_eq!(trials, [Some(1.0), None, Some(2.0), None, Some(1.0), Some(1.0)]);
    let expected = [Settled::Counted, Settled::Repeated, Settled::Superseded];
    assert_eq!([&judged[0], &judged[4], &judged[5]], expected.map(Ok).each_ref());
    assert_eq!(judged[1], Err(StoreError::NoCampaign { name: "nowhere".into() }));
    assert_eq!(judged[2], Ok(Settled::Counted));
    assert!(matches!(judged[3], Err(StoreError::Refused { .. })));
    let values: Vec<Option<f64>> = records(&store).iter().map(|r| r.trial.value()).collect();
    assert_eq!(values, [None, Some(1.0)]);
    assert_eq!(store.changes("b", 0).unwrap().trials[0].trial.value(), Some(2.0));
    let last = |name: &str| store.last_change(name).unwrap();
    assert_eq!(store.numbers().unwrap(), [("b".into(), last("b")), ("c".into(), last("c"))]);
    assert_eq!(last("c"), store.changes("c", 0).unwrap().campaign.change);
    assert!(store.last_change("nowhere").is_err());
}

fn a_sign_of_life_keeps_a_lease(place: &Place) {
    let store = place.open();
    started(&store);
    assert!(store.take_turn("c", lease("w", -1.0)).unwrap());
    store.renew("c", &[lease("w", -1.0)]).unwrap();
    assert!(store.claim("c", lease("other", -1.0)).unwrap().is_some(), "the lease has ended");
    store.renew("c", &[lease("w", 60.0), lease("other", 60.0)]).unwrap();
    assert_eq!(store.claim("c", lease("w", 60.0)).unwrap(), None, "it is the other's now");
    assert!(!store.take_turn("c", lease("other", 60.0)).unwrap(), "the turn was renewed");
}

fn the_first_value_counts_and_a_late_failure_does_not(place: &Place) {
    let store = place.open();
    store.create("c", "spec").unwrap();
    let lost = Some(lease("late", -1.0));
    store.start("c", TASK, &[trial(0), trial(1)], lost, None).unwrap();
    store.claim("c", lease("new", 60.0)).unwrap();
    assert_eq!(store.settle("c", &failure(0, "late", true)).unwrap(), Settled::Superseded);
    assert_eq!(store.settle("c", &value(0, "late", 5.0)).unwrap(), Settled::Counted);
    assert_eq!(store.settle("c", &value(0, "new", 6.0)).unwrap(), Settled::Superseded);
    assert_eq!(store.settle("c", &failure(0, "new", true)).unwrap(), Settled::Superseded);
    assert_eq!(store.settle("c", &value(0, "late", 5.0)).unwrap(), Settled::Repeated);
    let first = &records(&store)[0];
    assert_eq!(first.trial.outcome, Outcome::Told { value: 5.0, order: 0 });
    assert_eq!(first.holder.as_deref(), Some("late"));
    assert_eq!(store.settle("c", &failure(1, "late", false)).unwrap(), Settled::Counted);
    assert_eq!(store.settle("c", &failure(1, "late", false)).unwrap(), Settled::Repeated);
    let second = &records(&store)[1];
    assert_eq!(second.trial.outcome, Outcome::Failed { reason: "boom".into() });
    assert!(!second.trial.charged && first.trial.charged);
    assert_eq!((second.attempts, second.log.as_str()), (2, "line\nlast"));
    assert!(store.settle("c", &value(9, "late", 1.0)).is_err());
}

fn tells_are_numbered_without_gaps_whoever_tells(place: &Place) {
    let store = place.open();
    store.create("c", "spec").unwrap();
    let trials: Vec<Trial> = (0..40).map(trial).collect();
    store.start("c", TASK, &trials, None, None).unwrap();
    let workers: Vec<_> = (0..4)
        .map(|i| {
            let store = place.open();
            std::thread::spawn(move || {
                let name = format!("w{i}");
                while let Some(claimed) = store.claim("c", lease(&name, 60.0)).unwrap() {
                    let report = value(claimed.trial.id, &name, claimed.trial.id as f64);
                    assert_eq!(store.settle("c", &report).unwrap(), Settled::Counted);
                }
            })
        })
        .collect();
    for worker in workers {
        worker.join().unwrap();
    }
    let mut orders: Vec<usize> = Vec::new();
    for record in records(&store) {
        let Outcome::Told { value, order } = record.trial.outcome else { panic!("{record:?}") };
        assert_eq!(value, record.trial.id as f64);
        assert_eq!(record.lost, 0);
        orders.push(order);
    }
    orders.sort_unstable();
    assert_eq!(orders, (0..40).collect::<Vec<_>>());
}

fn changes_are_numbered_and_complete(place: &Place) {
    let store = place.open();
    started(&store);
    let mut seen = 0;
    let mut news = || {
        let changes = store.changes("c", seen).unwrap();
        assert!(changes.campaign.change >= seen);
        seen = changes.campaign.change;
        (changes.tasks.len(), changes.trials.len())
    };
    assert_eq!(news(), (1, 1));
    assert_eq!(news(), (0, 0));
    store.append("c", 0, &[trial(1)], None, None).unwrap();
    assert_eq!(news(), (0, 1));
    store.settle("c", &value(0, "w", 1.0)).unwrap();
    store.raise_budget("c", 0, 0.5).unwrap();
    assert_eq!(news(), (1, 1));
    store.renew("c", &[lease("w", 60.0)]).unwrap();
    assert_eq!(news(), (0, 0), "a sign of life is no news");
}

fn a_pause_holds_until_somebody_lets_it_go_on(place: &Place) {
    let store = place.open();
    started(&store);
    store.pause("c", 0, "too many failures").unwrap();
    let task = || store.changes("c", 0).unwrap().tasks.remove(0);
    assert_eq!(
        (task().state, task().reason.unwrap().as_str()),
        (TaskState::Paused, "too many failures")
    );
    store.go_on("c", 0).unwrap();
    assert_eq!((task().state, task().reason), (TaskState::Open, None));
    assert_eq!(task().continued, task().change);
    assert!(store.raise_budget("c", 0, 0.1).is_err(), "a budget is never lowered");
    store.raise_budget("c", 0, 0.5).unwrap();
    assert_eq!((task().began_with, task().budget), (0.3, 0.5));
}

fn a_finished_task_stays_finished(place: &Place) {
    let store = place.open();
    started(&store);
    assert!(store.set_knowledge("c", "k").is_err(), "a task is under way");
    store.append("c", 0, &[trial(1)], None, None).unwrap();
    let seen = store.changes("c", 0).unwrap().campaign.change;
    store.settle("c", &value(0, "w", 1.0)).unwrap();
    let given_up =
        Trial { outcome: Outcome::Failed { reason: "over".into() }, charged: false, ..trial(1) };
    let told = Trial { outcome: Outcome::Told { value: 1.0, order: 0 }, ..trial(0) };
    let finish =
        |seen| store.finish("c", 0, seen, &[told.clone(), given_up.clone()], ("k1", "result"));
    assert_eq!(finish(seen), Err(StoreError::Stale), "a value came in after that");
    finish(store.changes("c", 0).unwrap().campaign.change).unwrap();
    finish(0).unwrap(); // the same call again
    let changes = store.changes("c", 0).unwrap();
    assert_eq!(changes.campaign.knowledge.as_deref(), Some("k1"));
    assert_eq!(changes.tasks[0].state, TaskState::Finished);
    assert_eq!(changes.tasks[0].result.as_deref(), Some("result"));
    assert_eq!(changes.trials[0].trial, told);
    assert_eq!(changes.trials[1].trial, given_up);
    assert_eq!(store.settle("c", &value(1, "w", 3.0)).unwrap(), Settled::Superseded);
    assert!(store.append("c", 0, &[trial(2)], None, None).is_err());
    assert!(store.pause("c", 0, "x").is_err() && store.raise_budget("c", 0, 9.0).is_err());
    store.set_knowledge("c", "k2").unwrap();
    let second = NewTask { number: 1, name: "tuesday", ..TASK };
    store.start("c", second, &[trial(0)], None, None).unwrap();
}

fn one_turn_at_a_time(place: &Place) {
    let (store, other) = (place.open(), place.open());
    store.create("c", "spec").unwrap();
    assert!(store.take_turn("c", lease("a", 60.0)).unwrap());
    assert!(store.take_turn("c", lease("a", 60.0)).unwrap(), "one's own turn may be taken again");
    assert!(!other.take_turn("c", lease("b", 60.0)).unwrap());
    other.end_turn("c", "b").unwrap();
    assert!(!other.take_turn("c", lease("b", 60.0)).unwrap(), "it was not b's to end");
    store.end_turn("c", "a").unwrap();
    assert!(other.take_turn("c", lease("b", -1.0)).unwrap());
    assert!(store.take_turn("c", lease("a", 60.0)).unwrap(), "b's turn has run out");
}

fn many_may_open_an_empty_store_at_once(place: &Place) {
    std::thread::scope(|scope| {
        for i in 0..6 {
            scope.spawn(move || place.open().create(&format!("c{i}"), "spec").unwrap());
        }
    });
    assert_eq!(place.open().campaigns().unwrap().len(), 6);
}

fn a_call_whose_answer_was_lost_is_not_done_twice(place: &Place) {
    let armed = Arc::new(AtomicBool::new(false));
    let loses = Arc::clone(&armed);
    let watcher = move |moment: Moment<'_>| match moment {
        Moment::After("COMMIT") if loses.swap(false, Ordering::SeqCst) => {
            Err(StoreError::Lost { reason: "on purpose".into() })
        }
        _ => Ok(()),
    };
    let store = Store::open_watched(&place.url, Arc::new(watcher)).unwrap();
    let lose_the_answer = || armed.store(true, Ordering::SeqCst);
    store.create("c", "spec").unwrap();
    lose_the_answer();
    store.start("c", TASK, &[trial(0)], Some(lease("w", 60.0)), None).unwrap();
    lose_the_answer();
    let appended = store.append("c", 0, &[trial(1), trial(2)], None, None).unwrap();
    assert_eq!(appended.iter().map(|record| record.trial.id).collect::<Vec<_>>(), [1, 2]);
    lose_the_answer();
    assert_eq!(store.settle("c", &value(0, "w", 1.0)).unwrap(), Settled::Repeated);
    lose_the_answer();
    assert_eq!(store.claim("c", lease("x", 60.0)).unwrap().unwrap().lost, 0);
    assert!(!armed.load(Ordering::SeqCst), "an answer was to be lost");
    assert_eq!(records(&store).len(), 3);
    // Another call that asks for the same is another call.
    assert_eq!(store.append("c", 0, &[trial(1)], None, None), Err(StoreError::Stale));
}

fn nobody_waits_for_one_who_waits_for_him(place: &Place) {
    let store = place.open();
    store.create("c", "spec").unwrap();
    store.start("c", TASK, &[trial(0), trial(1)], Some(lease("a", -1.0)), None).unwrap();
    assert!(store.take_turn("c", lease("a", 60.0)).unwrap());
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let store = place.open();
            scope.spawn(move || {
                for _ in 0..60 {
                    store.claim("c", lease(name, -1.0)).unwrap();
                    store.renew("c", &[lease("a", -1.0), lease(name, -1.0)]).unwrap();
                }
            });
        }
    });
}

fn a_value_keeps_its_error_and_its_cost(place: &Place) {
    let store = place.open();
    started(&store);
    let answer = Answer::Value(Measurement::new(0.4).noise(0.02).cost(3.7));
    let report = Report { answer, ..value(0, "w", 0.4) };
    assert_eq!(store.settle("c", &report).unwrap(), Settled::Counted);
    let told = &records(&place.open())[0].trial;
    assert_eq!((told.value(), told.noise, told.paid), (Some(0.4), Some(0.02), Some(3.7)));
    assert_eq!(told.charge(), 3.7);
}

fn forgotten_trials_are_taken_over_and_those_at_work_are_not(place: &Place) {
    let store = place.open();
    started(&store);
    let person = Lease { holder: "person", seconds: None };
    store.append("c", 0, &[trial(1)], Some(person), None).unwrap();
    assert_eq!(store.claim("c", lease("v", 60.0)).unwrap(), None);
    assert_eq!(store.take_over("c", Some("nobody"), lease("v", 60.0)).unwrap(), None);
    let taken = store.take_over("c", Some("person"), lease("v", 60.0)).unwrap().unwrap();
    assert_eq!((taken.trial.id, taken.holder.as_deref(), taken.lost), (1, Some("v"), 0));
    assert_eq!(store.take_over("c", None, lease("v", 60.0)).unwrap(), None, "w is at work");
}

fn the_last_task_is_opened_again_and_earlier_ones_are_not(place: &Place) {
    let store = place.open();
    started(&store);
    store.settle("c", &value(0, "w", 1.0)).unwrap();
    let seen = store.last_change("c").unwrap();
    store.finish("c", 0, seen, &[], ("k1", "result")).unwrap();
    assert!(store.reopen("c", 0, 0.3).unwrap_err().to_string().contains("0.3"));
    store.reopen("c", 0, 0.9).unwrap();
    let changes = store.changes("c", 0).unwrap();
    let task = &changes.tasks[0];
    assert_eq!((task.state, task.budget, task.result.as_deref()), (TaskState::Open, 0.9, None));
    assert_eq!(changes.campaign.knowledge.as_deref(), Some("k0"), "what it taught is taken back");
    store.finish("c", 0, store.last_change("c").unwrap(), &[], ("k2", "result")).unwrap();
    let next = NewTask { number: 1, name: "tuesday", budget: 1.0, knowledge: Some("k2") };
    store.start("c", next, &[trial(0)], None, None).unwrap();
    let reason = store.reopen("c", 0, 2.0).unwrap_err().to_string();
    assert!(reason.contains("\"tuesday\" has begun") && reason.contains("new task"), "{reason}");
}

fn campaigns_are_renamed_archived_and_deleted_with_all_they_have(place: &Place) {
    let store = place.open();
    started(&store);
    store.settle("c", &value(0, "w", 0.5)).unwrap();
    store.annotate("c", (0, None), Some("{\"note\":\"a\"}")).unwrap();
    store.annotate("c", (0, Some(0)), Some("{\"note\":\"b\"}")).unwrap();
    assert!(store.annotate("c", (0, Some(7)), None).unwrap_err().to_string().contains("trial 7"));
    store.create("taken", "spec").unwrap();
    assert!(store.rename("c", "taken").unwrap_err().to_string().contains("already"));
    assert!(store.rename("c", " ").is_err());
    let before = store.changes("c", 0).unwrap();
    store.rename("c", "d").unwrap();
    assert_eq!(store.campaigns().unwrap(), ["d", "taken"]);
    let after = place.open().changes("d", 0).unwrap();
    assert_eq!(after.campaign.name, "d");
    assert_eq!((&after.tasks, &after.trials), (&before.tasks, &before.trials));
    assert_eq!(after.tasks[0].attributes.as_deref(), Some("{\"note\":\"a\"}"));
    assert_eq!(after.trials[0].attributes.as_deref(), Some("{\"note\":\"b\"}"));
    assert!(!after.campaign.archived);
    store.archive("d", true).unwrap();
    assert!(store.changes("d", 0).unwrap().campaign.archived);
    store.archive("d", false).unwrap();
    assert!(!store.changes("d", 0).unwrap().campaign.archived);
    store.delete("d").unwrap();
    assert_eq!(store.campaigns().unwrap(), ["taken"]);
    assert_eq!(store.delete("d"), Err(StoreError::NoCampaign { name: "d".into() }));
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let place = sqlite();
    assert!(matches!(Store::open_existing(&place.url), Err(StoreError::NoStore { .. })));
    assert!(std::fs::read_dir(place.folder.as_ref().unwrap()).unwrap().next().is_none());
    drop(place.open());
    assert!(Store::open_existing(&place.url).is_ok());
}

macro_rules! suite {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[test] fn $name() { super::$name(&super::sqlite()); })*
        }
        mod on_postgres {
            $(#[test] fn $name() { super::$name(&super::postgres()); })*
        }
    };
}

suite!(
    a_value_keeps_its_error_and_its_cost,
    forgotten_trials_are_taken_over_and_those_at_work_are_not,
    the_last_task_is_opened_again_and_earlier_ones_are_not,
    campaigns_are_renamed_archived_and_deleted_with_all_they_have,
    what_was_written_is_read_by_others,
    a_campaign_is_made_once_and_amended_by_who_knows_it,
    trials_are_appended_in_order_or_not_at_all,
    a_request_is_served_once,
    a_worker_gets_its_own_trial_back,
    a_lost_trial_is_given_to_one_other,
    answers_taken_in_together_are_judged_one_by_one,
    a_sign_of_life_keeps_a_lease,
    the_first_value_counts_and_a_late_failure_does_not,
    tells_are_numbered_without_gaps_whoever_tells,
    changes_are_numbered_and_complete,
    a_pause_holds_until_somebody_lets_it_go_on,
    a_finished_task_stays_finished,
    one_turn_at_a_time,
    many_may_open_an_empty_store_at_once,
    a_call_whose_answer_was_lost_is_not_done_twice,
    nobody_waits_for_one_who_waits_for_him,
);

#[test]
fn a_record_that_changed_behind_the_stores_back_is_refused() {
    let place = sqlite();
    started(&place.open());
    let file = place.folder.as_ref().unwrap().join("store.db");
    for (change, back) in [
        ("UPDATE baton_trial SET asked_for = replace(asked_for, '0.3', '0.4')", "0.4', '0.3"),
        ("UPDATE baton_task SET budget = budget * 2", ""),
        ("UPDATE baton_campaign SET spec = 'spek'", ""),
    ] {
        let connection = rusqlite::Connection::open(&file).unwrap();
        connection.execute(change, []).unwrap();
        let refused = place.open().changes("c", 0).unwrap_err();
        assert!(matches!(refused, StoreError::Damaged { .. }), "{change}: {refused}");
        if !back.is_empty() {
            connection.execute(&change.replace("0.3', '0.4", back), []).unwrap();
            place.open().changes("c", 0).unwrap();
        }
    }
}

#[test]
fn a_wrong_number_of_a_change_hides_no_record_and_a_missing_seal_is_damage() {
    let place = sqlite();
    started(&place.open());
    let connection =
        rusqlite::Connection::open(place.folder.as_ref().unwrap().join("store.db")).unwrap();
    connection.execute("UPDATE baton_task SET change = -107", []).unwrap();
    connection.execute("UPDATE baton_trial SET change = -107", []).unwrap();
    let changes = place.open().changes("c", 0).unwrap();
    assert_eq!((changes.tasks.len(), changes.trials.is_empty()), (1, false));
    connection.execute("UPDATE baton_task SET seal = NULL", []).unwrap();
    let refused = place.open().changes("c", 0).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged { .. }), "{refused}");
}

#[test]
fn a_damaged_file_is_refused_and_stays_as_it_is() {
    let place = sqlite();
    started(&place.open());
    let file = place.folder.as_ref().unwrap().join("store.db");
    let sound = std::fs::read(&file).unwrap();
    for damaged in [sound[..sound.len() / 2].to_vec(), b"no database at all".to_vec()] {
        std::fs::write(&file, &damaged).unwrap();
        let refused = Store::open(&place.url).unwrap_err().to_string();
        assert!(refused.contains("store.db"), "{refused}");
        assert_eq!(std::fs::read(&file).unwrap(), damaged);
    }
}

#[test]
fn a_lost_connection_is_made_anew_and_the_call_made_again() {
    let place = postgres();
    let name = fresh_name();
    let store = Store::open(&format!("{}&application_name={name}", place.url)).unwrap();
    started(&store);
    let url = std::env::var("BATON_TEST_POSTGRES").unwrap();
    let mut killer = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
    for value_ in [1.0, 1.0] {
        let cut =
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
        assert_eq!(killer.query(cut, &[&name]).unwrap().len(), 1);
        store.settle("c", &value(0, "w", value_)).unwrap();
    }
    assert_eq!(records(&store)[0].trial.value(), Some(1.0));
}
