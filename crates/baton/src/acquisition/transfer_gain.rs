//! Information about `theta`, which future tasks will use, (33)-(36) with erratum E5.
//!
//! | form | nats |
//! |---|---|
//! | printed | `1/2 { log(sum_v w_v v_v + var mu) - sum_v w_v log v_v }`, noise left out as in (36) |
//! | noisy | the same with `v_v + n` in both terms: an upper bound |
//! | exact | the mutual information itself, by quadrature: at most `log V` |
//!
//! Noise is a nuisance, not something later tasks optimise: `n` is its mean over the particles, so
//! that disagreement about the noise alone is worth nothing.

use super::mixture::mixture_information;
use crate::model::{Prediction, Sensitivity};
use baton_numerics::Table;
use serde::{Deserialize, Serialize};

/// Which reading of the gain about `theta` is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TransferGain {
    /// (36) as printed
    Printed,
    /// (36) with noise in both terms
    Noisy,
    /// without the Gaussian bound on the mixture's entropy
    Exact,
}

/// The gain of one entry and its derivatives by each particle's mean and variance.
struct Entry {
    nats: f64,
    by_mean: Vec<f64>,
    by_variance: Vec<f64>,
}

impl TransferGain {
    /// The gain at every level and point (levels x points) from one prediction per particle.
    pub fn evaluate(self, predictions: &[&Prediction], weights: &[f64]) -> Table {
        let Some(first) = predictions.first() else { return Table::zeros(0, 0) };
        Table::from_fn(first.levels(), first.points(), |level, j| match self {
            Self::Exact => self.entry(predictions, weights, (level, j)).nats,
            Self::Printed | Self::Noisy => self.bound(predictions, weights, (level, j)),
        })
    }

    /// [`gaussian_bound`] without derivatives and without memory of its own: candidates are many.
    fn bound(self, predictions: &[&Prediction], weights: &[f64], at: (usize, usize)) -> f64 {
        let noise = if self == Self::Printed { 0.0 } else { mean_noise(predictions, weights, at) };
        let (mut centre, mut variance, mut logs, mut squares) = (0.0, 0.0, 0.0, 0.0);
        for (p, weight) in predictions.iter().zip(weights) {
            centre += weight * p.mean[at];
            variance += weight * (p.variance[at] + noise);
            logs += weight * (p.variance[at] + noise).ln();
        }
        for (p, weight) in predictions.iter().zip(weights) {
            squares += weight * (p.mean[at] - centre).powi(2);
        }
        0.5 * ((variance + squares).min(f64::MAX).ln() - logs).max(0.0)
    }

    /// The gains in the first row and, per particle, the derivatives of their sum.
    pub fn first_with_sensitivity(
        self,
        predictions: &[&Prediction],
        weights: &[f64],
    ) -> (Vec<f64>, Vec<Sensitivity>) {
        let Some(first) = predictions.first() else { return (Vec::new(), Vec::new()) };
        let (levels, points) = (first.levels(), first.points());
        let mut sensitivities = vec![Sensitivity::zeros(levels, points); predictions.len()];
        let gain = |j: usize| {
            let entry = self.entry(predictions, weights, (0, j));
            let by_noise = self.by_noise(&entry);
            for (v, s) in sensitivities.iter_mut().enumerate() {
                let through_noise = weights[v] * predictions[v].noise_slope[(0, j)];
                s.mean[(0, j)] = entry.by_mean[v] + by_noise * through_noise;
                s.variance[(0, j)] = entry.by_variance[v];
            }
            entry.nats
        };
        let gains = (0..points).map(gain).collect();
        (gains, sensitivities)
    }

    /// All variances contain the same noise.
    fn by_noise(self, entry: &Entry) -> f64 {
        if self == Self::Printed { 0.0 } else { entry.by_variance.iter().sum() }
    }

    fn entry(self, predictions: &[&Prediction], weights: &[f64], at: (usize, usize)) -> Entry {
        let means: Vec<f64> = predictions.iter().map(|p| p.mean[at]).collect();
        let noise = if self == Self::Printed { 0.0 } else { mean_noise(predictions, weights, at) };
        let variances: Vec<f64> = predictions.iter().map(|p| p.variance[at] + noise).collect();
        match self {
            Self::Printed | Self::Noisy => gaussian_bound(&means, &variances, weights),
            Self::Exact => {
                let exact = mixture_information(&means, &variances, weights);
                let (by_mean, by_variance) = (exact.by_mean, exact.by_variance);
                Entry { nats: exact.nats, by_mean, by_variance }
            }
        }
    }
}

/// The noise of a level, averaged over particles. Where noise is learned, particles differ in it,
/// and an observation repeated without end would seem to teach ever more about the noise alone.
fn mean_noise(predictions: &[&Prediction], weights: &[f64], at: (usize, usize)) -> f64 {
    predictions.iter().zip(weights).map(|(p, weight)| weight * p.noise[at]).sum()
}

/// Entropy of the normal with the mixture's variance, less the mean entropy of its components.
fn gaussian_bound(means: &[f64], variances: &[f64], weights: &[f64]) -> Entry {
    let average = |values: &[f64]| values.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
    let centre = average(means);
    let squares: Vec<f64> = means.iter().map(|mean| (mean - centre).powi(2)).collect();
    // Means of 1e200 apart would overflow; beyond any use, but not NaN.
    let total = (average(variances) + average(&squares)).min(f64::MAX);
    let logs: Vec<f64> = variances.iter().map(|v| v.ln()).collect();
    let by_mean = |(mean, w): (&f64, &f64)| w * (mean - centre) / total;
    let by_variance = |(v, w): (&f64, &f64)| 0.5 * w * (1.0 / total - 1.0 / v);
    Entry {
        nats: 0.5 * (total.ln() - average(&logs)).max(0.0),
        by_mean: means.iter().zip(weights).map(by_mean).collect(),
        by_variance: variances.iter().zip(weights).map(by_variance).collect(),
    }
}
