//! The space of points: named parameters, and their way to the unit cube and back.
//!
//! What is there at a point is found in `presence`, and what is forbidden is left in `forbidden`: every
//! point that comes from coordinates is legal, whoever made them.

use super::condition::{Bound, Condition, Use};
use super::domain::Domain;
use super::order::in_order;
use super::parameter::Parameter;
use super::value::Value;
use crate::Error;
use crate::error::{Result, same_size};
use std::ops::Range;

/// A checked list of parameters, and what is forbidden of their combinations.
#[derive(Debug, Clone, PartialEq)]
pub struct Space {
    pub(super) parameters: Vec<Parameter>,
    /// of each parameter
    pub(super) ranges: Vec<Range<usize>>,
    /// parameters, those that others depend on before these
    pub(super) order: Vec<usize>,
    /// when each is there
    pub(super) needs: Vec<Option<Bound>>,
    pub(super) bans: Bans,
}

/// What is forbidden in a space.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Bans {
    pub lines: Vec<Condition>,
    pub bound: Vec<Bound>,
    /// allowed places all over the space
    pub anchors: Vec<Vec<f64>>,
}

impl Bans {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

impl Space {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If there are none, two share a name, one cannot take any value, or a condition does not fit.
    pub fn new(parameters: impl Into<Vec<Parameter>>) -> Result<Self> {
        let parameters = parameters.into();
        if parameters.is_empty() {
            let must = "at least 1";
            return Err(Error::OutOfRange { what: "number of parameters", value: 0.0, must });
        }
        for (i, parameter) in parameters.iter().enumerate() {
            let name = &parameter.name;
            let refuse = |reason: &str| {
                Err(Error::Parameter { name: name.clone(), reason: reason.to_owned() })
            };
            if parameters[..i].iter().any(|earlier| earlier.name == *name) {
                return refuse("the name occurs twice");
            }
            parameter.check()?;
        }
        let bound = |parameter: &Parameter| {
            let when = parameter.when.as_ref();
            when.map(|when| Bound::new(when, &parameters, Use::When)).transpose()
        };
        let needs = parameters.iter().map(bound).collect::<Result<Vec<_>>>()?;
        let order = in_order(&parameters, &needs)?;
        let mut start = 0;
        let range = |parameter: &Parameter| {
            let range = start..start + parameter.domain.width();
            start = range.end;
            range
        };
        let ranges = parameters.iter().map(range).collect();
        Ok(Self { parameters, ranges, order, needs, bans: Bans::default() })
    }

    /// The parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Coordinates of a point in the unit cube.
    pub fn dimension(&self) -> usize {
        self.ranges.last().map_or(0, |range| range.end)
    }

    /// Whether some parameters are there under a condition only.
    pub fn is_conditional(&self) -> bool {
        self.needs.iter().any(Option::is_some)
    }

    /// Whether every combination of values is a point.
    pub fn is_plain(&self) -> bool {
        let is_searched = |parameter: &Parameter| parameter.fixed.is_none();
        !self.is_conditional() && self.bans.is_empty() && self.parameters.iter().all(is_searched)
    }

    /// Parameters with their coordinates.
    pub(super) fn places(&self) -> impl Iterator<Item = (&Parameter, Range<usize>)> {
        self.parameters.iter().zip(self.ranges.iter().cloned())
    }

    /// The coordinates of some parameters.
    pub(crate) fn coordinates_of(&self, parameters: &[usize]) -> Vec<usize> {
        parameters.iter().flat_map(|parameter| self.ranges[*parameter].clone()).collect()
    }

    pub(super) fn first_coordinate(&self, index: usize) -> usize {
        self.ranges[index].start
    }

    /// The legal point nearest to some coordinates.
    ///
    /// # Errors
    /// If the number of coordinates does not fit.
    pub fn point(&self, coordinates: &[f64]) -> Result<Vec<Value>> {
        same_size("coordinates of the point", self.dimension(), coordinates.len())?;
        if self.bans.is_empty() {
            return Ok(self.values(coordinates));
        }
        let mut allowed = coordinates.to_vec();
        self.snap(&mut allowed);
        Ok(self.values(&allowed))
    }

    /// The coordinates of a point, which may be a forbidden one.
    ///
    /// # Errors
    /// If a value is missing, too many, or not one the parameter can take.
    pub fn coordinates(&self, point: &[Value]) -> Result<Vec<f64>> {
        Ok(self.located(point)?.0)
    }

    /// The one way to write a point: discrete values as they are listed, others as real numbers.
    ///
    /// # Errors
    /// As [`Space::coordinates`].
    pub fn canonical(&self, point: &[Value]) -> Result<Vec<Value>> {
        Ok(self.located(point)?.1)
    }

    /// The coordinates of a point, and the one way to write it.
    fn located(&self, point: &[Value]) -> Result<(Vec<f64>, Vec<Value>)> {
        same_size("values of the point", self.parameters.len(), point.len())?;
        let mut coordinates = vec![0.0; self.dimension()];
        let mut written = vec![Value::Absent; point.len()];
        for index in &self.order {
            let (parameter, value) = (&self.parameters[*index], &point[*index]);
            let value = match &parameter.fixed {
                // Nobody has to say it.
                Some(fixed) if value.is_absent() && self.is_there(*index, &written) => fixed,
                _ => value,
            };
            let part = &mut coordinates[self.ranges[*index].clone()];
            if !self.check_there(*index, value, &written)? {
                Domain::place_absent(part);
                continue;
            }
            parameter.locate(value, part)?;
            written[*index] = match (parameter.count(), value.number()) {
                // Through the coordinates and back a real number might change its last digit.
                (None, Some(number)) => Value::Real(number),
                _ => parameter.value(part),
            };
        }
        Ok((coordinates, written))
    }

    /// Moves coordinates to the nearest legal point.
    pub fn snap(&self, coordinates: &mut [f64]) {
        self.round(coordinates);
        self.leave_forbidden(coordinates);
    }

    /// The same coordinates, those of what is absent at their place, and none of a forbidden point.
    pub fn settled(&self, mut coordinates: Vec<f64>) -> Vec<f64> {
        if !self.is_plain() {
            self.snap(&mut coordinates);
        }
        coordinates
    }

    /// Moves coordinates to the nearest values, and what is not there to its place.
    pub(super) fn round(&self, coordinates: &mut [f64]) {
        let point = self.is_conditional().then(|| self.values(coordinates));
        for (i, (parameter, range)) in self.places().enumerate() {
            let part = &mut coordinates[range];
            if point.as_ref().is_some_and(|point| point[i].is_absent()) {
                Domain::place_absent(part);
                continue;
            }
            match parameter.index(part) {
                Some(index) => parameter.place(index, part),
                None => part[0] = part[0].clamp(0.0, 1.0),
            }
        }
    }

    /// Which coordinates may be moved by any small amount at a legal point: those of continuous parameters
    /// that are there.
    pub fn free(&self, coordinates: &[f64]) -> Vec<bool> {
        let mut free = self.continuous();
        if self.is_conditional() {
            for (range, value) in self.ranges.iter().zip(self.values(coordinates)) {
                if value.is_absent() {
                    free[range.clone()].fill(false);
                }
            }
        }
        free
    }

    /// Which coordinates belong to continuous parameters.
    pub fn continuous(&self) -> Vec<bool> {
        let mut result = vec![false; self.dimension()];
        for (parameter, range) in self.places() {
            result[range].fill(parameter.count().is_none());
        }
        result
    }

    /// The coordinates along which more and less mean something, at every point.
    pub fn graded(&self) -> Vec<usize> {
        let mut always = vec![true; self.dimension()];
        for ((parameter, range), needs) in self.places().zip(&self.needs) {
            always[range].fill(needs.is_none() && parameter.fixed.is_none());
        }
        let graded = |(j, grain): (usize, Option<f64>)| grain.filter(|_| always[j]).map(|_| j);
        self.grains().into_iter().enumerate().filter_map(graded).collect()
    }

    /// For each coordinate along which more and less mean something, the share of the cube's side that
    /// one of its values stands for: 0 for a continuum.
    pub fn grains(&self) -> Vec<Option<f64>> {
        let mut grains = vec![None; self.dimension()];
        for (parameter, range) in self.places() {
            if !matches!(parameter.domain, Domain::Choice { .. }) {
                let grain = parameter.count().map_or(0.0, |count| 1.0 / count as f64);
                grains[range].fill(Some(grain));
            }
        }
        grains
    }

    /// Combinations of the ends of ranges and of choices.
    pub fn corners(&self) -> u64 {
        let ends = |parameter: &Parameter| match (&parameter.domain, parameter.count()) {
            (Domain::Choice { .. }, Some(count)) => count,
            (_, count) => count.map_or(2, |count| count.min(2)),
        };
        self.parameters.iter().fold(1, |all, parameter| all.saturating_mul(ends(parameter)))
    }
}

/// Folds a coordinate that left the unit interval back into it.
pub(crate) fn reflect(u: f64) -> f64 {
    if u < 0.0 {
        (-u).min(1.0)
    } else if u > 1.0 {
        (2.0 - u).max(0.0)
    } else {
        u
    }
}
