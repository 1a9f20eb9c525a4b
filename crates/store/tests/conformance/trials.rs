//! Trials: appended in order, served once, answered once.

use super::place::{Place, TASK, failure, lease, records, started, trial, value};
use baton::Outcome;
use baton::{Measurement, Trial};
use baton_store::{Answer, NewTask, Report, Settled, StoreError};

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

fn a_value_keeps_its_error_and_its_cost(place: &Place) {
    let store = place.open();
    started(&store);
    let answer = Answer::Value(Measurement::new(0.4).noise(0.02).cost(3.7));
    let report = Report { answer, ..value(0, "w", 0.4) };
    assert_eq!(store.settle("c", &report).unwrap(), Settled::Counted);
    let told = &records(&place.open())[0].trial;
    assert_eq!((told.value(), told.noise, told.paid), (Some(0.4), Some(0.02), Some(3.7)));
    assert_eq!(told.charge(), 3.7);
    let again = |measured| Report { answer: Answer::Value(measured), ..value(0, "w", 0.4) };
    let tell = |measured| store.settle("c", &again(measured)).unwrap();
    assert_eq!(tell(Measurement::new(0.4).noise(0.02).cost(3.7)), Settled::Repeated);
    assert_eq!(tell(Measurement::new(0.4)), Settled::Repeated);
    assert_eq!(tell(Measurement::new(0.4).noise(0.03)), Settled::Superseded);
    assert_eq!(tell(Measurement::new(0.4).cost(4.0)), Settled::Superseded);
}

fn what_was_measured_besides_is_kept(place: &Place) {
    let store = place.open();
    started(&store);
    let hot = |heat| Measurement::new(0.4).constraint("heat", heat).constraint("drag", 1e-300);
    let report = |measured| Report { answer: Answer::Value(measured), ..value(0, "w", 0.4) };
    assert_eq!(store.settle("c", &report(hot(0.1 + 0.7))).unwrap(), Settled::Counted);
    assert_eq!(store.settle("c", &report(hot(0.1 + 0.7))).unwrap(), Settled::Repeated);
    assert_eq!(store.settle("c", &value(0, "w", 0.4)).unwrap(), Settled::Repeated);
    assert_eq!(store.settle("c", &report(hot(0.9))).unwrap(), Settled::Superseded);
    let told = Trial { outcome: Outcome::Told { value: 1.0, order: 1 }, ..trial(1) };
    let told = Trial { constraints: hot(45.0).constraints, ..told };
    store.append("c", 0, std::slice::from_ref(&told), None, None).unwrap();
    let again = records(&place.open());
    assert_eq!(again[0].trial.constraints, hot(0.1 + 0.7).constraints);
    assert_eq!(again[1].trial, told);
}

suite!(
    trials_are_appended_in_order_or_not_at_all,
    a_request_is_served_once,
    answers_taken_in_together_are_judged_one_by_one,
    the_first_value_counts_and_a_late_failure_does_not,
    tells_are_numbered_without_gaps_whoever_tells,
    a_value_keeps_its_error_and_its_cost,
    what_was_measured_besides_is_kept,
);
