//! The whitening `U` of observations, `U U' = K~^-1`: its columns in the order in which they came, its
//! rows in any.

use baton_numerics::vector::{add_scaled, dot};
use baton_numerics::{Mat, padded};

#[derive(Debug, Clone)]
pub(super) struct Whitening {
    matrix: Mat<f64>,
}

impl Whitening {
    pub(super) fn new(matrix: Mat<f64>) -> Self {
        Self { matrix }
    }

    /// `U`
    pub(super) fn matrix(&self) -> &Mat<f64> {
        &self.matrix
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
        Self { matrix }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_observation_takes_its_place_among_the_rows_and_the_last_column() {
        let whitening = Whitening::new(padded::from_fn(3, 3, |i, j| (1 + i * j) as f64));
        let grown = whitening.with(1, &[0.5, -1.0, 2.0], 0.25);
        let column = whitening.times(&[0.5, -1.0, 2.0]);
        assert_eq!(grown.matrix()[(1, 3)], 4.0);
        assert_eq!(grown.matrix()[(2, 3)], -4.0 * column[1]);
        assert_eq!(grown.matrix()[(3, 2)], whitening.matrix()[(2, 2)]);
        assert_eq!(grown.whiten(&[0.0, 1.0, 0.0, 0.0]), [0.0, 0.0, 0.0, 4.0]);
    }
}
