//! The hyperbolic tangent over slices, fast enough not to dominate the matrix product before it.
//!
//! `tanh x = e / (e + 2)` with `e = expm1(2 |x|) = 2^k expm1(s) + (2^k - 1)`, split as in
//! [`crate::exp`]. Without branches, so the compiler vectorises it; a version for each instruction
//! set is chosen at run time. All versions use fused multiply-add and give the same bits. Within 3
//! units in the last place of the exact value.

use crate::exp::split;
use faer::Mat;
use multiversion::multiversion;

/// Beyond this, tanh is 1 to the last bit.
const SATURATED: f64 = 20.0;

/// Replaces every value by its hyperbolic tangent. NaN stays NaN.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn tanh_in_place(values: &mut [f64]) {
    for value in values {
        *value = tanh(*value);
    }
}

/// `tanh(values + shifts)`, entry by entry in every column: the outputs of a layer from its products
/// and biases. All columns in one call: to load the constants takes as long as a vector of results.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn tanh_of_sums(values: &mut Mat<f64>, shifts: &[f64]) {
    for j in 0..values.ncols() {
        for (value, shift) in values.col_as_slice_mut(j).iter_mut().zip(shifts) {
            *value = tanh(*value + shift);
        }
    }
}

/// From derivatives by the outputs `h` of tanh to those by its arguments: `d (1 - h^2)`.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn tanh_pull_back(derivatives: &mut Mat<f64>, outputs: &Mat<f64>) {
    for j in 0..outputs.ncols() {
        let column = derivatives.col_as_slice_mut(j).iter_mut();
        for (d, h) in column.zip(outputs.col_as_slice(j)) {
            *d *= 1.0 - h * h;
        }
    }
}

/// The same function of one number.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
pub fn tanh(x: f64) -> f64 {
    let magnitude = x.abs();
    // Not `min`: that would turn NaN into 1.
    let clipped = if magnitude > SATURATED { SATURATED } else { magnitude };
    let (power, rest) = split(2.0 * clipped);
    let e = power.mul_add(rest, power - 1.0);
    (e / (e + 2.0)).copysign(x)
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
        let mut sums = Mat::from_fn(values.len(), 2, |i, _| values[i] - 0.5);
        let shifted = Mat::from_fn(values.len(), 2, |i, j| tanh(sums[(i, j)] + 0.5));
        tanh_of_sums(&mut sums, &vec![0.5; values.len()]);
        assert_eq!(sums, shifted);
        tanh_in_place(&mut values);
        assert_eq!(values, one_by_one);
    }
}
