//! Leases and turns: who evaluates what, who asks next, and what becomes of those who are gone.

use super::place::{Place, TASK, lease, records, started, trial, value};
use baton_store::{Lease, TrialRecord};
use std::sync::{Arc, Barrier};

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

fn what_is_given_back_is_free_at_once_and_nobody_was_lost(place: &Place) {
    let store = place.open();
    started(&store);
    store.append("c", 0, &[trial(1)], Some(lease("other", 60.0)), None).unwrap();
    assert!(store.take_turn("c", lease("w", 60.0)).unwrap());
    let before = store.last_change("c").unwrap();
    store.release("c", &["nobody"]).unwrap();
    assert_eq!(store.last_change("c").unwrap(), before, "who has nothing changes nothing");
    store.release("c", &["w", "nobody"]).unwrap();
    store.release("c", &["w", "nobody"]).unwrap(); // the same call again
    let news = store.changes("c", before).unwrap().trials;
    assert_eq!((news.len(), &news[0].holder, news[0].expires), (1, &None, None));
    assert!(store.take_turn("c", lease("v", 60.0)).unwrap(), "the turn is given back, too");
    let next = store.claim("c", lease("v", 60.0)).unwrap().unwrap();
    assert_eq!((next.trial.id, next.lost), (0, 0));
    assert_eq!(records(&store)[1].holder.as_deref(), Some("other"), "it keeps what it has");
    store.settle("c", &value(0, "w", 1.0)).unwrap(); // a late value counts
    store.release("c", &["w"]).unwrap();
    assert_eq!(records(&store)[0].holder.as_deref(), Some("w"), "what is answered stays");
    assert!(store.release("d", &["w"]).is_err());
}

fn what_those_who_are_gone_had_is_lost_at_once(place: &Place) {
    let store = place.open();
    started(&store); // trial 0, with w
    let person = Lease { holder: "gone", seconds: None };
    store.append("c", 0, &[trial(1)], Some(lease("gone", 60.0)), None).unwrap();
    store.append("c", 0, &[trial(2)], Some(person), None).unwrap();
    assert!(store.take_turn("c", lease("gone", 60.0)).unwrap());
    store.end_leases("c", &|holder| holder == "gone").unwrap();
    assert!(store.take_turn("c", lease("v", 60.0)).unwrap(), "the turn has ended");
    let next = store.claim("c", lease("v", 60.0)).unwrap().unwrap();
    assert_eq!((next.trial.id, next.lost), (1, 1));
    assert_eq!(store.claim("c", lease("u", 60.0)).unwrap(), None, "w lives, the person may answer");
    assert!(store.end_leases("d", &|_| true).is_err());
}

suite!(
    what_those_who_are_gone_had_is_lost_at_once,
    what_is_given_back_is_free_at_once_and_nobody_was_lost,
    a_worker_gets_its_own_trial_back,
    a_lost_trial_is_given_to_one_other,
    a_sign_of_life_keeps_a_lease,
    forgotten_trials_are_taken_over_and_those_at_work_are_not,
    one_turn_at_a_time,
    nobody_waits_for_one_who_waits_for_him,
);
