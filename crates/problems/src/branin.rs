//! Branin's function in two dimensions, moved about.
//!
//! `B(x) = (x2 - b x1^2 + 5/pi x1 - 6)^2 + 10 (1 - 1/(8 pi)) cos x1 + 10` with `b = 5.1/(4 pi^2)`
//! (Dixon and Szego, "Towards Global Optimisation 2", 1978) has its minimum 10/(8 pi) = 0.3979
//! three times; the value is `-ln(1 + (B - 0.3979) / 10)`, on x1 in [-5, 10] and x2 in [0, 15]. A
//! task moves it along x1 by up to 0.15 of the side either way and up along x2 by at most 0.33, so
//! that the middle optimum (pi, 2.275) stays inside; the optimum is 0, there. Task 0 is unmoved.
//!
//! The coarser levels understate b by 0.06 and 0.03, which bends the valley away from two of the
//! three optima; BoTorch's augmented Branin function does the like, the amounts are ours. No level
//! exceeds 0.
//!
//! | measured over tasks 1 to 12 and 50 000 uniform points | |
//! |---|---|
//! | distance of two tasks' optima in the unit cube, mean over pairs | 0.13 |
//! | correlation of two tasks, mean over pairs (least, largest) | 0.85 (0.56, 1.00) |
//! | both means in eight fresh sequences | 0.11 to 0.18, 0.65 to 0.84 |
//! | correlation of the levels with the truth, mean over tasks | 0.90, 0.97, 1 |
//! | mean and standard deviation of the truth | -1.55, 0.81 |
//! | regret of another task's optimum, mean over pairs | 0.54 |
//!
//! The ignored tests of `similarity` print these.
//!
//! Noise variance 0.0025: a standard deviation of 0.05, 6 % of that of the values.

use crate::benchmark::{constant_space, levels};
use crate::moved::{Classic, Moved};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Score};
use baton::Parameter;
use std::f64::consts::PI;

const COSTS: [f64; 3] = [10.0, 20.0, 40.0];
/// By how much the curvature of the valley is understated at each level.
const UNDERSTATED: [f64; 3] = [0.06, 0.03, 0.0];
const SIDE: f64 = 15.0;

static CLASSIC: Classic = Classic { excess, lowest: &[PI, 2.275], levels: COSTS.len(), unit: 10.0 };

/// The family.
pub(crate) struct Branin;

impl Family for Branin {
    fn name(&self) -> &'static str {
        "branin"
    }

    fn description(&self) -> Description {
        Description {
            space: constant_space(vec![
                Parameter::real("x1", -5.0, -5.0 + SIDE),
                Parameter::real("x2", 0.0, SIDE),
            ]),
            fidelities: levels(&["coarse", "medium", "fine"], &COSTS, 0.0025),
            budget: 800.0,
            initial: 6,
            tasks: 12,
            offset: -1.55,
            scale: 0.81,
            score: Score::Regret,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let mut stream = Stream::new(master, Problem::Branin, number, 0);
        let shift = if number == 0 {
            vec![0.0; 2]
        } else {
            vec![SIDE * stream.between(-0.15, 0.15), SIDE * stream.between(0.0, 0.33)]
        };
        Box::new(Moved::new(&CLASSIC, shift))
    }
}

/// `B - 10/(8 pi)` as a sum of two terms that cannot be negative.
fn excess(x: &[f64], level: usize) -> f64 {
    let curvature = 5.1 / (4.0 * PI * PI) - UNDERSTATED[level];
    let valley = x[1] - curvature * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    let wave = 10.0 * (1.0 - 1.0 / (8.0 * PI)) * (1.0 + x[0].cos());
    valley * valley + wave
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn all_three_optima_of_the_original_are_optima() {
        let task = Branin.task(MASTER, 0);
        for point in [[-PI, 12.275], [PI, 2.275], [3.0 * PI, 2.475]] {
            assert!(task.value(&point, 2).abs() < 1e-6, "{point:?}");
        }
        // B(0, 0) = 36 + 20 - 10/(8 pi).
        let expected = -(1.0 + (56.0 - 20.0 / (8.0 * PI)) / 10.0_f64).ln();
        assert!((task.value(&[0.0, 0.0], 2) - expected).abs() < 1e-12);
    }
}
