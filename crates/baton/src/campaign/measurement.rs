//! What is told of a trial: its value, and perhaps its standard error and what it really cost.

use crate::error::{Error, Result};
use crate::problem::{Constraint, Measured, check_measured};

/// The answer to a trial: a value, and what is known of it besides.
///
/// ```
/// use baton::Measurement;
/// let measured = Measurement::new(3.1).noise(0.02).cost(3.7);
/// assert_eq!(Measurement::from(3.1).noise(0.02).cost(3.7), measured);
/// let heat = measured.constraint("temperature", 43.7);
/// assert_eq!(heat.constraints["temperature"], 43.7);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// in the user's units
    pub value: f64,
    /// its standard error; the noise of the fidelity counts if it is not known
    pub noise: Option<f64>,
    /// what it really cost; the fidelity's cost counts if it is not known
    pub cost: Option<f64>,
    /// what was measured of quantities that have to keep bounds
    pub constraints: Measured,
}

impl Measurement {
    /// A value.
    pub fn new(value: f64) -> Self {
        Self { value, noise: None, cost: None, constraints: Measured::new() }
    }

    /// With its standard error.
    #[must_use]
    pub fn noise(self, standard_error: f64) -> Self {
        Self { noise: Some(standard_error), ..self }
    }

    /// With what it really cost.
    #[must_use]
    pub fn cost(self, cost: f64) -> Self {
        Self { cost: Some(cost), ..self }
    }

    /// With the value of a quantity that has to keep bounds.
    #[must_use]
    pub fn constraint(mut self, name: impl Into<String>, value: f64) -> Self {
        self.constraints.insert(name.into(), value);
        self
    }

    /// Refuses what cannot be.
    ///
    /// # Errors
    /// If the value is not finite, the standard error negative, or the cost not positive.
    pub fn check(&self, trial: usize, constraints: &[Constraint]) -> Result<()> {
        check_measured(constraints, &self.constraints)?;
        if !self.value.is_finite() {
            let (what, index, value) = ("value of trial", trial, self.value);
            return Err(Error::NotFinite { what, index, value });
        }
        if let Some(value) = self.noise.filter(|noise| !(noise.is_finite() && *noise >= 0.0)) {
            let (what, must) = ("standard error of the value", "zero or more, and finite");
            return Err(Error::OutOfRange { what, value, must });
        }
        // What costs nothing could be asked for without end.
        if let Some(value) = self.cost.filter(|cost| !(cost.is_finite() && *cost > 0.0)) {
            let (what, must) = ("cost of the trial", "more than zero, and finite");
            return Err(Error::OutOfRange { what, value, must });
        }
        Ok(())
    }
}

impl From<f64> for Measurement {
    fn from(value: f64) -> Self {
        Self::new(value)
    }
}
