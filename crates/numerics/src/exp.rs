//! The exponential over slices.
//!
//! The argument is split as `x = k log 2 + s`, `|s| <= log 2 / 2`; `expm1(s)` is a Taylor polynomial
//! whose remainder is below 1e-17, and `exp(x) = 2^k (1 + expm1(s))`. Without branches, so the
//! compiler vectorises it; a version for each instruction set is chosen at run time. All versions
//! use fused multiply-add and give the same bits. Within 2 units in the last place of the exact
//! value for arguments between -708 and 709; below that zero, above that infinity is returned.

use multiversion::multiversion;

/// Below this the result is no normal number and zero is returned.
const UNDERFLOW: f64 = -708.0;
/// Above this the result is infinite.
const OVERFLOW: f64 = 709.0;
/// Adding and taking away 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
const LOG2_HIGH: f64 = 0.693_147_180_369_123_8;
const LOG2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Replaces every value by its exponential. NaN stays NaN.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn exp_in_place(values: &mut [f64]) {
    for value in values {
        *value = exp(*value);
    }
}

/// The same function of one number.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
pub fn exp(x: f64) -> f64 {
    // Not `clamp` or `max`: those would hide NaN.
    let low = if x < UNDERFLOW { UNDERFLOW } else { x };
    let inside = if low > OVERFLOW { OVERFLOW } else { low };
    let (power, rest) = split(inside);
    let value = power.mul_add(rest, power);
    let value = if x < UNDERFLOW { 0.0 } else { value };
    if x > OVERFLOW { f64::INFINITY } else { value }
}

/// `(2^k, expm1(s))` with `x = k log 2 + s`, for `x` within the range of the exponential.
#[inline(always)]
#[allow(clippy::inline_always)]
pub(crate) fn split(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(std::f64::consts::LOG2_E, ROUNDING);
    let k = shifted - ROUNDING;
    let s = k.mul_add(-LOG2_LOW, k.mul_add(-LOG2_HIGH, x));
    // The low bits of `shifted` hold k; adding the exponent bias and shifting them up gives 2^k.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    (power, expm1_polynomial(s))
}

#[inline(always)]
#[allow(clippy::inline_always)]
fn expm1_polynomial(s: f64) -> f64 {
    const INVERSE_FACTORIALS: [f64; 12] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
    ];
    let mut sum = INVERSE_FACTORIALS[0];
    for coefficient in &INVERSE_FACTORIALS[1..] {
        sum = sum.mul_add(s, *coefficient);
    }
    (sum * s).mul_add(s, s)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library_to_two_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for i in 0..400_000 {
            let x = f64::from(i) * 0.0035 - 700.0;
            let exact = x.exp();
            worst = worst.max((exp(x) - exact).abs() / (exact * f64::EPSILON));
        }
        assert!(worst <= 2.0, "{worst} ulp");
    }

    #[test]
    fn the_ends_of_the_range_are_kept() {
        assert_eq!((exp(0.0), exp(-1e300), exp(f64::NEG_INFINITY)), (1.0, 0.0, 0.0));
        assert_eq!((exp(710.0), exp(f64::INFINITY)), (f64::INFINITY, f64::INFINITY));
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn a_slice_gives_the_same_bits_as_one_number() {
        let mut values: Vec<f64> = (0..1003).map(|i| f64::from(i) * 0.1 - 50.0).collect();
        let one_by_one: Vec<f64> = values.iter().map(|x| exp(*x)).collect();
        exp_in_place(&mut values);
        assert_eq!(values, one_by_one);
    }
}
