//! Fidelities below the highest, which prove themselves in every task after the first.
//!
//! How much a cheaper level knows of the highest one is learned with the rest of `theta`, mostly from
//! earlier tasks. If these say that it knows little, it is not asked, and what is not asked cannot show
//! that they were wrong. So the first trials of a task that knows earlier ones are divided: a
//! [`SHARE`] of what is spent goes below the highest fidelity, until there were as many trials there as
//! the space has coordinates. From then on only worth per cost decides, and mostly it would have chosen
//! so anyway.

use crate::error::Result;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::trial::Outcome;
use crate::policy::view::View;
use crate::shared::Fitted;

pub(crate) const RULE: Rule = Rule {
    name: "owed_fidelity",
    aim: "owed_fidelity",
    reason: "below the highest fidelity, where some trials of every later task go",
    switch: Switch::On,
    says,
};

/// Of what a task has spent.
const SHARE: f64 = 0.2;

/// The cheaper levels, as long as one is owed a trial.
#[allow(clippy::unnecessary_wraps)] // as all rules
fn says<'a>(view: &View<'a>, _: &'a Fitted) -> Result<Says<'a>> {
    let Some(highest) = view.top_cost().filter(|_| owes_cheaper_levels(view)) else {
        return Ok(Says::Nothing);
    };
    // A trial at the highest fidelity must still fit after it.
    let cheaper = |cost: &f64| *cost < highest && view.purse.affords(cost + highest);
    let open: Vec<Option<f64>> = view.costs().iter().map(|cost| cost.filter(cheaper)).collect();
    Ok(if open.iter().all(Option::is_none) { Says::Nothing } else { Says::Levels(open) })
}

/// Failures count, paid or not: a level that fails is not asked for ever.
fn owes_cheaper_levels(view: &View<'_>) -> bool {
    if !view.frame.carries() {
        return false;
    }
    let (mut below, mut spent, mut spent_below) = (0, 0.0, 0.0);
    for trial in view.trials {
        let cost = trial.charge();
        spent += cost;
        if trial.level < view.top() {
            spent_below += cost;
            let failed = matches!(trial.outcome, Outcome::Failed { .. });
            below += usize::from(trial.charged || failed);
        }
    }
    below < view.space().dimension() && spent_below < SHARE * spent
}
