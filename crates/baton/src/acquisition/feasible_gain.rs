//! Information about the best value that keeps all constraints, for one particle.
//!
//! A draw `f*` of that value says of a point: not better and feasible at once. With the objective and the
//! constrained quantities standardised at the top level, `h_0 > gamma` and `a_k < h_k < b_k` do not all
//! hold. They are independent normals; let `p_i`, `m_i` and `v_i` be the probability of such an interval
//! and the mean and variance within, `P = prod p_i` and `r = P / (1 - P)`. What an evaluation shows of
//! each, `y_i`, has correlation `rho_i` with it, and given `f*` the covariance
//!
//! `diag(d) - r (1 + r) w w'`, with `d_i = 1 + rho_i^2 r (1 - v_i)` and `w_i = rho_i m_i`,
//!
//! in units of what it has without. As in GIBBON the entropy given `f*` is at most that of a normal law of
//! this covariance, so that the gain is at least
//!
//! `-1/2 (sum log d_i + log(1 - r (1 + r) sum w_i^2 / d_i))`, and never below zero.
//!
//! Without constraints this is GIBBON's. Where a draw says that nothing is feasible, `gamma` is minus
//! infinity, and what is left is information about feasibility.
//!
//! An evaluation that fails shows nothing: where it is learned whether evaluations succeed, the gain counts
//! with the probability that this one does, and that it fails is not counted as something learned.

use super::optimum_gain::{Entry, OptimumGain};
use super::truncated::Truncated;
use crate::model::{Prediction, Sensitivity};
use baton_numerics::Table;

/// A point that is surely better and feasible would contradict the draw.
const MOST_CERTAIN: f64 = 1.0 - 1e-9;
/// Below this nothing is learned, to the last digit.
const LEAST_LIKELY: f64 = 1e-16;
/// What is left of a covariance, at least.
const LEAST_LEFT: f64 = 1e-12;

/// Predictions of the objective and of all constrained quantities at the same points, and what is asked.
pub(super) struct Asked<'a> {
    pub objective: &'a Prediction,
    pub limits: &'a [&'a Prediction],
    /// between which `z` each quantity keeps its bounds
    pub bounds: &'a [(f64, f64)],
    /// draws of the best feasible value, if there is one
    pub values: &'a [f64],
    /// the probability that nothing is feasible
    pub nowhere: f64,
    /// which quantity says whether an evaluation succeeds
    pub success: Option<usize>,
    /// whether the objective is seen, too, or the quantities alone
    pub with_objective: bool,
}

/// One output: the interval of its standardised top level, and the squared correlation of what is seen.
#[derive(Clone, Copy)]
struct Part {
    within: Truncated,
    correlation: f64,
}

/// Derivatives by the ends of the interval and the correlation.
#[derive(Clone, Copy, Default)]
struct Slope {
    low: f64,
    high: f64,
    correlation: f64,
}

/// `-2` times the gain, before it is kept from falling below zero; and, where wanted, its slopes.
fn log_left(parts: &[Part], slopes: Option<&mut [Slope]>) -> f64 {
    let all: f64 = parts.iter().map(|part| part.within.share).product();
    if all < LEAST_LIKELY {
        return 0.0;
    }
    let all = all.min(MOST_CERTAIN);
    let ratio = all / (1.0 - all);
    let factor = ratio * (1.0 + ratio);
    let spread = |part: &Part| 1.0 + part.correlation * ratio * part.within.lost;
    let square = |part: &Part| part.correlation * part.within.mean * part.within.mean;
    let sum: f64 = parts.iter().map(|part| square(part) / spread(part)).sum();
    let left = (1.0 - factor * sum).max(LEAST_LEFT);
    let total = parts.iter().map(|part| spread(part).ln()).sum::<f64>() + left.ln();
    let Some(slopes) = slopes else { return total };
    let by_factor = -sum / left;
    let by_spread =
        |part: &Part| (1.0 + factor * square(part) / spread(part) / left) / spread(part);
    let by_ratio = by_factor * (1.0 + 2.0 * ratio)
        + parts.iter().map(|p| by_spread(p) * p.correlation * p.within.lost).sum::<f64>();
    let by_log_all = by_ratio * (1.0 + ratio) * (1.0 + ratio) * all;
    for (slope, part) in slopes.iter_mut().zip(parts) {
        let Part { within, correlation } = part;
        let by_mean = -2.0 * factor * correlation * within.mean / spread(part) / left;
        let by_lost = by_spread(part) * correlation * ratio;
        (slope.low, slope.high) = within.by_ends(by_log_all, by_mean, by_lost);
        slope.correlation = by_spread(part) * ratio * within.lost
            - factor * within.mean * within.mean / spread(part) / left;
    }
    total
}

impl Asked<'_> {
    /// Draws with their weights, the one that says that nothing is feasible among them.
    fn draws(&self) -> impl Iterator<Item = (f64, f64)> {
        let share = (1.0 - self.nowhere) / self.values.len().max(1) as f64;
        let none = (self.nowhere > 0.0).then_some((f64::NEG_INFINITY, self.nowhere));
        self.values.iter().map(move |value| (*value, share)).chain(none)
    }

    fn outputs(&self) -> impl Iterator<Item = &Prediction> {
        std::iter::once(self.objective).chain(self.limits.iter().copied())
    }

    /// Intervals of the constrained quantities at one point.
    fn intervals(&self, j: usize) -> Vec<Truncated> {
        let one = |(prediction, (low, high)): (&&Prediction, &(f64, f64))| {
            let top = prediction.levels() - 1;
            interval(prediction, (top, j), *low, *high)
        };
        self.limits.iter().zip(self.bounds).map(one).collect()
    }

    /// The gain at every level and point (levels x points), in nats.
    pub(super) fn evaluate(&self) -> Table {
        let (levels, points) = (self.objective.levels(), self.objective.points());
        let mut gains = Table::zeros(levels, points);
        let top = levels - 1;
        for j in 0..points {
            let fixed = self.intervals(j);
            for (value, weight) in self.draws() {
                let better = interval(self.objective, (top, j), value, f64::INFINITY);
                for level in 0..levels {
                    let parts: Vec<Part> = self.parts(level, j, better, &fixed);
                    gains[(level, j)] -= 0.5 * weight * log_left(&parts, None).min(0.0);
                }
            }
            for level in 0..levels {
                gains[(level, j)] *= self.succeeds((level, j)).share;
            }
        }
        gains
    }

    /// The success of an evaluation.
    fn succeeds(&self, at: (usize, usize)) -> Truncated {
        let one = |k: usize| interval(self.limits[k], at, self.bounds[k].0, self.bounds[k].1);
        self.success.map_or(Truncated::FREE, one)
    }

    fn parts(&self, level: usize, j: usize, better: Truncated, fixed: &[Truncated]) -> Vec<Part> {
        let within = std::iter::once(better).chain(fixed.iter().copied());
        let part = |(k, (prediction, within)): (usize, (&Prediction, Truncated))| {
            let is_seen = k > 0 || self.with_objective;
            let shows = is_seen && self.success.is_none_or(|success| k != success + 1);
            let moments = shows.then(|| OptimumGain::Gibbon.moments(prediction, level, j));
            Part { within, correlation: moments.map_or(0.0, |moments| moments.correlation) }
        };
        self.outputs().zip(within).enumerate().map(part).collect()
    }

    /// The gains in the first row, and for each output the derivatives of `factor` times their sum by its
    /// moments.
    pub(super) fn first_with_sensitivity(&self, factor: f64) -> (Vec<f64>, Vec<Sensitivity>) {
        let (levels, points) = (self.objective.levels(), self.objective.points());
        let top = levels - 1;
        let mut sensitivities: Vec<Sensitivity> =
            self.outputs().map(|_| Sensitivity::zeros(levels, points)).collect();
        let mut gains = vec![0.0; points];
        let mut slopes = vec![Slope::default(); sensitivities.len()];
        for (j, gain) in gains.iter_mut().enumerate() {
            let fixed = self.intervals(j);
            let mut entries = vec![Entry::default(); slopes.len()];
            for (value, weight) in self.draws() {
                let better = interval(self.objective, (top, j), value, f64::INFINITY);
                let parts = self.parts(0, j, better, &fixed);
                slopes.fill(Slope::default());
                let total = log_left(&parts, Some(&mut slopes));
                if total >= 0.0 {
                    continue;
                }
                *gain -= 0.5 * weight * total;
                if let Some(k) = self.success {
                    slopes[1 + k].correlation = 0.0;
                }
                let bounds =
                    std::iter::once((value, f64::INFINITY)).chain(self.bounds.iter().copied());
                for (((entry, slope), prediction), (low, high)) in
                    entries.iter_mut().zip(&slopes).zip(self.outputs()).zip(bounds)
                {
                    let (mean, variance) =
                        (prediction.mean[(top, j)], prediction.variance[(top, j)]);
                    entry.add_ends((low - mean, high - mean), variance, *slope, -0.5 * weight);
                }
            }
            let succeeds = self.succeeds((0, j));
            for ((entry, sensitivity), prediction) in
                entries.iter().zip(&mut sensitivities).zip(self.outputs())
            {
                let factor = factor * succeeds.share;
                OptimumGain::Gibbon.distribute(prediction, entry, factor, j, sensitivity);
            }
            if let Some(k) = self.success {
                let (mean, variance) =
                    (self.limits[k].mean[(0, j)], self.limits[k].variance[(0, j)]);
                let (low, high) = self.bounds[k];
                let (by_low, by_high) = succeeds.by_ends(1.0, 0.0, 0.0);
                let slope = Slope { low: by_low, high: by_high, correlation: 0.0 };
                let mut entry = Entry::default();
                entry.add_ends((low - mean, high - mean), variance, slope, succeeds.share);
                sensitivities[1 + k].mean[(0, j)] += factor * *gain * entry.by_mean;
                sensitivities[1 + k].variance[(0, j)] += factor * *gain * entry.by_variance;
            }
            *gain *= succeeds.share;
        }
        (gains, sensitivities)
    }
}

impl Entry {
    /// Adds the slopes by the ends of an interval, told how far these are from the mean.
    fn add_ends(&mut self, (low, high): (f64, f64), variance: f64, slope: Slope, weight: f64) {
        for (end, by_end) in [(low, slope.low), (high, slope.high)] {
            if by_end != 0.0 {
                self.by_mean -= weight * by_end / variance.sqrt();
                self.by_variance -= 0.5 * weight * by_end * (end / variance.sqrt()) / variance;
            }
        }
        self.by_correlation += weight * slope.correlation;
    }
}

/// What lies between two values, standardised at an entry.
fn interval(prediction: &Prediction, at: (usize, usize), low: f64, high: f64) -> Truncated {
    let (mean, deviation) = (prediction.mean[at], prediction.variance[at].sqrt());
    Truncated::between((low - mean) / deviation, (high - mean) / deviation)
}

/// The logarithm of the probability that all quantities keep their bounds at a point, from their
/// predictions.
pub(crate) fn log_feasibility(limits: &[&Prediction], bounds: &[(f64, f64)], j: usize) -> f64 {
    let one = |(prediction, (low, high)): (&&Prediction, &(f64, f64))| {
        interval(prediction, (prediction.levels() - 1, j), *low, *high).log_share
    };
    limits.iter().zip(bounds).map(one).sum()
}

#[cfg(test)]
#[path = "feasible_gain_tests.rs"]
mod tests;
