//! `[space]` and `[descriptors]`: one parameter or descriptor per key; what is said of a task.

use super::section::{Section, integer, number};
use baton::{Description, Value};
use baton_runner::wanted::WantedParameter;
use serde_json::Number;
use toml::de::DeValue;

const FORMS: &str = "a parameter is { low = 0, high = 1 }, with step = 0.1, log = true or \
                     integer = true if need be, or { choices = [\"a\", \"b\"] }, with ordered = true \
                     if need be; when = \"optimizer = sgd\" says when it is there, fixed = 0.5 that it is not \
                     searched, and was = 0.5 what it was in earlier tasks that did not have it";
const FORBID: &str = "forbid";
const LINES: &str = "forbid = [\"x + y > 1.2\", \"solver = direct and cores > 8\"]";

/// What is forbidden of combinations of parameters: the key `forbid` of `[space]`, unless that is a
/// parameter, which is a table.
pub fn forbidden(section: &Section<'_>) -> Vec<String> {
    let Some(value) = section.raw(FORBID) else { return Vec::new() };
    let lines = match value.get_ref() {
        DeValue::Table(_) => return Vec::new(),
        DeValue::String(line) => Some(vec![line.to_string()]),
        DeValue::Array(lines) => {
            let text =
                |line: &toml::Spanned<DeValue<'_>>| line.get_ref().as_str().map(str::to_owned);
            lines.iter().map(text).collect()
        }
        _ => None,
    };
    if lines.is_none() {
        section.mistake_with_hint(
            value.span().start,
            "forbid must be a text or a list of texts",
            LINES,
        );
    }
    lines.unwrap_or_default()
}

/// The parameters or descriptors, in the order of the file.
pub fn parameters(section: &Section<'_>, what: &str) -> Vec<WantedParameter> {
    let mut entries = section.entries();
    entries.retain(|(name, value)| {
        *name != FORBID || what != "parameter" || value.get_ref().is_table()
    });
    if entries.is_empty() {
        let reason = format!("there is no {what} in the section");
        let reason = if what == "parameter" { "the space is empty" } else { reason.as_str() };
        section.mistake_with_hint(section.at, reason, FORMS);
    }
    let read = |(name, value): (&str, &toml::Spanned<DeValue<'_>>)| {
        let at = value.span().start;
        let Some(table) = value.get_ref().as_table() else {
            section.mistake_with_hint(at, format!("the {what} {name} is not a table"), FORMS);
            return None;
        };
        parameter(name, &section.inside(table, format!("{what} {name}"), at))
    };
    entries.into_iter().filter_map(read).collect()
}

/// The parameters that are new or otherwise from a task on.
pub fn changed(section: &Section<'_>) -> Vec<WantedParameter> {
    let only_forbids = section.entries().iter().all(|(name, _)| *name == FORBID);
    let forbids = section.raw(FORBID).is_some_and(|value| !value.get_ref().is_table());
    if only_forbids && forbids { Vec::new() } else { parameters(section, "parameter") }
}

/// What is said of a task: values of descriptors by their names.
pub fn said(section: &Section<'_>) -> Description {
    values(section, "describe")
}

/// Values by names, in a table that is called so.
pub fn values(section: &Section<'_>, title: &str) -> Description {
    let read = |(name, value): (&str, &toml::Spanned<DeValue<'_>>)| {
        let found = choice(value.get_ref());
        if found.is_none() {
            let reason = format!("{name} in {title} must be a number, a text, true or false");
            section.mistake(value.span().start, reason);
        }
        found.map(|found| (name.to_owned(), found))
    };
    section.entries().into_iter().filter_map(read).collect()
}

fn parameter(name: &str, part: &Section<'_>) -> Option<WantedParameter> {
    let choices = match part.list("choices") {
        None => None,
        Some(list) => {
            let choices: Option<Vec<Value>> =
                list.into_iter().map(|entry| choice(entry.get_ref())).collect();
            if choices.is_none() {
                part.mistake_in("choices", "choices must be numbers or texts");
            }
            Some(choices?)
        }
    };
    let truth = |key| part.truth(key) == Some(true);
    let wanted = WantedParameter {
        name: name.to_owned(),
        low: bound(part, "low"),
        high: bound(part, "high"),
        step: part.number("step"),
        log: truth("log"),
        integer: truth("integer"),
        choices,
        ordered: truth("ordered"),
        when: part.text("when"),
        fixed: value(part, "fixed"),
        was: value(part, "was"),
    };
    part.refuse_others();
    Some(wanted)
}

/// A value of the parameter.
fn value(part: &Section<'_>, key: &'static str) -> Option<Value> {
    let found = choice(part.raw(key)?.get_ref());
    if found.is_none() {
        part.mistake_in(key, format!("{key} must be a number, a text, true or false"));
    }
    found
}

/// A bound, whole if it is written so.
fn bound(part: &Section<'_>, key: &'static str) -> Option<Number> {
    let found = part.number(key)?;
    let whole = part.raw(key).and_then(|raw| integer(raw.get_ref()));
    whole.map(Number::from).or_else(|| Number::from_f64(found))
}

fn choice(value: &DeValue<'_>) -> Option<Value> {
    match value {
        DeValue::String(text) => Some(Value::Text(text.to_string())),
        DeValue::Boolean(flag) => Some(Value::Flag(*flag)),
        DeValue::Integer(_) => integer(value).map(Value::Integer),
        _ => number(value).map(Value::Real),
    }
}
