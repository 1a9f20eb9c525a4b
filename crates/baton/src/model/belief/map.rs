//! The most probable parameters, (27): `argmin l(theta) - log p(theta)`, by ascent from several
//! starts.

use super::density::LogDensity;
use crate::Error;
use crate::error::{Result, same_size};
use baton_numerics::ascent::{Bounds, Effort, Height, ascend};
use baton_numerics::{Mat, parallel};

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

/// Climbs from every start and returns the best summit (the first among equals).
///
/// # Errors
/// If there is no start, lengths do not fit, or the density can be evaluated at none of them.
pub fn fit_map(
    density: &impl LogDensity,
    starts: &[Vec<f64>],
    settings: MapSettings,
) -> Result<MapFit> {
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
    let mut best: Option<MapFit> = None;
    for summit in summits {
        if summit.value > best.as_ref().map_or(f64::NEG_INFINITY, |fit| fit.log_density) {
            best = Some(MapFit { theta: summit.point, log_density: summit.value });
        }
    }
    best.ok_or(Error::Overflow { what: "log density at every start", value: f64::NEG_INFINITY })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::EvidenceScratch;
    use crate::model::testing::{every_model, example_history, example_theta};
    use crate::model::{GaussianPrior, LogPosterior, Prior};

    #[test]
    fn the_fit_is_stationary_and_beats_its_starts() {
        for surrogate in every_model() {
            let history = example_history(15, 2, 3);
            let count = surrogate.parameter_count();
            let prior = Prior::Gaussian(GaussianPrior::isotropic(count, 0.5).unwrap());
            let density = LogPosterior { surrogate: &surrogate, history: &history, prior: &prior };
            let starts = [vec![0.0; count], example_theta(&surrogate)];
            let settings = MapSettings { iterations: 500, tolerance: 1e-13, ..Default::default() };
            let fit = fit_map(&density, &starts, settings).unwrap();
            let mut gradient = vec![0.0; count];
            for start in &starts {
                let at_start = density
                    .log_density(start, &mut gradient, &mut EvidenceScratch::default())
                    .unwrap();
                assert!(fit.log_density > at_start);
            }
            density
                .log_density(&fit.theta, &mut gradient, &mut EvidenceScratch::default())
                .unwrap();
            let steepest = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
            assert!(steepest < 1e-3, "{steepest} in {:?}", surrogate.settings());
        }
    }

    #[test]
    fn no_start_or_a_misfit_is_an_error() {
        let surrogate = every_model().remove(0);
        let history = example_history(3, 2, 3);
        let count = surrogate.parameter_count();
        let prior = Prior::Gaussian(GaussianPrior::isotropic(count, 0.5).unwrap());
        let density = LogPosterior { surrogate: &surrogate, history: &history, prior: &prior };
        assert!(fit_map(&density, &[], MapSettings::default()).is_err());
        assert!(fit_map(&density, &[vec![0.0]], MapSettings::default()).is_err());
    }
}
