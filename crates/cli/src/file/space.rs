//! `[space]`: one parameter per key.

use super::section::{Found, Section, integer, number};
use baton::Value;
use baton_runner::wanted::WantedParameter;
use serde_json::Number;
use toml::de::DeValue;

const FORMS: &str = "a parameter is { low = 0, high = 1 }, with step = 0.1, log = true or \
                     integer = true if need be, or { choices = [\"a\", \"b\"] }, with ordered = true \
                     if need be";

/// The parameters, each with its table.
pub fn parameters<'a>(section: &Section<'a>) -> Vec<(WantedParameter, Section<'a>)> {
    let entries = section.entries();
    if entries.is_empty() {
        section.mistake_with_hint(section.at, "the space is empty", FORMS);
    }
    let read = |(name, value): (&str, &'a toml::Spanned<DeValue<'a>>)| {
        let at = value.span().start;
        let Some(table) = value.get_ref().as_table() else {
            section.mistake_with_hint(at, format!("the parameter {name} is not a table"), FORMS);
            return None;
        };
        let part = section.inside(table, format!("parameter {name}"), at);
        Some((parameter(name, &part)?, part))
    };
    entries.into_iter().filter_map(read).collect()
}

fn parameter(name: &str, part: &Section<'_>) -> Option<WantedParameter> {
    let choices = part.list("choices").map(|Found { value, at }| {
        let choices: Option<Vec<Value>> =
            value.iter().map(|entry| choice(entry.get_ref())).collect();
        if choices.is_none() {
            part.mistake(at, "choices must be numbers or texts");
        }
        choices
    });
    let truth = |key| part.truth(key).is_some_and(|found| found.value);
    let wanted = WantedParameter {
        name: name.to_owned(),
        low: bound(part, "low"),
        high: bound(part, "high"),
        step: part.number("step").map(|found| found.value),
        log: truth("log"),
        integer: truth("integer"),
        choices: match choices {
            Some(choices) => Some(choices?.iter().map(Into::into).collect()),
            None => None,
        },
        ordered: truth("ordered"),
    };
    part.refuse_others();
    Some(wanted)
}

/// A bound, whole if it is written so.
fn bound(part: &Section<'_>, key: &'static str) -> Option<Number> {
    let found = part.number(key)?;
    let whole = part.raw(key).and_then(|raw| integer(raw.get_ref()));
    whole.map(Number::from).or_else(|| Number::from_f64(found.value))
}

fn choice(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Integer(_) => integer(value).map(Value::Integer),
        _ => number(value).map(Value::Real),
    }
}
