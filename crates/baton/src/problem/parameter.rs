//! A parameter: its name, what it may be, when it is there, and whether it is fixed.

use super::condition::Condition;
use super::domain::Domain;
use super::value::Value;
use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// A named parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// its name, unique in the space
    pub name: String,
    /// what it may be
    pub domain: Domain,
    /// when it is there; always, if nothing is said
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// the one value it has, if it is not searched any more: what was learned at others still counts
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Value>,
}

impl Parameter {
    fn new(name: &str, domain: Domain) -> Self {
        Self { name: name.to_owned(), domain, when: None, fixed: None }
    }

    /// The same, there only where a condition holds: `Parameter::real("momentum", 0.0, 1.0)
    /// .when("optimizer = sgd")?`.
    ///
    /// # Errors
    /// If the condition cannot be understood.
    pub fn when(self, condition: &str) -> Result<Self> {
        Ok(Self { when: Some(Condition::parse(condition)?), ..self })
    }

    /// The same, fixed at a value: `Parameter::real("tilt", 0.0, 10.0).fixed_at(3.0)`.
    #[must_use]
    pub fn fixed_at(self, value: impl Into<Value>) -> Self {
        Self { fixed: Some(value.into()), ..self }
    }

    /// Says what is wrong with it by itself, if anything.
    pub(super) fn check(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            let reason = "a parameter needs a name".to_owned();
            return Err(Error::Parameter { name: self.name.clone(), reason });
        }
        self.domain.check(&self.name)?;
        let mut place = vec![0.0; self.domain.width()];
        self.fixed.iter().try_for_each(|value| self.domain.locate(&self.name, value, &mut place))
    }

    /// How many values there are; `None` for a continuum.
    pub fn count(&self) -> Option<u64> {
        if self.fixed.is_some() { Some(1) } else { self.domain.count() }
    }

    /// The discrete value meant by coordinates; `None` for a continuum.
    pub(super) fn index(&self, coordinates: &[f64]) -> Option<u64> {
        if self.fixed.is_some() { Some(0) } else { self.domain.index(coordinates) }
    }

    /// Writes the coordinates of a discrete value.
    pub(super) fn place(&self, index: u64, coordinates: &mut [f64]) {
        match &self.fixed {
            // It was checked that there is such a value.
            Some(value) => drop(self.domain.locate(&self.name, value, coordinates)),
            None => self.domain.place(index, coordinates),
        }
    }

    /// The value at some coordinates, snapped to a legal one.
    pub(super) fn value(&self, coordinates: &[f64]) -> Value {
        let Some(fixed) = &self.fixed else { return self.domain.value(coordinates) };
        if let (Domain::Real { .. }, Some(number)) = (&self.domain, fixed.number()) {
            return Value::Real(number); // through coordinates it might change its last digit
        }
        let mut place = vec![0.0; coordinates.len()];
        self.place(0, &mut place);
        self.domain.value(&place)
    }

    fn is_at_fixed(&self, coordinates: &[f64]) -> bool {
        let mut place = vec![0.0; coordinates.len()];
        self.place(0, &mut place);
        place == coordinates
    }

    /// Writes the coordinates of a value.
    ///
    /// # Errors
    /// If it cannot take that value.
    pub(super) fn locate(&self, value: &Value, coordinates: &mut [f64]) -> Result<()> {
        self.domain.locate(&self.name, value, coordinates)?;
        match &self.fixed {
            Some(fixed) if !self.is_at_fixed(coordinates) => {
                let reason = format!("it is fixed at {fixed}, and cannot be {value}");
                Err(Error::Parameter { name: self.name.clone(), reason })
            }
            _ => Ok(()),
        }
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
