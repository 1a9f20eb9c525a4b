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
use baton_numerics::Mat;

/// Places between a point and the incumbent at which the mean is looked at.
const WAYPOINTS: usize = 3;
/// Lower than this share of the incumbent's height above the plain, a point is on no hill.
const FOOT: f64 = 0.15;
/// Exploring needs some candidates outside the basin.
pub(super) const LEAST_OUTSIDE: usize = 16;

impl Task {
    /// Whether the next trial is to look for other basins: every so many model-based trials, from
    /// the second task on, and not in the last one.
    pub(super) fn explores(&self, rounds: usize) -> bool {
        let settings = &self.shared.settings;
        let last = settings.horizon > 0 && self.number() + 1 >= settings.horizon;
        if self.knowledge.shared.is_none() || last {
            return false;
        }
        let due = |rounds: usize| (rounds as f64 * settings.explore).floor();
        due(rounds + 1) > due(rounds)
    }

    /// The candidates outside the basin of the incumbent.
    pub(super) fn outside(&self, epoch: &Epoch, candidates: &Mat<f64>) -> Result<Mat<f64>> {
        let inside = self.inside(epoch, candidates)?;
        let outside: Vec<usize> = (0..candidates.ncols()).filter(|j| !inside[*j]).collect();
        Ok(Mat::from_fn(candidates.nrows(), outside.len(), |i, j| candidates[(i, outside[j])]))
    }

    /// Whether each of the points lies in the basin of the incumbent.
    pub(super) fn inside(&self, epoch: &Epoch, points: &Mat<f64>) -> Result<Vec<bool>> {
        let Some(incumbent) = self.summit(epoch)? else { return Ok(vec![false; points.ncols()]) };
        let objective = PosteriorMean { posteriors: &epoch.posteriors, weights: &epoch.weights };
        let top = self.shared.fidelities.len() - 1;
        let posterior = &epoch.posteriors[0];
        let plain = posterior.surrogate().prior_mean(posterior.theta())?;
        let peak = objective.moments(&incumbent.coordinates)?.mean;
        let near = posterior.feature_distances(points.as_ref(), &incumbent.coordinates)?;
        let way = WAYPOINTS + 1;
        let along = Mat::from_fn(points.nrows(), points.ncols() * way, |i, column| {
            let (j, step) = (column / way, (column % way) as f64 / way as f64);
            points[(i, j)] + step * (incumbent.coordinates[i] - points[(i, j)])
        });
        let means = objective.worth(along.as_ref())?;
        let in_basin = |j: usize| {
            let heights: Vec<f64> = (0..way).map(|k| means[(top, j * way + k)]).collect();
            let on_the_hill = heights[0] - plain > FOOT * (peak - plain);
            near[j] < 1.0 || (on_the_hill && heights.is_sorted())
        };
        Ok((0..points.ncols()).map(in_basin).collect())
    }
}
