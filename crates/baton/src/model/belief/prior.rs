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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::stream;

    fn priors() -> Vec<Prior> {
        let gaussian = GaussianPrior::new(vec![0.3, -1.0], vec![0.5, 2.0]).unwrap();
        let thetas = vec![vec![0.1, 0.2], vec![1.4, -0.3], vec![0.0, 1.0]];
        let centres = Particles::weighted(thetas, &[1.0, 2.0, 0.5]).unwrap();
        let mixture = MixturePrior::new(centres, 0.4).unwrap();
        vec![Prior::Gaussian(gaussian), Prior::Mixture(mixture)]
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        for prior in priors() {
            let theta = [0.7, 0.1];
            let mut gradient = [0.0; 2];
            prior.add_log_density(&theta, &mut gradient).unwrap();
            for i in 0..2 {
                let at = |step: f64| {
                    let mut moved = theta;
                    moved[i] += step;
                    prior.add_log_density(&moved, &mut [0.0; 2]).unwrap()
                };
                let numeric = (at(1e-6) - at(-1e-6)) / 2e-6;
                assert!((gradient[i] - numeric).abs() < 1e-8, "{prior:?}");
            }
        }
    }

    #[test]
    fn densities_integrate_to_one() {
        for prior in priors() {
            let mut total = 0.0;
            for i in 0..200 {
                for j in 0..200 {
                    let theta = [f64::from(i) * 0.1 - 10.0, f64::from(j) * 0.1 - 10.0];
                    total += prior.add_log_density(&theta, &mut [0.0; 2]).unwrap().exp() * 0.01;
                }
            }
            assert!((total - 1.0).abs() < 1e-6, "{total}");
        }
    }

    #[test]
    fn draws_have_the_mean_of_the_density() {
        let expected = [[0.3, -1.0], [(0.1 + 2.0 * 1.4) / 3.5, (0.2 - 0.6 + 0.5) / 3.5]];
        for (prior, mean) in priors().iter().zip(expected) {
            let mut stream = stream(4);
            let draws: Vec<Vec<f64>> = (0..20_000).map(|_| prior.draw(&mut stream)).collect();
            for (i, expected) in mean.iter().enumerate() {
                let average = draws.iter().map(|d| d[i]).sum::<f64>() / 20_000.0;
                assert!((average - expected).abs() < 0.05, "{average} {expected}");
            }
        }
    }

    #[test]
    fn far_away_the_mixture_still_has_a_gradient() {
        let mut gradient = [0.0; 2];
        let value = priors()[1].add_log_density(&[1e3, -1e3], &mut gradient).unwrap();
        assert!(value.is_finite() && gradient.iter().all(|g| g.is_finite() && *g != 0.0));
        assert!(GaussianPrior::isotropic(2, 0.0).is_err());
    }
}
