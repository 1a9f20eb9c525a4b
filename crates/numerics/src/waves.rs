//! Cosine and sine over slices.
//!
//! The argument is split as `x = k pi/2 + r`, `|r| <= pi/4`, with `pi/2` in three parts of which the first
//! two times `k` are exact; cosine and sine of `r` are Taylor polynomials whose remainders are below 1e-17,
//! and `k` says which is which with what sign. Without branches, so the compiler vectorises it; a version for
//! each instruction set is chosen at run time. All versions use fused multiply-add and give the same bits.
//! Within 2e-16 of the exact value; where an argument is beyond a million, or none, the standard library
//! computes.

use multiversion::multiversion;

/// Up to here the parts of `pi/2` are enough.
const FAR: f64 = 1e6;
/// Adding and taking away 1.5 * 2^52 rounds to the nearest integer and leaves it in the low bits.
const ROUNDING: f64 = 6_755_399_441_055_744.0;
/// `pi/2` in parts: 33 bits, the next 33, and what is left.
const HALF_PI: [f64; 3] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_6e-21];

/// The cosine and the sine of every angle; as many as the shortest slice has.
pub fn cosines_and_sines(angles: &[f64], cosines: &mut [f64], sines: &mut [f64]) {
    if angles.iter().all(|x| x.abs() < FAR) {
        near(angles, cosines, sines);
        return;
    }
    for ((x, cosine), sine) in angles.iter().zip(cosines).zip(sines) {
        (*sine, *cosine) = x.sin_cos();
    }
}

#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
fn near(angles: &[f64], cosines: &mut [f64], sines: &mut [f64]) {
    for ((x, cosine), sine) in angles.iter().zip(cosines).zip(sines) {
        (*cosine, *sine) = cosine_and_sine(*x);
    }
}

#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn cosine_and_sine(x: f64) -> (f64, f64) {
    let shifted = x.mul_add(std::f64::consts::FRAC_2_PI, ROUNDING);
    let k = shifted - ROUNDING;
    let r = HALF_PI.iter().fold(x, |r, part| k.mul_add(-part, r));
    let square = r * r;
    let cosine = polynomial(square, &COSINE).mul_add(square, 1.0);
    let sine = (polynomial(square, &SINE) * square).mul_add(r, r);
    let quarter = shifted.to_bits();
    let (c, s) = if quarter & 1 == 0 { (cosine, sine) } else { (sine, cosine) };
    let sign = |turned: u64| (turned & 2) << 62;
    let c = f64::from_bits(c.to_bits() ^ sign(quarter.wrapping_add(1)));
    (c, f64::from_bits(s.to_bits() ^ sign(quarter)))
}

/// Of the square of the angle, the highest power first: the cosine less 1, over the square.
const COSINE: [f64; 9] = [
    -1.0 / 6_402_373_705_728_000.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
];

/// The sine over the angle less 1, over the square.
const SINE: [f64; 8] = [
    1.0 / 355_687_428_096_000.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
];

#[inline(always)]
#[allow(clippy::inline_always)]
fn polynomial(square: f64, coefficients: &[f64]) -> f64 {
    coefficients[1..].iter().fold(coefficients[0], |sum, c| sum.mul_add(square, *c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both(angles: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut cosines, mut sines) = (vec![0.0; angles.len()], vec![0.0; angles.len()]);
        cosines_and_sines(angles, &mut cosines, &mut sines);
        (cosines, sines)
    }

    #[test]
    fn agrees_with_the_standard_library() {
        for stretch in [1e-5, 0.01, 9.9] {
            let angles: Vec<f64> =
                (-100_000..100_000).map(|i| stretch * (f64::from(i) + 0.3)).collect();
            let (cosines, sines) = both(&angles);
            for ((x, cosine), sine) in angles.iter().zip(cosines).zip(sines) {
                let (s, c) = x.sin_cos();
                let worst = (cosine - c).abs().max((sine - s).abs());
                assert!(worst <= 2e-16, "{worst} at {x}");
            }
        }
    }

    #[test]
    fn quarters_of_the_circle_and_far_angles_are_right() {
        let quarter = std::f64::consts::FRAC_PI_2;
        let (cosines, sines) = both(&[0.0, -0.0, quarter, -quarter, 2.0 * quarter]);
        assert_eq!((cosines[0], sines[0], sines[1]), (1.0, 0.0, 0.0));
        assert_eq!((sines[2], sines[3], cosines[4]), (1.0, -1.0, -1.0));
        let (cosines, sines) = both(&[1e15, 0.5]);
        assert_eq!((cosines[0], sines[1]), (1e15_f64.cos(), 0.5_f64.sin()));
        let (cosines, sines) = both(&[f64::NAN, f64::INFINITY, 0.0]);
        assert!(cosines[0].is_nan() && sines[1].is_nan() && cosines[2] == 1.0);
    }
}
