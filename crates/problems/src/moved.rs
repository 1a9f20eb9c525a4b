//! Classical test functions made into tasks: moved about, and their losses put on a log scale.
//!
//! A classical function is minimised; its excess over the minimum becomes the value
//! `-ln(1 + excess / unit)`, which is of order one everywhere and never above 0, the optimum, at
//! any level. A task translates the function; how far is drawn such that the optimum stays inside
//! the box.

use crate::stream::Stream;
use crate::{Benchmark, Optimum};

/// A classical function with its coarser versions.
pub(crate) struct Classic {
    /// excess over the minimum at a level that exists; never negative
    pub excess: fn(&[f64], usize) -> f64,
    /// where the last level has no excess
    pub lowest: &'static [f64],
    /// how many levels there are
    pub levels: usize,
    /// the excess that costs ln 2
    pub unit: f64,
}

/// What rounding took below zero; what is no number stays none.
pub(crate) fn not_negative(excess: f64) -> f64 {
    if excess < 0.0 { 0.0 } else { excess }
}

/// One task: the function translated.
pub(crate) struct Moved {
    classic: &'static Classic,
    shift: Vec<f64>,
}

impl Moved {
    /// The function moved by `shift`, in raw units.
    pub fn new(classic: &'static Classic, shift: Vec<f64>) -> Self {
        Self { classic, shift }
    }

    /// The function with every second coordinate, from the first on, moved by up to `far` either way.
    pub fn every_second(classic: &'static Classic, far: f64, stream: &mut Stream) -> Self {
        let mut shift = vec![0.0; classic.lowest.len()];
        for by in shift.iter_mut().step_by(2) {
            *by = stream.between(-far, far);
        }
        Self::new(classic, shift)
    }
}

impl Benchmark for Moved {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        if point.len() != self.classic.lowest.len() || level >= self.classic.levels {
            return f64::NAN;
        }
        let unmoved: Vec<f64> = point.iter().zip(&self.shift).map(|(x, by)| x - by).collect();
        // Subtracted, so that no loss is 0 and not -0.
        0.0 - ((self.classic.excess)(&unmoved, level) / self.classic.unit).ln_1p()
    }

    fn optimum(&self) -> Optimum {
        let point: Vec<f64> =
            self.classic.lowest.iter().zip(&self.shift).map(|(x, by)| x + by).collect();
        let value = self.value(&point, self.classic.levels - 1);
        Optimum { point, value }
    }
}
