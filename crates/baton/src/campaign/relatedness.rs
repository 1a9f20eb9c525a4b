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

use super::contest::Model;
use crate::error::Result;

/// Mean and standard deviation before a task has shown anything.
pub(super) const AT_FIRST: (f64, f64) = (2.0, 0.5);
/// Standard deviation from task to task.
const TASK_TO_TASK: f64 = 0.2;
/// Step of the differences that the curvature is computed by.
const STEP: f64 = 0.3;

/// What is believed after a task that was related to those before; `None` if its model has no such
/// parameter.
pub(super) fn after(model: &Model, before: Option<(f64, f64)>) -> Result<Option<(f64, f64)>> {
    let Some(place) = model.surrogate.relatedness_range().next() else { return Ok(None) };
    let fitted = model.theta()[place];
    let negative_log = |by: f64| -> Result<f64> {
        let mut theta = model.theta().to_vec();
        theta[place] += by;
        Ok(model.surrogate.evidence(&theta, &model.history)?.negative_log)
    };
    let rise = negative_log(STEP)? - 2.0 * negative_log(0.0)? + negative_log(-STEP)?;
    Ok(Some(updated(before.unwrap_or(AT_FIRST).1, fitted, rise / (STEP * STEP))))
}

/// The prior of the next task, by the deviation of the last one, the fitted value and the curvature.
fn updated(deviation: f64, fitted: f64, curvature: f64) -> (f64, f64) {
    let learned = 1.0 / (deviation.powi(-2) + curvature.max(0.0));
    let next = (learned + TASK_TO_TASK * TASK_TO_TASK).sqrt();
    (fitted.max(AT_FIRST.0), next.min(AT_FIRST.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Value};

    #[test]
    fn what_is_believed_narrows_with_what_was_seen_and_never_falls_below_the_beginning() {
        let (mean, deviation) = updated(0.5, 3.0, 4.0);
        assert_eq!(mean, 3.0);
        assert!((deviation - (1.0 / 8.0 + 0.04_f64).sqrt()).abs() < 1e-15);
        assert_eq!(updated(0.5, 0.3, -1.0), AT_FIRST);
    }

    /// What is believed after four tasks that differ by `change` times a function of their own.
    fn learned(change: f64) -> f64 {
        let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)]);
        let fidelities = vec![Fidelity::new("only", 1.0).with_noise(1e-4)];
        let mut settings = Settings::default().seed(3);
        settings.set("initial", "10").unwrap();
        settings.set("guard", "false").unwrap();
        let mut campaign =
            Campaign::new(space.unwrap(), fidelities, Goal::Maximize, settings).unwrap();
        for number in 0..4 {
            let mut task = campaign.start(20.0).unwrap();
            while let Some(trial) = task.ask().unwrap() {
                let [Value::Real(x), Value::Real(y)] = trial.point[..] else { unreachable!() };
                let own = (7.0 * x + 2.0 * f64::from(number)).sin() * (5.0 * y).cos();
                let value = (6.0 * x).cos() + (4.0 * y).sin() + change * own;
                task.tell(trial.id, value).unwrap();
            }
            campaign.finish(&mut task).unwrap();
        }
        campaign.knowledge().relatedness.unwrap().0
    }

    #[test]
    fn tasks_that_agree_are_believed_to_be_closer_than_those_that_do_not() {
        let (same, different) = (learned(0.0), learned(0.8));
        assert!(same > 2.3 && different < same - 0.2, "{same} {different}");
    }
}
