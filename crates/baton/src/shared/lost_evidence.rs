//! What observations that are not kept said of `theta`.
//!
//! Observations of the shared function tell where it is high, and also how rough it is and which
//! coordinates matter. Where only some are handed on, the function is told by those, the rest by a prior
//! of `theta`: with `N(m, s^2)` the prior of a parameter, `t` its fitted value, `h` the curvature of the
//! negative log evidence there and `r` the share of the observations that is lost (those that the kept
//! ones determine are not),
//!
//! `N(m + r (t - m) (1 / s^2 + h) / (1 / s^2 + r h), 1 / (1 / s^2 + r h) + q^2)`
//!
//! is what the prior and that share of the evidence say together (the fitted value is where the slopes
//! of both meet). `q` is for tasks that differ; nothing is believed less firmly than before any task.

use super::frame::Frame;
use crate::error::Result;
use crate::model::{Normal, Source, Surrogate, curvature};
use crate::problem::History;

/// Standard deviation from task to task.
const TASK_TO_TASK: f64 = 0.1;
/// A network's weights are too many, and mean nothing one by one.
pub(super) const MOST_PARAMETERS: usize = 200;
/// Observations that the curvature is computed from, at most; of more, it is in proportion.
const ENOUGH: usize = 600;

/// What is known of the parameters of a surrogate without drift, once `lost` of these observations, to
/// which `theta` was fitted, are not kept; what was known before if none is lost or nothing is fitted.
pub(super) fn after_losing(
    lost: usize,
    history: &History,
    (surrogate, theta): (&Surrogate, &[f64]),
    frame: &Frame<'_>,
) -> Result<Option<Vec<Normal>>> {
    let count = surrogate.without_drift().parameter_count();
    if lost == 0 || frame.source != Source::Map || count > MOST_PARAMETERS {
        return Ok(frame.knowledge.parameters.clone());
    }
    let share = lost as f64 / history.len() as f64;
    let (known, at_first) = (frame.prior(surrogate), frame.first_prior(surrogate));
    let first = history.until(ENOUGH);
    let curvature = curvature(surrogate, theta, &first, count)?;
    let all = history.len() as f64 / first.len() as f64;
    let learned =
        |i: usize| updated(known[i], (theta[i], all * curvature[i]), share, at_first[i].1);
    Ok(Some((0..count).map(learned).collect()))
}

/// The prior of a parameter with a share of what the evidence says of it.
fn updated(
    (mean, deviation): Normal,
    (fitted, curvature): (f64, f64),
    share: f64,
    most: f64,
) -> Normal {
    let precision = deviation.powi(-2);
    let both = precision + share * curvature;
    let next = mean + share * (fitted - mean) * (precision + curvature) / both;
    (next, (1.0 / both + TASK_TO_TASK * TASK_TO_TASK).sqrt().min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_counts_by_its_share() {
        let (prior, evidence) = ((1.0, 0.5), (2.0, 12.0));
        let close = |a: Normal, b: Normal| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-12;
        assert!(close(updated(prior, evidence, 0.0, 0.5), prior));
        assert!(close(updated(prior, evidence, 1.0, 0.5), (2.0, (0.0625_f64 + 0.01).sqrt())));
        let (mean, deviation) = updated(prior, evidence, 0.5, 0.5);
        assert!(1.5 < mean && mean < 2.0 && 0.3 < deviation && deviation < 0.5);
    }
}
