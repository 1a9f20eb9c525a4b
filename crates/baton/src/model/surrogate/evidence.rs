//! The evidence of the observations, (26) with erratum E2:
//! `l(theta) = 1/2 (t log 2 pi + log det K~ + r' K~^-1 r)`, `r = y - mean`, `K~ = K + noise`,
//! and its gradient through `dl/dK~ = 1/2 (K~^-1 - a a')`, `a = K~^-1 r`.

use super::gram::{Gram, GramDerivatives};
use super::model::{Parameters, Surrogate};
use crate::Error;
use crate::error::{Result, all_finite, computed, same_size};
use crate::problem::History;
use baton_numerics::cholesky::{Factor, Inverse};
use baton_numerics::vector::{add_scaled, dot};

/// The factored covariance of some observations at one `theta`.
#[derive(Debug, Clone, Default)]
pub(super) struct Fitted {
    pub gram: Gram,
    pub factor: Factor,
    /// `y - mean`
    residuals: Vec<f64>,
    /// `K~^-1 (y - mean)`
    weights: Vec<f64>,
}

/// What an evaluation needs besides its inputs, kept for the next one.
#[derive(Debug, Clone, Default)]
pub struct EvidenceScratch {
    fitted: Fitted,
    inverse: Inverse,
    derivatives: GramDerivatives,
}

/// Value of the evidence, and what it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// `l(theta)`, in nats
    pub negative_log: f64,
    /// what had to be added to the diagonal of the covariance; 0 in sound cases
    pub jitter: f64,
}

impl Surrogate {
    /// `l(theta)` of (26).
    ///
    /// # Errors
    /// If sizes do not fit, a number is not finite, or the covariance has no factor.
    pub fn evidence(&self, theta: &[f64], history: &History) -> Result<Evidence> {
        let mut fitted = Fitted::default();
        self.fit(theta, history, &mut fitted)?;
        fitted.evidence(history)
    }

    /// `l(theta)` and its gradient, which is written to `gradient`.
    ///
    /// # Errors
    /// As [`Surrogate::evidence`].
    pub fn evidence_gradient(
        &self,
        theta: &[f64],
        history: &History,
        gradient: &mut [f64],
        scratch: &mut EvidenceScratch,
    ) -> Result<Evidence> {
        same_size("entries of the gradient", self.parameter_count(), gradient.len())?;
        let EvidenceScratch { fitted, inverse, derivatives } = scratch;
        let parameters = self.fit(theta, history, fitted)?;
        let evidence = fitted.evidence(history)?;
        inverse.renew(&fitted.factor);
        let a = &fitted.weights;
        for j in 0..a.len() {
            add_scaled(inverse.column_mut(j), &a[j..], -a[j]);
            inverse.column_mut(j).iter_mut().for_each(|d| *d *= 0.5);
        }
        let d_covariance = |j: usize| inverse.column(j);
        self.write_mean_and_noise(&parameters, fitted, history, d_covariance, gradient);
        let factored = (&parameters, &fitted.gram);
        self.gram_pull_back(theta, factored, d_covariance, derivatives, gradient);
        all_finite("entry of the gradient", gradient)?;
        Ok(evidence)
    }

    pub(super) fn fit(
        &self,
        theta: &[f64],
        history: &History,
        fitted: &mut Fitted,
    ) -> Result<Parameters> {
        self.check_history(history)?;
        let parameters = self.unpack(theta)?;
        let levels = history.levels();
        let Fitted { gram, factor, residuals, weights } = fitted;
        let placed = self.placed(theta, history);
        self.fill_gram(theta, &parameters, placed.points(), levels, gram)?;
        for (i, level) in levels.iter().enumerate() {
            gram.covariance[(i, i)] += history.noise_variance(i, parameters.noise[*level]);
        }
        if let Some(noise) = history.shared_noise() {
            let mut shared =
                gram.covariance.as_mut().submatrix_mut(0, 0, noise.nrows(), noise.ncols());
            shared += noise;
        }
        factor
            .renew(gram.covariance.as_ref())
            .map_err(|source| Error::Factorisation { points: levels.len(), source })?;
        residuals.clear();
        residuals.extend(history.values().iter().map(|y| y - parameters.mean));
        weights.clone_from(residuals);
        factor.solve(weights)?;
        Ok(parameters)
    }

    fn write_mean_and_noise<'a>(
        &self,
        parameters: &Parameters,
        fitted: &Fitted,
        history: &History,
        d_covariance: impl Fn(usize) -> &'a [f64],
        gradient: &mut [f64],
    ) {
        gradient[self.mean_range()].fill(-fitted.weights.iter().sum::<f64>());
        let noise = &mut gradient[self.noise_range()];
        noise.fill(0.0);
        if noise.is_empty() {
            return;
        }
        let learned = |i: &usize| history.own_noise()[*i].is_none();
        for i in (0..history.len()).filter(learned) {
            let level = history.levels()[i];
            let variance = history.noise_variance(i, parameters.noise[level]);
            noise[level % self.levels()] += d_covariance(i)[0] * variance;
        }
    }
}

impl Fitted {
    /// `L^-1 (y - mean)`.
    pub(super) fn white_residuals(&self) -> Vec<f64> {
        let mut white = self.residuals.clone();
        self.factor.whiten(&mut white);
        white
    }

    /// `K~^-1 (y - mean)`.
    pub(super) fn weights(&self) -> &[f64] {
        &self.weights
    }

    fn evidence(&self, history: &History) -> Result<Evidence> {
        let constant = self.weights.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        let fit = dot(&self.residuals, &self.weights);
        // An observation whose noise was made smaller by a factor was stretched by its root.
        let stretched: f64 = history.noise_factors().iter().map(|factor| factor.ln()).sum();
        let negative_log = 0.5 * (constant + self.factor.log_determinant() + fit - stretched);
        let negative_log = computed("the log evidence", negative_log)?;
        Ok(Evidence { negative_log, jitter: self.factor.jitter() })
    }
}
