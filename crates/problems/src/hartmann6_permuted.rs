//! Hartmann-6 with its coordinates in another random order for every task: tasks that only seem to
//! belong together, on which nothing but harm can be transferred.
//!
//! What one coordinate does in one task another does in the next, so places, length scales and the
//! shared function of earlier tasks mislead. Two tasks correlate by less than 0.2 on average.

use crate::hartmann6::{Bumps, DIMENSION, Order, description};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Optimum};

/// The family.
pub(crate) struct Hartmann6Permuted;

impl Family for Hartmann6Permuted {
    fn name(&self) -> &'static str {
        "hartmann6-permuted"
    }

    fn description(&self) -> Description {
        description()
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let bumps = Bumps::shifted(master, number, Order::Printed, [0.0; DIMENSION]);
        Box::new(Permuted { bumps, order: order(master, number) })
    }
}

struct Permuted {
    bumps: Bumps,
    /// coordinate `i` of a point is coordinate `order[i]` of the bumps
    order: [usize; DIMENSION],
}

/// A random order by drawing without replacement.
fn order(master: u64, number: u64) -> [usize; DIMENSION] {
    let mut stream = Stream::new(master, Problem::Hartmann, number, 2);
    let mut order = std::array::from_fn(|i| i);
    for i in (1..DIMENSION).rev() {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // at most i
        let other = (stream.uniform() * (i + 1) as f64) as usize;
        order.swap(i, other.min(i));
    }
    order
}

impl Benchmark for Permuted {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        if point.len() != DIMENSION {
            return f64::NAN;
        }
        let mut sorted = [0.0; DIMENSION];
        for (place, x) in self.order.iter().zip(point) {
            sorted[*place] = *x;
        }
        self.bumps.value(&sorted, level)
    }

    fn optimum(&self) -> Optimum {
        let Optimum { point, value } = self.bumps.optimum();
        Optimum { point: self.order.iter().map(|place| point[*place]).collect(), value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_optimum_is_where_it_is_said_to_be() {
        for number in 1..5 {
            let task = Hartmann6Permuted.task(MASTER, number);
            let best = task.optimum();
            assert!((task.value(&best.point, 3) - best.value).abs() < 1e-9);
        }
        assert_ne!(order(MASTER, 1), order(MASTER, 2));
    }
}
