//! The evidence of the observations, (26) with erratum E2:
//! `l(theta) = 1/2 (t log 2 pi + log det K~ + r' K~^-1 r)`, `r = y - mean`, `K~ = K + noise`,
//! and its gradient through `dl/dK~ = 1/2 (K~^-1 - a a')`, `a = K~^-1 r`.

use super::gram::Gram;
use super::model::{Parameters, Surrogate};
use crate::Error;
use crate::error::{Result, computed, same_size};
use crate::problem::History;
use baton_numerics::Mat;
use baton_numerics::cholesky::Factor;

/// The factored covariance of some observations at one `theta`.
pub(super) struct Fitted {
    pub parameters: Parameters,
    pub gram: Gram,
    pub factor: Factor,
    /// `K~^-1 (y - mean)`
    pub weights: Vec<f64>,
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
        self.fitted(theta, history)?.evidence(history)
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
    ) -> Result<Evidence> {
        same_size("entries of the gradient", self.parameter_count(), gradient.len())?;
        let fitted = self.fitted(theta, history)?;
        let evidence = fitted.evidence(history)?;
        gradient.fill(0.0);
        let a = &fitted.weights;
        let mut d_covariance = fitted.factor.inverse();
        for j in 0..a.len() {
            for (d, a_i) in d_covariance.col_as_slice_mut(j).iter_mut().zip(a) {
                *d = 0.5 * (*d - a_i * a[j]);
            }
        }
        self.add_mean_and_noise(&fitted, history.levels(), &d_covariance, gradient);
        let Fitted { parameters, gram, .. } = &fitted;
        self.gram_pull_back(theta, parameters, gram, &d_covariance, Some(&mut *gradient));
        crate::error::all_finite("entry of the gradient", &*gradient)?;
        Ok(evidence)
    }

    pub(super) fn fitted(&self, theta: &[f64], history: &History) -> Result<Fitted> {
        self.check_history(history)?;
        let parameters = self.unpack(theta)?;
        let levels = history.levels();
        let gram = self.gram(theta, &parameters, history.points(), levels)?;
        let mut noisy = gram.covariance.clone();
        for (i, level) in levels.iter().enumerate() {
            noisy[(i, i)] += parameters.noise[*level];
        }
        let factor = Factor::new(noisy.as_ref())
            .map_err(|source| Error::Factorisation { points: levels.len(), source })?;
        let mut weights: Vec<f64> = history.values().iter().map(|y| y - parameters.mean).collect();
        factor.solve(&mut weights)?;
        Ok(Fitted { parameters, gram, factor, weights })
    }

    fn add_mean_and_noise(
        &self,
        fitted: &Fitted,
        levels: &[usize],
        d_covariance: &Mat<f64>,
        gradient: &mut [f64],
    ) {
        for index in self.mean_range() {
            gradient[index] -= fitted.weights.iter().sum::<f64>();
        }
        let noise = self.noise_range();
        if noise.is_empty() {
            return;
        }
        for (i, level) in levels.iter().enumerate() {
            gradient[noise.start + level] += d_covariance[(i, i)] * fitted.parameters.noise[*level];
        }
    }
}

impl Fitted {
    fn evidence(&self, history: &History) -> Result<Evidence> {
        let residuals = history.values().iter().map(|y| y - self.parameters.mean);
        let fit: f64 = residuals.zip(&self.weights).map(|(r, a)| r * a).sum();
        let constant = history.len() as f64 * (2.0 * std::f64::consts::PI).ln();
        let negative_log = 0.5 * (constant + self.factor.log_determinant() + fit);
        let negative_log = computed("the log evidence", negative_log)?;
        Ok(Evidence { negative_log, jitter: self.factor.jitter() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{every_model, example_history, example_theta};
    use super::*;

    #[test]
    fn the_gradient_by_theta_agrees_with_finite_differences() {
        for surrogate in every_model() {
            let history = example_history(9, surrogate.dimension(), surrogate.levels());
            let theta = example_theta(&surrogate);
            let mut gradient = vec![0.0; theta.len()];
            surrogate.evidence_gradient(&theta, &history, &mut gradient).unwrap();
            let scale = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            for i in 0..theta.len() {
                let at = |step: f64| {
                    let mut moved = theta.clone();
                    moved[i] += step;
                    surrogate.evidence(&moved, &history).unwrap().negative_log
                };
                let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                let error = (gradient[i] - numeric).abs();
                assert!(
                    error < 1e-7 * scale,
                    "{:?} parameter {i}: {error:e}",
                    surrogate.settings()
                );
            }
        }
    }

    #[test]
    fn no_observations_mean_no_evidence() {
        for surrogate in every_model() {
            let history = History::new(surrogate.dimension());
            let theta = example_theta(&surrogate);
            let mut gradient = vec![1.0; theta.len()];
            let evidence = surrogate.evidence_gradient(&theta, &history, &mut gradient).unwrap();
            assert_eq!(evidence.negative_log, 0.0);
            assert!(gradient.iter().all(|g| *g == 0.0));
        }
    }
}
