//! What holds for every family.

use super::*;
use crate::stream::{Problem, Stream};
use baton::{Campaign, Goal, Settings, Space};

fn all() -> Vec<Box<dyn Family>> {
    families().into_iter().chain(variants()).collect()
}

/// A random legal point in raw values.
fn point(space: &Space, stream: &mut Stream) -> Vec<f64> {
    let unit: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
    space.point(&unit).unwrap().iter().map(|value| value.number().unwrap()).collect()
}

#[test]
fn names_lead_to_their_families() {
    let names: Vec<&str> = all().iter().map(|family| family.name()).collect();
    for (i, name) in names.iter().enumerate() {
        assert_eq!(family(name).unwrap().name(), *name);
        assert!(!names[..i].contains(name));
    }
    assert_eq!(families().len(), 12);
    assert!(family("hartmann6-reference").is_some() && family("gas-raw").is_some());
    assert!(family("hartmann7").is_none());
}

#[test]
fn descriptions_make_campaigns() {
    for family in all() {
        let Description { space, fidelities, budget, initial, tasks, offset, scale, .. } =
            family.description();
        let most = fidelities.iter().map(|fidelity| fidelity.cost).fold(0.0, f64::max);
        assert_eq!(fidelities.last().unwrap().cost, most);
        assert!((20.0..=25.0).contains(&(budget / most)), "{}", family.name());
        assert_eq!(initial, 2 * space.parameters().len() + 2);
        assert!(tasks >= 10 && offset.is_finite() && scale > 0.0);
        assert!(fidelities.iter().all(|fidelity| fidelity.noise_variance.unwrap() > 0.0));
        Campaign::new(space, fidelities, Goal::Maximize, Settings::default()).unwrap();
    }
}

#[test]
fn no_point_beats_the_optimum() {
    for family in all() {
        let Description { space, fidelities, .. } = family.description();
        let top = fidelities.len() - 1;
        for (master, number) in [(MASTER, 0), (MASTER, 1), (MASTER, 2), (fresh_master(7), 3)] {
            let task = family.task(master, number);
            let best = task.optimum();
            assert_eq!(best, task.optimum());
            assert_eq!(best.value, task.value(&best.point, top));
            let legal: Vec<baton::Value> = best.point.iter().map(|x| (*x).into()).collect();
            space.coordinates(&legal).unwrap();
            let mut stream = Stream::new(master, Problem::Hartmann, number, 9);
            for _ in 0..if top == 3 { 1_000 } else { 20_000 } {
                let value = task.value(&point(&space, &mut stream), top);
                assert!(value <= best.value, "{} {number} {value} {best:?}", family.name());
            }
        }
    }
}

#[test]
fn nothing_near_the_optimum_beats_it() {
    for family in all().iter().filter(|family| family.name() != "radio") {
        let space = family.description().space;
        let top = family.description().fidelities.len() - 1;
        let task = family.task(MASTER, 4);
        let best = task.optimum();
        let mut stream = Stream::new(MASTER, Problem::Hartmann, 4, 10);
        for i in 0..10_000 {
            let far = 0.1_f64.powi(i % 6);
            let mix = |(x, y): (&f64, f64)| x + far * (y - x);
            let near: Vec<f64> =
                best.point.iter().zip(point(&space, &mut stream)).map(mix).collect();
            assert!(task.value(&near, top) <= best.value, "{} {near:?}", family.name());
        }
    }
}

#[test]
fn a_task_is_its_master_and_its_number() {
    for family in all() {
        let description = family.description();
        let mut stream = Stream::new(MASTER, Problem::Hartmann, 1, 11);
        let middle = vec![0.5; description.space.dimension()];
        let near_middle: Vec<f64> = match family.name() {
            // Elsewhere most points miss all sensors, in every task alike.
            "gas" | "gas-raw" | "gas-moving" => vec![1500.0, 0.0, 0.0, 5.0],
            _ => description
                .space
                .point(&middle)
                .unwrap()
                .iter()
                .filter_map(baton::Value::number)
                .collect(),
        };
        let value = |master, number| family.task(master, number).value(&near_middle, 0);
        assert_eq!(value(MASTER, 2), value(MASTER, 2));
        assert_ne!(value(MASTER, 2), value(MASTER, 3));
        assert_ne!(value(MASTER, 2), value(fresh_master(stream.bits()), 2));
    }
}

#[test]
fn wrong_lengths_and_levels_give_no_value() {
    for family in all() {
        let Description { space, fidelities, .. } = family.description();
        let task = family.task(MASTER, 1);
        let mut stream = Stream::new(MASTER, Problem::Hartmann, 1, 12);
        let mut point = point(&space, &mut stream);
        for level in 0..fidelities.len() {
            assert!(task.value(&point, level).is_finite());
            assert!(task.value(&[], level).is_nan());
            assert!(task.value(&vec![f64::NAN; point.len()], level).is_nan());
        }
        assert!(task.value(&point, fidelities.len()).is_nan());
        assert!(task.value(&point, usize::MAX).is_nan());
        point.push(0.0);
        assert!(task.value(&point, 0).is_nan());
        for wild in [f64::MAX, f64::MIN, f64::INFINITY, -0.0] {
            let _ = task.value(&vec![wild; point.len() - 1], 0);
        }
    }
}

#[test]
fn tasks_tell_the_descriptors_that_their_family_declares() {
    for family in all() {
        let declared = family.descriptors();
        for number in 0..4 {
            let told = family.task(MASTER, number).descriptors();
            assert_eq!(told.len(), declared.len(), "{}", family.name());
            if !told.is_empty() {
                let told: Vec<baton::Value> = told.into_iter().map(Into::into).collect();
                Space::new(declared.clone()).unwrap().coordinates(&told).unwrap();
            }
        }
    }
    assert!(families().iter().any(|family| !family.descriptors().is_empty()));
}
