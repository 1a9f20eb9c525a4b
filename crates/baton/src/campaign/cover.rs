//! Leaving no large part of a space of few dimensions unseen.
//!
//! A model that is sure of itself spends all trials on one hill, and nothing it sees there can tell it
//! that it is wrong about the rest: a cheap fidelity may mislead, a function may be rougher elsewhere.
//! With an even spread each of `n` trials at the truth would have a cube of volume `1 / n` to itself.
//! Where a cube [`WIDTH`] times as wide holds none, the next trial goes to its middle. That takes at
//! most one trial in `WIDTH^d`, so nothing where there are fewer trials than that: it is for one to
//! three dimensions, and for many trials in more; there it makes trials dense in the end, whatever
//! the model believes.

use super::epoch::Epoch;
use super::proposal::Proposal;
use super::task::Task;
use super::trial::Aim;
use crate::error::Result;
use baton_numerics::random::Purpose;
use baton_numerics::{Mat, sobol};

/// How many times as wide as each trial's share an empty cube may be.
const WIDTH: f64 = 3.0;
/// Discrete spaces up to this size are looked through point by point.
const LISTED: u64 = 4_096;
/// Places that are looked at otherwise.
const PLACES: usize = 1_024;

impl Task {
    /// The middle of the largest cube without a trial at the truth, if it is too large.
    pub(super) fn fill_a_gap(
        &self,
        epoch: &Epoch,
        costs: &[Option<f64>],
    ) -> Result<Option<Proposal>> {
        let (space, top) = (&self.shared.schema.space, costs.len() - 1);
        let at_truth = self.trials().iter().filter(|trial| trial.level == top).count();
        let share = (at_truth as f64).powf(-1.0 / space.dimension() as f64);
        let allowed = 0.5 * WIDTH * share;
        let grains = space.grains();
        let possible = clearance(&vec![0.5; grains.len()], &grains, &[]);
        if !self.shared.settings.cover || costs[top].is_none() || allowed >= possible {
            return Ok(None);
        }
        let (places, seen) = (self.places(), self.seen_at_truth(epoch, top)?);
        let around = |j: usize| clearance(places.col_as_slice(j), &grains, &seen);
        let largest = (0..places.ncols()).map(|j| (around(j), j));
        let largest = largest.reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((_, j)) = largest.filter(|(clearance, _)| *clearance > allowed) else {
            return Ok(None);
        };
        let point = space.point(places.col_as_slice(j))?;
        let proposal = Proposal::without_model(point, top, Aim::Survey);
        Ok(Some(Proposal { notes: epoch.notes(), ..proposal }))
    }

    /// All points of a small discrete space, else an even spread.
    fn places(&self) -> Mat<f64> {
        let space = &self.shared.schema.space;
        space.enumerate(LISTED).unwrap_or_else(|| {
            let mut stream = self.key().stream(Purpose::Cover, 0);
            let mut places = sobol::shifted_points(space.dimension(), PLACES, &mut stream);
            for j in 0..places.ncols() {
                space.snap(places.col_as_slice_mut(j));
            }
            places
        })
    }

    /// Where this task has been at the truth, with whatever outcome, and where earlier ones have, as
    /// long as what they taught helps.
    fn seen_at_truth(&self, epoch: &Epoch, top: usize) -> Result<Vec<Vec<f64>>> {
        let space = &self.shared.schema.space;
        let here = self.trials().iter().filter(|trial| trial.level == top);
        let mut seen: Vec<Vec<f64>> =
            here.map(|trial| space.coordinates(&trial.point)).collect::<Result<_>>()?;
        if self.carries()
            && epoch.contest.helps()
            && let Some(shared) = &self.knowledge.shared
        {
            let earlier = shared.points.iter().zip(&shared.levels);
            seen.extend(earlier.filter(|(_, level)| **level == top).map(|(at, _)| at.clone()));
        }
        Ok(seen)
    }
}

/// Half the width of the largest cube around a place that stays inside and holds nothing seen.
/// Choices have no inside.
fn clearance(place: &[f64], grains: &[Option<f64>], seen: &[Vec<f64>]) -> f64 {
    let walls = place.iter().zip(grains).filter_map(|(u, grain)| Some(u.min(1.0 - u) + (*grain)?));
    let wall = walls.fold(1.0, f64::min);
    let apart =
        |other: &Vec<f64>| place.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    seen.iter().map(apart).fold(wall, f64::min)
}

#[cfg(test)]
mod tests {
    use super::{Aim, WIDTH, clearance};
    use crate::campaign::trial::Trial;
    use crate::{Campaign, Fidelity, Goal, Parameter, Settings, Space};

    fn campaign(parameters: Vec<Parameter>, cover: &str) -> Campaign {
        let mut settings = Settings::default().seed(4);
        settings.set("cover", cover).unwrap();
        let only = vec![Fidelity::new("only", 1.0).with_noise(1e-4)];
        Campaign::new(Space::new(parameters).unwrap(), only, Goal::Maximize, settings).unwrap()
    }

    fn reals(count: usize) -> Vec<Parameter> {
        (0..count).map(|j| Parameter::real(&format!("x{j}"), 0.0, 1.0)).collect()
    }

    /// A task on a bowl with its top at 0.2; where `fails` says so, trials fail.
    fn task(campaign: &mut Campaign, budget: f64, fails: impl Fn(&Trial) -> bool) -> Vec<Trial> {
        let mut task = campaign.start(budget).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            let numbers = (0..trial.point.len()).map(|j| trial.number(j));
            let value: f64 = numbers.map(|u| -(u - 0.2).powi(2)).sum();
            if fails(&trial) {
                task.fail(trial.id, "no").unwrap();
            } else {
                task.tell(trial.id, value).unwrap();
            }
        }
        campaign.finish(&mut task).unwrap();
        task.trials().to_vec()
    }

    fn widest_gap(trials: &[Trial]) -> f64 {
        let mut places: Vec<f64> = trials.iter().map(|trial| trial.number(0)).collect();
        places.extend([0.0, 1.0]);
        places.sort_by(f64::total_cmp);
        places.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max)
    }

    fn surveys(trials: &[Trial]) -> usize {
        trials.iter().filter(|trial| trial.aim == Aim::Survey).count()
    }

    #[test]
    fn no_gap_is_wider_than_three_shares() {
        for cover in ["true", "false"] {
            let trials = task(&mut campaign(reals(1), cover), 24.0, |_| false);
            let shares = widest_gap(&trials) * trials.len() as f64;
            // The last trial may have made a gap too wide; places are a thousandth apart.
            let covered = shares < WIDTH * 24.0 / 23.0 + 0.05;
            assert_eq!(covered, cover == "true", "{shares}");
        }
    }

    #[test]
    fn nothing_is_spent_on_that_in_many_dimensions() {
        let surveyed = surveys(&task(&mut campaign(reals(4), "true"), 30.0, |_| false));
        assert_eq!(surveyed, 0);
    }

    #[test]
    fn what_earlier_tasks_saw_counts() {
        let mut campaign = campaign(reals(1), "true");
        let first = task(&mut campaign, 24.0, |_| false);
        let second = task(&mut campaign, 24.0, |_| false);
        assert!(surveys(&first) > 2 * surveys(&second), "{first:?}, {second:?}");
    }

    #[test]
    fn a_place_where_trials_fail_is_not_asked_for_again_and_again() {
        let trials = task(&mut campaign(reals(1), "true"), 24.0, |trial| trial.number(0) > 0.5);
        let failing = trials.iter().filter(|trial| trial.number(0) > 0.5);
        assert!(failing.count() <= 8, "{trials:?}");
    }

    #[test]
    fn cubes_end_at_the_walls_and_choices_have_none() {
        let seen = [vec![0.5, 0.0]];
        let (real, coarse, choice) = (Some(0.0), Some(0.1), None);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, {b}");
        close(clearance(&[0.2, 0.4], &[real, real], &seen), 0.2);
        close(clearance(&[0.2, 0.4], &[coarse, real], &seen), 0.3);
        close(clearance(&[0.3, 0.1], &[real, real], &[]), 0.1);
        close(clearance(&[0.5, 1.0], &[real, choice], &seen), 0.5);
        close(clearance(&[0.0, 1.0], &[choice, choice], &seen), 1.0);
    }
}
