//! An ascent beside what is forbidden.
//!
//! A trial point that is forbidden stands for the allowed place beside it, and of the slope there the part
//! along the borders is left: a climber slides along them, and finds an optimum that lies on one.

use crate::problem::{Beside, Space, take_out};
use baton_numerics::ascent::Height;
use baton_numerics::{Mat, MatRef};

/// Each of length one.
type Directions = Vec<Vec<f64>>;

/// The places that trial points stand for.
pub(super) struct Allowed {
    pub places: Mat<f64>,
    /// of each point the borders that were crossed, nothing where no allowed place was found; `None` where
    /// nothing is forbidden
    borders: Option<Vec<Option<Directions>>>,
}

impl Allowed {
    pub(super) fn of(space: &Space, trials: MatRef<'_, f64>) -> Self {
        let mut places = trials.to_owned();
        if space.forbidden().is_empty() {
            return Self { places, borders: None };
        }
        let mut borders = Vec::new();
        for j in 0..places.ncols() {
            let beside = space.beside(places.col_as_slice(j));
            borders.push(beside.map(|Beside { coordinates, across }| {
                places.col_as_slice_mut(j).copy_from_slice(&coordinates);
                across
            }));
        }
        Self { places, borders: Some(borders) }
    }

    /// The place that a point stands for.
    pub(super) fn place(space: &Space, point: Vec<f64>) -> Option<Vec<f64>> {
        if space.forbidden().is_empty() {
            return Some(point);
        }
        space.beside(&point).map(|beside| beside.coordinates)
    }

    /// The height of a trial point, by that of the place it stands for; none that is a number, where there
    /// is no such place.
    pub(super) fn height(&self, j: usize, mut there: Height) -> Height {
        match self.borders.as_ref().map(|borders| &borders[j]) {
            None => there,
            Some(None) => Height { value: f64::NAN, ..there },
            Some(Some(across)) => {
                for direction in across {
                    take_out(&mut there.slope, direction);
                }
                there
            }
        }
    }
}
