//! Testing what earlier tasks taught, once, before it is doubted.
//!
//! An acquisition by information has little to gain at a maximum it is sure of. Flat data speak for a
//! flat function, until a point is tried where a hill is known to be.

use crate::error::Result;
use crate::policy::incumbent::posterior_maximum;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::trial::Aim;
use crate::policy::view::{Freshness, View};
use crate::shared::Fitted;

pub(crate) const RULE: Rule = Rule {
    name: "try_handed_on",
    aim: Aim::TEST,
    reason: "Chosen for testing what earlier tasks taught, at the best point by that",
    switch: Switch::On,
    says,
};

/// The posterior maximum, with the first trial that can be there.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    let due = view.frame.carries() && view.of_aims(&[RULE.aim]).next().is_none();
    if !due || view.top_cost().is_none() {
        return Ok(Says::Nothing);
    }
    let Some(found) = posterior_maximum(view, fitted)? else { return Ok(Says::Nothing) };
    let point = view.space().point(&found.coordinates)?;
    let taken = view.freshness(&point) == Freshness::Pending;
    Ok(if taken { Says::Nothing } else { Says::Visit(found.coordinates) })
}
