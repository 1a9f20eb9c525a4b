//! The posterior mean where all constraints are likely enough to hold: what the incumbent
//! maximises under constraints.
//!
//! Where they are not, the mean is lowered by how much the logarithm of their probability falls short: a
//! little beyond what is asked for, so that an ascent, which stops where both slopes cancel, ends inside.
//! Where nothing is likely enough, that is what is climbed.

use super::criterion::Objective;
use super::feasible_gain::log_feasibility;
use super::posterior_mean::PosteriorMean;
use crate::error::Result;
use crate::model::{Posterior, Prediction, Sensitivity};
use baton_numerics::{Mat, MatRef, Table};

/// In units of the surrogate, by nat that is missing.
const STRENGTH: f64 = 1e3;
/// Nats beyond what is asked for.
const MARGIN: f64 = 0.01;
/// Where even the logarithm knows no difference.
const MOST: f64 = 1e100;

/// The posterior mean of the objective, and the quantities that have to keep bounds.
#[derive(Debug, Clone, Copy)]
pub struct FeasibleMean<'a> {
    /// of the objective
    pub mean: PosteriorMean<'a>,
    /// of each quantity
    pub limits: &'a [&'a Posterior],
    /// between which values of the process each keeps its bounds
    pub bounds: &'a [(f64, f64)],
    /// how likely they have to be to hold, all together
    pub enough: f64,
}

impl FeasibleMean<'_> {
    /// How likely all constraints are to hold at each point, as a logarithm: where none can hold, points
    /// still differ in it.
    ///
    /// # Errors
    /// If the points do not fit.
    pub fn log_feasibility(&self, points: MatRef<'_, f64>) -> Result<Vec<f64>> {
        let all = self.limits.iter().map(|limit| limit.predict(points));
        let all = all.collect::<Result<Vec<Prediction>>>()?;
        let all: Vec<&Prediction> = all.iter().collect();
        Ok((0..points.ncols()).map(|j| log_feasibility(&all, self.bounds, j)).collect())
    }

    /// How far beyond their bounds the quantities are expected to lie, in units of the surrogate.
    ///
    /// # Errors
    /// If the points do not fit.
    pub fn violation(&self, points: MatRef<'_, f64>) -> Result<Vec<f64>> {
        let mut sums = vec![0.0; points.ncols()];
        for (limit, (low, high)) in self.limits.iter().zip(self.bounds) {
            let prediction = limit.predict(points)?;
            for (j, sum) in sums.iter_mut().enumerate() {
                let mean = prediction.mean[(prediction.levels() - 1, j)];
                *sum += (mean - mean.max(*low).min(*high)).abs();
            }
        }
        Ok(sums)
    }

    /// What is missing, in nats.
    fn short(&self, log_feasibility: f64) -> f64 {
        let wanted = (self.enough.ln() + MARGIN).min(-1e-4);
        (wanted - log_feasibility).clamp(0.0, MOST)
    }
}

/// What it takes off the mean, and the slope of that.
fn penalty(short: f64) -> (f64, f64) {
    let one = 1.0 + short;
    (STRENGTH * short * short / one, STRENGTH * short * (2.0 + short) / (one * one))
}

impl Objective for FeasibleMean<'_> {
    fn worth(&self, points: MatRef<'_, f64>) -> Result<Table> {
        let mut worth = self.mean.worth(points)?;
        let all = self.limits.iter().map(|limit| limit.predict(points));
        let all = all.collect::<Result<Vec<Prediction>>>()?;
        let all: Vec<&Prediction> = all.iter().collect();
        for j in 0..points.ncols() {
            let (lost, _) = penalty(self.short(log_feasibility(&all, self.bounds, j)));
            for level in 0..worth.nrows() {
                worth[(level, j)] -= lost;
            }
        }
        Ok(worth)
    }

    fn worth_and_gradient(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<(Vec<f64>, Mat<f64>)> {
        let (mut values, mut gradient) = self.mean.worth_and_gradient(points, levels)?;
        let traces = self.limits.iter().map(|limit| {
            let top = vec![limit.surrogate().levels() - 1; points.ncols()];
            limit.trace(points, &top, false)
        });
        let traces = traces.collect::<Result<Vec<_>>>()?;
        let all: Vec<&Prediction> = traces.iter().map(|trace| &trace.prediction).collect();
        let mut slopes = vec![0.0; values.len()];
        for (j, value) in values.iter_mut().enumerate() {
            let (lost, slope) = penalty(self.short(log_feasibility(&all, self.bounds, j)));
            (*value, slopes[j]) = (*value - lost, slope);
        }
        for (trace, (low, high)) in traces.iter().zip(self.bounds) {
            let mut sensitivity = Sensitivity::zeros(1, points.ncols());
            for (j, slope) in slopes.iter().enumerate().filter(|(_, slope)| **slope != 0.0) {
                let (mean, variance) =
                    (trace.prediction.mean[(0, j)], trace.prediction.variance[(0, j)]);
                let deviation = variance.sqrt();
                let (a, b) = ((low - mean) / deviation, (high - mean) / deviation);
                let (by_low, by_high) =
                    super::truncated::Truncated::between(a, b).by_ends(1.0, 0.0, 0.0);
                let along = |end: f64, by: f64| if by == 0.0 { 0.0 } else { end * by };
                sensitivity.mean[(0, j)] = -slope * (by_low + by_high) / deviation;
                sensitivity.variance[(0, j)] =
                    -0.5 * slope * (along(a, by_low) + along(b, by_high)) / variance;
            }
            gradient += trace.pull_back(&sensitivity)?;
        }
        Ok((values, gradient))
    }
}
