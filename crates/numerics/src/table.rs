//! Tables of numbers, column by column, for what is written and read entry by entry.
//!
//! A matrix of [`faer`] is made for products: its memory is aligned, its columns are padded, and each
//! costs more to come by than a few dozen entries cost to fill. A table is a plain vector.

use std::ops::{Index, IndexMut};

/// Numbers in rows and columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Table {
    /// All zero.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// Entry by entry.
    pub fn from_fn(
        rows: usize,
        columns: usize,
        mut entry: impl FnMut(usize, usize) -> f64,
    ) -> Self {
        let mut table = Self::zeros(rows, columns);
        for j in 0..columns {
            for i in 0..rows {
                table[(i, j)] = entry(i, j);
            }
        }
        table
    }

    /// Number of rows.
    pub fn nrows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn ncols(&self) -> usize {
        self.columns
    }

    /// The entries of a row; none if there is no such row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = f64> + '_ {
        let columns = if row < self.rows { self.columns } else { 0 };
        (0..columns).map(move |j| self[(row, j)])
    }

    /// All entries, column by column.
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// Adds a multiple of another of the same size.
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        for (entry, x) in self.entries.iter_mut().zip(&other.entries) {
            *entry += factor * x;
        }
    }
}

impl Index<(usize, usize)> for Table {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        debug_assert!(row < self.rows);
        &self.entries[column * self.rows + row]
    }
}

impl IndexMut<(usize, usize)> for Table {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        debug_assert!(row < self.rows);
        &mut self.entries[column * self.rows + row]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_lie_column_by_column() {
        let table = Table::from_fn(2, 3, |i, j| (10 * i + j) as f64);
        assert_eq!((table.nrows(), table.ncols(), table[(1, 2)]), (2, 3, 12.0));
        assert_eq!(table.entries(), [0.0, 10.0, 1.0, 11.0, 2.0, 12.0]);
        assert_eq!(table.row(1).collect::<Vec<_>>(), [10.0, 11.0, 12.0]);
        assert_eq!(table.row(2).count(), 0);
        assert_eq!(Table::zeros(0, 3).row(0).count(), 0);
        assert_eq!(Table::zeros(2, 0).row(0).count(), 0);
    }

    #[test]
    fn multiples_are_added_entry_by_entry() {
        let mut table = Table::from_fn(1, 2, |_, j| j as f64);
        table.add_scaled(&Table::from_fn(1, 2, |_, _| 2.0), -0.5);
        assert_eq!(table.entries(), [-1.0, 0.0]);
    }
}
