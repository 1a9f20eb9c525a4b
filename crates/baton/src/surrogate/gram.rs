//! Covariance matrices of the surrogate and the way back through them.
//!
//! `k((x,m), (x',m')) = s g(|phi(x) - phi(x')|^2) kappa(m, m')`, (15). A loss's derivatives by the
//! entries of a covariance matrix are pulled back to `theta` and to the points through features,
//! so no array of size `n x n x parameters` ever exists.

use super::features::FeatureTrace;
use super::model::{Parameters, Surrogate};
use crate::error::{Result, computed, same_size};
use baton_numerics::lanes::dot;
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

/// Covariance of a set of (point, level) pairs with itself, without noise.
pub(super) struct Gram {
    pub trace: FeatureTrace,
    levels: Vec<usize>,
    /// `s g(q)`
    base: Mat<f64>,
    /// `s g'(q)`
    slope: Mat<f64>,
    pub covariance: Mat<f64>,
}

/// `s g(q)` and `s g'(q)` between all pairs of two sets of features.
pub(super) struct Profile {
    pub base: Mat<f64>,
    pub slope: Mat<f64>,
}

impl Profile {
    /// Between the columns of `left` (rows of the result) and of `right`.
    pub(super) fn between(
        surrogate: &Surrogate,
        scale: f64,
        left: &Mat<f64>,
        right: &Mat<f64>,
    ) -> Result<Self> {
        let mut base = squared_distances(left, right)?;
        let mut slope = Mat::zeros(base.nrows(), base.ncols());
        let radial = surrogate.radial();
        for j in 0..base.ncols() {
            radial.apply(scale, base.col_as_slice_mut(j), slope.col_as_slice_mut(j));
        }
        Ok(Self { base, slope })
    }
}

/// `|a_i - b_j|^2` for all columns, by one matrix product.
fn squared_distances(left: &Mat<f64>, right: &Mat<f64>) -> Result<Mat<f64>> {
    let left_norms = squared_norms(left)?;
    let right_norms = squared_norms(right)?;
    let mut result = Mat::zeros(left.ncols(), right.ncols());
    let transposed = left.as_ref().transpose();
    matmul(result.as_mut(), Accum::Replace, transposed, right.as_ref(), -2.0, Par::Seq);
    for (j, right_norm) in right_norms.iter().enumerate() {
        for (q, left_norm) in result.col_as_slice_mut(j).iter_mut().zip(&left_norms) {
            *q = (*q + left_norm + right_norm).max(0.0);
        }
    }
    Ok(result)
}

/// Refuses features so large that distances between them would be infinity minus infinity.
fn squared_norms(features: &Mat<f64>) -> Result<Vec<f64>> {
    let norm = |j| dot(features.col_as_slice(j), features.col_as_slice(j));
    (0..features.ncols()).map(|j| computed("squared norm of the features", norm(j))).collect()
}

impl Surrogate {
    /// Covariance of the (point, level) pairs, without noise.
    pub(super) fn gram(
        &self,
        theta: &[f64],
        parameters: &Parameters,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<Gram> {
        let trace = self.features().trace(&theta[self.feature_range()], points);
        let features = trace.features();
        let mut profile = Profile::between(self, parameters.scale, features, features)?;
        make_symmetric(&mut profile, parameters.scale, self.radial().slope_at_zero());
        let mut covariance = profile.base.clone();
        for (j, level) in levels.iter().enumerate() {
            let kappa = parameters.kappa.col_as_slice(*level);
            for (value, other) in covariance.col_as_slice_mut(j).iter_mut().zip(levels) {
                *value *= kappa[*other];
            }
        }
        let levels = levels.to_vec();
        Ok(Gram { trace, levels, base: profile.base, slope: profile.slope, covariance })
    }

    /// Covariance of observations at the top level, noise included.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn top_covariance(&self, theta: &[f64], points: MatRef<'_, f64>) -> Result<Mat<f64>> {
        self.check_points(points)?;
        let parameters = self.unpack(theta)?;
        let top = self.levels() - 1;
        let mut covariance =
            self.gram(theta, &parameters, points, &vec![top; points.ncols()])?.covariance;
        for i in 0..points.ncols() {
            covariance[(i, i)] += parameters.noise[top];
        }
        Ok(covariance)
    }

    /// From derivatives by the entries of [`Surrogate::top_covariance`], a symmetric matrix, to
    /// those by the points.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn top_covariance_pull_back(
        &self,
        theta: &[f64],
        points: MatRef<'_, f64>,
        d_covariance: &Mat<f64>,
    ) -> Result<Mat<f64>> {
        self.check_points(points)?;
        same_size("rows of the derivatives", points.ncols(), d_covariance.nrows())?;
        same_size("columns of the derivatives", points.ncols(), d_covariance.ncols())?;
        let parameters = self.unpack(theta)?;
        let levels = vec![self.levels() - 1; points.ncols()];
        let gram = self.gram(theta, &parameters, points, &levels)?;
        Ok(self.gram_pull_back(theta, &parameters, &gram, d_covariance, None))
    }

    /// Adds the derivatives by `theta` (but for mean and noise) to `gradient` where given, and
    /// returns those by the points. `d_covariance` must be symmetric.
    pub(super) fn gram_pull_back(
        &self,
        theta: &[f64],
        parameters: &Parameters,
        gram: &Gram,
        d_covariance: &Mat<f64>,
        mut gradient: Option<&mut [f64]>,
    ) -> Mat<f64> {
        let levels = &gram.levels;
        let n = levels.len();
        let mut d_kappa = Mat::zeros(self.levels(), self.levels());
        let mut d_squared = Mat::zeros(n, n);
        for (j, level) in levels.iter().enumerate() {
            let kappa = parameters.kappa.col_as_slice(*level);
            let d_kappa = d_kappa.col_as_slice_mut(*level);
            let (base, slope) = (gram.base.col_as_slice(j), gram.slope.col_as_slice(j));
            let entries = d_covariance.col_as_slice(j).iter().zip(levels);
            for ((d, other), base) in entries.clone().zip(base) {
                d_kappa[*other] += d * base;
            }
            let slots = d_squared.col_as_slice_mut(j).iter_mut();
            for (slot, ((d, other), slope)) in slots.zip(entries.zip(slope)) {
                *slot = d * kappa[*other] * slope;
            }
        }
        let cells = (0..self.levels()).flat_map(|a| (0..self.levels()).map(move |b| (a, b)));
        let d_log_scale: f64 = cells.map(|cell| d_kappa[cell] * parameters.kappa[cell]).sum();
        if let Some(gradient) = gradient.as_deref_mut() {
            for index in self.scale_range() {
                gradient[index] += d_log_scale;
            }
            let range = self.fidelity_range();
            let fidelity = self.settings().fidelity;
            fidelity.pull_back(&theta[range.clone()], d_kappa.as_ref(), &mut gradient[range]);
        }
        // Each distance occurs twice, at (i, j) and (j, i), hence the factor 2 on a symmetric input.
        let features = gram.trace.features();
        let mut d_features = distance_pull_back(features, features, &d_squared);
        d_features *= faer::Scale(2.0);
        let range = self.feature_range();
        let slot = gradient.map(|gradient| &mut gradient[range.clone()]);
        self.features().pull_back(&theta[range.clone()], &gram.trace, d_features, slot)
    }
}

/// From derivatives by `q_ij = |left_i - right_j|^2` to those by `right_j`:
/// `2 (right_j sum_i d_ij - sum_i left_i d_ij)`.
pub(super) fn distance_pull_back(
    left: &Mat<f64>,
    right: &Mat<f64>,
    d_squared: &Mat<f64>,
) -> Mat<f64> {
    let mut result = Mat::from_fn(right.nrows(), right.ncols(), |i, j| right[(i, j)]);
    for j in 0..right.ncols() {
        let total: f64 = 2.0 * d_squared.col_as_slice(j).iter().sum::<f64>();
        for value in result.col_as_slice_mut(j) {
            *value *= total;
        }
    }
    matmul(result.as_mut(), Accum::Add, left.as_ref(), d_squared.as_ref(), -2.0, Par::Seq);
    result
}

/// The product leaves rounding noise on the diagonal and between the triangles.
fn make_symmetric(profile: &mut Profile, scale: f64, slope: f64) {
    for j in 0..profile.base.ncols() {
        profile.base[(j, j)] = scale;
        profile.slope[(j, j)] = scale * slope;
        for i in 0..j {
            profile.base[(i, j)] = profile.base[(j, i)];
            profile.slope[(i, j)] = profile.slope[(j, i)];
        }
    }
}
