//! Matrices whose memory behind the last row of a column holds zeros.
//!
//! Products read columns in whole vectors, the rows behind the last one too, whose results are thrown
//! away. In a matrix of [`faer`] that memory is whatever was there before; sizes and addresses, taken
//! for floating-point numbers, are subnormal, and a processor multiplies those outside its fast path.
//! Points of six coordinates, two behind each column, made SVGD take nearly twice as long.

use faer::Mat;

/// Entries of the longest vector: eight of 64 bits in AVX-512.
const VECTOR: usize = 8;

/// All zero.
pub fn zeros(rows: usize, columns: usize) -> Mat<f64> {
    let mut matrix = Mat::zeros(rows.next_multiple_of(VECTOR), columns);
    matrix.truncate(rows, columns);
    matrix
}

/// Entry by entry.
pub fn from_fn(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Mat<f64> {
    let mut matrix = zeros(rows, columns);
    for j in 0..columns {
        for (i, slot) in matrix.col_as_slice_mut(j).iter_mut().enumerate() {
            *slot = entry(i, j);
        }
    }
    matrix
}

/// A copy with a row, a column or both of zeros inserted at these places.
pub fn with_gap(matrix: &Mat<f64>, row: Option<usize>, column: Option<usize>) -> Mat<f64> {
    let row = row.map(|place| place.min(matrix.nrows()));
    let columns = matrix.ncols() + usize::from(column.is_some());
    let mut grown = zeros(matrix.nrows() + usize::from(row.is_some()), columns);
    for j in 0..matrix.ncols() {
        let behind = column.is_some_and(|place| j >= place);
        let source = matrix.col_as_slice(j);
        let target = grown.col_as_slice_mut(j + usize::from(behind));
        let place = row.unwrap_or(source.len());
        target[..place].copy_from_slice(&source[..place]);
        target[place + usize::from(row.is_some())..].copy_from_slice(&source[place..]);
    }
    grown
}

/// Gives a matrix a size; its entries are then of no meaning, its memory is kept where it fits.
pub fn reshape(matrix: &mut Mat<f64>, rows: usize, columns: usize) {
    if matrix.nrows() == rows && matrix.ncols() == columns {
        return;
    }
    let before = (matrix.as_ptr(), matrix.col_stride());
    matrix.resize_with(rows, columns, |_, _| 0.0);
    // It did not fit and lies in fresh memory now.
    if before != (matrix.as_ptr(), matrix.col_stride()) {
        *matrix = zeros(rows, columns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_vectors_fit_behind_every_column() {
        for rows in [0, 1, 6, 8, 15] {
            let matrix = from_fn(rows, 3, |i, j| (10 * i + j) as f64);
            assert_eq!((matrix.nrows(), matrix.ncols()), (rows, 3));
            assert!(matrix.col_stride().cast_unsigned() >= rows.next_multiple_of(VECTOR));
            assert!((0..rows).all(|i| matrix[(i, 2)] == (10 * i + 2) as f64));
        }
    }

    #[test]
    fn gaps_hold_zeros_and_move_what_lies_behind_them() {
        let matrix = from_fn(3, 2, |i, j| (1 + 10 * i + j) as f64);
        let both = with_gap(&matrix, Some(1), Some(2));
        let expected = [[1.0, 2.0, 0.0], [0.0, 0.0, 0.0], [11.0, 12.0, 0.0], [21.0, 22.0, 0.0]];
        assert_eq!(both, Mat::from_fn(4, 3, |i, j| expected[i][j]));
        assert_eq!(with_gap(&matrix, None, Some(0)).col_as_slice(2), matrix.col_as_slice(1));
        assert_eq!(with_gap(&matrix, Some(3), None)[(3, 1)], 0.0);
        assert_eq!(with_gap(&matrix, None, None), matrix);
    }

    #[test]
    fn memory_is_kept_where_a_size_fits() {
        let mut matrix = zeros(6, 4);
        let before = matrix.as_ptr();
        for (rows, columns) in [(3, 2), (6, 4), (8, 1)] {
            reshape(&mut matrix, rows, columns);
            assert_eq!((matrix.nrows(), matrix.ncols(), matrix.as_ptr()), (rows, columns, before));
        }
        reshape(&mut matrix, 20, 4);
        assert_eq!((matrix.nrows(), matrix.ncols()), (20, 4));
    }
}
