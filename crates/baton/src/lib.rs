//! Bayesian optimisation of sequences of related, expensive tasks at several fidelities.

pub mod acquisition;
pub mod belief;
pub mod campaign;
pub mod error;
pub mod knowledge;
pub mod problem;
pub mod surrogate;

pub use campaign::{Campaign, Method, Preset, Settings, Task, Trial};
pub use error::{Error, Result};
pub use knowledge::Knowledge;
pub use problem::{Fidelity, Goal, Parameter, Space, Value};
