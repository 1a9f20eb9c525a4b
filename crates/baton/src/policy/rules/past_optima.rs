//! Looking where earlier tasks had their best, when this one shows nothing like it.
//!
//! On a plain with a needle a model has nothing to go by: it follows the noise, or asks what lies at
//! the edges. Earlier tasks tell two things it does not use: how high this task is likely to reach,
//! and where they reached it, even if the function there has changed beyond recognition. So, as long
//! as no value here is half as high as usual, trials are drawn from the region of past optima.

use super::try_handed_on;
use crate::error::Result;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::trial::Trial;
use crate::policy::view::View;
use crate::shared::{Fitted, Plain, Region};
use baton_numerics::random::Purpose;

pub(crate) const RULE: Rule = Rule {
    name: "past_optima",
    aim: "warm_start",
    reason: "Where earlier tasks had their best",
    switch: Switch::On,
    says,
};

/// Having reached this share of the usual height, a task has found its hill.
const REACHED: f64 = 0.5;
/// At most this share of what has been spent goes into the region.
const MOST_DRAWS: f64 = 0.5;
/// Draws until one is away from all trials at the highest fidelity.
const ATTEMPTS: usize = 8;

/// What this task has shown above the plain.
#[derive(PartialEq)]
pub(super) enum Shown {
    /// nothing is known of it, or a trial that may show it is under way
    Unknown,
    /// nothing that stands out
    Nothing,
    /// so much
    Height(f64),
}

pub(super) fn shown(view: &View<'_>, fitted: &Fitted) -> Result<Shown> {
    let mut looking = view.of_aims(&[try_handed_on::RULE.aim, RULE.aim]);
    if !view.frame.carries() || looking.any(Trial::is_pending) {
        return Ok(Shown::Unknown);
    }
    let posterior = &fitted.posteriors[0];
    let plain = Plain::of(&fitted.units, posterior.surrogate(), posterior.theta())?;
    let highest = plain.highest(view.observations, view.top());
    Ok(highest.map_or(Shown::Nothing, |highest| Shown::Height(highest.height)))
}

/// A trial in the region, if this task has shown nothing like it yet.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    let height = match shown(view, fitted)? {
        Shown::Unknown => return Ok(Says::Nothing),
        Shown::Nothing => 0.0,
        Shown::Height(height) => height,
    };
    let grains = view.space().grains();
    let region = Region::of(view.frame.knowledge.past_optima(), &grains);
    match region {
        Some(region) if height < REACHED * region.usual_height => place_in(view, &region),
        _ => Ok(Says::Nothing),
    }
}

/// The newest optimum, or a draw if there is a region to speak of; never near a trial at the highest
/// fidelity.
fn place_in<'a>(view: &View<'a>, region: &Region<'_>) -> Result<Says<'a>> {
    if !view.top_cost().is_some_and(|cost| may_draw(view, cost)) {
        return Ok(Says::Nothing);
    }
    let (space, top) = (view.space(), view.top());
    let at_top = view.trials.iter().filter(|trial| trial.level == top);
    let tried: Vec<Vec<f64>> =
        at_top.map(|trial| space.coordinates(&trial.point)).collect::<Result<_>>()?;
    let is_new = |place: &Vec<f64>| !tried.iter().any(|known| region.are_near(known, place));
    let mut stream = view.key.stream(Purpose::Hills, 0);
    let draws = if region.is_one() { ATTEMPTS } else { 0 };
    let drawn = (0..draws).map(|_| region.draw(&mut stream));
    let legal = |place| space.settled(place);
    let mut places = std::iter::once(region.newest().to_vec()).chain(drawn).map(legal);
    let Some(place) = places.find(is_new) else {
        return Ok(Says::Nothing);
    };
    let point = space.point(&place)?;
    let free = view.pending().all(|trial| trial.point != point);
    Ok(if free { Says::Trial(point, top) } else { Says::Nothing })
}

/// Whether one more trial of this cost keeps such trials to their share of what was spent.
fn may_draw(view: &View<'_>, cost: f64) -> bool {
    let (mut spent, mut on_draws) = (cost, cost);
    for trial in view.trials.iter().filter(|trial| trial.charged) {
        spent += trial.charge();
        on_draws += if trial.aim == *RULE.aim { trial.charge() } else { 0.0 };
    }
    on_draws <= MOST_DRAWS * spent
}
