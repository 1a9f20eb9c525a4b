//! A log density with its gradient, and the one that matters here: evidence times prior.

use super::prior::Prior;
use crate::error::Result;
use crate::model::surrogate::{EvidenceScratch, Surrogate};
use crate::problem::History;

/// All that SVGD and the MAP fit know of what they climb.
pub trait LogDensity: Sync {
    /// What an evaluation needs besides its inputs; kept by the caller from one to the next.
    type Scratch: Default + Send;

    /// Length of the argument.
    fn dimension(&self) -> usize;

    /// The log density at `theta` up to a constant; its gradient is written to `gradient`.
    ///
    /// # Errors
    /// If the density cannot be evaluated there.
    fn log_density(
        &self,
        theta: &[f64],
        gradient: &mut [f64],
        scratch: &mut Self::Scratch,
    ) -> Result<f64>;
}

/// `-l(theta | D_{n,t}) + log p_n(theta)`: the bracket of (39) with erratum E1.
#[derive(Debug, Clone, Copy)]
pub struct LogPosterior<'a> {
    /// the model
    pub surrogate: &'a Surrogate,
    /// the observations of the present task
    pub history: &'a History,
    /// what was believed before the task
    pub prior: &'a Prior,
}

impl LogDensity for LogPosterior<'_> {
    type Scratch = EvidenceScratch;

    fn dimension(&self) -> usize {
        self.surrogate.parameter_count()
    }

    fn log_density(
        &self,
        theta: &[f64],
        gradient: &mut [f64],
        scratch: &mut EvidenceScratch,
    ) -> Result<f64> {
        let evidence = self.surrogate.evidence_gradient(theta, self.history, gradient, scratch)?;
        for g in gradient.iter_mut() {
            *g = -*g;
        }
        Ok(self.prior.add_log_density(theta, gradient)? - evidence.negative_log)
    }
}
