//! Information about this task's maximum, (21)-(25) with errata E3 and E4, for one particle.
//!
//! All forms are `-1/2 log(1 - rho^2 b(gamma))`, averaged over the max values, with
//! `b = lambda (gamma + lambda)`, `lambda = phi / Phi` and
//!
//! | form | `gamma` | `rho^2` | factor |
//! |---|---|---|---|
//! | printed | `(f* - mu_m) / sqrt v_m` | 1 | 2 |
//! | corrected | same | 1 | 1 |
//! | noisy | same | `v_m / (v_m + n_m)` | 1 |
//! | gibbon | `(f* - mu_M) / sqrt v_M` | `c_m^2 / (v_M (v_m + n_m))` | 1 |
//!
//! The form `mes` is the entropy difference of the truncated normal itself, without noise:
//! `g(gamma) = gamma lambda / 2 - log Phi(gamma)`, as in (42) and (45).

use crate::model::{Prediction, Sensitivity};
use baton_numerics::Table;
use baton_numerics::normal::Tail;
use baton_numerics::tails::{variance_lost, variance_lost_and_slope};
use baton_numerics::vector::LANES;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Which reading of the gain about `f*` is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptimumGain {
    /// (22) as printed, without its square root
    Printed,
    /// (22) with the square root
    Corrected,
    /// observation noise taken into account
    Noisy,
    /// and the truncation applied to the top level, as in GIBBON
    Gibbon,
    /// max-value entropy search's own form, noise-free
    Mes,
}

/// Moments at the ends of the floating-point range would make `gamma` infinite and the gain NaN.
const FARTHEST: f64 = 1e100;

/// Points, or max values, whose tails are evaluated at once.
const STRIP: usize = 32;

/// What the gain at one level and point depends on.
pub(super) struct Moments {
    /// mean and variance of the truncated level
    mean: f64,
    variance: f64,
    /// squared correlation of the observation with the truncated level, at most 1
    pub correlation: f64,
}

impl Moments {
    fn gamma(&self, max_value: f64) -> f64 {
        ((max_value - self.mean) / self.variance.sqrt()).clamp(-FARTHEST, FARTHEST)
    }
}

/// `gamma` by the inverse of the standard deviation.
fn standardised(max_value: f64, mean: f64, scale: f64) -> f64 {
    ((max_value - mean) * scale).clamp(-FARTHEST, FARTHEST)
}

/// The gain of one entry and its derivatives by [`Moments`].
#[derive(Clone, Default)]
pub(super) struct Entry {
    gain: f64,
    pub by_mean: f64,
    pub by_variance: f64,
    pub by_correlation: f64,
}

/// The logarithm of a product of numbers `1 - removed` in `(0, 1]`, with one logarithm for many
/// factors. `(1 - a)(1 - b) = 1 - (a + b - a b)` keeps small `removed` to full relative precision.
struct Product {
    removed: f64,
    left: f64,
    logs: f64,
}

impl Default for Product {
    fn default() -> Self {
        Self { removed: 0.0, left: 1.0, logs: 0.0 }
    }
}

impl Product {
    fn times(&mut self, removed: f64, left: f64) {
        self.removed += removed - self.removed * removed;
        self.left *= left;
        // Before the product can underflow, its logarithm is put aside.
        if self.left < 1e-200 || left < 1e-100 {
            self.logs += self.left.max(f64::MIN_POSITIVE).ln();
            (self.removed, self.left) = (0.0, 1.0);
        }
    }

    fn log(&self) -> f64 {
        let last = if self.removed < 0.5 { (-self.removed).ln_1p() } else { self.left.ln() };
        self.logs + last
    }
}

/// `sum log(1 - correlation lost)`.
fn log_left(correlation: f64, lost: &[f64]) -> f64 {
    let mut product = Product::default();
    for lost in lost {
        let removed = correlation * lost;
        product.times(removed, (1.0 - removed).max(f64::MIN_POSITIVE));
    }
    product.log()
}

impl Entry {
    fn add_mes(&mut self, max_value: f64, moments: &Moments, share: f64) {
        let gamma = moments.gamma(max_value);
        let tail = Tail::at(gamma);
        self.gain += share * tail.entropy_difference(gamma);
        // d g / d gamma = -lambda (1 + gamma (gamma + lambda)) / 2
        let by_gamma = -0.5 * share * tail.mills * (1.0 + gamma * tail.excess);
        self.add_slope(by_gamma, gamma, moments.variance);
    }

    /// Up to [`STRIP`] max values; what is left of the variance goes into `product`.
    fn add_strip(
        &mut self,
        max_values: &[f64],
        moments: &Moments,
        share: f64,
        product: &mut Product,
    ) {
        let (mut gammas, mut lost, mut slopes) = ([0.0; STRIP], [0.0; STRIP], [0.0; STRIP]);
        let scale = 1.0 / moments.variance.sqrt();
        for (gamma, max_value) in gammas.iter_mut().zip(max_values) {
            *gamma = standardised(*max_value, moments.mean, scale);
        }
        let filled = max_values.len().next_multiple_of(LANES);
        variance_lost_and_slope(&gammas[..filled], &mut lost[..filled], &mut slopes[..filled]);
        let correlation = moments.correlation;
        let (mut by_gammas, mut by_scale) = (0.0, 0.0);
        for ((gamma, lost), slope) in gammas[..max_values.len()].iter().zip(lost).zip(slopes) {
            let removed = correlation * lost;
            let left = if lost < 0.9 {
                1.0 - removed
            } else {
                // The difference of two numbers near 1, without cancellation.
                (1.0 - correlation) + correlation * Tail::at(*gamma).variance_ratio
            };
            let left = left.max(f64::MIN_POSITIVE);
            product.times(removed, left);
            let by_lost = 0.5 * share / left;
            let by_gamma = by_lost * correlation * slope;
            by_gammas += by_gamma;
            by_scale += by_gamma * gamma;
            self.by_correlation += by_lost * lost;
        }
        self.by_mean -= by_gammas * scale;
        self.by_variance -= 0.5 * by_scale * scale * scale;
    }

    /// `gamma = (f* - mean) / sqrt variance`
    fn add_slope(&mut self, by_gamma: f64, gamma: f64, variance: f64) {
        if by_gamma != 0.0 {
            self.by_mean -= by_gamma / variance.sqrt();
            self.by_variance -= 0.5 * by_gamma * gamma / variance;
        }
    }
}

impl OptimumGain {
    /// The gain at every level and point (levels x points), in nats.
    pub fn evaluate(self, prediction: &Prediction, max_values: &[f64]) -> Table {
        let (levels, points) = (prediction.levels(), prediction.points());
        if self == Self::Mes {
            let gain = |level, j| self.entry(prediction, max_values, level, j).gain;
            return Table::from_fn(levels, points, gain);
        }
        let share = self.share(max_values);
        let mut gains = Table::zeros(levels, points);
        let mut lost = Vec::new();
        for start in (0..points).step_by(STRIP) {
            let strip = start..points.min(start + STRIP);
            self.fill_lost(prediction, max_values, strip.clone(), &mut lost);
            let truncated = if self == Self::Gibbon { 1 } else { levels };
            let mut parts = lost.chunks_exact(max_values.len().max(1));
            for j in strip {
                let mut part: &[f64] = &[];
                for level in 0..levels {
                    if level < truncated {
                        part = parts.next().unwrap_or(&[]);
                    }
                    let correlation = self.moments(prediction, level, j).correlation;
                    gains[(level, j)] = -0.5 * share * log_left(correlation, part);
                }
            }
        }
        gains
    }

    /// The share of the variance that is lost at every point of the strip, truncated level and max
    /// value, in this order.
    fn fill_lost(
        self,
        prediction: &Prediction,
        max_values: &[f64],
        strip: Range<usize>,
        lost: &mut Vec<f64>,
    ) {
        let top = prediction.levels() - 1;
        let truncated = if self == Self::Gibbon { top..top + 1 } else { 0..top + 1 };
        lost.clear();
        for j in strip {
            for level in truncated.clone() {
                let (mean, variance) =
                    (prediction.mean[(level, j)], prediction.variance[(level, j)]);
                let scale = 1.0 / variance.sqrt();
                lost.extend(max_values.iter().map(|f| standardised(*f, mean, scale)));
            }
        }
        variance_lost(lost);
    }

    /// What each max value counts.
    fn share(self, max_values: &[f64]) -> f64 {
        let factor = if self == Self::Printed { 2.0 } else { 1.0 };
        factor / max_values.len().max(1) as f64
    }

    /// The gains in the first row and the derivatives of `factor` times their sum by the moments.
    pub fn first_with_sensitivity(
        self,
        prediction: &Prediction,
        max_values: &[f64],
        factor: f64,
    ) -> (Vec<f64>, Sensitivity) {
        let (levels, points) = (prediction.levels(), prediction.points());
        let mut sensitivity = Sensitivity::zeros(levels, points);
        let gain = |j: usize| {
            let entry = self.entry(prediction, max_values, 0, j);
            self.distribute(prediction, &entry, factor, j, &mut sensitivity);
            entry.gain
        };
        let gains = (0..points).map(gain).collect();
        (gains, sensitivity)
    }

    /// Whether it needs to know what a level has in common with the top one.
    pub fn asks_for_top(self) -> bool {
        self == Self::Gibbon
    }

    fn truncated_level(self, prediction: &Prediction, level: usize) -> usize {
        if self == Self::Gibbon { prediction.levels() - 1 } else { level }
    }

    pub(super) fn moments(self, p: &Prediction, level: usize, j: usize) -> Moments {
        let truncated = self.truncated_level(p, level);
        let (mean, variance) = (p.mean[(truncated, j)], p.variance[(truncated, j)]);
        let observed = p.variance[(level, j)] + p.noise[(level, j)];
        let correlation = match self {
            Self::Printed | Self::Corrected | Self::Mes => 1.0,
            Self::Noisy => variance / observed,
            // Divided in turn, since the product of two small variances may underflow.
            Self::Gibbon => {
                let covariance = p.covariance[(level, j)];
                (covariance / variance) * (covariance / observed)
            }
        };
        Moments { mean, variance, correlation: correlation.min(1.0) }
    }

    fn entry(self, p: &Prediction, max_values: &[f64], level: usize, j: usize) -> Entry {
        let moments = self.moments(p, level, j);
        let share = self.share(max_values);
        let mut entry = Entry::default();
        if self == Self::Mes {
            for max_value in max_values {
                entry.add_mes(*max_value, &moments, share);
            }
            return entry;
        }
        let mut product = Product::default();
        for strip in max_values.chunks(STRIP) {
            entry.add_strip(strip, &moments, share, &mut product);
        }
        entry.gain = -0.5 * share * product.log();
        entry
    }

    /// Adds `factor` times the derivatives of an entry of the first row.
    pub(super) fn distribute(
        self,
        p: &Prediction,
        entry: &Entry,
        factor: f64,
        j: usize,
        s: &mut Sensitivity,
    ) {
        let truncated = self.truncated_level(p, 0);
        s.mean[(truncated, j)] += factor * entry.by_mean;
        s.variance[(truncated, j)] += factor * entry.by_variance;
        let by_correlation = factor * entry.by_correlation;
        let observed = p.variance[(0, j)] + p.noise[(0, j)];
        match self {
            Self::Printed | Self::Corrected | Self::Mes => {}
            Self::Noisy => {
                let by_noise = -by_correlation * p.variance[(0, j)] / observed / observed;
                s.variance[(0, j)] += by_correlation * p.noise[(0, j)] / observed / observed;
                s.mean[(0, j)] += by_noise * p.noise_slope[(0, j)];
            }
            Self::Gibbon => {
                let (covariance, top) = (p.covariance[(0, j)], p.variance[(truncated, j)]);
                let ratio = covariance / top;
                s.covariance[(0, j)] += by_correlation * 2.0 * ratio / observed;
                s.variance[(truncated, j)] -= by_correlation * ratio * ratio / observed;
                let own = ratio * (covariance / observed) / observed;
                s.variance[(0, j)] -= by_correlation * own;
                s.mean[(0, j)] -= by_correlation * own * p.noise_slope[(0, j)];
            }
        }
    }
}
