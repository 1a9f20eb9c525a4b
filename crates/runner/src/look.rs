//! What people want to see of a task: the point to use, and what the model knows along each parameter.

pub use crate::ended::stopped;

use crate::desk::{Expected, TaskResult};
use crate::error::Result;
use crate::records::Records;
use crate::replay::{Replay, description};
use baton::campaign::{Nearest, Sight};
use baton::shared::Verdict;
use baton::{Description, Space, Task, Value};
use baton_store::TaskRecord;

/// The recommendation that was kept when a task was finished.
pub fn kept_result(task: &TaskRecord) -> Option<Expected> {
    let result: TaskResult = serde_json::from_str(task.result.as_deref()?).ok()?;
    result.recommendation
}

/// What carried knowledge did for a task, judged when it was finished.
pub fn verdict(task: &TaskRecord) -> Option<Verdict> {
    let result: TaskResult = serde_json::from_str(task.result.as_deref()?).ok()?;
    result.verdict
}

/// The recommendation of a task: as it was when it was finished, or from its trials so far.
///
/// # Errors
/// If the task's records contradict each other or its model cannot be built.
pub fn recommendation(task: &TaskRecord, records: &Records) -> Result<Option<Expected>> {
    if let Some(expected) = kept_result(task) {
        return Ok(Some(expected));
    }
    let mut replay = Replay::of(records, task.number)?;
    Ok(replay.task.recommendation()?.map(Expected::from))
}

/// The same where descriptors differ from ask to ask: the point to use in a context.
///
/// # Errors
/// As [`recommendation`], and if the context names what is no descriptor, or a value that it cannot take.
pub fn recommendation_in(
    task: &TaskRecord,
    records: &Records,
    context: &Description,
) -> Result<Option<Expected>> {
    if context.is_empty() {
        return recommendation(task, records);
    }
    let mut replay = Replay::of(records, task.number)?;
    Ok(replay.task.recommendation_in(context)?.map(Expected::from))
}

/// The task that is the nearest one; `None` if it was learned of elsewhere.
pub fn nearest_task<'a>(nearest: &Nearest, records: &'a Records) -> Option<&'a TaskRecord> {
    let task = records.tasks.get(nearest.task as usize)?;
    let same = description(task).is_ok_and(|said| said == nearest.description);
    same.then_some(task)
}

/// What the model sees while one parameter varies and the others stay.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// name of the parameter
    pub parameter: String,
    /// its values
    pub at: Vec<Value>,
    /// per value, what is seen at each fidelity
    pub sights: Vec<Vec<Sight>>,
}

/// A slice per parameter that is there and searched, with up to `count` values each. None before anything
/// is known.
///
/// # Errors
/// If the point is not legal or the model cannot be built.
pub fn slices(task: &mut Task, space: &Space, through: &[Value], count: u32) -> Result<Vec<Slice>> {
    let centre = space.canonical(through)?;
    let mut points = Vec::new();
    let mut slices = Vec::new();
    for (i, parameter) in space.parameters().iter().enumerate() {
        if centre[i].is_absent() || parameter.fixed.is_some() {
            continue;
        }
        let at = parameter.domain.spread(count);
        points.extend(at.iter().map(|value| space.varied(&centre, i, value)));
        slices.push(Slice { parameter: parameter.name.clone(), at, sights: Vec::new() });
    }
    // All at once: what they have in common is computed once.
    let mut sights = task.sights(&points)?.into_iter();
    if sights.len() == 0 {
        return Ok(Vec::new());
    }
    for slice in &mut slices {
        slice.sights = sights.by_ref().take(slice.at.len()).collect();
    }
    Ok(slices)
}
