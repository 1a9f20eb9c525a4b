//! How closely tasks are related, learned from task to task.
//!
//! A task tells how much of its variance it shares with those before, by how well they predict it;
//! the parameter `z` of that share is fitted with the others. One task says little, so what it said
//! is the prior of the next: `N(z^, 1 / (1/s^2 + h) + q^2)`, with `z^` the fitted value under the
//! prior's `s`, `h` the curvature of the negative log evidence there, and `q` for tasks that differ
//! in how closely they are related.
//!
//! It begins with `N(2, 0.5)`: a task shares 0.67 to 0.85 of its variance. A lower mean is never
//! believed: earlier data would be handed on as if they hardly counted, and what is known would be
//! forgotten. Whether tasks are related at all is for the guard to say.

use super::hypotheses::Hypothesis;
use crate::error::Result;
use crate::model::{Normal, RELATED_AT_FIRST, curvature_along};

/// Standard deviation from task to task.
const TASK_TO_TASK: f64 = 0.2;

/// What is believed after a task that was related to those before; `None` if its model has no such
/// parameter.
pub(super) fn after(model: &Hypothesis, before: Option<Normal>) -> Result<Option<Normal>> {
    let Some(place) = model.surrogate.relatedness_range().next() else { return Ok(None) };
    let theta = model.theta();
    let curvature = curvature_along(&model.surrogate, theta, &model.history, place)?;
    Ok(Some(updated(before.unwrap_or(RELATED_AT_FIRST).1, theta[place], curvature)))
}

/// The prior of the next task, by the deviation of the last one, the fitted value and the curvature.
fn updated(deviation: f64, fitted: f64, curvature: f64) -> Normal {
    let learned = 1.0 / (deviation.powi(-2) + curvature.max(0.0));
    let next = (learned + TASK_TO_TASK * TASK_TO_TASK).sqrt();
    (fitted.max(RELATED_AT_FIRST.0), next.min(RELATED_AT_FIRST.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_believed_narrows_with_what_was_seen_and_never_falls_below_the_beginning() {
        let (mean, deviation) = updated(0.5, 3.0, 4.0);
        assert_eq!(mean, 3.0);
        assert!((deviation - (1.0 / 8.0 + 0.04_f64).sqrt()).abs() < 1e-15);
        assert_eq!(updated(0.5, 0.3, -1.0), RELATED_AT_FIRST);
    }
}
