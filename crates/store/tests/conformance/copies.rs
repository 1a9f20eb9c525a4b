//! Backups: out of a store and back, into one of the other kind, while others work, and damaged ones.

use super::place::{Place, failure, lease, sqlite, started, trial, value};
use baton_store::{Backup, Changes, Lease, Moment, Store, StoreError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A campaign that has one of everything: values, failures, what is held, notes, an archive mark.
fn with_everything(store: &Store) {
    started(store);
    let person = Lease { holder: "person", seconds: None };
    store.append("c", 0, &[trial(1), trial(2), trial(3)], None, Some("a call")).unwrap();
    store.append("c", 0, &[trial(4)], Some(person), None).unwrap();
    store.settle("c", &value(1, "w", -1.0 / 3.0)).unwrap();
    store.settle("c", &failure(2, "v", false)).unwrap();
    store.annotate("c", (0, None), Some("{\"note\":\"ä\\n\"}")).unwrap();
    store.annotate("c", (0, Some(1)), Some("{\"note\":\"b\"}")).unwrap();
    store.pause("c", 0, "too many failures").unwrap();
    store.create("aside", "spec of another").unwrap();
    store.archive("aside", true).unwrap();
}

/// As it has to come back: what was held for a limited time is nobody's.
fn released(mut changes: Changes) -> Changes {
    for record in changes.trials.iter_mut().filter(|record| record.trial.is_pending()) {
        if record.expires.take().is_some() {
            record.holder = None;
        }
    }
    changes
}

/// As a file would have it.
fn kept(backup: &Backup) -> Backup {
    let again = Backup::parse(&backup.to_text().unwrap()).unwrap();
    assert_eq!(again, *backup);
    again
}

fn a_campaign_that_was_kept_comes_back_as_it_was(place: &Place) {
    let store = place.open();
    with_everything(&store);
    let before = store.changes("c", 0).unwrap();
    assert_eq!(before.trials[0].holder.as_deref(), Some("w"));
    let backup = kept(&store.back_up(Some("c")).unwrap());
    assert_eq!((backup.names(), backup.counts()), (vec!["c"], [1, 1, 5]));
    assert!(backup.written() > 1.6e9);
    let taken = store.put_back(&backup, false).unwrap_err().to_string();
    assert!(taken.contains("\"c\" already"), "{taken}");
    store.remove(&backup).unwrap();
    assert_eq!(store.campaigns().unwrap(), ["aside"]);
    let full = store.put_back(&backup, true).unwrap_err().to_string();
    assert!(full.contains("not empty: it has aside"), "{full}");
    store.put_back(&backup, false).unwrap();
    let after = place.open().changes("c", 0).unwrap();
    assert_eq!(after, released(before));
    assert_eq!(after.trials[0].holder, None);
    assert_eq!(after.trials[4].holder.as_deref(), Some("person"));
    // It goes on: numbers of changes continue, a call that was served gets what it got.
    let served = store.append("c", 0, &[trial(1), trial(2), trial(3)], None, Some("a call"));
    assert_eq!(served.unwrap().len(), 3);
    store.go_on("c", 0).unwrap();
    store.settle("c", &value(3, "x", 2.0)).unwrap();
    assert!(store.last_change("c").unwrap() > after.campaign.change);
}

fn a_store_moves_to_one_of_the_other_kind_and_back(place: &Place) {
    let store = place.open();
    with_everything(&store);
    let backup = kept(&store.back_up(None).unwrap());
    assert_eq!((backup.names(), backup.counts()), (vec!["aside", "c"], [2, 1, 5]));
    let elsewhere = sqlite();
    elsewhere.open().put_back(&backup, true).unwrap();
    let moved = kept(&elsewhere.open().back_up(None).unwrap());
    store.remove(&store.back_up(None).unwrap()).unwrap();
    store.put_back(&moved, true).unwrap();
    for name in ["aside", "c"] {
        let changes = store.changes(name, 0).unwrap();
        assert_eq!(changes, elsewhere.open().changes(name, 0).unwrap());
        assert_eq!(changes.campaign.archived, name == "aside");
    }
}

fn what_changed_since_is_not_removed(place: &Place) {
    let store = place.open();
    started(&store);
    let backup = store.back_up(Some("c")).unwrap();
    store.renew("c", &[lease("w", 60.0)]).unwrap(); // no news
    store.settle("c", &value(0, "w", 1.0)).unwrap();
    assert_eq!(store.remove(&backup), Err(StoreError::Stale));
    assert_eq!(store.changes("c", 0).unwrap().trials[0].trial.value(), Some(1.0));
    let missing = store.back_up(Some("d"));
    assert_eq!(missing, Err(StoreError::NoCampaign { name: "d".into() }));
    assert!(backup.only("d").unwrap_err().to_string().contains("but c"));
}

fn a_backup_is_one_state_while_others_write(place: &Place) {
    let store = place.open();
    store.create("c", "spec").unwrap();
    store.start("c", super::TASK, &[], None, None).unwrap();
    let ends = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let writer = place.open();
            for id in 0..60 {
                writer.append("c", 0, &[trial(id)], None, None).unwrap();
                writer.settle("c", &value(id, "w", 1.0)).unwrap();
            }
            ends.store(true, Ordering::SeqCst);
        });
        while !ends.load(Ordering::SeqCst) {
            let backup = kept(&store.back_up(None).unwrap());
            let copy = Store::in_memory(None).unwrap();
            copy.put_back(&backup, true).unwrap();
            let changes = copy.changes("c", 0).unwrap();
            let last = changes.trials.iter().map(|record| record.change).max();
            // The last change made the last trial, told it, or came before there was one.
            assert_eq!(last.unwrap_or(1), changes.campaign.change);
        }
    });
    assert_eq!(store.back_up(None).unwrap().counts(), [1, 1, 60]);
}

fn a_lost_answer_puts_nothing_back_twice(place: &Place) {
    let armed = Arc::new(AtomicBool::new(false));
    let loses = Arc::clone(&armed);
    let watcher = move |moment: Moment<'_>| match moment {
        Moment::After("COMMIT") if loses.swap(false, Ordering::SeqCst) => {
            Err(StoreError::Lost { reason: "on purpose".into() })
        }
        _ => Ok(()),
    };
    let store = Store::open_watched(&place.url, Arc::new(watcher)).unwrap();
    started(&store);
    let backup = store.back_up(None).unwrap();
    armed.store(true, Ordering::SeqCst);
    store.remove(&backup).unwrap();
    assert_eq!(store.remove(&backup), Err(StoreError::NoCampaign { name: "c".into() }));
    armed.store(true, Ordering::SeqCst);
    store.put_back(&backup, true).unwrap();
    assert!(!armed.load(Ordering::SeqCst), "an answer was to be lost");
    assert!(store.put_back(&backup, false).is_err());
    assert_eq!(store.changes("c", 0).unwrap().trials.len(), 1);
}

suite!(
    a_campaign_that_was_kept_comes_back_as_it_was,
    a_store_moves_to_one_of_the_other_kind_and_back,
    what_changed_since_is_not_removed,
    a_backup_is_one_state_while_others_write,
    a_lost_answer_puts_nothing_back_twice,
);

#[test]
fn a_backup_with_any_byte_changed_or_missing_is_refused() {
    let store = Store::in_memory(None).unwrap();
    with_everything(&store);
    let text = store.back_up(None).unwrap().to_text().unwrap();
    let head = text.find('\n').unwrap();
    for place in (0..text.len()).filter(|place| text.is_char_boundary(*place)) {
        assert!(place == 0 || Backup::parse(&text[..place]).is_err() || place + 1 == text.len());
        if text.as_bytes()[place].is_ascii_alphanumeric() {
            let other = if &text[place..=place] == "7" { "8" } else { "7" };
            let changed = format!("{}{other}{}", &text[..place], &text[place + 1..]);
            assert!(Backup::parse(&changed).is_err(), "byte {place}");
        }
    }
    let reason = |text: &str| Backup::parse(text).unwrap_err().to_string();
    assert!(reason(&text[..=head]).contains("its end is missing"));
    assert!(reason(&text.replacen("person", "persom", 1)).contains("checksum"));
    let headless = &text[head + 1..];
    assert_eq!(reason(headless), "it is no backup of Baton");
    for newer in ["\"baton_backup\":2", "\"schema\":99"] {
        let key = newer.split(':').next().unwrap();
        let now = text[text.find(key).unwrap()..].split(',').next().unwrap();
        let reason = reason(&text.replacen(now, newer, 1));
        assert_eq!(reason, "a later version of Baton wrote it");
    }
    for other in ["", "\n", "{}", "no json", "{\"baton_backup\":1}", "[1]\n[2]\n"] {
        assert!(Backup::parse(other).is_err(), "{other}");
    }
}
