//! How a task relates to earlier ones, by its own data: not at all, as it is, or at another place; and
//! where tasks are described, as described or not.
//!
//! Each way is a model, fitted to what was told and to what was handed over; they compete by how well
//! they predict what was told. What was handed over is compared with nothing under the same
//! parameters, lest a good fit of few parameters to few observations pass for a better function; and
//! with parameters of the task's own, less what those gain by being fitted.
//!
//! A function that lies at another place has a place to fit for every coordinate: what that
//! flexibility is worth by itself is taken off by Laplace's approximation, `-1/2 log det(1 + tau^2 H)`,
//! with `H` the curvature of the negative log evidence at the fitted place and `tau` the standard
//! deviation of the prior. What earlier tasks said of drift and of being related counts as well.
//!
//! Where tasks are described, drift is what descriptors do not explain: a task's own. Its observations
//! are handed on where they were (`hand_over.rs`), so that a later task can be told its place in advance.
//! Whether descriptions tell anything is decided as all else is: all that was handed over is there a second
//! time, learned as if nothing had been said, and the one that predicts this task and those before better
//! is used. So wrong descriptions cost what it takes to see through them.

use super::condensed::condensed;
use super::frame::Frame;
use super::observation::Observation;
use crate::error::Result;
use crate::model::{Earlier, Note, Particles, Posterior, Surrogate, place_flexibility};
use crate::problem::{History, Link, Units};
use baton_numerics::MatRef;
use std::sync::Arc;

/// Fits in turn with linearisations of the link.
const LINK_ROUNDS: usize = 2;
/// Draws around a fitted `theta`. Every one costs an ask as much as the fitted one does.
const DRAWS: u32 = 4;
/// Nats that parameters fitted to the task's own observations gain by that alone.
const OWN_FIT: f64 = 4.0;
/// So many nats need no comparison with parameters of the task's own.
const CLEARLY: f64 = 4.0;
/// So many nats, for or against what was handed over, decide nothing for later tasks.
pub(crate) const TIE: f64 = 2.0;
/// Odds of drift beyond this are not tried anew in every task.
const SETTLED: f64 = 8.0;

/// What came out.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Comparison {
    /// by how many nats what was handed over predicts the task better than a cold start, and how
    /// many it is given in advance; only once it was put to the test
    pub trust: Option<(f64, f64)>,
    /// by how many nats a function at another place predicts the task better than one that stayed
    pub drift: Option<f64>,
    /// log density of what was told by what was handed over
    pub foretold: Option<f64>,
    /// whether descriptions are passed over
    pub untold: bool,
}

impl Comparison {
    /// Whether what was handed over is left out.
    pub(crate) fn is_cold(&self) -> bool {
        self.trust.is_some_and(|(nats, benefit)| nats + benefit < 0.0)
    }

    /// Whether what was handed over helps by more than a tie; until it is put to the test, it is taken
    /// to. If it does not, what this task does for later ones is likely to be lost on them.
    pub(crate) fn helps(&self) -> bool {
        !self.is_cold() && self.trust.is_none_or(|(nats, _)| nats > TIE)
    }

    /// By how many nats what was handed over predicts the task better this way than another.
    pub(super) fn better_than(&self, other: &Self) -> f64 {
        self.foretold.zip(other.foretold).map_or(0.0, |(a, b)| a - b)
    }

    pub(crate) fn note(&self) -> Option<Note> {
        self.trust.filter(|_| self.is_cold()).map(|(nats, _)| Note::Unrelated(-nats))
    }
}

/// A fitted surrogate.
pub(crate) struct Hypothesis {
    pub surrogate: Arc<Surrogate>,
    pub history: History,
    pub particles: Particles,
    pub notes: Vec<Note>,
    own: usize,
    /// what being able to lie anywhere is worth by itself, in nats
    flexibility: f64,
}

impl Hypothesis {
    /// The model that predicts this task's observations best, told how tasks differ or not.
    pub(crate) fn best(
        frame: &Frame<'_>,
        units: &Units,
        observations: &[Observation],
    ) -> Result<(Self, Comparison)> {
        let told = || Self::of(frame, units, observations, 0.0);
        let Some((untold, odds)) = frame.untold().filter(|_| frame.carries()) else {
            return told();
        };
        let unsaid: Vec<Observation> = observations.iter().map(Observation::untold).collect();
        let untold = || -> Result<(Self, Comparison)> {
            let (model, comparison) = Self::of(&untold, units, &unsaid, 0.0)?;
            Ok((model, Comparison { untold: true, ..comparison }))
        };
        if odds.abs() > SETTLED || observations.is_empty() {
            return if odds < 0.0 { untold() } else { told() };
        }
        let (told, untold) = (told()?, untold()?);
        let nats = told.1.better_than(&untold.1);
        Ok(if nats + odds < 0.0 { untold } else { told })
    }

    /// The model that predicts this task's observations best, by what the frame knows. What was handed
    /// over is given what earlier tasks said for it in advance, and so many nats more.
    pub(super) fn of(
        frame: &Frame<'_>,
        units: &Units,
        observations: &[Observation],
        doubt: f64,
    ) -> Result<(Self, Comparison)> {
        let benefit = frame.knowledge.benefit_of_doubt() + doubt;
        let own = observations.len();
        let all = frame.whole_history(units, observations)?;
        let earlier = frame.earlier();
        if own == 0 || all.len() == own {
            return Ok((
                Self::fit(frame, units, (earlier, false), &all, own)?,
                Comparison::default(),
            ));
        }
        let (warm, drift) = Self::warm(frame, units, earlier, &all, own)?;
        // Flat data speak for a flat function, until a point is tried where a hill is known to be.
        let tested = frame.tested.is_some_and(|tells| own >= tells) || benefit < 0.0;
        let with_shared = warm.log_evidence_beyond_shared()?;
        let untested = Comparison { drift, foretold: Some(with_shared), ..Comparison::default() };
        if !frame.transfer.guard || !tested {
            return Ok((warm, untested));
        }
        let nats = with_shared - warm.log_evidence_alone()?;
        if nats > CLEARLY {
            return Ok((warm, Comparison { trust: Some((nats, benefit)), ..untested }));
        }
        let alone = frame.history(units, observations)?;
        let cold = Self::fit(frame, units, (Earlier::None, false), &alone, own)?;
        let nats = nats.min(with_shared - cold.log_evidence()? + OWN_FIT);
        let comparison = Comparison { trust: Some((nats, benefit)), ..untested };
        Ok((if comparison.is_cold() { cold } else { warm }, comparison))
    }

    /// With what earlier tasks showed, where it was or at another place.
    fn warm(
        frame: &Frame<'_>,
        units: &Units,
        earlier: Earlier,
        all: &History,
        own: usize,
    ) -> Result<(Self, Option<f64>)> {
        let odds = frame.knowledge.drift;
        let can_move = *frame.transfer.drift > 0.0 && !frame.space.graded().is_empty();
        if !can_move || odds < -SETTLED {
            return Ok((Self::fit(frame, units, (earlier, false), all, own)?, None));
        }
        let moved = Self::fit(frame, units, (earlier, true), all, own)?;
        if odds > SETTLED {
            return Ok((moved, None));
        }
        let still = Self::fit(frame, units, (earlier, false), all, own)?;
        let nats = moved.log_evidence()? - still.log_evidence()?;
        Ok((if nats + odds > 0.0 { moved } else { still }, Some(nats)))
    }

    /// Fits a surrogate to what was observed; the last `own` observations are seen through the link.
    pub(crate) fn fit(
        frame: &Frame<'_>,
        units: &Units,
        (earlier, drifts): (Earlier, bool),
        observed: &History,
        own: usize,
    ) -> Result<Self> {
        let surrogate = Arc::new(frame.surrogate(units, earlier, drifts)?);
        let inference = frame.fit(&surrogate);
        let mut notes = Vec::new();
        let first = observed.len() - own;
        let rounds = if units.link() == Link::Identity { 1 } else { LINK_ROUNDS };
        let mut history = surrogate.linearised(&inference.start(), observed, first)?;
        let mut particles = inference.particles(&history, &mut notes)?;
        for _ in 1..rounds {
            history = surrogate.linearised(&particles.thetas()[0], observed, first)?;
            particles = inference.particles(&history, &mut notes)?;
        }
        if units.link() != Link::Identity {
            history = surrogate.linearised(&particles.thetas()[0], observed, first)?;
        }
        let theta = &particles.thetas()[0];
        let flexibility = place_flexibility(&surrogate, theta, &history)?;
        Ok(Self { surrogate, history, particles, notes, own, flexibility })
    }

    /// The same `theta` told all observations of the task by equivalent ones, where it was fitted to a sample.
    pub(crate) fn told_all(
        self,
        frame: &Frame<'_>,
        units: &Units,
        observations: &[Observation],
    ) -> Result<Self> {
        if observations.len() == self.own {
            return Ok(self);
        }
        let observed = frame.history(units, observations)?;
        let promise = self.means_at_top(observed.points())?;
        let (theta, most) = (self.theta(), frame.most_own() + frame.most_own() / 2);
        let own = condensed(&self.surrogate, theta, &observed, (&promise, most))?;
        let before = self.history.until(self.history.len() - self.own);
        Ok(Self { history: before.followed_by(&own)?, own: own.len(), ..self })
    }

    /// What is expected at these points at the highest fidelity.
    fn means_at_top(&self, points: MatRef<'_, f64>) -> Result<Vec<f64>> {
        let (surrogate, theta) = (Arc::clone(&self.surrogate), self.theta().to_vec());
        let posterior = Posterior::new(surrogate, theta, self.history.clone())?;
        let prediction = posterior.predict(points)?;
        Ok(prediction.mean.row(prediction.levels() - 1).collect())
    }

    /// Those of this task, as they are.
    pub(crate) fn own_history(&self) -> Result<History> {
        self.history.since(self.history.len() - self.own)
    }

    /// Draws of `theta` around the most probable one.
    pub(crate) fn draws(&self, frame: &Frame<'_>) -> Result<Particles> {
        Particles::equal(frame.fit(&self.surrogate).draws(self.theta(), &self.history, DRAWS)?)
    }

    /// The most probable `theta`, or the first of several.
    pub(crate) fn theta(&self) -> &[f64] {
        &self.particles.thetas()[0]
    }

    fn log_evidence(&self) -> Result<f64> {
        let evidence = self.surrogate.evidence(self.theta(), &self.history)?;
        Ok(-evidence.negative_log - self.flexibility)
    }

    /// The same of the last `own` observations, as if nothing had been handed over but `theta`.
    fn log_evidence_alone(&self) -> Result<f64> {
        Ok(-self.surrogate.evidence(self.theta(), &self.own_history()?)?.negative_log)
    }

    /// The same of the last `own` observations, given those before.
    fn log_evidence_beyond_shared(&self) -> Result<f64> {
        let shared = self.history.until(self.history.len() - self.own);
        let before = self.surrogate.evidence(self.theta(), &shared)?.negative_log;
        Ok(self.log_evidence()? + before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_no_verdict() {
        let after = |trust| Comparison { trust, ..Comparison::default() };
        let says =
            |nats: f64| (after(Some((nats, 1.0))).is_cold(), after(Some((nats, 1.0))).helps());
        assert_eq!(
            [-1.5, -0.5, 1.5, 2.5].map(says),
            [(true, false), (false, false), (false, false), (false, true)]
        );
        assert!(!after(Some((2.5, -3.0))).helps(), "too many tasks before were unrelated");
        assert!(!after(None).is_cold() && after(None).helps(), "it was not put to the test");
    }
}
