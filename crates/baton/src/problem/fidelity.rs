//! Fidelity levels: how the objective can be evaluated, and at what cost. The last is the truth.

use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// One way to evaluate the objective.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fidelity {
    /// its name
    pub name: String,
    /// what an evaluation costs, in the unit of the budget
    pub cost: f64,
    /// variance of the observation noise in the user's units, where known
    pub noise_variance: Option<f64>,
}

impl Fidelity {
    /// A level whose noise is learned.
    pub fn new(name: &str, cost: f64) -> Self {
        Self { name: name.to_owned(), cost, noise_variance: None }
    }

    /// The same with known noise variance, in the user's units.
    #[must_use]
    pub fn with_noise(mut self, variance: f64) -> Self {
        self.noise_variance = Some(variance);
        self
    }
}

/// Checks the levels.
///
/// # Errors
/// If there are none, a cost is not positive and finite, a noise variance is negative or not
/// finite, two names are equal, or noise is known at some levels only.
pub fn check_fidelities(fidelities: &[Fidelity]) -> Result<()> {
    if fidelities.is_empty() {
        let must = "at least 1";
        return Err(Error::OutOfRange { what: "number of fidelities", value: 0.0, must });
    }
    for (i, fidelity) in fidelities.iter().enumerate() {
        let refuse = |reason: String| Err(Error::Fidelity { name: fidelity.name.clone(), reason });
        let cost = fidelity.cost;
        if !(cost.is_finite() && cost > 0.0) {
            return refuse(format!("its cost is {cost}; it must be positive and finite"));
        }
        if let Some(noise) = fidelity.noise_variance.filter(|v| !(v.is_finite() && *v >= 0.0)) {
            return refuse(format!("its noise variance is {noise}; it must be zero or more"));
        }
        if fidelities[..i].iter().any(|earlier| earlier.name == fidelity.name) {
            return refuse("the name occurs twice".into());
        }
        if fidelity.noise_variance.is_some() != fidelities[0].noise_variance.is_some() {
            return refuse("noise must be given for all fidelities or for none".into());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_levels_are_refused_by_name() {
        let good = || Fidelity::new("fine", 4.0);
        check_fidelities(&[Fidelity::new("coarse", 1.0), good()]).unwrap();
        assert!(check_fidelities(&[]).is_err());
        for cost in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let refused = check_fidelities(&[Fidelity::new("coarse", cost), good()]).unwrap_err();
            assert!(refused.to_string().contains("fidelity coarse"), "{refused}");
        }
        assert!(check_fidelities(&[good().with_noise(-0.1)]).is_err());
        assert!(check_fidelities(&[good(), good()]).is_err());
        assert!(check_fidelities(&[good().with_noise(0.1), Fidelity::new("x", 1.0)]).is_err());
    }
}
