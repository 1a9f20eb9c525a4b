//! A log density with its gradient, the one that matters here, evidence times prior, and its maximum: the
//! most probable parameters, (27).

use super::prior::Prior;
use crate::Error;
use crate::error::{Result, same_size};
use crate::model::surrogate::{EvidenceScratch, Surrogate};
use crate::problem::History;
use baton_numerics::ascent::{Bounds, Effort, Height, Summit, ascend};
use baton_numerics::{Mat, parallel};

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

/// How hard the fit tries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapSettings {
    /// steps per start
    pub iterations: u32,
    /// largest entry of the first step; parameters are logarithms, so 0.3 is a third
    pub first_step: f64,
    /// relative gain below which a start is done
    pub tolerance: f64,
}

impl Default for MapSettings {
    fn default() -> Self {
        Self { iterations: 50, first_step: 0.3, tolerance: 1e-6 }
    }
}

/// Where the fit ended.
#[derive(Debug, Clone, PartialEq)]
pub struct MapFit {
    /// the best parameters found
    pub theta: Vec<f64>,
    /// their log density
    pub log_density: f64,
}

/// `argmin l(theta) - log p(theta)`: climbs from every start and returns the best summit (the first among
/// equals).
///
/// # Errors
/// If there is no start, lengths do not fit, or the density can be evaluated at none of them.
pub fn fit_map(
    density: &impl LogDensity,
    starts: &[Vec<f64>],
    settings: MapSettings,
) -> Result<MapFit> {
    let mut best: Option<MapFit> = None;
    for summit in summits(density, starts, settings)? {
        if summit.log_density > best.as_ref().map_or(f64::NEG_INFINITY, |fit| fit.log_density) {
            best = Some(summit);
        }
    }
    best.ok_or(Error::Overflow { what: "log density at every start", value: f64::NEG_INFINITY })
}

/// Where the climb from each start ended.
pub(crate) fn summits(
    density: &impl LogDensity,
    starts: &[Vec<f64>],
    settings: MapSettings,
) -> Result<Vec<MapFit>> {
    for start in starts {
        same_size("parameters of a start", density.dimension(), start.len())?;
    }
    let columns = Mat::from_fn(density.dimension(), starts.len(), |i, j| starts[j][i]);
    let MapSettings { iterations, first_step, tolerance } = settings;
    let effort = Effort { iterations, first_step, tolerance, ..Effort::default() };
    let bounds = Bounds::none(density.dimension());
    let summits = ascend(columns.as_ref(), &bounds, effort, |trials, _| {
        parallel::map(trials.ncols(), |j| {
            let theta: Vec<f64> = trials.col(j).iter().copied().collect();
            let mut slope = vec![0.0; theta.len()];
            // Where the density cannot be had, the climber takes a shorter step.
            let value = density.log_density(&theta, &mut slope, &mut Default::default());
            let value = value.unwrap_or(f64::NEG_INFINITY);
            Height { value, slope }
        })
    });
    let fit = |summit: Summit| MapFit { theta: summit.point, log_density: summit.value };
    Ok(summits.into_iter().map(fit).collect())
}
