//! Tasks with many observations, and asks that were computed in advance.

#![allow(clippy::unwrap_used)] // a test that unwraps fails with the reason at hand

use baton::campaign::Width;
use baton::{Campaign, Fidelity, Goal, Knowledge, Parameter, Settings, Space, Task, Trial, Value};
use baton_numerics::random::{Key, Purpose};

fn campaign(most: usize) -> Campaign {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
    let fidelities = [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)];
    let fidelities = fidelities.map(|fidelity| fidelity.with_noise(0.01)).to_vec();
    let mut settings = Settings::default().seed(5);
    settings.set("most_observations", &most.to_string()).unwrap();
    Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap()
}

/// Highest at (0.3, 0.7).
fn height(x: f64, y: f64) -> f64 {
    let squared = (x - 0.3).powi(2) + (y - 0.7).powi(2);
    4.0 * (-4.0 * squared).exp() + (9.0 * x).sin() * 0.3
}

fn value(trial: &Trial) -> f64 {
    let [x, y] = [0, 1].map(|i| trial.number(i).unwrap());
    height(x, y) - 0.2 * (1.0 - trial.level as f64) * x
}

/// A task that was given so many.
fn given(campaign: &Campaign, count: usize) -> Task {
    let mut task = campaign.start(40.0).unwrap();
    let mut stream = Key::default().stream(Purpose::Trial, 0);
    for i in 0..count {
        let (x, y) = (stream.uniform(), stream.uniform());
        let level = i % 2;
        let seen = height(x, y) - 0.2 * (1.0 - level as f64) * x + 0.1 * stream.normal();
        task.add_free(&[Value::Real(x), Value::Real(y)], level, seen).unwrap();
    }
    task
}

fn finished(mut campaign: Campaign, count: usize) -> (Campaign, Vec<Value>, f64) {
    let mut task = given(&campaign, count);
    while let Some(trial) = task.ask().unwrap() {
        let told = value(&trial);
        task.tell(trial.id, told).unwrap();
    }
    let best = task.recommendation().unwrap().unwrap();
    campaign.finish(task).unwrap();
    (campaign, best.point, best.mean)
}

#[test]
fn equivalent_observations_find_what_all_of_them_find() {
    let (_, exact, exact_mean) = finished(campaign(0), 240);
    let (after, few, few_mean) = finished(campaign(60), 240);
    let number = |value: &Value| value.number().unwrap();
    for (a, b) in exact.iter().zip(&few) {
        assert!((number(a) - number(b)).abs() < 0.05, "{exact:?} {few:?}");
    }
    assert!((exact_mean - few_mean).abs() < 0.1, "{exact_mean} {few_mean}");
    // What it taught is of bounded size, is written and read, and the next task uses it.
    let shared = after.knowledge().shared.as_ref().unwrap();
    assert!(shared.len() <= 200, "{}", shared.len());
    let read = Knowledge::from_json(&after.knowledge().to_json().unwrap()).unwrap();
    assert_eq!(&read, after.knowledge());
    let mut next = after.start(8.0).unwrap();
    let first = next.ask().unwrap().unwrap();
    let (x, y) = (first.number(0).unwrap(), first.number(1).unwrap());
    assert!(height(x, y) > 3.8, "{first:?}");
}

#[test]
fn a_task_with_equivalent_observations_is_replayed_to_the_bit() {
    let campaign = campaign(60);
    let mut task = given(&campaign, 150);
    for _ in 0..6 {
        let mut restored = campaign.resume(40.0, task.trials()).unwrap();
        let trial = task.ask().unwrap().unwrap();
        assert_eq!(restored.ask().unwrap().unwrap(), trial);
        task.tell(trial.id, value(&trial)).unwrap();
    }
}

#[test]
fn an_ask_in_advance_is_the_same_ask_and_is_dropped_once_something_changed() {
    let campaign = campaign(400);
    let mut plain = given(&campaign, 12);
    let mut ahead = plain.clone();
    for step in 0..8 {
        ahead.prepare().unwrap();
        if step % 3 == 1 {
            // Something else happens before anybody asks.
            for task in [&mut plain, &mut ahead] {
                let place = 0.1 * f64::from(step);
                let id = task.suggest(&[Value::Real(place), Value::Real(place)], 0).unwrap().id;
                task.tell(id, 1.0).unwrap();
            }
        }
        let trial = plain.ask().unwrap().unwrap();
        assert_eq!(ahead.ask().unwrap().unwrap(), trial);
        ahead.prepare().unwrap(); // with the trial pending
        for task in [&mut plain, &mut ahead] {
            task.tell(trial.id, value(&trial)).unwrap();
        }
    }
    ahead.prepare().unwrap();
    ahead.extend_budget(10.0).unwrap();
    plain.extend_budget(10.0).unwrap();
    assert_eq!(ahead.ask().unwrap(), plain.ask().unwrap());
}

#[test]
fn of_more_observations_than_are_kept_a_sample_says_how_far_to_trust_intervals() {
    let mut campaign = campaign(60);
    let mut task = given(&campaign, 150);
    let sampled = task.insight().unwrap().trust.unwrap();
    assert_eq!((sampled.told, sampled.seen.len(), sampled.width), (150, 60, Width::Right));
    let all = sampled.coverage.last().unwrap();
    assert!(all.observations == 60 && (48..=60).contains(&all.left_out), "{all:?}");
    // They are trials of the task in their order, and are expected from each other alone.
    assert!(sampled.seen.windows(2).all(|pair| pair[0].trial < pair[1].trial));
    let mut alone = campaign.start(40.0).unwrap();
    for seen in &sampled.seen {
        let trial = &task.trials()[seen.trial];
        assert_eq!(trial.value(), Some(seen.value));
        alone.add_free(&trial.point, trial.level, seen.value).unwrap();
    }
    let alone = alone.trust().unwrap().unwrap();
    assert_eq!((alone.told, alone.seen.len()), (60, 60));
    for (a, b) in sampled.seen.iter().zip(&alone.seen) {
        // Only the units differ: they are those of other first values.
        let (low, high) = b.left_out.interval;
        let off = (a.left_out.mean - b.left_out.mean).abs() / (high - low);
        assert!(a.value == b.value && off < 0.15, "{a:?} {b:?}");
    }
    // So too where something was handed over.
    campaign.finish(task).unwrap();
    let related = given(&campaign, 150).trust().unwrap().unwrap();
    assert_eq!((related.told, related.seen.len(), related.width), (150, 60, Width::Right));
}
