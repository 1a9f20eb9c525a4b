//! Priors over `theta`: a Gaussian with independent entries, or the kernel density of earlier
//! particles, `p_n(theta) = sum_v w_v N(theta; theta_v, b I)` (Sec. IV-B, A6).

use super::particles::Particles;
use crate::Error;
use crate::error::{Result, all_finite, same_size};
use baton_numerics::random::Stream;
use baton_numerics::vector::{add_scaled, pull_to_mean, squared_distance};

/// Independent normal entries.
#[derive(Debug, Clone, PartialEq)]
pub struct GaussianPrior {
    mean: Vec<f64>,
    variance: Vec<f64>,
    /// 1 / deviation, and the log of the density at the mean: a logarithm per entry and call would
    /// cost more than all the rest of an SVGD step
    root_precision: Vec<f64>,
    log_peak: f64,
}

/// Equal isotropic normals around earlier particles.
#[derive(Debug, Clone, PartialEq)]
pub struct MixturePrior {
    centres: Particles,
    variance: f64,
}

/// What is believed of `theta` before a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Prior {
    /// before the first task
    Gaussian(GaussianPrior),
    /// after it
    Mixture(MixturePrior),
}

impl GaussianPrior {
    /// Means and variances, one of each per entry.
    ///
    /// # Errors
    /// If the lengths differ, a number is not finite, or a variance is not positive.
    pub fn new(mean: Vec<f64>, variance: Vec<f64>) -> Result<Self> {
        same_size("variances of the prior", mean.len(), variance.len())?;
        all_finite("mean of the prior", &mean)?;
        variance.iter().try_for_each(|v| check_variance(*v))?;
        let log_peak = variance.iter().map(|v| -0.5 * (2.0 * std::f64::consts::PI * v).ln()).sum();
        let root_precision = variance.iter().map(|v| 1.0 / v.sqrt()).collect();
        Ok(Self { mean, variance, root_precision, log_peak })
    }

    /// The paper's `N(0, variance I)`.
    ///
    /// # Errors
    /// If the variance is not positive and finite.
    pub fn isotropic(dimension: usize, variance: f64) -> Result<Self> {
        Self::new(vec![0.0; dimension], vec![variance; dimension])
    }

    /// The most probable point.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    fn add_log_density(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let squared = pull_to_mean(gradient, theta, &self.mean, &self.root_precision);
        self.log_peak - 0.5 * squared
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let entries = self.mean.iter().zip(&self.variance);
        entries.map(|(mean, variance)| mean + variance.sqrt() * stream.normal()).collect()
    }
}

impl MixturePrior {
    /// A normal of this variance around every particle.
    ///
    /// # Errors
    /// If the variance is not positive and finite.
    pub fn new(centres: Particles, variance: f64) -> Result<Self> {
        check_variance(variance)?;
        Ok(Self { centres, variance })
    }

    fn add_log_density(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let centres = self.centres.thetas();
        let logs: Vec<f64> = centres
            .iter()
            .zip(self.centres.weights())
            .map(|(centre, weight)| {
                let squared = squared_distance(theta, centre);
                weight.ln() - 0.5 * squared / self.variance
            })
            .collect();
        let most = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares: Vec<f64> = logs.iter().map(|log| (log - most).exp()).collect();
        let total: f64 = shares.iter().sum();
        for (centre, share) in centres.iter().zip(&shares) {
            let pull = share / total / self.variance;
            add_scaled(gradient, centre, pull);
            add_scaled(gradient, theta, -pull);
        }
        let constant = 0.5 * theta.len() as f64 * (2.0 * std::f64::consts::PI * self.variance).ln();
        most + total.ln() - constant
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let centre = &self.centres.thetas()[self.centres.pick(stream.uniform())];
        centre.iter().map(|c| c + self.variance.sqrt() * stream.normal()).collect()
    }
}

impl Prior {
    /// Length of `theta`.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Gaussian(prior) => prior.mean.len(),
            Self::Mixture(prior) => prior.centres.dimension(),
        }
    }

    /// The log density at `theta`; its gradient is added to `gradient`.
    ///
    /// # Errors
    /// If a length does not fit.
    pub fn add_log_density(&self, theta: &[f64], gradient: &mut [f64]) -> Result<f64> {
        same_size("parameters of the prior", self.dimension(), theta.len())?;
        same_size("entries of the gradient", self.dimension(), gradient.len())?;
        Ok(match self {
            Self::Gaussian(prior) => prior.add_log_density(theta, gradient),
            Self::Mixture(prior) => prior.add_log_density(theta, gradient),
        })
    }

    /// One random draw.
    pub fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        match self {
            Self::Gaussian(prior) => prior.draw(stream),
            Self::Mixture(prior) => prior.draw(stream),
        }
    }
}

fn check_variance(value: f64) -> Result<()> {
    if value.is_finite() && value > 0.0 {
        return Ok(());
    }
    let must = "positive and finite";
    Err(Error::OutOfRange { what: "variance of the prior", value, must })
}
