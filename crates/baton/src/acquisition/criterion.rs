//! The criterion (37) before its division by cost: nats about this task's maximum plus `beta` times
//! nats about `theta`, at many points and every level, with the gradient by the point.

use super::optimum_gain::OptimumGain;
use super::transfer_gain::TransferGain;
use crate::error::{Result, all_finite, same_size};
use crate::model::{Posterior, Prediction, Sensitivity};
use baton_numerics::{Mat, MatRef, Table, parallel};

/// What is counted, and how much.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Criterion {
    /// reading of the gain about `f*`
    pub optimum: OptimumGain,
    /// reading of the gain about `theta`
    pub transfer: TransferGain,
    /// weight of the gain about `f*`: 1, or 0 in steps made for the future only
    pub optimum_weight: f64,
    /// weight of the gain about `theta`
    pub beta: f64,
}

/// Nats per level and point.
#[derive(Debug, Clone, PartialEq)]
pub struct Nats {
    /// about this task's maximum
    pub optimum: Table,
    /// about `theta`
    pub transfer: Table,
}

/// Something to be maximised over points and levels.
pub trait Objective: Sync {
    /// The worth of every point (columns) at every level (rows of the result).
    ///
    /// # Errors
    /// If it cannot be evaluated there.
    fn worth(&self, points: MatRef<'_, f64>) -> Result<Table>;

    /// The worth of each point at its own level, and its gradient by the points (`d` x `N`).
    ///
    /// # Errors
    /// If it cannot be evaluated there.
    fn worth_and_gradient(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<(Vec<f64>, Mat<f64>)>;
}

/// A criterion with all it needs to be evaluated anywhere.
#[derive(Debug, Clone, Copy)]
pub struct Acquisition<'a> {
    criterion: Criterion,
    posteriors: &'a [Posterior],
    weights: &'a [f64],
    max_values: &'a [Vec<f64>],
    /// what the gain about `theta` is by, where that is not by the posteriors
    draws: (&'a [Posterior], &'a [f64]),
}

impl<'a> Acquisition<'a> {
    /// One posterior, weight and set of max values per particle.
    ///
    /// # Errors
    /// If their numbers differ or a max value is not finite.
    pub fn new(
        criterion: Criterion,
        posteriors: &'a [Posterior],
        weights: &'a [f64],
        max_values: &'a [Vec<f64>],
    ) -> Result<Self> {
        same_size("weights, one per posterior", posteriors.len(), weights.len())?;
        same_size("sets of max values, one per posterior", posteriors.len(), max_values.len())?;
        max_values.iter().try_for_each(|set| all_finite("max value", set))?;
        Ok(Self { criterion, posteriors, weights, max_values, draws: (&[], &[]) })
    }

    /// With the gain about `theta` by these posteriors and weights, if there are any: the others are of a
    /// fitted `theta`, which leaves nothing to learn about it.
    ///
    /// # Errors
    /// If their numbers differ.
    pub fn with_draws(self, draws: &'a [Posterior], weights: &'a [f64]) -> Result<Self> {
        same_size("weights, one per draw", draws.len(), weights.len())?;
        Ok(Self { draws: (draws, weights), ..self })
    }

    /// Both gains at the columns of `points`, at every level.
    ///
    /// # Errors
    /// If the points do not fit the posteriors.
    pub fn nats(&self, points: MatRef<'_, f64>) -> Result<Nats> {
        Ok(self.gains(&self.predictions(points)?, true, true))
    }

    /// Predictions of all particles, then of all draws, at the columns of `points`.
    ///
    /// # Errors
    /// If the points do not fit the posteriors.
    fn predictions(&self, points: MatRef<'_, f64>) -> Result<Vec<Prediction>> {
        let all = parallel::map(self.count(), |v| self.posterior(v).predict(points));
        all.into_iter().collect()
    }

    fn count(&self) -> usize {
        self.posteriors.len() + self.draws.0.len()
    }

    fn posterior(&self, v: usize) -> &'a Posterior {
        self.posteriors.get(v).unwrap_or_else(|| &self.draws.0[v - self.posteriors.len()])
    }

    /// Which predictions the gain about `theta` is by, from the first on, and their weights.
    fn about_theta(&self) -> (usize, &'a [f64]) {
        let (draws, weights) = self.draws;
        if draws.is_empty() { (0, self.weights) } else { (self.posteriors.len(), weights) }
    }

    /// The worth of points whose predictions, one per particle and then one per draw, are at hand.
    pub fn worth_of(&self, predictions: &[Prediction]) -> Table {
        let Criterion { optimum_weight, beta, .. } = self.criterion;
        let Nats { optimum, transfer } =
            self.gains(predictions, optimum_weight != 0.0, beta != 0.0);
        Table::from_fn(optimum.nrows(), optimum.ncols(), |m, j| {
            optimum_weight * optimum[(m, j)] + beta * transfer[(m, j)]
        })
    }

    /// The gains that are wanted; zero for the others.
    fn gains(&self, predictions: &[Prediction], optimum: bool, transfer: bool) -> Nats {
        let points = predictions.first().map_or(0, Prediction::points);
        let zero = || Table::zeros(self.levels(), points);
        let mut nats = Nats { optimum: zero(), transfer: zero() };
        if transfer {
            let (first, weights) = self.about_theta();
            let all: Vec<&Prediction> = predictions[first..].iter().collect();
            nats.transfer = self.criterion.transfer.evaluate(&all, weights);
        }
        if optimum {
            let parts = parallel::map(self.posteriors.len(), |v| {
                self.criterion.optimum.evaluate(&predictions[v], &self.max_values[v])
            });
            for (gain, weight) in parts.iter().zip(self.weights) {
                nats.optimum.add_scaled(gain, *weight);
            }
        }
        nats
    }

    fn levels(&self) -> usize {
        self.posteriors.first().map_or(0, |posterior| posterior.surrogate().levels())
    }
}

impl Objective for Acquisition<'_> {
    fn worth(&self, points: MatRef<'_, f64>) -> Result<Table> {
        Ok(self.worth_of(&self.predictions(points)?))
    }

    fn worth_and_gradient(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<(Vec<f64>, Mat<f64>)> {
        let Criterion { optimum, transfer, optimum_weight, beta } = self.criterion;
        let with_top = optimum.asks_for_top();
        let traces =
            parallel::map(self.count(), |v| self.posterior(v).trace(points, levels, with_top));
        let traces = traces.into_iter().collect::<Result<Vec<_>>>()?;
        let predictions: Vec<&Prediction> = traces.iter().map(|t| &t.prediction).collect();
        let (first, weights) = self.about_theta();
        let (gains, sensitivities) = if beta == 0.0 {
            (vec![0.0; levels.len()], Vec::new())
        } else {
            transfer.first_with_sensitivity(&predictions[first..], weights)
        };
        let mut values: Vec<f64> = gains.iter().map(|gain| beta * gain).collect();
        let mut gradient = Mat::zeros(points.nrows(), points.ncols());
        let parts = parallel::map(traces.len(), |v| -> Result<(Vec<f64>, Mat<f64>)> {
            let (gains, mut sensitivity) = if let Some(weight) = self.weights.get(v) {
                let share = optimum_weight * weight;
                optimum.first_with_sensitivity(predictions[v], &self.max_values[v], share)
            } else {
                let drawn = predictions[v];
                (Vec::new(), Sensitivity::zeros(drawn.levels(), drawn.points()))
            };
            let by_theta = v.checked_sub(first).and_then(|draw| sensitivities.get(draw));
            if let Some(transfer) = by_theta {
                sensitivity.add_scaled(transfer, beta);
            }
            Ok((gains, traces[v].pull_back(&sensitivity)?))
        });
        for (v, part) in parts.into_iter().enumerate() {
            let (gains, slope) = part?;
            for (value, gain) in values.iter_mut().zip(gains) {
                *value += optimum_weight * self.weights[v] * gain;
            }
            gradient += slope;
        }
        Ok((values, gradient))
    }
}
