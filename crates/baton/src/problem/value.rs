//! A value of one parameter, as the user writes and reads it.

use serde::de::{Error, IgnoredAny, MapAccess, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number, a word, yes or no, or nothing; or that there is no value.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    /// the parameter is not there at this point; kept as `{}`, an object without entries, which no value is
    #[serde(serialize_with = "written_absent")]
    Absent,
}

fn written_absent<S: Serializer>(out: S) -> Result<S::Ok, S::Error> {
    out.serialize_map(Some(0))?.end()
}

/// By what is found. Records are read at every ask: trying one form after the other would make an error
/// for each that it is not.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Found)
    }
}

struct Found;

impl<'de> Visitor<'de> for Found {
    type Value = Value;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a number, a word, true or false, or nothing")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
        Ok(Value::Flag(flag))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::Integer(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(i64::try_from(number).map_or(Value::Real(number as f64), Value::Integer))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::Real(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Nothing)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        match map.next_key::<IgnoredAny>()? {
            None => Ok(Value::Absent),
            Some(_) => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
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
