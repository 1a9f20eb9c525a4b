//! Which task of a campaign is meant: whether it is its turn, and the task itself.

use crate::gate::compute;
use baton_runner::replay::Replay;
use baton_runner::{Desk, Records, RunnerError};
use baton_store::TaskState;

type Result<T> = std::result::Result<T, RunnerError>;

pub fn refused(reason: impl Into<String>) -> RunnerError {
    RunnerError::Refused { reason: reason.into() }
}

/// Whether it is this task's turn; its number if it is finished.
pub fn in_order(records: &Records, name: &str) -> Result<Option<u32>> {
    let begun = records.tasks.iter().find(|task| task.name == name);
    if let Some(task) = begun.filter(|task| task.state == TaskState::Finished) {
        return Ok(Some(task.number));
    }
    let present = records.present().map(|task| task.name.as_str());
    match present.or_else(|| records.next().map(|plan| plan.name.as_str())) {
        Some(first) if first == name => Ok(None),
        Some(first) => {
            Err(refused(format!("the task {first:?} comes before {name:?} and is not finished")))
        }
        None => Err(refused(format!("the campaign has no task {name:?}"))),
    }
}

/// Works with a task: the one under way as it is at hand, others replayed from their records.
pub fn with_task<T: Send>(
    desk: &mut Desk,
    number: u32,
    work: impl FnOnce(&mut baton::Task) -> baton::Result<T> + Send,
) -> Result<T> {
    let record = desk.records().tasks.get(number as usize);
    let under_way = record.is_some_and(|record| record.state != TaskState::Finished);
    compute(|| {
        if under_way && let Some(replay) = desk.task()? {
            return Ok(work(&mut replay.task)?);
        }
        Ok(work(&mut Replay::of(desk.records(), number)?.task)?)
    })
}
