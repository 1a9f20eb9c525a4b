//! Damaged files: noticed, named, and left as they are.

use super::place::{sqlite, started};
use baton_store::{Store, StoreError};

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
