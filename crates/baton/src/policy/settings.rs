//! Which rules choose trials, and how much they may spend.

use crate::problem::{Count, Share};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is made of failed trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Failures {
    /// the same point is not asked for again
    #[default]
    Avoid,
    /// where evaluations fail is learned like a constraint, here and for later tasks
    Learn,
}

/// How trials are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PolicySettings {
    /// size of the first design; by default it follows from the space and the budget
    pub initial: Option<Count<0>>,
    /// whether failed trials count against the budget
    pub charge_failed: bool,
    /// tasks in all; 0 if unknown; for methods that explore
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horizon: Option<u32>,
    /// share of the trials of the second and third task that look for better basins; less later
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explore: Option<Share>,
    /// how likely the recommended point has to keep all constraints
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<Share>,
    /// how likely every point that is asked for at the highest fidelity has to; where nothing is that likely,
    /// any may be, unless it is half or more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub safe: Option<Share>,
    /// what is made of failed trials
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failures: Option<Failures>,
    /// every other rule of the method by its name: whether it is in the list
    #[serde(flatten)]
    pub rules: BTreeMap<String, bool>,
}

impl PolicySettings {
    /// Nothing but the first design and information.
    pub(crate) fn plain() -> Self {
        let rules = BTreeMap::new();
        let (feasible, safe, failures) = (None, None, None);
        let (initial, horizon, explore) = (None, None, None);
        Self { initial, charge_failed: true, horizon, explore, feasible, safe, failures, rules }
    }

    /// Whether no task comes after task `number`, from 0, as far as is known.
    pub(crate) fn is_last(&self, number: u32) -> bool {
        self.horizon.is_some_and(|tasks| tasks > 0 && number + 1 >= tasks)
    }

    /// Whether a rule is in the list.
    pub(crate) fn has(&self, rule: &str) -> bool {
        self.rules.get(rule).is_none_or(|is_in| *is_in)
    }
}
