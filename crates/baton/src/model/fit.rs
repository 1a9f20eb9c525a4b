//! From what was known before a task and what it has shown so far to particles over `theta`.
//!
//! Every function here is pure: the same prior, observations and seed give the same particles,
//! whatever happened in between. That is what makes a replayed task continue with the same bits.

use super::belief::{
    Belief, LogDensity, LogPosterior, MapFit, MapSettings, MixturePrior, Particles, Prior, fit_map,
    summits,
};
use super::draws::Around;
use super::note::Note;
use super::priors::{Normal, density};
use super::settings::{ModelSettings, Source, Stein};
use super::surrogate::{
    Earlier, EvidenceScratch, InputKernel, Mean, Noise, Surrogate, SurrogateSettings,
};
use crate::error::Result;
use crate::problem::{Descriptors, Fidelity, History, Space, Units};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};

/// Random starts of a MAP fit, besides the prior's mode, where nothing was handed over.
const EXTRA_STARTS: u32 = 2;

/// Steps of a fit that starts from what was handed over.
const FEW_ITERATIONS: u32 = 15;
/// The same where the place of the shared function is to be found too.
const MORE_ITERATIONS: u32 = 40;

/// Summits closer than this in every parameter, in deviations of its prior, are one mode.
const SAME_MODE: f64 = 0.5;

/// Nats by which particles predict worse that chance does not explain: twenty to one.
const WORSE: f64 = 3.0;
/// Nats beyond which the number says nothing more.
const FARTHEST_APART: f64 = 1e6;

/// The surrogate for these units, with what there is from earlier tasks.
pub(crate) fn surrogate(
    settings: &ModelSettings,
    (space, descriptors): (&Space, &Descriptors),
    fidelities: &[Fidelity],
    units: &Units,
    (earlier, drifting): (Earlier, Vec<(usize, f64)>),
) -> Result<Surrogate> {
    let known: Option<Vec<f64>> = fidelities.iter().map(|f| f.noise_variance).collect();
    let in_units = |variances: Vec<f64>| {
        Noise::Known(variances.into_iter().map(|v| units.variance_to_model(v)).collect())
    };
    let input = settings.input();
    let deep = matches!(input, InputKernel::Deep { .. });
    SurrogateSettings {
        dimension: space.dimension() + descriptors.dimension(),
        descriptors: descriptors.dimension(),
        levels: fidelities.len(),
        input,
        fidelity: settings.fidelity_kernel,
        // The paper's kernel comes with mean 0; the others learn theirs.
        mean: if deep { Mean::Zero } else { Mean::Learned },
        noise: known.map_or(Noise::Learned, in_units),
        earlier,
        drifting,
        link: units.link(),
    }
    .check()
}

/// Belief before the task and the way to move it.
pub(crate) struct Fit<'a> {
    pub source: Source,
    pub surrogate: &'a Surrogate,
    /// of every parameter, before the task
    pub prior: Vec<Normal>,
    /// what earlier tasks handed over
    pub belief: Option<&'a Belief>,
    /// whether particles are moved within a task
    pub refits: bool,
    /// of the task; its step is not used
    pub key: Key,
}

impl Fit<'_> {
    /// A first guess at `theta`: what was handed over, or the prior's mode.
    pub(crate) fn start(&self) -> Vec<f64> {
        self.handed_over().unwrap_or_else(|| self.prior.iter().map(|(mean, _)| *mean).collect())
    }

    fn handed_over(&self) -> Option<Vec<f64>> {
        let staying = self.surrogate.without_drift();
        let belief = self.belief.filter(|belief| belief.fits(&staying))?;
        let mut theta = belief.particles().thetas().first().cloned()?;
        theta.resize(self.surrogate.parameter_count(), 0.0); // where this task lies is not known
        Some(theta)
    }

    /// Particles for the stretch of the task that begins with these observations.
    pub(crate) fn particles(&self, history: &History, notes: &mut Vec<Note>) -> Result<Particles> {
        match self.source {
            Source::PriorDraw => {
                let mut stream = self.key.stream(Purpose::Prior, 0);
                Particles::equal(vec![self.first_prior()?.draw(&mut stream)])
            }
            Source::Map => self.most_probable(history),
            Source::Particles(stein) if self.refits => self.moved(&stein, history, notes),
            Source::Particles(stein) => Particles::equal(self.before_the_task(&stein)?),
        }
    }

    /// Particles to hand to the next task; `None` if the method carries none.
    pub(crate) fn hand_over(
        &self,
        history: &History,
        notes: &mut Vec<Note>,
    ) -> Result<Option<Particles>> {
        match self.source {
            Source::Particles(stein) => {
                let loss = self.loss_by_hand_over(&stein, history)?.filter(|nats| *nats > WORSE);
                notes.extend(loss.map(Note::WorseThanPrior));
                self.moved(&stein, history, notes).map(Some)
            }
            Source::PriorDraw | Source::Map => Ok(None),
        }
    }

    /// How much better fresh draws of the first prior predict these observations than the particles that
    /// were handed over, in nats; `None` if none were.
    fn loss_by_hand_over(&self, stein: &Stein, history: &History) -> Result<Option<f64>> {
        let Some(belief) = self.belief else { return Ok(None) };
        let prior = self.first_prior()?;
        let draw = |v| prior.draw(&mut self.key.stream(Purpose::Prior, v));
        let fresh = self.log_density(&lanes(stein).map(draw).collect::<Vec<_>>(), history);
        let handed_over = self.log_density(belief.particles().thetas(), history);
        Ok(Some((fresh - handed_over).clamp(-FARTHEST_APART, FARTHEST_APART)))
    }

    /// Log density of these observations, averaged over equally probable `thetas`.
    fn log_density(&self, thetas: &[Vec<f64>], history: &History) -> f64 {
        let log = |theta: &Vec<f64>| {
            let evidence = self.surrogate.evidence(theta, history);
            evidence.map_or(f64::NEG_INFINITY, |evidence| -evidence.negative_log)
        };
        let logs: Vec<f64> = thetas.iter().map(log).collect();
        let most = logs.iter().copied().fold(f64::MIN, f64::max);
        let total: f64 = logs.iter().map(|log| (log - most).exp()).sum();
        most + total.max(f64::MIN_POSITIVE).ln() - (logs.len() as f64).ln()
    }

    /// For a batch that is planned before the task (A12): draws of the prior, or the particles handed
    /// over.
    pub(crate) fn batch_particles(
        &self,
        stein: &Stein,
        handed_over: bool,
    ) -> Result<Vec<Vec<f64>>> {
        if handed_over {
            return self.before_the_task(stein);
        }
        let prior = self.first_prior()?;
        Ok(lanes(stein).map(|v| prior.draw(&mut self.key.stream(Purpose::Batch, v))).collect())
    }

    fn first_prior(&self) -> Result<Prior> {
        density(&self.prior).map(Prior::Gaussian)
    }

    /// `p_n`: the first prior, or the density of the particles handed over.
    fn prior(&self, stein: &Stein) -> Result<Prior> {
        match self.belief {
            None => self.first_prior(),
            Some(belief) => {
                let variance = *stein.kde_variance;
                MixturePrior::new(belief.particles().clone(), variance).map(Prior::Mixture)
            }
        }
    }

    /// The particles handed over; where there are none or too few, draws of the prior.
    fn before_the_task(&self, stein: &Stein) -> Result<Vec<Vec<f64>>> {
        let prior = self.prior(stein)?;
        let known = self.belief.map_or(&[][..], |belief| belief.particles().thetas());
        let particle = |v: u32| match known.get(v as usize) {
            Some(theta) => theta.clone(),
            None => prior.draw(&mut self.key.stream(Purpose::Prior, v)),
        };
        Ok(lanes(stein).map(particle).collect())
    }

    fn moved(&self, stein: &Stein, history: &History, notes: &mut Vec<Note>) -> Result<Particles> {
        let prior = self.prior(stein)?;
        let density = LogPosterior { surrogate: self.surrogate, history, prior: &prior };
        let mut thetas = self.before_the_task(stein)?;
        if !history.is_empty() {
            let report = stein.svgd().run(&density, &mut thetas)?;
            let failed = report.failed_scores + report.refused_steps + report.put_back;
            if failed > 0 {
                notes.push(Note::FailedScores(failed));
            }
        }
        Particles::equal(thetas)
    }

    fn most_probable(&self, history: &History) -> Result<Particles> {
        let prior = self.first_prior()?;
        let mode: Vec<f64> = self.prior.iter().map(|(mean, _)| *mean).collect();
        if history.is_empty() {
            return Particles::equal(vec![mode]);
        }
        let density = LogPosterior { surrogate: self.surrogate, history, prior: &prior };
        let (starts, iterations) = if let Some(theta) = self.handed_over() {
            // Close already, but for the place of the shared function.
            let stays = self.surrogate.drift_range().is_empty();
            (vec![theta], if stays { FEW_ITERATIONS } else { MORE_ITERATIONS })
        } else {
            (self.first_starts(&prior), MapSettings::default().iterations)
        };
        let settings = MapSettings { iterations, ..MapSettings::default() };
        let fit = fit_map(&density, &starts, settings)?;
        Particles::equal(vec![fit.theta])
    }

    /// Where a fit starts from if nothing was handed over.
    fn first_starts(&self, prior: &Prior) -> Vec<Vec<f64>> {
        let mode = self.prior.iter().map(|(mean, _)| *mean).collect();
        let draw = |lane| prior.draw(&mut self.key.stream(Purpose::FitStarts, lane));
        std::iter::once(mode).chain((0..EXTRA_STARTS).map(draw)).collect()
    }

    /// So many draws of `theta` around the fitted one and the other modes that a first fit meets. They move with
    /// the modes: the random numbers are the same in every epoch of a task.
    pub(crate) fn draws(
        &self,
        fitted: &[f64],
        history: &History,
        count: u32,
    ) -> Result<Vec<Vec<f64>>> {
        let prior = self.first_prior()?;
        let posterior = LogPosterior { surrogate: self.surrogate, history, prior: &prior };
        let modes = self.modes(fitted, &posterior)?.into_iter();
        let around = modes.map(|mode| Around::mode(&posterior, &self.prior, mode));
        let around = around.collect::<Result<Vec<_>>>()?;
        let most = around.iter().map(Around::log_share).fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = around.iter().map(|a| (a.log_share() - most).exp()).collect();
        let total: f64 = shares.iter().sum();
        let draws = parallel::map(count as usize, |lane| {
            let lane = u32::try_from(lane).unwrap_or(u32::MAX);
            let mut stream = self.key.stream(Purpose::Draws, lane);
            let mut left = total * stream.uniform();
            let beyond = |share: &f64| {
                left -= share;
                left < 0.0
            };
            let chosen = shares.iter().position(beyond).unwrap_or(0);
            around[chosen].draw(&posterior, &mut stream)
        });
        Ok(draws)
    }

    /// The fitted `theta`, and other summits where nothing was handed over to start from.
    fn modes(&self, fitted: &[f64], posterior: &LogPosterior<'_>) -> Result<Vec<MapFit>> {
        let mut slope = vec![0.0; fitted.len()];
        let log_density =
            posterior.log_density(fitted, &mut slope, &mut EvidenceScratch::default())?;
        let mut modes = vec![MapFit { theta: fitted.to_vec(), log_density }];
        if self.handed_over().is_none() {
            let starts = self.first_starts(posterior.prior);
            for summit in summits(posterior, &starts, MapSettings::default())? {
                if summit.log_density.is_finite() && modes.iter().all(|m| self.apart(m, &summit)) {
                    modes.push(summit);
                }
            }
        }
        Ok(modes)
    }

    fn apart(&self, a: &MapFit, b: &MapFit) -> bool {
        let gaps = a.theta.iter().zip(&b.theta).zip(&self.prior);
        gaps.map(|((a, b), (_, deviation))| (a - b).abs() / deviation).any(|gap| gap > SAME_MODE)
    }
}

/// One random stream per particle.
fn lanes(stein: &Stein) -> std::ops::Range<u32> {
    0..u32::try_from(*stein.particles).unwrap_or(u32::MAX)
}
