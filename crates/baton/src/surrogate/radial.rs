//! Radial profiles: covariance as a function of the squared distance `q` between features.
//!
//! | profile | `g(q)` | `g'(q)` |
//! |---|---|---|
//! | Gaussian of rate `c` | `exp(-c q)` | `-c exp(-c q)` |
//! | Matern-5/2, `r = sqrt(5 q)` | `(1 + r + r^2/3) exp(-r)` | `-(5/6) (1 + r) exp(-r)` |

use baton_numerics::exp::exp_in_place;

/// A decreasing function of the squared distance with `g(0) = 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Radial {
    /// `exp(-rate q)`
    Gaussian { rate: f64 },
    /// Matern with smoothness 5/2
    Matern52,
}

impl Radial {
    /// Replaces every squared distance by `scale g(q)` and writes `scale g'(q)` beside it.
    pub(super) fn apply(self, scale: f64, squared: &mut [f64], slopes: &mut [f64]) {
        match self {
            Self::Gaussian { rate } => {
                for q in squared.iter_mut() {
                    *q *= -rate;
                }
                exp_in_place(squared);
                for (value, slope) in squared.iter_mut().zip(slopes) {
                    *value *= scale;
                    *slope = -rate * *value;
                }
            }
            Self::Matern52 => {
                // The slopes hold exp(-r) for a while.
                for (q, slope) in squared.iter_mut().zip(slopes.iter_mut()) {
                    *q = (5.0 * *q).sqrt();
                    *slope = -*q;
                }
                exp_in_place(slopes);
                for (value, slope) in squared.iter_mut().zip(slopes) {
                    // r may be infinite, and infinity times zero is NaN
                    let r = if *slope == 0.0 { 0.0 } else { *value };
                    let decay = scale * *slope;
                    *value = (1.0 + r + r * r / 3.0) * decay;
                    *slope = -5.0 / 6.0 * (1.0 + r) * decay;
                }
            }
        }
    }

    /// `g'(0)`.
    pub(super) fn slope_at_zero(self) -> f64 {
        match self {
            Self::Gaussian { rate } => -rate,
            Self::Matern52 => -5.0 / 6.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value_and_slope(radial: Radial, q: f64) -> (f64, f64) {
        let (mut value, mut slope) = ([q], [0.0]);
        radial.apply(1.0, &mut value, &mut slope);
        (value[0], slope[0])
    }

    #[test]
    fn slopes_agree_with_finite_differences() {
        for radial in [Radial::Gaussian { rate: 0.5 }, Radial::Matern52] {
            for q in [1e-3, 0.1, 1.0, 7.0] {
                let step = 1e-6 * q;
                let (up, _) = value_and_slope(radial, q + step);
                let (down, _) = value_and_slope(radial, q - step);
                let (_, slope) = value_and_slope(radial, q);
                let numeric = (up - down) / (2.0 * step);
                assert!((slope - numeric).abs() < 1e-7 * (1.0 + numeric.abs()), "{radial:?} {q}");
            }
            assert_eq!(value_and_slope(radial, 0.0), (1.0, radial.slope_at_zero()));
            assert_eq!(value_and_slope(radial, f64::INFINITY), (0.0, 0.0));
        }
    }
}
