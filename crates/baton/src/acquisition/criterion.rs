//! The criterion (37) before its division by cost: nats about this task's maximum plus `beta` times
//! nats about `theta`, at many points and every level, with the gradient by the point.

use super::optimum_gain::OptimumGain;
use super::transfer_gain::TransferGain;
use crate::error::{Result, all_finite, same_size};
use crate::model::{Posterior, Prediction};
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
        Ok(Self { criterion, posteriors, weights, max_values })
    }

    /// Both gains at the columns of `points`, at every level.
    ///
    /// # Errors
    /// If the points do not fit the posteriors.
    pub fn nats(&self, points: MatRef<'_, f64>) -> Result<Nats> {
        Ok(self.gains(&self.predictions(points)?, true, true))
    }

    /// Predictions of all particles at the columns of `points`.
    ///
    /// # Errors
    /// If the points do not fit the posteriors.
    fn predictions(&self, points: MatRef<'_, f64>) -> Result<Vec<Prediction>> {
        let all = parallel::map(self.posteriors.len(), |v| self.posteriors[v].predict(points));
        all.into_iter().collect()
    }

    /// The worth of points whose predictions, one per particle, are at hand.
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
            let all: Vec<&Prediction> = predictions.iter().collect();
            nats.transfer = self.criterion.transfer.evaluate(&all, self.weights);
        }
        if optimum {
            let parts = parallel::map(predictions.len(), |v| {
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
        let traces = parallel::map(self.posteriors.len(), |v| {
            self.posteriors[v].trace(points, levels, with_top)
        });
        let traces = traces.into_iter().collect::<Result<Vec<_>>>()?;
        let predictions: Vec<&Prediction> = traces.iter().map(|t| &t.prediction).collect();
        let (gains, sensitivities) = if beta == 0.0 {
            (vec![0.0; levels.len()], Vec::new())
        } else {
            transfer.first_with_sensitivity(&predictions, self.weights)
        };
        let mut values: Vec<f64> = gains.iter().map(|gain| beta * gain).collect();
        let mut gradient = Mat::zeros(points.nrows(), points.ncols());
        let parts = parallel::map(traces.len(), |v| -> Result<(Vec<f64>, Mat<f64>)> {
            let share = optimum_weight * self.weights[v];
            let (gains, mut sensitivity) =
                optimum.first_with_sensitivity(predictions[v], &self.max_values[v], share);
            if let Some(transfer) = sensitivities.get(v) {
                sensitivity.add_scaled(transfer, beta);
            }
            Ok((gains, traces[v].pull_back(&sensitivity)?))
        });
        for (part, weight) in parts.into_iter().zip(self.weights) {
            let (gains, slope) = part?;
            for (value, gain) in values.iter_mut().zip(gains) {
                *value += optimum_weight * weight * gain;
            }
            gradient += slope;
        }
        Ok((values, gradient))
    }
}

#[cfg(test)]
pub(super) mod testing {
    use crate::model::testing::stream;
    use crate::model::{Prediction, Sensitivity};
    use baton_numerics::Table;

    /// Moments of a positive-definite law, with noise.
    pub fn example_prediction(seed: u64, levels: usize, points: usize) -> Prediction {
        let mut stream = stream(seed);
        let mean = Table::from_fn(levels, points, |_, _| stream.normal());
        let variance = Table::from_fn(levels, points, |_, _| 0.2 + stream.uniform());
        let covariance = Table::from_fn(levels, points, |m, j| {
            let product: f64 = variance[(m, j)] * variance[(levels - 1, j)];
            if m == levels - 1 { variance[(m, j)] } else { 0.8 * product.sqrt() }
        });
        let noise = Table::from_fn(levels, points, |m, _| 0.05 + 0.1 * m as f64);
        let noise_slope = Table::zeros(levels, points);
        Prediction { mean, variance, covariance, noise, noise_slope }
    }

    type Part = fn(&mut Prediction) -> &mut Table;

    /// Compares a sensitivity with central differences of `scalar`.
    pub fn assert_sensitivity(
        prediction: &Prediction,
        sensitivity: &Sensitivity,
        scalar: impl Fn(&Prediction) -> f64,
    ) {
        let parts: [(&str, &Table, Part); 3] = [
            ("mean", &sensitivity.mean, |p| &mut p.mean),
            ("variance", &sensitivity.variance, |p| &mut p.variance),
            ("covariance", &sensitivity.covariance, |p| &mut p.covariance),
        ];
        for (name, derivative, part) in parts {
            for j in 0..prediction.points() {
                for m in 0..prediction.levels() {
                    let at = |step: f64| {
                        let mut moved = prediction.clone();
                        part(&mut moved)[(m, j)] += step;
                        scalar(&moved)
                    };
                    let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let error = (derivative[(m, j)] - numeric).abs();
                    assert!(error < 1e-7 * (1.0 + numeric.abs()), "{name} ({m}, {j}): {error:e}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{every_model, example_history, example_points, stream};
    use std::sync::Arc;

    fn posteriors(model: usize) -> Vec<Posterior> {
        let surrogate = Arc::new(every_model().remove(model));
        let mut stream = stream(9);
        (0..3)
            .map(|_| {
                let theta =
                    (0..surrogate.parameter_count()).map(|_| 0.5 * stream.normal()).collect();
                Posterior::new(Arc::clone(&surrogate), theta, example_history(8, 2, 3)).unwrap()
            })
            .collect()
    }

    fn criteria() -> Vec<Criterion> {
        use OptimumGain::{Corrected, Gibbon, Mes, Noisy, Printed};
        let mut all = Vec::new();
        for optimum in [Printed, Corrected, Noisy, Gibbon, Mes] {
            for transfer in [TransferGain::Printed, TransferGain::Noisy, TransferGain::Exact] {
                all.push(Criterion { optimum, transfer, optimum_weight: 1.0, beta: 0.7 });
            }
        }
        all.push(Criterion { optimum_weight: 0.0, ..all[0] });
        all.push(Criterion { beta: 0.0, ..all[0] });
        all
    }

    const WEIGHTS: [f64; 3] = [0.2, 0.5, 0.3];

    #[test]
    fn gradients_by_the_point_agree_with_finite_differences() {
        let max_values = vec![vec![1.0, 2.0], vec![1.5, 0.8], vec![2.5, 3.0]];
        let points = example_points(4, 2);
        let levels = [0, 1, 2, 2];
        for model in 0..4 {
            let posteriors = posteriors(model);
            for criterion in criteria() {
                let acquisition =
                    Acquisition::new(criterion, &posteriors, &WEIGHTS, &max_values).unwrap();
                let (values, gradient) =
                    acquisition.worth_and_gradient(points.as_ref(), &levels).unwrap();
                let nats = acquisition.nats(points.as_ref()).unwrap();
                for j in 0..4 {
                    let at = (levels[j], j);
                    let sum = criterion.optimum_weight * nats.optimum[at]
                        + criterion.beta * nats.transfer[at];
                    assert!((values[j] - sum).abs() < 1e-12);
                    for i in 0..2 {
                        let moved_by = |step: f64| {
                            let mut moved = points.clone();
                            moved[(i, j)] += step;
                            let result = acquisition.worth_and_gradient(moved.as_ref(), &levels);
                            result.unwrap().0[j]
                        };
                        let numeric = (moved_by(1e-5) - moved_by(-1e-5)) / 2e-5;
                        let error = (gradient[(i, j)] - numeric).abs();
                        assert!(error < 2e-7 * (1.0 + numeric.abs()), "{criterion:?}: {error:e}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_same_bits_at_one_and_two_threads() {
        let posteriors = posteriors(0);
        let max_values = vec![vec![1.0, 2.0]; 3];
        let criterion = criteria()[11];
        let acquisition = Acquisition::new(criterion, &posteriors, &WEIGHTS, &max_values).unwrap();
        let points = example_points(300, 2);
        let run = |threads| {
            parallel::with_threads(threads, || {
                let nats = acquisition.nats(points.as_ref()).unwrap();
                let levels = vec![1; 300];
                (nats, acquisition.worth_and_gradient(points.as_ref(), &levels).unwrap())
            })
        };
        assert_eq!(run(1), run(2));
    }

    #[test]
    fn misfits_are_refused() {
        let posteriors = posteriors(0);
        let criterion = criteria()[0];
        assert!(Acquisition::new(criterion, &posteriors, &[1.0], &[]).is_err());
        let bad = vec![vec![f64::NAN]; 3];
        assert!(Acquisition::new(criterion, &posteriors, &WEIGHTS, &bad).is_err());
        let max_values = vec![vec![1.0]; 3];
        let acquisition = Acquisition::new(criterion, &posteriors, &WEIGHTS, &max_values).unwrap();
        assert!(acquisition.nats(example_points(2, 3).as_ref()).is_err());
        assert!(acquisition.worth_and_gradient(example_points(2, 2).as_ref(), &[0]).is_err());
    }
}
