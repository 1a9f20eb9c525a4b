//! The point to use: of the incumbent and what was tried at the highest fidelity, the one whose 90 % interval
//! has the best lower end.
//!
//! A maximum that nobody has tried is what the model flatters most, above all where values are exact and
//! rough: it has to be better than what was tried by more than its uncertainty. Where noise is large, the
//! incumbent is known as well as its neighbours, and its mean decides.

use super::incumbent::posterior_maximum;
use super::view::View;
use crate::acquisition::{NINETY_PERCENT, Objective, PosteriorMean};
use crate::error::Result;
use crate::problem::Value;
use crate::shared::Fitted;
use baton_numerics::Mat;

/// So many of those that were tried compete, the ones with the best means.
const MOST: usize = 20;

/// `None` if nothing can be recommended. Where there are constraints, what was tried has to be likely enough to
/// keep them, and so has the incumbent if anything tried is.
pub(crate) fn point_to_use(view: &View<'_>, fitted: &Fitted) -> Result<Option<Vec<Value>>> {
    let Some(incumbent) = posterior_maximum(view, fitted)? else { return Ok(None) };
    let incumbent = view.space().point(&incumbent.coordinates)?;
    let mut competing = best_tried(view, fitted)?;
    let is_likely = likely(view, fitted, &[&incumbent])?[0];
    if competing.is_empty() || is_likely {
        competing.push(&incumbent);
    }
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let (mut best, mut highest) = (&incumbent, f64::NEG_INFINITY);
    for point in competing {
        let moments = objective.moments(&view.space().coordinates(point)?)?;
        let lower = moments.mean - NINETY_PERCENT * moments.variance.sqrt();
        if lower > highest {
            (best, highest) = (point, lower);
        }
    }
    Ok(Some(best.clone()))
}

/// Of what was told at the highest fidelity in this context, may be used, and is likely enough to keep all
/// constraints, that with the best means, each point once.
fn best_tried<'a>(view: &View<'a>, fitted: &Fitted) -> Result<Vec<&'a Vec<Value>>> {
    let told = view.trials.iter().filter(|trial| trial.value().is_some());
    let mut tried: Vec<&Vec<Value>> = Vec::new();
    for trial in told.filter(|trial| trial.level == view.top()) {
        let here = view.frame.place_of(&trial.context)? == view.frame.place;
        if here && view.space().forbids(&trial.point).is_none() {
            tried.push(&trial.point);
        }
    }
    if tried.is_empty() {
        return Ok(tried);
    }
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let means = objective.worth(columns(view, &tried)?.as_ref())?;
    let likely = likely(view, fitted, &tried)?;
    let mut order: Vec<usize> = (0..tried.len()).filter(|j| likely[*j]).collect();
    order.sort_by(|a, b| means[(view.top(), *b)].total_cmp(&means[(view.top(), *a)]));
    let mut best: Vec<&Vec<Value>> = order.into_iter().map(|j| tried[j]).collect();
    best.dedup(); // the same point has the same mean
    best.truncate(MOST);
    Ok(best)
}

/// Whether each point is likely enough to keep all constraints.
fn likely(view: &View<'_>, fitted: &Fitted, points: &[&Vec<Value>]) -> Result<Vec<bool>> {
    if view.limits.is_empty() {
        return Ok(vec![true; points.len()]);
    }
    let feasibility = view.feasibility(fitted, columns(view, points)?.as_ref())?;
    Ok(feasibility.into_iter().map(|likely| likely >= view.enough()).collect())
}

fn columns(view: &View<'_>, points: &[&Vec<Value>]) -> Result<Mat<f64>> {
    let places = points.iter().map(|point| view.space().coordinates(point));
    let places = places.collect::<Result<Vec<_>>>()?;
    Ok(Mat::from_fn(view.space().dimension(), places.len(), |i, j| places[j][i]))
}
