//! Rosenbrock's valley in four dimensions, moved about.
//!
//! `R(x) = sum_i 100 (x_(i+1) - x_i^2)^2 + (1 - x_i)^2` (Rosenbrock, Computer Journal 3, 1960, in
//! its usual chain of d - 1 terms) on [-2.048, 2.048]^4 is 0 at (1, 1, 1, 1); the value is
//! `-ln(1 + R / 100)`. A task moves every coordinate by up to 0.13 of the side either way; the
//! optimum is 0, at the moved (1, 1, 1, 1), always inside. Task 0 is unmoved.
//!
//! The coarser levels have 50 and 75 in place of 100 and lower the floor of the valley, `x_i^2`, by
//! 1 and 0.5: they know that there is a valley, but not quite where. No level exceeds 0.
//!
//! | measured over tasks 1 to 12 and 50 000 uniform points | |
//! |---|---|
//! | distance of two tasks' optima in the unit cube, mean over pairs | 0.22 |
//! | correlation of two tasks, mean over pairs (least, largest) | 0.72 (0.36, 0.98) |
//! | both means in eight fresh sequences | 0.17 to 0.22, 0.69 to 0.81 |
//! | correlation of the levels with the truth, mean over tasks | 0.84, 0.97, 1 |
//! | mean and standard deviation of the truth | -2.55, 0.95 |
//! | regret of another task's optimum, mean over pairs | 1.30 |
//!
//! The ignored tests of `similarity` print these.
//!
//! Noise variance 0.0025: a standard deviation of 0.05, 5 % of that of the values.

use crate::benchmark::{coordinates, levels};
use crate::moved::{Classic, Moved};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Score};

const DIMENSION: usize = 4;
const COSTS: [f64; 3] = [10.0, 20.0, 40.0];
/// How steep the sides of the valley are at each level.
const STEEPNESS: [f64; 3] = [50.0, 75.0, 100.0];
/// By how much the valley lies too low at each level.
const LOWERED: [f64; 3] = [1.0, 0.5, 0.0];
const BOUND: f64 = 2.048;
/// How far a task moves a coordinate at most, in sides.
const FARTHEST: f64 = 0.13;

static CLASSIC: Classic =
    Classic { excess, lowest: &[1.0; DIMENSION], levels: COSTS.len(), unit: 100.0 };

/// The family.
pub(crate) struct Rosenbrock;

impl Family for Rosenbrock {
    fn name(&self) -> &'static str {
        "rosenbrock"
    }

    fn description(&self) -> Description {
        Description {
            space: coordinates(DIMENSION, -BOUND, BOUND),
            fidelities: levels(&["coarse", "medium", "fine"], &COSTS, 0.0025),
            budget: 800.0,
            initial: 2 * DIMENSION + 2,
            tasks: 12,
            offset: -2.55,
            scale: 0.95,
            score: Score::Regret,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let mut stream = Stream::new(master, Problem::Rosenbrock, number, 0);
        let far = if number == 0 { 0.0 } else { 2.0 * BOUND * FARTHEST };
        let shift = (0..DIMENSION).map(|_| stream.between(-far, far)).collect();
        Box::new(Moved::new(&CLASSIC, shift))
    }
}

fn excess(x: &[f64], level: usize) -> f64 {
    let term = |[here, next]: &[f64; 2]| {
        let off = next - here * here + LOWERED[level];
        STEEPNESS[level] * off * off + (1.0 - here) * (1.0 - here)
    };
    x.array_windows().map(term).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_original_has_its_known_values() {
        let task = Rosenbrock.task(MASTER, 0);
        assert_eq!(task.value(&[1.0; 4], 2), 0.0);
        // R(0) = 3 and R(-1, -1, -1, -1) = 3 (400 + 4).
        assert!((task.value(&[0.0; 4], 2) + 1.03_f64.ln()).abs() < 1e-15);
        assert!((task.value(&[-1.0; 4], 2) + 13.12_f64.ln()).abs() < 1e-14);
    }
}
