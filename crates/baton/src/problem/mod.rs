//! The problem: what may be varied, how it can be evaluated, and what was seen.
//!
//! Everything the user sees (named values, units, signs, a goal) is turned here, and only here, into
//! what the algorithm sees: points in the unit cube, levels counted from 0, values to be maximised.

mod bounds;
mod condition;
mod constraint;
mod descriptors;
mod difference;
mod domain;
mod fidelity;
mod forbidden;
mod grid;
mod guess;
mod history;
mod link;
mod order;
mod parameter;
mod passage;
mod presence;
mod shares;
mod space;
mod units;
mod value;
mod written;

pub use bounds::{Count, Finite, Positive, Share, Weight};
pub use condition::Condition;
pub use constraint::{Constraint, Measured, check_constraints, check_measured};
pub use descriptors::{Description, Descriptors};
pub use difference::{difference_of_fidelities, difference_of_parameters, difference_of_spaces};
pub use domain::Domain;
pub use fidelity::{Fidelity, check_fidelities};
pub(crate) use forbidden::{Beside, take_out};
pub use guess::Guess;
pub(crate) use guess::Guessed;
pub use history::History;
pub use link::{FARTHEST, Link};
pub use parameter::Parameter;
pub use passage::{Passage, Unseen, Was};
pub use space::Space;
pub(crate) use space::reflect;
pub use units::{Goal, Units, UnitsSettings};
pub use value::Value;
