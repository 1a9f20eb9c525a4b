//! Predictions at many points and all levels at once, and the way back to the points.
//!
//! With `V_m = L^-1 k_m` (n x N), where `k_m` holds the covariances between the observations and
//! the query points at level `m`:
//! mean `k_m' a`, variance `k_mm - |V_m|^2`, covariance with the top level `k_mM - V_m . V_M`, (18).

use super::features::FeatureTrace;
use super::gram::{Profile, distance_pull_back};
use super::posterior::Posterior;
use crate::error::{Result, all_finite, same_size};
use baton_numerics::vector::{add_scaled, dot};
use baton_numerics::{Mat, MatRef};

/// Rounding leaves variances below this share of the prior's meaningless, or negative.
const LEAST_VARIANCE: f64 = 1e-14;
/// Query points worked on at once: bounds memory, and is fixed so that bits do not depend on it.
const BLOCK: usize = 256;

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
    profile: Profile,
    /// `V_m` for every level
    whitened: Vec<Mat<f64>>,
    /// the moments
    pub prediction: Prediction,
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
        let levels = self.surrogate.levels();
        let zero = || Mat::zeros(levels, points.ncols());
        let noise = self.parameters.noise.clone();
        let mut whole = Prediction { mean: zero(), variance: zero(), covariance: zero(), noise };
        for start in (0..points.ncols()).step_by(BLOCK) {
            let count = BLOCK.min(points.ncols() - start);
            let part = self.trace(points.subcols(start, count))?.prediction;
            whole.mean.subcols_mut(start, count).copy_from(&part.mean);
            whole.variance.subcols_mut(start, count).copy_from(&part.variance);
            whole.covariance.subcols_mut(start, count).copy_from(&part.covariance);
        }
        Ok(whole)
    }

    /// Predicts and keeps what [`PredictionTrace::pull_back`] needs.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn trace(&self, points: MatRef<'_, f64>) -> Result<PredictionTrace<'_>> {
        self.check_points(points)?;
        let theta = &self.theta[self.surrogate.feature_range()];
        let features = self.surrogate.features().trace(theta, points);
        let scale = self.parameters.scale;
        let profile =
            Profile::between(&self.surrogate, scale, &self.features, features.features())?;
        let levels = self.surrogate.levels();
        let zero = || Mat::zeros(levels, points.ncols());
        let noise = self.parameters.noise.clone();
        let mut prediction =
            Prediction { mean: zero(), variance: zero(), covariance: zero(), noise };
        let mut whitened: Vec<Mat<f64>> = Vec::with_capacity(levels);
        for level in 0..levels {
            let mut cross = self.cross_covariance(&profile, level);
            for j in 0..points.ncols() {
                let explained = dot(cross.col_as_slice(j), &self.weights);
                prediction.mean[(level, j)] = self.parameters.mean + explained;
            }
            self.factor.solve_lower(cross.as_mut())?;
            whitened.push(cross);
        }
        self.fill_second_moments(&whitened, &mut prediction);
        (0..points.ncols()).try_for_each(|j| {
            all_finite("predicted mean", prediction.mean.col_as_slice(j))?;
            all_finite("predicted variance", prediction.variance.col_as_slice(j))
        })?;
        Ok(PredictionTrace { posterior: self, features, profile, whitened, prediction })
    }

    fn cross_covariance(&self, profile: &Profile, level: usize) -> Mat<f64> {
        let kappa: Vec<f64> =
            self.levels.iter().map(|other| self.parameters.kappa[(*other, level)]).collect();
        let mut cross = profile.base.clone();
        for j in 0..cross.ncols() {
            for (value, kappa) in cross.col_as_slice_mut(j).iter_mut().zip(&kappa) {
                *value *= kappa;
            }
        }
        cross
    }

    fn fill_second_moments(&self, whitened: &[Mat<f64>], prediction: &mut Prediction) {
        let (scale, top) = (self.parameters.scale, self.top());
        for (level, v) in whitened.iter().enumerate() {
            let prior = scale * self.parameters.kappa[(level, level)];
            let prior_with_top = scale * self.parameters.kappa[(level, top)];
            let least = (LEAST_VARIANCE * prior).max(f64::MIN_POSITIVE);
            for j in 0..v.ncols() {
                let own = v.col_as_slice(j);
                let left = prior - dot(own, own);
                // Not `max` alone: that would hide NaN.
                prediction.variance[(level, j)] = if left < least { least } else { left };
                let shared = dot(own, whitened[top].col_as_slice(j));
                prediction.covariance[(level, j)] = if level == top {
                    prediction.variance[(level, j)]
                } else {
                    prior_with_top - shared
                };
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
        let mut d_base = Mat::zeros(posterior.levels.len(), points);
        for level in 0..levels {
            let Some(d_cross) = self.cross_sensitivity(sensitivity, level)? else { continue };
            for j in 0..points {
                let rows = d_base.col_as_slice_mut(j).iter_mut().zip(d_cross.col_as_slice(j));
                for ((d, through), other) in rows.zip(&posterior.levels) {
                    *d += through * posterior.parameters.kappa[(*other, level)];
                }
            }
        }
        for j in 0..points {
            let slopes = self.profile.slope.col_as_slice(j);
            for (d, slope) in d_base.col_as_slice_mut(j).iter_mut().zip(slopes) {
                *d *= slope;
            }
        }
        let features = self.features.features();
        let mut derivatives = FeatureTrace::default();
        let d_features = derivatives.features_like(&self.features);
        distance_pull_back(1.0, &posterior.features, features, &d_base, d_features);
        let surrogate = &posterior.surrogate;
        let theta = &posterior.theta[surrogate.feature_range()];
        Ok(surrogate.features().pull_back_to_points(theta, &self.features, derivatives))
    }

    /// Derivatives by `k_m`: `a dmean - K~^-1 (2 k_m dvar + k_M dcov)`, and for the top level the
    /// other half of every covariance. `None` if nothing depends on this level.
    fn cross_sensitivity(&self, s: &Sensitivity, level: usize) -> Result<Option<Mat<f64>>> {
        let top = self.posterior.top();
        let points = self.prediction.points();
        let touched = |m: usize| {
            (0..points).any(|j| {
                s.mean[(m, j)] != 0.0 || s.variance[(m, j)] != 0.0 || s.covariance[(m, j)] != 0.0
            })
        };
        let by_covariance = |m: usize| (0..points).any(|j| s.covariance[(m, j)] != 0.0);
        let sources: Vec<usize> =
            if level == top { (0..=top).filter(|m| by_covariance(*m)).collect() } else { vec![] };
        if !touched(level) && sources.is_empty() {
            return Ok(None);
        }
        let mut result = Mat::zeros(self.posterior.levels.len(), points);
        for j in 0..points {
            let column = result.col_as_slice_mut(j);
            let own = self.whitened[level].col_as_slice(j);
            add_scaled(column, own, -2.0 * s.variance[(level, j)]);
            add_scaled(column, self.whitened[top].col_as_slice(j), -s.covariance[(level, j)]);
            for source in &sources {
                let other = self.whitened[*source].col_as_slice(j);
                add_scaled(column, other, -s.covariance[(*source, j)]);
            }
        }
        self.posterior.factor.solve_upper(result.as_mut())?;
        for j in 0..points {
            add_scaled(result.col_as_slice_mut(j), &self.posterior.weights, s.mean[(level, j)]);
        }
        Ok(Some(result))
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
