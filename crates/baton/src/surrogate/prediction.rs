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
use super::posterior::Posterior;
use crate::error::{Result, all_finite, same_size};
use baton_numerics::vector::{add_scaled, dot, multiply};
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

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
    /// noise variance per level
    pub noise: Vec<f64>,
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
    features: FeatureTrace,
    /// one for each group of the posterior
    groups: Vec<GroupTrace>,
    /// the moments
    pub prediction: Prediction,
}

struct GroupTrace {
    profile: Profile,
    /// `W_g`
    white: Mat<f64>,
}

impl Posterior {
    /// Predicts at the columns of `points`, at every level.
    ///
    /// # Errors
    /// If the dimension does not fit or a coordinate is not finite.
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Prediction> {
        if points.ncols() <= BLOCK {
            return Ok(self.trace(points)?.prediction);
        }
        let mut whole = self.empty_prediction(points.ncols());
        for start in (0..points.ncols()).step_by(BLOCK) {
            let count = BLOCK.min(points.ncols() - start);
            let part = self.trace(points.subcols(start, count))?.prediction;
            whole.mean.subcols_mut(start, count).copy_from(&part.mean);
            whole.variance.subcols_mut(start, count).copy_from(&part.variance);
            whole.covariance.subcols_mut(start, count).copy_from(&part.covariance);
        }
        Ok(whole)
    }

    fn empty_prediction(&self, points: usize) -> Prediction {
        let zero = || Mat::zeros(self.surrogate.levels(), points);
        let noise = self.parameters.noise.clone();
        Prediction { mean: zero(), variance: zero(), covariance: zero(), noise }
    }

    /// Predicts and keeps what [`PredictionTrace::pull_back`] needs.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn trace(&self, points: MatRef<'_, f64>) -> Result<PredictionTrace<'_>> {
        self.check_points(points)?;
        let theta = &self.theta[self.surrogate.feature_range()];
        let features = self.surrogate.features().trace(theta, points);
        let mut groups = Vec::with_capacity(self.groups.len());
        for group in &self.groups {
            let scale = self.parameters.scale;
            let (own, query) = (&group.features, features.features());
            let profile = Profile::between(&self.surrogate, scale, own, query)?;
            let mut white = Mat::zeros(self.rows(), points.ncols());
            let whitening = group.whitening.transpose();
            matmul(white.as_mut(), Accum::Replace, whitening, &profile.base, 1.0, Par::Seq);
            groups.push(GroupTrace { profile, white });
        }
        let mut prediction = self.empty_prediction(points.ncols());
        let mut sums = Sums::new(self);
        for j in 0..points.ncols() {
            sums.fill(self, &groups, j);
            self.fill_moments(&sums, &mut prediction, j);
            all_finite("predicted mean", prediction.mean.col_as_slice(j))?;
            all_finite("predicted variance", prediction.variance.col_as_slice(j))?;
        }
        Ok(PredictionTrace { posterior: self, features, groups, prediction })
    }

    fn fill_moments(&self, sums: &Sums, prediction: &mut Prediction, j: usize) {
        let (scale, top) = (self.parameters.scale, self.top());
        let kappa = &self.parameters.kappa;
        for level in 0..prediction.levels() {
            prediction.mean[(level, j)] = self.parameters.mean + sums.mean(kappa, level);
            let prior = scale * kappa[(level, level)];
            let least = (LEAST_VARIANCE * prior).max(f64::MIN_POSITIVE);
            let left = prior - sums.explained(kappa, level, level);
            // Not `max` alone: that would hide NaN.
            let variance = if left < least { least } else { left };
            prediction.variance[(level, j)] = variance;
            prediction.covariance[(level, j)] = if level == top {
                variance
            } else {
                scale * kappa[(level, top)] - sums.explained(kappa, level, top)
            };
        }
    }
}

/// `s_g` and `Q_gh` of one query point.
struct Sums {
    levels: Vec<usize>,
    s: Vec<f64>,
    q: Mat<f64>,
}

impl Sums {
    fn new(posterior: &Posterior) -> Self {
        let levels: Vec<usize> = posterior.groups.iter().map(|group| group.level).collect();
        let count = levels.len();
        Self { levels, s: vec![0.0; count], q: Mat::zeros(count, count) }
    }

    fn fill(&mut self, posterior: &Posterior, groups: &[GroupTrace], j: usize) {
        for (g, group) in groups.iter().enumerate() {
            self.s[g] = dot(&posterior.groups[g].weights, group.profile.base.col_as_slice(j));
            for (h, other) in groups[..=g].iter().enumerate() {
                let product = dot(group.white.col_as_slice(j), other.white.col_as_slice(j));
                (self.q[(g, h)], self.q[(h, g)]) = (product, product);
            }
        }
    }

    fn mean(&self, kappa: &Mat<f64>, level: usize) -> f64 {
        self.levels.iter().zip(&self.s).map(|(g, s)| kappa[(*g, level)] * s).sum()
    }

    fn explained(&self, kappa: &Mat<f64>, level: usize, other: usize) -> f64 {
        let mut total = 0.0;
        for (h, level_h) in self.levels.iter().enumerate() {
            let column = self.levels.iter().zip(self.q.col_as_slice(h));
            let through: f64 = column.map(|(level_g, q)| kappa[(*level_g, level)] * q).sum();
            total += through * kappa[(*level_h, other)];
        }
        total
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
        let mut derivatives = FeatureTrace::default();
        derivatives.features_like(&self.features).fill(0.0);
        for g in 0..self.groups.len() {
            let d_squared = self.by_squared_distances(sensitivity, g);
            let own = &posterior.groups[g].features;
            let d_features = derivatives.features_like(&self.features);
            distance_pull_back(1.0, own, self.features.features(), &d_squared, d_features);
        }
        let surrogate = &posterior.surrogate;
        let theta = &posterior.theta[surrogate.feature_range()];
        Ok(surrogate.features().pull_back_to_points(theta, &self.features, derivatives))
    }

    /// By `q` between group `g` and the points: `g'(q) (a_g ds_g + U_g sum_h (dQ_gh + dQ_hg) W_h)`.
    fn by_squared_distances(&self, sensitivity: &Sensitivity, g: usize) -> Mat<f64> {
        let (posterior, trace) = (self.posterior, &self.groups[g]);
        let group = &posterior.groups[g];
        let points = self.prediction.points();
        let mut by_white = Mat::zeros(posterior.rows(), points);
        for j in 0..points {
            for (h, other) in self.groups.iter().enumerate() {
                let factor = self.by_products(sensitivity, (g, h), j);
                add_scaled(by_white.col_as_slice_mut(j), other.white.col_as_slice(j), factor);
            }
        }
        let mut result = Mat::zeros(group.weights.len(), points);
        matmul(result.as_mut(), Accum::Replace, &group.whitening, &by_white, 1.0, Par::Seq);
        let kappa = &posterior.parameters.kappa;
        for j in 0..points {
            let by_mean = sensitivity.mean.col_as_slice(j).iter().enumerate();
            let total: f64 = by_mean.map(|(m, d)| kappa[(group.level, m)] * d).sum();
            let column = result.col_as_slice_mut(j);
            add_scaled(column, &group.weights, total);
            multiply(column, trace.profile.slope.col_as_slice(j));
        }
        result
    }

    /// `dQ_gh + dQ_hg` at one point.
    fn by_products(&self, s: &Sensitivity, (g, h): (usize, usize), j: usize) -> f64 {
        let posterior = self.posterior;
        let (g, h, top) = (posterior.groups[g].level, posterior.groups[h].level, posterior.top());
        let kappa = &posterior.parameters.kappa;
        (0..=top)
            .map(|m| {
                let own = 2.0 * kappa[(g, m)] * kappa[(h, m)];
                let with_top =
                    kappa[(g, m)] * kappa[(h, top)] + kappa[(h, m)] * kappa[(g, top)];
                -own * s.variance[(m, j)] - with_top * s.covariance[(m, j)]
            })
            .sum()
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
