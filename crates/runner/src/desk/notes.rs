//! What people note about tasks and trials: attributes by name, which the algorithm never looks at.

use super::Desk;
use crate::error::{Result, RunnerError};
use serde_json::{Map, Value as Json};

/// Attributes may take this many bytes: they are notes, not results.
const LARGEST: usize = 64 * 1024;

/// Attributes as they are kept; none if there are none, or they cannot be understood.
pub fn attributes(text: Option<&str>) -> Map<String, Json> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

impl Desk {
    /// Sets attributes of a task, or of one of its trials; those set to null are taken away. Returns
    /// what there is then.
    ///
    /// # Errors
    /// If there is no such task or trial, or there is too much of it.
    pub fn annotate(
        &mut self,
        (task, trial): (u32, Option<usize>),
        changes: Map<String, Json>,
    ) -> Result<Map<String, Json>> {
        self.refresh()?;
        let known = match trial {
            None => self.records.tasks.get(task as usize).map(|task| task.attributes.as_deref()),
            Some(trial) => {
                self.records.trials_of(task).get(trial).map(|trial| trial.attributes.as_deref())
            }
        };
        let mut now = attributes(known.flatten());
        now.extend(changes);
        now.retain(|_, value| !value.is_null());
        let text = Json::Object(now.clone()).to_string();
        if text.len() > LARGEST {
            let reason = format!("attributes of {} bytes are more than {LARGEST}", text.len());
            return Err(RunnerError::refused(reason));
        }
        let kept = (!now.is_empty()).then_some(text.as_str());
        self.store.annotate(self.name(), (task, trial), kept)?;
        self.refresh()?;
        Ok(now)
    }
}
