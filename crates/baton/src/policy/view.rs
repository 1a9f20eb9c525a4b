//! What rules see of a task: its trials, what is left to spend, what was handed on, and what the next
//! trial is for by its method. Nothing in it can change the task.

use super::limit::Limit;
use super::plan::{Agenda, Plan};
use super::settings::PolicySettings;
use super::trial::{Aim, Outcome, Trial};
use crate::acquisition::{Criterion, Found, Objective, Search, SearchEffort, SearchSettings};
use crate::error::Result;
use crate::problem::{Space, Value};
use crate::shared::{Fitted, Frame, Observation};
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, Table};

/// Sums of costs may exceed a budget by rounding: three times 0.1 fits into 0.3.
const ROUNDING: f64 = 1e-12;

/// What may be spent, and what has been.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purse {
    pub budget: f64,
    /// pending trials included
    pub charged: f64,
}

impl Purse {
    pub(crate) fn of(budget: f64, trials: &[Trial]) -> Self {
        Self { budget, charged: trials.iter().map(Trial::charge).sum() }
    }

    pub(crate) fn affords(&self, cost: f64) -> bool {
        self.charged < self.budget && self.charged + cost <= self.budget * (1.0 + ROUNDING)
    }

    pub(crate) fn left(&self) -> f64 {
        (self.budget - self.charged).max(0.0)
    }
}

/// What is known of a point in a task.
#[derive(PartialEq)]
pub(crate) enum Freshness {
    /// it was never asked for
    New,
    /// it was, and its outcome is known
    Told,
    /// it was, and its outcome is not known yet
    Pending,
}

/// A task, to be looked at.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub frame: Frame<'a>,
    pub settings: &'a PolicySettings,
    pub search: &'a SearchSettings,
    pub plan: Plan,
    pub trials: &'a [Trial],
    /// what was told, in that order
    pub observations: &'a [Observation],
    /// whether there are constraints
    pub is_constrained: bool,
    /// those of which a model is known
    pub limits: &'a [Limit<'a>],
    pub purse: Purse,
    /// of the streams of this step
    pub key: Key,
}

impl<'a> View<'a> {
    pub(crate) fn space(&self) -> &'a Space {
        self.frame.space
    }

    /// The highest fidelity.
    pub(crate) fn top(&self) -> usize {
        self.frame.fidelities.len() - 1
    }

    /// The task's place in the sequence, from 0.
    pub(crate) fn number(&self) -> u32 {
        self.frame.knowledge.tasks
    }

    /// The cost of each level, `None` where it does not fit what is left.
    pub(crate) fn affordable(&self) -> Vec<Option<f64>> {
        let costs = self.frame.fidelities.iter().map(|fidelity| fidelity.cost);
        costs.map(|cost| Some(cost).filter(|cost| self.purse.affords(*cost))).collect()
    }

    /// The same of the levels that the method may ask for once the design is over.
    pub(crate) fn costs(&self) -> Vec<Option<f64>> {
        let mut costs = self.affordable();
        if self.plan.top_only {
            let top = self.top();
            costs[..top].fill(None);
        }
        costs
    }

    /// What a trial at the highest fidelity costs, if it fits what is left.
    pub(crate) fn top_cost(&self) -> Option<f64> {
        let cost = self.frame.fidelities[self.top()].cost;
        Some(cost).filter(|cost| self.purse.affords(*cost))
    }

    pub(crate) fn pending(&self) -> impl Iterator<Item = &'a Trial> {
        self.trials.iter().filter(|trial| trial.is_pending())
    }

    /// Trials of these purposes.
    pub(crate) fn of_aims(&self, names: &[&str]) -> impl Iterator<Item = &'a Trial> {
        self.trials.iter().filter(move |trial| names.contains(&trial.aim.name()))
    }

    /// Trials that were chosen by what they would tell.
    pub(crate) fn rounds(&self) -> usize {
        let (a, b, c) = (Aim::OPTIMUM, Aim::FUTURE, Aim::BOTH);
        let names = [a.name(), b.name(), c.name(), Aim::PLANNED, Aim::EXPLORE];
        self.of_aims(&names).count()
    }

    /// The same, those that the budget still allows at the highest fidelity included.
    pub(crate) fn all_rounds(&self) -> usize {
        let top_cost = self.frame.fidelities[self.top()].cost;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
        let left = (self.purse.left() / top_cost * (1.0 + 1e-12)) as usize;
        self.rounds().saturating_add(left)
    }

    /// What the next model-based trial is for.
    pub(crate) fn next_aim(&self, fitted: &Fitted) -> Aim {
        let untold = self.frame.draws && fitted.draws.is_empty();
        let for_this_task = match self.plan.agenda {
            Agenda::Both { beta } if beta == 0.0 || untold => true,
            Agenda::Both { .. } => return Aim::BOTH,
            Agenda::Coin { c } => self.key.stream(Purpose::Agenda, 0).uniform() < c,
            Agenda::Phases { c } => self.rounds() < first_phase(c, self.all_rounds()),
        };
        if for_this_task { Aim::OPTIMUM } else { Aim::FUTURE }
    }

    /// The weights of both gains for an aim.
    pub(crate) fn criterion(&self, aim: &Aim) -> Criterion {
        let (optimum_weight, beta) = match (aim.name(), self.plan.agenda) {
            ("both", Agenda::Both { beta }) => (1.0, beta),
            ("future", _) => (0.0, 1.0),
            _ => (1.0, 0.0),
        };
        let (optimum, transfer) = (self.search.optimum_gain, self.search.transfer_gain);
        Criterion { optimum, transfer, optimum_weight, beta }
    }

    /// Whether a point was asked for at a level, or at any whose outcome is not known yet.
    pub(crate) fn was_at(&self, point: &[Value], level: usize) -> bool {
        let there = |t: &Trial| t.point == point && (t.level == level || t.is_pending());
        self.trials.iter().any(there)
    }

    pub(crate) fn freshness(&self, point: &[Value]) -> Freshness {
        let mut same = self.trials.iter().filter(|trial| trial.point == point).peekable();
        if same.peek().is_none() {
            Freshness::New
        } else if same.any(Trial::is_pending) {
            Freshness::Pending
        } else {
            Freshness::Told
        }
    }

    /// Where trials are whose outcome is not known, or never will be, with their descriptions.
    pub(crate) fn unknown_outcomes(&self) -> Result<Vec<(Vec<f64>, usize)>> {
        let unknown = self.trials.iter().filter(|t| !matches!(t.outcome, Outcome::Told { .. }));
        let whole = |trial: &Trial| {
            let place = self.frame.place_of(&trial.context)?;
            Ok(([self.space().coordinates(&trial.point)?, place].concat(), trial.level))
        };
        unknown.map(whole).collect()
    }

    /// The best point and level reached from candidates of known worth.
    pub(crate) fn searched(
        &self,
        objective: &dyn Objective,
        effort: SearchEffort,
        (points, worth): (&Mat<f64>, &Table),
        costs: &[Option<f64>],
    ) -> Result<Option<Found>> {
        let occupied = self.occupied();
        let space = self.space();
        Search { space, costs, occupied: &occupied, effort }.run(objective, points, worth)
    }

    /// The best candidate as it is.
    pub(crate) fn unrefined(
        &self,
        (points, worth): (&Mat<f64>, &Table),
        costs: &[Option<f64>],
    ) -> Option<Found> {
        let (space, effort, occupied) = (self.space(), self.search.effort(), self.occupied());
        Search { space, costs, occupied: &occupied, effort }.best_candidate(points, worth)
    }

    fn occupied(&self) -> Vec<Vec<Value>> {
        self.pending().map(|trial| trial.point.clone()).collect()
    }
}

/// `ceil(c T)`, A14.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // c T is small and positive
fn first_phase(c: f64, all_rounds: usize) -> usize {
    // Less a hair, since 0.28 times 25 is a little more than 7 in floating point.
    (c * all_rounds as f64 - 1e-9).ceil().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phase_is_rounded_up() {
        assert_eq!(first_phase(0.6, 20), 12);
        assert_eq!(first_phase(0.61, 20), 13);
        assert_eq!(first_phase(0.28, 25), 7);
        assert_eq!((first_phase(0.0, 5), first_phase(1.0, 5)), (0, 5));
    }
}
