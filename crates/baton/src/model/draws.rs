//! Draws of `theta` around its modes, by Laplace's approximation: what one fitted `theta` leaves open.
//!
//! Around a mode, in units of the prior's deviations, `theta` is normal with precision `1 + H`, with `H` the
//! curvature of the negative log evidence; where that is negative, the prior alone holds. A mode's share is
//! its density times the volume of that normal. What later tasks have no use for, the place of the
//! shared function in this one, stays as it was fitted.

use super::belief::{LogDensity, LogPosterior, MapFit};
use super::laplace::curvature_matrix;
use super::priors::Normal;
use super::surrogate::EvidenceScratch;
use crate::error::{Error, Result};
use baton_numerics::Mat;
use baton_numerics::random::Stream;

/// A draw may be less probable than the mode by what the approximation says, times this,
const FALL: f64 = 2.0;
/// plus so many nats. Beyond, the approximation does not hold there.
const SLACK: f64 = 2.0;
/// So often a draw is taken back half of its way, then all of it.
const HALVINGS: usize = 5;

/// A mode with the normal around it.
pub(super) struct Around {
    mode: MapFit,
    /// standard deviations in the directions of their columns
    axes: Mat<f64>,
    /// log of the share of the prior's volume that is left
    log_volume: f64,
}

impl Around {
    /// By the curvature there.
    pub(super) fn mode(
        posterior: &LogPosterior<'_>,
        prior: &[Normal],
        mode: MapFit,
    ) -> Result<Self> {
        let LogPosterior { surrogate, history, .. } = *posterior;
        let count = surrogate.parameter_count() - surrogate.drift_range().len();
        let curvature = curvature_matrix(surrogate, &mode.theta, history, count)?;
        let deviation = |i: usize| prior[i].1;
        let white = Mat::from_fn(count, count, |i, j| {
            0.5 * deviation(i) * deviation(j) * (curvature[(i, j)] + curvature[(j, i)])
        });
        let failed = Error::Overflow { what: "curvature of the evidence", value: f64::NAN };
        if white.col_iter().any(|column| column.iter().any(|entry| !entry.is_finite())) {
            return Err(failed);
        }
        let eigen = white.self_adjoint_eigen(faer::Side::Lower).map_err(|_| failed)?;
        let left: Vec<f64> =
            (0..count).map(|j| (1.0 + eigen.S()[j].max(0.0)).recip().sqrt()).collect();
        let directions = eigen.U();
        let axes = Mat::from_fn(count, count, |i, j| deviation(i) * directions[(i, j)] * left[j]);
        let log_volume = left.iter().map(|share| share.ln()).sum();
        Ok(Self { mode, axes, log_volume })
    }

    /// Log of its share, up to a constant.
    pub(super) fn log_share(&self) -> f64 {
        self.mode.log_density + self.log_volume
    }

    /// A draw, or as much of its way from the mode as the approximation holds.
    pub(super) fn draw(&self, posterior: &LogPosterior<'_>, stream: &mut Stream) -> Vec<f64> {
        let count = self.axes.ncols();
        let normals: Vec<f64> = (0..count).map(|_| stream.normal()).collect();
        let squared: f64 = normals.iter().map(|z| z * z).sum();
        let along = |i: usize| (0..count).map(|j| self.axes[(i, j)] * normals[j]).sum::<f64>();
        let way: Vec<f64> = (0..count).map(along).collect();
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let mut theta = self.mode.theta.clone();
            for (entry, by) in theta.iter_mut().zip(&way) {
                *entry += share * by;
            }
            let mut slope = vec![0.0; theta.len()];
            let there = posterior.log_density(&theta, &mut slope, &mut EvidenceScratch::default());
            let lowest = self.mode.log_density - FALL * 0.5 * share * share * squared - SLACK;
            if there.is_ok_and(|log_density| log_density >= lowest) {
                return theta;
            }
            share *= 0.5;
        }
        self.mode.theta.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{every_model, example_history, stream};
    use crate::model::{Prior, priors::density};

    /// Draws around a place of the first model with a sound gradient.
    fn around(first: f64) -> Result<Vec<Vec<f64>>> {
        let surrogate = every_model().remove(1);
        let history = example_history(8, surrogate.dimension(), surrogate.levels());
        let prior: Vec<Normal> = vec![(0.0, 0.8); surrogate.parameter_count()];
        let normal = Prior::Gaussian(density(&prior)?);
        let posterior = LogPosterior { surrogate: &surrogate, history: &history, prior: &normal };
        let mut theta = vec![0.3; surrogate.parameter_count()];
        theta[0] = first;
        let mut slope = vec![0.0; theta.len()];
        let log_density =
            posterior.log_density(&theta, &mut slope, &mut EvidenceScratch::default())?;
        let around = Around::mode(&posterior, &prior, MapFit { theta, log_density })?;
        Ok((0..16).map(|lane| around.draw(&posterior, &mut stream(lane))).collect())
    }

    #[test]
    fn draws_around_no_mode_are_as_probable_as_they_claim() {
        let draws = around(3.0).unwrap();
        assert!(draws.iter().flatten().all(|entry| entry.is_finite() && entry.abs() < 10.0));
        assert!(draws.windows(2).all(|pair| pair[0] != pair[1]));
    }

    #[test]
    fn where_the_evidence_cannot_be_had_there_are_none() {
        assert!(around(f64::NAN).is_err());
    }
}
