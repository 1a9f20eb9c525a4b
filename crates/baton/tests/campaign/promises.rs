//! Promises that hold in any order of ask, tell and fail, on any space, for every method: the budget, legal
//! proposals, and the same bits restored from records and on two threads.

use super::{fidelities, quick};
use baton::{Campaign, Goal, Method, Outcome, Parameter, Preset, Space, Task, Trial, Value};
use baton_numerics::parallel::with_threads;
use proptest::prelude::*;

/// One move of whoever drives a task.
#[derive(Debug, Clone)]
enum Move {
    Ask,
    Tell { which: usize, value: f64 },
    Fail { which: usize },
    Suggest { seed: f64, level: usize },
    Free { seed: f64, level: usize },
    Extend,
}

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        8 => Just(Move::Ask),
        6 => (0..8_usize, -2.0..2.0_f64).prop_map(|(which, value)| Move::Tell { which, value }),
        2 => (0..8_usize).prop_map(|which| Move::Fail { which }),
        1 => (0.0..1.0_f64, 0..3_usize).prop_map(|(seed, level)| Move::Suggest { seed, level }),
        1 => (0.0..1.0_f64, 0..3_usize).prop_map(|(seed, level)| Move::Free { seed, level }),
        1 => Just(Move::Extend),
    ]
}

fn any_parameter(index: usize) -> impl Strategy<Value = Parameter> {
    let name = move |kind: &str| format!("{kind} {index}");
    prop_oneof![
        (-1e3..1e3_f64, 1e-3..1e3_f64).prop_map(move |(low, width)| Parameter::real(
            &name("real"),
            low,
            low + width
        )),
        (1e-9..1.0_f64, 1.5..1e9_f64).prop_map(move |(low, ratio)| Parameter::log(
            &name("log"),
            low,
            low * ratio
        )),
        (-50..50_i64, 0..1000_i64).prop_map(move |(low, count)| Parameter::integer(
            &name("integer"),
            low,
            low + count
        )),
        (-1e3..1e3_f64, 1e-3..10.0_f64, 0..500_u32).prop_map(move |(low, step, count)| {
            Parameter::stepped(&name("stepped"), low, low + step * f64::from(count), step)
        }),
        (1..9_usize).prop_map(move |count| {
            Parameter::ordered(&name("ordered"), (0..count).map(|i| (i * i) as f64 * 0.1))
        }),
        (1..6_i64).prop_map(move |count| { Parameter::choice(&name("choice"), 0..count) }),
    ]
}

fn any_space() -> impl Strategy<Value = Space> {
    let parameters = (any_parameter(0), any_parameter(1), any_parameter(2), 1..4_usize);
    (parameters, any::<bool>(), any::<bool>()).prop_map(|((a, b, c, count), depends, forbids)| {
        let mut parameters = vec![a, b, c][..count].to_vec();
        for i in 1..count {
            let parent = &parameters[i - 1];
            let when = format!("{:?} != {}", parent.name, parent.domain.spread(2)[0]);
            let child = parameters[i].clone().when(&when).unwrap();
            if depends && child.check_when(&parameters).is_ok() {
                parameters[i] = child;
            }
        }
        let space = Space::new(parameters).unwrap();
        let names = space.parameters().iter().map(|p| format!("{:?}", p.name));
        let line = names.collect::<Vec<_>>().join(" + ");
        let usual = space.point(&vec![0.6; space.dimension()]).unwrap();
        let limit: f64 = usual.iter().filter_map(Value::number).sum();
        let limited = space.clone().forbid([format!("{line} > {limit:.3}")]);
        limited.ok().filter(|_| forbids).unwrap_or(space)
    })
}

/// Makes a move; says what was asked for.
fn make(task: &mut Task, space: &Space, step: &Move) -> Option<Trial> {
    let pending: Vec<usize> = task.pending().map(|trial| trial.id).collect();
    let choose = |which: &usize| pending.get(which % pending.len().max(1)).copied();
    let somewhere = |seed: f64| {
        let coordinates: Vec<f64> =
            (0..space.dimension()).map(|i| (seed * (i + 1) as f64 * 7.3).fract()).collect();
        space.point(&coordinates).unwrap()
    };
    match step {
        Move::Ask => return task.ask().unwrap(),
        Move::Tell { which, value } => {
            if let Some(id) = choose(which) {
                task.tell(id, *value).unwrap();
            }
        }
        Move::Fail { which } => {
            if let Some(id) = choose(which) {
                task.fail(id, "no reason").unwrap();
            }
        }
        // Refused if it is pending already or too dear.
        Move::Suggest { seed, level } => drop(task.suggest(&somewhere(*seed), *level)),
        Move::Free { seed, level } => {
            drop(task.add_free(&somewhere(*seed), *level, *seed).unwrap());
        }
        Move::Extend => task.extend_budget(1.5).unwrap(),
    }
    None
}

fn spent(task: &Task) -> f64 {
    task.trials().iter().filter(|trial| trial.charged).map(|trial| trial.cost).sum()
}

/// The trials after a detour through text, as a store would keep them.
fn recorded(task: &Task) -> Vec<Trial> {
    serde_json::from_str(&serde_json::to_string(task.trials()).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]
    #[test]
    fn promises_hold_in_any_order_of_ask_tell_and_fail(
        space in any_space(),
        method in 0..10_usize,
        paper in any::<bool>(),
        known_noise in any::<bool>(),
        charge_failed in any::<bool>(),
        seed in any::<u64>(),
        moves in prop::collection::vec(any_move(), 1..24),
    ) {
        let method = Method::ALL[method];
        let preset = if paper { Preset::Paper } else { Preset::Default };
        let mut settings = quick(method, preset, seed);
        settings.set("charge_failed", if charge_failed { "true" } else { "false" }).unwrap();
        let mut campaign =
            Campaign::new(space.clone(), fidelities(known_noise), Goal::Maximize, settings).unwrap();
        for _ in 0..2 {
            let mut task = campaign.start(18.0).unwrap();
            let mut twin = campaign.start(18.0).unwrap();
            let mut extended = 0;
            for step in &moves {
                let before: Vec<Trial> = task.pending().cloned().collect();
                // A task restored from its records continues exactly like the one that never
                // stopped, and so does one that runs on two threads.
                let mut restored = campaign.resume(18.0, &recorded(&task)).unwrap();
                for _ in 0..extended {
                    restored.extend_budget(1.5).unwrap();
                }
                let asked = make(&mut task, &space, step);
                prop_assert_eq!(&asked, &make(&mut restored, &space, step));
                let again = with_threads(2, || make(&mut twin, &space, step));
                prop_assert_eq!(&asked, &again);
                extended += usize::from(matches!(step, Move::Extend));
                prop_assert!(spent(&task) <= task.budget() * (1.0 + 1e-12));
                if let Some(trial) = asked {
                    prop_assert_eq!(&space.canonical(&trial.point).unwrap(), &trial.point);
                    prop_assert!(space.forbids(&trial.point).is_none(), "{:?}", trial.point);
                    prop_assert!(before.iter().all(|pending| pending.point != trial.point));
                    prop_assert_eq!(&trial.outcome, &Outcome::Pending);
                    prop_assert!(trial.level < 3);
                }
            }
            prop_assert_eq!(task.trials(), twin.trials());
            campaign.finish(task).unwrap();
        }
    }
}
