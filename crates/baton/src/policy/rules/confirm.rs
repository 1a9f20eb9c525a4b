//! Trying the posterior maximum with the last trial at the highest fidelity, so that it can be recommended.
//!
//! An acquisition by information has little to gain at a maximum it is sure of, so that the best point
//! would often be one that nobody has tried.

use crate::error::Result;
use crate::policy::incumbent::posterior_maximum;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::view::View;
use crate::shared::Fitted;

pub(crate) const RULE: Rule = Rule {
    name: "confirm",
    aim: "confirm",
    reason: "Chosen for confirming the best point by the model",
    switch: Switch::OnWhereCarried,
    says,
};

/// Before that a maximum is anywhere.
const LEAST_TOLD: usize = 2;

/// The posterior maximum, unless it was tried, once there is something to confirm; not twice in a row, lest
/// a budget that is extended bit by bit buys nothing else.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    let Some(cost) = view.top_cost() else { return Ok(Says::Nothing) };
    let top = view.top();
    let told = view.trials.iter().filter(|trial| trial.value().is_some()).count();
    let mut at_top = view.trials.iter().filter(|trial| trial.level == top && trial.charged);
    let confirmed = at_top.next_back().is_some_and(|trial| trial.aim == *RULE.aim);
    if told < LEAST_TOLD || confirmed || view.purse.affords(2.0 * cost) {
        return Ok(Says::Nothing);
    }
    let Some(found) = posterior_maximum(view, fitted)? else { return Ok(Says::Nothing) };
    let known = view.was_at(&view.space().point(&found.coordinates)?, top);
    Ok(if known { Says::Nothing } else { Says::Visit(found.coordinates) })
}
