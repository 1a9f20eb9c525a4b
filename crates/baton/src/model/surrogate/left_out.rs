//! What the model would have said of its own observations, at the same `theta`, without them.
//!
//! With `K~^-1 = U U'`, `a = K~^-1 (y - mean)`, the observation left out has (Rasmussen and Williams 2006,
//! 5.12)
//!
//! `mean_i = y_i - a_i / [K~^-1]_ii`, `variance_i = 1 / [K~^-1]_ii`.
//!
//! Before it came, when only the earlier ones were known, it had `mean_i = y_i - L_ii v_i` and
//! `variance_i = L_ii^2`, with the factor `K~ = L L'` and `v = L^-1 (y - mean)`. Noise is part of both.

use super::posterior::Posterior;
use crate::error::{Result, computed, same_size};
use baton_numerics::random::Stream;

/// An observation and what was to be expected of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foretold {
    /// its value, as one of the process
    pub value: f64,
    /// the mean without it
    pub mean: f64,
    /// the variance without it, its noise included
    pub variance: f64,
}

impl Foretold {
    /// How many standard deviations it is above what was expected.
    pub fn deviations(&self) -> f64 {
        (self.value - self.mean) / self.variance.sqrt()
    }
}

impl Posterior {
    /// Each observation from number `first` on, expected from all others.
    ///
    /// # Errors
    /// If trials are pending in this posterior, or a number is not finite.
    pub fn left_out(&self, first: usize) -> Result<Vec<Foretold>> {
        let rows = self.rows_of_observations()?;
        let precisions = self.precisions();
        let foretold = |i: usize| {
            let row = rows[i];
            let variance = computed("variance without an observation", precisions[row].recip())?;
            let value = self.history().values()[i];
            Ok(Foretold { value, mean: value - self.weights[row] * variance, variance })
        };
        (first..rows.len()).map(foretold).collect()
    }

    /// Each observation from number `first` on, expected from those before it.
    ///
    /// # Errors
    /// As [`Posterior::left_out`].
    pub fn one_ahead(&self, first: usize) -> Result<Vec<Foretold>> {
        let rows = self.rows_of_observations()?;
        let foretold = |i: usize| {
            let column = self.whitening.matrix().col_as_slice(i);
            let pivot = computed("deviation of an observation", column[rows[i]].recip())?;
            let value = self.history().values()[i];
            let mean = value - pivot * self.white_residuals[i];
            Ok(Foretold { value, mean, variance: pivot * pivot })
        };
        (first..rows.len()).map(foretold).collect()
    }

    /// Deviations as [`Posterior::left_out`] would have them if the model were right: a draw. They are not
    /// independent of each other: `a_i / sqrt([K~^-1]_ii)`, with `v` in `a = U v` standard normal.
    ///
    /// # Errors
    /// As [`Posterior::left_out`].
    pub fn deviations_by_chance(&self, first: usize, stream: &mut Stream) -> Result<Vec<f64>> {
        let rows = self.rows_of_observations()?;
        let normals: Vec<f64> = rows.iter().map(|_| stream.normal()).collect();
        let drawn = self.whitening.times(&normals);
        let precisions = self.precisions();
        Ok(rows[first..].iter().map(|row| drawn[*row] / precisions[*row].sqrt()).collect())
    }

    /// The diagonal of the inverse covariance, row by row.
    fn precisions(&self) -> Vec<f64> {
        let mut precisions = vec![0.0; self.rows()];
        for j in 0..self.rows() {
            let column = self.whitening.matrix().col_as_slice(j);
            precisions.iter_mut().zip(column).for_each(|(sum, u)| *sum += u * u);
        }
        precisions
    }

    /// At which row each observation lies: rows are sorted by level.
    pub(super) fn rows_of_observations(&self) -> Result<Vec<usize>> {
        let levels = self.history().levels();
        same_size("observations without those that are pending", self.rows(), levels.len())?;
        let mut order: Vec<usize> = (0..levels.len()).collect();
        order.sort_by_key(|i| levels[*i]);
        let mut rows = vec![0; levels.len()];
        order.iter().enumerate().for_each(|(row, i)| rows[*i] = row);
        Ok(rows)
    }
}
