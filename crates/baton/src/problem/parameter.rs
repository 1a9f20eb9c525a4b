//! A parameter: its name, what it may be, and when it is there.

use super::condition::Condition;
use super::domain::Domain;
use super::value::Value;
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
}

impl Parameter {
    fn new(name: &str, domain: Domain) -> Self {
        Self { name: name.to_owned(), domain, when: None }
    }

    /// The same, there only where a condition holds: `Parameter::real("momentum", 0.0, 1.0)
    /// .when("optimizer = sgd")?`.
    ///
    /// # Errors
    /// If the condition cannot be understood.
    pub fn when(self, condition: &str) -> Result<Self> {
        Ok(Self { when: Some(Condition::parse(condition)?), ..self })
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
