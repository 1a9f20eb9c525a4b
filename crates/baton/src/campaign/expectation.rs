//! What the model of a task expects, for people: the point to use, values at given points, and at every
//! fidelity what a trial there would buy. No part of an ask.

use crate::acquisition::{NINETY_PERCENT, PosteriorMean};
use crate::error::Result;
use crate::policy::{Bought, Context, View, point_to_use};
use crate::problem::Value;
use crate::shared::Fitted;
use baton_numerics::{Mat, MatRef, parallel};
use serde::Serialize;

/// The point to use: of the posterior maximum and all that was tried at the highest fidelity, the one whose
/// interval has the best lower end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// one value per parameter
    pub point: Vec<Value>,
    /// the value of the truth to expect there, in the user's units
    pub mean: f64,
    /// a 90 % interval for it
    pub interval: (f64, f64),
    /// how likely it is to keep all constraints; `None` where there are none
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<f64>,
    /// what to expect of each quantity that has to keep bounds, as far as it was ever measured
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Expected>,
}

/// What to expect of a quantity that has to keep bounds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Expected {
    /// its name
    pub name: String,
    /// the value to expect, in the user's units
    pub mean: f64,
    /// a 90 % interval for it
    pub interval: (f64, f64),
    /// how likely it is to keep its bounds
    pub holds: f64,
}

/// The point to use, with what to expect there.
pub(super) fn best_mean(view: &View<'_>, fitted: &Fitted) -> Result<Option<Recommendation>> {
    let Some(point) = point_to_use(view, fitted)? else { return Ok(None) };
    // Of the point as it will be used: a value in the user's units is rounded once.
    let coordinates = view.space().coordinates(&point)?;
    expectation(view, fitted, &coordinates, point).map(Some)
}

/// What to expect at some points.
pub(super) fn expectations(
    view: &View<'_>,
    fitted: &Fitted,
    points: &[Vec<Value>],
) -> Result<Vec<Recommendation>> {
    let expectation = |point: &Vec<Value>| {
        let coordinates = view.space().coordinates(point)?;
        expectation(view, fitted, &coordinates, point.clone())
    };
    points.iter().map(expectation).collect()
}

/// The expected value at the highest fidelity at one point.
fn expectation(
    view: &View<'_>,
    fitted: &Fitted,
    coordinates: &[f64],
    point: Vec<Value>,
) -> Result<Recommendation> {
    let (mean, interval) = expected(fitted, coordinates)?;
    let column = MatRef::from_column_major_slice(coordinates, coordinates.len(), 1);
    let known = view.limits.iter().map(|limit| {
        let (mean, interval) = expected(limit.fitted, coordinates)?;
        let holds = View { limits: &[*limit], ..*view }.feasibility(fitted, column)?[0];
        Ok(Expected { name: limit.constraint.name.clone(), mean, interval, holds })
    });
    let constraints = known.collect::<Result<Vec<_>>>()?;
    let feasible =
        if constraints.is_empty() { None } else { Some(view.feasibility(fitted, column)?[0]) };
    Ok(Recommendation { point, mean, interval, feasible, constraints })
}

/// The expected value of an output at the highest fidelity, and a 90 % interval for it.
fn expected(fitted: &Fitted, coordinates: &[f64]) -> Result<(f64, (f64, f64))> {
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let moments = objective.moments(coordinates)?;
    Ok(to_user(fitted, moments.mean, moments.variance))
}

/// An expected value and a 90 % interval for it, in the user's units.
fn to_user(fitted: &Fitted, mean: f64, variance: f64) -> (f64, (f64, f64)) {
    let spread = NINETY_PERCENT * variance.sqrt();
    let user = |z: f64| fitted.units.to_user(z);
    // To minimise turns the ends around.
    let ends = (user(mean - spread), user(mean + spread));
    (user(mean), (ends.0.min(ends.1), ends.0.max(ends.1)))
}

/// What is seen at one point and fidelity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sight {
    /// the expected value, in the user's units
    pub mean: f64,
    /// a 90 % interval for it
    pub interval: (f64, f64),
    /// nats that the next trial would be expected to buy here
    pub nats: Bought,
    /// what those are worth by the criterion of the next ask, per unit of cost
    pub rate: f64,
}

/// What is seen at some points: a list per point, with one entry per fidelity.
pub(super) fn seen(
    view: &View<'_>,
    fitted: &Fitted,
    points: &[Vec<Value>],
) -> Result<Vec<Vec<Sight>>> {
    let dimension = view.space().dimension();
    let mut coordinates = Vec::with_capacity(dimension * points.len());
    for point in points {
        coordinates.extend(view.space().coordinates(point)?);
    }
    let places = MatRef::from_column_major_slice(&coordinates, dimension, points.len());
    let context = Context::of(view, fitted, &view.next_aim(fitted))?;
    let nats = context.acquisition()?.nats(places)?;
    let (means, variances) = moments(fitted, places)?;
    let weights = context.criterion;
    let sight = |level: usize, j: usize| {
        let (mean, interval) = to_user(fitted, means[(level, j)], variances[(level, j)]);
        let nats = Bought {
            optimum: nats.optimum[(level, j)],
            transfer: nats.transfer[(level, j)],
            ..Bought::default()
        };
        let worth = weights.optimum_weight * nats.optimum + weights.beta * nats.transfer;
        Sight { mean, interval, nats, rate: worth / view.frame.fidelities[level].cost }
    };
    let levels = view.frame.fidelities.len();
    let of_point = |j: usize| (0..levels).map(|level| sight(level, j)).collect();
    Ok((0..places.ncols()).map(of_point).collect())
}

/// Mean and variance per level and point, over particles and functions, in the surrogate's units.
fn moments(fitted: &Fitted, places: MatRef<'_, f64>) -> Result<(Mat<f64>, Mat<f64>)> {
    let posteriors = &fitted.posteriors;
    let all = parallel::map(posteriors.len(), |v| posteriors[v].predict(places));
    let all = all.into_iter().collect::<Result<Vec<_>>>()?;
    let levels = posteriors.first().map_or(0, |posterior| posterior.surrogate().levels());
    let over = |of: &dyn Fn(usize) -> f64| -> f64 {
        fitted.weights.iter().enumerate().map(|(v, weight)| weight * of(v)).sum()
    };
    let mean = Mat::from_fn(levels, places.ncols(), |m, j| over(&|v| all[v].mean[(m, j)]));
    let variance = Mat::from_fn(levels, places.ncols(), |m, j| {
        let between = |v: usize| (all[v].mean[(m, j)] - mean[(m, j)]).powi(2);
        over(&|v| all[v].variance[(m, j)] + between(v)).max(0.0)
    });
    Ok((mean, variance))
}
