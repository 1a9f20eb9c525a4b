//! The posterior mean at the top level, averaged over particles: what the recommended point
//! maximises.

use super::criterion::Objective;
use crate::error::{Error, Result};
use crate::model::{Posterior, Sensitivity};
use baton_numerics::{Mat, MatRef, Table};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{every_model, example_history, example_points, example_theta};
    use std::sync::Arc;

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let surrogate = Arc::new(every_model().remove(1));
        let theta = example_theta(&surrogate);
        let other: Vec<f64> = theta.iter().map(|x| 0.5 * x).collect();
        let posteriors: Vec<Posterior> = [theta, other]
            .map(|theta| {
                Posterior::new(Arc::clone(&surrogate), theta, example_history(7, 2, 3)).unwrap()
            })
            .into();
        let objective = PosteriorMean { posteriors: &posteriors, weights: &[0.3, 0.7] };
        let points = example_points(3, 2);
        let (values, gradient) = objective.worth_and_gradient(points.as_ref(), &[2, 0, 2]).unwrap();
        let whole = objective.worth(points.as_ref()).unwrap();
        assert!((whole[(2, 0)] - values[0]).abs() < 1e-14);
        let moments = objective.moments(points.col_as_slice(0)).unwrap();
        assert!((moments.mean - values[0]).abs() < 1e-14 && moments.variance > 0.0);
        for j in 0..3 {
            for i in 0..2 {
                let at = |step: f64| {
                    let mut moved = points.clone();
                    moved[(i, j)] += step;
                    objective.worth_and_gradient(moved.as_ref(), &[2, 0, 2]).unwrap().0[j]
                };
                let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((gradient[(i, j)] - numeric).abs() < 1e-8 * (1.0 + numeric.abs()));
            }
        }
    }
}
