//! One suite for both databases: what every store must do, whatever is behind it.
//!
//! PostgreSQL is found in `BATON_TEST_POSTGRES`; `scripts/with-postgres cargo test` provides one.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

#[macro_use]
mod place;
mod care;
mod copies;
mod damage;
mod leases;
mod trials;

use baton::Outcome;
use baton::Trial;
use baton_store::{Moment, Settled, Store, StoreError, TaskState};
use place::{Place, TASK, fresh_name, lease, postgres, records, sqlite, started, trial, value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

suite!(
    what_was_written_is_read_by_others,
    a_campaign_is_made_once_and_amended_by_who_knows_it,
    changes_are_numbered_and_complete,
    many_may_open_an_empty_store_at_once,
    a_call_whose_answer_was_lost_is_not_done_twice,
);

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let place = sqlite();
    assert!(matches!(Store::open_existing(&place.url), Err(StoreError::NoStore { .. })));
    assert!(std::fs::read_dir(place.folder.as_ref().unwrap()).unwrap().next().is_none());
    drop(place.open());
    assert!(Store::open_existing(&place.url).is_ok());
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
