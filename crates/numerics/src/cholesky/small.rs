//! Factor, solve and inverse for matrices that fit the cache, where a general library spends more
//! time on dividing the work than on doing it.
//!
//! A matrix is a slice of columns `stride` apart, of which the lower triangle counts. Every step is
//! a combination of earlier columns, taken four at a time so that the target is read and written
//! once for four of them.

use multiversion::multiversion;

/// Below this many rows the functions here are faster than the library's.
pub(super) const MOST_ROWS: usize = 96;

/// A pivot below this share of its diagonal entry is rounding, and would be divided by.
const NOISE: f64 = 8.0 * f64::EPSILON;

/// Whether a pivot is more than the rounding noise of its diagonal entry; NaN is not.
pub(super) fn is_sound(pivot: f64, diagonal: f64) -> bool {
    pivot.is_finite() && pivot > NOISE * diagonal
}

/// Factors the lower triangle in place; the index of the first pivot that is not sound otherwise.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub(super) fn factor(n: usize, stride: usize, entries: &mut [f64]) -> Result<(), usize> {
    for j in 0..n {
        let (before, rest) = entries.split_at_mut(j * stride);
        let target = &mut rest[j..n];
        let diagonal = target[0];
        let column = |k: usize| &before[k * stride + j..k * stride + n];
        subtract(target, 0..j, column, |k| before[k * stride + j]);
        let pivot = target[0];
        if !is_sound(pivot, diagonal) {
            return Err(j);
        }
        let root = pivot.sqrt();
        target[0] = root;
        let scale = 1.0 / root;
        for x in &mut target[1..] {
            *x *= scale;
        }
    }
    Ok(())
}

/// Writes `L'^-1`, an upper triangle, to `inverse` (columns `n` apart), zeros below it.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub(super) fn invert_transposed(n: usize, stride: usize, lower: &[f64], inverse: &mut [f64]) {
    inverse.fill(0.0);
    for j in 0..n {
        let (before, rest) = inverse.split_at_mut(j * n);
        let target = &mut rest[..n];
        let scale = 1.0 / lower[j * stride + j];
        subtract(&mut target[..j], 0..j, |k| &before[k * n..k * n + j], |k| lower[k * stride + j]);
        for x in &mut target[..j] {
            *x *= scale;
        }
        target[j] = scale;
    }
}

/// The lower triangle of `(L L')^-1`, written to the columns of `result`, `stride` apart; `scratch`
/// must hold `n^2` numbers.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub(super) fn inverse(
    n: usize,
    (stride, lower): (usize, &[f64]),
    scratch: &mut [f64],
    result: &mut [f64],
) {
    invert_transposed(n, stride, lower, scratch);
    // With U = L'^-1 the inverse is U U': column j is the sum over k >= j of U_jk times column k.
    for j in 0..n {
        let target = &mut result[j * n + j..(j + 1) * n];
        target.fill(0.0);
        let column = |k: usize| &scratch[k * n + j..(k + 1) * n];
        subtract(target, j..n, column, |k| -scratch[k * n + j]);
    }
}

/// `target -= sum_k weight(k) column(k)`.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn subtract<'a>(
    target: &mut [f64],
    columns: std::ops::Range<usize>,
    column: impl Fn(usize) -> &'a [f64],
    weight: impl Fn(usize) -> f64,
) {
    let n = target.len();
    let mut k = columns.start;
    while k + 4 <= columns.end {
        let (a, b) = (&column(k)[..n], &column(k + 1)[..n]);
        let (c, d) = (&column(k + 2)[..n], &column(k + 3)[..n]);
        let [p, q, r, s] = [weight(k), weight(k + 1), weight(k + 2), weight(k + 3)];
        for i in 0..n {
            let two = q.mul_add(-b[i], p.mul_add(-a[i], target[i]));
            target[i] = s.mul_add(-d[i], r.mul_add(-c[i], two));
        }
        k += 4;
    }
    for k in k..columns.end {
        let (a, p) = (&column(k)[..n], weight(k));
        for i in 0..n {
            target[i] = p.mul_add(-a[i], target[i]);
        }
    }
}
