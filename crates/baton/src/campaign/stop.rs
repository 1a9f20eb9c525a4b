//! When a task ends although something is left of its budget.
//!
//! It ends once, with probability `confidence`, what is still to be gained is less than the share `gain` of what was
//! gained over a point picked blindly ([`super::further`]). Both are differences of values, so that units do not
//! matter. The posterior maximum is tried at the highest fidelity first. Nothing of this is
//! recorded: it follows from the trials as every ask does.

use super::further::{Further, median};
use crate::error::Result;
use crate::policy::{Proposal, View};
use crate::problem::Share;
use crate::shared::Fitted;
use serde::{Deserialize, Serialize};

/// The aim of the trial before the end.
const CONFIRM: &str = "confirm";

/// When a task ends early.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Stop {
    /// what is left is less than this share of what was gained over a point picked blindly; 0: never
    pub gain: Share,
    /// with this probability
    pub confidence: Share,
}

impl Default for Stop {
    fn default() -> Self {
        Self { gain: Share::literal(0.01), confidence: Share::literal(0.9) }
    }
}

/// Why a task ended early.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Stopped {
    /// what was asked for
    pub stop: Stop,
    /// how likely it was that less than that was left
    pub chance: f64,
    /// what was left, the median by the model
    pub left: f64,
    /// what was gained over a point picked blindly, likewise
    pub gained: f64,
}

/// What the rule says of a task.
pub(super) enum Says {
    GoOn,
    /// this is to be confirmed before the end
    Confirm(Box<Proposal>),
    Stop(Stopped),
}

/// Where draws cannot be had, the task goes on.
pub(super) fn says(stop: Option<Stop>, view: &View<'_>, fitted: &Fitted) -> Says {
    let said = stop.filter(|_| is_due(view)).map(|stop| stop.says(view, fitted));
    said.and_then(Result::ok).unwrap_or(Says::GoOn)
}

/// Not before the highest fidelity was seen, and as many values as there are parameters, and one more.
fn is_due(view: &View<'_>) -> bool {
    let told = || view.trials.iter().filter(|trial| trial.value().is_some());
    let at_top = told().any(|trial| trial.level == view.top());
    at_top && told().count() > view.space().most_at_once()
}

impl Stop {
    fn says(self, view: &View<'_>, fitted: &Fitted) -> Result<Says> {
        let wanted = Some((*self.gain, *self.confidence));
        let Some(further) = Further::of(view, fitted, wanted)? else { return Ok(Says::GoOn) };
        let chance = further.chance_below(*self.gain);
        if chance < *self.confidence || *self.gain == 0.0 {
            return Ok(Says::GoOn);
        }
        let (left, gained) = (median(further.left), median(further.gained));
        let stopped = Stopped { stop: self, chance, left, gained };
        let (top, place) = (view.top(), further.incumbent);
        let point = view.space().point(&place)?;
        let mut at_top = view.trials.iter().filter(|trial| trial.level == top && trial.charged);
        // Not twice in a row: what is confirmed may move a little each time.
        let confirmed = at_top.next_back().is_some_and(|trial| trial.aim == *CONFIRM);
        let can = view.top_cost().is_some() && view.may_ask(fitted, &place, top)?;
        if confirmed || !can || view.was_at(&point, top) {
            return Ok(Says::Stop(stopped));
        }
        let reason =
            "Chosen for confirming the best point by the model, before the task ends early";
        let proposal = Proposal::bare((point, top), (CONFIRM, reason));
        Ok(Says::Confirm(Box::new(Proposal { notes: fitted.notes(), ..proposal })))
    }
}
