//! Testing what was handed on, and confirming the recommendation.

use baton::{Campaign, Fidelity, Goal, Method, Parameter, Settings, Space, Task, Trial, Value};

const TRUTH: usize = 1;

fn campaign(parameters: Vec<Parameter>, settings: Settings) -> Campaign {
    let levels = [("coarse", 1.0), ("fine", 4.0)];
    let levels = levels.map(|(name, cost)| Fidelity::new(name, cost).with_noise(1e-4));
    let space = Space::new(parameters).unwrap();
    Campaign::new(space, levels.to_vec(), Goal::Maximize, settings.seed(4)).unwrap()
}

fn reals() -> Vec<Parameter> {
    ["x", "y"].map(|name| Parameter::real(name, 0.0, 1.0)).to_vec()
}

/// A bowl with its top at 0.3 in every coordinate.
fn tell(task: &mut Task, trial: &Trial) {
    let numbers = (0..trial.point.len()).map(|j| trial.number(j).unwrap());
    let value: f64 = numbers.map(|u| -(u - 0.3).powi(2)).sum();
    task.tell(trial.id, value).unwrap();
}

fn confirming(task: &Task) -> usize {
    task.trials().iter().filter(|trial| trial.aim == *"confirm").count()
}

/// Places all over the space.
fn grid() -> Vec<Vec<Value>> {
    let at = |i: u32| Value::Real(f64::from(i) / 20.0);
    (0..=20).flat_map(|i| (0..=20).map(move |j| vec![at(i), at(j)])).collect()
}

#[test]
fn the_last_trial_at_the_truth_goes_to_the_posterior_maximum() {
    let mut task = campaign(reals(), Settings::default()).start(41.0).unwrap();
    for extension in [0.0, 8.0] {
        if extension > 0.0 {
            task.extend_budget(extension).unwrap();
        }
        let mut last = None;
        while let Some(trial) = task.ask().unwrap() {
            if trial.level == TRUTH {
                let seen = task.recommendation().unwrap().map(|seen| seen.mean);
                let expected = task.expectations(std::slice::from_ref(&trial.point)).unwrap();
                let grid = task.expectations(&grid()).unwrap();
                let highest = grid.iter().map(|there| there.mean).fold(f64::MIN, f64::max);
                last =
                    Some((trial.clone(), expected.first().map(|there| there.mean), seen, highest));
            }
            tell(&mut task, &trial);
        }
        let (trial, expected, seen, highest) = last.unwrap();
        assert_eq!(trial.aim.name(), "confirm");
        assert!(seen.is_some() && expected >= seen, "as good as what would be recommended");
        assert!(expected.unwrap() >= highest, "{expected:?} {highest}");
    }
    assert_eq!(confirming(&task), 2);
    assert!(task.trials().iter().any(|trial| trial.why().contains("confirming")));
}

#[test]
fn it_can_be_switched_off_and_is_the_default_methods_alone() {
    let mut without = Settings::default();
    without.set("confirm", "false").unwrap();
    for settings in [without, Settings::new(Method::MfMesFitted)] {
        let mut task = campaign(reals(), settings).start(41.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            tell(&mut task, &trial);
        }
        assert_eq!(confirming(&task), 0);
    }
}

#[test]
fn what_was_tried_at_the_truth_needs_no_confirmation() {
    let settings = Settings::default();
    let mut task = campaign(vec![Parameter::integer("n", 0, 4)], settings).start(4.0).unwrap();
    for n in 0..=4 {
        task.add_free(&[Value::Integer(n)], TRUTH, -((n - 2) as f64).powi(2)).unwrap();
    }
    let trial = task.ask().unwrap().unwrap();
    assert_ne!(trial.aim.name(), "confirm");
}

#[test]
fn a_budget_that_grows_trial_by_trial_is_not_spent_on_confirming_alone() {
    let mut task = campaign(reals(), Settings::default()).start(20.0).unwrap();
    let mut aims = Vec::new();
    for _ in 0..6 {
        while let Some(trial) = task.ask().unwrap() {
            aims.extend((trial.level == TRUTH).then(|| trial.aim.clone()));
            tell(&mut task, &trial);
        }
        task.extend_budget(4.0).unwrap();
    }
    assert!(aims.iter().any(|aim| *aim == *"confirm"), "{aims:?}");
    assert!(aims.windows(2).all(|pair| pair.iter().any(|aim| *aim != *"confirm")), "{aims:?}");
}

#[test]
fn nothing_is_confirmed_before_something_was_told() {
    let mut task = campaign(reals(), Settings::default()).start(8.0).unwrap();
    while let Some(trial) = task.ask().unwrap() {
        assert_ne!(trial.aim.name(), "confirm");
    }
}

#[test]
fn several_at_once_confirm_once() {
    let mut task = campaign(reals(), Settings::default()).start(40.0).unwrap();
    loop {
        let trials = task.ask_many(4).unwrap();
        if trials.is_empty() {
            break;
        }
        for trial in &trials {
            tell(&mut task, trial);
        }
    }
    assert_eq!(confirming(&task), 1);
}
