//! The criterion (37) before its division by cost: nats about this task's maximum plus `beta` times
//! nats about `theta`, at many points and every level, with the gradient by the point.

use super::feasible_gain::{Asked, log_feasibility};
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

/// Quantities that have to keep bounds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits<'a> {
    /// of each quantity
    pub posteriors: &'a [Posterior],
    /// between which values of the process each keeps its bounds
    pub bounds: &'a [(f64, f64)],
    /// per particle, the probability that nothing is feasible
    pub nowhere: &'a [f64],
    /// which of them says whether an evaluation succeeds
    pub success: Option<usize>,
    /// how likely a point has to be feasible before it may be evaluated at the highest fidelity; 0 if any may
    pub safe: f64,
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
    limits: Limits<'a>,
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
        let (draws, limits) = ((&[][..], &[][..]), Limits::default());
        Ok(Self { criterion, posteriors, weights, max_values, draws, limits })
    }

    /// With quantities that have to keep bounds: max values are those of what is feasible.
    ///
    /// # Errors
    /// If their numbers differ.
    pub fn with_limits(self, limits: Limits<'a>) -> Result<Self> {
        let count = limits.posteriors.len();
        same_size("bounds, one per quantity", count, limits.bounds.len())?;
        let particles = if count == 0 { 0 } else { self.posteriors.len() };
        same_size("probabilities that nothing is feasible", particles, limits.nowhere.len())?;
        Ok(Self { limits, ..self })
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

    /// How much of the gain about the maximum measuring the limited quantities alone would bring.
    ///
    /// # Errors
    /// If the points do not fit the posteriors.
    pub fn nats_of_limits(&self, points: MatRef<'_, f64>) -> Result<Table> {
        let mut nats = Table::zeros(self.levels(), points.ncols());
        if self.limits.posteriors.is_empty() {
            return Ok(nats);
        }
        let predictions = self.predictions(points)?;
        let limits: Vec<&Prediction> = predictions[self.first_limit()..].iter().collect();
        for (v, weight) in self.weights.iter().enumerate() {
            let asked = self.asked((&predictions[v], &limits), v);
            nats.add_scaled(&Asked { with_objective: false, ..asked }.evaluate(), *weight);
        }
        Ok(nats)
    }

    /// Predictions of all particles, of all draws, and of all limits, at the columns of `points`.
    ///
    /// # Errors
    /// If the points do not fit the posteriors.
    fn predictions(&self, points: MatRef<'_, f64>) -> Result<Vec<Prediction>> {
        let all = parallel::map(self.count(), |v| self.posterior(v).predict(points));
        all.into_iter().collect()
    }

    fn count(&self) -> usize {
        self.first_limit() + self.limits.posteriors.len()
    }

    /// Which prediction is that of the first limit.
    fn first_limit(&self) -> usize {
        self.posteriors.len() + self.draws.0.len()
    }

    fn posterior(&self, v: usize) -> &'a Posterior {
        let own = self.posteriors.get(v);
        let drawn = || self.draws.0.get(v - self.posteriors.len());
        own.or_else(drawn).unwrap_or_else(|| &self.limits.posteriors[v - self.first_limit()])
    }

    /// What is asked of a particle where there are limits.
    fn asked<'b>(
        &'b self,
        (objective, limits): (&'b Prediction, &'b [&'b Prediction]),
        v: usize,
    ) -> Asked<'b> {
        let Limits { bounds, nowhere, success, .. } = self.limits;
        let (values, nowhere) = (&self.max_values[v], nowhere[v]);
        Asked { objective, limits, bounds, values, nowhere, success, with_objective: true }
    }

    /// Whether a point may be evaluated at the highest fidelity.
    fn may_be_used(&self, limits: &[&Prediction], j: usize) -> bool {
        let Limits { bounds, safe, .. } = self.limits;
        safe == 0.0 || log_feasibility(limits, bounds, j) >= safe.ln()
    }

    /// Which predictions the gain about `theta` is by, from the first on, and their weights.
    fn about_theta(&self) -> (usize, &'a [f64]) {
        let (draws, weights) = self.draws;
        if draws.is_empty() { (0, self.weights) } else { (self.posteriors.len(), weights) }
    }

    /// The worth of points whose predictions, one per particle, per draw and per limit, are at hand.
    pub fn worth_of(&self, predictions: &[Prediction]) -> Table {
        let Criterion { optimum_weight, beta, .. } = self.criterion;
        let Nats { optimum, transfer } =
            self.gains(predictions, optimum_weight != 0.0, beta != 0.0);
        let limits: Vec<&Prediction> = predictions[self.first_limit()..].iter().collect();
        let top = self.levels().saturating_sub(1);
        Table::from_fn(optimum.nrows(), optimum.ncols(), |m, j| {
            if m == top && !self.may_be_used(&limits, j) {
                return f64::NEG_INFINITY;
            }
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
            let all: Vec<&Prediction> = predictions[first..self.first_limit()].iter().collect();
            nats.transfer = self.criterion.transfer.evaluate(&all, weights);
        }
        if optimum {
            let limits: Vec<&Prediction> = predictions[self.first_limit()..].iter().collect();
            let parts = parallel::map(self.posteriors.len(), |v| {
                if limits.is_empty() {
                    return self.criterion.optimum.evaluate(&predictions[v], &self.max_values[v]);
                }
                self.asked((&predictions[v], &limits), v).evaluate()
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
        let first_limit = self.first_limit();
        let with_top = optimum.asks_for_top() || first_limit < self.count();
        let traces =
            parallel::map(self.count(), |v| self.posterior(v).trace(points, levels, with_top));
        let traces = traces.into_iter().collect::<Result<Vec<_>>>()?;
        let predictions: Vec<&Prediction> = traces.iter().map(|t| &t.prediction).collect();
        let (first, weights) = self.about_theta();
        let (gains, sensitivities) = if beta == 0.0 {
            (vec![0.0; levels.len()], Vec::new())
        } else {
            transfer.first_with_sensitivity(&predictions[first..first_limit], weights)
        };
        let limits = &predictions[first_limit..];
        let feasible = parallel::map(if limits.is_empty() { 0 } else { self.weights.len() }, |v| {
            let share = optimum_weight * self.weights[v];
            self.asked((predictions[v], limits), v).first_with_sensitivity(share)
        });
        let mut values: Vec<f64> = gains.iter().map(|gain| beta * gain).collect();
        let mut gradient = Mat::zeros(points.nrows(), points.ncols());
        let parts = parallel::map(traces.len(), |v| -> Result<(Vec<f64>, Mat<f64>)> {
            let (gains, mut sensitivity) = if let Some((gains, by_outputs)) = feasible.get(v) {
                (gains.clone(), by_outputs[0].clone())
            } else if let Some(limit) = v.checked_sub(first_limit) {
                let mut all = Sensitivity::zeros(predictions[v].levels(), predictions[v].points());
                for (_, by_outputs) in &feasible {
                    all.add_scaled(&by_outputs[1 + limit], 1.0);
                }
                (Vec::new(), all)
            } else if let Some(weight) = self.weights.get(v) {
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
        for (j, value) in values.iter_mut().enumerate() {
            if levels[j] + 1 == self.levels() && !self.may_be_used(limits, j) {
                *value = f64::NEG_INFINITY;
            }
        }
        Ok((values, gradient))
    }
}
