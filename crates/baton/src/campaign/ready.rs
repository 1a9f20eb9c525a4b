//! An ask that was computed in advance, and what it was computed from.

use crate::policy::{Proposal, Trial};

/// What the next ask will be, if nothing changes until then.
#[derive(Debug)]
pub(super) struct Ready {
    trials: Vec<Trial>,
    budget: f64,
    pub proposal: Option<Proposal>,
}

impl Ready {
    pub(super) fn new(trials: &[Trial], budget: f64, proposal: Option<Proposal>) -> Self {
        Self { trials: trials.to_vec(), budget, proposal }
    }

    /// Whether it was computed from these.
    pub(super) fn is_of(&self, trials: &[Trial], budget: f64) -> bool {
        self.budget == budget && self.trials == trials
    }
}
