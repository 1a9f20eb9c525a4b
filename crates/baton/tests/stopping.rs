//! Tasks that end early, and guesses of where good points lie.

#![allow(clippy::unwrap_used)]

use baton::{
    Campaign, Fidelity, Goal, Guess, Parameter, Settings, Space, Stop, Task, Trial, Value,
};
use proptest::prelude::*;

const BUDGET: f64 = 60.0;

fn space() -> Space {
    Space::new([Parameter::real("x", -1.0, 3.0), Parameter::log("y", 0.01, 10.0)]).unwrap()
}

fn campaign(seed: u64) -> Campaign {
    let mut settings = Settings::default().seed(seed);
    for (key, value) in [("candidates", "64"), ("starts", "4"), ("initial", "4")] {
        settings.set(key, value).unwrap();
    }
    let levels = [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 2.0)];
    Campaign::new(space(), levels, Goal::Minimize, settings).unwrap()
}

fn bowl(trial: &Trial) -> f64 {
    let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
    let bias = if trial.level == 0 { 0.1 * x } else { 0.0 };
    100.0 * ((x - 0.7).powi(2) + 0.3 * (y.log10() + 0.4).powi(2) + bias)
}

fn around(x: f64) -> Guess {
    let point = [("x".to_owned(), Value::Real(x))].into();
    Guess { point, within: [("x".to_owned(), 0.2)].into() }
}

fn stop(gain: f64, confidence: f64) -> Stop {
    Stop { gain: gain.try_into().unwrap(), confidence: confidence.try_into().unwrap() }
}

fn finish(task: &mut Task) {
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, bowl(&trial)).unwrap();
    }
}

fn spent(task: &Task) -> f64 {
    task.trials().iter().map(Trial::charge).sum()
}

#[test]
fn a_task_ends_once_little_is_left() {
    let campaign = campaign(3);
    let mut full = campaign.start(BUDGET).unwrap();
    finish(&mut full);
    assert!(spent(&full) > BUDGET - 2.0 && full.stopped().unwrap().is_none());
    let mut early = campaign.start(BUDGET).unwrap();
    early.stop_when(Some(Stop::default()));
    finish(&mut early);
    let why = early.stopped().unwrap().unwrap();
    println!("{why:?} for {}", spent(&early));
    assert!(spent(&early) < 0.8 * BUDGET, "spent {}", spent(&early));
    assert!(why.chance >= 0.9 && why.left < 0.01 * why.gained, "{why:?}");
    // What is left was hardly worth having, and the point was tried.
    let best = early.recommendation().unwrap().unwrap();
    assert!(
        early.trials().iter().any(|trial| trial.level == 1 && trial.point == best.point) || {
            early.trials().iter().any(|trial| trial.aim.name() == "confirm")
        }
    );
    assert!(best.mean < 5.0, "{best:?}");
    // As if it had never stopped.
    early.stop_when(None);
    assert!(early.ask().unwrap().is_some() && early.stopped().unwrap().is_none());
}

#[test]
fn what_is_still_to_be_gained_falls() {
    let campaign = campaign(4);
    let mut task = campaign.start(BUDGET).unwrap();
    assert!(task.insight().unwrap().still_to_gain.is_none());
    let mut seen = Vec::new();
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, bowl(&trial)).unwrap();
        if [12, 30].contains(&task.trials().len()) {
            seen.push(task.insight().unwrap().still_to_gain.unwrap());
        }
    }
    println!("{seen:?}");
    assert!(seen[1].left.value < seen[0].left.value && seen[1].left.interval.0 >= 0.0);
    assert!(seen[1].little >= seen[0].little && seen[1].gained.value > 50.0);
}

#[test]
fn what_nobody_is_sure_of_does_not_end_a_task() {
    for never in [stop(0.0, 0.9), stop(1e-9, 1.0)] {
        let mut task = campaign(5).start(24.0).unwrap();
        task.stop_when(Some(never));
        finish(&mut task);
        assert!(spent(&task) > 22.0);
    }
    // As soon as may be.
    let mut task = campaign(5).start(24.0).unwrap();
    task.stop_when(Some(stop(1.0, 0.0)));
    finish(&mut task);
    assert!(task.trials().len() >= 4 && task.trials().iter().any(|trial| trial.level == 1));
}

#[test]
fn guesses_are_tried_first_and_not_handed_on() {
    let mut campaign = campaign(6);
    let mut task = campaign.start(BUDGET).unwrap();
    let whole = Guess {
        point: [("x".to_owned(), Value::Real(0.6)), ("y".to_owned(), Value::Real(0.5))].into(),
        ..Guess::default()
    };
    task.guess(&[whole.clone(), around(2.5)]).unwrap();
    let first = task.ask().unwrap().unwrap();
    assert_eq!(first.point, [Value::Real(0.6), Value::Real(0.5)]);
    assert_eq!((first.aim.name(), first.level), ("guess", 0));
    let second = task.ask().unwrap().unwrap();
    assert!((second.number(0).unwrap() - 2.5).abs() < 1e-9 && second.aim.name() == "guess");
    assert_eq!(task.ask().unwrap().unwrap().aim.name(), "design");
    assert!(task.guess(std::slice::from_ref(&whole)).is_err(), "it has begun");
    for trial in task.trials().to_vec() {
        task.tell(trial.id, bowl(&trial)).unwrap();
    }
    finish(&mut task);
    assert!(task.recommendation().unwrap().unwrap().mean < 5.0);
    assert!(spent(&task) <= BUDGET);
    let again = |guesses: &[Guess]| {
        let mut again = campaign.start(BUDGET).unwrap();
        again.guess(guesses).unwrap();
        again.follow(task.trials()).unwrap();
        again
    };
    let (mut own, mut none) = (campaign.clone(), campaign.clone());
    own.finish(again(&[whole])).unwrap();
    none.finish(again(&[])).unwrap();
    let text = |campaign: &Campaign| campaign.knowledge().to_json().unwrap();
    assert_eq!(text(&own), text(&none));
    campaign.finish(task).unwrap();
}

#[test]
fn what_cannot_be_guessed_is_told() {
    let mut task = campaign(7).start(BUDGET).unwrap();
    let of = |point: &[(&str, f64)], within: &[(&str, f64)]| Guess {
        point: point.iter().map(|(name, x)| ((*name).to_owned(), Value::Real(*x))).collect(),
        within: within.iter().map(|(name, x)| ((*name).to_owned(), *x)).collect(),
    };
    for (wrong, told) in [
        (of(&[("z", 1.0)], &[]), "it has x, y"),
        (of(&[("x", 7.0)], &[]), "7 is not one of its values"),
        (of(&[("x", 1.0)], &[("x", -1.0)]), "must be a positive number"),
        (of(&[("x", 1.0)], &[("y", 1.0)]), "no value in point"),
        (of(&[], &[]), "at least one parameter"),
    ] {
        let error = task.guess(&[wrong]).unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    let first = campaign(7).start(BUDGET).unwrap().ask().unwrap();
    assert_eq!(task.ask().unwrap(), first, "nothing was changed");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]
    #[test]
    fn a_task_goes_on_after_a_break_as_if_there_had_been_none(
        seed in any::<u64>(),
        gain in 0.0..0.2_f64,
        confidence in 0.3..1.0_f64,
        guessed in prop::collection::vec(-1.0..3.0_f64, 0..4),
    ) {
        let campaign = campaign(seed);
        let guesses: Vec<Guess> = guessed.into_iter().map(around).collect();
        let begin = || {
            let mut task = campaign.start(26.0).unwrap();
            task.guess(&guesses).unwrap();
            task.stop_when(Some(stop(gain, confidence)));
            task
        };
        let mut task = begin();
        loop {
            let mut restored = begin();
            restored.follow(task.trials()).unwrap();
            let next = task.ask().unwrap();
            prop_assert_eq!(&restored.ask().unwrap(), &next);
            let Some(trial) = next else { break };
            prop_assert_eq!(space().canonical(&trial.point).unwrap(), trial.point.clone());
            prop_assert!(spent(&task) <= 26.0);
            task.tell(trial.id, bowl(&trial)).unwrap();
        }
        let mut restored = begin();
        restored.follow(task.trials()).unwrap();
        prop_assert_eq!(restored.stopped().unwrap(), task.stopped().unwrap());
        prop_assert!(task.stopped().unwrap().is_some() || spent(&task) > 24.0);
    }
}
