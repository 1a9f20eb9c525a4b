//! Trials where somebody guessed that good points lie. What is seen there tells the model; the guess itself does not.
//!
//! The guessed points come first, at the cheapest fidelity, as a part of the first design where there is one. In a
//! first task a guess that turned out no worse than the middle of the design is believed, and some points as far
//! from it as it is sure are tried, too: the best point is likely to be among them, not at the guess itself.

use super::openings::{blind, design_points};
use super::rule::{Opening, Opens};
use super::trial::{Aim, Trial};
use super::view::{Freshness, View};
use crate::problem::{Units, reflect};
use baton_numerics::random::Purpose;

/// The aim of the first design.
const DESIGN: &str = "design";
/// The aim of the trials around a guess.
const AROUND_IT: &str = "around";
/// Points that were guessed get at most this share of the budget, or one trial,
const SHARE: f64 = 0.2;
/// and points around them this one.
const SHARE_AROUND: f64 = 0.1;

/// The points themselves, with those coordinates of which nothing was said by the design.
pub(super) const GUESS: Opening = Opening {
    aim: Aim::GUESS,
    reason: "Where somebody guessed that good points lie",
    says: |view| {
        let costs = blind(view, view.affordable());
        let level = costs.iter().position(Option::is_some);
        let (Some(level), true) = (level, only(view, &[Aim::GUESS])) else {
            return Ok(Opens::Nothing);
        };
        let so_far = view.of_aims(&[Aim::GUESS]).count();
        let cost = (so_far as f64 + 1.0) * view.frame.fidelities[level].cost;
        if so_far > 0 && cost > SHARE * view.purse.budget {
            return Ok(Opens::Nothing);
        }
        for guess in view.frame.guesses.iter().skip(so_far) {
            let place = guess.over(design_points(view).col_as_slice(0));
            let point = guess.whole.clone().map_or_else(|| view.space().point(&place), Ok)?;
            if view.freshness(&point) == Freshness::New {
                return Ok(Opens::Trial(Some((point, level))));
            }
        }
        Ok(Opens::Nothing)
    },
};

/// As many points as there are parameters, in turn around the guesses that are believed.
pub(super) const AROUND: Opening = Opening {
    aim: AROUND_IT,
    reason: "Around a point that somebody guessed, and that was good",
    says: |view| {
        let costs = blind(view, view.affordable());
        let level = costs.iter().position(Option::is_some);
        let aims = [Aim::GUESS, DESIGN, AROUND_IT];
        let is_first = !view.frame.carries();
        let (Some(level), true) = (level, is_first && only(view, &aims)) else {
            return Ok(Opens::Nothing);
        };
        let so_far = view.of_aims(&[AROUND_IT]).count();
        let cost = (so_far as f64 + 1.0) * view.frame.fidelities[level].cost;
        if so_far >= view.space().most_at_once() || cost > SHARE_AROUND * view.purse.budget {
            return Ok(Opens::Nothing);
        }
        let believed: Vec<usize> =
            (0..view.frame.guesses.len()).filter(|k| is_good(view, *k)).collect();
        if believed.is_empty() {
            return Ok(Opens::Nothing);
        }
        let guess = &view.frame.guesses[believed[so_far % believed.len()]];
        let mut stream = view.key.stream(Purpose::InitialDesign, 2);
        let mut place = guess.over(design_points(view).col_as_slice(0));
        for ((x, said), within) in place.iter_mut().zip(&guess.coordinates).zip(&guess.within) {
            if said.is_some() {
                *x = reflect(*x + within * stream.normal());
            }
        }
        let point = view.space().point(&place)?;
        let is_new = view.freshness(&point) == Freshness::New;
        Ok(if is_new { Opens::Trial(Some((point, level))) } else { Opens::Nothing })
    },
};

/// Whether something was guessed, and nothing was asked for but this.
fn only(view: &View<'_>, aims: &[&str]) -> bool {
    let other = |trial: &Trial| trial.aim != Aim::GIVEN && !aims.contains(&trial.aim.name());
    !view.frame.guesses.is_empty() && !view.trials.iter().any(other)
}

/// Whether the trial at a guess was no worse than half of the others.
fn is_good(view: &View<'_>, k: usize) -> bool {
    let tried = view.of_aims(&[Aim::GUESS]).nth(k).and_then(Trial::value);
    let Some(value) = tried else { return false };
    let units = Units::of(view.frame.goal, &[]);
    let design = view.of_aims(&[DESIGN]).filter_map(Trial::value);
    let (better, worse): (Vec<f64>, Vec<f64>) = design.partition(|one| units.better(*one, value));
    better.len() <= worse.len()
}
