//! The point to use: of the incumbent and all that was tried at the highest fidelity, the one whose 90 %
//! interval has the best lower end.
//!
//! A maximum that nobody has tried is what the model flatters most, above all where values are exact and
//! rough: it has to be better than what was tried by more than its uncertainty. Where noise is large, the
//! incumbent is known as well as its neighbours, and its mean decides.

use super::incumbent::posterior_maximum;
use super::view::View;
use crate::acquisition::{Objective, PosteriorMean};
use crate::error::Result;
use crate::shared::Fitted;
use baton_numerics::Mat;

/// Half-width of a 90 % interval in standard deviations.
const NINETY_PERCENT: f64 = 1.644_853_626_951_472_7;
/// So many of those that were tried compete, the ones with the best means.
const MOST: usize = 20;

/// Coordinates of the point to use; `None` if nothing can be recommended. Where there are constraints,
/// what was tried has to be likely enough to keep them, and so has the incumbent if anything tried is.
pub(crate) fn point_to_use(view: &View<'_>, fitted: &Fitted) -> Result<Option<Vec<f64>>> {
    let Some(incumbent) = posterior_maximum(view, fitted)? else { return Ok(None) };
    let mut all = best_tried(view, fitted)?;
    all.push(incumbent.coordinates);
    let points = Mat::from_fn(view.space().dimension(), all.len(), |i, j| all[j][i]);
    let feasibility = view.feasibility(fitted, points.as_ref())?;
    let likely = |j: &usize| view.limits.is_empty() || feasibility[*j] >= view.enough();
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let mut best = (all.len() - 1, f64::NEG_INFINITY);
    for j in (0..all.len()).filter(likely) {
        let moments = objective.moments(&all[j])?;
        let lower = moments.mean - NINETY_PERCENT * moments.variance.sqrt();
        if lower > best.1 {
            best = (j, lower);
        }
    }
    Ok(Some(all.swap_remove(best.0)))
}

/// Of what was told at the highest fidelity, in this context, and may be used, that with the best means.
fn best_tried(view: &View<'_>, fitted: &Fitted) -> Result<Vec<Vec<f64>>> {
    let told = view.trials.iter().filter(|trial| trial.value().is_some());
    let mut tried: Vec<Vec<f64>> = Vec::new();
    for trial in told.filter(|trial| trial.level == view.top()) {
        let here = view.frame.place_of(&trial.context)? == view.frame.place;
        if here && view.space().forbids(&trial.point).is_none() {
            tried.push(view.space().coordinates(&trial.point)?);
        }
    }
    let points = Mat::from_fn(view.space().dimension(), tried.len(), |i, j| tried[j][i]);
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let means = objective.worth(points.as_ref())?;
    let mut order: Vec<usize> = (0..tried.len()).collect();
    order.sort_by(|a, b| means[(view.top(), *b)].total_cmp(&means[(view.top(), *a)]));
    Ok(order.into_iter().take(MOST).map(|j| tried[j].clone()).collect())
}
