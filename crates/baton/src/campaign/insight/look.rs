//! The insight into a task: all of it at once, or how far it is to be trusted alone.

use super::draws::Draws;
use super::fidelities::{FidelityInsight, fidelities};
use super::importance::{Importance, importance};
use super::still::{StillToGain, still_to_gain};
use super::trust::{Trust, trust};
use crate::campaign::expectation::{Recommendation, best_mean};
use crate::campaign::task::Task;
use crate::error::Result;
use serde::Serialize;

/// What a task taught.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Insight {
    /// which parameters matter; not known before anything was told or handed over
    pub importance: Option<Importance>,
    /// how far intervals were to be trusted; not known before anything was told
    pub trust: Option<Trust>,
    /// what each fidelity cost and tells, the highest last
    pub fidelities: Vec<FidelityInsight>,
    /// what is still to be gained; not known before anything was told at the highest fidelity
    pub still_to_gain: Option<StillToGain>,
}

impl Task {
    /// What the task has taught so far. Asks for nothing, and changes no later ask.
    ///
    /// # Errors
    /// If the model cannot be built from these observations.
    pub fn insight(&mut self) -> Result<Insight> {
        if self.observations()?.is_empty() && !self.frame().carries() {
            let fidelities = self.with_view(|view| fidelities(view, None, None))?;
            return Ok(Insight { importance: None, trust: None, fidelities, still_to_gain: None });
        }
        self.with_model(|view, fitted| {
            let draws = Draws::of(view, fitted)?;
            let best: Option<Recommendation> = best_mean(view, fitted)?;
            let importance = best.map(|best| importance(view, &draws, &best.point)).transpose()?;
            let trust = trust(view, fitted)?;
            let fidelities = fidelities(view, Some(fitted), importance.as_ref());
            let still_to_gain = still_to_gain(view, fitted)?;
            Ok(Insight { importance, trust, fidelities, still_to_gain })
        })
    }

    /// How far intervals were to be trusted, alone: quicker by far.
    ///
    /// # Errors
    /// As [`Task::insight`].
    pub fn trust(&mut self) -> Result<Option<Trust>> {
        if self.observations()?.is_empty() {
            return Ok(None);
        }
        self.with_model(trust)
    }
}
