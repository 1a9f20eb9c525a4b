//! What is told of tasks in the file besides their problem: when they end early, and where good points are believed
//! to lie.

use super::section::{Section, number};
use super::space::values;
use baton::{Guess, Stop};
use std::collections::BTreeMap;

/// `stop = { gain = 0.01, confidence = 0.9 }`
pub fn stop(section: &Section<'_>) -> Option<Stop> {
    let inside = section.section("stop")?;
    let mut stop = Stop::default();
    for (key, share) in [("gain", &mut stop.gain), ("confidence", &mut stop.confidence)] {
        match inside.number(key).map(TryInto::try_into) {
            Some(Ok(given)) => *share = given,
            Some(Err(reason)) => inside.mistake_in(key, format!("{key} in [stop]: {reason}")),
            None => {}
        }
    }
    inside.refuse_others();
    Some(stop)
}

/// `guess = { point = { x = 0.3 }, within = { x = 0.1 } }`, or a list of such.
pub fn guesses(section: &Section<'_>) -> Vec<Guess> {
    let is_one = section.raw("guess").is_some_and(|value| value.get_ref().as_table().is_some());
    let all: Vec<Section<'_>> = if is_one {
        section.section("guess").into_iter().collect()
    } else {
        section.sections("guess")
    };
    let read = all.into_iter().map(|one| {
        if one.raw("point").is_none() {
            one.missing("point", "values of some parameters: guess = { point = { x = 0.3 } }");
        }
        let point =
            one.section("point").map_or_else(BTreeMap::new, |point| values(&point, "point"));
        let within = one.section("within").map_or_else(BTreeMap::new, |within| numbers(&within));
        one.refuse_others();
        Guess { point, within }
    });
    read.collect()
}

fn numbers(section: &Section<'_>) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    for (key, value) in section.entries() {
        match number(value.get_ref()) {
            Some(number) => drop(all.insert(key.to_owned(), number)),
            None => {
                section.mistake(value.span().start, format!("{key} in [within] must be a number"));
            }
        }
    }
    all
}
