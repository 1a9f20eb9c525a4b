//! Radial profiles: covariance as a function of the squared distance `q` between features.
//!
//! | profile | `g(q)` | `g'(q)` |
//! |---|---|---|
//! | Gaussian of rate `c` | `exp(-c q)` | `-c exp(-c q)` |
//! | Matern-5/2, `r = sqrt(5 q)` | `(1 + r + r^2/3) exp(-r)` | `-(5/6) (1 + r) exp(-r)` |

/// A decreasing function of the squared distance with `g(0) = 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Radial {
    /// `exp(-rate q)`
    Gaussian { rate: f64 },
    /// Matern with smoothness 5/2
    Matern52,
}

impl Radial {
    /// `g(q)` and its derivative.
    pub(super) fn value_and_slope(self, q: f64) -> (f64, f64) {
        match self {
            Self::Gaussian { rate } => {
                let value = (-rate * q).exp();
                (value, -rate * value)
            }
            Self::Matern52 => {
                let r = (5.0 * q).sqrt();
                let decay = (-r).exp();
                if decay == 0.0 {
                    return (0.0, 0.0); // r may be infinite, and infinity times zero is NaN
                }
                ((1.0 + r + r * r / 3.0) * decay, -5.0 / 6.0 * (1.0 + r) * decay)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_agree_with_finite_differences() {
        for radial in [Radial::Gaussian { rate: 0.5 }, Radial::Matern52] {
            for q in [1e-3, 0.1, 1.0, 7.0] {
                let step = 1e-6 * q;
                let (up, _) = radial.value_and_slope(q + step);
                let (down, _) = radial.value_and_slope(q - step);
                let (_, slope) = radial.value_and_slope(q);
                let numeric = (up - down) / (2.0 * step);
                assert!((slope - numeric).abs() < 1e-7 * (1.0 + numeric.abs()), "{radial:?} {q}");
            }
            assert_eq!(radial.value_and_slope(0.0).0, 1.0);
            assert_eq!(radial.value_and_slope(f64::INFINITY), (0.0, 0.0));
        }
    }
}
