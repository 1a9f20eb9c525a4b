//! Looking where earlier tasks had their best, when this one shows nothing like it.
//!
//! On a plain with a needle a model has nothing to go by: it follows the noise, or asks what lies at
//! the edges. Earlier tasks tell two things it does not use: how high this task is likely to reach,
//! and where they reached it, even if the function there has changed beyond recognition. So, as long
//! as no value here is half as high as usual, trials are drawn from the region of earlier hills; and
//! where earlier tasks have found no hill, with trials enough to find one, a part of the trials is
//! spread over the space until one is found. (In a first task such trials cost more on Hartmann's
//! function than they save on plains.)

use super::epoch::{Epoch, Observation};
use super::proposal::{Freshness, Proposal};
use super::task::Task;
use super::trial::{Aim, Trial};
use crate::error::Result;
use crate::knowledge::{Hill, Region, SharedFunction, most_points};
use crate::problem::Units;
use crate::surrogate::Surrogate;
use baton_numerics::random::Purpose;

/// A hill is higher above the plain than this many standard deviations of the noise, and than this
/// many units.
const STANDS_OUT: f64 = 4.0;
const LEAST_HEIGHT: f64 = 0.1;
/// Having reached this share of the usual height, a task has found its hill.
const REACHED: f64 = 0.5;
/// At most this share of what has been spent goes into the region.
const MOST_DRAWS: f64 = 0.5;
/// Draws until one is away from all trials at the truth.
const ATTEMPTS: usize = 8;
/// Observations handed over, per coordinate, after which not to have seen a hill means something.
const LOOKED_OVER: usize = 5;
/// Share of the trials that are spread over the space.
const SURVEY: f64 = 1.0 / 3.0;

/// What values are compared with, in units of the campaign.
pub(super) struct Plain {
    units: Units,
    level: f64,
    /// standard deviation at the truth
    noise: f64,
}

impl Plain {
    pub(super) fn of(units: &Units, surrogate: &Surrogate, theta: &[f64]) -> Result<Self> {
        let level = units.link().apply(surrogate.prior_mean(theta)?);
        let noise = surrogate.noise_variance(theta, surrogate.levels() - 1)?.sqrt();
        Ok(Self { units: *units, level, noise })
    }

    /// The best value at the truth, if it stands out from the noise.
    pub(super) fn highest(&self, observations: &[Observation], top: usize) -> Option<Hill> {
        let at_top = observations.iter().filter(|o| o.level == top);
        let hill = |o: &Observation| Hill {
            place: o.coordinates.clone(),
            height: self.units.to_model(o.value) - self.level,
        };
        let best = at_top.map(hill).reduce(|a, b| if b.height > a.height { b } else { a });
        let enough = (STANDS_OUT * self.noise).max(LEAST_HEIGHT);
        best.filter(|hill| hill.height.is_finite() && hill.height > enough)
    }
}

impl Task {
    /// A trial where earlier tasks had their best, or one of a survey, if this task has shown
    /// nothing yet. While such a trial or the test is under way, that is not known.
    pub(super) fn look_for_a_hill(
        &self,
        epoch: &Epoch,
        costs: &[Option<f64>],
    ) -> Result<Option<Proposal>> {
        let waits = |trial: &Trial| matches!(trial.aim, Aim::Test | Aim::WarmStart);
        if !self.carries() || !self.shared.settings.hills || self.pending().any(waits) {
            return Ok(None);
        }
        let (posterior, top) = (&epoch.posteriors[0], costs.len() - 1);
        let plain = Plain::of(&epoch.units, posterior.surrogate(), posterior.theta())?;
        let here = plain.highest(&self.observations()?, top).map(|hill| hill.height);
        let grains = self.shared.schema.space.grains();
        let proposal = match (Region::of(self.knowledge.hills(), &grains), here) {
            (None, None) if self.has_been_looked_over() => self.survey(costs)?,
            (Some(region), here) if here.unwrap_or(0.0) < REACHED * region.usual_height => {
                self.place_in(&region, costs[top])?
            }
            _ => None,
        };
        Ok(proposal.map(|proposal| Proposal { notes: epoch.notes(), ..proposal }))
    }

    /// Whether what earlier tasks saw is enough to be told that there is no hill.
    fn has_been_looked_over(&self) -> bool {
        let seen = self.knowledge.shared.as_ref().map_or(0, SharedFunction::len);
        let dimension = self.shared.schema.space.dimension();
        // In many dimensions so many are never handed on.
        seen >= (LOOKED_OVER * dimension).min(most_points(dimension) / 2)
    }

    /// A point not tried yet, in its turn.
    fn survey(&self, costs: &[Option<f64>]) -> Result<Option<Proposal>> {
        let is = |trial: &&Trial| trial.aim == Aim::Survey;
        let so_far = self.trials().iter().filter(is).count();
        let all = self.progress().rounds + so_far;
        if so_far as f64 >= SURVEY * (all as f64 + 1.0) {
            return Ok(None);
        }
        let found = self.look_around(costs, Aim::Survey)?;
        Ok(found.filter(|proposal| self.freshness(&proposal.point) == Freshness::New))
    }

    /// The newest hill, or a draw if there is a region to speak of; never near a trial at the truth.
    fn place_in(&self, region: &Region<'_>, cost: Option<f64>) -> Result<Option<Proposal>> {
        if !cost.is_some_and(|cost| self.may_draw(cost)) {
            return Ok(None);
        }
        let (space, top) = (&self.shared.schema.space, self.shared.fidelities.len() - 1);
        let at_top = self.trials().iter().filter(|trial| trial.level == top);
        let tried = at_top.map(|trial| space.coordinates(&trial.point));
        let tried: Vec<Vec<f64>> = tried.collect::<Result<_>>()?;
        let is_new = |place: &Vec<f64>| !tried.iter().any(|known| region.are_near(known, place));
        let mut stream = self.key().stream(Purpose::Hills, 0);
        let draws = if region.is_one() { ATTEMPTS } else { 0 };
        let drawn = (0..draws).map(|_| region.draw(&mut stream));
        let Some(place) = std::iter::once(region.newest().to_vec()).chain(drawn).find(is_new)
        else {
            return Ok(None);
        };
        let point = space.point(&place)?;
        let free = self.pending().all(|trial| trial.point != point);
        Ok(free.then(|| Proposal::without_model(point, top, Aim::WarmStart)))
    }

    /// Whether one more trial of this cost keeps such trials to their share of what was spent.
    fn may_draw(&self, cost: f64) -> bool {
        let charged = self.trials().iter().filter(|trial| trial.charged);
        let (mut spent, mut on_draws) = (cost, cost);
        for trial in charged {
            spent += trial.charge();
            on_draws += if trial.aim == Aim::WarmStart { trial.charge() } else { 0.0 };
        }
        on_draws <= MOST_DRAWS * spent
    }
}

#[cfg(test)]
mod tests {
    use super::{Aim, Region, Trial};
    use crate::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Value};

    /// A plain with a needle at `top` in both coordinates, seen with a little noise.
    fn value(trial: &Trial, top: f64) -> f64 {
        let squared: f64 = (0..2).map(|j| ((trial.number(j) - top) / 0.03).powi(2)).sum();
        let noise = ((trial.id * 7 + 3) % 11) as f64 / 11.0 - 0.5;
        3.0 * (-0.5 * squared).exp() + 0.1 * noise
    }

    fn only() -> Vec<Fidelity> {
        vec![Fidelity::new("only", 1.0).with_noise(1e-3)]
    }

    fn square() -> Space {
        Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]).unwrap()
    }

    fn campaign(hills: &str) -> Campaign {
        over(square(), hills, only())
    }

    fn over(space: Space, hills: &str, fidelities: Vec<Fidelity>) -> Campaign {
        let mut settings = Settings::default().seed(5);
        settings.set("hills", hills).unwrap();
        Campaign::new(space, fidelities, Goal::Maximize, settings).unwrap()
    }

    /// Runs a task, in which somebody may have seen the needle; its trials.
    fn trials(campaign: &mut Campaign, top: f64, seen: bool) -> Vec<Trial> {
        let truth = campaign.knowledge().schema().fidelities.len() - 1;
        let mut task = campaign.start([20.0, 80.0][truth]).unwrap();
        if seen {
            task.add_free(&[Value::Real(top), Value::Real(top)], truth, 3.0).unwrap();
        }
        while let Some(trial) = task.ask().unwrap() {
            task.tell(trial.id, value(&trial, top)).unwrap();
        }
        campaign.finish(&mut task).unwrap();
        task.trials().to_vec()
    }

    /// The purposes of its trials.
    fn aims(campaign: &mut Campaign, top: f64, seen: bool) -> Vec<Aim> {
        trials(campaign, top, seen).iter().map(|trial| trial.aim).collect()
    }

    #[test]
    fn a_task_without_a_hill_looks_where_earlier_ones_had_theirs() {
        for hills in ["true", "false"] {
            let mut campaign = campaign(hills);
            aims(&mut campaign, 0.3, true);
            aims(&mut campaign, 0.34, true);
            assert_eq!(campaign.knowledge().hills().len(), 2);
            let drawn = aims(&mut campaign, 5.0, false); // none in reach
            let drawn = drawn.iter().filter(|aim| **aim == Aim::WarmStart).count();
            assert_eq!(drawn > 3, hills == "true", "{drawn}");
        }
    }

    #[test]
    fn many_asked_at_once_do_not_all_look_for_hills() {
        let mut campaign = campaign("true");
        aims(&mut campaign, 0.3, true);
        aims(&mut campaign, 0.34, true);
        let mut task = campaign.start(20.0).unwrap();
        let asked = task.ask_many(6).unwrap();
        let looking = |trial: &&Trial| matches!(trial.aim, Aim::Test | Aim::WarmStart);
        assert_eq!(asked.iter().filter(looking).count(), 1);
    }

    #[test]
    fn draws_cost_at_most_half_and_lie_near_no_other_trial_at_the_truth() {
        let fidelities = [("coarse", 1.0), ("fine", 4.0)];
        let fidelities = fidelities.map(|(name, cost)| Fidelity::new(name, cost).with_noise(1e-3));
        let mut campaign = over(square(), "true", fidelities.to_vec());
        trials(&mut campaign, 0.3, true);
        trials(&mut campaign, 0.4, true);
        let hills = campaign.knowledge().hills().to_vec();
        let region = Region::of(&hills, &[Some(0.0); 2]).unwrap();
        let (mut spent, mut on_draws, mut at_truth) = (0.0, 0.0, Vec::new());
        for trial in trials(&mut campaign, 5.0, false) {
            let place: Vec<f64> = (0..2).map(|j| trial.number(j)).collect();
            spent += trial.cost;
            if trial.aim == Aim::WarmStart {
                on_draws += trial.cost;
                assert!(on_draws <= 0.5 * spent, "{on_draws} of {spent}");
                assert!(!at_truth.iter().any(|known: &Vec<f64>| region.are_near(known, &place)));
            }
            if trial.level == 1 {
                at_truth.push(place);
            }
        }
        assert!(on_draws > 8.0, "{on_draws}");
    }

    #[test]
    fn the_space_is_surveyed_where_no_task_found_anything() {
        for hills in ["true", "false"] {
            let mut campaign = campaign(hills);
            let first = aims(&mut campaign, 5.0, false);
            let second = aims(&mut campaign, 5.0, false);
            assert!(campaign.knowledge().hills().is_empty());
            assert!(!first.contains(&Aim::Survey));
            assert_eq!(second.contains(&Aim::Survey), hills == "true");
        }
    }

    #[test]
    fn a_handful_of_trials_without_a_hill_calls_for_no_survey() {
        let mut campaign = campaign("true");
        for _ in 0..2 {
            let mut task = campaign.start(6.0).unwrap();
            while let Some(trial) = task.ask().unwrap() {
                task.tell(trial.id, value(&trial, 5.0)).unwrap();
            }
            campaign.finish(&mut task).unwrap();
            assert!(task.trials().iter().all(|trial| trial.aim != Aim::Survey));
        }
        assert!(campaign.knowledge().hills().is_empty());
        assert!(aims(&mut campaign, 5.0, false).contains(&Aim::Survey));
    }

    #[test]
    fn a_survey_takes_a_third_of_the_trials_and_repeats_no_point_where_there_are_few() {
        let real = |name: &str| Parameter::real(name, 0.0, 1.0);
        let whole = |name: &str| Parameter::integer(name, 0, 1);
        for (parameters, least) in [(["x", "y"].map(real), 4), (["x", "y"].map(whole), 1)] {
            let mut campaign = over(Space::new(parameters).unwrap(), "true", only());
            trials(&mut campaign, 50.0, false);
            let all = trials(&mut campaign, 50.0, false);
            let surveyed = (0..all.len()).filter(|i| all[*i].aim == Aim::Survey);
            let repeats =
                |i: &usize| all[..*i].iter().any(|earlier| earlier.point == all[*i].point);
            let (count, repeated) = (surveyed.clone().count(), surveyed.filter(repeats).count());
            assert!(count >= least && count * 3 <= all.len() + 2, "{count}");
            assert_eq!(repeated, 0, "of {count}");
        }
    }

    #[test]
    fn what_is_given_to_others_tells_no_height_as_it_was() {
        let mut campaign = campaign("true");
        aims(&mut campaign, 0.3, true);
        let (kept, given) = (campaign.knowledge().hills(), campaign.shareable().unwrap());
        assert_eq!(kept[0].place, given.hills()[0].place);
        assert!((kept[0].height - given.hills()[0].height).abs() > 1e-6);
    }
}
