//! Hartmann-6 whose optimum moves: all four bumps are shifted together from task to task.
//!
//! Each coordinate moves by up to 0.15 either way (task 0 is unmoved); nothing is clipped, so that
//! a bump may leave the cube. Over tasks 1 to 12 the optimum of another task has a mean regret of
//! 1.6 and two tasks correlate by 0.66 on average: transfer has to carry more than a good point.

use crate::hartmann6::{Bumps, DIMENSION, Order, description};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family};

/// The family.
pub(crate) struct Hartmann6Shifted;

impl Family for Hartmann6Shifted {
    fn name(&self) -> &'static str {
        "hartmann6-shifted"
    }

    fn description(&self) -> Description {
        description()
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        Box::new(moved(master, number, Order::Printed))
    }
}

/// The moved bumps of a task.
pub(crate) fn moved(master: u64, number: u64, order: Order) -> Bumps {
    Bumps::shifted(master, number, order, shift(master, number))
}

/// By how much the bumps of a task are moved.
fn shift(master: u64, number: u64) -> [f64; DIMENSION] {
    if number == 0 {
        return [0.0; DIMENSION];
    }
    let mut stream = Stream::new(master, Problem::Hartmann, number, 1);
    std::array::from_fn(|_| 0.15 * (2.0 * stream.uniform() - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_optimum_of_another_task_is_a_poor_guess() {
        let tasks: Vec<Bumps> = (1..=6).map(|n| moved(MASTER, n, Order::Printed)).collect();
        let best: Vec<_> = tasks.iter().map(Benchmark::optimum).collect();
        let mut regrets = Vec::new();
        for (task, own) in tasks.iter().zip(&best) {
            for other in best.iter().filter(|other| *other != own) {
                regrets.push(own.value - task.value(&other.point, 3));
            }
        }
        let mean = regrets.iter().sum::<f64>() / regrets.len() as f64;
        assert!(mean > 1.0 && mean < 2.2, "{mean}");
    }
}
