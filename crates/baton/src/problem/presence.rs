//! Which parameters are there at a point, by the values of those that they depend on.
//!
//! A parameter may be there under a condition only. Where it is not, a point has [`Value::Absent`], and its
//! coordinates are the middle of the cube: two points that both lack it do not differ in it.

use super::domain::Domain;
use super::parameter::Parameter;
use super::space::Space;
use super::value::Value;
use crate::Error;
use crate::error::Result;

impl Space {
    /// Whether parameter number `index` is there, by the values of those that it depends on.
    pub(super) fn is_there(&self, index: usize, point: &[Value]) -> bool {
        self.needs[index].as_ref().is_none_or(|needs| needs.holds(&self.parameters, point))
    }

    /// The values at some coordinates, whether they are allowed or not.
    pub(super) fn values(&self, coordinates: &[f64]) -> Vec<Value> {
        let mut point = vec![Value::Absent; self.parameters.len()];
        for index in &self.order {
            if self.is_there(*index, &point) {
                let part = &coordinates[self.ranges[*index].clone()];
                point[*index] = self.parameters[*index].value(part);
            }
        }
        point
    }

    /// Whether a parameter is there; refuses a value where it is not, and none where it is.
    pub(super) fn check_there(&self, index: usize, value: &Value, point: &[Value]) -> Result<bool> {
        let Parameter { name, when, .. } = &self.parameters[index];
        let is_there = self.is_there(index, point);
        let reason = match (is_there, value, when) {
            (true, Value::Absent, Some(when)) => format!("it has no value, although {when}"),
            (true, Value::Absent, None) => "it has no value".to_owned(),
            (false, Value::Absent, _) | (true, ..) => return Ok(is_there),
            (false, value, Some(when)) => {
                format!("it is {value}, but it is there only when {when}; leave it out")
            }
            (false, ..) => return Ok(false),
        };
        Err(Error::Parameter { name: name.clone(), reason })
    }

    /// What is there at a point, with its values.
    pub fn present<'a>(
        &'a self,
        point: &'a [Value],
    ) -> impl Iterator<Item = (&'a Parameter, &'a Value)> {
        self.parameters.iter().zip(point).filter(|(_, value)| !value.is_absent())
    }

    /// A point with another value for one parameter, completed.
    pub fn varied(&self, point: &[Value], index: usize, value: &Value) -> Vec<Value> {
        let mut varied = point.to_vec();
        varied[index] = value.clone();
        self.completed(&varied)
    }

    /// A point of which something was changed: what is there no more goes, what is there now has the middle
    /// of its range.
    pub fn completed(&self, point: &[Value]) -> Vec<Value> {
        let mut completed = vec![Value::Absent; self.parameters.len()];
        for index in &self.order {
            if !self.is_there(*index, &completed) {
                continue;
            }
            completed[*index] = match &point[*index] {
                Value::Absent => {
                    let parameter = &self.parameters[*index];
                    let mut middle = vec![0.0; parameter.domain.width()];
                    Domain::place_absent(&mut middle);
                    parameter.value(&middle)
                }
                known => known.clone(),
            };
        }
        completed
    }

    /// The most parameters that are there at once, among points all over the space.
    pub fn most_at_once(&self) -> usize {
        if !self.is_conditional() {
            return self.parameters.len();
        }
        let count = |coordinates: &[f64]| self.present(&self.values(coordinates)).count();
        let points = self.sample();
        (0..points.ncols()).map(|j| count(points.col_as_slice(j))).max().unwrap_or(0)
    }
}
