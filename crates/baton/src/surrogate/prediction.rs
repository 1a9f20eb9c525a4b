//! Predictions at many points and all levels at once, and the way back to the points.
//!
//! Observations of one level form a group `g`; with `k_g` the covariance profile between the group
//! and the query points, `W_g = U_g' k_g` (n x N), `s_g = a_g . k_g` and `Q_gh = W_g . W_h`:
//! the covariance of a group with a query at level `m` is `kappa(g, m) k_g`, so that, (18),
//!
//! `mean_m = sum_g kappa(g,m) s_g`, `variance_m = k_mm - sum_gh kappa(g,m) kappa(h,m) Q_gh` and
//! `covariance_m = k_mM - sum_gh kappa(g,m) kappa(h,M) Q_gh` with the top level `M`.
//!
//! So one product with the whitening serves all levels, on the way there and on the way back.

use super::features::FeatureTrace;
use super::gram::{Profile, distance_pull_back};
use super::posterior::{Group, Posterior};
use super::reshape;
use crate::error::{Result, computed, same_size};
use baton_numerics::vector::{add_scaled, dot, multiply};
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use std::ops::Range;

/// Rounding leaves variances below this share of the prior's meaningless, or negative.
const LEAST_VARIANCE: f64 = 1e-14;
/// Query points worked on at once: bounds memory, and is fixed so that bits do not depend on it.
const BLOCK: usize = 64;

/// Moments of the noise-free function under one `theta`, and the noise that an observation adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// means, levels x points
    pub mean: Mat<f64>,
    /// variances, levels x points, above zero
    pub variance: Mat<f64>,
    /// covariances with the top level at the same point, levels x points
    pub covariance: Mat<f64>,
    /// variance of the noise that an observation adds, levels x points
    pub noise: Mat<f64>,
    /// derivatives of the noise variance by the means
    pub noise_slope: Mat<f64>,
}

impl Prediction {
    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.mean.nrows()
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.mean.ncols()
    }
}

/// Derivatives of a scalar by the moments of a [`Prediction`], each levels x points.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// by the means
    pub mean: Mat<f64>,
    /// by the variances
    pub variance: Mat<f64>,
    /// by the covariances with the top level
    pub covariance: Mat<f64>,
}

impl Sensitivity {
    /// All zero.
    pub fn zeros(levels: usize, points: usize) -> Self {
        let zero = || Mat::zeros(levels, points);
        Self { mean: zero(), variance: zero(), covariance: zero() }
    }

    /// Adds a multiple of another.
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        self.mean += faer::Scale(factor) * &other.mean;
        self.variance += faer::Scale(factor) * &other.variance;
        self.covariance += faer::Scale(factor) * &other.covariance;
    }
}

/// A prediction with what the way back needs.
pub struct PredictionTrace<'a> {
    posterior: &'a Posterior,
    steps: Steps,
    /// the moments
    pub prediction: Prediction,
}

/// What comes between points and moments; its memory can be used again.
#[derive(Default)]
struct Steps {
    features: FeatureTrace,
    profile: Profile,
    /// `W_g`, group by group
    white: Vec<Mat<f64>>,
}

impl Posterior {
    /// Predicts at the columns of `points`, at every level.
    ///
    /// # Errors
    /// If the dimension does not fit or a coordinate is not finite.
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Prediction> {
        let mut steps = Steps::default();
        let mut prediction = self.empty_prediction(points.ncols());
        for start in (0..points.ncols()).step_by(BLOCK) {
            let count = BLOCK.min(points.ncols() - start);
            self.fill(points.subcols(start, count), start, &mut steps, &mut prediction)?;
        }
        Ok(prediction)
    }

    /// The means alone (levels x points), for a fraction of the work.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn means(&self, points: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let (mut features, mut profile) = (FeatureTrace::default(), Profile::default());
        let theta = &self.theta[self.surrogate.feature_range()];
        let mixing = Mixing::new(self);
        let mut sums = vec![0.0; self.groups.len()];
        let mut means = Mat::zeros(self.surrogate.levels(), points.ncols());
        for start in (0..points.ncols()).step_by(BLOCK) {
            let block = points.subcols(start, BLOCK.min(points.ncols() - start));
            self.check_points(block)?;
            self.surrogate.features().trace_into(theta, block, &mut features);
            let scale = self.parameters.scale;
            profile.fill(&self.surrogate, scale, &self.features, features.features())?;
            for j in 0..block.ncols() {
                let base = profile.base.col_as_slice(j);
                for (sum, Group { rows, .. }) in sums.iter_mut().zip(&self.groups) {
                    *sum = dot(&self.weights[rows.clone()], &base[rows.clone()]);
                }
                for level in 0..means.nrows() {
                    let explained = product(mixing.mean.col_as_slice(level), &sums);
                    means[(level, start + j)] =
                        computed("predicted mean", self.parameters.mean + explained)?;
                }
            }
        }
        Ok(means)
    }

    /// Predicts and keeps what [`PredictionTrace::pull_back`] needs.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn trace(&self, points: MatRef<'_, f64>) -> Result<PredictionTrace<'_>> {
        let mut steps = Steps::default();
        let mut prediction = self.empty_prediction(points.ncols());
        self.fill(points, 0, &mut steps, &mut prediction)?;
        Ok(PredictionTrace { posterior: self, steps, prediction })
    }

    fn empty_prediction(&self, points: usize) -> Prediction {
        let zero = || Mat::zeros(self.surrogate.levels(), points);
        Prediction {
            mean: zero(),
            variance: zero(),
            covariance: zero(),
            noise: zero(),
            noise_slope: zero(),
        }
    }

    /// Writes the moments of some points to the columns of `prediction` from `start` on.
    fn fill(
        &self,
        points: MatRef<'_, f64>,
        start: usize,
        steps: &mut Steps,
        prediction: &mut Prediction,
    ) -> Result<()> {
        self.check_points(points)?;
        let Steps { features, profile, white } = &mut *steps;
        let theta = &self.theta[self.surrogate.feature_range()];
        self.surrogate.features().trace_into(theta, points, features);
        let scale = self.parameters.scale;
        profile.fill(&self.surrogate, scale, &self.features, features.features())?;
        white.resize_with(self.groups.len(), Mat::new);
        for (group, white) in self.groups.iter().zip(white) {
            reshape(white, self.rows(), points.ncols());
            let Range { start, end } = group.rows;
            let whitening = self.whitening.subrows(start, end - start).transpose();
            let base = profile.base.subrows(start, end - start);
            matmul(white.as_mut(), Accum::Replace, whitening, base, 1.0, Par::Seq);
        }
        let mixing = Mixing::new(self);
        let mut sums = Sums::new(&mixing);
        for j in 0..points.ncols() {
            sums.fill(self, steps, j);
            self.fill_moments(&mixing, &sums, prediction, start + j)?;
        }
        Ok(())
    }

    fn fill_moments(
        &self,
        mixing: &Mixing,
        sums: &Sums,
        prediction: &mut Prediction,
        j: usize,
    ) -> Result<()> {
        let (scale, top) = (self.parameters.scale, self.top());
        let (kappa, link) = (&self.parameters.kappa, self.surrogate.settings().link);
        for level in 0..prediction.levels() {
            let mean = self.parameters.mean + product(mixing.mean.col_as_slice(level), &sums.s);
            prediction.mean[(level, j)] = computed("predicted mean", mean)?;
            let (factor, slope) = link.noise_factor(mean);
            let noise = self.parameters.noise[level];
            (prediction.noise[(level, j)], prediction.noise_slope[(level, j)]) =
                (factor * noise, slope * noise);
            let prior = scale * kappa[(level, level)];
            let least = (LEAST_VARIANCE * prior).max(f64::MIN_POSITIVE);
            let left = prior - product(mixing.variance.col_as_slice(level), &sums.q);
            // Not `max` alone: that would hide NaN.
            let variance = if left < least { least } else { left };
            prediction.variance[(level, j)] = computed("predicted variance", variance)?;
            prediction.covariance[(level, j)] = if level == top {
                variance
            } else {
                let explained = product(mixing.covariance.col_as_slice(level), &sums.q);
                scale * kappa[(level, top)] - explained
            };
        }
        Ok(())
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// How much the sums of each group, and their products pair by pair (`h <= g`, row by row), count
/// in the moments of each level (columns).
struct Mixing {
    mean: Mat<f64>,
    variance: Mat<f64>,
    covariance: Mat<f64>,
}

impl Mixing {
    fn new(posterior: &Posterior) -> Self {
        let (groups, kappa) = (&posterior.groups, &posterior.parameters.kappa);
        let (levels, top) = (posterior.surrogate.levels(), posterior.top());
        let all = (0..groups.len()).flat_map(|g| (0..=g).map(move |h| (g, h)));
        let pairs: Vec<(usize, usize)> = all.collect();
        let between = |pair: usize, m: usize, other: usize| {
            let (g, h) = pairs[pair];
            let (a, b) = (groups[g].level, groups[h].level);
            let one_way = kappa[(a, m)] * kappa[(b, other)];
            if g == h { one_way } else { one_way + kappa[(b, m)] * kappa[(a, other)] }
        };
        Self {
            mean: Mat::from_fn(groups.len(), levels, |g, m| kappa[(groups[g].level, m)]),
            variance: Mat::from_fn(pairs.len(), levels, |pair, m| between(pair, m, m)),
            covariance: Mat::from_fn(pairs.len(), levels, |pair, m| between(pair, m, top)),
        }
    }
}

/// `s_g` and `Q_gh`, `h <= g`, of one query point.
struct Sums {
    s: Vec<f64>,
    q: Vec<f64>,
}

impl Sums {
    fn new(mixing: &Mixing) -> Self {
        Self { s: vec![0.0; mixing.mean.nrows()], q: vec![0.0; mixing.variance.nrows()] }
    }

    fn fill(&mut self, posterior: &Posterior, steps: &Steps, j: usize) {
        let base = steps.profile.base.col_as_slice(j);
        let mut pairs = self.q.iter_mut();
        for (g, group) in posterior.groups.iter().enumerate() {
            self.s[g] = dot(&posterior.weights[group.rows.clone()], &base[group.rows.clone()]);
            let white = steps.white[g].col_as_slice(j);
            for (other, slot) in steps.white[..=g].iter().zip(&mut pairs) {
                *slot = dot(white, other.col_as_slice(j));
            }
        }
    }
}

impl PredictionTrace<'_> {
    /// From derivatives by the moments to derivatives by the points (`d` x `N`).
    ///
    /// # Errors
    /// If the sensitivity belongs to another number of levels or points.
    pub fn pull_back(&self, sensitivity: &Sensitivity) -> Result<Mat<f64>> {
        let (levels, points) = (self.prediction.levels(), self.prediction.points());
        same_size("levels of the sensitivity", levels, sensitivity.mean.nrows())?;
        same_size("points of the sensitivity", points, sensitivity.mean.ncols())?;
        let posterior = self.posterior;
        let d_squared = self.by_squared_distances(sensitivity);
        let trace = &self.steps.features;
        let mut derivatives = FeatureTrace::default();
        let d_features = derivatives.features_like(trace);
        d_features.fill(0.0);
        let own = &posterior.features.features;
        distance_pull_back(1.0, own, trace.features(), &d_squared, d_features);
        let surrogate = &posterior.surrogate;
        let theta = &posterior.theta[surrogate.feature_range()];
        Ok(surrogate.features().pull_back_to_points(theta, trace, derivatives))
    }

    /// By `q` between the observations and the points; the rows of group `g` are
    /// `g'(q) (a_g ds_g + U_g sum_h (dQ_gh + dQ_hg) W_h)`.
    fn by_squared_distances(&self, sensitivity: &Sensitivity) -> Mat<f64> {
        let (posterior, points) = (self.posterior, self.prediction.points());
        let mixing = Mixing::new(posterior);
        let by_means = &mixing.mean * &sensitivity.mean;
        let by_products =
            &mixing.variance * &sensitivity.variance + &mixing.covariance * &sensitivity.covariance;
        let mut result = Mat::zeros(posterior.rows(), points);
        let mut by_white = Mat::zeros(posterior.rows(), points);
        for (g, Group { rows, .. }) in posterior.groups.iter().enumerate() {
            by_white.fill(0.0);
            for (h, other) in self.steps.white.iter().enumerate() {
                let pair = g.max(h) * (g.max(h) + 1) / 2 + g.min(h);
                let count = if g == h { -2.0 } else { -1.0 };
                for j in 0..points {
                    let factor = count * by_products[(pair, j)];
                    add_scaled(by_white.col_as_slice_mut(j), other.col_as_slice(j), factor);
                }
            }
            let target = result.as_mut().subrows_mut(rows.start, rows.len());
            let whitening = posterior.whitening.subrows(rows.start, rows.len());
            matmul(target, Accum::Replace, whitening, &by_white, 1.0, Par::Seq);
            for j in 0..points {
                let column = &mut result.col_as_slice_mut(j)[rows.clone()];
                add_scaled(column, &posterior.weights[rows.clone()], by_means[(g, j)]);
            }
        }
        for j in 0..points {
            multiply(result.col_as_slice_mut(j), self.steps.profile.slope.col_as_slice(j));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{every_model, example_history, example_points, example_theta};
    use super::*;
    use std::sync::Arc;

    /// An arbitrary smooth scalar of all moments, with its sensitivity.
    fn scalar(p: &Prediction) -> (f64, Sensitivity) {
        let weight = |m: usize, j: usize| 0.3 + m as f64 - 0.4 * j as f64;
        let mut total = 0.0;
        let mut s = Sensitivity::zeros(p.levels(), p.points());
        for j in 0..p.points() {
            for m in 0..p.levels() {
                let (mean, variance, covariance) =
                    (p.mean[(m, j)], p.variance[(m, j)], p.covariance[(m, j)]);
                total += weight(m, j) * (mean.sin() + variance * variance + 2.0 * covariance.cos());
                s.mean[(m, j)] = weight(m, j) * mean.cos();
                s.variance[(m, j)] = weight(m, j) * 2.0 * variance;
                s.covariance[(m, j)] = -weight(m, j) * 2.0 * covariance.sin();
            }
        }
        (total, s)
    }

    #[test]
    fn the_gradient_by_the_point_agrees_with_finite_differences() {
        for surrogate in every_model() {
            let history = example_history(10, 2, 3);
            let theta = example_theta(&surrogate);
            let posterior = Posterior::new(Arc::new(surrogate), theta, history).unwrap();
            let points = example_points(4, 2);
            let trace = posterior.trace(points.as_ref()).unwrap();
            let gradient = trace.pull_back(&scalar(&trace.prediction).1).unwrap();
            for j in 0..4 {
                for i in 0..2 {
                    let at = |step: f64| {
                        let mut moved = points.clone();
                        moved[(i, j)] += step;
                        scalar(&posterior.predict(moved.as_ref()).unwrap()).0
                    };
                    let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let error = (gradient[(i, j)] - numeric).abs();
                    assert!(error < 1e-7 * (1.0 + numeric.abs()), "{i} {j}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn blocks_leave_no_seam() {
        let surrogate = Arc::new(every_model().remove(2));
        let theta = example_theta(&surrogate);
        let posterior = Posterior::new(surrogate, theta, example_history(5, 2, 3)).unwrap();
        let points = example_points(2 * BLOCK + 3, 2);
        let whole = posterior.predict(points.as_ref()).unwrap();
        assert_eq!(posterior.means(points.as_ref()).unwrap(), whole.mean);
        for j in [0, BLOCK - 1, BLOCK, 2 * BLOCK + 2] {
            let alone = posterior.predict(points.as_ref().subcols(j, 1)).unwrap();
            for m in 0..3 {
                assert!((whole.mean[(m, j)] - alone.mean[(m, 0)]).abs() < 1e-13);
                assert!((whole.covariance[(m, j)] - alone.covariance[(m, 0)]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn without_observations_the_prior_is_returned() {
        for surrogate in every_model() {
            let theta = example_theta(&surrogate);
            let history = crate::problem::History::new(2);
            let posterior = Posterior::new(Arc::new(surrogate), theta, history).unwrap();
            let prediction = posterior.predict(example_points(2, 2).as_ref()).unwrap();
            assert_eq!(prediction.variance[(2, 0)], prediction.variance[(2, 1)]);
            assert_eq!(prediction.mean[(0, 0)], prediction.mean[(1, 1)]);
        }
    }
}
