//! The fitted model of a task: a posterior per particle, up to date with what was told.

use super::frame::Frame;
use super::hypotheses::{Comparison, Hypothesis};
use super::observation::Observation;
use crate::error::{Error, Result};
use crate::model::{Note, Particles, Posterior, Surrogate};
use crate::problem::{History, Units};
use baton_numerics::parallel;
use std::borrow::Cow;
use std::sync::Arc;

/// Posteriors of all particles.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub units: Units,
    pub posteriors: Vec<Posterior>,
    pub weights: Vec<f64>,
    /// the same of parameters drawn around the one that was fitted, for the gain about them; none where
    /// that is not valued
    pub draws: Vec<Posterior>,
    pub draw_weights: Vec<f64>,
    /// how this task was found to relate to earlier ones
    pub comparison: Comparison,
    /// of the inference; those of the factors are added by [`Fitted::notes`]
    notes: Vec<Note>,
}

impl Fitted {
    /// To these observations.
    pub(crate) fn to(frame: &Frame<'_>, observations: &[Observation]) -> Result<Self> {
        let units = frame.units(observations)?;
        let sample = frame.sample(&units, observations);
        let (model, comparison) = Hypothesis::best(frame, &units, &sample)?;
        let untold = frame.untold().filter(|_| comparison.untold).map(|(frame, _)| frame);
        let frame = untold.as_ref().unwrap_or(frame);
        // Where what was handed over does not help, what this task teaches would not help later ones.
        let wanted = frame.draws && comparison.helps() && !observations.is_empty();
        let drawn = wanted.then(|| model.draws(frame));
        let all: Cow<'_, [Observation]> = if comparison.untold {
            observations.iter().map(Observation::untold).collect()
        } else {
            Cow::Borrowed(observations)
        };
        let model = model.told_all(frame, &units, &all)?;
        let Hypothesis { surrogate, history, particles, mut notes, .. } = model;
        let (posteriors, weights) = condition(&surrogate, &particles, &history, &mut notes)?;
        let drawn = drawn.map(|drawn| condition(&surrogate, &drawn?, &history, &mut notes));
        let (draws, draw_weights) = drawn
            .transpose()
            .unwrap_or_else(|error| {
                notes.push(Note::NothingForLater(error.to_string()));
                None
            })
            .unwrap_or_default();
        Ok(Self { units, posteriors, weights, draws, draw_weights, comparison, notes })
    }

    /// Takes in one more observation without a new fit.
    pub(crate) fn observe(&mut self, observation: &Observation) -> Result<()> {
        let Observation { level, value, noise, .. } = observation;
        let whole =
            if self.comparison.untold { &observation.coordinates } else { &observation.whole() };
        let value = self.units.to_model(*value);
        let noise = noise.map(|variance| self.units.variance_to_model(variance));
        let observe =
            |posterior: &mut Posterior| posterior.observe_measured(whole, *level, value, noise);
        let results: Vec<Result<()>> = self.posteriors.iter_mut().map(observe).collect();
        let first_failure = results.iter().find_map(|result| result.clone().err());
        let dropped = keep(&mut self.posteriors, &mut self.weights, &results);
        if let Some(error) = first_failure.filter(|_| self.posteriors.is_empty()) {
            return Err(error);
        }
        let results: Vec<Result<()>> = self.draws.iter_mut().map(observe).collect();
        let dropped = dropped + keep(&mut self.draws, &mut self.draw_weights, &results);
        if dropped > 0 {
            self.notes.push(Note::DroppedParticles(dropped));
        }
        Ok(())
    }

    /// The models as they would be if the observations that `theta` was fitted to were all, each as it was:
    /// which these are, and the models. Nothing where there are no others.
    pub(crate) fn of_sample(
        &self,
        frame: &Frame<'_>,
        observations: &[Observation],
    ) -> Result<Option<(Vec<usize>, Vec<Posterior>)>> {
        let Some(sampled) = frame.sampled(&self.units, observations) else { return Ok(None) };
        let untold = frame.untold().filter(|_| self.comparison.untold).map(|(frame, _)| frame);
        let frame = untold.as_ref().unwrap_or(frame);
        let seen = |i: &usize| match untold {
            Some(_) => observations[*i].untold(),
            None => observations[*i].clone(),
        };
        let own: Vec<Observation> = sampled.iter().map(seen).collect();
        let told = |posterior: &Posterior| {
            let surrogate = posterior.surrogate();
            let levels = posterior.history().levels();
            let history = if levels.iter().any(|level| *level >= surrogate.levels()) {
                frame.whole_history(&self.units, &own)?
            } else {
                frame.history(&self.units, &own)?
            };
            let earlier = history.len() - own.len();
            posterior.told(surrogate.linearised(posterior.theta(), &history, earlier)?)
        };
        let posteriors = self.posteriors.iter().map(told).collect::<Result<_>>()?;
        Ok(Some((sampled, posteriors)))
    }

    /// From now on it is asked about points at this description of the task, if it listens to it.
    pub(crate) fn look_at(&mut self, place: &[f64]) -> Result<()> {
        let place = if self.comparison.untold { &[] } else { place };
        let mut all = self.posteriors.iter_mut().chain(&mut self.draws);
        all.try_for_each(|posterior| posterior.look_at(place))
    }

    /// What had to be survived to get here.
    pub(crate) fn notes(&self) -> Vec<Note> {
        let mut notes = self.notes.clone();
        let jitter = self.posteriors.iter().map(Posterior::jitter).fold(0.0, f64::max);
        if jitter > 0.0 {
            notes.push(Note::Jitter(jitter));
        }
        notes.extend(self.comparison.note());
        notes
    }
}

/// Drops the particles that could not take in an observation; how many.
fn keep(posteriors: &mut Vec<Posterior>, weights: &mut Vec<f64>, results: &[Result<()>]) -> usize {
    if results.iter().all(Result::is_ok) {
        return 0;
    }
    let mut sound = results.iter().map(Result::is_ok);
    posteriors.retain(|_| sound.next().unwrap_or(false));
    let mut sound = results.iter().map(Result::is_ok);
    weights.retain(|_| sound.next().unwrap_or(false));
    normalise(weights);
    results.len() - posteriors.len()
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
