//! Radial profiles: covariance as a function of the squared distance `q` between features.
//!
//! | profile | `g(q)` | `g'(q)` |
//! |---|---|---|
//! | Gaussian of rate `c` | `exp(-c q)` | `-c exp(-c q)` |
//! | Matern-5/2, `r = sqrt(5 q)` | `(1 + r + r^2/3) exp(-r)` | `-(5/6) (1 + r) exp(-r)` |
//! | mixed | `1 - a` times the first with `c = 1/2`, `a` times the second | |

use baton_numerics::exp::exp;
use baton_numerics::vector::in_whole_vectors;
use multiversion::multiversion;

/// A decreasing function of the squared distance with `g(0) = 1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Radial {
    /// `exp(-rate q)`
    Gaussian { rate: f64 },
    /// Matern with smoothness 5/2
    Matern52,
    /// `rough` of a Matern, the rest of a Gaussian with rate 1/2
    Mixed { rough: f64 },
}

/// Replaces every squared distance by `scale exp(-rate q)` and writes the slope beside it.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn gaussian(rate: f64, scale: f64, squared: &mut [f64], slopes: &mut [f64]) {
    for (q, slope) in squared.iter_mut().zip(slopes) {
        *q = scale * exp(-rate * *q);
        *slope = -rate * *q;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn matern52(scale: f64, squared: &mut [f64], slopes: &mut [f64]) {
    for (q, slope) in squared.iter_mut().zip(slopes) {
        let root = (5.0 * *q).sqrt();
        let decay = exp(-root);
        // r may be infinite, and infinity times zero is NaN
        let r = if decay == 0.0 { 0.0 } else { root };
        let decay = scale * decay;
        *q = (1.0 + r + r * r / 3.0) * decay;
        *slope = -5.0 / 6.0 * (1.0 + r) * decay;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn mixed(rough: f64, scale: f64, squared: &mut [f64], slopes: &mut [f64]) {
    for (q, slope) in squared.iter_mut().zip(slopes) {
        (*q, *slope, _) = mixture(rough, scale, *q);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn mixed_with_gaps(
    rough: f64,
    scale: f64,
    squared: &mut [f64],
    slopes: &mut [f64],
    gaps: &mut [f64],
) {
    for ((q, slope), gap) in squared.iter_mut().zip(slopes).zip(gaps) {
        (*q, *slope, *gap) = mixture(rough, scale, *q);
    }
}

/// Value, slope, and derivative by `rough` of a mixture.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn mixture(rough: f64, scale: f64, q: f64) -> (f64, f64, f64) {
    let root = (5.0 * q).sqrt();
    let decay = exp(-root);
    let r = if decay == 0.0 { 0.0 } else { root };
    let (matern, slope) = ((1.0 + r + r * r / 3.0) * decay, -5.0 / 6.0 * (1.0 + r) * decay);
    let (gaussian, smooth) = (exp(-0.5 * q), 1.0 - rough);
    (
        scale * (smooth * gaussian + rough * matern),
        scale * (rough * slope - 0.5 * smooth * gaussian),
        scale * (matern - gaussian),
    )
}

impl Radial {
    /// Replaces every squared distance by `scale g(q)` and writes `scale g'(q)` beside it.
    pub(super) fn apply(self, scale: f64, squared: &mut [f64], slopes: &mut [f64]) {
        in_whole_vectors([squared, slopes], |[squared, slopes]| match self {
            Self::Gaussian { rate } => gaussian(rate, scale, squared, slopes),
            Self::Matern52 => matern52(scale, squared, slopes),
            Self::Mixed { rough } => mixed(rough, scale, squared, slopes),
        });
    }

    /// Whether its roughness is a parameter.
    pub(super) fn is_mixed(self) -> bool {
        matches!(self, Self::Mixed { .. })
    }

    /// The same, and the derivatives of `scale g(q)` by its roughness.
    pub(super) fn apply_with_gaps(
        self,
        scale: f64,
        squared: &mut [f64],
        slopes: &mut [f64],
        gaps: &mut [f64],
    ) {
        if let Self::Mixed { rough } = self {
            in_whole_vectors([squared, slopes, gaps], |[squared, slopes, gaps]| {
                mixed_with_gaps(rough, scale, squared, slopes, gaps);
            });
        } else {
            self.apply(scale, squared, slopes);
            gaps.fill(0.0);
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
        let profiles = [
            (Radial::Gaussian { rate: 0.5 }, -0.5),
            (Radial::Matern52, -5.0 / 6.0),
            (Radial::Mixed { rough: 0.75 }, -0.75),
        ];
        for (radial, slope_at_zero) in profiles {
            for q in [1e-3, 0.1, 1.0, 7.0] {
                let step = 1e-6 * q;
                let (up, _) = value_and_slope(radial, q + step);
                let (down, _) = value_and_slope(radial, q - step);
                let (_, slope) = value_and_slope(radial, q);
                let numeric = (up - down) / (2.0 * step);
                assert!((slope - numeric).abs() < 1e-7 * (1.0 + numeric.abs()), "{radial:?} {q}");
            }
            assert_eq!(value_and_slope(radial, 0.0), (1.0, slope_at_zero));
            assert_eq!(value_and_slope(radial, f64::INFINITY), (0.0, 0.0));
        }
    }

    #[test]
    fn a_mixture_has_its_share_of_both_and_says_what_more_of_it_would_change() {
        for q in [0.0, 0.3, 4.0, f64::INFINITY] {
            let at = |rough: f64| value_and_slope(Radial::Mixed { rough }, q);
            let ends = [at(0.0), at(1.0)];
            let pure = [Radial::Gaussian { rate: 0.5 }, Radial::Matern52];
            for (end, radial) in ends.into_iter().zip(pure) {
                let (value, slope) = value_and_slope(radial, q);
                assert!((end.0 - value).abs() < 1e-15 && (end.1 - slope).abs() < 1e-15, "{q}");
            }
            let (mut value, mut slope, mut gap) = ([q], [0.0], [0.0]);
            Radial::Mixed { rough: 0.3 }.apply_with_gaps(2.0, &mut value, &mut slope, &mut gap);
            assert_eq!((0.5 * value[0], 0.5 * slope[0]), at(0.3));
            assert!((gap[0] - 2.0 * (ends[1].0 - ends[0].0)).abs() < 1e-15, "{q}");
            assert!((at(0.3).0 - (0.7 * ends[0].0 + 0.3 * ends[1].0)).abs() < 1e-15, "{q}");
        }
    }
}
