//! Campaigns whose tasks are described: told in advance, replayed to the bit, refused with a reason.

#![allow(clippy::unwrap_used)]

use baton::campaign::in_words;
use baton::{
    Campaign, Description, Descriptors, Fidelity, Goal, Knowledge, Method, Parameter, Settings,
    Space, Task, Value,
};
use rayon::prelude::*;

const BUDGET: f64 = 16.0;
/// Of eight tasks, in their order.
const LOADS: [f64; 8] = [0.2, 0.8, 0.5, 0.95, 0.35, 0.65, 0.05, 0.42];

fn plain(method: Method) -> Campaign {
    seeded(method, 4)
}

fn seeded(method: Method, seed: u64) -> Campaign {
    let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
    let fidelities = [Fidelity::new("only", 1.0)];
    let settings = Settings::new(method).seed(seed);
    Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap()
}

fn descriptors() -> Descriptors {
    Descriptors::new([
        Parameter::log("load", 10.0, 1000.0),
        Parameter::real("moon", 0.0, 1.0),
        Parameter::choice("mode", ["a", "b", "c"]),
    ])
    .unwrap()
}

fn described() -> Campaign {
    plain(Method::Default).with_descriptors(descriptors()).unwrap()
}

/// A load at this share of its range.
fn load(share: f64) -> Description {
    said(&[("load", Value::Real(10.0 * 100.0_f64.powf(share)))])
}

fn said(pairs: &[(&str, Value)]) -> Description {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// The hill moves with the load.
fn value(point: &[Value], share: f64) -> f64 {
    let (x, y) = (point[0].number().unwrap(), point[1].number().unwrap());
    let (u, v) = (x - 0.2 - 0.6 * share, y - 0.7 + 0.4 * share);
    (-12.0 * (u * u + v * v)).exp()
}

fn work_off(task: &mut Task, share: f64) {
    while let Some(trial) = task.ask().unwrap() {
        task.tell(trial.id, value(&trial.point, share)).unwrap();
    }
}

/// After so many tasks, described or not.
fn after(tasks: usize, mut campaign: Campaign, say: impl Fn(f64) -> Description) -> Campaign {
    for share in &LOADS[..tasks] {
        let mut task = campaign.start_described(BUDGET, &say(*share)).unwrap();
        work_off(&mut task, *share);
        campaign.finish(task).unwrap();
    }
    campaign
}

#[test]
fn the_optimum_of_a_new_task_is_told_before_its_first_trial() {
    let nothing = |_| Description::new();
    let (with, without) = (after(4, described(), load), after(4, plain(Method::Default), nothing));
    let (mut known, mut unknown) = (0.0, 0.0);
    for share in [0.35, 0.65, 0.9] {
        let told = with.predict(&load(share)).unwrap().unwrap();
        known += 1.0 - value(&told.best.point, share);
        assert!(told.best.interval.0 <= told.best.mean && told.best.mean <= told.best.interval.1);
        let mut task = with.start_described(BUDGET, &load(share)).unwrap();
        assert_eq!(task.recommendation().unwrap().unwrap(), told.best, "with no trial spent");
        let first = task.ask().unwrap().unwrap();
        assert_eq!(first.point, told.best.point, "what is told is tried first");
        let first = without.start(BUDGET).unwrap().ask().unwrap().unwrap();
        unknown += 1.0 - value(&first.point, share);
    }
    assert!(known < 0.3 * unknown, "{known} {unknown}");
    assert!(without.predict(&Description::new()).unwrap().is_none());
    let near = with.predict(&load(0.9)).unwrap().unwrap().nearest.unwrap();
    assert_eq!((near.task, &near.description), (3, &load(LOADS[3])));
    let curve = with.predict_over(&Description::new(), "load", 5).unwrap();
    let x = |i: usize| curve[i].1.best.point[0].number().unwrap();
    assert!(curve.len() == 5 && x(0) < x(2) && x(2) < x(4), "{curve:?}");
    assert!((curve[4].0.number().unwrap() - 1000.0).abs() < 1e-9);
}

#[test]
fn the_descriptor_that_moves_the_optimum_is_found_out() {
    let say = |share: f64| {
        let moon = (share * 7.3).fract();
        [load(share), said(&[("moon", Value::Real(moon)), ("mode", "b".into())])].concat_all()
    };
    let campaign = after(6, described(), say);
    let weights = campaign.descriptor_weights().unwrap();
    let names: Vec<&str> = weights.iter().map(|weight| weight.name.as_str()).collect();
    assert_eq!(names, ["load", "moon", "mode"]);
    assert!(weights[0].share > 0.5 && weights[2].share == 0.0, "{weights:?}");
    assert!(in_words(&weights).starts_with("load explains most"), "{}", in_words(&weights));
    assert!(described().descriptor_weights().unwrap().is_empty(), "nothing is known yet");
}

trait ConcatAll {
    fn concat_all(self) -> Description;
}

impl ConcatAll for [Description; 2] {
    fn concat_all(self) -> Description {
        self.into_iter().flatten().collect()
    }
}

#[test]
fn a_described_task_is_replayed_to_the_bit_and_knowledge_is_read_back() {
    let campaign = after(2, described(), load);
    let text = campaign.knowledge().to_json().unwrap();
    assert!(text.contains("\"version\":3") && text.contains("\"descriptors\""));
    let again = described().with_knowledge(Knowledge::from_json(&text).unwrap()).unwrap();
    assert_eq!(again.knowledge(), campaign.knowledge());
    let mut task = campaign.start_described(BUDGET, &load(0.5)).unwrap();
    let contexts = [Description::new(), load(0.6), said(&[("moon", Value::Real(0.3))])];
    for (i, context) in contexts.iter().cycle().take(9).enumerate() {
        let trial = task.ask_in(context).unwrap().unwrap();
        assert_eq!(trial.context, *context);
        if i != 4 {
            task.tell(trial.id, value(&trial.point, 0.5)).unwrap();
        }
        let mut other = again.resume_described(BUDGET, &load(0.5), task.trials()).unwrap();
        let (here, there) = (task.recommendation().unwrap(), other.recommendation().unwrap());
        assert_eq!(here, there);
        if i % 4 == 3 {
            let next = &contexts[(i + 1) % 3];
            assert_eq!(task.clone().ask_in(next).unwrap(), other.ask_in(next).unwrap());
        }
    }
    let text = serde_json::to_string(&task.trials()[1]).unwrap();
    assert_eq!(serde_json::from_str::<baton::Trial>(&text).unwrap(), task.trials()[1]);
    assert!(!serde_json::to_string(&task.trials()[0]).unwrap().contains("context"));
}

#[test]
fn knowledge_of_the_version_before_is_read_and_used() {
    let campaign = after(2, described(), load);
    let mut parts = serde_json::to_value(campaign.knowledge()).unwrap();
    parts.as_object_mut().unwrap().remove("untold").unwrap();
    let before: Knowledge = serde_json::from_value(parts).unwrap();
    let text = before.to_json().unwrap();
    assert!(text.contains("\"version\":2"));
    let mut again = described().with_knowledge(Knowledge::from_json(&text).unwrap()).unwrap();
    let mut task = again.start_described(BUDGET, &load(0.5)).unwrap();
    work_off(&mut task, 0.5);
    again.finish(task).unwrap();
    assert!(again.knowledge().untold().is_none() && again.knowledge().tasks == 3);
}

#[test]
fn whether_descriptions_tell_anything_is_decided_by_how_they_predict() {
    let nats = |campaign: &Campaign| campaign.knowledge().untold().unwrap().1;
    // A wrong description may by chance tell apart what differs: not in most campaigns.
    let median = |say: fn(f64) -> Description| {
        let campaign = |seed: u64| {
            let campaign = seeded(Method::Default, seed).with_descriptors(descriptors()).unwrap();
            after(5, campaign, say)
        };
        let mut all: Vec<Campaign> = (1..=5).into_par_iter().map(campaign).collect();
        all.sort_by(|a, b| nats(a).total_cmp(&nats(b)));
        all.swap_remove(2)
    };
    let (right, wrong) = (median(load), median(elsewhere));
    assert!(nats(&right) > 2.0 && nats(&wrong) < -1.0, "{} {}", nats(&right), nats(&wrong));
    let told = |campaign: &Campaign, share: f64| campaign.predict(&load(share)).unwrap().unwrap();
    assert_ne!(told(&right, 0.1).best, told(&right, 0.9).best);
    assert_eq!(told(&wrong, 0.1).best, told(&wrong, 0.9).best, "what misled is passed over");
    let words = in_words(&wrong.descriptor_weights().unwrap());
    assert!(words.contains("no descriptor"), "{words}");
    let read = Knowledge::from_json(&wrong.knowledge().to_json().unwrap()).unwrap();
    assert_eq!(&read, wrong.knowledge());
    described().with_knowledge(read).unwrap();
}

/// What would be true of quite another task.
fn elsewhere(share: f64) -> Description {
    let at = LOADS.iter().position(|load| *load == share).unwrap();
    load([0.9, 0.85, 0.1, 0.3, 0.95, 0.15, 0.5, 0.6][at])
}

#[test]
fn what_passes_descriptions_over_knows_what_a_campaign_without_them_would() {
    let (mut told, mut plain) = (described(), plain(Method::Default));
    for share in &LOADS[..3] {
        let mut task = told.start_described(BUDGET, &load(*share)).unwrap();
        work_off(&mut task, *share);
        let same = plain.resume(BUDGET, task.trials()).unwrap();
        told.finish(task).unwrap();
        plain.finish(same).unwrap();
        let (untold, known) = (told.knowledge().untold().unwrap().0, plain.knowledge());
        assert_eq!(untold.shared, known.shared);
        assert_eq!(untold.belief, known.belief);
        assert_eq!(
            (untold.tasks, untold.drift, untold.verdicts),
            (known.tasks, known.drift, known.verdicts)
        );
    }
}

#[test]
fn without_descriptors_nothing_of_them_is_written() {
    let mut campaign = plain(Method::Default);
    let mut task = campaign.start(BUDGET).unwrap();
    work_off(&mut task, 0.5);
    campaign.finish(task).unwrap();
    let text = campaign.knowledge().to_json().unwrap();
    assert!(text.contains("\"version\":1") && !text.contains("descri"), "{text:.300}");
    let refused = described().with_knowledge(Knowledge::from_json(&text).unwrap()).unwrap_err();
    let reason = refused.to_string();
    assert!(reason.contains("no descriptors; here tasks are described by load"), "{reason}");
}

#[test]
fn what_is_not_said_is_as_in_earlier_tasks() {
    let say = |share: f64| {
        let mode = if share > 0.3 { "b" } else { "c" };
        [load(share), said(&[("moon", Value::Real(share)), ("mode", mode.into())])].concat_all()
    };
    let campaign = after(3, described(), say);
    let [a, b, c] = [LOADS[0], LOADS[1], LOADS[2]];
    let mean = (a + b + c) / 3.0;
    let usual = [load(mean), said(&[("moon", Value::Real(mean)), ("mode", "b".into())])];
    let [given, missing] = [usual.concat_all(), Description::new()]
        .map(|description| campaign.predict(&description).unwrap().unwrap().best);
    assert!((given.mean - missing.mean).abs() < 1e-9, "{given:?} {missing:?}");
    let x = |of: &[Value]| of[0].number().unwrap();
    assert!((x(&given.point) - x(&missing.point)).abs() < 1e-6);
}

#[test]
fn the_point_to_use_is_a_function_of_the_context() {
    let campaign = described();
    let mut task = campaign.start(40.0).unwrap();
    for i in 0..40 {
        let share = f64::from(i) * 0.618 % 1.0;
        let trial = task.ask_in(&load(share)).unwrap().unwrap();
        task.tell(trial.id, value(&trial.point, share)).unwrap();
    }
    for share in [0.2, 0.5, 0.8] {
        let best = task.recommendation_in(&load(share)).unwrap().unwrap();
        assert!(value(&best.point, share) > 0.9, "{share}: {best:?}");
    }
    assert!(task.recommendation_in(&said(&[("sun", Value::Real(1.0))])).is_err());
}

#[test]
fn wrong_descriptions_are_refused_and_nothing_is_lost() {
    let mut campaign = after(1, described(), load);
    let before = campaign.knowledge().clone();
    let refused = |description: &Description| {
        campaign.start_described(BUDGET, description).unwrap_err().to_string()
    };
    assert!(refused(&said(&[("lode", 20.0.into())])).contains("the descriptors are load, moon"));
    assert!(refused(&said(&[("load", 2000.0.into())])).contains("2000 is not one of its values"));
    assert!(refused(&said(&[("load", f64::NAN.into())])).contains("descriptor load: NaN"));
    assert!(refused(&said(&[("mode", "d".into())])).contains("mode"));
    assert!(campaign.predict(&said(&[("load", 1.0.into())])).is_err());
    assert!(campaign.predict_over(&Description::new(), "lode", 3).is_err());
    let mut task = campaign.start_described(BUDGET, &load(0.5)).unwrap();
    let trial = task.ask().unwrap().unwrap();
    assert!(task.ask_in(&said(&[("load", 1.0.into())])).is_err());
    assert_eq!(task.trials().len(), 1);
    task.tell(trial.id, 0.5).unwrap();
    assert_eq!(*campaign.knowledge(), before);
    campaign.finish(task).unwrap();
    assert_eq!(campaign.knowledge().described().len(), 2);
}

#[test]
fn descriptors_need_a_method_that_carries_the_function_and_names_of_their_own() {
    for method in [Method::MftMes, Method::WarmStart, Method::Random] {
        let refused = plain(method).with_descriptors(descriptors()).unwrap_err().to_string();
        assert!(refused.contains(method.name()) && refused.contains("method default"), "{refused}");
        assert!(plain(method).with_descriptors(Descriptors::default()).is_ok());
    }
    let taken = Descriptors::new([Parameter::real("y", 0.0, 1.0)]).unwrap();
    let refused = plain(Method::Default).with_descriptors(taken).unwrap_err().to_string();
    assert!(refused.contains("descriptor y: a parameter of the space has that name"), "{refused}");
    let begun = after(1, plain(Method::Default), |_| Description::new());
    assert!(begun.with_descriptors(descriptors()).is_err());
}
