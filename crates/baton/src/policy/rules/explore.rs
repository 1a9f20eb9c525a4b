//! Looking for better basins, for later tasks' sake.
//!
//! A model that has seen one hill well takes another of the same height for most unlikely and spends
//! the budget where it is. What a better basin is worth to this task alone is little; to all tasks
//! that follow it is much. So a share of the trials asks the same question, how high is the maximum,
//! of the rest of the space: the basin of the incumbent is left out.
//!
//! There is nothing to look for if that basin is most of the space (a bowl), or if nothing outside is
//! likely to be more than a bump (all of it has been seen); and no use in it if the candidates do not even
//! reach all corners of the space, as in many dimensions.

use crate::error::Result;
use crate::policy::incumbent::Basin;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::trial::Aim;
use crate::policy::view::View;
use crate::shared::Fitted;

pub(crate) const RULE: Rule = Rule {
    name: "explore",
    aim: Aim::EXPLORE,
    reason: "Chosen for finding out whether another basin is better, the most per unit of cost",
    switch: Switch::ByNumber,
    says,
};

/// Tasks that are searched in full: what one more would find becomes less with every one of them.
const FULL_SHARE: f64 = 2.0;

/// Every so many model-based trials, from the second task on, not in the last one, and only if what was
/// handed over helps: later tasks of unrelated ones would gain nothing.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    let (settings, number, rounds) = (view.settings, view.number(), view.rounds());
    let full = settings.explore.map_or(0.0, |share| *share);
    let share = full * (FULL_SHARE / f64::from(number.max(1))).min(1.0);
    let due = |rounds: usize| (rounds as f64 * share).floor();
    let helps = view.frame.carries() && fitted.comparison.helps();
    if !helps || settings.is_last(number) || due(rounds + 1) <= due(rounds) {
        return Ok(Says::Nothing);
    }
    Ok(Basin::of_incumbent(view, fitted)?.map_or(Says::Nothing, Says::LeaveOut))
}
