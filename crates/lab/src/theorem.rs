//! Theorem 1 of the paper in numbers: the terms of its bound, computed from the trials of a task.
//!
//! `R = sum_t r_t <= (nu + Delta) sqrt(zeta T rho)`, over the `T` trials of a task that are for its optimum:
//!
//! | term | formula | here |
//! |---|---|---|
//! | `theta*` | parameters of the process that tasks are drawn from | no such process: the most probable ones given points of several tasks, scattered and around their optima ([`Truth::of`]) |
//! | `r_t` | `m_t - mu(x_t)`, (40) and (57) | `m_t` the expected maximum as in (42), moments given all earlier trials of the task |
//! | `nu` | `max_t min_x (m_t - mu(x)) / sigma(x)`, (47) | minimum over the candidates of an ask and the points tried |
//! | `Delta` | `max_t` of `r_t / sigma(x_t)` less that minimum, (56): what not knowing `theta*` costs | measured; the theorem has `epsilon L xi / ((n - 1) (1 - c)^a T^a)`, whose constants are not known |
//! | `rho` | `max_A I(y_A; f_A)`, (65), (66) | by greedy choice, divided by `1 - 1/e`; at most `T/2 log(1 + s / sigma^2)` |
//! | `zeta` | `2 / log(1 + sigma^-2)` for kernels up to 1 | `2 s / log(1 + s / sigma^2)` for kernels up to `s` |
//!
//! Erratum E12: the proof needs the largest `nu` plus the largest `Delta`, each at its own `t`.

use crate::LabError;
use baton::Trial;
use baton::acquisition::{Gumbel, SearchEffort, candidates};
use baton::model::{
    Belief, Earlier, EvidenceScratch, FidelityKernel, GaussianPrior, InputKernel, LogDensity,
    LogPosterior, MapSettings, Mean, Noise, Posterior, Prior, Surrogate, SurrogateSettings,
    fit_map,
};
use baton::problem::{History, Link, Space, Value};
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, sobol};
use baton_problems::{Benchmark, Description, Family};
use std::sync::Arc;

/// Points per task, and tasks, that `theta*` is fitted to.
const POINTS: usize = 96;
const TASKS: u64 = 4;
/// Standard deviation of the steps around an optimum.
const AROUND: f64 = 0.15;
/// Prior variance of every parameter (A4).
const VARIANCE: f64 = 0.5;
const EFFORT: SearchEffort = SearchEffort { candidates: 1024, starts: 0, walks: 0, iterations: 0 };

/// The terms of one task, in the problem's units where they have any.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Terms {
    /// trials for the optimum, `T`
    pub rounds: usize,
    /// cumulative regret of their points
    pub measured: f64,
    /// the same as expected by `theta*`, the left side of the theorem
    pub expected: f64,
    /// the largest of the smallest normalised regrets
    pub nu: f64,
    /// the largest effect of the belief over `theta`
    pub delta: f64,
    /// sum of the deviations at the points tried
    pub deviations: f64,
    /// sum of their squares
    pub variances: f64,
    /// the right side without the first factor: `sqrt(zeta T rho)`
    pub width: f64,
    /// information about the function in the trials, nats
    pub information: f64,
    /// bound on the information in any so many trials, nats
    pub most_information: f64,
}

impl Terms {
    /// The theorem's right side.
    pub fn bound(&self) -> f64 {
        (self.nu + self.delta) * self.width
    }

    /// The same if `theta*` were known: Lemma 1.
    pub fn bound_if_known(&self) -> f64 {
        self.nu * self.width
    }

    /// By which factors the three steps of the proof exceed what they bound: the worst trial for all, the
    /// sum of deviations by that of variances, and these by the largest information.
    pub fn steps(&self) -> [f64; 3] {
        let by_variances = (self.rounds as f64 * self.variances).sqrt();
        [
            (self.nu + self.delta) * self.deviations / self.expected,
            by_variances / self.deviations,
            self.width / by_variances,
        ]
    }
}

/// The process that tasks are taken to be drawn from.
pub struct Truth {
    surrogate: Arc<Surrogate>,
    theta: Vec<f64>,
    description: Description,
    /// information of the first, the first two, .. points of a greedy choice
    greedy: Vec<f64>,
    /// variance of the process, and of the noise at the highest fidelity
    height: f64,
    noise: f64,
}

/// Evidence of several tasks with one prior.
struct Pooled<'a> {
    surrogate: &'a Surrogate,
    tasks: &'a [History],
    prior: &'a Prior,
}

impl LogDensity for Pooled<'_> {
    type Scratch = EvidenceScratch;

    fn dimension(&self) -> usize {
        self.surrogate.parameter_count()
    }

    fn log_density(
        &self,
        theta: &[f64],
        gradient: &mut [f64],
        scratch: &mut EvidenceScratch,
    ) -> baton::Result<f64> {
        let mut total = 0.0;
        let mut sum = vec![0.0; theta.len()];
        for (number, history) in self.tasks.iter().enumerate() {
            let prior = self.prior;
            let posterior = LogPosterior { surrogate: self.surrogate, history, prior };
            total += posterior.log_density(theta, gradient, scratch)?;
            if number > 0 {
                let mut twice = vec![0.0; theta.len()];
                total -= prior.add_log_density(theta, &mut twice)?;
                gradient.iter_mut().zip(&twice).for_each(|(g, t)| *g -= t);
            }
            sum.iter_mut().zip(&*gradient).for_each(|(s, g)| *s += g);
        }
        gradient.copy_from_slice(&sum);
        Ok(total)
    }
}

impl Truth {
    /// Fitted to points of the first tasks of a family, with the surrogate of preset `calibrated`.
    ///
    /// # Errors
    /// If the noise of a fidelity is not known or the fit fails.
    pub fn of(family: &dyn Family, rounds: usize) -> Result<Self, LabError> {
        let description = family.description();
        let (dimension, levels) = (description.space.dimension(), description.fidelities.len());
        let variance = |known: f64| known / (description.scale * description.scale);
        let known = description.fidelities.iter().map(|f| f.noise_variance.map(variance));
        let unknown = || LabError::Record("the noise of a fidelity is not known".into());
        let known = known.collect::<Option<Vec<f64>>>().ok_or_else(unknown)?;
        let noise = known[levels - 1];
        let surrogate = SurrogateSettings {
            dimension,
            levels,
            input: InputKernel::Rbf,
            fidelity: FidelityKernel::Rbf,
            mean: Mean::Learned,
            noise: Noise::Known(known),
            earlier: Earlier::None,
            descriptors: 0,
            drifting: Vec::new(),
            link: Link::Identity,
        }
        .check()?;
        let tasks: Vec<History> = (1..=TASKS)
            .map(|number| sampled(family, &description, number))
            .collect::<Result<_, LabError>>()?;
        let count = surrogate.parameter_count();
        let prior = Prior::Gaussian(GaussianPrior::isotropic(count, VARIANCE)?);
        let pooled = Pooled { surrogate: &surrogate, tasks: &tasks, prior: &prior };
        let settings = MapSettings { iterations: 100, ..MapSettings::default() };
        let starts = [vec![0.0; count], vec![-0.7; count]];
        let theta = fit_map(&pooled, &starts, settings)?.theta;
        let mut truth = Self {
            surrogate: Arc::new(surrogate),
            theta,
            description,
            greedy: Vec::new(),
            height: 0.0,
            noise,
        };
        truth.choose_greedily(rounds)?;
        Ok(truth)
    }

    /// `theta*`.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// Mean squared distance of the particles from `theta*`: what Assumption 2 takes for `Tr Sigma / (n - 1)`.
    pub fn distance(&self, belief: &Belief) -> f64 {
        let particles = belief.particles();
        let squared = |theta: &Vec<f64>| -> f64 {
            theta.iter().zip(&self.theta).map(|(a, b)| (a - b).powi(2)).sum()
        };
        particles.thetas().iter().zip(particles.weights()).map(|(t, w)| w * squared(t)).sum()
    }

    fn posterior(&self, history: History) -> Result<Posterior, LabError> {
        Ok(Posterior::new(Arc::clone(&self.surrogate), self.theta.clone(), history)?)
    }

    fn choose_greedily(&mut self, rounds: usize) -> Result<(), LabError> {
        let (dimension, top) = (self.surrogate.dimension(), self.surrogate.levels() - 1);
        let mut stream = Key::default().stream(Purpose::Trial, 0);
        let points = sobol::shifted_points(dimension, EFFORT.candidates, &mut stream);
        let mut posterior = self.posterior(History::new(dimension))?;
        let mut total = 0.0;
        for round in 0..rounds {
            let prediction = posterior.predict(points.as_ref())?;
            let variances: Vec<f64> = prediction.variance.row(top).collect();
            let place =
                (0..variances.len()).reduce(|a, b| if variances[b] > variances[a] { b } else { a });
            let place = place.unwrap_or(0);
            if round == 0 {
                self.height = variances[place];
            }
            total += 0.5 * (variances[place] / self.noise).ln_1p();
            self.greedy.push(total);
            posterior.observe(points.col_as_slice(place), top, 0.0)?;
        }
        Ok(())
    }

    /// A bound on the information in any so many trials.
    fn most_information(&self, rounds: usize) -> f64 {
        let independent = 0.5 * rounds as f64 * (self.height / self.noise).ln_1p();
        let greedy = rounds.checked_sub(1).and_then(|last| self.greedy.get(last));
        greedy.map_or(independent, |nats| independent.min(nats / (1.0 - (-1.0_f64).exp())))
    }

    /// The terms of a finished task.
    ///
    /// # Errors
    /// If the trials are not of this problem.
    pub fn terms(&self, trials: &[Trial], benchmark: &dyn Benchmark) -> Result<Terms, LabError> {
        let Description { space, offset, scale, .. } = &self.description;
        let top = self.surrogate.levels() - 1;
        let mut posterior = self.posterior(History::new(space.dimension()))?;
        let mut sums = Sums::default();
        for trial in trials {
            let coordinates = space.coordinates(&trial.point)?;
            if trial.aim == *"optimum" || trial.aim == *"both" {
                let at = numbers(&trial.point);
                sums.measured += benchmark.optimum().value - benchmark.value(&at, top);
                let step = u32::try_from(trial.id).unwrap_or(u32::MAX);
                self.add_round(&posterior, space, &coordinates, (step, &mut sums))?;
            }
            let Some(value) = trial.value() else { continue };
            posterior.observe(&coordinates, trial.level, (value - offset) / scale)?;
        }
        let rounds = sums.rounds;
        let zeta = 2.0 * self.height / (self.height / self.noise).ln_1p();
        let most_information = self.most_information(rounds);
        Ok(Terms {
            rounds,
            measured: sums.measured,
            expected: scale * sums.expected,
            nu: sums.nu,
            delta: sums.delta,
            deviations: scale * sums.deviations,
            variances: scale * scale * sums.variances,
            width: scale * (zeta * rounds as f64 * most_information).sqrt(),
            information: sums.information,
            most_information,
        })
    }

    /// Adds what `theta*` expects of a point before it is tried.
    fn add_round(
        &self,
        posterior: &Posterior,
        space: &Space,
        tried: &[f64],
        (step, sums): (u32, &mut Sums),
    ) -> Result<(), LabError> {
        let top = self.surrogate.levels() - 1;
        let mut stream = Key { step, ..Key::default() }.stream(Purpose::Trial, 1);
        let others = candidates(space, posterior.history(), EFFORT, &mut stream).points;
        let count = others.ncols();
        let points = Mat::from_fn(others.nrows(), count + 1, |i, j| {
            if j < count { others[(i, j)] } else { tried[i] }
        });
        let prediction = posterior.predict(points.as_ref())?;
        let means: Vec<f64> = prediction.mean.row(top).collect();
        let variances: Vec<f64> = prediction.variance.row(top).collect();
        let highest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let maximum = Gumbel::of_largest(&means, &variances)?.mean().max(highest);
        let normalised = |j: usize| (maximum - means[j]) / variances[j].sqrt();
        let nu = (0..=count).map(normalised).fold(f64::INFINITY, f64::min);
        sums.rounds += 1;
        sums.expected += maximum - means[count];
        sums.nu = sums.nu.max(nu);
        sums.delta = sums.delta.max(normalised(count) - nu);
        sums.deviations += variances[count].sqrt();
        sums.variances += variances[count];
        sums.information += 0.5 * (variances[count] / self.noise).ln_1p();
        Ok(())
    }
}

#[derive(Default)]
struct Sums {
    rounds: usize,
    measured: f64,
    expected: f64,
    nu: f64,
    delta: f64,
    deviations: f64,
    variances: f64,
    information: f64,
}

/// Points of a task, scattered and around its optimum, at all fidelities in turn, without noise.
fn sampled(family: &dyn Family, of: &Description, number: u64) -> Result<History, LabError> {
    let benchmark = family.task(baton_problems::MASTER, number);
    let (dimension, levels) = (of.space.dimension(), of.fidelities.len());
    let mut stream = Key { campaign: number, ..Key::default() }.stream(Purpose::Trial, 2);
    let points = sobol::shifted_points(dimension, POINTS, &mut stream);
    let mut history = History::new(dimension);
    let optimum = of.space.coordinates(
        &benchmark.optimum().point.iter().map(|x| Value::Real(*x)).collect::<Vec<_>>(),
    )?;
    for j in 0..POINTS {
        let mut coordinates = points.col_as_slice(j).to_vec();
        // Scattered points alone are of a plain: half of them are taken around the optimum.
        if j % 2 == 1 {
            for (coordinate, best) in coordinates.iter_mut().zip(&optimum) {
                *coordinate = (best + AROUND * stream.normal()).clamp(0.0, 1.0);
            }
        }
        let level = j / 2 % levels;
        of.space.snap(&mut coordinates);
        let value = benchmark.value(&numbers(&of.space.point(&coordinates)?), level);
        history.push(&coordinates, level, (value - of.offset) / of.scale)?;
    }
    Ok(history)
}

fn numbers(point: &[Value]) -> Vec<f64> {
    point.iter().map(|value| value.number().unwrap_or(f64::NAN)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use crate::experiment::Experiment;
    use baton::{Method, Settings};

    #[test]
    fn every_step_of_the_proof_holds_on_a_two_phase_task() {
        let mut spec = Spec::new("hartmann6", Settings::new(Method::TwoPhase)).unwrap();
        spec.settings.set("particles", "2").unwrap();
        spec.settings.set("svgd_steps", "5").unwrap();
        let truth = Truth::of(spec.family().unwrap().as_ref(), 20).unwrap();
        let mut experiment = Experiment::new(&spec, 0, None).unwrap();
        experiment.next_task().unwrap();
        let benchmark = experiment.benchmark(1).unwrap();
        let terms = truth.terms(experiment.trials(), benchmark.as_ref()).unwrap();
        assert_eq!(terms.rounds, 12, "0.6 of 20");
        assert!(terms.steps().iter().all(|factor| *factor >= 1.0), "{:?}", terms.steps());
        let product = terms.expected * terms.steps().iter().product::<f64>();
        assert!((product / terms.bound() - 1.0).abs() < 1e-9);
        assert!(terms.information <= terms.most_information && terms.measured > 0.0);
        assert!(terms.bound_if_known() <= terms.bound());
        assert!(truth.distance(experiment.knowledge().belief.as_ref().unwrap()) > 0.0);
    }
}
