//! Constraints: what is measured besides the objective, keeps its bounds, and is learned from task to task.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use baton::{
    Campaign, Constraint, Fidelity, Goal, Knowledge, Measurement, Parameter, Settings, Space, Task,
    Trial, Value,
};

fn square() -> Space {
    Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]).unwrap()
}

fn two() -> [Fidelity; 2] {
    [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)]
}

fn settings(keys: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default().seed(3);
    for (key, value) in keys {
        settings.set(key, value).unwrap();
    }
    settings
}

/// The value falls towards a corner that is too hot: the best allowed point lies on the line
/// x + y = 1 + shift, at its middle.
fn value(x: f64, y: f64) -> f64 {
    (1.2 - x).powi(2) + (1.2 - y).powi(2)
}

fn heat(x: f64, y: f64) -> f64 {
    40.0 + 5.0 * (x + y) + 2.0 * (3.0 * x).sin() * 0.1
}

fn evaluated(trial: &Trial, shift: f64) -> Measurement {
    let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
    let blur = if trial.fidelity == "fine" { 0.0 } else { 0.02 * (7.0 * x).cos() };
    Measurement::new(value(x, y) + blur).constraint("heat", heat(x, y) - 5.0 * shift + blur)
}

fn campaign(settings: Settings) -> Campaign {
    Campaign::new(square(), two(), Goal::Minimize, settings).unwrap()
}

fn drive(task: &mut Task, shift: f64) {
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, evaluated(&trial, shift)).unwrap();
    }
}

#[test]
fn the_recommended_point_keeps_the_bound_and_is_near_the_best_that_does() {
    let limited = [Constraint::at_most("heat", 45.0)];
    let mut campaign = campaign(settings(&[])).with_constraints(limited).unwrap();
    for (number, shift) in [0.0, 0.05, -0.05].into_iter().enumerate() {
        let mut task = campaign.start(60.0).unwrap();
        drive(&mut task, shift);
        let best = task.recommendation().unwrap().unwrap();
        let (x, y) = (best.point[0].number().unwrap(), best.point[1].number().unwrap());
        assert!(heat(x, y) - 5.0 * shift <= 45.02, "{number}: {best:?}");
        let least = 2.0 * (0.72_f64 - 0.5 * shift).powi(2); // sin 1.5 is 1
        assert!(value(x, y) < least + 0.05, "{number}: {} against {least}", value(x, y));
        assert!(best.feasible.unwrap() >= 0.94, "{best:?}");
        assert_eq!(best.constraints[0].name, "heat");
        let seen = task.best_observed().unwrap();
        assert!(seen.constraints["heat"] <= 45.0);
        let bought: Vec<_> = task.trials().iter().filter_map(|trial| trial.nats).collect();
        assert!(bought.iter().all(|nats| (0.0..=nats.optimum).contains(&nats.limits)));
        assert!(bought.iter().any(|nats| nats.limits > 0.3 * nats.optimum), "{bought:?}");
        assert!(task.trials().iter().any(|trial| trial.why().contains("of the limits")));
        let finished = campaign.finish(task).unwrap();
        assert_eq!(finished.constraints.len(), usize::from(number > 0), "{:?}", finished.notes);
    }
    let known = &campaign.knowledge().constraints()["heat"];
    assert_eq!((known.tasks, known.verdicts.1), (3, 0));
}

/// Bounds of every kind, on values far from 0 and of either sign: the corner with the best value is cut off.
#[test]
fn bounds_of_every_kind_far_from_zero_are_kept() {
    let limits = [
        Constraint::at_least("q", 8.1),
        Constraint::between("q", 8.1, 20.0),
        Constraint::at_most("q", -8.1),
        Constraint::at_least("q", 1008.1),
    ];
    let quantity = |k: usize, y: f64| [9.0 - y, 9.0 - y, y - 9.0, 1009.0 - y][k];
    for (k, limit) in limits.into_iter().enumerate() {
        let campaign = campaign(settings(&[])).with_constraints([limit.clone()]).unwrap();
        let mut task = campaign.start(70.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
            let told = Measurement::new((x - 0.5).powi(2) - y);
            task.tell(trial.id, told.constraint("q", quantity(k, y))).unwrap();
        }
        let best = task.recommendation().unwrap().unwrap();
        let y = best.point[1].number().unwrap();
        assert!(limit.holds(quantity(k, y)) && y > 0.8, "{k}: {best:?}");
    }
}

#[test]
fn knowledge_of_constraints_travels_and_the_bound_may_change() {
    let cool = |max: f64| [Constraint::at_most("heat", max)];
    let mut first = campaign(settings(&[])).with_constraints(cool(45.0)).unwrap();
    let mut task = first.start(60.0).unwrap();
    drive(&mut task, 0.0);
    first.finish(task).unwrap();
    let text = first.knowledge().to_json().unwrap();
    let known = Knowledge::from_json(&text).unwrap();
    assert_eq!(&known, first.knowledge());
    // Another bound in the next task: where it holds is known before the first trial.
    let next = campaign(settings(&[])).with_knowledge(known).unwrap().with_constraints(cool(43.0));
    let mut task = next.unwrap().start(60.0).unwrap();
    let trial = task.ask().unwrap().unwrap();
    let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
    assert!(heat(x, y) < 43.3, "{trial:?}");
    // What is given to others has them too; a method without constraints is told so.
    let shared = first.shareable().unwrap();
    assert!(shared.constraints().contains_key("heat"));
    let paper = Settings::by_name("mft-mes", None).unwrap();
    let refused = campaign(paper).with_constraints(cool(45.0)).unwrap_err().to_string();
    assert!(refused.contains("mft-mes"), "{refused}");
}

#[test]
fn a_resumed_task_asks_the_same() {
    let limited = || [Constraint::at_most("heat", 45.0)];
    let settings = || settings(&[("failures", "learn")]);
    let campaign = campaign(settings()).with_constraints(limited()).unwrap();
    let mut task = campaign.start(60.0).unwrap();
    for step in 0..14 {
        let trials = task.ask_many(2).unwrap();
        // Told in another order than asked for, and some fail.
        for trial in trials.iter().rev() {
            if step % 4 == 1 && trial.id % 2 == 0 {
                task.fail(trial.id, "diverged").unwrap();
            } else {
                task.tell(trial.id, evaluated(trial, 0.0)).unwrap();
            }
        }
        let mut again = campaign.resume(60.0, task.trials()).unwrap();
        assert_eq!(again.ask().unwrap(), task.clone().ask().unwrap(), "after step {step}");
    }
}

#[test]
fn nothing_changes_where_there_are_none() {
    let run = |campaign: Campaign| {
        let mut task = campaign.start(60.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            task.tell(trial.id, evaluated(&trial, 0.0).value).unwrap();
        }
        task.trials().to_vec()
    };
    let plain = run(campaign(settings(&[])));
    assert_eq!(plain, run(campaign(settings(&[])).with_constraints([]).unwrap()));
    assert_eq!(plain, run(campaign(settings(&[("failures", "learn")]))), "nothing failed");
}

#[test]
fn a_constraint_that_is_never_told_says_nothing() {
    let limited = [Constraint::at_most("heat", 45.0)];
    let campaign = campaign(settings(&[])).with_constraints(limited).unwrap();
    let mut task = campaign.start(40.0).unwrap();
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, evaluated(&trial, 0.0).value).unwrap();
    }
    let best = task.recommendation().unwrap().unwrap();
    assert_eq!((best.feasible, best.constraints.len()), (None, 0));
    assert!(task.best_observed().is_none(), "nothing is known to keep it");
}

#[test]
fn bad_values_are_refused_and_change_nothing() {
    let limited = [Constraint::at_most("heat", 45.0)];
    let campaign = campaign(settings(&[])).with_constraints(limited).unwrap();
    let mut task = campaign.start(40.0).unwrap();
    let trial = task.ask().unwrap().unwrap();
    let before = task.trials().to_vec();
    for bad in [
        Measurement::new(1.0).constraint("heat", f64::NAN),
        Measurement::new(1.0).constraint("haet", 40.0),
        Measurement::new(f64::INFINITY).constraint("heat", 40.0),
    ] {
        assert!(task.tell(trial.id, bad).is_err());
        assert_eq!(task.trials(), before);
    }
    task.tell(trial.id, Measurement::new(1.0).constraint("heat", 40.0)).unwrap();
    let mut damaged = task.trials().to_vec();
    damaged[0].constraints.insert("haet".into(), 3.0);
    assert!(campaign.resume(40.0, &damaged).is_err());
}

#[test]
fn a_bound_that_cannot_be_met_gives_the_point_most_likely_to_meet_it() {
    let limited = [Constraint::at_most("heat", 30.0)];
    let campaign = campaign(settings(&[])).with_constraints(limited).unwrap();
    let mut task = campaign.start(60.0).unwrap();
    drive(&mut task, 0.0);
    let best = task.recommendation().unwrap().unwrap();
    assert!(best.feasible.unwrap() < 0.5, "{best:?}");
    let (x, y) = (best.point[0].number().unwrap(), best.point[1].number().unwrap());
    assert!(x + y < 0.3, "the coolest corner: {x} {y}");
    assert!(task.best_observed().is_none());
}

/// The simulator diverges in the corner where the best values would be.
#[test]
fn where_evaluations_fail_is_learned_and_handed_on() {
    let mut campaign = campaign(settings(&[("failures", "learn")]));
    for number in 0..3 {
        let mut task = campaign.start(80.0).unwrap();
        if number > 0 {
            // Known from earlier tasks, before this one has failed.
            let first = task.ask().unwrap().unwrap();
            task.tell(first.id, value(first.number(0).unwrap(), first.number(1).unwrap())).unwrap();
            let places = [[0.2, 0.2], [0.9, 0.9]].map(|place| place.map(Value::Real).to_vec());
            let expected = task.expectations(&places).unwrap();
            let likely: Vec<f64> = expected.iter().map(|one| one.feasible.unwrap()).collect();
            assert!(likely[0] > likely[1] + 0.15, "{number}: {likely:?}");
        }
        while let Some(trial) = task.ask().unwrap() {
            let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
            if x + y > 1.2 {
                task.fail(trial.id, "diverged").unwrap();
            } else {
                task.tell(trial.id, value(x, y)).unwrap();
            }
        }
        let best = task.recommendation().unwrap().unwrap();
        let sum = best.point[0].number().unwrap() + best.point[1].number().unwrap();
        assert!((1.1..1.25).contains(&sum), "{number}: {best:?}");
        campaign.finish(task).unwrap();
        // Known to whoever goes on with it, too.
        let known = Knowledge::from_json(&campaign.knowledge().to_json().unwrap()).unwrap();
        let next = self::campaign(settings(&[("failures", "learn")])).with_knowledge(known);
        campaign = next.unwrap();
    }
}

#[test]
fn in_safe_mode_hardly_a_fine_trial_is_infeasible() {
    let (mut fine, mut infeasible) = (0, 0);
    for seed in 1..6 {
        let safe = settings(&[("safe", "0.9")]).seed(seed);
        let limited = [Constraint::at_most("heat", 45.0)];
        let campaign = campaign(safe).with_constraints(limited).unwrap();
        let mut task = campaign.start(60.0).unwrap();
        let start = task.suggest(&[Value::Real(0.1), Value::Real(0.1)], 1).unwrap();
        task.tell(start.id, evaluated(&start, 0.0)).unwrap();
        drive(&mut task, 0.0);
        for trial in task.trials().iter().filter(|trial| trial.fidelity == "fine") {
            fine += 1;
            infeasible += u32::from(trial.constraints["heat"] > 45.0);
        }
        let best = task.recommendation().unwrap().unwrap();
        let (x, y) = (best.point[0].number().unwrap(), best.point[1].number().unwrap());
        assert!(value(x, y) < 1.3, "it stayed where it began: {best:?}");
    }
    assert!(fine > 20 && 10 * infeasible <= fine, "{infeasible} of {fine}");
}
