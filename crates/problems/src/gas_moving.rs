//! The gas release whose source differs from task to task, besides the sensors.
//!
//! Rate in [800, 2500) g/s, x0 in [-80, 80), y0 in [-20, 20), z0 in [2, 8) m; task 0 has the source
//! of the plain family. Over tasks 1 to 12 the source of another task has a mean regret of 0.74 and
//! two tasks correlate by 0.67 on average.

use crate::gas::{Objective, Release, TRUE_SOURCE, description};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family};

/// The family.
pub(crate) struct GasMoving;

impl Family for GasMoving {
    fn name(&self) -> &'static str {
        "gas-moving"
    }

    fn description(&self) -> Description {
        description()
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        Box::new(release(master, number))
    }
}

/// The release of a task.
pub(crate) fn release(master: u64, number: u64) -> Release {
    Release::new(master, number, source(master, number), Objective::Logarithmic)
}

fn source(master: u64, number: u64) -> [f64; 4] {
    if number == 0 {
        return TRUE_SOURCE;
    }
    let mut stream = Stream::new(master, Problem::Gas, number, 1);
    let ranges = [(800.0, 1700.0), (-80.0, 160.0), (-20.0, 40.0), (2.0, 6.0)];
    ranges.map(|(least, width)| least + width * stream.uniform())
}
