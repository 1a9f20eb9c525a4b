//! Campaigns whose problem changes from task to task, on both databases, left and taken up at any moment.
//!
//! PostgreSQL is found in `BATON_TEST_POSTGRES`; `scripts/with-postgres cargo test` provides one.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

use baton::{Fidelity, Goal, Parameter, Settings, Space, Trial, Value};
use baton_runner::desk::Asker;
use baton_runner::wanted::{WantedFidelity, WantedParameter};
use baton_runner::{Desk, Plan, Records, Request, Spec, Step};
use baton_store::{Answer, Lease, Report, Store};
use proptest::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const BUDGET: f64 = 14.0;

static FRESH: AtomicUsize = AtomicUsize::new(0);

/// A fresh store that can be opened again.
struct Place {
    url: String,
    folder: Option<PathBuf>,
}

impl Place {
    fn sqlite() -> Self {
        let folder = std::env::temp_dir().join(fresh_name());
        std::fs::create_dir_all(&folder).unwrap();
        Self { url: format!("sqlite:{}", folder.join("store.db").display()), folder: Some(folder) }
    }

    fn postgres() -> Self {
        let Ok(url) = std::env::var("BATON_TEST_POSTGRES") else {
            panic!("BATON_TEST_POSTGRES is not set\nhint: scripts/with-postgres cargo test");
        };
        let schema = fresh_name();
        let mut client = ::postgres::Client::connect(&url, ::postgres::NoTls).unwrap();
        client.batch_execute(&format!("CREATE SCHEMA {schema}")).unwrap();
        Self { url: format!("{url}?options=-csearch_path%3D{schema}"), folder: None }
    }

    fn desk(&self, spec: &Spec) -> Desk {
        Desk::create(Arc::new(Store::open(&self.url).unwrap()), "c", spec).unwrap()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

fn fresh_name() -> String {
    format!("baton_changing_{}_{}", std::process::id(), FRESH.fetch_add(1, Ordering::Relaxed))
}

fn named(name: &str) -> WantedParameter {
    WantedParameter { name: name.into(), ..WantedParameter::default() }
}

fn between(name: &str, low: i32, high: i32) -> WantedParameter {
    WantedParameter { low: Some(low.into()), high: Some(high.into()), ..named(name) }
}

fn fixed(name: &str, value: impl Into<Value>) -> WantedParameter {
    WantedParameter { fixed: Some(value.into()), ..named(name) }
}

fn levels(names: &[&str]) -> Vec<WantedFidelity> {
    let cost = |name: &str| match name {
        "coarse" => 1.0,
        "fine" => 2.0,
        _ => 3.0,
    };
    names.iter().map(|name| WantedFidelity::from(&Fidelity::new(name, cost(name)))).collect()
}

/// Two tasks before anything changes are followed by those of these plans.
fn spec(changes: &[Plan], seed: u64) -> Spec {
    let space =
        Space::new([Parameter::real("x", 0.0, 1.0), Parameter::choice("gas", ["air", "neon"])]);
    let fidelities = vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 2.0)];
    let mut settings = Settings::default().seed(seed);
    for (key, value) in [("starts", "2"), ("candidates", "24"), ("initial", "2")] {
        settings.set(key, value).unwrap();
    }
    let tasks = [vec![Plan::new("first", BUDGET)], changes.to_vec()].concat();
    Spec::new(space.unwrap(), fidelities, Goal::Minimize, &settings, tasks)
}

/// What a trial is worth: by the names of what is there.
fn value(request: &Request) -> f64 {
    let of = |name: &str| {
        let place = request.parameters.iter().position(|known| known == name);
        place.and_then(|place| request.trial.point[place].number())
    };
    let coarse = if request.trial.fidelity == "coarse" { 0.05 } else { 0.0 };
    (of("x").unwrap_or(0.0) - 0.3).powi(2)
        + 0.1 * (of("tilt").unwrap_or(0.2) - 0.6).powi(2)
        + coarse
}

/// What the library alone does, without a store.
fn undisturbed(spec: &Spec) -> Vec<Vec<Trial>> {
    let mut known: Option<String> = None;
    let mut all = Vec::new();
    let seed = spec.setting("seed").unwrap().parse().unwrap();
    for ((number, plan), problem) in (0..).zip(&spec.tasks).zip(spec.problems().unwrap()) {
        let mut campaign = spec.campaign_over(&problem, known.as_deref()).unwrap();
        let mut task = campaign.start(plan.budget).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let request = Request::new(trial.clone(), &problem.space, (number, &plan.name), seed);
            task.tell(trial.id, value(&request)).unwrap();
        }
        all.push(campaign.finish(task).unwrap().trials);
        known = Some(campaign.knowledge().to_json().unwrap());
    }
    all
}

/// The same through a store, by processes that vanish after so many steps each.
fn disturbed(place: &Place, spec: &Spec, lives: &[usize]) -> Vec<Vec<Trial>> {
    let lease = Lease { holder: "w", seconds: Some(60.0) };
    let mut lives = lives.iter().copied().cycle();
    let mut done = false;
    while !done {
        let mut desk = place.desk(spec);
        for _ in 0..lives.next().unwrap_or(1).max(1) {
            // What it held when it vanished is given to it again.
            let held = desk.store().claim("c", lease).unwrap();
            let step = match held {
                Some(record) => Step::Trial(Box::new(record)),
                None => desk.step(Asker { lease, request: None }).unwrap(),
            };
            match step {
                Step::Trial(record) => {
                    desk.refresh().unwrap();
                    let request = Request::of(&record, desk.records());
                    check(&record.trial, desk.records(), record.task);
                    let answer = Answer::Value(value(&request).into());
                    let (task, trial) = (record.task, record.trial.id);
                    let holder = Some("w");
                    let report = Report { task, trial, holder, answer, attempts: 1, log: "" };
                    desk.settle(&report).unwrap();
                }
                Step::Done => {
                    done = true;
                    break;
                }
                Step::Finished(_) => {}
                other => panic!("{other:?}"),
            }
        }
    }
    let records = Records::read(&Store::open(&place.url).unwrap(), "c").unwrap();
    for task in &records.tasks {
        let cheapest = records.fidelities_of(task.number)[0].cost;
        let left = task.budget - records.spent(task.number);
        assert!((0.0..cheapest).contains(&left), "{left} is left of {}", task.name);
    }
    let numbers = 0..u32::try_from(records.tasks.len()).unwrap();
    numbers.map(|task| records.trials(task).cloned().collect()).collect()
}

/// A proposal is a point of its task's space, at one of its fidelities.
fn check(trial: &Trial, records: &Records, task: u32) {
    let space = records.space_of(task);
    assert_eq!(space.canonical(&trial.point).unwrap(), trial.point);
    assert!(space.forbids(&trial.point).is_none(), "{:?}", trial.point);
    let level = &records.fidelities_of(task)[trial.level];
    assert_eq!((&level.name, level.cost), (&trial.fidelity, trial.cost));
}

/// What may change in a task.
fn change() -> impl Strategy<Value = Plan> {
    let x = prop_oneof![
        Just(None),
        Just(Some(between("x", 0, 2))),
        Just(Some(fixed("x", 0.5))),
        Just(Some(WantedParameter { integer: true, ..between("x", 0, 3) })),
    ];
    let gas = prop_oneof![
        Just(None),
        Just(Some(fixed("gas", "neon"))),
        Just(Some(WantedParameter {
            choices: Some(vec!["neon".into(), "argon".into(), "air".into()]),
            ..named("gas")
        })),
    ];
    let tilt = prop_oneof![
        Just(None),
        Just(Some(between("tilt", 0, 1))),
        Just(Some(WantedParameter { was: Some(0.2.into()), ..between("tilt", 0, 1) })),
        Just(Some(WantedParameter { when: Some("gas = neon".into()), ..between("tilt", 0, 1) })),
        Just(Some(WantedParameter {
            when: Some("gas = neon".into()),
            fixed: Some(0.4.into()),
            ..between("tilt", 0, 1)
        })),
    ];
    let fidelities = prop_oneof![
        Just(Vec::new()),
        Just(levels(&["coarse", "fine", "finest"])),
        Just(levels(&["fine"])),
    ];
    let forbid = prop_oneof![
        Just(None),
        Just(Some(vec!["gas = neon and x < 0.2".to_owned()])),
        Just(Some(Vec::new())),
    ];
    (x, gas, tilt, fidelities, forbid).prop_map(|(x, gas, tilt, fidelities, forbid)| {
        let space = [x, gas, tilt].into_iter().flatten().collect();
        Plan { space, forbid, fidelities, ..Plan::new("", BUDGET) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Whatever changes, and whenever a process vanishes: every proposal is legal in its task's space, the
    /// budget is exact, and the bits are those of an undisturbed run.
    #[test]
    fn any_legal_changes_end_the_same_however_often_processes_vanish(
        changes in prop::collection::vec(change(), 1..4),
        lives in prop::collection::vec(1_usize..9, 1..5),
        seed in 0_u64..1000,
    ) {
        let named = (2..).zip(changes).map(|(i, plan)| Plan { name: format!("task {i}"), ..plan });
        let spec = spec(&named.collect::<Vec<_>>(), seed);
        if spec.problems().is_err() {
            return Ok(()); // two changes that contradict each other are refused
        }
        prop_assert_eq!(&Spec::from_json(&spec.to_json().unwrap()).unwrap(), &spec);
        let expected = undisturbed(&spec);
        prop_assert_eq!(disturbed(&Place::sqlite(), &spec, &lives), expected.clone());
        prop_assert_eq!(disturbed(&Place::postgres(), &spec, &lives), expected);
    }
}

#[test]
fn a_change_is_said_in_words_and_a_begun_task_keeps_its_problem() {
    let place = Place::sqlite();
    let second = Plan { space: vec![between("tilt", 0, 1)], ..Plan::new("second", BUDGET) };
    let spec = spec(&[second], 1);
    let desk = place.desk(&spec);
    assert_eq!(desk.records().changes_of("second"), ["tilt is new; what it was is learned"]);
    assert!(desk.records().changes_of("first").is_empty());
    assert!(spec.to_json().unwrap().contains("\"version\":3"));
    disturbed(&place, &spec, &[100]);
    let mut other = spec.clone();
    other.tasks[1].space[0].high = Some(2.into());
    let store = Arc::new(Store::open(&place.url).unwrap());
    let refused = Desk::create(Arc::clone(&store), "c", &other).unwrap_err().to_string();
    assert!(refused.contains("\"second\" has begun with another problem"), "{refused}");
    // What comes later may change.
    let mut longer = spec.clone();
    longer.tasks.push(Plan { space: vec![fixed("tilt", 0.6)], ..Plan::new("third", BUDGET) });
    disturbed(&place, &longer, &[100]);
    let records = Records::read(&store, "c").unwrap();
    assert_eq!(records.tasks.len(), 3);
    assert!(records.trials(2).all(|trial| trial.point[2] == Value::Real(0.6)));
}

#[test]
fn no_change_of_the_plan_changes_what_has_begun() {
    let place = Place::sqlite();
    let second = Plan { space: vec![between("tilt", 0, 1)], ..Plan::new("second", BUDGET) };
    let spec = spec(&[second], 1);
    disturbed(&place, &spec, &[100]);
    let refused = |wanted: &Spec| {
        let store = Arc::new(Store::open(&place.url).unwrap());
        Desk::create(store, "c", wanted).unwrap_err().to_string()
    };
    // A new task before a begun one would give that another space.
    let mut earlier = spec.clone();
    let fan = Plan { space: vec![between("fan", 0, 1)], ..Plan::new("earlier", BUDGET) };
    earlier.tasks.insert(0, fan);
    assert!(refused(&earlier).contains("\"first\" has begun with another problem"));
    let mut swapped = spec.clone();
    swapped.tasks.swap(0, 1);
    assert!(refused(&swapped).contains("has begun with another problem"));
    // A single fidelity may have any name, but not two at once.
    let single = Place::sqlite();
    let only = |name: &str| {
        let mut only = self::spec(&[], 1);
        only.fidelities = vec![Fidelity::new(name, 1.0)];
        only
    };
    disturbed(&single, &only("full"), &[100]);
    let mut renamed = only("coarse");
    let next = Plan { fidelities: levels(&["coarse", "fine"]), ..Plan::new("next", BUDGET) };
    renamed.tasks.push(next);
    let store = Arc::new(Store::open(&single.url).unwrap());
    assert!(Desk::create(store, "c", &renamed).is_err());
    let mut named = only("full");
    let full = WantedFidelity::from(&Fidelity::new("full", 1.0));
    let fidelities = [vec![full], levels(&["fine"])].concat();
    named.tasks.push(Plan { fidelities, ..Plan::new("next", BUDGET) });
    assert_eq!(disturbed(&single, &named, &[100]).len(), 2);
}

#[test]
fn what_a_new_parameter_was_holds_for_all_tasks() {
    let mut spec = spec(&[Plan { space: vec![fixed("x", 0.5)], ..Plan::new("second", BUDGET) }], 1);
    spec.was.insert("gas".into(), "air".into());
    let problems = spec.problems().unwrap();
    assert!(problems.iter().all(|problem| problem.was.len() == 1));
}

#[test]
fn what_changes_is_checked_with_its_place() {
    let wrong = |plan: Plan| {
        let mut spec = spec(&[], 1);
        spec.tasks.push(plan);
        let mistake = spec.problems().unwrap_err().remove(0);
        format!("{}: {}", mistake.at.join("."), mistake.error)
    };
    let plan = |space: Vec<WantedParameter>| Plan { space, ..Plan::new("second", BUDGET) };
    let told = wrong(plan(vec![fixed("tilt", 3.0)]));
    assert!(told.starts_with("task.1.space.tilt") && told.contains("low and high"), "{told}");
    let told = wrong(plan(vec![fixed("x", 3.0)]));
    assert!(told.contains("3 is not one of its values, which are 0 to 1"), "{told}");
    let told = wrong(plan(vec![between("gas", 0, 1)]));
    assert!(told.contains("give it another name"), "{told}");
    let fidelities = levels(&["fine", "coarse"]);
    let told = wrong(Plan { fidelities, ..Plan::new("second", BUDGET) });
    assert!(told.contains("another order"), "{told}");
}
