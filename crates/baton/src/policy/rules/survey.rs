//! Spreading some trials over the space, where no task has found anything yet.
//!
//! Where earlier tasks have found no hill, with trials enough to find one, a part of the trials is spread
//! over the space until one is found. (In a first task such trials cost more on Hartmann's function than
//! they save on plains.)

use super::past_optima::{Shown, shown};
use crate::error::Result;
use crate::policy::openings::quasi_random;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::view::{Freshness, View};
use crate::shared::{Fitted, Region, SharedFunction, most_points};

pub(crate) const RULE: Rule = Rule {
    name: "survey",
    aim: "survey",
    reason: "A look around, since nothing has stood out so far",
    switch: Switch::On,
    says,
};

/// Observations handed over, per coordinate, after which not to have seen a hill means something.
const LOOKED_OVER: usize = 5;
/// Share of the trials that are spread over the space.
const SHARE: f64 = 1.0 / 3.0;

/// A point not tried yet, in its turn.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    if shown(view, fitted)? != Shown::Nothing || !has_been_looked_over(view) {
        return Ok(Says::Nothing);
    }
    if Region::of(view.frame.knowledge.past_optima(), &view.space().grains()).is_some() {
        return Ok(Says::Nothing);
    }
    let so_far = view.of_aims(&[RULE.aim]).count();
    let all = view.rounds() + so_far;
    if so_far as f64 >= SHARE * (all as f64 + 1.0) {
        return Ok(Says::Nothing);
    }
    let found = quasi_random(view, &view.costs())?;
    let new = found.filter(|(point, _)| view.freshness(point) == Freshness::New);
    Ok(new.map_or(Says::Nothing, |(point, level)| Says::Trial(point, level)))
}

/// Whether what earlier tasks saw is enough to be told that there is no hill.
fn has_been_looked_over(view: &View<'_>) -> bool {
    let seen = view.frame.knowledge.shared.as_ref().map_or(0, SharedFunction::len);
    let dimension = view.space().dimension();
    // In many dimensions so many are never handed on.
    seen >= (LOOKED_OVER * dimension).min(most_points(dimension) / 2)
}
