//! Predictions at a level of its own for every point, and the way back to the points.
//!
//! A climber looks at one level, or at two: some gains also ask what the top level has in common
//! with it. With `k` the covariances of the observations with such a query, `w = U' k` and
//! `s = K~^-1 k = U w`, (18),
//!
//! `mean = a . k`, `variance = k_mm - w . w` and `covariance = k_mM - w . w_M`,
//!
//! with `w . w' = k . s'` where the inverse is kept. Derivatives by `k` are multiples of `a` and `s`,
//! so that the way back takes no product with the observations' covariance.

use super::gram::distance_pull_back;
use super::posterior::Posterior;
use super::prediction::{Explained, Lent, Prediction, Steps};
use crate::error::{Result, same_size};
use baton_numerics::padded::reshape;
use baton_numerics::vector::{dot, write_products};
use baton_numerics::{Mat, MatRef, Table};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use multiversion::multiversion;

/// Derivatives of a scalar by the moments of a [`Prediction`], each levels x points.
#[derive(Debug, Clone, PartialEq)]
pub struct Sensitivity {
    /// by the means
    pub mean: Table,
    /// by the variances
    pub variance: Table,
    /// by the covariances with the last level
    pub covariance: Table,
}

impl Sensitivity {
    /// All zero.
    pub fn zeros(levels: usize, points: usize) -> Self {
        let zero = || Table::zeros(levels, points);
        Self { mean: zero(), variance: zero(), covariance: zero() }
    }

    /// Adds a multiple of another.
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        self.mean.add_scaled(&other.mean, factor);
        self.variance.add_scaled(&other.variance, factor);
        self.covariance.add_scaled(&other.covariance, factor);
    }
}

/// A prediction with what the way back needs.
pub struct PredictionTrace<'a> {
    posterior: &'a Posterior,
    steps: Lent,
    /// the level of every query: the points at their own, then, where asked for, all at the top
    levels: Vec<usize>,
    /// the moments: one row at the points' own levels and, where asked for, one at the top
    pub prediction: Prediction,
}

impl Posterior {
    /// Predicts each point at a level of its own, and at the top too if that is wanted, and keeps
    /// what [`PredictionTrace::pull_back`] needs.
    ///
    /// # Errors
    /// As [`Posterior::predict`], or if a level does not exist.
    pub fn trace(
        &self,
        points: MatRef<'_, f64>,
        own: &[usize],
        with_top: bool,
    ) -> Result<PredictionTrace<'_>> {
        same_size("levels, one per point", points.ncols(), own.len())?;
        own.iter().try_for_each(|level| self.surrogate.check_level(*level))?;
        let count = own.len();
        let mut levels = own.to_vec();
        levels.resize(if with_top { 2 * count } else { count }, self.top());
        let mut steps = Lent::new();
        self.solve(points, &levels, &mut steps.0)?;
        let mut prediction = Prediction::zeros(if with_top { 2 } else { 1 }, count);
        for (query, level) in levels.iter().enumerate() {
            let j = query % count;
            let last = levels.len() - count + j;
            let (left, right) = self.explaining(&steps.0);
            let explained = Explained {
                mean: dot(&self.weights, steps.0.cross.col_as_slice(query)),
                variance: dot(left.col_as_slice(query), right.col_as_slice(query)),
                covariance: dot(left.col_as_slice(last), right.col_as_slice(query)),
            };
            let levels = [*level, levels[last]];
            self.set_moments(&mut prediction, (query / count, j), levels, &explained)?;
        }
        Ok(PredictionTrace { posterior: self, steps, levels, prediction })
    }

    /// `k` and `s` of all queries and, where no inverse is kept, `w`.
    fn solve(&self, points: MatRef<'_, f64>, levels: &[usize], steps: &mut Steps) -> Result<()> {
        let Steps { features, profile, cross, white_cross, solved, .. } = steps;
        self.trace_features(points, self.place(), features)?;
        profile.fill(&self.parameters, &self.features, features.features())?;
        reshape(cross, self.rows(), levels.len());
        reshape(solved, self.rows(), levels.len());
        for (query, level) in levels.iter().enumerate() {
            let base = profile.base.col_as_slice(query % points.ncols());
            let kappa = self.mixing.rows.col_as_slice(*level);
            write_products(cross.col_as_slice_mut(query), base, kappa);
        }
        if let Some(inverse) = self.whitening.inverse() {
            matmul(solved.as_mut(), Accum::Replace, inverse, &*cross, 1.0, Par::Seq);
        } else {
            let whitening = self.whitening.matrix();
            reshape(white_cross, self.rows(), levels.len());
            let turned = whitening.transpose();
            matmul(white_cross.as_mut(), Accum::Replace, turned, &*cross, 1.0, Par::Seq);
            matmul(solved.as_mut(), Accum::Replace, whitening, &*white_cross, 1.0, Par::Seq);
        }
        Ok(())
    }

    /// What gives the explained covariance of two queries: their columns' products.
    fn explaining<'a>(&self, steps: &'a Steps) -> (&'a Mat<f64>, &'a Mat<f64>) {
        if self.whitening.inverse().is_some() {
            (&steps.cross, &steps.solved)
        } else {
            (&steps.white_cross, &steps.white_cross)
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
        let mut lent = Lent::new();
        self.by_squared_distances(sensitivity, &mut lent.0);
        let trace = &self.steps.0.features;
        let derivatives = &mut lent.0.features;
        let d_features = derivatives.features_like(trace);
        let own = &posterior.features.features;
        distance_pull_back(1.0, own, trace.features(), &lent.0.profile.base, d_features);
        let surrogate = &posterior.surrogate;
        let theta = &posterior.theta[surrogate.feature_range()];
        let mut slopes = surrogate.features().pull_back_to_points(theta, trace, derivatives);
        // Nothing is searched along the description of the task.
        slopes.truncate(slopes.nrows() - posterior.place().len(), slopes.ncols());
        Ok(slopes)
    }

    /// By `q` between the observations and the points, into the base of the profile of `by`.
    fn by_squared_distances(&self, sensitivity: &Sensitivity, by: &mut Steps) {
        let (posterior, points) = (self.posterior, self.prediction.points());
        let Steps { profile: own, solved, .. } = &self.steps.0;
        let target = &mut by.profile.base;
        reshape(target, posterior.rows(), points);
        for j in 0..points {
            target.col_as_slice_mut(j).fill(0.0);
        }
        for (query, level) in self.levels.iter().enumerate() {
            let (at, j) = ((query / points, query % points), query % points);
            let last = self.levels.len() - points + j;
            // The covariance of a query with itself is its variance.
            let same = *level == self.levels[last];
            let by_variance =
                sensitivity.variance[at] + if same { sensitivity.covariance[at] } else { 0.0 };
            let apart = self.levels[j] != self.levels[last];
            let by_covariance = if apart { sensitivity.covariance[(0, j)] } else { 0.0 };
            let other = if query == last { j } else { last };
            let (own_solved, other) = (solved.col_as_slice(query), solved.col_as_slice(other));
            let (kappa, slope) =
                (posterior.mixing.rows.col_as_slice(*level), own.slope.col_as_slice(j));
            add_pulled_back(
                target.col_as_slice_mut(j),
                [&posterior.weights, own_solved, other, kappa, slope],
                [sensitivity.mean[at], -2.0 * by_variance, -by_covariance],
            );
        }
    }
}

/// Adds derivatives by squared distances: those by the covariances `k` of a query, multiples of `a`,
/// of its own `s` and of another's, times `kappa` and the slope of the profile.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn add_pulled_back(target: &mut [f64], sources: [&[f64]; 5], [f, g, h]: [f64; 3]) {
    let [a, b, c, kappa, slope] = sources;
    let columns = a.iter().zip(b).zip(c).zip(kappa).zip(slope);
    for (sum, ((((a, b), c), kappa), slope)) in target.iter_mut().zip(columns) {
        *sum += (f * a + g * b + h * c) * kappa * slope;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{
        every_model, example_history, example_points, example_theta, farthest,
    };
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

    const LEVELS: [usize; 4] = [1, 2, 0, 1];

    fn posteriors() -> impl Iterator<Item = Posterior> {
        every_model().into_iter().map(|surrogate| {
            let theta = example_theta(&surrogate);
            Posterior::new(Arc::new(surrogate), theta, example_history(10, 2, 3)).unwrap()
        })
    }

    #[test]
    fn the_gradient_by_the_point_agrees_with_finite_differences() {
        for (posterior, top) in posteriors().flat_map(|p| [(p.clone(), false), (p, true)]) {
            let points = example_points(4, 2);
            let trace = posterior.trace(points.as_ref(), &LEVELS, top).unwrap();
            let gradient = trace.pull_back(&scalar(&trace.prediction).1).unwrap();
            for j in 0..4 {
                for i in 0..2 {
                    let at = |step: f64| {
                        let mut moved = points.clone();
                        moved[(i, j)] += step;
                        let trace = posterior.trace(moved.as_ref(), &LEVELS, top).unwrap();
                        scalar(&trace.prediction).0
                    };
                    let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let error = (gradient[(i, j)] - numeric).abs();
                    assert!(error < 1e-7 * (1.0 + numeric.abs()), "{i} {j}: {error:e}");
                }
            }
        }
    }

    #[test]
    fn the_moments_are_those_of_a_prediction_at_all_levels() {
        for posterior in posteriors() {
            let points = example_points(4, 2);
            let all = posterior.predict(points.as_ref()).unwrap();
            let trace = posterior.trace(points.as_ref(), &LEVELS, true).unwrap();
            let parts: [fn(&Prediction) -> &Table; 5] =
                [|p| &p.mean, |p| &p.variance, |p| &p.covariance, |p| &p.noise, |p| &p.noise_slope];
            for part in parts {
                for (j, level) in LEVELS.iter().enumerate() {
                    let (own, top) =
                        (part(&trace.prediction)[(0, j)], part(&trace.prediction)[(1, j)]);
                    assert!((own - part(&all)[(*level, j)]).abs() < 1e-12);
                    assert!((top - part(&all)[(2, j)]).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn with_and_without_the_inverse_moments_and_gradients_are_the_same() {
        let points = example_points(4, 2);
        for (posterior, top) in posteriors().flat_map(|p| [(p.clone(), false), (p, true)]) {
            assert!(posterior.whitening.inverse().is_some());
            let mut without = posterior.clone();
            without.whitening = without.whitening.without_inverse();
            let [(p, slope), (q, other)] = [&posterior, &without].map(|posterior| {
                let trace = posterior.trace(points.as_ref(), &LEVELS, top).unwrap();
                let slope = trace.pull_back(&scalar(&trace.prediction).1).unwrap();
                (trace.prediction, slope)
            });
            assert!(farthest(&p.mean, &q.mean) < 1e-12);
            assert!(farthest(&p.variance, &q.variance) < 1e-11);
            assert!(farthest(&p.covariance, &q.covariance) < 1e-11);
            assert!((slope - other).norm_max() < 1e-9);
        }
    }

    #[test]
    fn levels_that_do_not_exist_are_refused() {
        for posterior in posteriors() {
            let points = example_points(2, 2);
            assert!(posterior.trace(points.as_ref(), &[0, 3], false).is_err());
            assert!(posterior.trace(points.as_ref(), &[0], false).is_err());
        }
    }
}
