//! `[space]`: one parameter per key.

use super::section::{Found, Section, integer, number};
use baton::problem::Domain;
use baton::{Parameter, Space, Value};
use toml::de::DeValue;

const FORMS: &str = "a parameter is { low = 0, high = 1 }, with step = 0.1, log = true or \
                     integer = true if need be, or { choices = [\"a\", \"b\"] }, with ordered = true \
                     if need be";

/// The space, if all its parameters can be used.
pub fn space(section: &Section<'_>) -> Option<Space> {
    let mut parameters = Vec::new();
    let entries = section.entries();
    if entries.is_empty() {
        section.mistake_with_hint(section.at, "the space is empty", FORMS);
    }
    let count = entries.len();
    for (name, value) in entries {
        let at = value.span().start;
        let Some(table) = value.get_ref().as_table() else {
            section.mistake_with_hint(at, format!("the parameter {name} is not a table"), FORMS);
            continue;
        };
        let part = section.inside(table, format!("parameter {name}"), at);
        let Some(domain) = domain(&part) else { continue };
        let parameter = Parameter { name: name.to_owned(), domain };
        // One at a time, so that each mistake is found.
        match Space::new([parameter.clone()]) {
            Ok(_) => parameters.push(parameter),
            Err(error) => section.mistake(at, error.to_string()),
        }
    }
    if parameters.len() < count {
        return None;
    }
    Space::new(parameters).ok()
}

fn domain(part: &Section<'_>) -> Option<Domain> {
    let (low, high, step) = (bound(part, "low"), bound(part, "high"), part.number("step"));
    let (log, whole) = (part.truth("log"), part.truth("integer"));
    let (choices, ordered) = (part.list("choices"), part.truth("ordered"));
    part.refuse_others();
    if let Some(choices) = choices {
        let others = [&low, &high].map(|bound| bound.as_ref().map(|(found, _)| found.at));
        let others = others.into_iter().chain([step.map(|s| s.at), log.map(|l| l.at)]).flatten();
        for at in others {
            part.mistake(at, "a parameter with choices has no low, high, step or log");
        }
        let values: Option<Vec<Value>> =
            choices.value.iter().map(|entry| choice(entry.get_ref())).collect();
        let Some(choices_) = values else {
            part.mistake(choices.at, "choices must be numbers or texts");
            return None;
        };
        let ordered = ordered.is_some_and(|ordered| ordered.value);
        return Some(if ordered {
            Domain::Ordered { choices: choices_ }
        } else {
            Domain::Choice { choices: choices_ }
        });
    }
    if let Some(ordered) = ordered {
        part.mistake(ordered.at, "only choices can be ordered");
    }
    let (Some((low, low_whole)), Some((high, high_whole))) = (low, high) else {
        part.mistake_with_hint(part.at, "low and high, or choices, are needed", FORMS);
        return None;
    };
    let log = log.is_some_and(|log| log.value);
    match (step, whole.is_some_and(|whole| whole.value)) {
        (Some(step), false) => {
            if log {
                part.mistake(step.at, "steps on a log scale are not possible");
            }
            Some(Domain::Stepped { low: low.value, high: high.value, step: step.value })
        }
        (Some(step), true) => {
            part.mistake(step.at, "integer = true means a step of 1; leave one of them out");
            None
        }
        (None, true) => {
            let (Some(low), Some(high)) = (low_whole, high_whole) else {
                part.mistake(part.at, "integer = true needs whole numbers for low and high");
                return None;
            };
            Some(Domain::Integer { low, high, log })
        }
        (None, false) => Some(Domain::Real { low: low.value, high: high.value, log }),
    }
}

/// A bound, and as a whole number if it is written as one.
fn bound(part: &Section<'_>, key: &'static str) -> Option<(Found<f64>, Option<i64>)> {
    let whole = part.raw(key).and_then(|raw| integer(raw.get_ref()));
    part.number(key).map(|found| (found, whole))
}

fn choice(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Integer(_) => integer(value).map(Value::Integer),
        _ => number(value).map(Value::Real),
    }
}
