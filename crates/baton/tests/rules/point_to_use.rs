//! Which point is recommended.

use baton::{
    Campaign, Fidelity, Goal, Parameter, Recommendation, Settings, Space, Task, Trial, Value,
};

const TOP: usize = 1;

/// A parameter in whose range places in the cube do not lead back to every number, and a plain one.
fn task(goal: Goal, noise: f64) -> Task {
    let parameters = [Parameter::log("rate", 1e-4, 0.1), Parameter::real("y", -5.0, 10.0)];
    let levels = [("coarse", 1.0), ("fine", 4.0)];
    let levels = levels.map(|(name, cost)| Fidelity::new(name, cost).with_noise(noise));
    let space = Space::new(parameters).unwrap();
    let settings = Settings::default().seed(4);
    Campaign::new(space, levels.to_vec(), goal, settings).unwrap().start(60.0).unwrap()
}

/// Rough and exact: what nobody has tried looks better than it is.
fn rough(trial: &Trial) -> f64 {
    let (u, v) = (trial.number(0).unwrap().log10() / 3.0, trial.number(1).unwrap() / 15.0);
    0.1 * (60.0 * u).sin() * (47.0 * v).cos() - (u + 0.8).powi(2) - (v - 0.2).powi(2)
}

fn tried(task: &Task) -> Vec<Vec<Value>> {
    let told = |trial: &&Trial| trial.level == TOP && trial.value().is_some();
    task.trials().iter().filter(told).map(|trial| trial.point.clone()).collect()
}

fn run(task: &mut Task, tell: impl Fn(&Trial) -> f64, mut after: impl FnMut(&mut Task)) {
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, tell(&trial)).unwrap();
        after(task);
    }
}

#[test]
fn no_point_that_was_tried_has_a_better_end_of_its_interval() {
    for (goal, sign) in [(Goal::Maximize, 1.0), (Goal::Minimize, -1.0)] {
        let mut task = task(goal, 1e-8);
        let worse = |seen: &Recommendation| {
            if sign > 0.0 { seen.interval.0 } else { -seen.interval.1 }
        };
        run(
            &mut task,
            |trial| sign * rough(trial),
            |task| {
                let used = task.recommendation().unwrap().unwrap();
                let points = tried(task);
                let ends = task.expectations(&points).unwrap();
                let best = ends.iter().map(worse).fold(f64::MIN, f64::max);
                assert!(worse(&used) >= best - 1e-9, "{used:?} {best}");
            },
        );
    }
}

#[test]
fn a_point_that_was_tried_is_recommended_to_the_last_digit() {
    let mut task = task(Goal::Maximize, 1e-8);
    for (rate, y) in [(0.001, 1.273), (0.003, -2.701), (0.007, 3.333), (0.07, 8.9)] {
        let trial = task.suggest(&[Value::Real(rate), Value::Real(y)], TOP).unwrap();
        let value = -(rate.log10() + 2.5).powi(2) - (y + 2.7).powi(2);
        task.tell(trial.id, 100.0 * value).unwrap();
    }
    // Nothing is as sure as the best of four that differ by a lot.
    let used = task.recommendation().unwrap().unwrap().point;
    assert!(tried(&task).contains(&used), "{used:?}");
}

#[test]
fn where_noise_is_large_the_luckiest_value_is_not_what_is_recommended() {
    let mut task = task(Goal::Maximize, 0.25);
    let noise = |trial: &Trial| 0.5 * (trial.id as f64 * 12.9898).sin();
    run(&mut task, |trial| rough(trial) + noise(trial), |_| ());
    let best = task.best_observed().unwrap().point.clone();
    assert_ne!(task.recommendation().unwrap().unwrap().point, best);
}

#[test]
fn a_poor_trial_at_the_highest_fidelity_does_not_win_against_what_cheaper_ones_tell() {
    let mut task = task(Goal::Maximize, 1e-8);
    let bowl = |rate: f64, y: f64| -(rate.log10() + 2.5).powi(2) - ((y - 2.0) / 5.0).powi(2);
    for i in 0..30 {
        let (u, v) = (f64::from(i) * 0.618 % 1.0, f64::from(i) * 0.414 % 1.0);
        let (rate, y) = (10_f64.powf(3.0 * u - 4.0), 15.0 * v - 5.0);
        let trial = task.suggest(&[Value::Real(rate), Value::Real(y)], 0).unwrap();
        task.tell(trial.id, bowl(rate, y)).unwrap();
    }
    let poor = task.suggest(&[Value::Real(0.09), Value::Real(-4.5)], TOP).unwrap();
    task.tell(poor.id, bowl(0.09, -4.5)).unwrap();
    let used = task.recommendation().unwrap().unwrap().point;
    assert_ne!(used, poor.point);
}
