//! The whitening `U` of observations, `U U' = K~^-1`: its columns in the order in which they came, its
//! rows in any.
//!
//! Where the covariance is well conditioned and not large, the inverse itself is kept beside it. The
//! inverse takes one product where the whitening takes two, and loses twice as many digits.

use baton_numerics::vector::{add_scaled, dot};
use baton_numerics::{Mat, padded};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

/// The inverse is kept while `tr K~ tr K~^-1`, a bound of the condition, is below this: then what it
/// explains of a variance is right to nine digits of the prior's.
const WELL_CONDITIONED: f64 = 1e7;
/// And up to so many observations: beyond, memory counts for more.
const MOST_INVERTED: usize = 1_024;

#[derive(Debug, Clone)]
pub(super) struct Whitening {
    matrix: Mat<f64>,
    inverse: Option<Mat<f64>>,
    /// `tr K~` and `tr K~^-1`
    traces: [f64; 2],
}

impl Whitening {
    /// Of observations whose covariance has this trace.
    pub(super) fn new(matrix: Mat<f64>, trace: f64) -> Self {
        let squares = |j: usize| dot(matrix.col_as_slice(j), matrix.col_as_slice(j));
        let traces = [trace, (0..matrix.ncols()).map(squares).sum()];
        let inverse = keeps_inverse(matrix.nrows(), traces).then(|| {
            let mut inverse = padded::zeros(matrix.nrows(), matrix.nrows());
            let turned = matrix.transpose();
            matmul(inverse.as_mut(), Accum::Replace, &matrix, turned, 1.0, Par::Seq);
            inverse
        });
        Self { matrix, inverse, traces }
    }

    /// `U`
    pub(super) fn matrix(&self) -> &Mat<f64> {
        &self.matrix
    }

    /// `U U'`, where that is kept.
    pub(super) fn inverse(&self) -> Option<&Mat<f64>> {
        self.inverse.as_ref()
    }

    /// The same where no inverse is kept.
    #[cfg(test)]
    pub(super) fn without_inverse(self) -> Self {
        Self { inverse: None, ..self }
    }

    /// `U x`
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let mut result = vec![0.0; self.matrix.nrows()];
        for (j, x) in x.iter().enumerate() {
            add_scaled(&mut result, self.matrix.col_as_slice(j), *x);
        }
        result
    }

    /// `U' x`
    pub(super) fn whiten(&self, x: &[f64]) -> Vec<f64> {
        (0..self.matrix.ncols()).map(|j| dot(self.matrix.col_as_slice(j), x)).collect()
    }

    /// With one more observation, whose covariances with the others become `white` and whose own
    /// factor is `pivot`: the new column is `-U w / pivot`, and the new row, at `place`, nothing but
    /// `1 / pivot` there.
    pub(super) fn with(&self, place: usize, white: &[f64], pivot: f64) -> Self {
        let last = self.matrix.ncols();
        let mut column: Vec<f64> = self.times(white).iter().map(|x| -x / pivot).collect();
        column.insert(place, 1.0 / pivot);
        let mut matrix = padded::with_gap(&self.matrix, Some(place), Some(last));
        matrix.col_as_slice_mut(last).copy_from_slice(&column);
        let [trace, inverse_trace] = self.traces;
        let own = pivot * pivot + dot(white, white);
        let traces = [trace + own, inverse_trace + dot(&column, &column)];
        let kept = self.inverse.as_ref().filter(|_| keeps_inverse(column.len(), traces));
        let inverse = kept.map(|inverse| {
            let mut inverse = padded::with_gap(inverse, Some(place), Some(place));
            for (j, x) in column.iter().enumerate() {
                add_scaled(inverse.col_as_slice_mut(j), &column, *x);
            }
            inverse
        });
        Self { matrix, inverse, traces }
    }
}

fn keeps_inverse(observations: usize, [trace, inverse_trace]: [f64; 2]) -> bool {
    observations <= MOST_INVERTED && trace * inverse_trace <= WELL_CONDITIONED
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_observation_takes_its_place_among_the_rows_and_the_last_column() {
        let matrix = padded::from_fn(3, 3, |i, j| (1 + i * j) as f64);
        assert!(Whitening::new(matrix.clone(), 1e7).inverse().is_none());
        let whitening = Whitening::new(matrix, 1.0);
        let grown = whitening.with(1, &[0.5, -1.0, 2.0], 0.25);
        let product = grown.matrix() * grown.matrix().transpose();
        assert_eq!(grown.inverse(), Some(&product));
        let column = whitening.times(&[0.5, -1.0, 2.0]);
        assert_eq!(grown.matrix()[(1, 3)], 4.0);
        assert_eq!(grown.matrix()[(2, 3)], -4.0 * column[1]);
        assert_eq!(grown.matrix()[(3, 2)], whitening.matrix()[(2, 2)]);
        assert_eq!(grown.whiten(&[0.0, 1.0, 0.0, 0.0]), [0.0, 0.0, 0.0, 4.0]);
    }
}
