//! Covariance matrices of the surrogate and the way back through them.
//!
//! `k((x,m), (x',m')) = s g(|phi(x) - phi(x')|^2) kappa(m, m')`, (15). A loss's derivatives by the
//! entries of a covariance matrix are pulled back to `theta` and to the points through features,
//! so no array of size `n x n x parameters` ever exists.
//!
//! Of a symmetric matrix only the lower triangle is computed and read, unless it says otherwise.

use super::features::{FeatureTrace, Weights};
use super::fidelity::sigmoid;
use super::model::{Parameters, Surrogate};
use super::profile::{complete_square, squared_norms};
use crate::error::{Result, same_size};
use baton_numerics::padded::reshape;
use baton_numerics::vector::{add_scaled, dot, multiply, total_of};
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

/// Covariance of a set of (point, level) pairs with itself, without noise; its memory can be used
/// again.
#[derive(Debug, Clone)]
pub(super) struct Gram {
    pub trace: FeatureTrace,
    levels: Vec<usize>,
    /// `kappa` between every level (columns) and the levels of the pairs (rows)
    kappa_rows: Mat<f64>,
    norms: Vec<f64>,
    /// `s g(q)`
    base: Mat<f64>,
    /// `s g'(q)`
    slope: Mat<f64>,
    /// derivatives of the base by its roughness; empty if that is no parameter
    by_roughness: Mat<f64>,
    pub covariance: Mat<f64>,
}

/// Memory of the way back through a [`Gram`].
#[derive(Debug, Clone)]
pub(super) struct GramDerivatives {
    kappa: Mat<f64>,
    /// by the roughness of the profile
    roughness: f64,
    /// by the squared distances, both triangles
    squared: Mat<f64>,
    stages: FeatureTrace,
}

impl Default for Gram {
    fn default() -> Self {
        Self {
            trace: FeatureTrace::default(),
            levels: Vec::new(),
            kappa_rows: Mat::new(),
            norms: Vec::new(),
            base: Mat::new(),
            slope: Mat::new(),
            by_roughness: Mat::new(),
            covariance: Mat::new(),
        }
    }
}

impl Default for GramDerivatives {
    fn default() -> Self {
        Self {
            kappa: Mat::new(),
            roughness: 0.0,
            squared: Mat::new(),
            stages: FeatureTrace::default(),
        }
    }
}

/// `a_i . b_j` for all columns.
fn products(left: &Mat<f64>, right: &Mat<f64>, result: &mut Mat<f64>) {
    matmul(result.as_mut(), Accum::Replace, left.transpose(), right, 1.0, Par::Seq);
}

impl Surrogate {
    /// Covariance of the (point, level) pairs, without noise.
    pub(super) fn fill_gram(
        &self,
        theta: &[f64],
        parameters: &Parameters,
        points: MatRef<'_, f64>,
        levels: &[usize],
        gram: &mut Gram,
    ) -> Result<()> {
        let n = levels.len();
        let weights = Weights::ByRow(&theta[self.feature_range()]);
        self.features().trace_into(weights, points, &mut gram.trace);
        let Gram { trace, norms, base, slope, by_roughness, covariance, kappa_rows, .. } = gram;
        let mixed = if parameters.radial.is_mixed() { n } else { 0 };
        reshape(by_roughness, mixed, mixed);
        for matrix in [&mut *base, slope, covariance] {
            reshape(matrix, n, n);
        }
        fill_kappa_rows(kappa_rows, parameters, levels);
        squared_norms(trace.features(), norms)?;
        products(trace.features(), trace.features(), base);
        for (j, level) in levels.iter().enumerate() {
            let values = &mut base.col_as_slice_mut(j)[j..];
            let slopes = &mut slope.col_as_slice_mut(j)[j..];
            complete_square(values, &norms[j..], norms[j]);
            // The product leaves rounding noise where the distance is zero.
            values[0] = 0.0;
            if mixed > 0 {
                let gaps = &mut by_roughness.col_as_slice_mut(j)[j..];
                parameters.radial.apply_with_gaps(parameters.scale, values, slopes, gaps);
            } else {
                parameters.radial.apply(parameters.scale, values, slopes);
            }
            let target = &mut covariance.col_as_slice_mut(j)[j..];
            target.copy_from_slice(values);
            multiply(target, &kappa_rows.col_as_slice(*level)[j..]);
        }
        gram.levels.clear();
        gram.levels.extend_from_slice(levels);
        Ok(())
    }

    /// Covariance of observations at the top level, noise included; both triangles.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn top_covariance(&self, theta: &[f64], points: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let (parameters, mut gram) = self.top_gram(theta, points)?;
        mirror(&mut gram.covariance);
        for i in 0..points.ncols() {
            gram.covariance[(i, i)] += parameters.noise[self.levels() - 1];
        }
        Ok(gram.covariance)
    }

    fn top_gram(&self, theta: &[f64], points: MatRef<'_, f64>) -> Result<(Parameters, Gram)> {
        self.check_points(points)?;
        let parameters = self.unpack(theta)?;
        let levels = vec![self.levels() - 1; points.ncols()];
        let mut gram = Gram::default();
        self.fill_gram(theta, &parameters, points, &levels, &mut gram)?;
        Ok((parameters, gram))
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
        same_size("rows of the derivatives", points.ncols(), d_covariance.nrows())?;
        same_size("columns of the derivatives", points.ncols(), d_covariance.ncols())?;
        let (parameters, gram) = self.top_gram(theta, points)?;
        let mut derivatives = GramDerivatives::default();
        derivatives.fill(&parameters, &gram, |j| &d_covariance.col_as_slice(j)[j..]);
        let theta = &theta[self.feature_range()];
        Ok(self.features().pull_back_to_points(theta, &gram.trace, &mut derivatives.stages))
    }

    /// Writes the derivatives by `theta` (but for mean and noise) to `gradient`. `d_covariance(j)`
    /// is column `j` of the derivatives by the covariance, a symmetric matrix, from its diagonal on.
    pub(super) fn gram_pull_back<'a>(
        &self,
        theta: &[f64],
        (parameters, gram): (&Parameters, &Gram),
        d_covariance: impl Fn(usize) -> &'a [f64],
        derivatives: &mut GramDerivatives,
        gradient: &mut [f64],
    ) {
        derivatives.fill(parameters, gram, d_covariance);
        self.kappa_pull_back(theta, &parameters.kappa, &derivatives.kappa, gradient);
        self.drift_pull_back(theta, gram, derivatives, gradient);
        for place in self.roughness_range() {
            let rough = sigmoid(theta[place]);
            gradient[place] = derivatives.roughness * rough * (1.0 - rough);
        }
        let range = self.feature_range();
        let (theta, gradient) = (&theta[range.clone()], &mut gradient[range]);
        let stages = &mut derivatives.stages;
        self.features().pull_back_to_parameters(theta, &gram.trace, stages, gradient);
    }
}

impl Surrogate {
    /// Writes the derivatives by the place of the shared function: those by all its points.
    fn drift_pull_back(
        &self,
        theta: &[f64],
        gram: &Gram,
        derivatives: &GramDerivatives,
        gradient: &mut [f64],
    ) {
        let drift = &mut gradient[self.drift_range()];
        if drift.is_empty() {
            return;
        }
        drift.fill(0.0);
        let theta = &theta[self.feature_range()];
        let mut stages = derivatives.stages.clone();
        let by_points = self.features().pull_back_to_points(theta, &gram.trace, &mut stages);
        for (j, level) in gram.levels.iter().enumerate() {
            if *level >= self.levels() {
                let by_point = by_points.col_as_slice(j);
                let moving = self.settings().drifting.iter();
                drift.iter_mut().zip(moving).for_each(|(d, (i, _))| *d += by_point[*i]);
            }
        }
    }

    /// Writes the derivatives by output scale, fidelity kernel and relatedness.
    fn kappa_pull_back(
        &self,
        theta: &[f64],
        kappa: &Mat<f64>,
        d_kappa: &Mat<f64>,
        gradient: &mut [f64],
    ) {
        let (levels, all) = (self.levels(), self.all_levels());
        let cells = (0..all).flat_map(|a| (0..all).map(move |b| (a, b)));
        let d_log_scale: f64 = cells.map(|cell| d_kappa[cell] * kappa[cell]).sum();
        gradient[self.scale_range()].fill(d_log_scale);
        let within = kappa.submatrix(0, 0, levels, levels).to_owned();
        let relatedness = theta[self.relatedness_range()].first();
        let earlier = self.settings().earlier;
        let (d_within, d_relatedness) = earlier.pull_back(&within, relatedness, d_kappa);
        gradient[self.relatedness_range()].fill(d_relatedness);
        let range = self.fidelity_range();
        gradient[range.clone()].fill(0.0);
        let fidelity = self.settings().fidelity;
        let theta = &theta[range.clone()];
        fidelity.pull_back(theta, within.as_ref(), d_within.as_ref(), &mut gradient[range]);
    }
}

fn fill_kappa_rows(rows: &mut Mat<f64>, parameters: &Parameters, levels: &[usize]) {
    let count = parameters.kappa.ncols();
    reshape(rows, levels.len(), count);
    for level in 0..count {
        let kappa = parameters.kappa.col_as_slice(level);
        for (slot, other) in rows.col_as_slice_mut(level).iter_mut().zip(levels) {
            *slot = kappa[*other];
        }
    }
}

impl GramDerivatives {
    /// From derivatives by the covariance to those by `kappa` and by the features.
    fn fill<'a>(
        &mut self,
        parameters: &Parameters,
        gram: &Gram,
        d_covariance: impl Fn(usize) -> &'a [f64],
    ) {
        let (n, count) = (gram.levels.len(), parameters.kappa.ncols());
        reshape(&mut self.kappa, count, count);
        self.kappa.fill(0.0);
        self.roughness = 0.0;
        reshape(&mut self.squared, n, n);
        for (j, level) in gram.levels.iter().enumerate() {
            let by_covariance = d_covariance(j);
            let base = &gram.base.col_as_slice(j)[j..];
            let d_kappa = self.kappa.col_as_slice_mut(*level);
            d_kappa[*level] -= by_covariance[0] * base[0];
            for ((d, base), other) in by_covariance.iter().zip(base).zip(&gram.levels[j..]) {
                // An entry off the diagonal stands for two.
                d_kappa[*other] += 2.0 * d * base;
            }
            let target = &mut self.squared.col_as_slice_mut(j)[j..];
            target.copy_from_slice(by_covariance);
            multiply(target, &gram.kappa_rows.col_as_slice(*level)[j..]);
            if gram.by_roughness.nrows() > 0 {
                // Both triangles; on the diagonal it is zero.
                self.roughness += 2.0 * dot(target, &gram.by_roughness.col_as_slice(j)[j..]);
            }
            multiply(target, &gram.slope.col_as_slice(j)[j..]);
        }
        mirror(&mut self.squared);
        // Each distance occurs twice, at (i, j) and (j, i).
        let features = gram.trace.features();
        let target = self.stages.features_like(&gram.trace);
        distance_pull_back(2.0, features, features, &self.squared, target);
    }
}

/// From derivatives by `q_ij = |left_i - right_j|^2` to `factor` times those by `right_j`,
/// `2 (right_j sum_i d_ij - sum_i left_i d_ij)`, which are written to `result`.
pub(super) fn distance_pull_back(
    factor: f64,
    left: &Mat<f64>,
    right: &Mat<f64>,
    d_squared: &Mat<f64>,
    result: &mut Mat<f64>,
) {
    matmul(result.as_mut(), Accum::Replace, left, d_squared, -2.0 * factor, Par::Seq);
    for j in 0..right.ncols() {
        let total = 2.0 * factor * total_of(d_squared.col_as_slice(j));
        add_scaled(result.col_as_slice_mut(j), right.col_as_slice(j), total);
    }
}

/// Copies the lower triangle to the upper one.
pub(super) fn mirror(matrix: &mut Mat<f64>) {
    for j in 0..matrix.ncols() {
        for i in 0..j {
            matrix[(i, j)] = matrix[(j, i)];
        }
    }
}
