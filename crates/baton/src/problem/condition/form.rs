//! What a condition consists of, and how it is written.

use super::words::{is_word, read_bare};
use crate::problem::value::Value;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Something with the place in the text where it stands, counted in characters from 1. Two that say the
/// same are equal wherever they stand.
#[derive(Debug, Clone)]
pub(super) struct At<T> {
    pub what: T,
    pub place: usize,
}

impl<T: PartialEq> PartialEq for At<T> {
    fn eq(&self, other: &Self) -> bool {
        self.what == other.what
    }
}

/// Clauses that must all hold, joined by `and`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Condition {
    pub(super) clauses: Vec<Clause>,
    /// what was read, for those who look for a mistake in it
    pub(super) written: String,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Self) -> bool {
        self.clauses == other.clauses
    }
}

/// What is said of one parameter, or of a sum of several.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Clause {
    /// `optimizer = sgd or adam`; `optimizer != sgd or adam`: neither of them
    Among { parameter: At<String>, is: bool, values: Vec<At<Value>> },
    /// `2*x - y <= 3`; every name once, no coefficient zero
    Linear { terms: Vec<(f64, At<String>)>, comparison: Comparison, limit: f64 },
}

/// How a sum compares with its limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    AtMost,
    More,
    AtLeast,
}

impl Comparison {
    pub(super) const ALL: [Self; 4] = [Self::AtMost, Self::AtLeast, Self::Less, Self::More];

    pub(super) fn sign(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
        }
    }

    pub(super) fn holds(self, sum: f64, limit: f64) -> bool {
        match self {
            Self::Less => sum < limit,
            Self::AtMost => sum <= limit,
            Self::More => sum > limit,
            Self::AtLeast => sum >= limit,
        }
    }
}

impl From<Condition> for String {
    fn from(condition: Condition) -> Self {
        condition.to_string()
    }
}

/// As it may be written; reading it gives the same condition.
impl fmt::Display for Condition {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, clause) in self.clauses.iter().enumerate() {
            write!(out, "{}{clause}", if i > 0 { " and " } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Among { parameter, is, values } => {
                let sign = if *is { "=" } else { "!=" };
                let values: Vec<String> =
                    values.iter().map(|v| value_as_written(&v.what)).collect();
                write!(out, "{} {sign} {}", name_as_written(&parameter.what), values.join(" or "))
            }
            Self::Linear { terms, comparison, limit } => {
                for (i, (factor, name)) in terms.iter().enumerate() {
                    let sign = match (i, *factor < 0.0) {
                        (0, false) => "",
                        (0, true) => "-",
                        (_, false) => " + ",
                        (_, true) => " - ",
                    };
                    let (size, name) = (factor.abs(), name_as_written(&name.what));
                    let times = if size == 1.0 { String::new() } else { format!("{size}*") };
                    write!(out, "{sign}{times}{name}")?;
                }
                write!(out, " {} {limit}", comparison.sign())
            }
        }
    }
}

/// A name, in quotes where it would be read as something else.
fn name_as_written(name: &str) -> String {
    if is_word(name) { name.to_owned() } else { quoted(name) }
}

/// A value, in quotes where it would be read as something else.
fn value_as_written(value: &Value) -> String {
    let bare = value.to_string();
    if read_bare(&bare).as_ref() == Some(value) { bare } else { quoted(&bare) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
