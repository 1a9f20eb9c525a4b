//! Cholesky factors of symmetric positive-definite matrices.
//!
//! A covariance matrix of nearly equal points is positive definite on paper only. [`Factor::new`]
//! then climbs a ladder of jitter, multiples of the mean diagonal added to the diagonal, and says
//! which rung it needed. [`Factor::append`] grows a factor by one row in `O(n^2)`. Small matrices
//! are worked on here, large ones by the library.

mod small;

use crate::vector::{add_scaled, all_finite, dot};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, inverse};
use faer::linalg::{triangular_inverse, triangular_solve};
use faer::{Mat, MatMut, MatRef, Par};
use small::is_sound;

/// Multiples of the mean diagonal that are tried in turn. Rounding in the entries of a covariance
/// of size 2,000 is worth some 1e-13 of the diagonal; more than 1e-2 means it never was one.
const LADDER: [f64; 7] = [0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4, 1e-2];

/// Why a matrix has no factor.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CholeskyError {
    /// An entry is NaN or infinite.
    #[error("entry ({row}, {column}) of the covariance matrix is {value}")]
    NotFinite {
        /// row of the entry
        row: usize,
        /// column of the entry
        column: usize,
        /// the entry
        value: f64,
    },
    /// Not positive definite, whatever was added to the diagonal.
    #[error(
        "the matrix is not positive definite: pivot {pivot} fails even with {jitter:e} added to the diagonal"
    )]
    NotPositiveDefinite {
        /// index of the failing pivot
        pivot: usize,
        /// what had been added to the diagonal
        jitter: f64,
    },
    /// The right-hand side has another number of rows than the factor.
    #[error("the right-hand side has {got} rows, the factored matrix has {expected}")]
    Misfit {
        /// rows of the factor
        expected: usize,
        /// rows of the right-hand side
        got: usize,
    },
    /// The matrix has different numbers of rows and columns.
    #[error("a covariance matrix must be square, this one is {rows} x {columns}")]
    NotSquare {
        /// number of rows
        rows: usize,
        /// number of columns
        columns: usize,
    },
}

/// `A + jitter I = L L'`, with `L` lower triangular.
#[derive(Debug, Clone, Default)]
pub struct Factor {
    /// columns, `stride` apart; the strictly upper triangle is scratch and never read
    entries: Vec<f64>,
    stride: usize,
    size: usize,
    jitter: f64,
}

impl Factor {
    /// Factors the matrix given by its lower triangle (the rest is not read).
    ///
    /// # Errors
    /// If the matrix is not square, not finite, or not positive definite at any rung.
    pub fn new(matrix: MatRef<'_, f64>) -> Result<Self, CholeskyError> {
        let mut factor = Self::default();
        factor.renew(matrix)?;
        Ok(factor)
    }

    /// Factors another matrix in the memory of this factor.
    ///
    /// # Errors
    /// As [`Factor::new`]; the factor is then empty.
    pub fn renew(&mut self, matrix: MatRef<'_, f64>) -> Result<(), CholeskyError> {
        let (rows, columns) = (matrix.nrows(), matrix.ncols());
        self.size = 0;
        if rows != columns {
            return Err(CholeskyError::NotSquare { rows, columns });
        }
        if self.stride < rows {
            self.stride = rows;
        }
        self.entries.resize(self.stride * rows, 0.0);
        let mean_diagonal = (0..rows).map(|i| matrix[(i, i)] / rows as f64).sum::<f64>();
        let mut failure = (0, 0.0);
        for rung in LADDER {
            let jitter = rung * mean_diagonal;
            self.copy_lower(matrix, jitter)?;
            match self.factor_entries(rows) {
                Ok(()) => {
                    (self.size, self.jitter) = (rows, jitter);
                    return Ok(());
                }
                Err(pivot) => failure = (pivot, jitter),
            }
        }
        let (pivot, jitter) = failure;
        Err(CholeskyError::NotPositiveDefinite { pivot, jitter })
    }

    fn copy_lower(&mut self, matrix: MatRef<'_, f64>, jitter: f64) -> Result<(), CholeskyError> {
        let n = matrix.nrows();
        for j in 0..n {
            let target = &mut self.entries[j * self.stride + j..j * self.stride + n];
            match matrix.col(j).try_as_col_major() {
                Some(source) => target.copy_from_slice(&source.as_slice()[j..]),
                None => (j..n).for_each(|i| target[i - j] = matrix[(i, j)]),
            }
            if !all_finite(target) {
                let row = (j..n).find(|i| !matrix[(*i, j)].is_finite()).unwrap_or(j);
                let value = matrix[(row, j)];
                return Err(CholeskyError::NotFinite { row, column: j, value });
            }
            target[0] += jitter;
        }
        Ok(())
    }

    fn factor_entries(&mut self, n: usize) -> Result<(), usize> {
        if n <= small::MOST_ROWS {
            return small::factor(n, self.stride, &mut self.entries);
        }
        let matrix =
            MatMut::from_column_major_slice_with_stride_mut(&mut self.entries, n, n, self.stride);
        factor_in_place(matrix)
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// What had to be added to the diagonal; 0 if nothing.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The factor `L`; its strictly upper triangle is meaningless.
    pub fn lower(&self) -> MatRef<'_, f64> {
        let (n, stride) = (self.size, self.stride.max(self.size));
        MatRef::from_column_major_slice_with_stride(&self.entries, n, n, stride)
    }

    /// Column `j` of `L` from the diagonal on.
    fn column(&self, j: usize) -> &[f64] {
        &self.entries[j * self.stride + j..j * self.stride + self.size]
    }

    /// Grows the factored matrix by one row: `cross` holds its entries with the present rows,
    /// `diagonal` the new diagonal entry, to which the jitter already in use is added.
    ///
    /// # Errors
    /// If the grown matrix is not positive definite at this jitter; the factor is left as it was.
    pub fn append(&mut self, cross: &[f64], diagonal: f64) -> Result<(), CholeskyError> {
        let n = self.size;
        if cross.len() != n {
            return Err(CholeskyError::NotSquare { rows: n + 1, columns: cross.len() + 1 });
        }
        let mut row = cross.to_vec();
        self.whiten(&mut row);
        let total = diagonal + self.jitter;
        let pivot = total - dot(&row, &row);
        if !is_sound(pivot, total) {
            return Err(CholeskyError::NotPositiveDefinite { pivot: n, jitter: self.jitter });
        }
        row.push(pivot.sqrt());
        self.make_room(n + 1);
        for (j, value) in row.into_iter().enumerate() {
            self.entries[j * self.stride + n] = value;
        }
        self.size = n + 1;
        Ok(())
    }

    /// Columns that many rows long; half as long again where they have to be moved.
    fn make_room(&mut self, rows: usize) {
        if rows > self.stride {
            let stride = rows + rows / 2;
            let mut entries = vec![0.0; stride * rows];
            for j in 0..self.size {
                entries[j * stride + j..j * stride + self.size].copy_from_slice(self.column(j));
            }
            (self.entries, self.stride) = (entries, stride);
        }
        self.entries.resize(self.stride * rows, 0.0);
    }

    /// `log det (A + jitter I)`.
    pub fn log_determinant(&self) -> f64 {
        (0..self.size).map(|i| 2.0 * self.column(i)[0].ln()).sum()
    }

    /// Replaces the columns of `right` by `L^-1 right`.
    ///
    /// # Errors
    /// If the number of rows does not fit.
    pub fn solve_lower(&self, right: MatMut<'_, f64>) -> Result<(), CholeskyError> {
        self.check_fits(right.nrows())?;
        triangular_solve::solve_lower_triangular_in_place(self.lower(), right, Par::Seq);
        Ok(())
    }

    /// Replaces the columns of `right` by `L'^-1 right`.
    ///
    /// # Errors
    /// If the number of rows does not fit.
    pub fn solve_upper(&self, right: MatMut<'_, f64>) -> Result<(), CholeskyError> {
        self.check_fits(right.nrows())?;
        let upper = self.lower().transpose();
        triangular_solve::solve_upper_triangular_in_place(upper, right, Par::Seq);
        Ok(())
    }

    /// Replaces a vector by `(A + jitter I)^-1` times it.
    ///
    /// # Errors
    /// If its length does not fit.
    pub fn solve(&self, right: &mut [f64]) -> Result<(), CholeskyError> {
        self.check_fits(right.len())?;
        self.whiten(right);
        for j in (0..self.size).rev() {
            let column = self.column(j);
            right[j] = (right[j] - dot(&column[1..], &right[j + 1..])) / column[0];
        }
        Ok(())
    }

    /// Replaces a vector by `L^-1` times it, over the shorter length.
    pub fn whiten(&self, right: &mut [f64]) {
        for j in 0..self.size.min(right.len()) {
            let column = self.column(j);
            right[j] /= column[0];
            let (solved, rest) = right.split_at_mut(j + 1);
            add_scaled(rest, &column[1..], -solved[j]);
        }
    }

    fn check_fits(&self, got: usize) -> Result<(), CholeskyError> {
        let expected = self.size();
        if got == expected { Ok(()) } else { Err(CholeskyError::Misfit { expected, got }) }
    }

    /// `L'^-1`, an upper triangle with zeros below it: `x -> (L'^-1)' x` makes the law given by
    /// the matrix white.
    pub fn whitening(&self) -> Mat<f64> {
        let n = self.size;
        if n <= small::MOST_ROWS {
            let mut entries = vec![0.0; n * n];
            small::invert_transposed(n, self.stride, &self.entries, &mut entries);
            return MatRef::from_column_major_slice(&entries, n, n).to_owned();
        }
        let mut result = Mat::zeros(n, n);
        triangular_inverse::invert_lower_triangular(
            result.as_mut().transpose_mut(),
            self.lower(),
            Par::Seq,
        );
        result
    }

    /// `(A + jitter I)^-1`, both triangles.
    pub fn inverse(&self) -> Mat<f64> {
        let n = self.size;
        let mut inverse = Inverse::default();
        inverse.renew(self);
        Mat::from_fn(n, n, |i, j| inverse.entries[i.min(j) * n + i.max(j)])
    }
}

/// The inverse of a factored matrix, in memory that is used again.
#[derive(Debug, Clone, Default)]
pub struct Inverse {
    entries: Vec<f64>,
    size: usize,
    scratch: Vec<f64>,
}

impl Inverse {
    /// Inverts what was factored.
    pub fn renew(&mut self, factor: &Factor) {
        let n = factor.size;
        self.size = n;
        self.entries.resize(n * n, 0.0);
        if n <= small::MOST_ROWS {
            self.scratch.resize(n * n, 0.0);
            let lower = (factor.stride, factor.entries.as_slice());
            small::inverse(n, lower, &mut self.scratch, &mut self.entries);
        } else {
            let result = MatMut::from_column_major_slice_mut(&mut self.entries, n, n);
            let mut memory = MemBuffer::new(inverse::inverse_scratch::<f64>(n, Par::Seq));
            inverse::inverse(result, factor.lower(), Par::Seq, MemStack::new(&mut memory));
        }
    }

    /// Column `j` from the diagonal on.
    pub fn column(&self, j: usize) -> &[f64] {
        &self.entries[j * self.size + j..(j + 1) * self.size]
    }

    /// The same, to be written to.
    pub fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.entries[j * self.size + j..(j + 1) * self.size]
    }
}

/// A slice as a matrix of one column.
pub fn column(values: &mut [f64]) -> MatMut<'_, f64> {
    let rows = values.len();
    MatMut::from_column_major_slice_mut(values, rows, 1)
}

fn factor_in_place(matrix: MatMut<'_, f64>) -> Result<(), usize> {
    let n = matrix.nrows();
    let diagonal: Vec<f64> = (0..n).map(|i| matrix[(i, i)]).collect();
    let mut memory = MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(
        n,
        Par::Seq,
        faer::Spec::default(),
    ));
    let mut matrix = matrix;
    factor::cholesky_in_place(
        matrix.as_mut(),
        factor::LltRegularization::default(),
        Par::Seq,
        MemStack::new(&mut memory),
        faer::Spec::default(),
    )
    .map_err(|factor::LltError::NonPositivePivot { index }| index)?;
    match (0..n).find(|i| !is_sound(matrix[(*i, *i)].powi(2), diagonal[*i])) {
        Some(index) => Err(index),
        None => Ok(()),
    }
}

/// The next diagonal entry of a factor whose row is so far of squared length `explained`; `None` if
/// the matrix is not positive definite.
pub fn pivot(diagonal: f64, explained: f64) -> Option<f64> {
    let pivot = diagonal - explained;
    is_sound(pivot, diagonal).then(|| pivot.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A covariance of points on a line, nearly singular if they are close.
    fn covariance(points: &[f64], noise: f64) -> Mat<f64> {
        Mat::from_fn(points.len(), points.len(), |i, j| {
            let same = if i == j { noise } else { 0.0 };
            (-(points[i] - points[j]).powi(2)).exp() + same
        })
    }

    fn distance(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        (a - b).norm_max()
    }

    fn rebuilt(factor: &Factor) -> Mat<f64> {
        let n = factor.size();
        let l = Mat::from_fn(n, n, |i, j| if i >= j { factor.lower()[(i, j)] } else { 0.0 });
        &l * l.transpose()
    }

    #[test]
    fn a_sound_matrix_needs_no_jitter() {
        let a = covariance(&[0.0, 0.7, 1.9, 2.2], 0.1);
        let factor = Factor::new(a.as_ref()).unwrap();
        assert_eq!(factor.jitter(), 0.0);
        assert!(distance(&rebuilt(&factor), &a) < 1e-15);
        assert!(distance(&(&factor.inverse() * &a), &Mat::identity(4, 4)) < 1e-13);
        let mut right = vec![1.0, 2.0, 3.0, 4.0];
        factor.solve(&mut right).unwrap();
        assert!(factor.solve(&mut [1.0]).is_err());
        let back = &a * MatRef::from_column_major_slice(&right, 4, 1);
        assert!((back[(2, 0)] - 3.0).abs() < 1e-13);
    }

    #[test]
    fn duplicates_climb_the_ladder_and_say_so() {
        let a = covariance(&[0.0, 0.0, 1e-13, 1.0, 1.0], 0.0);
        let factor = Factor::new(a.as_ref()).unwrap();
        assert!(factor.jitter() > 0.0 && factor.jitter() <= 1e-8);
    }

    #[test]
    fn what_is_no_covariance_is_refused() {
        let negative = Mat::from_fn(2, 2, |i, j| if i == j { -1.0 } else { 0.0 });
        let refused = Factor::new(negative.as_ref()).unwrap_err();
        assert!(matches!(refused, CholeskyError::NotPositiveDefinite { .. }));
        let mut missing = covariance(&[0.0, 1.0], 0.1);
        missing[(1, 0)] = f64::NAN;
        let refused = Factor::new(missing.as_ref()).unwrap_err();
        assert!(matches!(refused, CholeskyError::NotFinite { row: 1, column: 0, .. }));
        let refused = Factor::new(Mat::<f64>::zeros(2, 3).as_ref()).unwrap_err();
        assert_eq!(refused, CholeskyError::NotSquare { rows: 2, columns: 3 });
    }

    #[test]
    fn a_failed_append_changes_nothing() {
        let mut factor = Factor::new(covariance(&[0.0, 1.0], 0.0).as_ref()).unwrap();
        let before = factor.lower().to_owned();
        let exact_copy = covariance(&[0.0, 1.0], 0.0);
        assert!(factor.append(&[exact_copy[(0, 0)], exact_copy[(1, 0)]], 1.0).is_err());
        assert!(factor.append(&[f64::NAN, 0.0], 1.0).is_err());
        assert!(factor.append(&[0.0], 1.0).is_err());
        assert_eq!(factor.lower(), before.as_ref());
    }

    #[test]
    fn small_and_large_matrices_are_factored_and_inverted_alike() {
        let around = [1, 2, 3, 5, 8, 50, small::MOST_ROWS, small::MOST_ROWS + 1, 150];
        for n in around {
            let points: Vec<f64> = (0..n).map(|i| (i as f64 * 0.77).sin() * 5.0).collect();
            let whole = covariance(&points, 0.1);
            let factor = Factor::new(whole.as_ref()).unwrap();
            assert!(distance(&rebuilt(&factor), &whole) < 1e-13, "{n}");
            let white = factor.whitening();
            assert!(distance(&(white.transpose() * &whole * &white), &Mat::identity(n, n)) < 1e-10);
            let unit = &factor.inverse() * &whole;
            assert!(distance(&unit, &Mat::identity(n, n)) < 1e-10, "{n}");
        }
    }

    proptest! {
        #[test]
        fn appending_rows_equals_factoring_at_once(
            points in prop::collection::vec(-3.0..3.0_f64, 1..40), noise in 1e-6..1.0_f64,
        ) {
            let whole = covariance(&points, noise);
            let mut grown = Factor::new(whole.get(..1, ..1)).unwrap();
            for n in 1..points.len() {
                let cross: Vec<f64> = (0..n).map(|j| whole[(n, j)]).collect();
                grown.append(&cross, whole[(n, n)]).unwrap();
            }
            prop_assert!(distance(&rebuilt(&grown), &whole) < 1e-13);
            let at_once = Factor::new(whole.as_ref()).unwrap();
            let gap = (grown.log_determinant() - at_once.log_determinant()).abs();
            prop_assert!(gap < 1e-7 * (1.0 + at_once.log_determinant().abs()));
        }

        #[test]
        fn no_symmetric_matrix_causes_a_panic(
            entries in prop::collection::vec(prop_oneof![
                -1e3..1e3_f64, Just(0.0), Just(1e300), Just(1e-300), Just(f64::INFINITY), Just(f64::NAN)
            ], 25),
        ) {
            let matrix = Mat::from_fn(5, 5, |i, j| entries[5 * i.max(j) + i.min(j)]);
            if let Ok(factor) = Factor::new(matrix.as_ref()) {
                prop_assert!(factor.log_determinant().is_finite());
            }
        }
    }
}
