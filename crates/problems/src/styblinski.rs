//! Styblinski and Tang's double wells in twenty dimensions, of which few matter, moved about.
//!
//! `s(x) = (x^4 - 16 x^2 + 5 x) / 2` has its minimum -39.17 at -2.9035 and a second well, 14 higher, at
//! 2.7468 (Styblinski and Tang, Neural Networks 3, 1990). The loss is the sum of `s + 39.17` over
//! twenty coordinates in [-5, 5], the i-th with weight `0.7^i`, i from 0: half of all weight is on the
//! first two, a thousandth on the last, as with a simulator's many settings. The value is
//! `-ln(1 + loss / 30)`. A task moves every second coordinate, from the first on, by up to 0.07 of the
//! side either way; the optimum is 0, at the moved (-2.9035, ..). Task 0 is unmoved.
//!
//! The coarser levels see none and half of `5 x`: their two wells are equally deep or nearly so. Which
//! is the right one, only finer levels tell. No level exceeds 0.
//!
//! | measured over tasks 1 to 12 and 50 000 uniform points | |
//! |---|---|
//! | distance of two tasks' optima in the unit cube, mean over pairs | 0.17 |
//! | correlation of two tasks, mean over pairs (least, largest) | 0.72 (0.34, 1.00) |
//! | correlation of the levels with the truth, mean over tasks | 0.98, 0.99, 1 |
//! | mean and standard deviation of the truth | -1.57, 0.34 |
//! | regret of another task's optimum, mean over pairs | 0.39 |
//!
//! The ignored tests of `similarity` print these.
//!
//! Noise variance 0.0016: a standard deviation of 0.04.

use crate::benchmark::{coordinates, levels};
use crate::moved::{Classic, Moved, not_negative};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Score};

const DIMENSION: usize = 20;
const COSTS: [f64; 3] = [10.0, 20.0, 40.0];
/// The share of `5 x` that each level sees, and the minimum that is left.
const WELLS: [(f64, f64); 3] =
    [(0.0, -32.0), (0.5, -35.559_619_782_821_71), (1.0, -39.166_165_703_771_41)];
const LOWEST: f64 = -2.903_534_027_771_177;
const BOUND: f64 = 5.0;
/// What the next coordinate weighs, of one before.
const FADING: f64 = 0.7;
/// How far a task moves a coordinate at most, in sides.
const FARTHEST: f64 = 0.07;

static CLASSIC: Classic =
    Classic { excess, lowest: &[LOWEST; DIMENSION], levels: COSTS.len(), unit: 30.0 };

/// The family.
pub(crate) struct Styblinski;

impl Family for Styblinski {
    fn name(&self) -> &'static str {
        "styblinski"
    }

    fn description(&self) -> Description {
        Description {
            space: coordinates(DIMENSION, -BOUND, BOUND),
            fidelities: levels(&["coarse", "medium", "fine"], &COSTS, 0.0016),
            budget: 1000.0,
            initial: 2 * DIMENSION + 2,
            tasks: 12,
            offset: -1.57,
            scale: 0.34,
            score: Score::Regret,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let mut stream = Stream::new(master, Problem::Styblinski, number, 0);
        let far = if number == 0 { 0.0 } else { 2.0 * BOUND * FARTHEST };
        Box::new(Moved::every_second(&CLASSIC, far, &mut stream))
    }
}

fn excess(x: &[f64], level: usize) -> f64 {
    let (slope, minimum) = WELLS[level];
    let well = |x: f64| not_negative(0.5 * (x.powi(4) - 16.0 * x * x + 5.0 * slope * x) - minimum);
    let mut weight = 1.0;
    let mut sum = 0.0;
    for x in x {
        sum += weight * well(*x);
        weight *= FADING;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_original_has_its_known_values() {
        let task = Styblinski.task(MASTER, 0);
        assert!(task.value(&[LOWEST; DIMENSION], 2).abs() < 1e-12);
        // At 0 every well is as high as its minimum is low.
        let weights: f64 = (0..20).map(|i| FADING.powi(i)).sum();
        let value = -(1.0 - weights * WELLS[2].1 / 30.0).ln();
        assert!((task.value(&[0.0; DIMENSION], 2) - value).abs() < 1e-12);
    }

    #[test]
    fn no_level_lies_below_its_minimum() {
        for (level, (slope, minimum)) in WELLS.into_iter().enumerate() {
            let well = |x: f64| 0.5 * (x.powi(4) - 16.0 * x * x + 5.0 * slope * x);
            let least = (-5000..=5000).map(|i| well(f64::from(i) / 1000.0)).fold(0.0, f64::min);
            assert!((least - minimum).abs() < 1e-4, "level {level}: {least}");
        }
    }
}
