//! A method, as far as it chooses trials.

use crate::model::Stein;

/// What trials are for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Agenda {
    /// both at once, later tasks weighted by `beta`
    Both { beta: f64 },
    /// this task with probability `c`, else the future
    Coin { c: f64 },
    /// the first share `c` of the rounds for this task, the rest for the future
    Phases { c: f64 },
}

/// Trials for the future from a batch planned before the task.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Batch {
    pub stein: Stein,
    /// whether it is planned by the particles handed over instead of draws of the prior
    pub from_particles: bool,
}

/// A method, as far as it chooses trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    pub agenda: Agenda,
    pub batch: Option<Batch>,
    /// whether only the highest fidelity may be asked for (but for the first design)
    pub top_only: bool,
}
