//! Conditions on a point: `optimizer = sgd or adam and layers >= 2`, `2*x - y <= 3`.
//!
//! One form says when a parameter is there and which combinations must not be. A condition is kept as
//! it was written, with names; `bound` says what it means in a space.

mod bound;
mod form;
mod parse;
mod words;

pub(super) use bound::{Bound, Sum, Use};
pub use form::Condition;

#[cfg(test)]
mod tests;
