//! What is still to be gained in a task, and what that is expected to cost.

use super::estimate::Estimate;
use crate::campaign::further::{Further, median};
use crate::error::Result;
use crate::policy::View;
use crate::shared::Fitted;
use serde::Serialize;

/// A share of what was gained that is hardly worth having.
const LITTLE: f64 = 0.01;
/// So much of what is left is a first part of it.
const PART: f64 = 0.1;

/// What is still to be gained, in the user's units; larger is better.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StillToGain {
    /// by how much the best point is better than the posterior maximum
    pub left: Estimate,
    /// by how much that one is better than a point picked blindly: the median over the space
    pub gained: Estimate,
    /// how likely it is that less than 1 % of what was gained is left
    pub little: f64,
    /// what the next look at the highest fidelity is expected to gain, per unit of cost
    pub per_cost: Estimate,
    /// the cost to expect for a tenth of what is left, at that rate; `None` if nothing is
    pub cost_of_a_tenth: Option<f64>,
}

/// Of a task of which something was told at the highest fidelity.
pub(super) fn still_to_gain(view: &View<'_>, fitted: &Fitted) -> Result<Option<StillToGain>> {
    let top = view.top();
    let seen = view.trials.iter().any(|trial| trial.level == top && trial.value().is_some());
    if !seen {
        return Ok(None);
    }
    let Some(further) = Further::of(view, fitted, None)? else { return Ok(None) };
    let little = further.chance_below(LITTLE);
    let cost = view.frame.fidelities[top].cost;
    let rates: Vec<f64> = further.next.iter().map(|gain| gain / cost).collect();
    let rate = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    let estimate = |draws: Vec<f64>| Estimate::new(median(draws.clone()), draws);
    let left = estimate(further.left);
    let needed = PART * left.value / rate;
    Ok(Some(StillToGain {
        left,
        gained: estimate(further.gained),
        little,
        per_cost: Estimate::new(rate, rates),
        // There is no part of a look.
        cost_of_a_tenth: Some(needed.max(cost)).filter(|_| left.value > 0.0 && needed.is_finite()),
    }))
}

/// The same in a sentence or two.
pub fn still_to_gain_in_words(still: &StillToGain) -> String {
    let StillToGain { left, gained, little, cost_of_a_tenth, .. } = still;
    let words = format!(
        "Still to be gained: {} ({} to {}); gained so far: {}.",
        short(left.value),
        short(left.interval.0),
        short(left.interval.1),
        short(gained.value)
    );
    let cost = cost_of_a_tenth.map_or_else(String::new, |cost| {
        format!(" A tenth of it is expected to cost {}.", short(cost))
    });
    let percent = (100.0 * little).round();
    let advice = if *little >= 0.9 {
        format!(" With {percent} % probability it is less than 1 % of that: the task may end.")
    } else {
        format!(" That it is less than 1 % of that has a probability of {percent} %.")
    };
    words + &cost + &advice
}

/// With three digits that count.
fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 6
    let digits = (2.0 - size.log10().floor()).max(0.0) as usize;
    format!("{value:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_with_its_cost() {
        let number = |value: f64| Estimate { value, interval: (0.0, 4.0 * value) };
        let still = StillToGain {
            left: number(0.3),
            gained: number(25.0),
            little: 0.42,
            per_cost: number(0.0025),
            cost_of_a_tenth: Some(12.0),
        };
        assert_eq!(
            still_to_gain_in_words(&still),
            "Still to be gained: 0.300 (0 to 1.20); gained so far: 25.0. A tenth of it is expected to \
             cost 12.0. That it is less than 1 % of that has a probability of 42 %."
        );
        let ended = StillToGain { little: 0.93, cost_of_a_tenth: None, ..still };
        assert!(still_to_gain_in_words(&ended).ends_with("the task may end."));
        assert_eq!([1234.5, 3.2e7, 2.0e-6].map(short), ["1234", "3.20e7", "2.00e-6"]);
    }
}
