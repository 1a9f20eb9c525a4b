//! Campaigns through the public surface: every method on every kind of space, and the promises that
//! hold whatever is asked, told or failed in whatever order (`campaign/promises.rs`).

#![allow(clippy::unwrap_used)] // a test that unwraps fails with the reason at hand

use baton::model::Note;
use baton::{
    Campaign, Fidelity, Goal, Knowledge, Measurement, Method, Outcome, Parameter, Preset, Settings,
    Space, Task, Trial, Value,
};

#[path = "campaign/promises.rs"]
mod promises;

/// Settings with little work per step: small networks, few particles and candidates.
fn quick(method: Method, preset: Preset, seed: u64) -> Settings {
    let mut settings = Settings::with_preset(method, preset).seed(seed);
    let mut entries =
        vec![("particles", "3"), ("svgd_steps", "4"), ("candidates", "24"), ("iterations", "4")];
    entries.extend([("max_values", "3"), ("starts", "2"), ("walks", "2"), ("initial", "3")]);
    if preset == Preset::Paper {
        entries.push(("widths", "4,3"));
    }
    for (key, value) in entries {
        let _ = settings.set(key, value); // what a method does not have stays as it is
    }
    settings
}

fn spaces() -> Vec<Space> {
    let real = || Parameter::real("x", -1.0, 2.0);
    [
        vec![real(), Parameter::log("rate", 1e-4, 1.0)],
        vec![Parameter::integer("n", 0, 5), Parameter::choice("mode", ["a", "b", "c"])],
        vec![Parameter::integer("n", 1, 100_000), Parameter::stepped("p", -202.0, 24.0, 2.0)],
        vec![
            real(),
            Parameter::ordered("alpha", [0.0, 0.4, 1.0]),
            Parameter::choice("on", ["y", "n"]),
        ],
        vec![Parameter::choice("only", ["one", "two"])],
    ]
    .map(|parameters| Space::new(parameters).unwrap())
    .into()
}

fn fidelities(known_noise: bool) -> Vec<Fidelity> {
    let all =
        [Fidelity::new("coarse", 1.0), Fidelity::new("fair", 2.5), Fidelity::new("fine", 4.0)];
    all.into_iter().map(|f| if known_noise { f.with_noise(0.01) } else { f }).collect()
}

/// Any function of the trial will do.
fn simulate(task: u32, trial: &Trial) -> f64 {
    let mut sum = f64::from(task) * 0.1 - trial.level as f64 * 0.05;
    for (i, value) in trial.point.iter().enumerate() {
        let x = value.number().unwrap_or_else(|| value.text().map_or(0.0, |t| t.len() as f64));
        sum += (0.3 * x + i as f64).sin();
    }
    sum
}

fn run(task: &mut Task) {
    while let Some(trial) = task.ask().unwrap() {
        let value = simulate(task.number(), &trial);
        task.tell(trial.id, value).unwrap();
    }
}

#[test]
fn all_ten_methods_run_three_tasks_on_each_kind_of_space() {
    for space in spaces() {
        for method in Method::ALL {
            let settings = quick(method, method.implied_preset(), 1);
            let mut campaign =
                Campaign::new(space.clone(), fidelities(true), Goal::Maximize, settings).unwrap();
            for number in 0..3 {
                let mut task = campaign.start(30.0).unwrap();
                assert_eq!(task.number(), number);
                run(&mut task);
                let spent: f64 = task.trials().iter().map(|trial| trial.cost).sum();
                assert!(spent <= 30.0 && spent > 25.0, "{method}: {spent}");
                let recommended = task.recommendation().unwrap().unwrap();
                space.coordinates(&recommended.point).unwrap();
                assert!(recommended.interval.0 <= recommended.mean);
                assert!(task.trials().iter().all(|trial| trial.why().ends_with('.')));
                campaign.finish(task).unwrap();
            }
            assert_eq!(campaign.knowledge().tasks, 3);
        }
    }
}

#[test]
fn knowledge_written_and_read_back_gives_the_same_bits() {
    for method in [Method::MftMes, Method::Default, Method::WarmStart, Method::TwoPhase] {
        let settings = quick(method, method.implied_preset(), 5);
        let make = || {
            let space = spaces().remove(0);
            Campaign::new(space, fidelities(false), Goal::Minimize, settings.clone()).unwrap()
        };
        let mut direct = make();
        let mut detour = make();
        for _ in 0..3 {
            let mut tasks = [direct.start(25.0).unwrap(), detour.start(25.0).unwrap()];
            tasks.iter_mut().for_each(run);
            assert_eq!(tasks[0].trials(), tasks[1].trials(), "{method}");
            let [a, b] = tasks;
            direct.finish(a.clone()).unwrap();
            assert!(direct.finish(a).is_err(), "a task cannot be finished twice");
            detour.finish(b).unwrap();
            let text = detour.knowledge().to_json().unwrap();
            let knowledge = Knowledge::from_json(&text).unwrap();
            detour = make().with_knowledge(knowledge).unwrap();
            assert_eq!(direct.knowledge(), detour.knowledge());
        }
    }
}

#[test]
fn particles_that_predict_worse_than_the_prior_are_noted() {
    let mut settings = Settings::new(Method::MftMes).seed(3);
    for (key, value) in [("svgd_steps", "200"), ("svgd_rate", "0.05"), ("candidates", "24")] {
        settings.set(key, value).unwrap();
    }
    let space = spaces().remove(0);
    let mut campaign = Campaign::new(space, fidelities(true), Goal::Maximize, settings).unwrap();
    // Two smooth tasks, then one as rough as they come.
    let mut noted = |waves: f64| -> Vec<f64> {
        let mut task = campaign.start(40.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            task.tell(trial.id, (waves * trial.number(0).unwrap()).sin()).unwrap();
        }
        let notes = campaign.finish(task).unwrap().notes;
        notes
            .iter()
            .filter_map(|note| match note {
                Note::WorseThanPrior(nats) => Some(*nats),
                _ => None,
            })
            .collect()
    };
    assert!(noted(0.3).is_empty(), "nothing was handed over yet");
    assert!(noted(0.3).is_empty(), "what was handed over fits");
    assert!(matches!(noted(1e4)[..], [nats] if nats > 3.0));
}

#[test]
fn knowledge_of_another_problem_is_refused_with_the_reason() {
    let settings = || quick(Method::MftMes, Preset::Paper, 1);
    let make = |space: usize, goal| {
        Campaign::new(spaces().remove(space), fidelities(true), goal, settings()).unwrap()
    };
    let mut campaign = make(0, Goal::Maximize);
    let mut task = campaign.start(20.0).unwrap();
    run(&mut task);
    campaign.finish(task).unwrap();
    let knowledge = || campaign.knowledge().clone();
    let reason = |other: Campaign| {
        let refused = other.with_knowledge(knowledge()).unwrap_err().to_string();
        assert!(!refused.contains(['{', '[']) && !refused.contains("Some("), "{refused}");
        refused
    };
    assert!(reason(make(1, Goal::Maximize)).contains("another space: x is missing; "));
    let goals = "it was learned to maximize, this problem is to minimize";
    assert!(reason(make(0, Goal::Minimize)).contains(goals));
    let mut wider = settings();
    wider.set("widths", "5,3").unwrap();
    let other = Campaign::new(spaces().remove(0), fidelities(true), Goal::Maximize, wider);
    assert!(reason(other.unwrap()).contains("surrogate"));
    let fewer = fidelities(true)[1..].to_vec();
    let other = Campaign::new(spaces().remove(0), fewer, Goal::Maximize, settings());
    let named = "its fidelities are coarse, fair, fine; those here are fair, fine";
    assert!(reason(other.unwrap()).contains(named));
    assert!(make(0, Goal::Maximize).with_knowledge(knowledge()).is_ok());
    for nonsense in [(2.0, 0.0), (f64::NAN, 0.5), (2.0, f64::INFINITY)] {
        let mut odd = knowledge();
        odd.relatedness = Some(nonsense);
        let refused = make(0, Goal::Maximize).with_knowledge(odd).unwrap_err().to_string();
        assert!(refused.contains("relatedness"), "{refused}");
    }
    for nonsense in [vec![(0.0, 1.0)], vec![(0.0, -1.0); 3]] {
        let mut odd = knowledge();
        odd.parameters = Some(nonsense);
        let refused = make(0, Goal::Maximize).with_knowledge(odd).unwrap_err().to_string();
        assert!(refused.contains("parameter"), "{refused}");
    }
}

#[test]
fn bad_calls_are_refused_by_name_and_change_nothing() {
    let settings = quick(Method::Default, Preset::Default, 2);
    let space = spaces().remove(0);
    let mut campaign =
        Campaign::new(space.clone(), fidelities(true), Goal::Maximize, settings.clone()).unwrap();
    for budget in [0.0, 0.99, -1.0, f64::NAN, f64::INFINITY] {
        assert!(campaign.start(budget).unwrap_err().to_string().contains("budget"));
    }
    let mut task = campaign.start(12.0).unwrap();
    let trial = task.ask().unwrap().unwrap();
    let other = task.ask().unwrap().unwrap();
    task.fail(other.id, "simulator crashed").unwrap();
    let before = task.trials().to_vec();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(task.tell(trial.id, value).unwrap_err().to_string().contains("finite"));
    }
    assert!(task.tell(99, 1.0).unwrap_err().to_string().contains("trial 99"));
    assert!(task.tell(other.id, 1.0).unwrap_err().to_string().contains("failed"));
    assert!(task.fail(other.id, "again").is_err());
    assert!(task.suggest(&trial.point, 0).unwrap_err().to_string().contains("pending"));
    assert!(task.suggest(&[], 0).is_err());
    assert!(task.suggest(&other.point, 3).is_err());
    assert!(task.extend_budget(-1.0).is_err());
    assert_eq!(task.trials(), before);
    task.tell(trial.id, 1.0).unwrap();
    assert!(task.tell(trial.id, 1.0).unwrap_err().to_string().contains("already"));
    let left = task.cost_left();
    task.extend_budget(5.0).unwrap();
    assert_eq!(task.cost_left(), left + 5.0);
    let stranger = Campaign::new(space, fidelities(true), Goal::Maximize, settings).unwrap();
    assert!(campaign.finish(stranger.start(5.0).unwrap()).is_err());
    assert!(
        Campaign::new(
            spaces().remove(0),
            vec![Fidelity::new("free", 0.0)],
            Goal::Maximize,
            Settings::default()
        )
        .is_err()
    );
}

#[test]
fn a_task_survives_hostile_values() {
    for method in [Method::Default, Method::MftMes, Method::MfMesFitted] {
        let settings = quick(method, method.implied_preset(), 3);
        let space = spaces().remove(0);
        let mut campaign =
            Campaign::new(space, fidelities(false), Goal::Maximize, settings).unwrap();
        let hostile = [1e300, -1e300, 0.0, 1e-300, 1e12, 5.0, 5.0, 5.0];
        for shift in 0..3 {
            let mut task = campaign.start(40.0).unwrap();
            let mut count = shift;
            while let Some(trial) = task.ask().unwrap() {
                task.tell(trial.id, hostile[count % hostile.len()]).unwrap();
                count += 1;
            }
            assert!(count > 8);
            campaign.finish(task).unwrap();
        }
    }
}

#[test]
fn the_budget_holds_where_costs_differ_by_more_than_rounding() {
    let fidelities = [Fidelity::new("cheap", 1.0), Fidelity::new("dear", 1e13)];
    let settings = quick(Method::Random, Preset::Default, 1);
    let campaign = Campaign::new(spaces().remove(0), fidelities, Goal::Maximize, settings).unwrap();
    let mut task = campaign.start(1e13).unwrap();
    let point = spaces()[0].point(&[0.5, 0.5]).unwrap();
    let trial = task.suggest(&point, 1).unwrap();
    task.tell(trial.id, 1.0).unwrap();
    assert_eq!(task.ask().unwrap(), None);
    let tenths = [Fidelity::new("tenth", 0.1)];
    let settings = quick(Method::Random, Preset::Default, 1);
    let campaign = Campaign::new(spaces().remove(0), tenths, Goal::Maximize, settings).unwrap();
    let mut task = campaign.start(0.3).unwrap();
    assert_eq!(task.ask_many(9).unwrap().len(), 3);
}

#[test]
fn every_point_of_a_small_space_can_be_asked_for_at_once() {
    let space = Space::new([Parameter::integer("n", 1, 200)]).unwrap();
    for method in [Method::Random, Method::Default] {
        let mut settings = quick(method, Preset::Default, 1);
        settings.set("initial", "300").unwrap();
        let fidelities = [Fidelity::new("only", 1.0)];
        let campaign = Campaign::new(space.clone(), fidelities, Goal::Maximize, settings).unwrap();
        let mut task = campaign.start(1000.0).unwrap();
        assert_eq!(task.ask_many(1000).unwrap().len(), 200, "{method}");
    }
}

#[test]
fn a_pending_point_written_otherwise_is_the_same_point() {
    let space = Space::new([Parameter::stepped("x", 0.0, 0.5, 0.1)]).unwrap();
    let settings = quick(Method::Random, Preset::Default, 1);
    let fidelities = [Fidelity::new("only", 1.0)];
    let campaign = Campaign::new(space, fidelities, Goal::Maximize, settings).unwrap();
    let mut task = campaign.start(100.0).unwrap();
    let trial = task.suggest(&[Value::Real(0.1 * 3.0)], 0).unwrap();
    assert_eq!(trial.point, [Value::Real(0.3)]);
    assert!(task.suggest(&[Value::Real(0.3)], 0).is_err());
    let others = task.ask_many(20).unwrap();
    assert_eq!(others.len(), 5);
    assert!(others.iter().all(|other| other.point != trial.point));
}

#[test]
fn records_that_contradict_the_problem_are_refused() {
    let settings = quick(Method::Random, Preset::Default, 1);
    let campaign =
        Campaign::new(spaces().remove(0), fidelities(true), Goal::Maximize, settings).unwrap();
    let mut task = campaign.start(12.0).unwrap();
    task.ask_many(2).unwrap();
    let good = task.trials().to_vec();
    campaign.resume(12.0, &good).unwrap();
    let damage: [fn(&mut Vec<Trial>); 6] = [
        |trials| trials[0].cost = -100.0,
        |trials| trials[1].fidelity = "unheard of".into(),
        |trials| trials[1].level = 9,
        |trials| trials[1].point = trials[0].point.clone(),
        |trials| trials[0].id = 5,
        |trials| trials[0].outcome = Outcome::Told { value: 1.0, order: 3 },
    ];
    for change in damage {
        let mut bad = good.clone();
        change(&mut bad);
        assert!(campaign.resume(12.0, &bad).is_err(), "{bad:?}");
    }
}

#[test]
fn one_wild_value_does_not_set_the_scale_of_the_campaign() {
    let space = Space::new([Parameter::real("x", 0.0, 1.0)]).unwrap();
    let fidelities = [Fidelity::new("only", 1.0)];
    let settings = Settings::default();
    let mut campaign = Campaign::new(space, fidelities, Goal::Minimize, settings).unwrap();
    let mut first = campaign.start(20.0).unwrap();
    let trial = first.ask().unwrap().unwrap();
    first.tell(trial.id, 1e6).unwrap();
    campaign.finish(first).unwrap();
    assert_eq!(campaign.knowledge().units, None);
    let mut second = campaign.start(20.0).unwrap();
    while let Some(trial) = second.ask().unwrap() {
        second.tell(trial.id, (trial.number(0).unwrap() - 0.37).powi(2)).unwrap();
    }
    let best = second.recommendation().unwrap().unwrap();
    assert!((best.point[0].number().unwrap() - 0.37).abs() < 0.05, "{best:?}");
}

#[test]
fn a_forbidden_region_reported_by_a_penalty_wrecks_nothing() {
    let space = || Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
    for (penalty, seed) in [(1e3, 1), (1e6, 3)] {
        let settings = Settings::default().seed(seed);
        let campaign =
            Campaign::new(space().unwrap(), [Fidelity::new("full", 1.0)], Goal::Minimize, settings);
        let mut task = campaign.unwrap().start(24.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let (x, y) = (trial.number(0).unwrap(), trial.number(1).unwrap());
            let allowed = 40.0 + 40.0 * ((x - 0.3).powi(2) + (y - 0.6).powi(2));
            task.tell(trial.id, if x + y > 1.2 { penalty } else { allowed }).unwrap();
        }
        let best = task.recommendation().unwrap().unwrap();
        assert!((best.mean - 40.0).abs() < 1.0, "{best:?}");
    }
}

#[test]
fn following_records_gives_the_bits_of_a_task_restored_from_them() {
    let settings = quick(Method::Default, Preset::Default, 3);
    let space = spaces().remove(0);
    let campaign = Campaign::new(space, fidelities(true), Goal::Maximize, settings).unwrap();
    let (mut leader, mut follower) = (campaign.start(60.0).unwrap(), campaign.start(60.0).unwrap());
    for _ in 0..12 {
        let trial = leader.ask().unwrap().unwrap();
        follower.follow(leader.trials()).unwrap();
        leader.tell(trial.id, simulate(0, &trial)).unwrap();
        follower.follow(leader.trials()).unwrap();
        let mut restored = campaign.resume(60.0, leader.trials()).unwrap();
        let expected = restored.ask().unwrap();
        assert_eq!(follower.clone().ask().unwrap(), expected);
        assert_eq!(leader.clone().ask().unwrap(), expected);
    }
    // Records of another past: what was computed from the old one is not used.
    let mut other = campaign.start(60.0).unwrap();
    for _ in 0..12 {
        let trial = other.ask().unwrap().unwrap();
        other.tell(trial.id, -simulate(1, &trial)).unwrap();
    }
    follower.follow(other.trials()).unwrap();
    assert_eq!(follower.ask().unwrap(), other.ask().unwrap());
    let mut broken = other.trials().to_vec();
    broken[3].id = 4;
    let before = follower.trials().to_vec();
    assert!(follower.follow(&broken).is_err());
    assert_eq!(follower.trials(), before);
    let recommended = other.recommendation().unwrap().unwrap();
    let expected = other.expectations(std::slice::from_ref(&recommended.point)).unwrap();
    assert_eq!(expected, [recommended]);
}

/// A task with so many values of one place told, each with that standard error.
fn told_with(noise: Option<f64>) -> (f64, f64) {
    let space = Space::new([Parameter::real("x", 0.0, 1.0)]).unwrap();
    let fidelity = [Fidelity::new("full", 1.0).with_noise(0.0625)];
    let settings = quick(Method::Default, Preset::Default, 3);
    let mut task =
        Campaign::new(space, fidelity, Goal::Maximize, settings).unwrap().start(30.0).unwrap();
    for i in 0..8 {
        let trial = task.suggest(&[Value::Real(f64::from(i) / 7.0)], 0).unwrap();
        let value = Measurement { noise, ..Measurement::new(f64::from(i % 2)) };
        task.tell(trial.id, value).unwrap();
    }
    let seen = task.expectations(&[vec![Value::Real(0.0)]]).unwrap();
    (seen[0].mean, seen[0].interval.1 - seen[0].interval.0)
}

#[test]
fn a_value_counts_by_its_own_standard_error() {
    let (exact, narrow) = told_with(Some(1e-4));
    let (vague, wide) = told_with(Some(2.0));
    assert!(exact.abs() < 0.02, "{exact}");
    assert!(vague > 0.1 && wide > 3.0 * narrow, "{vague} {wide} {narrow}");
    assert_eq!(told_with(Some(0.25)), told_with(None), "the fidelity's own noise");
}

#[test]
fn the_budget_is_charged_with_what_a_trial_really_cost() {
    let settings = quick(Method::Default, Preset::Default, 3);
    let space = spaces().remove(0);
    let mut task = Campaign::new(space, fidelities(false), Goal::Maximize, settings)
        .unwrap()
        .start(20.0)
        .unwrap();
    let trial = task.ask().unwrap().unwrap();
    assert_eq!(task.cost_left(), 20.0 - trial.cost);
    task.tell(trial.id, Measurement::new(1.0).cost(7.5)).unwrap();
    assert_eq!(task.cost_left(), 12.5);
    let next = task.ask().unwrap().unwrap();
    task.tell(next.id, Measurement::new(1.0).cost(50.0)).unwrap();
    assert_eq!((task.cost_left(), task.ask().unwrap()), (0.0, None));
    for bad in [Measurement::new(1.0).cost(-1.0), Measurement::new(1.0).noise(f64::NAN)] {
        assert!(bad.check(0, &[]).is_err());
    }
}

#[test]
fn yes_no_and_nothing_are_choices() {
    let choices = [Value::Flag(true), Value::Flag(false), Value::Nothing];
    let space = Space::new([Parameter::choice("warm", choices.clone())]).unwrap();
    let fidelity = [Fidelity::new("full", 1.0)];
    let settings = quick(Method::Default, Preset::Default, 3);
    let mut task = Campaign::new(space.clone(), fidelity, Goal::Maximize, settings)
        .unwrap()
        .start(9.0)
        .unwrap();
    while let Some(trial) = task.ask().unwrap() {
        assert!(choices.contains(&trial.point[0]));
        task.tell(trial.id, f64::from(u8::from(trial.point[0] == Value::Nothing))).unwrap();
    }
    assert_eq!(task.recommendation().unwrap().unwrap().point, [Value::Nothing]);
    let text = serde_json::to_string(&space).unwrap();
    assert!(text.contains("[true,false,null]"), "{text}");
    assert_eq!(serde_json::from_str::<Space>(&text).unwrap(), space);
}
