//! Predictions at a level of its own for every point, and the way back to the points.
//!
//! A climber looks at one level, or at two: some gains also ask what the top level has in common
//! with it. With `k` the covariances of the observations with such a query and `w = U' k`, (18),
//!
//! `mean = a . k`, `variance = k_mm - w . w` and `covariance = k_mM - w . w_M`,
//!
//! so that one product with the whitening does for all queries, and one more on the way back.

use super::gram::distance_pull_back;
use super::posterior::Posterior;
use super::prediction::{Explained, Lent, Prediction, Steps};
use crate::error::{Result, same_size};
use baton_numerics::padded::reshape;
use baton_numerics::vector::{add_scaled, dot, multiply, scale};
use baton_numerics::{Mat, MatRef, Table};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

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
        self.check_points(points)?;
        same_size("levels, one per point", points.ncols(), own.len())?;
        own.iter().try_for_each(|level| self.surrogate.check_level(*level))?;
        let count = own.len();
        let mut levels = own.to_vec();
        levels.resize(if with_top { 2 * count } else { count }, self.top());
        let mut steps = Lent::new();
        self.fill_white(points, &levels, &mut steps)?;
        let mut prediction = Prediction::zeros(if with_top { 2 } else { 1 }, count);
        for (query, level) in levels.iter().enumerate() {
            let [cross, white] =
                [&steps.0.cross, &steps.0.white_cross].map(|m| m.col_as_slice(query));
            let j = query % count;
            let last = levels.len() - count + j;
            let explained = Explained {
                mean: dot(&self.weights, cross),
                variance: dot(white, white),
                covariance: dot(white, steps.0.white_cross.col_as_slice(last)),
            };
            let levels = [*level, levels[last]];
            self.set_moments(&mut prediction, (query / count, j), levels, &explained)?;
        }
        Ok(PredictionTrace { posterior: self, steps, levels, prediction })
    }

    /// `k` and `w` of all queries.
    fn fill_white(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
        steps: &mut Lent,
    ) -> Result<()> {
        let Steps { features, profile, cross, white_cross, .. } = &mut steps.0;
        self.surrogate.features().trace_into(self.feature_weights(), points, features);
        profile.fill(&self.parameters, &self.features, features.features())?;
        reshape(cross, self.rows(), levels.len());
        reshape(white_cross, self.rows(), levels.len());
        for (query, level) in levels.iter().enumerate() {
            let column = cross.col_as_slice_mut(query);
            column.copy_from_slice(profile.base.col_as_slice(query % points.ncols()));
            multiply(column, self.mixing.rows.col_as_slice(*level));
        }
        let whitening = self.whitening.matrix().transpose();
        matmul(white_cross.as_mut(), Accum::Replace, whitening, &*cross, 1.0, Par::Seq);
        Ok(())
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
        Ok(surrogate.features().pull_back_to_points(theta, trace, derivatives))
    }

    /// By `q` between the observations and the points, into the base of the profile of `by`.
    fn by_squared_distances(&self, sensitivity: &Sensitivity, by: &mut Steps) {
        let (posterior, points) = (self.posterior, self.prediction.points());
        let (rows, queries) = (posterior.rows(), self.levels.len());
        let Steps { cross, white_cross, profile, .. } = by;
        reshape(white_cross, rows, queries);
        reshape(cross, rows, queries);
        reshape(&mut profile.base, rows, points);
        let white = |query: usize| self.steps.0.white_cross.col_as_slice(query);
        for query in 0..queries {
            let (at, last) = ((query / points, query % points), queries - points + query % points);
            // The covariance of a query with itself is its variance.
            let same = self.levels[query] == self.levels[last];
            let by_variance =
                sensitivity.variance[at] + if same { sensitivity.covariance[at] } else { 0.0 };
            let target = white_cross.col_as_slice_mut(query);
            target.copy_from_slice(white(query));
            scale(target, -2.0 * by_variance);
        }
        for query in 0..queries - points {
            let last = queries - points + query;
            if self.levels[query] != self.levels[last] {
                let factor = -sensitivity.covariance[(0, query)];
                add_scaled(white_cross.col_as_slice_mut(query), white(last), factor);
                add_scaled(white_cross.col_as_slice_mut(last), white(query), factor);
            }
        }
        let whitening = posterior.whitening.matrix();
        matmul(cross.as_mut(), Accum::Replace, whitening, &*white_cross, 1.0, Par::Seq);
        for (query, level) in self.levels.iter().enumerate() {
            let at = (query / points, query % points);
            let column = cross.col_as_slice_mut(query);
            add_scaled(column, &posterior.weights, sensitivity.mean[at]);
            multiply(column, posterior.mixing.rows.col_as_slice(*level));
            multiply(column, self.steps.0.profile.slope.col_as_slice(at.1));
            let target = profile.base.col_as_slice_mut(at.1);
            if at.0 == 0 {
                target.copy_from_slice(column);
            } else {
                add_scaled(target, column, 1.0);
            }
        }
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
    fn levels_that_do_not_exist_are_refused() {
        for posterior in posteriors() {
            let points = example_points(2, 2);
            assert!(posterior.trace(points.as_ref(), &[0, 3], false).is_err());
            assert!(posterior.trace(points.as_ref(), &[0], false).is_err());
        }
    }
}
