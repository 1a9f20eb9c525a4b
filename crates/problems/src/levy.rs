//! Levy's rippled bowl in eight dimensions, moved about.
//!
//! With `w_i = 1 + (x_i - 1)/4`,
//! `L(x) = sin^2(pi w_1) + sum_(i < 8) (w_i - 1)^2 (1 + 10 sin^2(pi w_i + 1))`
//! `+ (w_8 - 1)^2 (1 + sin^2(2 pi w_8))` on [-10, 10]^8 is 0 at (1, .., 1) (Levy and Montalvo, SIAM
//! J. Sci. Stat. Comput. 6, 1985; this form from Laguna and Marti, 2005); the value is
//! `-ln(1 + L / 10)`. A task moves every second coordinate, from the first on, by up to 0.15 of the
//! side either way and leaves the others: the ripples have a period of 0.2, and if all coordinates
//! moved, little would be left in common. The optimum is 0, at the moved (1, .., 1). Task 0 is
//! unmoved.
//!
//! The coarser levels see the ripples with none and half of their amplitude, the mean kept: a bowl,
//! and a bowl with some ripples. No level exceeds 0.
//!
//! | measured over tasks 1 to 12 and 50 000 uniform points | |
//! |---|---|
//! | distance of two tasks' optima in the unit cube, mean over pairs | 0.21 |
//! | correlation of two tasks, mean over pairs (least, largest) | 0.67 (0.44, 0.87) |
//! | both means in eight fresh sequences | 0.21 to 0.25, 0.65 to 0.68 |
//! | correlation of the levels with the truth, mean over tasks | 0.78, 0.95, 1 |
//! | mean and standard deviation of the truth | -2.29, 0.45 |
//! | regret of another task's optimum, mean over pairs | 0.55 |
//!
//! The ignored tests of `similarity` print these.
//!
//! Noise variance 0.0016: a standard deviation of 0.04, 9 % of that of the values.

use crate::benchmark::{coordinates, levels};
use crate::moved::{Classic, Moved};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Score};
use std::f64::consts::PI;

const DIMENSION: usize = 8;
const COSTS: [f64; 3] = [10.0, 20.0, 40.0];
/// The share of the ripples that each level sees.
const RIPPLE: [f64; 3] = [0.0, 0.5, 1.0];
const BOUND: f64 = 10.0;
/// How far a task moves a coordinate at most, in sides.
const FARTHEST: f64 = 0.15;

static CLASSIC: Classic =
    Classic { excess, lowest: &[1.0; DIMENSION], levels: COSTS.len(), unit: 10.0 };

/// The family.
pub(crate) struct Levy;

impl Family for Levy {
    fn name(&self) -> &'static str {
        "levy"
    }

    fn description(&self) -> Description {
        Description {
            space: coordinates(DIMENSION, -BOUND, BOUND),
            fidelities: levels(&["coarse", "medium", "fine"], &COSTS, 0.0016),
            budget: 1000.0,
            initial: 2 * DIMENSION + 2,
            tasks: 12,
            offset: -2.29,
            scale: 0.45,
            score: Score::Regret,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let mut stream = Stream::new(master, Problem::Levy, number, 0);
        let far = if number == 0 { 0.0 } else { 2.0 * BOUND * FARTHEST };
        Box::new(Moved::every_second(&CLASSIC, far, &mut stream))
    }
}

fn excess(x: &[f64], level: usize) -> f64 {
    // A squared sine as the level sees it: drawn towards its mean.
    let seen = |angle: f64| 0.5 + RIPPLE[level] * (angle.sin().powi(2) - 0.5);
    let bowl = |w: f64| (w - 1.0) * (w - 1.0);
    let mut sum = 0.0;
    for (i, x) in x.iter().enumerate() {
        let w = 1.0 + (x - 1.0) / 4.0;
        if i == 0 {
            sum += RIPPLE[level] * (PI * w).sin().powi(2);
        }
        sum += if i + 1 < DIMENSION {
            bowl(w) * (1.0 + 10.0 * seen(PI * w + 1.0))
        } else {
            bowl(w) * (1.0 + seen(2.0 * PI * w))
        };
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_original_has_its_known_values() {
        let task = Levy.task(MASTER, 0);
        assert!(task.value(&[1.0; 8], 2).abs() < 1e-15);
        // At x = 5 all w are 2: seven terms of 1 + 10 sin^2 1 and one of 1.
        let excess = 7.0 * (1.0 + 10.0 * 1_f64.sin().powi(2)) + 1.0;
        assert!((task.value(&[5.0; 8], 2) + (1.0 + excess / 10.0).ln()).abs() < 1e-12);
    }
}
