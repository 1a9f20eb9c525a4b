//! Bayesian optimisation of sequences of related, expensive tasks at several fidelities.

pub mod acquisition;
pub mod belief;
pub mod error;
pub mod problem;
pub mod surrogate;

pub use error::{Error, Result};
