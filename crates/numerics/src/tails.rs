//! The tails of [`crate::normal`] over whole slices, for candidates by the hundred.
//!
//! With `x = |z| / sqrt 2`, `(1 + 2 x) erfcx(x)` is so smooth a function of `(x - K) / (x + K)` that
//! a polynomial of 28 terms gives it to full precision (the substitution is that of
//! Shepherd and Laframboise, Math. Comp. 36, 1981; the coefficients are those of a Chebyshev sum and
//! computed at the first call). Divisions cost most, so that quotients are put together first.
//! Without branches, so the compiler vectorises it. Within 1e-12 of the functions of one number.

use crate::exp::exp;
use crate::normal::Tail;
use crate::vector::{LANES, add_scaled};
use errorfunctions::RealErrorFunctions;
use multiversion::multiversion;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_2_SQRT_PI, PI};
use std::sync::LazyLock;

const TERMS: usize = 28;
const K: f64 = 3.75;
/// `1 / sqrt(2 pi)`
const PEAK: f64 = 0.5 * FRAC_2_SQRT_PI * FRAC_1_SQRT_2;
/// Left of this the direct form begins to lose digits.
const FAR_LEFT: f64 = -5.0;
/// Factors of a product, each above 0.2, before its logarithm is taken.
const FACTORS: usize = 64;

/// Coefficients of the powers of `t`.
static COEFFICIENTS: LazyLock<[f64; TERMS]> = LazyLock::new(|| {
    const NODES: usize = 2 * TERMS;
    let angle = |i: usize| PI * (i as f64 + 0.5) / NODES as f64;
    let value = |i: usize| {
        let t = angle(i).cos();
        let x = K * (1.0 + t) / (1.0 - t);
        (1.0 + 2.0 * x) * x.erfcx()
    };
    let values: Vec<f64> = (0..NODES).map(value).collect();
    let mut powers = [0.0; TERMS];
    // T_0 = 1, T_1 = t, T_k+1 = 2 t T_k - T_k-1: all coefficients are integers below 2^53.
    let (mut this, mut before) = ([0.0; TERMS], [0.0; TERMS]);
    this[0] = 1.0;
    for k in 0..TERMS {
        let term = |(i, value): (usize, &f64)| value * (k as f64 * angle(i)).cos();
        let sum: f64 = values.iter().enumerate().map(term).sum();
        let weight = sum * if k == 0 { 1.0 } else { 2.0 } / NODES as f64;
        add_scaled(&mut powers, &this, weight);
        let factor = if k == 0 { 1.0 } else { 2.0 };
        let next = std::array::from_fn(|i| {
            let shifted = if i == 0 { 0.0 } else { this[i - 1] };
            factor * shifted - before[i]
        });
        (this, before) = (next, this);
    }
    powers
});

/// `(1 + 2 x) erfcx(x)` for `x >= 0`.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn scaled_erfcx(coefficients: &[f64; TERMS], x: f64) -> f64 {
    let t = (x - K) / (x + K);
    let square = t * t;
    // Even and odd powers by themselves: two short chains instead of a long one.
    let (mut even, mut odd) = (0.0, 0.0);
    for pair in coefficients.as_chunks::<2>().0.iter().rev() {
        even = square.mul_add(even, pair[0]);
        odd = square.mul_add(odd, pair[1]);
    }
    t.mul_add(odd, even)
}

/// Replaces every `z` by `r (z + r)`, [`Tail::variance_lost`].
pub fn variance_lost(values: &mut [f64]) {
    const STRIP: usize = 128;
    let mut kept = [0.0; STRIP];
    for strip in values.chunks_mut(STRIP) {
        let kept = &mut kept[..strip.len()];
        kept.copy_from_slice(strip);
        variance_lost_near(&COEFFICIENTS, strip);
        for (value, z) in strip.iter_mut().zip(kept).filter(|(_, z)| **z < FAR_LEFT) {
            *value = Tail::at(*z).variance_lost;
        }
    }
}

/// `r (z + r)` of every `z`, and its slopes `r (1 - r (z + r) - (z + r)^2)`; all of one length.
pub fn variance_lost_and_slope(zs: &[f64], lost: &mut [f64], slopes: &mut [f64]) {
    variance_lost_and_slope_near(&COEFFICIENTS, zs, lost, slopes);
    let results = lost.iter_mut().zip(slopes);
    for (z, (lost, slope)) in zs.iter().zip(results).filter(|(z, _)| **z < FAR_LEFT) {
        let tail = Tail::at(*z);
        *lost = tail.variance_lost;
        *slope = tail.mills * (tail.variance_ratio - tail.excess * tail.excess);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn variance_lost_near(coefficients: &[f64; TERMS], values: &mut [f64]) {
    for value in values {
        let (z, mills) = mills_near(coefficients, *value);
        *value = mills * (z + mills);
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn variance_lost_and_slope_near(
    coefficients: &[f64; TERMS],
    zs: &[f64],
    lost: &mut [f64],
    slopes: &mut [f64],
) {
    for (z, (lost, slope)) in zs.iter().zip(lost.iter_mut().zip(slopes)) {
        let (z, mills) = mills_near(coefficients, *z);
        let excess = z + mills;
        *lost = mills * excess;
        *slope = mills * (1.0 - mills * excess - excess * excess);
    }
}

/// `r(z) = phi(z) / Phi(z)` for `z` not far left, and the `z` it belongs to.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn mills_near(coefficients: &[f64; TERMS], z: f64) -> (f64, f64) {
    // Farther out nothing is lost, and the product would be infinity times zero.
    let z = if z > 40.0 { 40.0 } else { z };
    let x = z.abs() * FRAC_1_SQRT_2;
    // erfcx(x) = scaled / stretch
    let (scaled, stretch) = (scaled_erfcx(coefficients, x), 1.0 + 2.0 * x);
    let decay = exp(-0.5 * z * z);
    let right = (PEAK * decay, stretch - 0.5 * decay * scaled);
    let left = (FRAC_2_PI.sqrt(), scaled);
    let (above, below) = if z < 0.0 { left } else { right };
    (z, above * stretch / below)
}

/// `sum log Phi(z_i)` and `sum r(z_i) / sigma_i` with `z_i = (y - mean_i) / sigma_i`, every
/// `z_i` above -0.7; deviations are given by their inverse.
pub fn log_cdf_sums(y: f64, means: &[f64], inverse_deviations: &[f64]) -> (f64, f64) {
    let (mut total, mut slope) = (0.0, 0.0);
    let blocks = means.chunks(LANES * FACTORS).zip(inverse_deviations.chunks(LANES * FACTORS));
    for (means, inverses) in blocks {
        let (products, slopes) = products_and_slopes(&COEFFICIENTS, y, means, inverses);
        // Eight factors of at least 0.2^64 do not underflow.
        total += products[..4].iter().product::<f64>().ln();
        total += products[4..].iter().product::<f64>().ln();
        slope += slopes.iter().sum::<f64>();
    }
    (total, slope)
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn products_and_slopes(
    coefficients: &[f64; TERMS],
    y: f64,
    means: &[f64],
    inverses: &[f64],
) -> ([f64; LANES], [f64; LANES]) {
    let (mut products, mut slopes) = ([1.0; LANES], [0.0; LANES]);
    let term = |mean: f64, inverse: f64| {
        let z = (y - mean) * inverse;
        let z = if z > 40.0 { 40.0 } else { z };
        let decay = exp(-0.5 * z * z);
        // erfcx of a slightly negative number by 2 exp(x^2) - erfcx(-x)
        let x = z.abs() * FRAC_1_SQRT_2;
        let positive = 0.5 * decay * scaled_erfcx(coefficients, x) / (1.0 + 2.0 * x);
        let upper = if z < 0.0 { 1.0 - positive } else { positive };
        let below = 1.0 - upper;
        (below, PEAK * decay / below * inverse)
    };
    let (long_means, rest_means) = means.as_chunks::<LANES>();
    let (long_inverses, rest_inverses) = inverses.as_chunks::<LANES>();
    for (means, inverses) in long_means.iter().zip(long_inverses) {
        for i in 0..LANES {
            let (below, slope) = term(means[i], inverses[i]);
            products[i] *= below;
            slopes[i] += slope;
        }
    }
    let (mut products, mut slopes) = std::hint::black_box((products, slopes));
    for (i, (mean, inverse)) in rest_means.iter().zip(rest_inverses).enumerate() {
        let (below, slope) = term(*mean, *inverse);
        products[i] *= below;
        slopes[i] += slope;
    }
    (products, slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_agree_with_single_numbers() {
        let zs: Vec<f64> = (0..4_001).map(|i| f64::from(i) * 0.02 - 40.0).collect();
        let mut lost = zs.clone();
        variance_lost(&mut lost);
        let (mut lost_too, mut slopes) = (zs.clone(), zs.clone());
        variance_lost_and_slope(&zs, &mut lost_too, &mut slopes);
        assert_eq!(lost, lost_too);
        for ((z, lost), slope) in zs.iter().zip(&lost).zip(&slopes) {
            let tail = Tail::at(*z);
            let exact = tail.variance_lost;
            assert!((lost - exact).abs() < 1e-12 * (1e-3 + exact), "{z}: {lost} {exact}");
            let exact = tail.mills * (tail.variance_ratio - tail.excess * tail.excess);
            // A difference of numbers up to 1.
            assert!((slope - exact).abs() < 1e-12, "{z}: {slope} {exact}");
        }
        let mut far = [f64::INFINITY, 1e300, f64::NEG_INFINITY, -1e300, f64::NAN];
        variance_lost(&mut far);
        assert_eq!(far[..4], [0.0, 0.0, 1.0, 1.0]);
        assert!(far[4].is_nan());
    }

    #[test]
    fn sums_agree_with_the_sum_of_single_logarithms() {
        for count in [1, 7, 8, 9, 500, 1100] {
            let means: Vec<f64> = (0..count).map(|i| -0.01 * f64::from(i % 300)).collect();
            let deviations: Vec<f64> = (0..count).map(|i| 0.5 + 0.01 * f64::from(i % 40)).collect();
            let inverses: Vec<f64> = deviations.iter().map(|sd| 1.0 / sd).collect();
            for y in [-0.3, 0.0, 1.0, 3.0, 60.0] {
                let (total, slope) = log_cdf_sums(y, &means, &inverses);
                let (mut log, mut by_y) = (0.0, 0.0);
                for (mean, sd) in means.iter().zip(&deviations) {
                    let z = (y - mean) / sd;
                    let tail = Tail::at(z);
                    log += tail.log_cdf(z);
                    by_y += tail.mills / sd;
                }
                assert!((total - log).abs() < 1e-12 * (1.0 + log.abs()), "{y}: {total} {log}");
                assert!((slope - by_y).abs() < 1e-12 * (1e-6 + by_y), "{y}: {slope} {by_y}");
            }
        }
    }
}
