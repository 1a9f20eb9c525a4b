//! The fitted model of a task: a posterior per particle, up to date with what was told.

use super::frame::Frame;
use super::hypotheses::{Comparison, Hypothesis};
use super::observation::Observation;
use crate::error::{Error, Result};
use crate::model::{Note, Particles, Posterior, Surrogate};
use crate::problem::{History, Units};
use baton_numerics::parallel;
use std::sync::Arc;

/// Posteriors of all particles.
#[derive(Debug, Clone)]
pub(crate) struct Fitted {
    pub units: Units,
    pub posteriors: Vec<Posterior>,
    pub weights: Vec<f64>,
    /// how this task was found to relate to earlier ones
    pub comparison: Comparison,
    /// of the inference; those of the factors are added by [`Fitted::notes`]
    notes: Vec<Note>,
}

impl Fitted {
    /// To these observations.
    pub(crate) fn to(frame: &Frame<'_>, observations: &[Observation]) -> Result<Self> {
        let units = frame.units(observations)?;
        let benefit = frame.knowledge.benefit_of_doubt();
        let (model, comparison) = Hypothesis::best(frame, &units, observations, benefit)?;
        let Hypothesis { surrogate, history, particles, mut notes, .. } = model;
        let (posteriors, weights) = condition(&surrogate, &particles, &history, &mut notes)?;
        Ok(Self { units, posteriors, weights, comparison, notes })
    }

    /// Takes in one more observation without a new fit.
    pub(crate) fn observe(&mut self, observation: &Observation) -> Result<()> {
        let Observation { level, value, noise, .. } = observation;
        let whole = observation.whole();
        let value = self.units.to_model(*value);
        let noise = noise.map(|variance| self.units.variance_to_model(variance));
        let observe =
            |posterior: &mut Posterior| posterior.observe_measured(&whole, *level, value, noise);
        let results: Vec<Result<()>> = self.posteriors.iter_mut().map(observe).collect();
        self.keep(&results)
    }

    /// From now on it is asked about points at this description of the task.
    pub(crate) fn look_at(&mut self, place: &[f64]) -> Result<()> {
        self.posteriors.iter_mut().try_for_each(|posterior| posterior.look_at(place))
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
