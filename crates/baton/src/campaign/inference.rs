//! From what was known before a task and what it has shown so far to particles over `theta`.
//!
//! Every function here is pure: the same knowledge, observations and seed give the same particles,
//! whatever happened in between. That is what makes a replayed task continue with the same bits.

use super::method::ThetaSource;
use super::priors;
use super::settings::{Settings, Transfer};
use super::trial::Note;
use crate::belief::{
    GaussianPrior, LogPosterior, MapSettings, MixturePrior, Particles, Prior, fit_map,
};
use crate::error::Result;
use crate::knowledge::Knowledge;
use crate::problem::{Fidelity, History, Space, Units};
use crate::surrogate::{Earlier, Mean, Noise, Surrogate, SurrogateSettings};
use baton_numerics::random::{Key, Purpose};

/// Random starts of a MAP fit, besides the prior's mode, where nothing was handed over.
const EXTRA_STARTS: u32 = 2;

/// Steps of a fit that starts from what was handed over.
const FEW_ITERATIONS: u32 = 15;
/// The same where the place of the shared function is to be found too.
const MORE_ITERATIONS: u32 = 40;

/// The surrogate for these units, with what there is from earlier tasks.
pub(super) fn surrogate(
    settings: &Settings,
    space: &Space,
    fidelities: &[Fidelity],
    units: &Units,
    (earlier, drifts): (Earlier, bool),
) -> Result<Surrogate> {
    let known: Option<Vec<f64>> = fidelities.iter().map(|f| f.noise_variance).collect();
    let in_units = |variances: Vec<f64>| {
        Noise::Known(variances.into_iter().map(|v| units.variance_to_model(v)).collect())
    };
    let deep = matches!(settings.kernel, crate::surrogate::InputKernel::Deep { .. });
    SurrogateSettings {
        dimension: space.dimension(),
        levels: fidelities.len(),
        input: settings.kernel.clone(),
        fidelity: settings.fidelity_kernel,
        // The paper's kernel comes with mean 0; the others learn theirs.
        mean: if deep { Mean::Zero } else { Mean::Learned },
        noise: known.map_or(Noise::Learned, in_units),
        earlier,
        drifting: if drifts { space.graded() } else { Vec::new() },
        link: units.link(),
    }
    .check()
}

/// Belief before the task and the way to move it.
pub(super) struct Inference<'a> {
    pub settings: &'a Settings,
    pub surrogate: &'a Surrogate,
    pub knowledge: &'a Knowledge,
    /// of the task; its step is not used
    pub key: Key,
}

impl Inference<'_> {
    /// A first guess at `theta`: what was handed over, or the prior's mode.
    pub(super) fn start(&self) -> Result<Vec<f64>> {
        match self.handed_over() {
            Some(theta) => Ok(theta),
            None => Ok(self.first_prior()?.mean().to_vec()),
        }
    }

    fn handed_over(&self) -> Option<Vec<f64>> {
        let staying = self.surrogate.without_drift();
        let belief = self.knowledge.belief.as_ref().filter(|belief| belief.fits(&staying))?;
        let mut theta = belief.particles().thetas().first().cloned()?;
        theta.resize(self.surrogate.parameter_count(), 0.0); // where this task lies is not known
        Some(theta)
    }

    /// Particles for the stretch of the task that begins with these observations.
    pub(super) fn particles(&self, history: &History, notes: &mut Vec<Note>) -> Result<Particles> {
        match self.settings.method.plan().source {
            ThetaSource::PriorDraw => {
                let mut stream = self.key.stream(Purpose::Prior, 0);
                Particles::equal(vec![Prior::Gaussian(self.first_prior()?).draw(&mut stream)])
            }
            ThetaSource::Map => self.most_probable(history),
            ThetaSource::Particles if self.settings.refit_every == 0 => {
                Particles::equal(self.before_the_task()?)
            }
            ThetaSource::Particles => self.moved(history, notes),
        }
    }

    /// Particles to hand to the next task; `None` if the method carries none.
    pub(super) fn hand_over(
        &self,
        history: &History,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Particles>> {
        match self.settings.method.plan().source {
            ThetaSource::Particles => self.moved(history, notes).map(Some),
            ThetaSource::Map if self.settings.transfer != Transfer::None => {
                self.most_probable(history).map(Some)
            }
            ThetaSource::PriorDraw | ThetaSource::Map => Ok(None),
        }
    }

    /// Draws of the prior for the planned batch (A12), or the particles before the task.
    pub(super) fn batch_particles(&self) -> Result<Vec<Vec<f64>>> {
        if self.settings.batch_from_particles {
            return self.before_the_task();
        }
        let prior = Prior::Gaussian(self.first_prior()?);
        Ok(self.lanes().map(|v| prior.draw(&mut self.key.stream(Purpose::Batch, v))).collect())
    }

    fn first_prior(&self) -> Result<GaussianPrior> {
        priors::density(&priors::before_a_task(self.settings, self.surrogate, self.knowledge))
    }

    fn lanes(&self) -> std::ops::Range<u32> {
        0..u32::try_from(self.settings.particles).unwrap_or(u32::MAX)
    }

    /// `p_n`: the first prior, or the density of the particles handed over.
    fn prior(&self) -> Result<Prior> {
        match &self.knowledge.belief {
            None => Ok(Prior::Gaussian(self.first_prior()?)),
            Some(belief) => {
                let variance = self.settings.kde_variance;
                MixturePrior::new(belief.particles().clone(), variance).map(Prior::Mixture)
            }
        }
    }

    /// The particles handed over; where there are none or too few, draws of the prior.
    fn before_the_task(&self) -> Result<Vec<Vec<f64>>> {
        let prior = self.prior()?;
        let known = self.knowledge.belief.as_ref().map_or(&[][..], |b| b.particles().thetas());
        let particle = |v: u32| match known.get(v as usize) {
            Some(theta) => theta.clone(),
            None => prior.draw(&mut self.key.stream(Purpose::Prior, v)),
        };
        Ok(self.lanes().map(particle).collect())
    }

    fn moved(&self, history: &History, notes: &mut Vec<Note>) -> Result<Particles> {
        let prior = self.prior()?;
        let density = LogPosterior { surrogate: self.surrogate, history, prior: &prior };
        let mut thetas = self.before_the_task()?;
        if !history.is_empty() {
            let report = self.settings.svgd.run(&density, &mut thetas)?;
            let failed = report.failed_scores + report.refused_steps;
            if failed > 0 {
                notes.push(Note::FailedScores(failed));
            }
        }
        Particles::equal(thetas)
    }

    fn most_probable(&self, history: &History) -> Result<Particles> {
        let first = self.first_prior()?;
        let mode = first.mean().to_vec();
        let prior = Prior::Gaussian(first);
        if history.is_empty() {
            return Particles::equal(vec![mode]);
        }
        let density = LogPosterior { surrogate: self.surrogate, history, prior: &prior };
        let (starts, iterations) = if let Some(theta) = self.handed_over() {
            // Close already, but for the place of the shared function.
            let stays = self.surrogate.drift_range().is_empty();
            (vec![theta], if stays { FEW_ITERATIONS } else { MORE_ITERATIONS })
        } else {
            let draw = |lane| prior.draw(&mut self.key.stream(Purpose::FitStarts, lane));
            let starts = std::iter::once(mode).chain((0..EXTRA_STARTS).map(draw));
            (starts.collect(), MapSettings::default().iterations)
        };
        let settings = MapSettings { iterations, ..MapSettings::default() };
        let fit = fit_map(&density, &starts, settings)?;
        Particles::equal(vec![fit.theta])
    }
}
