//! The space of points: named parameters, and their way to the unit cube and back.

use super::domain::Domain;
use super::value::Value;
use crate::Error;
use crate::error::{Result, same_size};
use baton_numerics::Mat;
use serde::{Deserialize, Serialize};

/// A named parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// its name, unique in the space
    pub name: String,
    /// what it may be
    pub domain: Domain,
}

impl Parameter {
    fn new(name: &str, domain: Domain) -> Self {
        Self { name: name.to_owned(), domain }
    }

    /// Any number between two bounds.
    pub fn real(name: &str, low: f64, high: f64) -> Self {
        Self::new(name, Domain::Real { low, high, log: false })
    }

    /// Any number between two positive bounds, on a log scale.
    pub fn log(name: &str, low: f64, high: f64) -> Self {
        Self::new(name, Domain::Real { low, high, log: true })
    }

    /// Whole numbers from `low` to `high`.
    pub fn integer(name: &str, low: i64, high: i64) -> Self {
        Self::new(name, Domain::Integer { low, high, log: false })
    }

    /// `low, low + step, ..` up to `high`.
    pub fn stepped(name: &str, low: f64, high: f64, step: f64) -> Self {
        Self::new(name, Domain::Stepped { low, high, step })
    }

    /// Values in a meaningful order.
    pub fn ordered<V: Into<Value>>(name: &str, choices: impl IntoIterator<Item = V>) -> Self {
        let choices = choices.into_iter().map(Into::into).collect();
        Self::new(name, Domain::Ordered { choices })
    }

    /// Values without an order.
    pub fn choice<V: Into<Value>>(name: &str, choices: impl IntoIterator<Item = V>) -> Self {
        let choices = choices.into_iter().map(Into::into).collect();
        Self::new(name, Domain::Choice { choices })
    }
}

/// A checked list of parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<Parameter>", into = "Vec<Parameter>")]
pub struct Space {
    parameters: Vec<Parameter>,
}

impl TryFrom<Vec<Parameter>> for Space {
    type Error = Error;

    fn try_from(parameters: Vec<Parameter>) -> Result<Self> {
        Self::new(parameters)
    }
}

impl From<Space> for Vec<Parameter> {
    fn from(space: Space) -> Self {
        space.parameters
    }
}

impl Space {
    /// Checks the parameters.
    ///
    /// # Errors
    /// If there are none, two share a name, or one cannot take any value.
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
            if name.trim().is_empty() {
                return refuse("a parameter needs a name");
            }
            if parameters[..i].iter().any(|earlier| earlier.name == *name) {
                return refuse("the name occurs twice");
            }
            parameter.domain.check(name)?;
        }
        Ok(Self { parameters })
    }

    /// The parameters in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Coordinates of a point in the unit cube.
    pub fn dimension(&self) -> usize {
        self.parameters.iter().map(|parameter| parameter.domain.width()).sum()
    }

    /// Parameters with the first and the end of their coordinates.
    fn places(&self) -> impl Iterator<Item = (&Parameter, std::ops::Range<usize>)> {
        let mut start = 0;
        self.parameters.iter().map(move |parameter| {
            let range = start..start + parameter.domain.width();
            start = range.end;
            (parameter, range)
        })
    }

    /// The legal point nearest to some coordinates.
    ///
    /// # Errors
    /// If the number of coordinates does not fit.
    pub fn point(&self, coordinates: &[f64]) -> Result<Vec<Value>> {
        same_size("coordinates of the point", self.dimension(), coordinates.len())?;
        let value = |(parameter, range): (&Parameter, std::ops::Range<usize>)| {
            parameter.domain.value(&coordinates[range])
        };
        Ok(self.places().map(value).collect())
    }

    /// The coordinates of a point.
    ///
    /// # Errors
    /// If a value is missing, too many, or not one the parameter can take.
    pub fn coordinates(&self, point: &[Value]) -> Result<Vec<f64>> {
        same_size("values of the point", self.parameters.len(), point.len())?;
        let mut result = vec![0.0; self.dimension()];
        for ((parameter, range), value) in self.places().zip(point) {
            parameter.domain.locate(&parameter.name, value, &mut result[range])?;
        }
        Ok(result)
    }

    /// The one way to write a point: discrete values as they are listed, others as real numbers.
    ///
    /// # Errors
    /// As [`Space::coordinates`].
    pub fn canonical(&self, point: &[Value]) -> Result<Vec<Value>> {
        let coordinates = self.coordinates(point)?;
        let written =
            |((parameter, range), value): ((&Parameter, std::ops::Range<usize>), &Value)| {
                match (parameter.domain.count(), value.number()) {
                    // Through the coordinates and back a real number might change its last digit.
                    (None, Some(number)) => Value::Real(number),
                    _ => parameter.domain.value(&coordinates[range]),
                }
            };
        Ok(self.places().zip(point).map(written).collect())
    }

    /// Moves coordinates to the nearest legal point.
    pub fn snap(&self, coordinates: &mut [f64]) {
        for (parameter, range) in self.places() {
            let part = &mut coordinates[range];
            match parameter.domain.index(part) {
                Some(index) => parameter.domain.place(index, part),
                None => part[0] = part[0].clamp(0.0, 1.0),
            }
        }
    }

    /// Which coordinates belong to continuous parameters.
    pub fn continuous(&self) -> Vec<bool> {
        let mut result = vec![false; self.dimension()];
        for (parameter, range) in self.places() {
            result[range].fill(parameter.domain.count().is_none());
        }
        result
    }

    /// The coordinates along which more and less mean something.
    pub fn graded(&self) -> Vec<usize> {
        let graded = |(j, grain): (usize, Option<f64>)| grain.map(|_| j);
        self.grains().into_iter().enumerate().filter_map(graded).collect()
    }

    /// For each coordinate along which more and less mean something, the share of the cube's side that
    /// one of its values stands for: 0 for a continuum.
    pub fn grains(&self) -> Vec<Option<f64>> {
        let mut grains = vec![None; self.dimension()];
        for (parameter, range) in self.places() {
            if !matches!(parameter.domain, Domain::Choice { .. }) {
                let grain = parameter.domain.count().map_or(0.0, |count| 1.0 / count as f64);
                grains[range].fill(Some(grain));
            }
        }
        grains
    }

    /// Combinations of the ends of ranges and of choices.
    pub fn corners(&self) -> u64 {
        let ends = |domain: &Domain| match domain {
            Domain::Choice { choices } => choices.len() as u64,
            other => other.count().map_or(2, |count| count.min(2)),
        };
        self.parameters.iter().fold(1, |all, p| all.saturating_mul(ends(&p.domain)))
    }

    /// All points, one column each, if there are at most `limit`.
    pub fn enumerate(&self, limit: u64) -> Option<Mat<f64>> {
        let counts: Vec<u64> =
            self.parameters.iter().map(|p| p.domain.count()).collect::<Option<_>>()?;
        let total = counts.iter().try_fold(1_u64, |product, count| product.checked_mul(*count))?;
        if total > limit {
            return None;
        }
        let mut points = Mat::zeros(self.dimension(), usize::try_from(total).ok()?);
        for j in 0..points.ncols() {
            let mut rest = j as u64;
            for ((parameter, range), count) in self.places().zip(&counts) {
                parameter.domain.place(rest % count, &mut points.col_as_slice_mut(j)[range]);
                rest /= count;
            }
        }
        Some(points)
    }

    /// The points that differ from a legal one in one discrete parameter: every other choice, and
    /// steps of 1, 2, 4, .. values up and down an ordered one.
    pub fn neighbours(&self, coordinates: &[f64]) -> Vec<Vec<f64>> {
        let mut result = Vec::new();
        for (parameter, range) in self.places() {
            let domain = &parameter.domain;
            let (Some(count), Some(index)) =
                (domain.count(), domain.index(&coordinates[range.clone()]))
            else {
                continue;
            };
            for other in nearby(domain, index, count) {
                let mut moved = coordinates.to_vec();
                domain.place(other, &mut moved[range.clone()]);
                result.push(moved);
            }
        }
        result
    }
}

fn nearby(domain: &Domain, index: u64, count: u64) -> Vec<u64> {
    if matches!(domain, Domain::Choice { .. }) {
        return (0..count).filter(|other| *other != index).collect();
    }
    let jumps = (0..63).map(|power| 1_u64 << power).take_while(|jump| *jump < count);
    jumps
        .flat_map(|jump| [index.checked_sub(jump), index.checked_add(jump)])
        .flatten()
        .filter(|other| *other < count)
        .collect()
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
