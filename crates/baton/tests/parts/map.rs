//! The most probable parameters, (27).

use super::testing::{every_model, example_history, example_theta};
use baton::model::{
    EvidenceScratch, GaussianPrior, LogDensity, LogPosterior, MapSettings, Prior, fit_map,
};

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
            let at_start =
                density.log_density(start, &mut gradient, &mut EvidenceScratch::default()).unwrap();
            assert!(fit.log_density > at_start);
        }
        density.log_density(&fit.theta, &mut gradient, &mut EvidenceScratch::default()).unwrap();
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
