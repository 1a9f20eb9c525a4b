//! An epoch: the stretch of a task between two changes of the particles.
//!
//! Epochs begin at counts of tells that are fixed in advance. When one begins, particles are
//! inferred anew from the observations up to there and factored; until it ends, factors are only
//! extended, row by row in the order of tells. So the bits of an ask depend on the observations and
//! their order, never on when asks happened or whether the process was restarted.

use super::contest::{Contest, Model};
use super::inference::{self, Inference};
use super::settings::{Settings, Transfer};
use super::trial::Note;
use crate::belief::Particles;
use crate::error::{Error, Result};
use crate::knowledge::Knowledge;
use crate::problem::{Fidelity, Goal, History, Link, Space, Units};
use crate::surrogate::{Earlier, Posterior, Surrogate};
use baton_numerics::parallel;
use baton_numerics::random::Key;
use std::sync::Arc;

/// Observations needed for a scale of their own.
const LEAST_FOR_UNITS: usize = 2;

/// A told value: where, at which level, what.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Observation {
    pub coordinates: Vec<f64>,
    pub level: usize,
    /// in the user's units
    pub value: f64,
    /// the variance of its noise in the square of these units, where it is known
    pub noise: Option<f64>,
}

/// What an epoch is inferred from, besides observations.
pub(super) struct Frame<'a> {
    pub settings: &'a Settings,
    pub space: &'a Space,
    pub fidelities: &'a [Fidelity],
    pub goal: Goal,
    pub knowledge: &'a Knowledge,
    /// of the task
    pub key: Key,
    /// size of the first design
    pub initial: usize,
    /// tells after which what was handed over has been put to the test
    pub tested: Option<usize>,
}

/// Posteriors of all particles, up to date with the observations.
#[derive(Debug, Clone)]
pub(super) struct Epoch {
    /// tells when it began
    began: usize,
    /// tells it has taken in
    tells: usize,
    pub units: Units,
    pub posteriors: Vec<Posterior>,
    pub weights: Vec<f64>,
    /// how this task was found to relate to earlier ones
    pub contest: Contest,
    /// of the inference; those of the factors are added by [`Epoch::notes`]
    notes: Vec<Note>,
}

/// Tells at which the epoch of a given count of tells began: at every one during the first design,
/// then after `refit_every` more or an eighth of what there is, whichever is more.
pub(super) fn began(tells: usize, initial: usize, refit_every: usize) -> usize {
    let initial = initial.max(LEAST_FOR_UNITS);
    if tells <= initial {
        return tells;
    }
    if refit_every == 0 {
        return initial;
    }
    let mut begin = initial;
    loop {
        let next = begin.saturating_add(refit_every.max(begin / 8));
        if next > tells {
            return begin;
        }
        begin = next;
    }
}

impl Frame<'_> {
    /// The units of these observations, with a floor where the link is one for peaks.
    pub(super) fn units(&self, observations: &[Observation]) -> Result<Units> {
        let units = self.lasting_units(observations)?;
        if units.link() == Link::Identity {
            return Ok(units);
        }
        Ok(units.with_floor(&observations.iter().map(|o| o.value).collect::<Vec<f64>>()))
    }

    /// Handed over, given, or those of the first design.
    fn lasting_units(&self, observations: &[Observation]) -> Result<Units> {
        if let Some(units) = self.knowledge.units {
            return Ok(units);
        }
        if self.settings.offset.is_some() || self.settings.scale.is_some() {
            let offset = self.settings.offset.unwrap_or(0.0);
            let units = Units::new(self.goal, offset, self.settings.scale.unwrap_or(1.0))?;
            return Ok(units.with_link(self.settings.link));
        }
        let values: Vec<f64> = observations.iter().map(|o| o.value).collect();
        let first = values.len().min(self.initial.max(LEAST_FOR_UNITS));
        let link = self.settings.link;
        // Without a floor a penalty is seen as deep as it is, and has to set the scale.
        if link == Link::Identity {
            return Ok(Units::of(self.goal, &values[..first]));
        }
        let tells = |count: &usize| !Units::tell_no_scale(self.goal, &values[..*count]);
        let enough = (first..=values.len()).find(tells).unwrap_or(first);
        Ok(Units::of_allowed(self.goal, &values[..enough]).with_link(link))
    }

    /// Whether there are enough observations for units that later tasks can rely on.
    pub(super) fn knows_units(&self, observations: &[Observation]) -> bool {
        let given = self.settings.offset.is_some() || self.settings.scale.is_some();
        let enough = observations.len() >= self.initial.max(LEAST_FOR_UNITS);
        self.knowledge.units.is_some() || given || enough
    }

    /// The surrogate of this task's observations, with those of earlier tasks or without.
    pub(super) fn surrogate(
        &self,
        units: &Units,
        earlier: Earlier,
        drifts: bool,
    ) -> Result<Surrogate> {
        let Self { settings, space, fidelities, .. } = *self;
        inference::surrogate(settings, space, fidelities, units, (earlier, drifts))
    }

    /// Which observations of earlier tasks the method uses.
    pub(super) fn earlier(&self) -> Earlier {
        match (self.settings.transfer, &self.knowledge.shared) {
            (Transfer::None, _) => Earlier::None,
            (_, Some(shared)) => shared.earlier(),
            (Transfer::Compact, None) => Earlier::Compact,
            (Transfer::Exact, None) => Earlier::Tasks(0),
        }
    }

    pub(super) fn inference<'b>(&'b self, surrogate: &'b Surrogate) -> Inference<'b> {
        let Self { settings, knowledge, key, .. } = *self;
        Inference { settings, surrogate, knowledge, key }
    }

    /// Observations in the surrogate's units.
    pub(super) fn history(&self, units: &Units, observations: &[Observation]) -> Result<History> {
        Self::extended(History::new(self.space.dimension()), units, observations)
    }

    /// The same after those of earlier tasks.
    pub(super) fn whole_history(
        &self,
        units: &Units,
        observations: &[Observation],
    ) -> Result<History> {
        let (dimension, levels) = (self.space.dimension(), self.fidelities.len());
        let shared = self.knowledge.shared.as_ref();
        let shared = shared.filter(|_| self.settings.transfer != Transfer::None);
        let before = shared.map(|shared| shared.history(dimension, levels)).transpose()?;
        Self::extended(before.unwrap_or_else(|| History::new(dimension)), units, observations)
    }

    fn extended(
        mut history: History,
        units: &Units,
        observations: &[Observation],
    ) -> Result<History> {
        for Observation { coordinates, level, value, noise } in observations {
            let noise = noise.map(|variance| units.variance_to_model(variance));
            history.push_measured(coordinates, *level, units.to_model(*value), noise)?;
        }
        Ok(history)
    }
}

impl Epoch {
    /// The epoch of these observations: `before`, if that can be extended, else a new one.
    pub(super) fn current(
        before: Option<Self>,
        frame: &Frame<'_>,
        observations: &[Observation],
    ) -> Result<Self> {
        let begin = began(observations.len(), frame.initial, frame.settings.refit_every);
        let tested = frame.tested.filter(|tells| *tells <= observations.len());
        let begin = tested.map_or(begin, |t| begin.max(t));
        let mut epoch = match before {
            Some(epoch) if epoch.began == begin && epoch.tells <= observations.len() => epoch,
            _ => Self::begin(frame, &observations[..begin])?,
        };
        epoch.extend(&observations[epoch.tells..])?;
        Ok(epoch)
    }

    fn begin(frame: &Frame<'_>, observations: &[Observation]) -> Result<Self> {
        let units = frame.units(observations)?;
        let benefit = frame.knowledge.benefit_of_doubt();
        let (model, contest) = Model::of_task(frame, &units, observations, benefit)?;
        let Model { surrogate, history, particles, mut notes, .. } = model;
        let (posteriors, weights) = condition(&surrogate, &particles, &history, &mut notes)?;
        let began = observations.len();
        Ok(Self { began, tells: began, units, posteriors, weights, contest, notes })
    }

    fn extend(&mut self, observations: &[Observation]) -> Result<()> {
        for Observation { coordinates, level, value, noise } in observations {
            let value = self.units.to_model(*value);
            let noise = noise.map(|variance| self.units.variance_to_model(variance));
            let observe = |posterior: &mut Posterior| {
                posterior.observe_measured(coordinates, *level, value, noise)
            };
            let results: Vec<Result<()>> = self.posteriors.iter_mut().map(observe).collect();
            self.keep(&results)?;
            self.tells += 1;
        }
        Ok(())
    }

    /// Drops the particles that could not take in an observation; an error if none could.
    fn keep(&mut self, results: &[Result<()>]) -> Result<()> {
        let Some(Err(error)) = results.iter().find(|result| result.is_err()) else { return Ok(()) };
        if results.iter().all(Result::is_err) {
            return Err(error.clone());
        }
        let mut sound = results.iter().map(Result::is_ok);
        self.posteriors.retain(|_| sound.next().unwrap_or(false));
        let mut sound = results.iter().map(Result::is_ok);
        self.weights.retain(|_| sound.next().unwrap_or(false));
        normalise(&mut self.weights);
        self.notes.push(Note::DroppedParticles(results.len() - self.posteriors.len()));
        Ok(())
    }

    /// What had to be survived to get here.
    pub(super) fn notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        let jitter = self.posteriors.iter().map(Posterior::jitter).fold(0.0, f64::max);
        if jitter > 0.0 {
            notes.push(Note::Jitter(jitter));
        }
        notes.extend(self.contest.note());
        notes
    }
}

/// Posteriors of the particles that have one, and their weights.
fn condition(
    surrogate: &Arc<Surrogate>,
    particles: &Particles,
    history: &History,
    notes: &mut Vec<Note>,
) -> Result<(Vec<Posterior>, Vec<f64>)> {
    let results = parallel::map(particles.count(), |v| {
        Posterior::new(Arc::clone(surrogate), particles.thetas()[v].clone(), history.clone())
    });
    let (mut posteriors, mut weights) = (Vec::new(), Vec::new());
    let mut failure = None;
    for (result, weight) in results.into_iter().zip(particles.weights()) {
        match result {
            Ok(posterior) => {
                posteriors.push(posterior);
                weights.push(*weight);
            }
            Err(error) => failure = Some(error),
        }
    }
    let dropped = particles.count() - posteriors.len();
    if dropped > 0 {
        notes.push(Note::DroppedParticles(dropped));
    }
    normalise(&mut weights);
    match failure {
        Some(error) if posteriors.is_empty() => Err(error),
        _ if posteriors.is_empty() => {
            Err(Error::OutOfRange { what: "number of particles", value: 0.0, must: "at least 1" })
        }
        _ => Ok((posteriors, weights)),
    }
}

fn normalise(weights: &mut [f64]) {
    let total: f64 = weights.iter().sum();
    for weight in weights {
        *weight /= total;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_begin_at_fixed_counts() {
        let begins = |every: usize| -> Vec<usize> { (0..30).map(|t| began(t, 4, every)).collect() };
        assert!(begins(0)[4..].iter().all(|begin| *begin == 4));
        assert_eq!(begins(5)[..10], [0, 1, 2, 3, 4, 4, 4, 4, 4, 9]);
        assert_eq!(began(1000, 4, 5), began(1000, 4, 5));
        for tells in 1..2000 {
            let begin = began(tells, 4, 5);
            assert!(begin <= tells && begin >= began(tells - 1, 4, 5));
        }
        assert!(
            (200..400).map(|t| began(t, 4, 5)).collect::<std::collections::BTreeSet<_>>().len() < 9
        );
    }
}
