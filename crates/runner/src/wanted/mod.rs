//! A campaign as somebody describes it, in a file, over HTTP or from Python: one form, one check.
//!
//! A door brings what it was given into the form and says what it could not read; what can be meant
//! is decided by the check, which finds all mistakes with their places.

mod check;
mod form;
mod setting;

pub(crate) use check::{constraints, lines, was, without};
pub use check::{descriptors, levels, space};
pub use form::{
    Plan, Wanted, WantedConstraint, WantedFidelity, WantedGoal, WantedGuess, WantedParameter,
    WantedStop,
};
pub use setting::Setting;
