//! A task as it was, from its records: the same settings, knowledge and trials give the same bits.

use crate::error::{Result, RunnerError};
use crate::records::Records;
use baton::{Campaign, Description, Task};
use baton_store::TaskRecord;

/// A task with the campaign it belongs to, as it was when the task began.
#[derive(Debug, Clone)]
pub struct Replay {
    /// knows what the task began with
    pub campaign: Campaign,
    /// up to date with its records
    pub task: Task,
}

impl Replay {
    /// The task of that number, whether finished or under way.
    ///
    /// # Errors
    /// If there is no such task, or its records contradict each other.
    pub fn of(records: &Records, number: u32) -> Result<Self> {
        let Some(record) = records.tasks.get(number as usize) else {
            return Err(RunnerError::refused(format!("task {} has not begun", number + 1)));
        };
        let problem = records.problem_of(number);
        let campaign = records.spec.campaign_over(&problem, record.knowledge.as_deref())?;
        let task = campaign.start_described(record.began_with, &description(record)?)?;
        let mut replay = Self { campaign, task };
        if let Some(plan) = records.plan_of(&record.name) {
            replay.task.guess(&plan.guess)?;
        }
        replay.follow(records, record)?;
        Ok(replay)
    }

    /// Brings the task up to date.
    ///
    /// # Errors
    /// If its records contradict each other.
    pub fn follow(&mut self, records: &Records, record: &TaskRecord) -> Result<()> {
        self.task.follow(&records.trials(record.number).collect::<Vec<_>>())?;
        self.task.stop_when(records.stop_of(&record.name));
        let extension = record.budget - self.task.budget();
        if extension > 0.0 {
            self.task.extend_budget(extension)?;
        }
        Ok(())
    }
}

/// What was said of a task when it began.
///
/// # Errors
/// If its record cannot be understood.
pub fn description(record: &TaskRecord) -> Result<Description> {
    let Some(text) = &record.described else { return Ok(Description::new()) };
    serde_json::from_str(text).map_err(|error| {
        let name = &record.name;
        RunnerError::refused(format!("the description of the task {name:?}: {error}"))
    })
}

/// The same as it is kept; nothing if nothing is said.
pub(crate) fn described_text(description: &Description) -> Result<Option<String>> {
    if description.is_empty() {
        return Ok(None);
    }
    let text = serde_json::to_string(description);
    text.map(Some).map_err(|error| RunnerError::refused(error.to_string()))
}
