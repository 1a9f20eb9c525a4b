//! The hyperbolic tangent over slices, fast enough not to dominate the matrix product before it.
//!
//! `tanh x = e / (e + 2)` with `e = expm1(2 |x|)`. The argument is split as
//! `2 |x| = k log 2 + s`, `|s| <= log 2 / 2`; `expm1(s)` is a Taylor polynomial whose remainder is
//! below 1e-17, and `expm1(2 |x|) = 2^k expm1(s) + (2^k - 1)`. Without branches, so the compiler
//! vectorises it; a version for each instruction set is chosen at run time. All versions use fused
//! multiply-add and give the same bits. Within 3 units in the last place of the exact value.

use multiversion::multiversion;

/// Beyond this, tanh is 1 to the last bit.
const SATURATED: f64 = 20.0;
/// Adding and taking away 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
const LOG2_HIGH: f64 = 0.693_147_180_369_123_8;
const LOG2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Replaces every value by its hyperbolic tangent. NaN stays NaN.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn tanh_in_place(values: &mut [f64]) {
    for value in values {
        *value = tanh(*value);
    }
}

/// The same function of one number.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
pub fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    // Not `min`: that would turn NaN into 1.
    let clipped = if magnitude > SATURATED { SATURATED } else { magnitude };
    let doubled = 2.0 * clipped;
    let shifted = doubled.mul_add(std::f64::consts::LOG2_E, ROUNDING);
    let k = shifted - ROUNDING;
    let s = k.mul_add(-LOG2_LOW, k.mul_add(-LOG2_HIGH, doubled));
    // The low bits of `shifted` hold k; adding the exponent bias and shifting them up gives 2^k.
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    let e = power.mul_add(expm1_polynomial(s), power - 1.0);
    (e / (e + 2.0)).copysign(x)
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
    fn agrees_with_the_standard_library_to_three_units_in_the_last_place() {
        let mut worst: f64 = 0.0;
        for i in 0..400_000 {
            let x = (f64::from(i) / 10_000.0 - 20.0) * 1.1;
            let exact = x.tanh();
            worst = worst.max((tanh(x) - exact).abs() / (exact.abs() * f64::EPSILON + 1e-320));
        }
        assert!(worst <= 3.0, "{worst} ulp");
    }

    #[test]
    fn small_huge_and_missing_values_are_kept() {
        for x in [1e-300, 1e-18, -3e-9] {
            assert_eq!(tanh(x), x);
        }
        assert_eq!(tanh(f64::INFINITY), 1.0);
        assert_eq!(tanh(-1e300), -1.0);
        assert_eq!(tanh(0.0), 0.0);
        assert!(tanh(f64::NAN).is_nan());
    }

    #[test]
    fn a_slice_gives_the_same_bits_as_one_number() {
        let mut values: Vec<f64> = (0..1003).map(|i| f64::from(i) * 0.01 - 5.0).collect();
        let one_by_one: Vec<f64> = values.iter().map(|x| tanh(*x)).collect();
        tanh_in_place(&mut values);
        assert_eq!(values, one_by_one);
    }
}
