//! Loops over whole slices, compiled for each instruction set and chosen at run time.
//!
//! A plain sum waits for each addition before it can begin the next. Eight sums side by side, added
//! up at the end in a fixed order, are several times faster, lose fewer digits, and give the same
//! bits everywhere: where one version fuses a product and a sum, all do.

use multiversion::multiversion;

/// Numbers worked on at once: what a vector of AVX-512 holds.
pub const LANES: usize = 8;
/// Entries and targets of [`combine`] worked on at once: as many as stay in registers.
const BLOCK: usize = 32;
const GROUP: usize = 5;

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
    let (Some(last_a), Some(last_b)) = (a.last_chunk::<LANES>(), b.last_chunk::<LANES>()) else {
        return a.iter().zip(b).map(|(x, y)| term(*x, *y)).sum();
    };
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
    let (short_a, rest) = a.as_chunks::<LANES>();
    for (xs, ys) in short_a.iter().zip(b.as_chunks::<LANES>().0) {
        for i in 0..LANES {
            sums[i] += term(xs[i], ys[i]);
        }
    }
    // The last eight once more, for those of them that have not been counted yet: one by one they
    // would take longer than all others together.
    let counted = LANES - rest.len();
    for i in 0..LANES {
        sums[i] += if i < counted { 0.0 } else { term(last_a[i], last_b[i]) };
    }
    total(sums)
}

/// Takes lanes through memory: seeing what becomes of each, the compiler would tear them apart.
#[inline(always)]
#[allow(clippy::inline_always)]
fn whole<const N: usize>(lanes: [f64; N]) -> [f64; N] {
    std::hint::black_box(lanes)
}

/// Calls a loop over several slices, cut to the shortest, with as much of them as fills whole vectors
/// and then, filled up with zeros, with the rest: one by one, seven numbers of that would take as long
/// as sixty others.
pub fn in_whole_vectors<const N: usize>(slices: [&mut [f64]; N], work: impl Fn([&mut [f64]; N])) {
    let length = slices.iter().map(|slice| slice.len()).min().unwrap_or(0);
    let rest = length % LANES;
    let mut parts = slices.map(|slice| slice[..length].split_at_mut(length - rest));
    work(parts.each_mut().map(|(whole, _)| &mut **whole));
    if rest > 0 {
        let mut filled = [[0.0; LANES]; N];
        for (filled, (_, rest)) in filled.iter_mut().zip(&parts) {
            filled[..rest.len()].copy_from_slice(rest);
        }
        work(filled.each_mut().map(|lanes| &mut lanes[..]));
        for (filled, (_, rest)) in filled.iter().zip(parts) {
            rest.copy_from_slice(&filled[..rest.len()]);
        }
    }
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

/// The products `a_g . a_h`, `h <= g`, row by row, of vectors of one length that lie one after the
/// other.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn pairwise_products(vectors: &[f64], length: usize, products: &mut [f64]) {
    let mut products = products.iter_mut();
    for (g, a) in vectors.chunks_exact(length.max(1)).enumerate() {
        for (b, product) in vectors.chunks_exact(length.max(1)).take(g + 1).zip(&mut products) {
            *product = sum(a, b, |x, y| x * y);
        }
    }
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

/// `target = a * b`, entry by entry, over the shortest length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn write_products(target: &mut [f64], a: &[f64], b: &[f64]) {
    for (t, (a, b)) in target.iter_mut().zip(a.iter().zip(b)) {
        *t = a * b;
    }
}

/// `sum a_i`.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn total_of(values: &[f64]) -> f64 {
    sum(values, values, |x, _| x)
}

/// `target_j = sum_k weights_j[k] sources[k]` for several targets, one after the other in `targets`,
/// with the weights of one after those of the other. All sources and targets have one length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn combine(targets: &mut [f64], sources: &[&[f64]], weights: &[f64]) {
    let length = sources.iter().map(|source| source.len()).min().unwrap_or(0);
    let whole = length / BLOCK * BLOCK;
    let mut groups = targets.chunks_exact_mut((GROUP * length).max(1));
    let mut weights = weights.chunks_exact(sources.len().max(1));
    for group in &mut groups {
        let of: [&[f64]; GROUP] = std::array::from_fn(|_| weights.next().unwrap_or_default());
        for start in (0..whole).step_by(BLOCK) {
            combine_block(group, sources, of, (start, length));
        }
        for (target, of) in group.chunks_exact_mut(length).zip(of) {
            combine_rest(target, sources, of, whole);
        }
    }
    for (target, of) in groups.into_remainder().chunks_exact_mut(length.max(1)).zip(weights) {
        for start in (0..whole).step_by(BLOCK) {
            let mut sums = [0.0; BLOCK];
            for (source, weight) in sources.iter().zip(of) {
                let Some(x) = source[start..].first_chunk::<BLOCK>() else { return };
                for i in 0..BLOCK {
                    sums[i] = weight.mul_add(x[i], sums[i]);
                }
            }
            target[start..start + BLOCK].copy_from_slice(&sums);
        }
        combine_rest(target, sources, of, whole);
    }
}

/// A block of [`GROUP`] targets: each source is loaded once, and the sums stay in registers.
#[inline(always)]
#[allow(clippy::inline_always)] // must be inlined into each instruction set's version
fn combine_block(
    targets: &mut [f64],
    sources: &[&[f64]],
    [p, q, r, s, t]: [&[f64]; GROUP],
    (start, length): (usize, usize),
) {
    // Five variables, not an array of five: only so does the compiler keep them in registers.
    let (mut a, mut b, mut c) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
    let (mut d, mut e) = ([0.0; BLOCK], [0.0; BLOCK]);
    for (((((source, p), q), r), s), t) in sources.iter().zip(p).zip(q).zip(r).zip(s).zip(t) {
        let Some(x) = source[start..].first_chunk::<BLOCK>() else { return };
        for i in 0..BLOCK {
            a[i] = p.mul_add(x[i], a[i]);
            b[i] = q.mul_add(x[i], b[i]);
            c[i] = r.mul_add(x[i], c[i]);
            d[i] = s.mul_add(x[i], d[i]);
            e[i] = t.mul_add(x[i], e[i]);
        }
    }
    for (j, sums) in [a, b, c, d, e].iter().enumerate() {
        targets[j * length + start..j * length + start + BLOCK].copy_from_slice(sums);
    }
}

/// The entries of one target from a place on, fewer than a block.
#[inline(always)]
#[allow(clippy::inline_always)]
fn combine_rest(target: &mut [f64], sources: &[&[f64]], weights: &[f64], start: usize) {
    let (eights, ones) = target[start..].as_chunks_mut::<LANES>();
    for (k, eight) in eights.iter_mut().enumerate() {
        let mut sums = [0.0; LANES];
        for (source, weight) in sources.iter().zip(weights) {
            let Some(x) = source[start + k * LANES..].first_chunk::<LANES>() else { return };
            for i in 0..LANES {
                sums[i] = weight.mul_add(x[i], sums[i]);
            }
        }
        *eight = sums;
    }
    let start = start + eights.len() * LANES;
    ones.fill(0.0);
    for (source, weight) in sources.iter().zip(weights) {
        for (sum, x) in ones.iter_mut().zip(&source[start..]) {
            *sum = weight.mul_add(*x, *sum);
        }
    }
}

/// Adds the gradient of `-1/2 sum ((x_i - mean_i) / deviation_i)^2` to `gradient` and returns minus
/// twice that sum; all four of one length.
#[multiversion(targets("x86_64+avx512f+avx512dq+avx512vl+fma", "x86_64+avx2+fma", "aarch64+neon"))]
pub fn pull_to_mean(
    gradient: &mut [f64],
    x: &[f64],
    mean: &[f64],
    inverse_deviation: &[f64],
) -> f64 {
    let length = gradient.len().min(x.len()).min(mean.len()).min(inverse_deviation.len());
    let (gradient, gradient_rest) = gradient[..length].as_chunks_mut::<LANES>();
    let (x, x_rest) = x[..length].as_chunks::<LANES>();
    let (mean, mean_rest) = mean[..length].as_chunks::<LANES>();
    let (inverse, inverse_rest) = inverse_deviation[..length].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for k in 0..gradient.len() {
        for i in 0..LANES {
            let gap = (x[k][i] - mean[k][i]) * inverse[k][i];
            sums[i] += gap * gap;
            gradient[k][i] -= gap * inverse[k][i];
        }
    }
    let mut squared = total(sums);
    for i in 0..gradient_rest.len() {
        let gap = (x_rest[i] - mean_rest[i]) * inverse_rest[i];
        squared += gap * gap;
        gradient_rest[i] -= gap * inverse_rest[i];
    }
    squared
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
            let mut products = [0.0; 3];
            pairwise_products(&[&a[..], &b[..]].concat(), a.len(), &mut products);
            assert_eq!(products, [dot(&a, &a), dot(&a, &b), dot(&b, &b)]);
            assert!((total_of(&a) - a.iter().sum::<f64>()).abs() < 1e-12 * (1.0 + plain.abs()));
            let mut written = vec![7.0; a.len()];
            write_products(&mut written, &a, &b);
            assert!(written.iter().zip(a.iter().zip(&b)).all(|(w, (a, b))| *w == a * b));
            let plain: f64 = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum();
            assert!((squared_distance(&a, &b) - plain).abs() < 1e-12 * (1.0 + plain.abs()));
            let mut c = vec![1.0; a.len()];
            combine(&mut c, &[&a, &b], &[2.0, -3.0]);
            let mut many = vec![0.0; 7 * a.len()];
            let weights: Vec<f64> = (0..7).flat_map(|j| [2.0 * f64::from(j), -3.0]).collect();
            combine(&mut many, &[&a, &b], &weights);
            for (j, many) in many.chunks(a.len().max(1)).enumerate() {
                let expected = |(a, b): (&f64, &f64)| 2.0 * j as f64 * a - 3.0 * b;
                assert_eq!(many, a.iter().zip(&b).map(expected).collect::<Vec<f64>>());
            }
            let (mut pulled, roots) = (vec![1.0; a.len()], vec![0.5; a.len()]);
            let squared = pull_to_mean(&mut pulled, &a, &b, &roots);
            let plain: f64 = a.iter().zip(&b).map(|(x, m)| 0.25 * (x - m).powi(2)).sum();
            assert!((squared - plain).abs() < 1e-12 * (1.0 + plain));
            assert!(
                pulled.iter().zip(a.iter().zip(&b)).all(|(g, (x, m))| *g == 1.0 - 0.25 * (x - m))
            );
            add_scaled(&mut c, &b, 3.0);
            let twice: Vec<f64> = a.iter().map(|x| 2.0 * x).collect();
            assert_eq!(c, twice);
            multiply(&mut c, &b);
            assert!(c.iter().zip(&a).zip(&b).all(|((c, a), b)| *c == 2.0 * a * b));
        }
    }

    #[test]
    fn whole_vectors_are_worked_on_once_and_nothing_beside_the_slices_is() {
        for length in 0..40 {
            let (a, b) = examples(length);
            let (mut sums, mut products) = (a.clone(), b.clone());
            in_whole_vectors([&mut sums, &mut products], |[sums, products]| {
                assert_eq!(sums.len() % LANES, 0);
                for (x, y) in sums.iter_mut().zip(products) {
                    (*x, *y) = (*x + *y, *x * *y);
                }
            });
            let both = a.iter().zip(&b).map(|(x, y)| (x + y, x * y));
            assert!(both.eq(sums.into_iter().zip(products)), "{length}");
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
