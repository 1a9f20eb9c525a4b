//! What is handed on of the function that tasks share, and how far it is trusted.

use crate::problem::Share;
use serde::{Deserialize, Serialize};

/// What is handed on of the function that tasks share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Function {
    /// nothing: a task's model knows its own observations only
    None,
    /// equivalent observations, so that the cost per ask does not grow with the number of tasks
    Compact,
    /// the data of all tasks
    Exact,
}

/// From task to task.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TransferSettings {
    /// what is handed on of the function
    pub function: Function,
    /// whether what was handed over has to prove itself against a cold start
    pub guard: bool,
    /// how far the function moves from task to task, as a share of the cube's side; 0: not at all
    pub drift: Share,
}

impl TransferSettings {
    /// Nothing but `theta`.
    pub(crate) fn none() -> Self {
        let drift = Share::literal(0.0);
        Self { function: Function::None, guard: true, drift }
    }

    /// The function too, as equivalent observations.
    pub(crate) fn compact() -> Self {
        Self { function: Function::Compact, drift: Share::literal(0.1), ..Self::none() }
    }

    pub(crate) fn carries_function(&self) -> bool {
        self.function != Function::None
    }
}
