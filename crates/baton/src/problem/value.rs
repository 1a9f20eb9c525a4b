//! A value of one parameter, as the user writes and reads it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number, a word, yes or no, or nothing; or that there is no value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// yes or no
    Flag(bool),
    /// a whole number
    Integer(i64),
    /// any finite number
    Real(f64),
    /// a word
    Text(String),
    /// nothing, as Python's `None`
    Nothing,
    /// the parameter is not there at this point; kept as `{}`
    #[serde(serialize_with = "absent::write", deserialize_with = "absent::read")]
    Absent,
}

/// How an absent value is kept: as an object without entries, which no value is.
mod absent {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Nothing {}

    pub(super) fn write<S: Serializer>(out: S) -> Result<S::Ok, S::Error> {
        Nothing {}.serialize(out)
    }

    pub(super) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<(), D::Error> {
        Nothing::deserialize(from).map(drop)
    }
}

impl Value {
    /// The value as a number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            Self::Flag(_) | Self::Text(_) | Self::Nothing | Self::Absent => None,
        }
    }

    /// The value as text, if it is a word.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether the parameter is not there.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }

    /// Whether two values mean the same: 1 and 1.0 do.
    pub fn same(&self, other: &Self) -> bool {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => a == b,
            (None, None) => self == other,
            _ => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => write!(out, "{value}"),
            Self::Real(value) => write!(out, "{value}"),
            Self::Text(text) => write!(out, "{text}"),
            Self::Flag(flag) => write!(out, "{flag}"),
            Self::Nothing => write!(out, "none"),
            Self::Absent => write!(out, "absent"),
        }
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
