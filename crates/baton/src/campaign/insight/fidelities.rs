//! What each fidelity cost, and how much it tells of the highest one.

use super::estimate::Estimate;
use super::importance::Importance;
use crate::model::Posterior;
use crate::policy::{Outcome, Trial, View};
use crate::shared::Fitted;
use serde::Serialize;

/// A fidelity in a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FidelityInsight {
    /// its name
    pub fidelity: String,
    /// its price
    pub cost: f64,
    /// trials that were told
    pub told: usize,
    /// trials that failed
    pub failed: usize,
    /// what all its trials were charged
    pub spent: f64,
    /// correlation with the highest fidelity at one point, as the model has learned it; not known before
    /// anything was told
    pub correlation: Option<f64>,
    /// how much of the variance of the highest fidelity over the space follows a straight line of this one
    pub explains: Option<Estimate>,
}

/// Of every fidelity, with what a model says where there is one.
pub(super) fn fidelities(
    view: &View<'_>,
    fitted: Option<&Fitted>,
    importance: Option<&Importance>,
) -> Vec<FidelityInsight> {
    let of_level = |level: usize| {
        let fidelity = &view.frame.fidelities[level];
        let trials = || view.trials.iter().filter(move |trial| trial.level == level);
        let ended = |with: fn(&Trial) -> bool| trials().filter(|trial| with(trial)).count();
        FidelityInsight {
            fidelity: fidelity.name.clone(),
            cost: fidelity.cost,
            told: ended(|trial| trial.value().is_some()),
            failed: ended(|trial| matches!(trial.outcome, Outcome::Failed { .. })),
            spent: trials().map(Trial::charge).sum(),
            correlation: fitted.map(|fitted| correlation(fitted, level)),
            explains: importance.map(|importance| importance.fidelities[level].explains),
        }
    };
    (0..view.frame.fidelities.len()).map(of_level).collect()
}

/// By the particles' weights.
fn correlation(fitted: &Fitted, level: usize) -> f64 {
    let of = |posterior: &Posterior| posterior.correlation_with_highest(level);
    fitted.posteriors.iter().zip(&fitted.weights).map(|(p, weight)| weight * of(p)).sum()
}
