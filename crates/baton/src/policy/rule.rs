//! What a rule is: when it speaks, what it proposes, what it says of itself.
//!
//! A rule is a function of a read-only [`View`] of the task and its fitted model. The policy goes
//! through its list; the first that proposes a trial is followed. A rule may also restrict where
//! information, the end of every list, looks.

use super::incumbent::Basin;
use super::trial::{Aim, Bought};
use super::view::View;
use crate::error::Result;
use crate::model::Note;
use crate::problem::Value;
use crate::shared::Fitted;

/// A rule that looks at the model.
pub(crate) struct Rule {
    /// in the settings
    pub name: &'static str,
    /// what the ledger calls its trials
    pub aim: &'static str,
    /// why a trial of it was chosen, the beginning of a sentence; or what a restriction adds to one
    pub reason: &'static str,
    pub switch: Switch,
    pub says: for<'a> fn(&View<'a>, &'a Fitted) -> Result<Says<'a>>,
}

/// What the settings have for a rule.
pub(crate) enum Switch {
    /// a flag of its name, on unless it is set otherwise
    On,
    /// the same, on only where a function is carried from task to task
    OnWhereCarried,
    /// none: a number of its own says whether
    ByNumber,
}

/// What a rule says.
pub(crate) enum Says<'a> {
    Nothing,
    /// this point at this level, whatever it may tell
    Trial(Vec<Value>, usize),
    /// this place at the highest fidelity, with what it may tell
    Visit(Vec<f64>),
    /// look outside this basin, if that promises something
    LeaveOut(Basin<'a>),
    /// look at these levels only, `None` where not, at these costs
    Levels(Vec<Option<f64>>),
}

/// A rule that needs no model, for the beginning of a task.
pub(crate) struct Opening {
    /// what the ledger calls its trials
    pub aim: &'static str,
    pub reason: &'static str,
    pub says: fn(&View<'_>) -> Result<Opens>,
}

/// What an opening says.
pub(crate) enum Opens {
    /// it is not its turn
    Nothing,
    /// it is, with a point and a level unless everything is taken
    Trial(Option<(Vec<Value>, usize)>),
}

/// A trial to be.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    pub point: Vec<Value>,
    pub level: usize,
    pub aim: Aim,
    pub reason: String,
    pub nats: Option<Bought>,
    pub runner_up: Option<(String, f64)>,
    pub notes: Vec<Note>,
}

impl Proposal {
    /// One that nothing is expected of.
    pub(crate) fn bare(
        (point, level): (Vec<Value>, usize),
        (aim, reason): (&'static str, &str),
    ) -> Self {
        Self {
            point,
            level,
            aim: Aim::named(aim),
            reason: reason.to_owned(),
            nats: None,
            runner_up: None,
            notes: Vec::new(),
        }
    }
}
