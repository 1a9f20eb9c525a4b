//! Looking for better basins, for later tasks' sake.
//!
//! A model that has seen one hill well takes another of the same height for most unlikely and spends
//! the budget where it is. What a better basin is worth to this task alone is little; to all tasks
//! that follow it is much. So a share of the trials asks the same question, how high is the maximum,
//! of the rest of the space: the basin of the incumbent `x^` is left out.
//!
//! `x` lies in that basin if it is within a length scale of `x^`, or if it is higher than a good part
//! of the way from the plain to `x^` and the posterior mean does not fall on the way there.

use super::epoch::Epoch;
use super::task::Task;
use crate::acquisition::{Objective, PosteriorMean};
use crate::error::Result;
use crate::surrogate::Posterior;
use baton_numerics::{Mat, MatRef};

/// Places between a point and the incumbent at which the mean is looked at.
const WAYPOINTS: usize = 3;
/// Lower than this share of the incumbent's height above the plain, a point is on no hill.
const FOOT: f64 = 0.15;
/// Tasks that are searched in full: what one more would find becomes less with every one of them.
const FULL_SHARE: f64 = 2.0;
/// Exploring needs some candidates outside the basin.
const LEAST_OUTSIDE: usize = 16;

/// The basin of the incumbent.
pub(super) struct Basin<'a> {
    objective: PosteriorMean<'a>,
    posterior: &'a Posterior,
    incumbent: Vec<f64>,
    /// posterior mean at the incumbent
    peak: f64,
    /// prior mean
    plain: f64,
}

impl Task {
    /// The basin that the next trial is to leave out, if it is to look for others: every so many
    /// model-based trials, from the second task on, not in the last one, and only if what was handed
    /// over helps: later tasks of unrelated ones would gain nothing.
    pub(super) fn left_out<'a>(
        &self,
        epoch: &'a Epoch,
        rounds: usize,
    ) -> Result<Option<Basin<'a>>> {
        let settings = &self.shared.settings;
        let last = settings.horizon > 0 && self.number() + 1 >= settings.horizon;
        let share = settings.explore * (FULL_SHARE / f64::from(self.number().max(1))).min(1.0);
        let due = |rounds: usize| (rounds as f64 * share).floor();
        if !self.carries() || !epoch.contest.helps() || last || due(rounds + 1) <= due(rounds) {
            return Ok(None);
        }
        let Some(incumbent) = self.summit(epoch)? else { return Ok(None) };
        let objective = PosteriorMean { posteriors: &epoch.posteriors, weights: &epoch.weights };
        let posterior = &epoch.posteriors[0];
        let plain = posterior.surrogate().prior_mean(posterior.theta())?;
        let peak = objective.moments(&incumbent.coordinates)?.mean;
        let incumbent = incumbent.coordinates;
        Ok(Some(Basin { objective, posterior, incumbent, peak, plain }))
    }
}

impl Basin<'_> {
    /// The points outside, if there are enough of them.
    pub(super) fn outside(&self, points: &Mat<f64>) -> Result<Option<Mat<f64>>> {
        let inside = self.contains(points)?;
        let outside: Vec<usize> = (0..points.ncols()).filter(|j| !inside[*j]).collect();
        let chosen = || Mat::from_fn(points.nrows(), outside.len(), |i, j| points[(i, outside[j])]);
        Ok((outside.len() >= LEAST_OUTSIDE).then(chosen))
    }

    /// Whether one point lies in it.
    pub(super) fn holds(&self, coordinates: &[f64]) -> Result<bool> {
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
