//! Predictions at many points and all levels at once.
//!
//! Observations of one level form a group `g`; with `k_g` the covariance profile between the group
//! and the query points, `W_g = U_g' k_g` (n x N), `s_g = a_g . k_g` and `Q_gh = W_g . W_h`:
//! the covariance of a group with a query at level `m` is `kappa(g, m) k_g`, so that, (18),
//!
//! `mean_m = sum_g kappa(g,m) s_g`, `variance_m = k_mm - sum_gh kappa(g,m) kappa(h,m) Q_gh` and
//! `covariance_m = k_mM - sum_gh kappa(g,m) kappa(h,M) Q_gh` with the top level `M`.
//!
//! So one product with the whitening serves all levels.

use super::features::FeatureTrace;
use super::mixing::{Group, Mixing};
use super::model::Parameters;
use super::posterior::Posterior;
use super::profile::Profile;
use crate::error::{Result, computed};
use baton_numerics::vector::{dot, pairwise_products};
use baton_numerics::{Mat, MatMut, MatRef, Table};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use std::cell::RefCell;
use std::ops::Range;

/// Rounding leaves variances below this share of the prior's meaningless, or negative.
const LEAST_VARIANCE: f64 = 1e-14;
/// Query points worked on at once: bounds memory, and is fixed so that bits do not depend on it.
const BLOCK: usize = 128;

/// Moments of the noise-free function under one `theta`, and the noise that an observation adds.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// means, levels x points
    pub mean: Table,
    /// variances, levels x points, above zero
    pub variance: Table,
    /// covariances with the last of the levels at the same point, levels x points
    pub covariance: Table,
    /// variance of the noise that an observation adds, levels x points
    pub noise: Table,
    /// derivatives of the noise variance by the means
    pub noise_slope: Table,
}

impl Prediction {
    pub(super) fn zeros(levels: usize, points: usize) -> Self {
        let zero = || Table::zeros(levels, points);
        Self {
            mean: zero(),
            variance: zero(),
            covariance: zero(),
            noise: zero(),
            noise_slope: zero(),
        }
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.mean.nrows()
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.mean.ncols()
    }
}

/// What comes between points and moments. Its memory is large enough for the system to take it back
/// at once and to clear it when it is wanted again, which costs more than filling it: so each thread
/// keeps what it has used.
pub(super) struct Steps {
    pub features: FeatureTrace,
    pub profile: Profile,
    /// `W_g`, point by point and in each group by group
    pub white: Vec<f64>,
    /// covariances of the observations with single queries, the same whitened, and times the inverse
    pub cross: Mat<f64>,
    pub white_cross: Mat<f64>,
    pub solved: Mat<f64>,
}

impl Default for Steps {
    fn default() -> Self {
        Self {
            features: FeatureTrace::default(),
            profile: Profile::default(),
            white: Vec::new(),
            cross: Mat::new(),
            white_cross: Mat::new(),
            solved: Mat::new(),
        }
    }
}

/// [`Steps`] a thread keeps.
const MOST_KEPT: usize = 64;

thread_local! {
    static KEPT: RefCell<Vec<Steps>> = const { RefCell::new(Vec::new()) };
}

/// [`Steps`] that go back to the thread's own when they are no longer used.
pub(super) struct Lent(pub Steps);

impl Lent {
    pub(super) fn new() -> Self {
        Self(KEPT.with_borrow_mut(Vec::pop).unwrap_or_default())
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let steps = std::mem::take(&mut self.0);
        // A thread that is ending keeps nothing.
        let _ = KEPT.try_with(|kept| {
            let mut kept = kept.borrow_mut();
            if kept.len() < MOST_KEPT {
                kept.push(steps);
            }
        });
    }
}

impl Posterior {
    /// Predicts at the columns of `points`, at every level.
    ///
    /// # Errors
    /// If the dimension does not fit or a coordinate is not finite.
    pub fn predict(&self, points: MatRef<'_, f64>) -> Result<Prediction> {
        self.predict_at(points, self.place())
    }

    /// The same with other last coordinates than those it is asked about.
    pub(super) fn predict_at(&self, points: MatRef<'_, f64>, place: &[f64]) -> Result<Prediction> {
        let mut steps = Lent::new();
        let mut prediction = Prediction::zeros(self.surrogate.levels(), points.ncols());
        for start in (0..points.ncols()).step_by(BLOCK) {
            let count = BLOCK.min(points.ncols() - start);
            let block = (points.subcols(start, count), place);
            self.fill(block, start, &mut steps.0, &mut prediction)?;
        }
        Ok(prediction)
    }

    /// The means alone (levels x points), for a fraction of the work.
    ///
    /// # Errors
    /// As [`Posterior::predict`].
    pub fn means(&self, points: MatRef<'_, f64>) -> Result<Table> {
        let (mut features, mut profile) = (FeatureTrace::default(), Profile::default());
        let mut sums = vec![0.0; self.groups.len()];
        let mut column = vec![0.0; self.surrogate.levels()];
        let mut means = Table::zeros(self.surrogate.levels(), points.ncols());
        for start in (0..points.ncols()).step_by(BLOCK) {
            let block = points.subcols(start, BLOCK.min(points.ncols() - start));
            self.trace_features(block, self.place(), &mut features)?;
            profile.fill(&self.parameters, &self.features, features.features())?;
            for j in 0..block.ncols() {
                let base = profile.base.col_as_slice(j);
                for (sum, Group { rows, .. }) in sums.iter_mut().zip(&self.groups) {
                    *sum = dot(&self.weights[rows.clone()], &base[rows.clone()]);
                }
                mixed(&self.mixing.mean, &sums, &mut column);
                for (level, explained) in column.iter().enumerate() {
                    means[(level, start + j)] =
                        computed("predicted mean", self.parameters.mean + explained)?;
                }
            }
        }
        Ok(means)
    }

    /// Writes the moments of some points to the columns of `prediction` from `start` on.
    fn fill(
        &self,
        (points, place): (MatRef<'_, f64>, &[f64]),
        start: usize,
        steps: &mut Steps,
        prediction: &mut Prediction,
    ) -> Result<()> {
        let Steps { features, profile, white, .. } = &mut *steps;
        self.trace_features(points, place, features)?;
        profile.fill(&self.parameters, &self.features, features.features())?;
        let (rows, per_point) = (self.rows(), self.rows() * self.groups.len());
        white.resize(per_point * points.ncols(), 0.0);
        for (g, group) in self.groups.iter().enumerate() {
            let Range { start, end } = group.rows;
            let whitening = self.whitening.matrix().subrows(start, end - start).transpose();
            let base = profile.base.subrows(start, end - start);
            let target = MatMut::from_column_major_slice_with_stride_mut(
                &mut white[g * rows..],
                rows,
                points.ncols(),
                per_point,
            );
            matmul(target, Accum::Replace, whitening, base, 1.0, Par::Seq);
        }
        let mut sums = Sums::new(self);
        for j in 0..points.ncols() {
            sums.fill(self, steps, j);
            for level in 0..self.surrogate.levels() {
                let levels = [level, self.top()];
                self.set_moments(prediction, (level, start + j), levels, &sums.explained(level))?;
            }
        }
        Ok(())
    }

    /// Writes the moments at one level to a place of `prediction`, given also the level of its last
    /// row.
    pub(super) fn set_moments(
        &self,
        prediction: &mut Prediction,
        at: (usize, usize),
        [level, last]: [usize; 2],
        explained: &Explained,
    ) -> Result<()> {
        let Parameters { scale, kappa, noise, .. } = &self.parameters;
        let mean = self.parameters.mean + explained.mean;
        prediction.mean[at] = computed("predicted mean", mean)?;
        let (factor, slope) = self.surrogate.settings().link.noise_factor(mean);
        prediction.noise[at] = factor * noise[level];
        prediction.noise_slope[at] = slope * noise[level];
        let prior = scale * kappa[(level, level)];
        let least = (LEAST_VARIANCE * prior).max(f64::MIN_POSITIVE);
        let left = prior - explained.variance;
        // Not `max` alone: that would hide NaN.
        let variance = if left < least { least } else { left };
        prediction.variance[at] = computed("predicted variance", variance)?;
        prediction.covariance[at] = if level == last {
            variance
        } else {
            scale * kappa[(level, last)] - explained.covariance
        };
        Ok(())
    }
}

/// The parts of the moments that the observations explain.
pub(super) struct Explained {
    pub mean: f64,
    pub variance: f64,
    pub covariance: f64,
}

/// `sum_k factors[k] columns_k`, one after the other: columns are short, sums are many.
fn mixed(columns: &Mat<f64>, factors: &[f64], result: &mut [f64]) {
    result.fill(0.0);
    for (k, factor) in factors.iter().enumerate() {
        for (sum, x) in result.iter_mut().zip(columns.col_as_slice(k)) {
            *sum += factor * x;
        }
    }
}

/// What the observations say of one query point: `s_g`, `Q_gh` for `h <= g`, and the parts of the
/// moments of every level that they explain.
struct Sums {
    s: Vec<f64>,
    q: Vec<f64>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    covariance: Vec<f64>,
}

impl Sums {
    fn new(posterior: &Posterior) -> Self {
        let Mixing { mean, variance, .. } = &posterior.mixing;
        let per_level = || vec![0.0; mean.nrows()];
        Self {
            s: vec![0.0; mean.ncols()],
            q: vec![0.0; variance.ncols()],
            mean: per_level(),
            variance: per_level(),
            covariance: per_level(),
        }
    }

    fn explained(&self, level: usize) -> Explained {
        let [mean, variance, covariance] =
            [&self.mean, &self.variance, &self.covariance].map(|of| of[level]);
        Explained { mean, variance, covariance }
    }

    fn fill(&mut self, posterior: &Posterior, steps: &Steps, j: usize) {
        let base = steps.profile.base.col_as_slice(j);
        for (s, Group { rows, .. }) in self.s.iter_mut().zip(&posterior.groups) {
            *s = dot(&posterior.weights[rows.clone()], &base[rows.clone()]);
        }
        pairwise_products(steps.white_of(posterior, j), posterior.rows(), &mut self.q);
        let Mixing { mean, variance, covariance, .. } = &posterior.mixing;
        mixed(mean, &self.s, &mut self.mean);
        mixed(variance, &self.q, &mut self.variance);
        mixed(covariance, &self.q, &mut self.covariance);
    }
}

impl Steps {
    /// `W_g` of one point, group by group.
    fn white_of(&self, posterior: &Posterior, j: usize) -> &[f64] {
        let per_point = posterior.rows() * posterior.groups.len();
        &self.white[j * per_point..(j + 1) * per_point]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{every_model, example_history, example_points, example_theta};
    use super::*;
    use std::sync::Arc;

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
