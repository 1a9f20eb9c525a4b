//! The link between the Gaussian process `z` and what is observed.
//!
//! | link | an observation is |
//! |---|---|
//! | identity | `z + noise` |
//! | sinh | `sinh z + noise`: a plain with peaks becomes gentle in `z` |
//!
//! Noise is added to what is observed, so near `z0` an observation `u` is one of `z` at
//! `z0 + (u - sinh z0) / cosh z0` with the noise variance divided by `cosh^2 z0`. With `z0` the
//! posterior mean there this is Laplace's approximation; `z0` is found by repetition.

use serde::{Deserialize, Serialize};

/// How the process becomes what is observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// as it is
    #[default]
    Identity,
    /// by the hyperbolic sine
    Sinh,
}

/// `z` beyond this would be values of 1e17 scales.
pub const FARTHEST: f64 = 40.0;

impl Link {
    /// Its name in files and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Sinh => "sinh",
        }
    }

    /// What `z` means, in the units of the observations.
    pub fn apply(self, z: f64) -> f64 {
        match self {
            Self::Identity => z,
            Self::Sinh => z.clamp(-FARTHEST, FARTHEST).sinh(),
        }
    }

    /// The `z` that is seen as `u` without noise.
    pub fn invert(self, u: f64) -> f64 {
        match self {
            Self::Identity => u,
            Self::Sinh => u.asinh().clamp(-FARTHEST, FARTHEST),
        }
    }

    /// An observation `u` near `z0` as one of `z`: its value, and by what its noise variance is to be
    /// multiplied.
    pub fn linearised(self, u: f64, z0: f64) -> (f64, f64) {
        match self {
            Self::Identity => (u, 1.0),
            Self::Sinh => {
                let slope = z0.cosh();
                (z0 + (u - z0.sinh()) / slope, 1.0 / (slope * slope))
            }
        }
    }

    /// By what the noise variance is to be multiplied at `z`, and the derivative of that by `z`.
    pub fn noise_factor(self, z: f64) -> (f64, f64) {
        match self {
            Self::Identity => (1.0, 0.0),
            Self::Sinh => {
                let z = z.clamp(-FARTHEST, FARTHEST);
                let factor = 1.0 / (z.cosh() * z.cosh());
                (factor, -2.0 * z.tanh() * factor)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_of_the_noise_agree_with_finite_differences() {
        for z in [-2.0, 0.0, 0.3, 4.0] {
            let at = |z: f64| Link::Sinh.noise_factor(z).0;
            let numeric = (at(z + 1e-6) - at(z - 1e-6)) / 2e-6;
            assert!((Link::Sinh.noise_factor(z).1 - numeric).abs() < 1e-8);
            assert!((Link::Sinh.invert(Link::Sinh.apply(z)) - z).abs() < 1e-12);
        }
    }
}
