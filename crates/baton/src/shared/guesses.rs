//! What somebody guessed, as observations that nobody made: a value that is good by what is known before the
//! first trial, with a variance that says how little that is worth.
//!
//! A good point at `x*` has the value `HEIGHT`. Where the guess lies the function is correlated with that by
//! `k = exp(-1/2 sum_i (within_i / LENGTH)^2)`, so that a value `k HEIGHT` is to be expected there, with
//! variance `1 - k^2`: a sure guess weighs much, one that leaves most coordinates open hardly anything. Whether
//! they are used at all is decided by evidence (`hypotheses.rs`); where somebody has looked, what was seen counts
//! instead; and nothing of them is handed on.

use super::observation::Observation;
use crate::error::Result;
use crate::problem::{Guessed, History, MIDDLE, Space};

/// What good is, in standard deviations of the function.
const HEIGHT: f64 = 2.0;
/// Length scale of a function of which nothing is known, as a share of the range.
const LENGTH: f64 = 0.3;
/// Doubt that the best of people cannot do without, in the same unit, as a variance.
const DOUBT: f64 = 0.25;
/// A guess is worth so many nats before anything speaks for or against it.
pub(super) const BENEFIT: f64 = 1.0;

/// Those at which nobody looked yet: once a value at the highest fidelity lies within a guess, that says all.
pub(super) fn still_open(
    guesses: &[Guessed],
    top: usize,
    observations: &[Observation],
) -> Vec<Guessed> {
    let open = guesses.iter().filter(|guess| {
        let mut at_top = observations.iter().filter(|observation| observation.level == top);
        !at_top.any(|observation| guess.holds(&observation.coordinates))
    });
    open.cloned().collect()
}

/// Adds them as observations of the highest fidelity.
pub(super) fn believed(
    guesses: &[Guessed],
    top: usize,
    (space, place): (&Space, &[f64]),
    mut history: History,
) -> Result<History> {
    for guess in guesses {
        let (value, variance) = worth(guess);
        let middle = vec![MIDDLE; guess.coordinates.len()];
        let whole = [&space.settled(guess.over(&middle)), place].concat();
        history.push_measured(&whole, top, value, Some(variance))?;
    }
    Ok(history)
}

/// The value to expect, and its variance.
fn worth(guess: &Guessed) -> (f64, f64) {
    let squares: f64 = guess.within.iter().map(|far| (far / LENGTH).powi(2)).sum();
    let correlation = (-0.5 * squares).exp();
    (correlation * HEIGHT, 1.0 - correlation * correlation + DOUBT)
}

/// How likely these values are, as a logarithm, for a function of which nothing is known.
pub(super) fn unrelated(guesses: &[Guessed]) -> f64 {
    let one = |guess: &Guessed| {
        let (value, variance) = worth(guess);
        -0.5 * (value * value / (1.0 + variance) + (std::f64::consts::TAU * (1.0 + variance)).ln())
    };
    guesses.iter().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sure_guess_weighs_more_than_a_vague_one() {
        let worth = |far: f64| {
            worth(&Guessed { coordinates: vec![Some(0.3); 6], within: vec![far; 6], whole: None })
        };
        let (sure, vague, none) = (worth(0.01), worth(0.1), worth(0.29));
        assert!(sure.0 > 1.98 && sure.1 < 0.26);
        assert!(vague.0 < sure.0 && vague.1 > sure.1 && vague.0 > 1.0);
        assert!(none.0 < 0.15 && none.1 > 1.2);
    }
}
