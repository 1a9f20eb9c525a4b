//! What the page opens with: for each task the point to use, what to expect of it, and what transfer did.

use super::super::look::likely;
use super::super::show::{named, short, value};
use baton::Value;
use baton_runner::Records;
use baton_runner::desk::Expected;
use baton_runner::look::verdict;
use baton_runner::replay::description;
use baton_store::{TaskRecord, TaskState, TrialRecord};

/// A task's heading and sentences, as HTML.
pub fn of_task(
    task: &TaskRecord,
    records: &Records,
    expected: Option<&Expected>,
    trouble: Option<&str>,
) -> String {
    let name = escape(&task.name);
    let words = escape(&sentences(task, records, expected, trouble).join(" "));
    let about = match described(task, records) {
        said if said.is_empty() => String::new(),
        said => format!("<p class=\"soft\">{}</p>\n", escape(&said)),
    };
    format!("<h3>{name}</h3>\n{about}<p>{words}</p>\n")
}

/// What is said of a task, in the order of the campaign's descriptors.
fn described(task: &TaskRecord, records: &Records) -> String {
    let said = description(task).unwrap_or_default();
    let names = records.spec.descriptors.parameters().iter().map(|of| &of.name);
    let named = names.filter_map(|name| Some(format!("{name}={}", value(said.get(name)?))));
    named.collect::<Vec<String>>().join(", ")
}

fn sentences(
    task: &TaskRecord,
    records: &Records,
    expected: Option<&Expected>,
    trouble: Option<&str>,
) -> Vec<String> {
    let mut told = vec![match (expected, trouble) {
        (Some(expected), _) => to_use(expected, task, records),
        (None, Some(trouble)) => {
            format!("Nothing is recommended: {trouble}. {}", capital(&seen(task, records)))
        }
        (None, None) => "Nothing was told yet.".into(),
    }];
    told.extend(transfer(task));
    match task.state {
        TaskState::Paused => {
            told.push(format!("The task is paused: {}.", task.reason.as_deref().unwrap_or("")));
        }
        TaskState::Open => told.push("The task is under way.".into()),
        TaskState::Finished => {}
    }
    told
}

fn to_use(expected: &Expected, task: &TaskRecord, records: &Records) -> String {
    let Expected { point, mean, interval: (low, high), feasible } = expected;
    let (mean, low, high) = (short(*mean), short(*low), short(*high));
    let at = place(task, records, point);
    let keeps = match records.constraints_of(task.number) {
        [] => String::new(),
        constraints => format!(", feasible ({})", likely(*feasible, constraints)),
    };
    let value = format!("Use {at}: expected {mean} (90 % between {low} and {high}){keeps}");
    let top = records.fidelities_of(task.number).len() - 1;
    let at_top = |record: &TrialRecord| record.trial.level == top && record.trial.value().is_some();
    let evaluated = |record: &TrialRecord| at_top(record) && record.trial.point == *point;
    if records.trials_of(task.number).iter().any(evaluated) {
        format!("{value}. {}", capital(&seen(task, records)))
    } else {
        format!("{value}, not evaluated at the highest fidelity; {}", seen(task, records))
    }
}

fn seen(task: &TaskRecord, records: &Records) -> String {
    let best = records.best(task.number).map(|record| &record.trial);
    match best.and_then(|trial| trial.value().map(|value| (trial, value))) {
        Some((trial, value)) => {
            format!("best seen {} at {}.", short(value), place(task, records, &trial.point))
        }
        None if records.constraints_of(task.number).is_empty() => {
            "no value was seen at the highest fidelity yet.".into()
        }
        None => "nothing seen at the highest fidelity is known to be feasible.".into(),
    }
}

/// What earlier tasks did for this one; nothing where the method does not judge that.
fn transfer(task: &TaskRecord) -> Option<String> {
    match (verdict(task), &task.knowledge, task.state) {
        (Some(verdict), ..) => Some(format!("What earlier tasks taught {}.", verdict.brief())),
        (None, None, _) => Some("It started from nothing.".into()),
        (None, Some(_), TaskState::Finished) => None,
        (None, Some(_), _) => {
            Some("What earlier tasks taught is judged when the task is finished.".into())
        }
    }
}

fn place(task: &TaskRecord, records: &Records, point: &[Value]) -> String {
    named(records.space_of(task.number), point).join(", ")
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A text as HTML; a brace in it is no place of the page to be filled.
pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('{', "&#123;")
}
