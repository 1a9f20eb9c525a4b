//! Campaigns driven to their end, with functions and commands, undisturbed and disturbed.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

use baton::Outcome;
use baton::{Descriptors, Fidelity, Goal, Parameter, Settings, Space, Trial, Value};
use baton_runner::evaluator::CommandEvaluator;
use baton_runner::{
    Desk, Ending, Evaluation, Evaluator, Event, Options, Plan, Records, Request, Spec, Step, Stop,
    Trouble, drive,
};
use baton_store::{Answer, Lease, Report, Settled, Store, TaskState};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("baton-run-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn store(&self) -> Arc<Store> {
        Arc::new(Store::open(&format!("sqlite:{}", self.0.join("store.db").display())).unwrap())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn spec(changes: &[(&str, &str)]) -> Spec {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::integer("n", 1, 9)]);
    let fidelities = vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)];
    let mut settings = Settings::default().seed(5);
    let quick = [("starts", "3"), ("candidates", "24"), ("initial", "3")];
    for (key, value) in quick.iter().chain(changes) {
        settings.set(key, value).unwrap();
    }
    let plan = |name: &str| Plan::new(name, 20.0);
    let tasks = vec![plan("monday"), plan("tuesday")];
    Spec::new(space.unwrap(), fidelities, Goal::Minimize, &settings, tasks)
}

fn options(workers: usize) -> Options {
    Options { name: "test".into(), workers, retries: 1, lease_seconds: 30.0, take_over: false }
}

#[allow(clippy::unnecessary_wraps)] // the shape of an evaluator
fn bowl(request: &Request) -> Result<f64, String> {
    let (x, n) = (request.trial.number(0).unwrap(), request.trial.number(1).unwrap());
    Ok((x - 0.3).powi(2) + 0.1 * (n - 4.0).powi(2) + 0.05 * f64::from(request.task))
}

fn silent(_: &Event<'_>, _: &Records) {}

fn trials(store: &Arc<Store>) -> Vec<Vec<Trial>> {
    let records = Records::read(store, "c").unwrap();
    let of = |task: usize| records.trials(u32::try_from(task).unwrap()).cloned().collect();
    (0..records.trials.len()).map(of).collect()
}

/// The same with tasks of which something is said.
fn described() -> Spec {
    let load = Descriptors::new([Parameter::log("load", 1.0, 100.0)]).unwrap();
    let mut spec = spec(&[]).with_descriptors(load);
    spec.tasks.push(Plan::new("wednesday", 20.0));
    for (plan, load) in spec.tasks.iter_mut().zip([2.0, 50.0]) {
        plan.describe.insert("load".into(), Value::Real(load));
    }
    spec
}

/// What the library alone does, without a store.
fn undisturbed(spec: &Spec) -> Vec<Vec<Trial>> {
    let mut campaign = spec.campaign(None).unwrap();
    let mut all = Vec::new();
    for (number, plan) in (0..).zip(&spec.tasks) {
        let mut task = campaign.start_described(plan.budget, &plan.describe).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let request = Request::new(trial.clone(), &spec.space, (number, &plan.name), 5);
            task.tell(trial.id, bowl(&request).unwrap()).unwrap();
        }
        all.push(campaign.finish(task).unwrap().trials);
    }
    all
}

#[test]
fn one_worker_does_exactly_what_the_library_does() {
    let scratch = Scratch::new("exact");
    let (store, spec) = (scratch.store(), spec(&[]));
    let desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
    let ending = drive(desk, &bowl, &options(1), &Stop::default(), &silent).unwrap();
    assert_eq!(ending, Ending::Done);
    assert_eq!(trials(&store), undisturbed(&spec));
    let records = Records::read(&store, "c").unwrap();
    assert!(records.tasks.iter().all(|task| task.state == TaskState::Finished));
    assert!((0..2).all(|task| records.spent(task) <= 20.0 && records.spent(task) > 19.0));
}

#[test]
fn stopped_again_and_again_it_ends_the_same() {
    ends_the_same_if_stopped("stopped", &spec(&[]));
}

#[test]
fn so_does_one_whose_tasks_are_described() {
    let spec = described();
    ends_the_same_if_stopped("described", &spec);
    assert_eq!(Spec::from_json(&spec.to_json().unwrap()).unwrap(), spec);
    assert!(spec.to_json().unwrap().contains("\"version\":2"));
}

#[test]
fn what_is_said_of_a_task_goes_to_its_evaluator_and_stays_as_it_began() {
    let scratch = Scratch::new("said");
    let (store, spec) = (scratch.store(), described());
    let desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
    let told = |request: &Request| {
        let load = request.describe.get("load").and_then(Value::number);
        assert_eq!(load, [Some(2.0), Some(50.0), None][request.task as usize]);
        assert_eq!(request.to_json().contains("\"describe\":{\"load\":"), load.is_some());
        bowl(request)
    };
    drive(desk, &told, &options(1), &Stop::default(), &silent).unwrap();
    let records = Records::read(&store, "c").unwrap();
    assert_eq!(records.tasks[0].described.as_deref(), Some("{\"load\":2.0}"));
    assert_eq!(records.tasks[2].described, None);
    let predicted = records.present_campaign().unwrap().predict(&spec.tasks[1].describe).unwrap();
    assert_eq!(predicted.unwrap().nearest.unwrap().task, 1);
    let mut other = spec.clone();
    other.tasks[1].describe.insert("load".into(), Value::Real(51.0));
    let refused = Desk::create(Arc::clone(&store), "c", &other).unwrap_err().to_string();
    assert!(refused.contains("\"tuesday\" has begun with another description"), "{refused}");
    let without = other.with_descriptors(Descriptors::default());
    let refused = Desk::create(Arc::clone(&store), "c", &without).unwrap_err().to_string();
    assert!(
        refused.contains("descriptors are not those it began with: load is missing"),
        "{refused}"
    );
}

fn ends_the_same_if_stopped(name: &str, spec: &Spec) {
    let scratch = Scratch::new(name);
    let store = scratch.store();
    let mut stops = 0;
    loop {
        let desk = Desk::create(Arc::clone(&store), "c", spec).unwrap();
        let stop = Stop::default();
        let evaluated = AtomicUsize::new(0);
        let stopping = |request: &Request| {
            if evaluated.fetch_add(1, Ordering::SeqCst) == 2 {
                stop.wish();
            }
            bowl(request)
        };
        match drive(desk, &stopping, &options(1), &stop, &silent).unwrap() {
            Ending::Stopped => stops += 1,
            ending => break assert_eq!(ending, Ending::Done),
        }
    }
    assert!(stops > 3);
    assert_eq!(trials(&store), undisturbed(spec));
}

/// Is stopped in its first evaluation.
struct Ended;

impl Evaluator for Ended {
    fn evaluate(&self, _: &Request, stop: &Stop) -> Evaluation {
        stop.wish();
        Err(Trouble::Stopped).into()
    }
}

#[test]
fn what_is_not_answered_at_the_end_is_free_for_others() {
    let scratch = Scratch::new("given-back");
    let store = scratch.store();
    let desk = Desk::create(Arc::clone(&store), "c", &spec(&[])).unwrap();
    let stop = Stop::default();
    let ending = drive(desk, &Ended, &options(1), &stop, &silent).unwrap();
    assert_eq!(ending, Ending::Stopped);
    let records = Records::read(&store, "c").unwrap();
    assert!(records.trials[0][0].trial.is_pending());
    assert_eq!(records.trials[0][0].holder, None);
    let other = Lease { holder: "other", seconds: Some(30.0) };
    assert_eq!(store.claim("c", other).unwrap().unwrap().lost, 0);
}

#[test]
fn a_campaign_goes_on_with_the_settings_it_began_with() {
    let scratch = Scratch::new("began");
    let kernel = |desk: &Desk| desk.records().spec.setting("kernel").map(str::to_owned);
    let began = Desk::create(scratch.store(), "test", &spec(&[("kernel", "rbf")])).unwrap();
    assert_eq!(kernel(&began).as_deref(), Some("rbf"));
    let mut now = spec(&[]); // a program with another default
    now.tasks.push(Plan::new("wednesday", 20.0));
    let desk = Desk::create(scratch.store(), "test", &now).unwrap();
    assert_eq!(kernel(&desk).as_deref(), Some("rbf"));
    assert_eq!(desk.records().spec.tasks.len(), 3);
}

#[test]
fn several_workers_keep_the_budget_and_finish() {
    let scratch = Scratch::new("several");
    let (store, spec) = (scratch.store(), spec(&[]));
    let desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
    let at_once = AtomicUsize::new(0);
    let most = AtomicUsize::new(0);
    let slow = |request: &Request| {
        most.fetch_max(at_once.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(30));
        at_once.fetch_sub(1, Ordering::SeqCst);
        bowl(request)
    };
    assert_eq!(drive(desk, &slow, &options(3), &Stop::default(), &silent).unwrap(), Ending::Done);
    assert!(most.load(Ordering::SeqCst) >= 2);
    for trials in trials(&store) {
        let spent: f64 = trials.iter().map(|trial| trial.cost).sum();
        assert!(spent <= 20.0 && spent > 16.0, "{spent}");
        assert!(trials.iter().all(|trial| trial.value().is_some()));
    }
}

#[test]
fn failures_in_a_row_pause_the_task_and_running_again_goes_on() {
    let scratch = Scratch::new("pause");
    let (store, spec) = (scratch.store(), spec(&[("charge_failed", "false")]));
    let failing = |_: &Request| Err("the licence server is away".to_owned());
    let run = |evaluator: &dyn Evaluator| {
        let mut desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
        desk.go_on().unwrap();
        drive(desk, evaluator, &options(1), &Stop::default(), &silent).unwrap()
    };
    for times in 1..3 {
        let Ending::Paused { task, reason } = run(&failing) else { panic!("not paused") };
        assert_eq!(task, "monday");
        assert!(reason.contains("5 trials") && reason.contains("licence server"), "{reason}");
        assert_eq!(trials(&store)[0].len(), 5 * times);
    }
    assert_eq!(run(&bowl), Ending::Done);
    let records = Records::read(&store, "c").unwrap();
    assert!(records.spent(0) > 16.0, "failed trials were not charged");
    let failed = |trial: &&Trial| matches!(trial.outcome, Outcome::Failed { .. });
    assert_eq!(trials(&store)[0].iter().filter(failed).count(), 10);
}

#[test]
fn a_broken_evaluation_is_tried_again_and_a_reported_failure_is_not() {
    struct Flaky(AtomicUsize);
    impl Evaluator for Flaky {
        fn evaluate(&self, request: &Request, stop: &Stop) -> Evaluation {
            self.0.fetch_add(1, Ordering::SeqCst);
            match (request.trial.id, request.attempt) {
                (0, 1) => Err(Trouble::Broken("it crashed".into())).into(),
                (1, _) => Err(Trouble::Reported("no such place".into())).into(),
                (2, attempt) => Err(Trouble::Broken(format!("crash {attempt}"))).into(),
                _ => bowl.evaluate(request, stop),
            }
        }
    }
    let scratch = Scratch::new("flaky");
    let (store, flaky) = (scratch.store(), Flaky(AtomicUsize::new(0)));
    let mut spec = spec(&[]);
    spec.tasks.truncate(1);
    let desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
    drive(desk, &flaky, &options(1), &Stop::default(), &silent).unwrap();
    let records = Records::read(&store, "c").unwrap();
    let (first, second, third) =
        (&records.trials[0][0], &records.trials[0][1], &records.trials[0][2]);
    assert!(first.trial.value().is_some() && first.attempts == 2);
    assert_eq!(second.trial.outcome, Outcome::Failed { reason: "no such place".into() });
    assert_eq!(second.attempts, 1);
    assert_eq!(third.trial.outcome, Outcome::Failed { reason: "crash 2".into() });
    assert_eq!(flaky.0.load(Ordering::SeqCst), records.trials[0].len() + 2);
}

#[test]
fn a_trial_that_ends_its_workers_is_given_up() {
    let scratch = Scratch::new("lost");
    let (store, spec) = (scratch.store(), spec(&[]));
    let mut desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
    let dead = |holder| Lease { holder, seconds: Some(-1.0) };
    let asker = baton_runner::desk::Asker { lease: dead("w1"), request: None };
    assert!(matches!(desk.step(asker).unwrap(), Step::Trial(_)));
    store.claim("c", dead("w2")).unwrap().unwrap();
    store.claim("c", dead("w3")).unwrap().unwrap();
    drive(desk, &bowl, &options(1), &Stop::default(), &silent).unwrap();
    let first = &Records::read(&store, "c").unwrap().trials[0][0];
    let Outcome::Failed { reason } = &first.trial.outcome else { panic!("{first:?}") };
    assert!(reason.contains("3 workers"), "{reason}");
}

#[test]
fn a_value_that_is_no_number_and_a_changed_problem_are_refused() {
    let scratch = Scratch::new("refused");
    let (store, spec) = (scratch.store(), spec(&[]));
    let mut desk = Desk::create(Arc::clone(&store), "c", &spec).unwrap();
    let lease = Lease { holder: "person", seconds: None };
    let asker = baton_runner::desk::Asker { lease, request: None };
    let Step::Trial(record) = desk.ask(asker).unwrap() else { panic!("no trial") };
    let report = |value: f64| Report {
        task: 0,
        trial: record.trial.id,
        holder: None,
        answer: Answer::Value(value.into()),
        attempts: 1,
        log: "",
    };
    assert!(desk.settle(&report(f64::NAN)).is_err());
    assert_eq!(desk.settle(&report(1.0)).unwrap(), Settled::Counted);
    assert!(desk.finish(lease).is_ok());
    assert_eq!(desk.records().tasks[0].state, TaskState::Finished);
    let mut other = spec.clone();
    other.goal = Goal::Maximize;
    assert!(Desk::create(Arc::clone(&store), "c", &other).is_err());
    let mut longer = spec;
    longer.tasks.push(Plan::new("wednesday", 4.0));
    Desk::create(store, "c", &longer).unwrap();
}

fn shell(script: &str, limit: Option<Duration>) -> Evaluation {
    let command = ["sh", "-c", script].map(str::to_owned).to_vec();
    let evaluator = CommandEvaluator { command, folder: std::env::temp_dir(), limit };
    let spec = spec(&[]);
    let mut task = spec.campaign(None).unwrap().start(20.0).unwrap();
    let trial = task.ask().unwrap().unwrap();
    evaluator.evaluate(&Request::new(trial, &spec.space, (0, "monday"), 5), &Stop::default())
}

fn broken(evaluation: &Evaluation) -> &str {
    let Err(Trouble::Broken(reason)) = &evaluation.result else { panic!("{evaluation:?}") };
    reason
}

#[test]
fn a_command_answers_with_a_value_or_a_reason() {
    let answer =
        shell("read line; echo chatter; echo \"$line\" >&2; echo '{\"value\": 2.5}'", None);
    assert_eq!(answer.result, Ok(2.5.into()));
    let request: serde_json::Value = serde_json::from_str(&answer.log).unwrap();
    assert!(request["point"]["x"].is_f64() && request["point"]["n"].is_i64());
    assert_eq!((request["task"].as_str(), request["trial"].as_u64()), (Some("monday"), Some(0)));
    let reported = |script: &str| match shell(script, None).result {
        Err(Trouble::Reported(reason)) => reason,
        other => panic!("{script}: {other:?}"),
    };
    assert_eq!(reported("echo '{\"error\": \"diverged\"}'; exit 3"), "diverged");
    for strange in ["NaN", "Infinity", "1e999", "null"] {
        let reason = reported(&format!("echo '{{\"value\": {strange}}}'"));
        assert!(reason.contains("not a finite number"), "{reason}");
    }
}

#[test]
fn a_command_that_breaks_says_how() {
    let crashed = shell("for i in $(seq 50); do echo line $i >&2; done; exit 7", None);
    assert!(broken(&crashed).contains("exit code 7"));
    assert!(crashed.log.starts_with("line 31") && crashed.log.ends_with("line 50"));
    assert!(broken(&shell("kill -9 $$", None)).contains("signal 9"));
    assert!(broken(&shell("echo 12 apples", None)).contains("12 apples"));
    assert!(broken(&shell("echo '{\"values\": 1}'", None)).contains("neither"));
    assert!(broken(&shell("true", None)).contains("no answer"));
    let command = vec!["/no/such/program".to_owned()];
    let evaluator = CommandEvaluator { command, folder: std::env::temp_dir(), limit: None };
    let spec = spec(&[]);
    let trial = spec.campaign(None).unwrap().start(20.0).unwrap().ask().unwrap().unwrap();
    let request = Request::new(trial, &spec.space, (0, "monday"), 5);
    let not_started = evaluator.evaluate(&request, &Stop::default()).result;
    let Err(Trouble::NotStarted(reason)) = not_started else { panic!("{not_started:?}") };
    assert!(reason.contains("/no/such/program"));
}

#[test]
fn a_command_that_takes_too_long_ends_with_all_that_it_started() {
    let begun = Instant::now();
    let marker = std::env::temp_dir().join(format!("baton-late-{}", std::process::id()));
    let script = format!("(sleep 4; touch {}) & sleep 60", marker.display());
    let late = shell(&script, Some(Duration::from_millis(300)));
    assert!(broken(&late).contains("longer than 0.3 seconds"));
    assert!(begun.elapsed() < Duration::from_secs(50));
    std::thread::sleep(Duration::from_millis(4200));
    assert!(!marker.exists(), "what the command started went on without it");
}

#[test]
fn a_forgotten_trial_is_told_of_and_taken_over_if_wished() {
    let scratch = Scratch::new("forgotten");
    let desk = || Desk::create(scratch.store(), "c", &spec(&[])).unwrap();
    let lease = Lease { holder: "person", seconds: None };
    let Step::Trial(_) = desk().ask(baton_runner::desk::Asker { lease, request: None }).unwrap()
    else {
        panic!("no trial")
    };
    let (waited, stop) = (AtomicUsize::new(0), Stop::default());
    let ending = drive(desk(), &bowl, &options(1), &stop, &|event, _| {
        if let Event::Waiting(trials) = event {
            assert_eq!((trials.len(), trials[0].holder.as_deref()), (1, Some("person")));
            waited.fetch_add(1, Ordering::SeqCst);
            stop.wish();
        }
    });
    assert_eq!((ending.unwrap(), waited.into_inner()), (Ending::Stopped, 1));
    let eager = Options { take_over: true, ..options(1) };
    assert_eq!(drive(desk(), &bowl, &eager, &Stop::default(), &silent).unwrap(), Ending::Done);
}

#[test]
fn a_raised_budget_opens_the_last_task_again() {
    let scratch = Scratch::new("raised");
    let mut wanted = spec(&[]);
    wanted.tasks.truncate(1);
    let run = |wanted: &Spec| {
        let desk = Desk::create(scratch.store(), "c", wanted)?;
        drive(desk, &bowl, &options(1), &Stop::default(), &silent)
    };
    run(&wanted).unwrap();
    wanted.tasks[0].budget = 30.0;
    run(&wanted).unwrap();
    let records = Records::read(&scratch.store(), "c").unwrap();
    assert_eq!((records.tasks[0].budget, records.tasks[0].state), (30.0, TaskState::Finished));
    assert!(records.spent(0) > 20.0);
    // The same as if it had been known from the beginning to be continued: trials are only added.
    wanted.tasks.push(Plan::new("tuesday", 8.0));
    run(&wanted).unwrap();
    wanted.tasks[0].budget = 40.0;
    let refused = run(&wanted).unwrap_err().to_string();
    assert!(refused.contains("\"tuesday\" has begun"), "{refused}");
    wanted.tasks[0].budget = 30.0;
    assert_eq!(run(&wanted), Ok(Ending::Done));
}

#[test]
fn results_that_are_there_are_found() {
    let scratch = Scratch::new("twice");
    let mut desk = Desk::create(scratch.store(), "c", &spec(&[])).unwrap();
    let row = |x: f64| baton_runner::desk::Row {
        constraints: baton::Measured::new(),
        context: baton::Description::new(),
        point: vec![baton::Value::Real(x), baton::Value::Integer(2)],
        level: 1,
        value: x,
    };
    let rows = [row(0.1), row(0.2), row(0.2)];
    assert_eq!(desk.added_before(&rows).unwrap(), None);
    desk.add_free(&rows, Lease { holder: "w", seconds: None }).unwrap();
    assert_eq!(desk.added_before(&rows).unwrap().as_deref(), Some("monday"));
    assert_eq!(desk.added_before(&rows[1..]).unwrap().as_deref(), Some("monday"));
    assert_eq!(desk.added_before(&[row(0.1), row(0.1)]).unwrap(), None, "it is there once");
    assert_eq!(desk.added_before(&[]).unwrap(), None);
    assert_eq!(desk.new_rows(&[row(0.1), row(0.3), row(0.1)]).unwrap(), [row(0.3), row(0.1)]);
}
