//! The incumbent, its basin, and what lies outside.
//!
//! The incumbent is the point with the best posterior mean at the highest fidelity.
//! `x` lies in the basin of the incumbent `x^` if it is within a length scale of `x^`, or if it is higher
//! than a good part of the way from the plain to `x^` and the posterior mean does not fall on the way there.

use super::limit::Limit;
use super::view::View;
use crate::acquisition::{Candidates, Found, Objective, PosteriorMean, Search, candidates_by};
use crate::error::Result;
use crate::model::Posterior;
use crate::problem::Link;
use crate::shared::Fitted;
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, MatRef};

/// Places between a point and the incumbent at which the mean is looked at.
const WAYPOINTS: usize = 3;
/// Lower than this share of the incumbent's height above the plain, a point is on no hill.
const FOOT: f64 = 0.15;
/// The outside is worth a look if it has some candidates,
const LEAST_OUTSIDE: usize = 16;
/// this share of the space,
const OPEN: f64 = 0.5;
/// and a chance (one of the draws of its maximum) to reach this share of the incumbent's height above
/// the plain, on the scale of the observations.
const RIVAL: f64 = 1.0 / 3.0;
/// Where all constraints hold with a smaller probability, as a logarithm, it says what is unknown, and no
/// longer what is near.
const HOPELESS: f64 = -20.0;

/// The incumbent, found by the search of an ask with candidates that do not depend on the step. Where there
/// are constraints, it is the best of what is likely enough to keep them, or else the point most likely to; where that is
/// hopeless, the one expected to miss them least.
pub(crate) fn posterior_maximum(view: &View<'_>, fitted: &Fitted) -> Result<Option<Found>> {
    let (space, effort) = (view.space(), view.search.effort());
    let (limits, bounds) =
        (view.limits.iter().map(Limit::posterior).collect::<Vec<_>>(), view.bounds());
    let feasible = view.feasible_mean(fitted, &limits, &bounds);
    let objective: &dyn Objective = if limits.is_empty() { &feasible.mean } else { &feasible };
    let key = Key { step: u32::MAX, ..view.key };
    let mut stream = key.stream(Purpose::Candidates, 0);
    let history = fitted.posteriors[0].history();
    let known = (history, &view.merits(fitted, history)?[..]);
    let points = candidates_by(space, known, effort, &mut stream).points;
    let mut costs = vec![None; view.frame.fidelities.len()];
    costs[view.top()] = Some(1.0);
    let search = Search { space, costs: &costs, occupied: &[], effort };
    let worth = objective.worth(points.as_ref())?;
    let Some(found) = search.run(objective, &points, &worth)? else { return Ok(None) };
    if limits.is_empty() {
        return Ok(Some(found));
    }
    // An ascent may end a little outside; then the best candidate inside is taken, if there is one.
    let column = MatRef::from_column_major_slice(&found.coordinates, found.coordinates.len(), 1);
    let enough = |nats: f64| nats >= view.enough().ln();
    let reached = feasible.log_feasibility(column)?[0];
    if enough(reached) {
        return Ok(Some(found));
    }
    let (inside, means) =
        (feasible.log_feasibility(points.as_ref())?, feasible.mean.worth(points.as_ref())?);
    let (top, all) = (view.top(), 0..points.ncols());
    let best = all
        .clone()
        .filter(|j| enough(inside[*j]))
        .max_by(|a, b| means[(top, *a)].total_cmp(&means[(top, *b)]));
    let beyond = feasible.violation(points.as_ref())?;
    let least = || all.min_by(|a, b| beyond[*a].total_cmp(&beyond[*b]));
    let best = if best.is_none() && reached < HOPELESS { least() } else { best };
    Ok(Some(best.map_or(found, |j| {
        let coordinates = points.col_as_slice(j).to_vec();
        Found { coordinates, level: top, rate: means[(top, j)] }
    })))
}

/// The basin of the incumbent.
pub(crate) struct Basin<'a> {
    objective: PosteriorMean<'a>,
    posterior: &'a Posterior,
    incumbent: Vec<f64>,
    /// posterior mean at the incumbent
    peak: f64,
    /// prior mean
    plain: f64,
    /// from the surrogate's scale to that of the observations
    link: Link,
    /// of the space
    corners: u64,
}

impl<'a> Basin<'a> {
    /// Around the posterior maximum, if there is one.
    pub(crate) fn of_incumbent(view: &View<'_>, fitted: &'a Fitted) -> Result<Option<Self>> {
        let Some(incumbent) = posterior_maximum(view, fitted)? else { return Ok(None) };
        let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
        let posterior = &fitted.posteriors[0];
        let plain = posterior.surrogate().prior_mean(posterior.theta())?;
        let peak = objective.moments(&incumbent.coordinates)?.mean;
        let (incumbent, link) = (incumbent.coordinates, fitted.units.link());
        let corners = view.space().corners();
        Ok(Some(Self { objective, posterior, incumbent, peak, plain, link, corners }))
    }
}

impl Basin<'_> {
    /// The candidates outside, if there are enough of them, the basin is not most of the space, and
    /// the candidates are spread over all of it.
    pub(crate) fn outside(&self, candidates: &Candidates) -> Result<Option<Mat<f64>>> {
        let points = &candidates.points;
        if (candidates.scattered as u64) < self.corners {
            return Ok(None);
        }
        let inside = self.contains(points)?;
        let outside: Vec<usize> = (0..points.ncols()).filter(|j| !inside[*j]).collect();
        let scattered = outside.iter().filter(|j| **j < candidates.scattered).count();
        let open = scattered as f64 >= OPEN * candidates.scattered as f64;
        let chosen = || Mat::from_fn(points.nrows(), outside.len(), |i, j| points[(i, outside[j])]);
        Ok((open && outside.len() >= LEAST_OUTSIDE).then(chosen))
    }

    /// Whether one of these draws of the maximum outside is more than a bump.
    pub(crate) fn is_rivalled(&self, max_values: &[Vec<f64>]) -> bool {
        let height = |value: f64| self.link.apply(value) - self.link.apply(self.plain);
        let peak = height(self.peak);
        let enough = peak.min(RIVAL * peak); // also of an incumbent below the plain
        max_values.iter().flatten().any(|value| height(*value) >= enough)
    }

    /// Whether one point lies in it.
    pub(crate) fn holds(&self, coordinates: &[f64]) -> Result<bool> {
        let column = MatRef::from_column_major_slice(coordinates, coordinates.len(), 1);
        Ok(self.contains(&column.to_owned())?.contains(&true))
    }

    /// Whether each of the points lies in it.
    fn contains(&self, points: &Mat<f64>) -> Result<Vec<bool>> {
        let near = self.posterior.feature_distances(points.as_ref(), &self.incumbent)?;
        let way = WAYPOINTS + 1;
        let along = Mat::from_fn(points.nrows(), points.ncols() * way, |i, column| {
            let (j, step) = (column / way, (column % way) as f64 / way as f64);
            points[(i, j)] + step * (self.incumbent[i] - points[(i, j)])
        });
        let means = self.objective.worth(along.as_ref())?;
        let top = means.nrows() - 1;
        let in_basin = |j: usize| {
            let heights: Vec<f64> = (0..way).map(|k| means[(top, j * way + k)]).collect();
            let on_the_hill = heights[0] - self.plain > FOOT * (self.peak - self.plain);
            near[j] < 1.0 || (on_the_hill && heights.is_sorted())
        };
        Ok((0..points.ncols()).map(in_basin).collect())
    }
}
