//! A task as it was, from its records: the same settings, knowledge and trials give the same bits.

use crate::error::{Result, RunnerError};
use crate::records::Records;
use baton::{Campaign, Task};
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
        let campaign = records.spec.campaign(record.knowledge.as_deref())?;
        let task = campaign.start(record.began_with)?;
        let mut replay = Self { campaign, task };
        replay.follow(records, record)?;
        Ok(replay)
    }

    /// Brings the task up to date.
    ///
    /// # Errors
    /// If its records contradict each other.
    pub fn follow(&mut self, records: &Records, record: &TaskRecord) -> Result<()> {
        self.task.follow(&records.trials(record.number))?;
        let extension = record.budget - self.task.budget();
        if extension > 0.0 {
            self.task.extend_budget(extension)?;
        }
        Ok(())
    }
}
