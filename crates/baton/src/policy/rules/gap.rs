//! Leaving no large part of a space of few dimensions unseen.
//!
//! A model that is sure of itself spends all trials on one hill, and nothing it sees there can tell it
//! that it is wrong about the rest: a cheap fidelity may mislead, a function may be rougher elsewhere.
//! With an even spread each of `n` trials at the highest fidelity would have a cube of volume `1 / n` to itself.
//! Where a cube [`WIDTH`] times as wide holds none, the next trial goes to its middle. No cube is wider
//! than the space, so nothing happens before there are `WIDTH^d` trials: this is for one to three
//! coordinates, and for many trials in more. It makes trials dense in the end, whatever the model
//! believes, and takes a limited share of them. What earlier tasks showed of the whole space does the same,
//! and better: where it helps, nothing is left to cover.

use crate::acquisition::LISTED;
use crate::error::Result;
use crate::policy::rule::{Rule, Says, Switch};
use crate::policy::view::{Freshness, View};
use crate::shared::Fitted;
use baton_numerics::Mat;
use baton_numerics::random::Purpose;

pub(crate) const RULE: Rule = Rule {
    name: "gap",
    aim: "cover",
    reason: "A look far from all that was tried at this fidelity",
    switch: Switch::OnWhereCarried,
    says,
};

/// How many times as wide as each trial's share an empty cube may be.
const WIDTH: f64 = 2.0;
/// At most this share of what the task asks for at the highest fidelity.
const MOST: f64 = 1.0 / 3.0;
/// Half the width of the space.
const HALF: f64 = 0.5;
/// Places that are looked at, where there are more.
const PLACES: usize = 1_024;

/// The middle of the largest cube without a trial at the highest fidelity, if it is too large.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    let (space, top) = (view.space(), view.top());
    let is_known = view.frame.carries() && fitted.comparison.helps();
    if is_known || view.top_cost().is_none() || !may_cover(view) {
        return Ok(Says::Nothing);
    }
    let at_top = view.trials.iter().filter(|trial| trial.level == top).count();
    let allowed = 0.5 * WIDTH * (at_top as f64).powf(-1.0 / space.dimension() as f64);
    if allowed >= HALF {
        return Ok(Says::Nothing);
    }
    let (places, seen, grains) = (places(view), seen_at_top(view)?, space.grains());
    let around = |j: usize| clearance(places.col_as_slice(j), &grains, &seen);
    let largest = (0..places.ncols()).map(|j| (around(j), j));
    let largest = largest.reduce(|a, b| if b.0 > a.0 { b } else { a });
    let Some((_, j)) = largest.filter(|(clearance, _)| *clearance > allowed) else {
        return Ok(Says::Nothing);
    };
    let point = space.point(places.col_as_slice(j))?;
    let taken = view.freshness(&point) == Freshness::Pending;
    Ok(if taken { Says::Nothing } else { Says::Trial(point, top) })
}

/// Whether one more such trial keeps them to their share.
fn may_cover(view: &View<'_>) -> bool {
    let asked = view.trials.iter().filter(|trial| trial.level == view.top() && trial.charged);
    let (mut all, mut covering) = (1, 1);
    for trial in asked {
        all += 1;
        covering += usize::from(trial.aim == *RULE.aim);
    }
    covering as f64 <= MOST * f64::from(all)
}

/// All points of a small discrete space, else an even spread.
fn places(view: &View<'_>) -> Mat<f64> {
    let space = view.space();
    space.enumerate(LISTED).unwrap_or_else(|| {
        let mut stream = view.key.stream(Purpose::Cover, 0);
        let mut places = space.scattered(PLACES, &mut stream);
        for j in 0..places.ncols() {
            space.snap(places.col_as_slice_mut(j));
        }
        places
    })
}

/// Where this task has been at the highest fidelity, with whatever outcome, or is at any level now.
fn seen_at_top(view: &View<'_>) -> Result<Vec<Vec<f64>>> {
    let here = view.trials.iter().filter(|trial| trial.level == view.top() || trial.is_pending());
    here.map(|trial| view.space().coordinates(&trial.point)).collect()
}

/// Half the width of the largest cube around a place that stays inside and holds nothing seen.
/// Choices have no inside; two that differ are a whole side apart.
fn clearance(place: &[f64], grains: &[Option<f64>], seen: &[Vec<f64>]) -> f64 {
    let walls = place.iter().zip(grains).filter_map(|(u, grain)| Some(u.min(1.0 - u) + (*grain)?));
    let wall = walls.fold(HALF, f64::min);
    let apart =
        |other: &Vec<f64>| place.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    seen.iter().map(apart).fold(wall, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_end_at_the_walls_and_choices_have_none() {
        let seen = [vec![0.5, 0.0]];
        let (real, coarse, choice) = (Some(0.0), Some(0.1), None);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, {b}");
        close(clearance(&[0.2, 0.4], &[real, real], &seen), 0.2);
        close(clearance(&[0.2, 0.4], &[coarse, real], &seen), 0.3);
        close(clearance(&[0.3, 0.1], &[real, real], &[]), 0.1);
        close(clearance(&[0.5, 1.0], &[real, choice], &seen), 0.5);
        close(clearance(&[0.0, 1.0], &[choice, choice], &seen), 0.5);
    }
}
