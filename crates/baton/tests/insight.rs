//! What a task taught: which parameters matter, how far intervals are to be trusted, what fidelities tell.

#![allow(clippy::unwrap_used)]

use baton::campaign::{Effect, Importance, Insight, Matters, Trust, Width, importance_in_words};
use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Task, Value};
use baton_numerics::random::{Key, Purpose};
use baton_numerics::sobol::shifted_points;
use std::f64::consts::PI;

fn cube(dimension: usize) -> Space {
    let parameter = |i: usize| Parameter::real(&format!("x{}", i + 1), 0.0, 1.0);
    Space::new((0..dimension).map(parameter).collect::<Vec<_>>()).unwrap()
}

fn campaign(space: Space, levels: &[(&str, f64)]) -> Campaign {
    let levels: Vec<Fidelity> =
        levels.iter().map(|(name, cost)| Fidelity::new(name, *cost)).collect();
    Campaign::new(space, levels, Goal::Maximize, Settings::default().seed(5)).unwrap()
}

/// Tells a task values at so many places all over the space.
fn spread(
    task: &mut Task,
    space: &Space,
    (level, count): (usize, usize),
    f: impl Fn(&[f64]) -> f64,
) {
    let mut stream = Key { step: task.number(), ..Key::default() }.stream(Purpose::Trial, 1);
    let places = shifted_points(space.dimension(), count, &mut stream);
    for j in 0..count {
        let point = space.point(places.col_as_slice(j)).unwrap();
        let trial = task.suggest(&point, level).unwrap();
        let at: Vec<f64> = (0..point.len()).map(|i| trial.number(i).unwrap()).collect();
        task.tell(trial.id, f(&at)).unwrap();
    }
}

/// After so many trials all over the unit cube.
fn learned(dimension: usize, count: usize, f: impl Fn(&[f64]) -> f64) -> Insight {
    let space = cube(dimension);
    let campaign = campaign(space.clone(), &[("only", 1.0)]);
    let mut task = campaign.start(2.0 * count as f64).unwrap();
    spread(&mut task, &space, (0, count), f);
    task.insight().unwrap()
}

/// At the highest fidelity; what is said of each follows from the whole of its interval.
fn top(insight: &Insight) -> &[Effect] {
    let effects = &insight.importance.as_ref().unwrap().fidelities.last().unwrap().parameters;
    for effect in effects {
        let (low, high) = effect.total.interval;
        let says = (high < 0.05, high >= 0.05 && low > 0.01);
        let said = (effect.matters == Matters::No, effect.matters == Matters::Yes);
        assert_eq!(said, says, "{effect:?}");
    }
    effects
}

/// Indices are near those known, and intervals hold nine in ten of these.
fn assert_indices(effects: &[Effect], first: &[f64], total: &[f64], error: f64) {
    let (mut held, mut count) = (0, 0);
    for (effect, (first, total)) in effects.iter().zip(first.iter().zip(total)) {
        println!("{effect:?}, known {first:.4} {total:.4}");
        for (found, known) in [(effect.first, *first), (effect.total, *total)] {
            assert!((found.value - known).abs() < error, "{effect:?}: {first} {total}");
            let (low, high) = found.interval;
            held += usize::from((low - 0.005..=high + 0.005).contains(&known));
            count += 1;
        }
    }
    assert!(10 * held >= 8 * count, "{held} of {count} intervals hold the number");
}

#[test]
fn indices_of_ishigami_are_found() {
    let x = |u: f64| PI * (2.0 * u - 1.0);
    let found = learned(3, 240, |u| {
        let (a, b, c) = (x(u[0]), x(u[1]), x(u[2]));
        a.sin() + 7.0 * b.sin().powi(2) + 0.1 * c.powi(4) * a.sin()
    });
    let (first, total) = ([0.313_9, 0.442_4, 0.0], [0.557_6, 0.442_4, 0.243_7]);
    assert_indices(top(&found), &first, &total, 0.06);
    assert!(top(&found).iter().all(|effect| effect.matters == Matters::Yes));
    let Importance { interactions, split, .. } = found.importance.unwrap();
    println!("{interactions:?}");
    assert_eq!(interactions[0].parameters, ("x1".to_owned(), "x3".to_owned()));
    assert!((interactions[0].share.value - 0.243_7).abs() < 0.06, "{interactions:?}");
    assert!(interactions.len() == 1 && split.is_none(), "{interactions:?}");
}

#[test]
fn indices_of_sobols_function_are_found() {
    let a = [0.0, 1.0, 4.5, 99.0];
    let found = learned(4, 200, |u| {
        u.iter().zip(a).map(|(u, a)| ((4.0 * u - 2.0).abs() + a) / (1.0 + a)).product()
    });
    // Sobol 1993: partial variances are 1 / (3 (1 + a)^2).
    let part: Vec<f64> = a.iter().map(|a: &f64| 1.0 / (3.0 * (1.0 + a).powi(2))).collect();
    let variance = part.iter().map(|v| 1.0 + v).product::<f64>() - 1.0;
    let first: Vec<f64> = part.iter().map(|v| v / variance).collect();
    let others = |i: usize| {
        let all = part.iter().enumerate().filter(|(j, _)| *j != i);
        all.map(|(_, v)| 1.0 + v).product::<f64>()
    };
    let total: Vec<f64> = (0..4).map(|i| part[i] * others(i) / variance).collect();
    assert_indices(top(&found), &first, &total, 0.08);
    assert_eq!(top(&found)[3].matters, Matters::No, "{:?}", top(&found)[3]);
}

#[test]
fn twenty_parameters_that_do_nothing_are_named() {
    // Effects and interactions as in Morris's screening, with all indices known.
    let found = learned(24, 160, |u| {
        let z = |i: usize| u[i] - 0.5;
        4.0 * z(0) + 3.0 * z(1) + 2.0 * z(2) - 2.0 * z(3) + 6.0 * z(0) * z(1)
    });
    let parts = [16.0 / 12.0, 9.0 / 12.0, 4.0 / 12.0, 4.0 / 12.0];
    let both = 36.0 / 144.0;
    let variance: f64 = parts.iter().sum::<f64>() + both;
    let first: Vec<f64> = parts.iter().map(|part| part / variance).collect();
    let total: Vec<f64> = parts
        .iter()
        .enumerate()
        .map(|(i, part)| (part + if i < 2 { both } else { 0.0 }) / variance)
        .collect();
    assert_indices(&top(&found)[..4], &first, &total, 0.06);
    assert!(top(&found)[..4].iter().all(|effect| effect.matters == Matters::Yes));
    for effect in &top(&found)[4..] {
        assert_eq!(effect.matters, Matters::No, "{effect:?}");
    }
    let importance = found.importance.unwrap();
    let words = importance_in_words(&importance).join(" ");
    println!("{words}");
    assert!(words.starts_with("x1 matters most") && words.contains("x5, x6"), "{words}");
    let all = importance.fixing_all.unwrap();
    assert_eq!(all.parameters.len(), 20);
    assert!(all.loss.value < 0.6, "{all:?}: of a range of 12");
    let fixing = |i: usize| importance.fixing[i].loss.value;
    assert!(
        fixing(0) > 2.0 && fixing(0) > fixing(2) && fixing(10) < 0.6,
        "{:?}",
        importance.fixing
    );
}

#[test]
fn what_tasks_share_is_told_from_what_only_one_has() {
    // All tasks: x1. Only this one, which is a different one each time: a little of x2.
    let space = cube(2);
    let mut campaign = campaign(space.clone(), &[("only", 1.0)]);
    for task in 0..4 {
        let mut task_now = campaign.start(100.0).unwrap();
        let sign = [1.0, -0.7, 0.5, -1.2][task];
        spread(&mut task_now, &space, (0, 30), |u| {
            (5.0 * u[0]).sin() + 0.35 * sign * (6.0 * u[1]).cos()
        });
        if task < 3 {
            campaign.finish(task_now).unwrap();
            continue;
        }
        let found = task_now.insight().unwrap();
        assert_expectations(found.trust.as_ref().unwrap());
        let split = found.importance.unwrap().split.unwrap();
        println!("{split:?}");
        let (shared, own) = (&split.in_every_task, &split.only_in_this);
        assert!(shared[0].total.value > 0.9 && shared[1].total.value < 0.1, "{shared:?}");
        assert!(own[1].total.value > 0.7 && own[0].total.value < 0.4, "{own:?}");
        assert!((0.03..0.4).contains(&split.share_of_this.value), "{:?}", split.share_of_this);
    }
}

#[test]
fn fidelities_say_how_much_they_tell_of_the_highest() {
    let space = cube(2);
    let truth = |u: &[f64]| (4.0 * u[0]).sin() + u[1];
    let campaign = campaign(space.clone(), &[("part", 1.0), ("coarse", 2.0), ("fine", 8.0)]);
    let mut task = campaign.start(1000.0).unwrap();
    spread(&mut task, &space, (0, 30), |u| u[1]);
    spread(&mut task, &space, (1, 30), |u| truth(u) + 0.1 * u[0]);
    spread(&mut task, &space, (2, 31), truth);
    let trial = task.ask().unwrap().unwrap();
    task.fail(trial.id, "out of memory").unwrap();
    task.add_free(&[Value::Real(0.5), Value::Real(0.25)], 2, truth(&[0.5, 0.25])).unwrap();
    let found = task.insight().unwrap();
    println!("{:#?}", found.fidelities);
    let explains = |level: usize| found.fidelities[level].explains.unwrap();
    // The variance of x2 is 1/12, that of sin(4 x1) is 0.267.
    let part = explains(0).value;
    assert!((0.13..0.36).contains(&part) && explains(1).value > 0.95, "{:?}", found.fidelities);
    assert_eq!(explains(2).interval, (1.0, 1.0));
    assert_eq!(found.fidelities[2].correlation, Some(1.0));
    let told: Vec<usize> = found.fidelities.iter().map(|fidelity| fidelity.told).collect();
    let failed: usize = found.fidelities.iter().map(|fidelity| fidelity.failed).sum();
    assert_eq!((told, failed), (vec![30, 30, 32], 1));
    let failed_at = |level: usize, cost: f64| if trial.level == level { cost } else { 0.0 };
    assert_eq!(found.fidelities[1].spent - 60.0, failed_at(1, 2.0));
    assert_eq!(found.fidelities[2].spent - 248.0, failed_at(2, 8.0), "what is free costs nothing");
    let effects = |level: usize| &found.importance.as_ref().unwrap().fidelities[level].parameters;
    assert!(effects(0)[1].total.value > 0.5 && effects(2)[0].total.value > 0.5);
}

#[test]
fn every_kind_of_parameter_has_its_share_and_one_that_is_fixed_has_none() {
    let space = Space::new([
        Parameter::choice("mode", ["a", "b", "c"]),
        Parameter::integer("layers", 1, 4),
        Parameter::log("rate", 1e-3, 1.0).when("mode = b").unwrap(),
        Parameter::real("idle", 0.0, 1.0),
        Parameter::real("held", 0.0, 1.0).fixed_at(0.5),
    ]);
    let space = space.unwrap().forbid(["layers >= 4 and idle > 0.5"]).unwrap();
    let campaign = campaign(space.clone(), &[("only", 1.0)]);
    let mut task = campaign.start(400.0).unwrap();
    let mut stream = Key::default().stream(Purpose::Trial, 2);
    let places = shifted_points(space.dimension(), 120, &mut stream);
    for j in 0..120 {
        let point = space.point(places.col_as_slice(j)).unwrap();
        let Ok(trial) = task.suggest(&point, 0) else { continue };
        let mode = [("a", 0.0), ("b", 1.0), ("c", 2.0)];
        let mode = mode.iter().find(|(name, _)| trial.point[0] == Value::from(*name)).unwrap().1;
        let rate = trial.point[2].number().map_or(0.0, |rate| 0.5 * rate.log10());
        task.tell(trial.id, mode + 0.5 * trial.number(1).unwrap() + rate).unwrap();
    }
    let found = task.insight().unwrap();
    let names: Vec<&str> = top(&found).iter().map(|effect| effect.parameter.as_str()).collect();
    assert_eq!(names, ["mode", "layers", "rate", "idle"]);
    println!("{:#?}", top(&found));
    // Variances: mode 0, 1 - 3/4, 2 without and with the rate; layers 5/16; the rate 3/16 in a third.
    assert!(top(&found)[0].total.value > 0.5 && top(&found)[1].total.value > 0.15);
    assert!((0.02..0.2).contains(&top(&found)[2].total.value));
    assert!(top(&found)[3].total.value < 0.05);
}

/// Expectations are of the observations beside which they stand, and counted as they are.
fn assert_expectations(trust: &Trust) {
    let mut held = [0; 2];
    for seen in &trust.seen {
        for (count, of) in held.iter_mut().zip([seen.left_out, seen.one_ahead]) {
            let (low, high) = of.interval;
            assert!(low <= of.mean && of.mean <= high, "{seen:?}");
            let deviations = of.deviations.abs();
            // Near its ends the interval and the linearised observation may differ.
            let inside = (low..=high).contains(&seen.value);
            assert!((deviations - 1.645).abs() < 0.2 || inside == (deviations < 1.645), "{seen:?}");
            *count += usize::from(deviations <= 1.644_854);
        }
    }
    let all = trust.coverage.last().unwrap();
    assert_eq!(held, [all.left_out, all.one_ahead]);
    let known = trust.calibration.iter().find(|of| of.nominal == 0.9).unwrap();
    let shares = [known.left_out, known.one_ahead].map(|share| share * trust.seen.len() as f64);
    assert_eq!(shares.map(f64::round), held.map(|count: usize| count as f64));
}

#[test]
fn intervals_hold_what_they_promise_and_those_of_a_wrong_noise_do_not() {
    let space = cube(2);
    let truth = |u: &[f64]| (3.0 * u[0]).sin() + (2.0 * u[1]).cos();
    // At so many places, each so many times: noise at one place is no wiggle of the function.
    let trusted = |fidelity: Fidelity, noise: f64, (places, times): (usize, usize)| {
        let settings = Settings::default().seed(5);
        let campaign = Campaign::new(cube(2), [fidelity], Goal::Minimize, settings).unwrap();
        let mut task = campaign.start(1000.0).unwrap();
        let stream = std::cell::RefCell::new(Key::default().stream(Purpose::Noise, 0));
        for _ in 0..times {
            let noisy = |u: &[f64]| truth(u) + noise * stream.borrow_mut().normal();
            spread(&mut task, &space, (0, places), noisy);
        }
        let insight = task.insight().unwrap();
        assert_eq!(insight.trust, task.trust().unwrap(), "alone it is the same");
        insight.trust.unwrap()
    };
    let right = trusted(Fidelity::new("only", 1.0), 0.1, (80, 1));
    println!("{:?} {:?}", right.coverage, right.calibration);
    assert_eq!(right.width, Width::Right);
    let all = right.coverage.last().unwrap();
    assert_eq!((all.observations, right.seen.len(), right.coverage.len()), (80, 80, 2));
    for inside in [all.left_out, all.one_ahead] {
        assert!((66..=78).contains(&inside), "{right:?}");
    }
    for pair in right.calibration.windows(2) {
        assert!(pair[0].nominal < pair[1].nominal && pair[0].left_out <= pair[1].left_out);
    }
    assert_expectations(&right);
    for (i, seen) in right.seen.iter().enumerate() {
        assert_eq!(seen.trial, i, "told in the order of the trials");
    }
    let wrong = trusted(Fidelity::new("only", 1.0).with_noise(4e-4), 0.1, (20, 4));
    println!("{:?}", wrong.coverage);
    assert_eq!(wrong.width, Width::TooNarrow, "{:?}", wrong.coverage);
}

#[test]
fn before_anything_was_told_nothing_is_said_and_an_ask_is_not_disturbed() {
    let space = cube(2);
    let campaign = campaign(space.clone(), &[("coarse", 1.0), ("fine", 4.0)]);
    let mut task = campaign.start(60.0).unwrap();
    let nothing = task.insight().unwrap();
    assert!(nothing.importance.is_none() && nothing.trust.is_none());
    assert_eq!(nothing.fidelities.len(), 2);
    for _ in 0..9 {
        let trial = task.ask().unwrap().unwrap();
        task.tell(trial.id, trial.number(0).unwrap()).unwrap();
    }
    let mut undisturbed = task.clone();
    let found = task.insight().unwrap();
    assert_eq!(found, undisturbed.clone().insight().unwrap(), "the same every time");
    assert_eq!(task.ask().unwrap(), undisturbed.ask().unwrap());
}

/// All numbers of a document.
fn numbers(of: &serde_json::Value, found: &mut Vec<Option<f64>>) {
    match of {
        serde_json::Value::Array(all) => all.iter().for_each(|one| numbers(one, found)),
        serde_json::Value::Object(all) => all.values().for_each(|one| numbers(one, found)),
        serde_json::Value::Number(number) => found.push(number.as_f64()),
        _ => {}
    }
}

#[test]
fn strange_values_break_nothing() {
    let cases: [&[f64]; 5] = [
        &[0.5],
        &[3.0; 6],
        &[1e300, -1e300, 1e299, 0.0, -1e299],
        &[1e-300, 2e-300, 0.0, 5e-300],
        &[0.1, 0.2, 1e6, 0.15, 1e6, 1e6],
    ];
    for values in cases {
        let space = cube(2);
        let mut campaign = campaign(space.clone(), &[("coarse", 1.0), ("fine", 4.0)]);
        for _ in 0..2 {
            let mut task = campaign.start(60.0).unwrap();
            for value in values {
                let Some(trial) = task.ask().unwrap() else { break };
                task.tell(trial.id, *value).unwrap();
            }
            if let Ok(found) = task.insight() {
                let document = serde_json::to_value(&found).unwrap();
                let mut all = Vec::new();
                numbers(&document, &mut all);
                assert!(all.len() > 30 && all.iter().flatten().all(|x| x.is_finite()));
                // Draws go beyond what is known by half of that at most, on either side.
                let known = values.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
                for fixing in &found.importance.as_ref().unwrap().fixing {
                    assert!(fixing.loss.interval.1 <= 5.0 * known, "{values:?}: {fixing:?}");
                }
                for effect in top(&found) {
                    let (low, high) = effect.total.interval;
                    assert!(0.0 <= low && low <= high && high <= 1.0, "{values:?}: {effect:?}");
                }
            }
            campaign.finish(task).unwrap();
        }
    }
}
