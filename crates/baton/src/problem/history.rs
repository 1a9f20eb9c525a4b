//! Observations of one task, in the order in which they were told.
//!
//! Points lie in the unit cube, levels count from 0 (the cheapest) and the last level is the truth,
//! values are in the surrogate's units and larger is better.

use crate::Error;
use crate::error::{Result, all_finite, same_size};
use baton_numerics::MatRef;

/// `D_{n,t}` of (7): points, levels and values.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    dimension: usize,
    /// coordinates of all points, one point after the other
    coordinates: Vec<f64>,
    levels: Vec<usize>,
    values: Vec<f64>,
}

impl History {
    /// No observations yet.
    pub fn new(dimension: usize) -> Self {
        Self { dimension, coordinates: Vec::new(), levels: Vec::new(), values: Vec::new() }
    }

    /// Adds an observation.
    ///
    /// # Errors
    /// If the point has another dimension, or a coordinate or the value is not finite.
    pub fn push(&mut self, point: &[f64], level: usize, value: f64) -> Result<()> {
        same_size("coordinates of the point", self.dimension, point.len())?;
        all_finite("coordinate", point)?;
        if !value.is_finite() {
            return Err(Error::NotFinite { what: "observation", index: self.len(), value });
        }
        self.coordinates.extend_from_slice(point);
        self.levels.push(level);
        self.values.push(value);
        Ok(())
    }

    /// Number of observations.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of coordinates of a point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All points, one column each (`dimension` x `len`).
    pub fn points(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.coordinates, self.dimension, self.len())
    }

    /// One point.
    pub fn point(&self, index: usize) -> &[f64] {
        &self.coordinates[index * self.dimension..(index + 1) * self.dimension]
    }

    /// The level of every observation.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// The value of every observation.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_observation_leaves_no_trace() {
        let mut history = History::new(2);
        history.push(&[0.1, 0.2], 1, 3.0).unwrap();
        assert!(history.push(&[0.1], 0, 1.0).is_err());
        assert!(history.push(&[0.1, f64::NAN], 0, 1.0).is_err());
        let refused = history.push(&[0.1, 0.2], 0, f64::INFINITY).unwrap_err();
        assert_eq!(refused.to_string(), "observation 1 is inf, not a finite number");
        assert_eq!(history.len(), 1);
        assert_eq!(history.points()[(1, 0)], 0.2);
    }
}
