//! Caring for campaigns and tasks: names, notes, archives, the end; pauses, budgets, what is finished.

use super::place::{Place, TASK, started, trial, value};
use baton::Outcome;
use baton::Trial;
use baton_store::{NewTask, Settled, StoreError, TaskState};

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
    assert_eq!(store.active().unwrap(), ["taken"]);
    store.archive("d", false).unwrap();
    assert!(!store.changes("d", 0).unwrap().campaign.archived);
    store.delete("d").unwrap();
    assert_eq!(store.campaigns().unwrap(), ["taken"]);
    assert_eq!(store.delete("d"), Err(StoreError::NoCampaign { name: "d".into() }));
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
    let next = NewTask { number: 1, name: "tuesday", budget: 1.0, knowledge: Some("k2"), ..TASK };
    store.start("c", next, &[trial(0)], None, None).unwrap();
    let reason = store.reopen("c", 0, 2.0).unwrap_err().to_string();
    assert!(reason.contains("\"tuesday\" has begun") && reason.contains("new task"), "{reason}");
}

suite!(
    campaigns_are_renamed_archived_and_deleted_with_all_they_have,
    a_pause_holds_until_somebody_lets_it_go_on,
    a_finished_task_stays_finished,
    the_last_task_is_opened_again_and_earlier_ones_are_not,
);
