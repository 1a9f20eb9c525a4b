//! Tasks that end early hand on what they left, and everything is the same after a break.

#![allow(clippy::unwrap_used)]

use baton::{Fidelity, Goal, Guess, Parameter, Settings, Space, Trial, Value};
use baton_runner::look::stopped;
use baton_runner::{Desk, Plan, Records, Spec, Step, desk::Asker};
use baton_store::{Answer, Lease, Report, Store};
use std::sync::Arc;

const BUDGET: f64 = 40.0;

fn spec(stop: bool) -> Spec {
    let space = Space::new([Parameter::real("x", -1.0, 3.0)]).unwrap();
    let levels = vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 2.0)];
    let mut settings = Settings::default().seed(5);
    for (key, value) in [("starts", "3"), ("candidates", "32"), ("initial", "3")] {
        settings.set(key, value).unwrap();
    }
    let guess = Guess { point: [("x".to_owned(), Value::Real(0.5))].into(), ..Guess::default() };
    let first = Plan { guess: vec![guess], ..Plan::new("monday", BUDGET) };
    let tasks = vec![first, Plan::new("tuesday", BUDGET), Plan::new("wednesday", BUDGET)];
    let mut spec = Spec::new(space, levels, Goal::Minimize, &settings, tasks);
    spec.stop = stop.then(baton::Stop::default);
    spec
}

fn value(trial: &Trial, task: u32) -> f64 {
    let x = trial.number(0).unwrap();
    let bias = if trial.level == 0 { 0.1 * x } else { 0.0 };
    10.0 * (x - 0.7 - 0.1 * f64::from(task)).powi(2) + bias
}

/// Runs a campaign to its end; with `again`, by a process of its own for each step.
fn run(spec: &Spec, again: bool) -> Records {
    let store = Arc::new(Store::in_memory(None).unwrap());
    let mut desk = Desk::create(Arc::clone(&store), "test", spec).unwrap();
    let asker = Asker { lease: Lease { holder: "a/1", seconds: None }, request: None };
    loop {
        if again {
            desk = Desk::open(Arc::clone(&store), "test").unwrap();
        }
        match desk.step(asker).unwrap() {
            Step::Trial(record) => {
                let told = value(&record.trial, record.task);
                let answer = Answer::Value(told.into());
                let (task, trial) = (record.task, record.trial.id);
                let report =
                    Report { task, trial, holder: Some("a/1"), answer, attempts: 1, log: "" };
                desk.settle(&report).unwrap();
            }
            Step::Finished(_) => {}
            Step::Done => break desk.records().clone(),
            step => unreachable!("{step:?}"),
        }
    }
}

fn trials(records: &Records) -> Vec<Trial> {
    records.trials.iter().flatten().map(|record| record.trial.clone()).collect()
}

#[test]
fn what_a_task_leaves_goes_to_the_next() {
    let records = run(&spec(true), false);
    let mut left = 0.0;
    for task in &records.tasks {
        assert_eq!(task.budget, BUDGET + left, "{}", task.name);
        assert_eq!(task.began_with, task.budget);
        let spent = records.spent(task.number);
        assert!(spent <= task.budget);
        left = if stopped(task).is_some() { task.budget - spent } else { 0.0 };
    }
    let first = stopped(&records.tasks[0]).unwrap();
    assert!(first.chance >= 0.9 && records.tasks[1].budget > BUDGET, "{first:?}");
    let again = run(&spec(true), true);
    assert_eq!(trials(&records), trials(&again));
    let budgets = |of: &Records| of.tasks.iter().map(|task| task.budget).collect::<Vec<_>>();
    assert_eq!(budgets(&records), budgets(&again));
}

#[test]
fn without_the_rule_every_task_spends_its_own() {
    let records = run(&spec(false), false);
    assert!(records.tasks.iter().all(|task| task.budget == BUDGET && stopped(task).is_none()));
    assert!(records.tasks.iter().all(|task| records.spent(task.number) > BUDGET - 2.0));
}

#[test]
fn a_rule_and_guesses_are_kept_and_checked() {
    let spec = spec(true);
    let text = spec.to_json().unwrap();
    assert!(text.contains("\"version\":5"));
    assert_eq!(Spec::from_json(&text).unwrap(), spec);
    let mut other = spec.clone();
    other.tasks[0].guess.clear();
    other.stop = None;
    let reason = spec.amended(&other, &["monday".into()]).unwrap_err().to_string();
    assert!(reason.contains("has begun with other guesses"), "{reason}");
    other.tasks[0].guess.clone_from(&spec.tasks[0].guess);
    assert_eq!(spec.amended(&other, &["monday".into()]).unwrap().stop, None);
    other.tasks[1].guess.push(Guess::default());
    assert!(other.problems().is_err());
}
