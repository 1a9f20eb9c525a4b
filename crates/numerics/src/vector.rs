//! Loops over whole slices, compiled for each instruction set and chosen at run time.
//!
//! A plain sum waits for each addition before it can begin the next. Eight sums side by side, added
//! up at the end in a fixed order, are several times faster, lose fewer digits, and give the same
//! bits everywhere: where one version fuses a product and a sum, all do.

use multiversion::multiversion;

const LANES: usize = 8;
/// Entries of [`combine`] worked on at once: as many as stay in registers.
const BLOCK: usize = 32;

/// Adds the partial sums up, always in the same order.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn total([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

/// Sums `term(a_i, b_i)` over two slices of one length: eight lanes, and four times as many in long
/// slices, since an addition takes four cycles.
#[inline(always)]
#[allow(clippy::inline_always)]
fn sum(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    const LONG: usize = 4 * LANES;
    let (long_a, a) = a.split_at(if a.len() < 8 * LONG { 0 } else { a.len() / LONG * LONG });
    let (long_b, b) = b.split_at(long_a.len());
    let mut sums = [0.0; LANES];
    if !long_a.is_empty() {
        let mut many = [0.0; LONG];
        for (xs, ys) in long_a.as_chunks::<LONG>().0.iter().zip(long_b.as_chunks::<LONG>().0) {
            for i in 0..LONG {
                many[i] += term(xs[i], ys[i]);
            }
        }
        let many = whole(many);
        for i in 0..LANES {
            sums[i] = (many[i] + many[LANES + i]) + (many[2 * LANES + i] + many[3 * LANES + i]);
        }
    }
    let (short_a, a) = a.as_chunks::<LANES>();
    let (short_b, b) = b.as_chunks::<LANES>();
    for (xs, ys) in short_a.iter().zip(short_b) {
        for i in 0..LANES {
            sums[i] += term(xs[i], ys[i]);
        }
    }
    if !a.is_empty() {
        sums = whole(sums);
        for (i, (x, y)) in a.iter().zip(b).enumerate() {
            sums[i] += term(*x, *y);
        }
    }
    total(sums)
}

/// Takes lanes through memory: seeing what becomes of each, the compiler would tear them apart.
#[inline(always)]
#[allow(clippy::inline_always)]
fn whole<const N: usize>(lanes: [f64; N]) -> [f64; N] {
    std::hint::black_box(lanes)
}

/// `sum a_i b_i`, over the shorter length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let shorter = a.len().min(b.len());
    sum(&a[..shorter], &b[..shorter], |x, y| x * y)
}

/// `sum (a_i - b_i)^2`, over the shorter length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let shorter = a.len().min(b.len());
    sum(&a[..shorter], &b[..shorter], |x, y| (x - y) * (x - y))
}

/// Whether no value is NaN or infinite.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn all_finite(values: &[f64]) -> bool {
    // x - x is 0 for a finite x and NaN for all others.
    sum(values, values, |x, y| x - y) == 0.0
}

/// `target += factor * source`, over the shorter length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn add_scaled(target: &mut [f64], source: &[f64], factor: f64) {
    for (t, s) in target.iter_mut().zip(source) {
        *t += factor * s;
    }
}

/// `target *= source`, entry by entry, over the shorter length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn multiply(target: &mut [f64], source: &[f64]) {
    for (t, s) in target.iter_mut().zip(source) {
        *t *= s;
    }
}

/// `target = sum_k weights[k] sources[k]`, over the shortest length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn combine(target: &mut [f64], sources: &[&[f64]], weights: &[f64]) {
    let length = sources.iter().map(|s| s.len()).fold(target.len(), usize::min);
    let mut blocks = target[..length].chunks_exact_mut(BLOCK);
    let mut start = 0;
    for block in &mut blocks {
        let mut sums = [0.0; BLOCK];
        for (source, weight) in sources.iter().zip(weights) {
            for (sum, x) in sums.iter_mut().zip(&source[start..start + BLOCK]) {
                *sum = weight.mul_add(*x, *sum);
            }
        }
        block.copy_from_slice(&sums);
        start += BLOCK;
    }
    let rest = blocks.into_remainder();
    rest.fill(0.0);
    for (source, weight) in sources.iter().zip(weights) {
        for (sum, x) in rest.iter_mut().zip(&source[start..length]) {
            *sum = weight.mul_add(*x, *sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples(length: u32) -> (Vec<f64>, Vec<f64>) {
        let a = (0..length).map(|i| f64::from(i) * 0.5 - 3.0).collect();
        (a, (0..length).map(|i| 2.0 - f64::from(i)).collect())
    }

    #[test]
    fn loops_agree_with_plain_ones_at_every_length() {
        for length in 0..80 {
            let (a, b) = examples(length);
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            assert!((dot(&a, &b) - plain).abs() < 1e-12 * (1.0 + plain.abs()));
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum();
            assert!((squared_distance(&a, &b) - plain).abs() < 1e-12 * (1.0 + plain.abs()));
            let mut c = vec![1.0; a.len()];
            combine(&mut c, &[&a, &b], &[2.0, -3.0]);
            add_scaled(&mut c, &b, 3.0);
            let twice: Vec<f64> = a.iter().map(|x| 2.0 * x).collect();
            assert_eq!(c, twice);
            multiply(&mut c, &b);
            assert!(c.iter().zip(&a).zip(&b).all(|((c, a), b)| *c == 2.0 * a * b));
        }
    }

    #[test]
    fn what_is_not_finite_is_seen_wherever_it_lies() {
        for length in 1..40 {
            let (mut a, _) = examples(length);
            assert!(all_finite(&a));
            for i in 0..a.len() {
                for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    let good = std::mem::replace(&mut a[i], bad);
                    assert!(!all_finite(&a), "{bad} at {i} of {length}");
                    a[i] = good;
                }
            }
        }
        assert!(all_finite(&[f64::MAX, f64::MIN, 0.0]));
    }
}
