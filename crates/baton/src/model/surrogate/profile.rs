//! Features of points with their norms, and covariance profiles between two sets of them.
//!
//! Distances come from products, `|a - b|^2 = |a|^2 + |b|^2 - 2 a . b`, so that all pairs take one
//! product of matrices.

use super::model::Parameters;
use crate::error::{Result, computed};
use baton_numerics::Mat;
use baton_numerics::padded::{self, reshape};
use baton_numerics::vector::dot;
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};
use multiversion::multiversion;

/// `s g(q)` and `s g'(q)` between all pairs of two sets of features; its memory can be used again.
#[derive(Debug, Clone)]
pub(super) struct Profile {
    pub base: Mat<f64>,
    pub slope: Mat<f64>,
    norms: Vec<f64>,
}

impl Default for Profile {
    fn default() -> Self {
        Self { base: Mat::new(), slope: Mat::new(), norms: Vec::new() }
    }
}

/// Features and their squared norms.
#[derive(Debug, Clone)]
pub(super) struct Normed {
    pub features: Mat<f64>,
    /// the same turned, the order in which products with other features read them
    turned: Mat<f64>,
    norms: Vec<f64>,
}

impl Normed {
    /// Of all columns.
    pub(super) fn new(features: Mat<f64>) -> Result<Self> {
        let mut norms = Vec::new();
        squared_norms(&features, &mut norms)?;
        Ok(Self { turned: turned(&features), features, norms })
    }

    /// With one more column at the given place.
    pub(super) fn with(&self, place: usize, column: &[f64]) -> Result<Self> {
        let norm = computed("squared norm of the features", dot(column, column))?;
        let mut features = padded::with_gap(&self.features, None, Some(place));
        features.col_as_slice_mut(place).copy_from_slice(column);
        let mut turned = padded::with_gap(&self.turned, Some(place), None);
        for (j, x) in column.iter().enumerate() {
            turned[(place, j)] = *x;
        }
        let mut norms = self.norms.clone();
        norms.insert(place, norm);
        Ok(Self { features, turned, norms })
    }
}

fn turned(matrix: &Mat<f64>) -> Mat<f64> {
    padded::from_fn(matrix.ncols(), matrix.nrows(), |i, j| matrix[(j, i)])
}

impl Profile {
    /// Between the columns of `left` (rows of the result) and of `right`.
    pub(super) fn fill(
        &mut self,
        parameters: &Parameters,
        left: &Normed,
        right: &Mat<f64>,
    ) -> Result<()> {
        let Self { base, slope, norms } = self;
        reshape(base, left.features.ncols(), right.ncols());
        reshape(slope, left.features.ncols(), right.ncols());
        squared_norms(right, norms)?;
        matmul(base.as_mut(), Accum::Replace, &left.turned, right, 1.0, Par::Seq);
        for (j, norm) in norms.iter().enumerate() {
            let (values, slopes) = (base.col_as_slice_mut(j), slope.col_as_slice_mut(j));
            complete_square(values, &left.norms, *norm);
            parameters.radial.apply(parameters.scale, values, slopes);
        }
        Ok(())
    }
}

/// From `a_i . b` to `|a_i - b|^2`.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub(super) fn complete_square(values: &mut [f64], left_norms: &[f64], right_norm: f64) {
    for (q, left_norm) in values.iter_mut().zip(left_norms) {
        *q = (left_norm + right_norm - 2.0 * *q).max(0.0);
    }
}

/// Refuses features so large that distances between them would be infinity minus infinity.
pub(super) fn squared_norms(features: &Mat<f64>, norms: &mut Vec<f64>) -> Result<()> {
    norms.clear();
    for j in 0..features.ncols() {
        let column = features.col_as_slice(j);
        norms.push(computed("squared norm of the features", dot(column, column))?);
    }
    Ok(())
}
