//! Looking for better basins, for later tasks' sake.
//!
//! A model that has seen one hill well takes another of the same height for most unlikely and spends
//! the budget where it is. What a better basin is worth to this task alone is little; to all tasks
//! that follow it is much. So a share of the trials asks the same question, how high is the maximum,
//! of the rest of the space: the basin of the incumbent `x^` is left out.
//!
//! `x` lies in that basin if it is within a length scale of `x^`, or if it is higher than a good part
//! of the way from the plain to `x^` and the posterior mean does not fall on the way there.
//!
//! There is nothing to look for if that basin is most of the space (a bowl), or if nothing outside is
//! likely to be more than a bump (all of it has been seen); and no use in it if the candidates do not even
//! reach all corners of the space, as in many dimensions.

use super::epoch::Epoch;
use super::task::Task;
use crate::acquisition::{Candidates, Objective, PosteriorMean};
use crate::error::Result;
use crate::problem::Link;
use crate::surrogate::Posterior;
use baton_numerics::{Mat, MatRef};

/// Places between a point and the incumbent at which the mean is looked at.
const WAYPOINTS: usize = 3;
/// Lower than this share of the incumbent's height above the plain, a point is on no hill.
const FOOT: f64 = 0.15;
/// Tasks that are searched in full: what one more would find becomes less with every one of them.
const FULL_SHARE: f64 = 2.0;
/// Exploring needs some candidates outside the basin,
const LEAST_OUTSIDE: usize = 16;
/// this share of the space,
const OPEN: f64 = 0.5;
/// and a chance (one of the draws of its maximum) to reach this share of the incumbent's height above
/// the plain, on the scale of the observations.
const RIVAL: f64 = 1.0 / 3.0;

/// The basin of the incumbent.
pub(super) struct Basin<'a> {
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
        let (incumbent, link) = (incumbent.coordinates, epoch.units.link());
        let corners = self.shared.schema.space.corners();
        Ok(Some(Basin { objective, posterior, incumbent, peak, plain, link, corners }))
    }
}

impl Basin<'_> {
    /// The candidates outside, if there are enough of them, the basin is not most of the space, and
    /// the candidates are spread over all of it.
    pub(super) fn outside(&self, candidates: &Candidates) -> Result<Option<Mat<f64>>> {
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
    pub(super) fn is_rivalled(&self, max_values: &[Vec<f64>]) -> bool {
        let height = |value: f64| self.link.apply(value) - self.link.apply(self.plain);
        let peak = height(self.peak);
        let enough = peak.min(RIVAL * peak); // also of an incumbent below the plain
        max_values.iter().flatten().any(|value| height(*value) >= enough)
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

#[cfg(test)]
mod tests {
    use super::super::trial::{Aim, Trial};
    use crate::{Campaign, Fidelity, Goal, Parameter, Settings, Space};

    /// How many trials of the second task explore, with 20 trials a task.
    fn exploring<const D: usize>(value: impl Fn([f64; D]) -> f64) -> usize {
        let real = |j: usize| Parameter::real(&format!("x{j}"), 0.0, 1.0);
        let space = Space::new((0..D).map(real).collect::<Vec<_>>()).unwrap();
        let only = vec![Fidelity::new("only", 1.0).with_noise(1e-4)];
        let settings = Settings::default().seed(3);
        let mut campaign = Campaign::new(space, only, Goal::Maximize, settings).unwrap();
        let mut trials: Vec<Trial> = Vec::new();
        for _ in 0..2 {
            let mut task = campaign.start(20.0).unwrap();
            while let Some(trial) = task.ask().unwrap() {
                let at = std::array::from_fn(|j| trial.number(j));
                task.tell(trial.id, value(at)).unwrap();
            }
            campaign.finish(&mut task).unwrap();
            trials = task.trials().to_vec();
        }
        trials.iter().filter(|trial| trial.aim == Aim::Explore).count()
    }

    fn hill<const D: usize>(x: [f64; D], top: f64) -> f64 {
        let squared: f64 = x.iter().map(|u| ((u - top) / 0.1).powi(2)).sum();
        (-0.5 * squared).exp()
    }

    #[test]
    fn a_bowl_is_not_searched_for_other_basins() {
        assert_eq!(exploring(|[x, y]| -(x - 0.4).powi(2) - (y - 0.6).powi(2)), 0);
        assert!(exploring(|x: [f64; 2]| hill(x, 0.25) + 0.9 * hill(x, 0.75)) > 5);
    }

    #[test]
    fn nothing_is_looked_for_where_all_has_been_seen() {
        let one = exploring(|x: [f64; 1]| hill(x, 0.25));
        let two = exploring(|x: [f64; 1]| hill(x, 0.25) + 0.9 * hill(x, 0.75));
        assert!(one < 4 && two > 5, "{one}, {two}");
    }

    #[test]
    fn a_space_with_more_corners_than_candidates_is_not_searched_for_other_basins() {
        let three = exploring(|x: [f64; 3]| hill(x, 0.25) + 0.9 * hill(x, 0.75));
        let twelve = exploring(|x: [f64; 12]| {
            let first = [x[0], x[1], x[2]];
            hill(first, 0.25) + 0.9 * hill(first, 0.75)
        });
        assert!(three > 3 && twelve == 0, "{three}, {twelve}");
    }
}
