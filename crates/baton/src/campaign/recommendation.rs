//! The answer of a task: the point to use, and how good it should be.

use crate::acquisition::PosteriorMean;
use crate::error::Result;
use crate::policy::{View, posterior_maximum};
use crate::problem::Value;
use crate::shared::Fitted;
use serde::Serialize;

/// Half-width of a 90 % interval in standard deviations.
pub(super) const NINETY_PERCENT: f64 = 1.644_853_626_951_472_7;

/// The point with the best posterior mean of the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// one value per parameter
    pub point: Vec<Value>,
    /// the value of the truth to expect there, in the user's units
    pub mean: f64,
    /// a 90 % interval for it
    pub interval: (f64, f64),
}

/// The posterior maximum, with what to expect there.
pub(super) fn best_mean(view: &View<'_>, fitted: &Fitted) -> Result<Option<Recommendation>> {
    let Some(found) = posterior_maximum(view, fitted)? else { return Ok(None) };
    let point = view.space().point(&found.coordinates)?;
    // Of the point as it will be used: a value in the user's units is rounded once.
    let coordinates = view.space().coordinates(&point)?;
    expectation(fitted, &coordinates, point).map(Some)
}

/// What to expect at some points.
pub(super) fn expectations(
    view: &View<'_>,
    fitted: &Fitted,
    points: &[Vec<Value>],
) -> Result<Vec<Recommendation>> {
    let expectation = |point: &Vec<Value>| {
        let coordinates = view.space().coordinates(point)?;
        expectation(fitted, &coordinates, point.clone())
    };
    points.iter().map(expectation).collect()
}

/// The expected value at the highest fidelity at one point.
fn expectation(fitted: &Fitted, coordinates: &[f64], point: Vec<Value>) -> Result<Recommendation> {
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let moments = objective.moments(coordinates)?;
    let spread = NINETY_PERCENT * moments.variance.sqrt();
    let user = |z: f64| fitted.units.to_user(z);
    // To minimise turns the ends around.
    let ends = (user(moments.mean - spread), user(moments.mean + spread));
    let interval = (ends.0.min(ends.1), ends.0.max(ends.1));
    Ok(Recommendation { point, mean: user(moments.mean), interval })
}
