//! The best of all 912 x 912 settings of the two cells.
//!
//! What arrives at a receiver is a sum over both cells, and the part of a cell depends on its own
//! setting alone: the parts are tabulated once per setting, and a pair of settings costs additions.
//! Many settings ask all users of a cell for the same powers (full power, mostly); only one of them
//! is kept. The rates `min(cap, 1 + S/I)` of a sample are multiplied as `min(S + I, cap I) / I`,
//! one division for four users and one logarithm for many samples. All this is done in
//! single precision, in units of the noise; whatever comes close to the best is then evaluated as
//! any other point is, and the best of those is the optimum.

use super::cells::{
    ALPHAS, CELLS, HIGHEST_P0, LARGEST_RATE, LEVELS, LOWEST_P0, MOST_SAMPLES, STEP_P0, USERS,
    cell_of, noise, sent,
};
use super::network::Network;
use crate::Optimum;
use baton_numerics::parallel;
use std::collections::HashSet;

/// Rows of the table of pairs that one work item takes on: they share what they read.
const BLOCK: usize = 8;
/// Users whose factors are multiplied before dividing: received powers reach some 2e7 in units of
/// the noise, and the fourth power of that is safe in single precision.
const GROUP: usize = 4;
/// Samples whose products are multiplied before taking the logarithm: a product of 20 capped rates
/// is below 2^112, and nine of them are below the largest double.
const BUNDLE: usize = 9;
/// What rounding to single precision may change a value by, generously: a product of 20 ratios is
/// off by some 1e-5 of itself.
const MARGIN: f64 = 1e-3;

type Samples = [f32; MOST_SAMPLES];

/// One setting of one cell.
struct Setting {
    p0: f64,
    alpha: f64,
    /// what arrives at every receiver from this cell
    arriving: Vec<Samples>,
    /// the same without what the receiver listens to; differs for users of this cell only
    disturbing: Vec<Samples>,
}

/// The optimum of a network over the grid.
pub(super) fn best(network: &Network) -> Optimum {
    let [first, second] = std::array::from_fn::<_, CELLS, _>(|cell| settings(network, cell));
    let blocks = first.len().div_ceil(BLOCK);
    let close = parallel::map(blocks, |block| {
        let rows = &first[block * BLOCK..first.len().min((block + 1) * BLOCK)];
        promising(rows, &second)
    });
    let close: Vec<Candidate> = close.into_iter().flatten().collect();
    let highest = close.iter().fold(f64::NEG_INFINITY, |most, c| most.max(c.estimate));
    let candidates = close.iter().filter(|c| c.estimate >= highest - MARGIN).map(|c| {
        let value = network.mean_rate(&c.point, LEVELS - 1);
        Optimum { point: c.point.to_vec(), value }
    });
    let missing = Optimum { point: Vec::new(), value: f64::NAN };
    candidates.reduce(|a, b| if b.value > a.value { b } else { a }).unwrap_or(missing)
}

/// The settings of a cell that differ in what its users send, with their tables.
fn settings(network: &Network, cell: usize) -> Vec<Setting> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    let mut p0 = LOWEST_P0;
    while p0 <= HIGHEST_P0 {
        for alpha in ALPHAS {
            let powers: Vec<f64> = (0..USERS)
                .filter(|k| cell_of(*k) == cell)
                .map(|k| sent(p0, alpha, network.layout.path_loss[k][cell]))
                .collect();
            if seen.insert(powers.iter().map(|p| p.to_bits()).collect::<Vec<u64>>()) {
                kept.push(Setting::new(network, cell, (p0, alpha), &powers));
            }
        }
        p0 += STEP_P0;
    }
    kept
}

impl Setting {
    /// Tabulates what `powers` of the users of `cell` cause. The noise is counted with cell 0.
    fn new(network: &Network, cell: usize, (p0, alpha): (f64, f64), powers: &[f64]) -> Self {
        let mut arriving = vec![[0.0; MOST_SAMPLES]; USERS];
        let mut disturbing = arriving.clone();
        let background = if cell == 0 { 1.0 } else { 0.0 };
        let first = cell * (USERS / CELLS);
        let unit = noise();
        for (s, rows) in network.gains.samples.iter().enumerate() {
            for (k, gains) in rows.iter().enumerate() {
                let (mut own, mut others) = (0.0, background);
                for (j, power) in powers.iter().enumerate() {
                    let arrives = power * gains[first + j] / unit;
                    if first + j == k { own = arrives } else { others += arrives }
                }
                #[allow(clippy::cast_possible_truncation)] // single precision on purpose
                {
                    arriving[k][s] = (own + others) as f32;
                    disturbing[k][s] = others as f32;
                }
            }
        }
        Self { p0, alpha, arriving, disturbing }
    }
}

/// A pair of settings and its value in single precision.
struct Candidate {
    point: [f64; 4],
    estimate: f64,
}

/// The pairs of some settings of cell 0 with all of cell 1 that come close to the best of them.
fn promising(rows: &[Setting], columns: &[Setting]) -> Vec<Candidate> {
    let mut close: Vec<Candidate> = Vec::new();
    let mut highest = f64::NEG_INFINITY;
    for b in columns {
        for a in rows {
            let estimate = estimate(a, b);
            if estimate < highest - MARGIN {
                continue;
            }
            if estimate > highest {
                highest = estimate;
                close.retain(|c| c.estimate >= highest - MARGIN);
            }
            close.push(Candidate { point: [a.p0, a.alpha, b.p0, b.alpha], estimate });
        }
    }
    close
}

/// The value of a pair of settings at the last level, in single precision.
fn estimate(a: &Setting, b: &Setting) -> f64 {
    #[allow(clippy::cast_possible_truncation)] // single precision on purpose
    let cap = LARGEST_RATE.exp2() as f32;
    let mut products = [1.0; MOST_SAMPLES];
    for group in (0..USERS).step_by(GROUP) {
        let (mut above, mut below) = ([1.0; MOST_SAMPLES], [1.0; MOST_SAMPLES]);
        for k in group..USERS.min(group + GROUP) {
            let parts = [&a.arriving[k], &b.arriving[k], &a.disturbing[k], &b.disturbing[k]];
            multiply(&mut above, &mut below, parts, cap);
        }
        for s in 0..MOST_SAMPLES {
            products[s] *= above[s] / below[s];
        }
    }
    let bits: f64 = products
        .chunks(BUNDLE)
        .map(|bundle| bundle.iter().map(|p| f64::from(*p)).product::<f64>().log2())
        .sum();
    bits / MOST_SAMPLES as f64
}

/// Multiplies `above / below` by the capped ratio of all that arrives to what disturbs.
fn multiply(above: &mut Samples, below: &mut Samples, parts: [&Samples; 4], cap: f32) {
    let [arriving_a, arriving_b, disturbing_a, disturbing_b] = parts;
    for s in 0..MOST_SAMPLES {
        let all = arriving_a[s] + arriving_b[s];
        let disturbing = disturbing_a[s] + disturbing_b[s];
        let capped = cap * disturbing;
        above[s] *= if all < capped { all } else { capped };
        below[s] *= disturbing;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn single_precision_is_well_within_the_margin() {
        let network = Network::new(MASTER, 3);
        let cells = [settings(&network, 0), settings(&network, 1)];
        for (a, b) in
            cells[0].iter().zip(cells[1].iter().rev()).chain(cells[0].iter().zip(&cells[1]))
        {
            let exact = network.mean_rate(&[a.p0, a.alpha, b.p0, b.alpha], LEVELS - 1);
            assert!((estimate(a, b) - exact).abs() < MARGIN / 10.0);
        }
    }

    #[test]
    #[ignore = "prints how long an optimum takes on one thread"]
    fn measured_time_of_an_optimum() {
        for number in 1..=4 {
            let network = Network::new(MASTER, number);
            let start = std::time::Instant::now();
            let best = parallel::with_threads(1, || best(&network));
            println!("task {number}: {best:?} in {:.2?}", start.elapsed());
        }
    }

    #[test]
    fn settings_that_send_the_same_are_kept_once() {
        let network = Network::new(MASTER, 1);
        let count = settings(&network, 0).len();
        assert!(count > 500 && count < 700, "{count}");
    }
}
