//! The machine's measured peak: the best rate of a matrix product that fits the cache.

use baton_numerics::Mat;
use baton_numerics::parallel;
use std::time::Instant;

const SIZE: usize = 192;
const REPEATS: usize = 60;
const ROUNDS: usize = 6;

/// Floating-point operations per second of `threads` threads, each multiplying its own matrices.
pub fn measured(threads: usize) -> f64 {
    let left = Mat::from_fn(SIZE, SIZE, |i, j| ((i * 7 + j) % 13) as f64 - 6.0);
    let right = left.transpose().to_owned();
    let operations = 2.0 * (SIZE as f64).powi(3) * (REPEATS * threads) as f64;
    let round = |_| {
        let begin = Instant::now();
        let sums = parallel::map(threads, |_| {
            let mut total = 0.0;
            for _ in 0..REPEATS {
                let product = std::hint::black_box(&left) * std::hint::black_box(&right);
                total += product[(0, 0)];
            }
            total
        });
        std::hint::black_box(sums);
        operations / begin.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(round).fold(0.0, f64::max)
}
