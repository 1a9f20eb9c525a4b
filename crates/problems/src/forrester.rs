//! Forrester's function in one dimension, moved about.
//!
//! `F(x) = (6 x - 2)^2 sin(12 x - 4)` on [0, 1] has its minimum -6.0207 at 0.7572 and a second, higher
//! one at 0.1426; `F / 2 + 10 (x - 1/2) - 5` is its cheap version (Forrester, Sobester and Keane,
//! Proc. R. Soc. A 463, 2007), whose minimum lies at the wrong one. With `E = F + 6.0207` the value is
//! `-ln(1 + E / 5)`, and the cheap level has `E / 2 + 10 (x + 0.1)` instead: the same function but
//! for a constant, never above 0. A task moves both by up to 0.08 of the side either way, so that the optimum,
//! 0, stays inside and nothing lower comes in at the ends. Task 0 is unmoved.
//!
//! | measured over tasks 1 to 12 and 50 000 uniform points | |
//! |---|---|
//! | distance of two tasks' optima in the unit cube, mean over pairs | 0.05 |
//! | correlation of two tasks, mean over pairs (least, largest) | 0.80 (0.14, 1.00) |
//! | correlation of the levels with the truth, mean over tasks | 0.52, 1 |
//! | mean and standard deviation of the truth | -0.78, 0.37 |
//! | regret of another task's optimum, mean over pairs | 0.25 |
//!
//! The ignored tests of `similarity` print these.
//!
//! Noise variance 0.0025: a standard deviation of 0.05.

use crate::benchmark::{coordinates, levels};
use crate::moved::{Classic, Moved, not_negative};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Score};

const COSTS: [f64; 2] = [10.0, 40.0];
const LOWEST: f64 = 0.757_248_757_7;
const MINIMUM: f64 = -6.020_740_055_767_083;
/// Points of a moved task lie no farther to the left than this.
const LEFT_END: f64 = -0.1;

static CLASSIC: Classic = Classic { excess, lowest: &[LOWEST], levels: COSTS.len(), unit: 5.0 };

/// The family.
pub(crate) struct Forrester;

impl Family for Forrester {
    fn name(&self) -> &'static str {
        "forrester"
    }

    fn description(&self) -> Description {
        Description {
            space: coordinates(1, 0.0, 1.0),
            fidelities: levels(&["cheap", "fine"], &COSTS, 0.0025),
            budget: 800.0,
            initial: 4,
            tasks: 12,
            offset: -0.78,
            scale: 0.37,
            score: Score::Regret,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let mut stream = Stream::new(master, Problem::Forrester, number, 0);
        let by = if number == 0 { 0.0 } else { stream.between(-0.08, 0.08) };
        Box::new(Moved::new(&CLASSIC, vec![by]))
    }
}

fn excess(x: &[f64], level: usize) -> f64 {
    let x = x[0];
    let above = not_negative((6.0 * x - 2.0).powi(2) * (12.0 * x - 4.0).sin() - MINIMUM);
    if level + 1 < COSTS.len() { 0.5 * above + 10.0 * not_negative(x - LEFT_END) } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_original_has_its_known_values() {
        let task = Forrester.task(MASTER, 0);
        assert!(task.optimum().value.abs() < 1e-12);
        let value = |excess: f64| -(1.0 + excess / 5.0).ln();
        assert!((task.value(&[0.0], 1) - value(4.0 * (-4_f64).sin() - MINIMUM)).abs() < 1e-12);
        // The cheap version differs from the published one by a constant.
        let published = |x: f64| {
            let original = (6.0 * x - 2.0).powi(2) * (12.0 * x - 4.0).sin();
            0.5 * original + 10.0 * (x - 0.5) - 5.0
        };
        let constant = excess(&[0.3], 0) - published(0.3);
        for x in [0.0, 0.14, 0.75, 1.0] {
            assert!((excess(&[x], 0) - published(x) - constant).abs() < 1e-12);
        }
    }

    #[test]
    fn no_task_has_anything_better_than_its_optimum() {
        for number in 1..40 {
            let task = Forrester.task(MASTER, number);
            let best = (0..=1000).map(|i| task.value(&[f64::from(i) / 1000.0], 1));
            assert!(best.fold(f64::NEG_INFINITY, f64::max) <= 0.0);
            let place = task.optimum().point[0];
            assert!((0.0..=1.0).contains(&place));
        }
    }
}
