//! Constraints: quantities that an evaluation measures besides the objective, and the bounds that they
//! have to keep.
//!
//! What is learned is the quantity, at all fidelities and over all tasks; its bounds may differ from task
//! to task.

use super::fidelity::Fidelity;
use super::units::{Goal, UnitsSettings};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was measured of each quantity, by its name.
pub type Measured = BTreeMap<String, f64>;

/// The name of the quantity that is 1 where an evaluation succeeds and -1 where it fails.
const SUCCESS: &str = "success";
/// Names of other things that are told or listed with a trial.
const TAKEN: [&str; 16] = [
    "value", "noise", "cost", "error", "task", "trial", "fidelity", "level", "charged", "state",
    "reason", "aim", "holder", "feasible", "asked", "answered",
];
/// Variance of its noise: what a step has that no smooth function has. Of less, length scales become short
/// and little is handed on; of more, edges become vague.
const SUCCESS_NOISE: f64 = 0.3;

/// A quantity with the bounds that it has to keep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Constraint {
    /// its name
    pub name: String,
    /// the least that it may be
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// the most that it may be
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// variance of its noise, one for all fidelities or one for each; learned if it is not given
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise: Vec<f64>,
}

impl Constraint {
    /// A quantity that may be at most so much.
    pub fn at_most(name: impl Into<String>, max: f64) -> Self {
        Self { name: name.into(), min: None, max: Some(max), noise: Vec::new() }
    }

    /// A quantity that has to be at least so much.
    pub fn at_least(name: impl Into<String>, min: f64) -> Self {
        Self { name: name.into(), min: Some(min), max: None, noise: Vec::new() }
    }

    /// A quantity that has to lie between two bounds.
    pub fn between(name: impl Into<String>, min: f64, max: f64) -> Self {
        Self { name: name.into(), min: Some(min), max: Some(max), noise: Vec::new() }
    }

    /// That evaluations succeed: where they fail is learned and avoided, here and in later tasks.
    pub fn success() -> Self {
        Self::at_least(SUCCESS, 0.0).with_noise([SUCCESS_NOISE])
    }

    /// With the variance of its noise, one for all fidelities or one for each.
    #[must_use]
    pub fn with_noise(self, variances: impl Into<Vec<f64>>) -> Self {
        Self { noise: variances.into(), ..self }
    }

    /// Whether it is that evaluations succeed.
    pub fn is_success(&self) -> bool {
        self.name == SUCCESS
    }

    /// Whether a value keeps the bounds.
    pub fn holds(&self, value: f64) -> bool {
        self.min.is_none_or(|min| value >= min) && self.max.is_none_or(|max| value <= max)
    }

    /// The bounds, as people write them.
    pub fn in_words(&self) -> String {
        let name = &self.name;
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{min} <= {name} <= {max}"),
            (Some(min), None) => format!("{name} >= {min}"),
            (None, Some(max)) => format!("{name} <= {max}"),
            (None, None) => name.clone(),
        }
    }

    /// The direction in which it is safer.
    pub(crate) fn goal(&self) -> Goal {
        if self.min.is_some() { Goal::Maximize } else { Goal::Minimize }
    }

    /// The units that its values are modelled in; those of success are what they are.
    pub(crate) fn units(&self, usual: &UnitsSettings) -> UnitsSettings {
        if self.is_success() {
            UnitsSettings::as_they_are()
        } else {
            UnitsSettings::by_values_as(usual)
        }
    }

    /// The fidelities as this quantity is seen at them.
    pub(crate) fn fidelities(&self, fidelities: &[Fidelity]) -> Vec<Fidelity> {
        let noise = |level: usize| self.noise.get(level).or(self.noise.first()).copied();
        let one = |(level, fidelity): (usize, &Fidelity)| Fidelity {
            noise_variance: noise(level),
            ..fidelity.clone()
        };
        fidelities.iter().enumerate().map(one).collect()
    }
}

/// Whether these can be the constraints of a problem.
///
/// # Errors
/// Says which cannot be kept, or is not well said.
pub fn check_constraints(constraints: &[Constraint], levels: usize) -> Result<()> {
    let mut names = BTreeSet::new();
    for constraint in constraints {
        let Constraint { name, min, max, noise } = constraint;
        let refuse =
            |reason: &str| Err(Error::Constraint { name: name.clone(), reason: reason.to_owned() });
        if name.trim().is_empty() {
            return refuse("it needs a name");
        }
        let learned = Constraint::success();
        if constraint.is_success() && *constraint != learned {
            return refuse(
                "that is whether evaluations succeed: set failures to learn, or choose another name",
            );
        }
        if TAKEN.contains(&name.as_str()) {
            return refuse("this name has a meaning of its own beside it; choose another one");
        }
        if !names.insert(name) {
            return refuse("there are two of this name; one may have both min and max");
        }
        if min.iter().chain(max).any(|bound| !bound.is_finite()) {
            return refuse("its bounds must be finite numbers");
        }
        match (min, max) {
            (None, None) => return refuse("it needs a bound: min, max, or both"),
            (Some(min), Some(max)) if min >= max => {
                return refuse(&format!(
                    "nothing is at least {min} and at most {max}: min must be below max"
                ));
            }
            _ => {}
        }
        if noise.len() > 1 && noise.len() != levels {
            return refuse(&format!(
                "it has {} noise variances for {levels} fidelities; give one, or one for each",
                noise.len()
            ));
        }
        if noise.iter().any(|variance| !(variance.is_finite() && *variance >= 0.0)) {
            return refuse("variances of its noise must be zero or more, and finite");
        }
    }
    Ok(())
}

/// Whether what was measured is of these constraints, and can be.
///
/// # Errors
/// Names the quantity.
pub fn check_measured(constraints: &[Constraint], measured: &Measured) -> Result<()> {
    for (name, value) in measured {
        let refuse = |reason: String| Err(Error::Constraint { name: name.clone(), reason });
        let known = || constraints.iter().filter(|constraint| !constraint.is_success());
        if !known().any(|constraint| constraint.name == *name) {
            let names: Vec<&str> = known().map(|constraint| constraint.name.as_str()).collect();
            return refuse(match names[..] {
                [] => "a value of it was told, but this problem has no constraints".to_owned(),
                _ => format!("a value of it was told; the constraints are {}", names.join(", ")),
            });
        }
        if !value.is_finite() {
            return refuse(format!(
                "its value is {value}; tell a finite number, leave it out if it could not be measured, \
                 or report the trial as failed"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_refused_by_name() {
        let refused =
            |constraint: Constraint| check_constraints(&[constraint], 3).unwrap_err().to_string();
        assert!(refused(Constraint::between("heat", 3.0, 2.0)).contains("heat"));
        assert!(refused(Constraint::at_most("heat", f64::NAN)).contains("finite"));
        assert!(refused(Constraint::at_most(" ", 1.0)).contains("name"));
        assert!(refused(Constraint::at_most("value", 1.0)).contains("meaning"));
        assert!(refused(Constraint::at_least("success", 1.0)).contains("failures"));
        assert!(refused(Constraint::at_most("heat", 1.0).with_noise([0.1, 0.1])).contains("3 fid"));
        let twice = [Constraint::at_most("heat", 1.0), Constraint::at_least("heat", 0.0)];
        assert!(check_constraints(&twice, 1).is_err());
        assert!(
            check_constraints(&[Constraint::at_most("heat", 1.0), Constraint::success()], 1)
                .is_ok()
        );
    }

    #[test]
    fn what_is_told_must_be_asked_for() {
        let told = |name: &str, value: f64| Measured::from([(name.to_owned(), value)]);
        let known = [Constraint::at_most("heat", 45.0), Constraint::success()];
        assert!(check_measured(&known, &told("heat", 44.0)).is_ok());
        assert!(check_measured(&known, &told("heat", f64::NAN)).is_err());
        assert!(
            check_measured(&known, &told("haet", 44.0)).unwrap_err().to_string().contains("heat")
        );
        assert!(check_measured(&known, &told("success", 1.0)).is_err());
        assert!(check_measured(&[], &told("heat", 1.0)).is_err());
        assert!(known[0].holds(45.0) && !known[0].holds(45.1));
        assert_eq!(Constraint::between("x", 1.0, 2.0).in_words(), "1 <= x <= 2");
    }
}
