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

use super::method::ThetaSource;
use super::priors::{Normal, at_first, before_a_task};
use super::settings::Settings;
use crate::error::Result;
use crate::knowledge::Knowledge;
use crate::problem::History;
use crate::surrogate::{EvidenceScratch, Surrogate};

/// Standard deviation from task to task.
const TASK_TO_TASK: f64 = 0.1;
/// Step of the differences that the curvature is computed by.
const STEP: f64 = 0.05;
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
    settings: &Settings,
    knowledge: &Knowledge,
) -> Result<Option<Vec<Normal>>> {
    let count = surrogate.without_drift().parameter_count();
    let fitted = settings.method.plan().source == ThetaSource::Map;
    if lost == 0 || !fitted || count > MOST_PARAMETERS {
        return Ok(knowledge.parameters.clone());
    }
    let share = lost as f64 / history.len() as f64;
    let known = before_a_task(settings, surrogate, knowledge);
    let at_first = at_first(settings, surrogate);
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

/// Of the negative log evidence, by each of the first parameters alone; 0 where it curves the other way.
pub(super) fn curvature(
    surrogate: &Surrogate,
    theta: &[f64],
    history: &History,
    count: usize,
) -> Result<Vec<f64>> {
    let mut scratch = EvidenceScratch::default();
    let mut slope = |i: usize, step: f64| -> Result<f64> {
        let (mut moved, mut gradient) = (theta.to_vec(), vec![0.0; theta.len()]);
        moved[i] += step;
        surrogate.evidence_gradient(&moved, history, &mut gradient, &mut scratch)?;
        Ok(gradient[i])
    };
    let one = |i: usize| Ok(((slope(i, STEP)? - slope(i, -STEP)?) / (2.0 * STEP)).max(0.0));
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Value};

    #[test]
    fn what_is_lost_counts_by_its_share() {
        let (prior, evidence) = ((1.0, 0.5), (2.0, 12.0));
        let close = |a: Normal, b: Normal| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-12;
        assert!(close(updated(prior, evidence, 0.0, 0.5), prior));
        assert!(close(updated(prior, evidence, 1.0, 0.5), (2.0, (0.0625_f64 + 0.01).sqrt())));
        let (mean, deviation) = updated(prior, evidence, 0.5, 0.5);
        assert!(1.5 < mean && mean < 2.0 && 0.3 < deviation && deviation < 0.5);
    }

    /// What is known after two tasks of so many trials on a function that changes fastest along the
    /// first of six coordinates.
    fn known_after(trials: u32) -> Knowledge {
        let names = ["a", "b", "c", "d", "e", "f"];
        let space = Space::new(names.map(|name| Parameter::real(name, 0.0, 1.0)));
        let fidelities = vec![Fidelity::new("only", 1.0).with_noise(1e-2)];
        let settings = Settings::default().seed(7);
        let mut campaign =
            Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap();
        for number in 0..2 {
            let mut task = campaign.start(f64::from(trials)).unwrap();
            for i in number * trials..(number + 1) * trials {
                let steps = [0.618_034, 0.414_214, 0.732_051, 0.236_068, 0.645_751, 0.316_625];
                let place = steps.map(|step| f64::from(i) * step % 1.0);
                let trial = task.suggest(&place.map(Value::Real), 0).unwrap();
                let slow: f64 = place[1..].iter().map(|x| (4.0 * x).sin()).sum();
                task.tell(trial.id, 2.0 * (9.0 * place[0]).sin() + slow).unwrap();
            }
            campaign.finish(&mut task).unwrap();
        }
        campaign.knowledge().clone()
    }

    #[test]
    fn nothing_is_remembered_of_what_is_kept_and_of_the_rest_which_coordinate_matters() {
        assert_eq!(known_after(40).parameters, None);
        let parameters = known_after(150).parameters.unwrap();
        let [x, y] = [parameters[0], parameters[1]];
        assert!(x.0 < y.0 - 0.5 && x.1 < 0.5, "{x:?} {y:?}");
    }
}
