//! Functions that the task may be: the posterior mean, and draws from the posterior, each whole and as far
//! as it is shared with earlier tasks, at any points and level.
//!
//! A draw is a draw from the prior, corrected by what it gets wrong of the observations (Matheron's rule;
//! Wilson et al. 2020): `f + k' K~^-1 (y - f(X) - noise)`. The prior's draws are sums of waves
//! (Rahimi and Recht 2008): `sqrt(s / F) sum_j a_j cos(w_j . phi) + b_j sin(w_j . phi)`, with `w` from the
//! spectrum of the radial profile and `a`, `b` standard normal. The spectrum of a Gaussian of rate `c` is
//! normal with variance `2 c`; that of Matern-5/2 is a multivariate t with 5 degrees of freedom.
//!
//! A task is the shared function, with the share `w^2` of the variance, plus its own deviation; both are
//! drawn, and the covariance of each with the observations is its part of theirs.

use super::features::FeatureTrace;
use super::posterior::Posterior;
use super::profile::Profile;
use super::radial::Radial;
use crate::Error;
use crate::error::{Result, all_finite};
use baton_numerics::cholesky::Factor;
use baton_numerics::random::Stream;
use baton_numerics::vector::dot;
use baton_numerics::waves::cosines_and_sines;
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

/// Waves that a draw from the prior is the sum of.
const WAVES: usize = 512;
/// Points worked on at once.
const BLOCK: usize = 64;

/// Functions of one posterior; the first is the mean.
#[derive(Debug, Clone)]
pub struct Functions<'a> {
    posterior: &'a Posterior,
    /// one column per wave
    frequencies: Mat<f64>,
    /// of every level, one row per draw: the waves of the whole functions, then of what is shared of them
    heights: Vec<Mat<f64>>,
    /// of every function: `K~^-1` times what its prior part gets wrong, row by row of the posterior
    corrections: Mat<f64>,
}

/// Values of all functions, one column each.
#[derive(Debug, Clone)]
pub struct FunctionValues {
    /// the task
    pub whole: Mat<f64>,
    /// the shared function, as it would be without the task's deviation
    pub shared: Mat<f64>,
}

impl Posterior {
    /// The posterior mean, and so many draws.
    ///
    /// # Errors
    /// If trials are pending in this posterior, or a number is not finite.
    pub fn functions(&self, draws: usize, stream: &mut Stream) -> Result<Functions<'_>> {
        let rows = self.rows_of_observations()?;
        let frequencies = self.frequencies(if draws > 0 { WAVES } else { 0 }, stream);
        let waves = waves(&frequencies, &self.features.features);
        let levels = self.surrogate.levels();
        let mixing = root(&self.parameters.kappa.submatrix(0, 0, levels, levels).to_owned())?;
        let share = if self.is_related() { self.surrogate.shared_share(self.theta()) } else { 0.0 };
        let sources = self.parameters.kappa.nrows() / levels;
        let mut corrections = Mat::zeros(rows.len(), draws + 1);
        corrections.col_as_slice_mut(0).copy_from_slice(&self.weights);
        let mut heights = vec![Mat::zeros(2 * draws, 2 * frequencies.ncols()); levels];
        let mut noise = Noise::new(self)?;
        for draw in 0..draws {
            let mut drawn = |part: f64| {
                let scale = (part * self.parameters.scale).sqrt();
                let normals =
                    Mat::from_fn(frequencies.ncols() * 2, levels, |_, _| scale * stream.normal());
                normals * mixing.transpose()
            };
            let common = drawn(share);
            let deviations: Vec<Mat<f64>> = (0..sources).map(|_| drawn(1.0 - share)).collect();
            let errors = noise.draw(stream);
            let mut wrong = vec![0.0; rows.len()];
            for (i, row) in rows.iter().enumerate() {
                let source = self.history().levels()[i] / levels;
                let level = self.history().levels()[i] % levels;
                let wave = waves.col_as_slice(*row);
                let along = |of: &Mat<f64>| dot(wave, of.col_as_slice(level));
                let deviates = self.surrogate.settings().earlier.deviates(source);
                let deviation = if deviates { along(&deviations[source]) } else { 0.0 };
                let prior = self.parameters.mean + along(&common) + deviation;
                wrong[*row] = self.history().values()[i] - prior - errors[i];
            }
            let white = self.whitening.whiten(&wrong);
            let correction = self.whitening.times(&white);
            all_finite("correction of a drawn function", &correction)?;
            corrections.col_as_slice_mut(draw + 1).copy_from_slice(&correction);
            for (level, heights) in heights.iter_mut().enumerate() {
                let (common, own) = (common.col(level), deviations[0].col(level));
                heights.row_mut(draw).copy_from((common + own).transpose());
                heights.row_mut(draws + draw).copy_from(common.transpose());
            }
        }
        Ok(Functions { posterior: self, frequencies, heights, corrections })
    }

    /// Whether anything of earlier tasks is among the observations.
    pub fn is_related(&self) -> bool {
        self.history().levels().iter().any(|level| *level >= self.surrogate.levels())
    }

    /// Correlation of a level of this task with the highest one, at the same point; 0 where a level never
    /// varies.
    pub fn correlation_with_highest(&self, level: usize) -> f64 {
        let (kappa, top) = (&self.parameters.kappa, self.surrogate.levels() - 1);
        let level = level.min(top);
        let norm = (kappa[(level, level)] * kappa[(top, top)]).sqrt();
        if norm > 0.0 { kappa[(level, top)] / norm } else { 0.0 }
    }

    /// Draws from the spectrum of the profile, so many of the rough part as it has a share.
    fn frequencies(&self, count: usize, stream: &mut Stream) -> Mat<f64> {
        let width = self.features.features.nrows();
        let rough = match self.parameters.radial {
            Radial::Gaussian { .. } => 0.0,
            Radial::Matern52 => 1.0,
            Radial::Mixed { rough } => rough,
        };
        let deviation = match self.parameters.radial {
            Radial::Gaussian { rate } => (2.0 * rate).sqrt(),
            _ => 1.0,
        };
        let mut frequencies = Mat::zeros(width, count);
        for j in 0..count {
            let is_rough = (j as f64 + 0.5) < rough * count as f64;
            let squares: f64 = (0..5).map(|_| stream.normal().powi(2)).sum();
            let stretch = if is_rough { (5.0 / squares).sqrt() } else { deviation };
            for w in frequencies.col_as_slice_mut(j) {
                *w = stretch * stream.normal();
            }
        }
        frequencies
    }
}

impl Functions<'_> {
    /// How many there are, the mean included.
    pub fn count(&self) -> usize {
        self.corrections.ncols()
    }

    /// Their values at some points, at each of these levels of the task.
    ///
    /// # Errors
    /// If the dimension does not fit, a level does not exist or a number is not finite.
    pub fn values(&self, points: MatRef<'_, f64>, levels: &[usize]) -> Result<Vec<FunctionValues>> {
        let posterior = self.posterior;
        levels.iter().try_for_each(|level| posterior.surrogate.check_level(*level))?;
        let corrections = |level: &usize| [false, true].map(|of| self.corrections_at(*level, of));
        let corrections: Vec<[Mat<f64>; 2]> = levels.iter().map(corrections).collect();
        let zeros = || Mat::zeros(points.ncols(), self.count());
        let mut all: Vec<FunctionValues> =
            levels.iter().map(|_| FunctionValues { whole: zeros(), shared: zeros() }).collect();
        let (mut features, mut profile) = (FeatureTrace::default(), Profile::default());
        for start in (0..points.ncols()).step_by(BLOCK) {
            let block = points.subcols(start, BLOCK.min(points.ncols() - start));
            posterior.trace_features(block, posterior.place(), &mut features)?;
            profile.fill(&posterior.parameters, &posterior.features, features.features())?;
            let draws = self.count() - 1;
            let waves = (draws > 0).then(|| waves(&self.frequencies, features.features()));
            for ((values, corrections), level) in all.iter_mut().zip(&corrections).zip(levels) {
                let targets = [&mut values.whole, &mut values.shared];
                for (target, corrections) in targets.into_iter().zip(corrections) {
                    let mut target = target.as_mut().subrows_mut(start, block.ncols());
                    target.fill(posterior.parameters.mean);
                    let base = profile.base.transpose();
                    matmul(target, Accum::Add, base, corrections, 1.0, Par::Seq);
                }
                let Some(waves) = &waves else { continue };
                let prior = &self.heights[*level] * waves;
                for (k, target) in [&mut values.whole, &mut values.shared].into_iter().enumerate() {
                    let prior = prior.subrows(k * draws, draws).transpose();
                    let mut target = target.as_mut().submatrix_mut(start, 1, block.ncols(), draws);
                    target += prior;
                }
            }
        }
        for FunctionValues { whole, shared } in &all {
            for k in 0..self.count() {
                all_finite("value of a drawn function", whole.col_as_slice(k))?;
                all_finite("value of a drawn shared function", shared.col_as_slice(k))?;
            }
        }
        Ok(all)
    }

    /// The corrections, times the covariance of their rows' levels with a level of this task, or with one
    /// of the shared function alone.
    fn corrections_at(&self, level: usize, shared: bool) -> Mat<f64> {
        let posterior = self.posterior;
        let (kappa, levels) = (&posterior.parameters.kappa, posterior.surrogate.levels());
        let share = posterior.surrogate.shared_share(posterior.theta());
        let mut row_levels = Vec::new();
        for group in &posterior.groups {
            row_levels.resize(group.rows.end, group.level);
        }
        let factor = |row: usize| {
            let of = row_levels[row];
            if !shared {
                kappa[(of, level)]
            } else if posterior.is_related() {
                share * kappa[(of % levels, level)]
            } else {
                0.0
            }
        };
        Mat::from_fn(self.corrections.nrows(), self.count(), |row, k| {
            factor(row) * self.corrections[(row, k)]
        })
    }
}

/// Noise of the observations, in their order.
struct Noise {
    deviations: Vec<f64>,
    shared: Option<Factor>,
}

impl Noise {
    fn new(posterior: &Posterior) -> Result<Self> {
        let history = posterior.history();
        let noise = &posterior.parameters.noise;
        let deviation =
            |i: usize| history.noise_variance(i, noise[history.levels()[i]]).max(0.0).sqrt();
        let factor = |noise: &Mat<f64>| {
            Factor::new(noise.as_ref())
                .map_err(|source| Error::Factorisation { points: noise.nrows(), source })
        };
        let shared = history.shared_noise().filter(|noise| noise.nrows() > 0);
        Ok(Self {
            deviations: (0..history.len()).map(deviation).collect(),
            shared: shared.map(factor).transpose()?,
        })
    }

    fn draw(&mut self, stream: &mut Stream) -> Vec<f64> {
        let mut drawn: Vec<f64> =
            self.deviations.iter().map(|deviation| deviation * stream.normal()).collect();
        if let Some(factor) = &self.shared {
            let lower = factor.lower();
            let normals: Vec<f64> = (0..factor.size()).map(|_| stream.normal()).collect();
            for (i, error) in drawn.iter_mut().take(factor.size()).enumerate() {
                *error += (0..=i).map(|j| lower[(i, j)] * normals[j]).sum::<f64>();
            }
        }
        drawn
    }
}

/// Cosines above sines of all waves, one column per point.
fn waves(frequencies: &Mat<f64>, features: &Mat<f64>) -> Mat<f64> {
    let mut phases = Mat::zeros(frequencies.ncols(), features.ncols());
    matmul(phases.as_mut(), Accum::Replace, frequencies.transpose(), features, 1.0, Par::Seq);
    let count = frequencies.ncols();
    let height = (count as f64).sqrt().recip();
    let mut waves = Mat::zeros(2 * count, features.ncols());
    for j in 0..features.ncols() {
        let column = waves.col_as_slice_mut(j);
        let (cosines, sines) = column.split_at_mut(count);
        cosines_and_sines(phases.col_as_slice(j), cosines, sines);
        for wave in column {
            *wave *= height;
        }
    }
    waves
}

/// A square root of a covariance between levels: `R R'`.
fn root(kappa: &Mat<f64>) -> Result<Mat<f64>> {
    let failed = Error::Overflow { what: "covariance between fidelities", value: f64::NAN };
    let eigen = kappa.self_adjoint_eigen(faer::Side::Lower).map_err(|_| failed)?;
    let (vectors, values) = (eigen.U(), eigen.S());
    let levels = kappa.nrows();
    Ok(Mat::from_fn(levels, levels, |i, j| vectors[(i, j)] * values[j].max(0.0).sqrt()))
}
