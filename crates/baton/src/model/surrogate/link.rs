//! Observations seen through the link as observations of the process.
//!
//! With `z0` the posterior mean at an observation, its linearisation there is Laplace's
//! approximation; `z0` is found by repetition.

use super::evidence::Fitted;
use super::model::Surrogate;
use crate::error::Result;
use crate::problem::{FARTHEST, History, Link};

/// Changes are damped and limited, so that a far outlier does not throw the repetition off.
const DAMPING: f64 = 0.8;
const LARGEST_CHANGE: f64 = 0.7;
const SETTLED: f64 = 0.02;
const MOST_ROUNDS: usize = 8;

fn step(from: f64, to: f64) -> f64 {
    from + (DAMPING * (to - from)).clamp(-LARGEST_CHANGE, LARGEST_CHANGE)
}

impl Surrogate {
    /// Observations `u`, from number `first` on, as observations of `z` at this `theta`. Those before
    /// are of `z` already.
    ///
    /// # Errors
    /// If sizes do not fit, a number is not finite, or the covariance has no factor.
    pub fn linearised(&self, theta: &[f64], observed: &History, first: usize) -> Result<History> {
        let mut fitted = Fitted::default();
        self.linearised_by(observed, first, |history| {
            let noise = self.fit(theta, history, &mut fitted)?.noise;
            let mean = |i: usize| {
                let variance = history.noise_variance(i, noise[history.levels()[i]]);
                history.values()[i] - variance * fitted.weights()[i]
            };
            Ok((first..history.len()).map(mean).collect())
        })
    }

    /// The same with the posterior means at these observations as somebody computes them.
    ///
    /// # Errors
    /// Those of the means, and if a number is not finite.
    pub fn linearised_by(
        &self,
        observed: &History,
        first: usize,
        mut means: impl FnMut(&History) -> Result<Vec<f64>>,
    ) -> Result<History> {
        let link = self.settings().link;
        if link == Link::Identity || first >= observed.len() {
            return Ok(observed.clone());
        }
        let mut places: Vec<f64> = observed.values().iter().map(|u| link.invert(*u)).collect();
        let mut history = around(link, observed, first, &places)?;
        for _ in 0..MOST_ROUNDS {
            let mut largest: f64 = 0.0;
            for (place, mean) in places[first..].iter_mut().zip(means(&history)?) {
                let next = step(*place, mean).clamp(-FARTHEST, FARTHEST);
                largest = largest.max((next - *place).abs());
                *place = next;
            }
            history = around(link, observed, first, &places)?;
            if largest < SETTLED {
                break;
            }
        }
        Ok(history)
    }

    /// One more observation `u` of noise variance `noise` where `z` was predicted with this mean and
    /// variance: its value as one of `z` and the factor of its noise.
    pub fn linearised_once(&self, u: f64, noise: f64, mean: f64, variance: f64) -> (f64, f64) {
        let link = self.settings().link;
        // Among outliers of 1e12 scales the mean itself may lie where the link overflows.
        let mut place = mean.clamp(-FARTHEST, FARTHEST);
        for _ in 0..MOST_ROUNDS {
            let (value, factor) = link.linearised(u, place);
            let trust = variance / (variance + noise * factor).max(f64::MIN_POSITIVE);
            place = step(place, mean + trust * (value - mean)).clamp(-FARTHEST, FARTHEST);
        }
        link.linearised(u, place)
    }
}

fn around(link: Link, observed: &History, first: usize, places: &[f64]) -> Result<History> {
    let mut values = observed.values().to_vec();
    let mut factors = observed.noise_factors().to_vec();
    for i in first..observed.len() {
        (values[i], factors[i]) = link.linearised(observed.values()[i], places[i]);
    }
    observed.revalued(values, factors)
}

#[cfg(test)]
mod tests {
    use super::super::testing::stream;
    use super::super::{Earlier, FidelityKernel, InputKernel, Mean, Noise, SurrogateSettings};
    use super::*;

    fn surrogate() -> Surrogate {
        SurrogateSettings {
            dimension: 1,
            descriptors: 0,
            levels: 1,
            input: InputKernel::Rbf,
            fidelity: FidelityKernel::Linear,
            mean: Mean::Zero,
            noise: Noise::Known(vec![0.01]),
            earlier: Earlier::None,
            drifting: Vec::new(),
            link: Link::Sinh,
        }
        .check()
        .unwrap()
    }

    #[test]
    fn one_more_observation_is_finite_wherever_it_was_predicted() {
        let surrogate = surrogate();
        for mean in [0.0, 39.0, -41.0, 800.0, -1e8, 1e300] {
            for u in [0.0, -3.0, 1e25, -1e300] {
                for (noise, variance) in [(0.0, 0.0), (0.01, 1.0), (1e24, 1e-300)] {
                    let (value, factor) = surrogate.linearised_once(u, noise, mean, variance);
                    let shown = format!("{u} at {mean}: {value}, {factor}");
                    assert!(value.is_finite() && factor.is_finite() && factor >= 0.0, "{shown}");
                }
            }
        }
    }

    #[test]
    fn a_linearised_peak_is_found_again() {
        let surrogate = surrogate();
        let truth = |x: f64| 3.0 * (-(x - 0.5).powi(2) / 0.02).exp();
        let mut observed = History::new(1);
        let mut stream = stream(3);
        for i in 0..30 {
            let x = f64::from(i) / 29.0;
            observed.push(&[x], 0, truth(x).sinh() + 0.1 * stream.normal()).unwrap();
        }
        let theta = [0.15_f64.ln(), 4.0_f64.ln(), -3.0];
        let history = surrogate.linearised(&theta, &observed, 0).unwrap();
        let posterior =
            super::super::Posterior::new(std::sync::Arc::new(surrogate), theta.to_vec(), history)
                .unwrap();
        let points = baton_numerics::Mat::from_fn(1, 2, |_, j| [0.5, 0.1][j]);
        let prediction = posterior.predict(points.as_ref()).unwrap();
        assert!((prediction.mean[(0, 0)] - 3.0).abs() < 0.05, "{}", prediction.mean[(0, 0)]);
        assert!(prediction.mean[(0, 1)].abs() < 0.15);
        assert!(prediction.noise[(0, 0)] < 1e-3 && prediction.noise[(0, 1)] > 0.9e-2);
    }
}
