//! Hartmann-6: four Gaussian bumps in the unit cube, their widths varied from task to task.
//!
//! `f^(m)(x) = sum_i a_im exp(-sum_j Delta_ij A_ij (x_j - P_ij)^2)`, `Delta_ij` uniform in
//! (0.8, 1.2) per task and 1 in task 0. Of the matrix of heights `a`, printed with MFT-MES
//! (arXiv 2403.09570, eq. 68), column m is taken literally as fidelity m; the multi-fidelity code
//! it stems from counts the columns the other way round, which the order `Reference` does. Only the
//! printed order has no level that exceeds the truth's optimum.

use crate::ascent::highest;
use crate::benchmark::{coordinates, levels};
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Optimum, Score};
use baton_numerics::ascent::{Bounds, Height};
use std::sync::OnceLock;

pub(crate) const BUMPS: usize = 4;
pub(crate) const DIMENSION: usize = 6;
pub(crate) const LEVELS: usize = 4;

/// How quickly a bump falls off along each coordinate.
const STEEPNESS: [[f64; DIMENSION]; BUMPS] = [
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
    [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
    [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
];

/// Where the bumps are, in units of 1e-4.
const CENTRES: [[f64; DIMENSION]; BUMPS] = [
    [1312.0, 1696.0, 5569.0, 124.0, 8283.0, 5886.0],
    [2329.0, 4135.0, 8307.0, 3736.0, 1004.0, 9991.0],
    [2348.0, 1451.0, 3522.0, 2883.0, 3047.0, 6650.0],
    [4047.0, 8828.0, 8732.0, 5743.0, 1091.0, 381.0],
];

/// Heights of the bumps, one row per printed column.
const HEIGHTS: [[f64; BUMPS]; LEVELS] =
    [[1.0, 1.2, 3.0, 3.2], [1.01, 1.19, 2.9, 3.3], [1.02, 1.18, 2.8, 3.4], [1.03, 1.17, 2.7, 3.5]];

const UNIFORM_STARTS: usize = 16;

/// Which printed column is the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// the last
    Printed,
    /// the first
    Reference,
}

/// The family.
pub(crate) struct Hartmann6 {
    order: Order,
}

impl Hartmann6 {
    /// Columns as printed.
    pub fn printed() -> Self {
        Self { order: Order::Printed }
    }

    /// Columns reversed.
    pub fn reference() -> Self {
        Self { order: Order::Reference }
    }
}

impl Family for Hartmann6 {
    fn name(&self) -> &'static str {
        match self.order {
            Order::Printed => "hartmann6",
            Order::Reference => "hartmann6-reference",
        }
    }

    fn description(&self) -> Description {
        description()
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        Box::new(Bumps::new(master, number, self.order))
    }
}

/// What the plain and the shifted family have in common.
pub(crate) fn description() -> Description {
    Description {
        space: coordinates(DIMENSION, 0.0, 1.0),
        fidelities: levels(&["m1", "m2", "m3", "m4"], &[10.0, 15.0, 20.0, 25.0], 0.1),
        budget: 500.0,
        initial: 2 * DIMENSION + 2,
        tasks: 10,
        offset: 0.0,
        scale: 1.0,
        score: Score::Regret,
    }
}

/// The bumps of one task.
pub(crate) struct Bumps {
    order: Order,
    /// `Delta`
    widths: [[f64; DIMENSION]; BUMPS],
    shift: [f64; DIMENSION],
    centres: [[f64; DIMENSION]; BUMPS],
    /// where the ascent starts besides the centres
    starts: Vec<Vec<f64>>,
    optimum: OnceLock<Optimum>,
}

impl Bumps {
    /// Task `number` with its bumps where they belong.
    pub fn new(master: u64, number: u64, order: Order) -> Self {
        Self::shifted(master, number, order, [0.0; DIMENSION])
    }

    /// Task `number` with all its bumps moved.
    pub fn shifted(master: u64, number: u64, order: Order, shift: [f64; DIMENSION]) -> Self {
        let mut stream = Stream::new(master, Problem::Hartmann, number, 0);
        let mut widths = [[1.0; DIMENSION]; BUMPS];
        if number > 0 {
            for width in widths.iter_mut().flatten() {
                *width = 0.8 + 0.4 * stream.uniform();
            }
        }
        let mut centres = CENTRES;
        for row in &mut centres {
            for (centre, by) in row.iter_mut().zip(shift) {
                *centre = *centre * 1e-4 + by;
            }
        }
        let mut stream = Stream::new(master, Problem::Hartmann, number, 2);
        let mut start = |_| (0..DIMENSION).map(|_| stream.uniform()).collect();
        let starts = (0..UNIFORM_STARTS).map(&mut start).collect();
        Self { order, widths, shift, centres, starts, optimum: OnceLock::new() }
    }

    /// `Delta`, one row per bump.
    pub fn widths(&self) -> &[[f64; DIMENSION]; BUMPS] {
        &self.widths
    }

    /// By how much all bumps are moved.
    pub fn shift(&self) -> &[f64; DIMENSION] {
        &self.shift
    }

    fn heights(&self, level: usize) -> Option<&'static [f64; BUMPS]> {
        match self.order {
            Order::Printed => HEIGHTS.get(level),
            Order::Reference => HEIGHTS.get((LEVELS - 1).checked_sub(level)?),
        }
    }

    /// The share of its height that bump `i` has at a point.
    fn share(&self, i: usize, point: &[f64]) -> f64 {
        let falls = (0..DIMENSION)
            .map(|j| self.widths[i][j] * STEEPNESS[i][j] * (point[j] - self.centres[i][j]).powi(2));
        (-falls.sum::<f64>()).exp()
    }

    /// Value and gradient.
    fn height(&self, point: &[f64], heights: &[f64; BUMPS]) -> Height {
        let mut height = Height { value: 0.0, slope: vec![0.0; DIMENSION] };
        for (i, top) in heights.iter().enumerate() {
            let part = top * self.share(i, point);
            height.value += part;
            for (j, slope) in height.slope.iter_mut().enumerate() {
                let steepness = self.widths[i][j] * STEEPNESS[i][j];
                *slope -= 2.0 * part * steepness * (point[j] - self.centres[i][j]);
            }
        }
        height
    }

    /// The best point of any level; `None` if there is no such level.
    pub fn best_of(&self, level: usize) -> Option<Optimum> {
        let heights = self.heights(level)?;
        let mut starts = self.starts.clone();
        starts.extend(self.centres.iter().map(|c| c.map(|x| x.clamp(0.0, 1.0)).to_vec()));
        let bounds = Bounds::unit_cube(DIMENSION);
        Some(highest(&starts, &bounds, |point| self.height(point, heights)))
    }

    /// Which bump a point is nearest to, in the bump's own measure of distance.
    pub fn basin(&self, point: &[f64]) -> usize {
        let share = |i: usize| if point.len() == DIMENSION { self.share(i, point) } else { 0.0 };
        (0..BUMPS).max_by(|a, b| share(*a).total_cmp(&share(*b))).unwrap_or(0)
    }
}

impl Benchmark for Bumps {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        match self.heights(level).filter(|_| point.len() == DIMENSION) {
            Some(heights) => (0..BUMPS).map(|i| heights[i] * self.share(i, point)).sum(),
            None => f64::NAN,
        }
    }

    fn optimum(&self) -> Optimum {
        let missing = || Optimum { point: Vec::new(), value: f64::NAN };
        self.optimum.get_or_init(|| self.best_of(LEVELS - 1).unwrap_or_else(missing)).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let task = Bumps::new(MASTER, 3, Order::Printed);
        for (start, heights) in task.starts.iter().zip(HEIGHTS.iter().cycle()) {
            let slope = task.height(start, heights).slope;
            for j in 0..DIMENSION {
                let at = |step: f64| {
                    let mut point = start.clone();
                    point[j] += step;
                    task.height(&point, heights).value
                };
                let step = 1e-5;
                let difference = (at(step) - at(-step)) / (2.0 * step);
                assert!((slope[j] - difference).abs() < 1e-8, "{} {difference}", slope[j]);
            }
        }
    }

    #[test]
    fn the_original_has_its_published_optimum() {
        let best = Bumps::new(MASTER, 0, Order::Reference).optimum();
        assert!((best.value - 3.322_368_011_415_5).abs() < 1e-11, "{best:?}");
        let published = [0.20169, 0.150_01, 0.47687, 0.27533, 0.31165, 0.65730];
        assert!(best.point.iter().zip(published).all(|(a, b)| (a - b).abs() < 1e-5), "{best:?}");
    }

    #[test]
    fn in_the_printed_order_no_level_exceeds_the_truth() {
        for number in 0..4 {
            let task = Bumps::new(MASTER, number, Order::Printed);
            let best: Vec<f64> = (0..LEVELS).map(|m| task.best_of(m).unwrap().value).collect();
            assert!(best.iter().all(|value| *value <= best[LEVELS - 1]), "{best:?}");
        }
    }
}
