//! The summit, which is the point with the best posterior mean of the truth, and the trials that go
//! there.
//!
//! At a task's beginning that is a test of what earlier tasks taught; with its last trial at the truth
//! it confirms what would be recommended. An acquisition by information has little to gain at a summit
//! it is sure of, so that the best point would often be one that nobody has tried.

use super::epoch::Epoch;
use super::proposal::Freshness;
use super::task::Task;
use super::trial::Aim;
use crate::acquisition::{Found, Objective, PosteriorMean, Search, candidates};
use crate::error::Result;
use baton_numerics::random::{Key, Purpose};

/// Before that a summit is anywhere.
const LEAST_TOLD: usize = 2;

impl Task {
    /// The point with the best posterior mean at the top level.
    pub(super) fn summit(&self, epoch: &Epoch) -> Result<Option<Found>> {
        let frame = self.frame();
        let objective = PosteriorMean { posteriors: &epoch.posteriors, weights: &epoch.weights };
        let history = epoch.posteriors[0].history();
        let effort = frame.settings.search;
        let key = Key { step: u32::MAX, ..self.key() };
        let mut stream = key.stream(Purpose::Candidates, 0);
        let points = candidates(frame.space, history, effort, &mut stream).points;
        let mut costs = vec![None; frame.fidelities.len()];
        costs[frame.fidelities.len() - 1] = Some(1.0);
        let search = Search { space: frame.space, costs: &costs, occupied: &[], effort };
        let worth = objective.worth(points.as_ref())?;
        search.run(&objective, &points, &worth)
    }

    /// The summit and why the next trial should go there at the truth, if it should.
    pub(super) fn visit_to_summit(
        &self,
        epoch: &Epoch,
        costs: &[Option<f64>],
    ) -> Result<Option<(Vec<f64>, Aim)>> {
        let top = costs.len() - 1;
        let Some(cost) = costs[top] else { return Ok(None) };
        let aim = if self.is_to_test() {
            Aim::Test
        } else if self.shared.settings.confirm && self.is_to_confirm(top, cost) {
            Aim::Confirm
        } else {
            return Ok(None);
        };
        let Some(Found { coordinates, .. }) = self.summit(epoch)? else { return Ok(None) };
        let point = self.shared.schema.space.point(&coordinates)?;
        let known = match aim {
            // Until the test is done, what was handed over is not doubted.
            Aim::Test => self.freshness(&point) == Freshness::Pending,
            _ => self.was_at(&point, top),
        };
        Ok((!known).then_some((coordinates, aim)))
    }

    /// What was handed over is tested once, before it is doubted.
    fn is_to_test(&self) -> bool {
        self.carries() && self.trials().iter().all(|trial| trial.aim != Aim::Test)
    }

    /// With the last trial at the truth that fits, once there is something to confirm; not twice in a
    /// row, lest a budget that is extended bit by bit buys nothing else.
    fn is_to_confirm(&self, top: usize, cost: f64) -> bool {
        let told = self.trials().iter().filter(|trial| trial.value().is_some()).count();
        let mut at_truth = self.trials().iter().filter(|trial| trial.level == top && trial.charged);
        let confirmed = at_truth.next_back().is_some_and(|trial| trial.aim == Aim::Confirm);
        told >= LEAST_TOLD && !confirmed && !self.affords(2.0 * cost)
    }
}

#[cfg(test)]
mod tests {
    use super::Aim;
    use crate::campaign::trial::Trial;
    use crate::{Campaign, Fidelity, Goal, Method, Parameter, Settings, Space, Task, Value};

    const TRUTH: usize = 1;

    fn campaign(parameters: Vec<Parameter>, settings: Settings) -> Campaign {
        let levels = [("coarse", 1.0), ("fine", 4.0)];
        let levels = levels.map(|(name, cost)| Fidelity::new(name, cost).with_noise(1e-4));
        let space = Space::new(parameters).unwrap();
        Campaign::new(space, levels.to_vec(), Goal::Maximize, settings.seed(4)).unwrap()
    }

    fn reals() -> Vec<Parameter> {
        ["x", "y"].map(|name| Parameter::real(name, 0.0, 1.0)).to_vec()
    }

    /// A bowl with its top at 0.3 in every coordinate.
    fn tell(task: &mut Task, trial: &Trial) {
        let numbers = (0..trial.point.len()).map(|j| trial.number(j));
        let value: f64 = numbers.map(|u| -(u - 0.3).powi(2)).sum();
        task.tell(trial.id, value).unwrap();
    }

    fn confirming(task: &Task) -> usize {
        task.trials().iter().filter(|trial| trial.aim == Aim::Confirm).count()
    }

    #[test]
    fn the_last_trial_at_the_truth_goes_to_what_would_be_recommended() {
        let mut task = campaign(reals(), Settings::default()).start(41.0).unwrap();
        for extension in [0.0, 8.0] {
            if extension > 0.0 {
                task.extend_budget(extension).unwrap();
            }
            let mut last = None;
            loop {
                let expected = task.recommendation().unwrap().map(|r| r.point);
                let Some(trial) = task.ask().unwrap() else { break };
                if trial.level == TRUTH {
                    last = Some((trial.clone(), expected));
                }
                tell(&mut task, &trial);
            }
            let (trial, expected) = last.unwrap();
            assert_eq!((trial.aim, Some(trial.point)), (Aim::Confirm, expected));
        }
        assert_eq!(confirming(&task), 2);
        assert!(task.trials().iter().any(|trial| trial.why().contains("confirming")));
    }

    #[test]
    fn it_can_be_switched_off_and_is_the_default_methods_alone() {
        let mut without = Settings::default();
        without.set("confirm", "false").unwrap();
        for settings in [without, Settings::new(Method::MfMesFitted)] {
            let mut task = campaign(reals(), settings).start(41.0).unwrap();
            while let Some(trial) = task.ask().unwrap() {
                tell(&mut task, &trial);
            }
            assert_eq!(confirming(&task), 0);
        }
    }

    #[test]
    fn what_was_tried_at_the_truth_needs_no_confirmation() {
        let settings = Settings::default();
        let mut task = campaign(vec![Parameter::integer("n", 0, 4)], settings).start(4.0).unwrap();
        for n in 0..=4 {
            task.add_free(&[Value::Integer(n)], TRUTH, -((n - 2) as f64).powi(2)).unwrap();
        }
        let trial = task.ask().unwrap().unwrap();
        assert_ne!(trial.aim, Aim::Confirm);
    }

    #[test]
    fn a_budget_that_grows_trial_by_trial_is_not_spent_on_confirming_alone() {
        let mut task = campaign(reals(), Settings::default()).start(20.0).unwrap();
        let mut aims = Vec::new();
        for _ in 0..6 {
            while let Some(trial) = task.ask().unwrap() {
                aims.extend((trial.level == TRUTH).then_some(trial.aim));
                tell(&mut task, &trial);
            }
            task.extend_budget(4.0).unwrap();
        }
        assert!(aims.contains(&Aim::Confirm), "{aims:?}");
        assert!(aims.windows(2).all(|pair| pair != [Aim::Confirm; 2]), "{aims:?}");
    }

    #[test]
    fn nothing_is_confirmed_before_something_was_told() {
        let mut task = campaign(reals(), Settings::default()).start(8.0).unwrap();
        while let Some(trial) = task.ask().unwrap() {
            assert_ne!(trial.aim, Aim::Confirm);
        }
    }

    #[test]
    fn several_at_once_confirm_once() {
        let mut task = campaign(reals(), Settings::default()).start(40.0).unwrap();
        loop {
            let trials = task.ask_many(4).unwrap();
            if trials.is_empty() {
                break;
            }
            for trial in &trials {
                tell(&mut task, trial);
            }
        }
        assert_eq!(confirming(&task), 1);
    }
}
