//! The posterior mean at the top level, averaged over particles: what the incumbent
//! maximises.

use super::criterion::Objective;
use crate::error::{Error, Result};
use crate::model::{Posterior, Sensitivity};
use baton_numerics::{Mat, MatRef, Table};

/// Half-width of a 90 % interval in standard deviations.
pub(crate) const NINETY_PERCENT: f64 = 1.644_853_626_951_472_7;

/// Posteriors and their weights, seen as a function to be maximised.
#[derive(Debug, Clone, Copy)]
pub struct PosteriorMean<'a> {
    /// one per particle
    pub posteriors: &'a [Posterior],
    /// their weights
    pub weights: &'a [f64],
}

/// Mean and variance of the truth at one point, over particles and functions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moments {
    /// mean, in the surrogate's units
    pub mean: f64,
    /// variance: within particles plus between them
    pub variance: f64,
}

impl PosteriorMean<'_> {
    fn levels(&self) -> Result<usize> {
        let must = "at least 1";
        let none = Error::OutOfRange { what: "number of posteriors", value: 0.0, must };
        Ok(self.posteriors.first().ok_or(none)?.surrogate().levels())
    }

    /// Moments of the truth at one point.
    ///
    /// # Errors
    /// If the point does not fit.
    pub fn moments(&self, point: &[f64]) -> Result<Moments> {
        let top = self.levels()? - 1;
        let point = MatRef::from_column_major_slice(point, point.len(), 1);
        let (mut mean, mut square, mut within) = (0.0, 0.0, 0.0);
        for (posterior, weight) in self.posteriors.iter().zip(self.weights) {
            let prediction = posterior.predict(point)?;
            let own = prediction.mean[(top, 0)];
            mean += weight * own;
            square += weight * own * own;
            within += weight * prediction.variance[(top, 0)];
        }
        Ok(Moments { mean, variance: within + (square - mean * mean).max(0.0) })
    }
}

impl Objective for PosteriorMean<'_> {
    fn worth(&self, points: MatRef<'_, f64>) -> Result<Table> {
        let mut total = Table::zeros(self.levels()?, points.ncols());
        for (posterior, weight) in self.posteriors.iter().zip(self.weights) {
            total.add_scaled(&posterior.means(points)?, *weight);
        }
        Ok(total)
    }

    fn worth_and_gradient(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<(Vec<f64>, Mat<f64>)> {
        let mut values = vec![0.0; points.ncols()];
        let mut gradient = Mat::zeros(points.nrows(), points.ncols());
        for (posterior, weight) in self.posteriors.iter().zip(self.weights) {
            let trace = posterior.trace(points, levels, false)?;
            let mut sensitivity = Sensitivity::zeros(1, points.ncols());
            for (j, value) in values.iter_mut().enumerate() {
                *value += weight * trace.prediction.mean[(0, j)];
                sensitivity.mean[(0, j)] = *weight;
            }
            gradient += trace.pull_back(&sensitivity)?;
        }
        Ok((values, gradient))
    }
}
