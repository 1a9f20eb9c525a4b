//! The evidence of the observations, (26) with erratum E2.

use super::testing::{
    every_model, example_history, example_theta, related_history, related_models,
};
use baton::model::{EvidenceScratch, Surrogate};
use baton::problem::History;

#[test]
fn the_gradient_by_theta_agrees_with_finite_differences() {
    let alone = |s: &Surrogate| example_history(9, s.dimension(), s.levels());
    let with_earlier = |s: &Surrogate| related_history(s, 5);
    let cases = every_model().into_iter().map(|s| (alone(&s), s));
    let related = related_models().into_iter().map(|s| (with_earlier(&s), s));
    for (history, surrogate) in cases.chain(related) {
        let theta = example_theta(&surrogate);
        let mut gradient = vec![0.0; theta.len()];
        surrogate
            .evidence_gradient(&theta, &history, &mut gradient, &mut EvidenceScratch::default())
            .unwrap();
        let scale = gradient.iter().fold(0.0_f64, |m, g| m.max(g.abs()));
        for i in 0..theta.len() {
            let at = |step: f64| {
                let mut moved = theta.clone();
                moved[i] += step;
                surrogate.evidence(&moved, &history).unwrap().negative_log
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            let error = (gradient[i] - numeric).abs();
            assert!(error < 1e-7 * scale, "{:?} parameter {i}: {error:e}", surrogate.settings());
        }
    }
}

#[test]
fn no_observations_mean_no_evidence() {
    for surrogate in every_model() {
        let history = History::new(surrogate.dimension());
        let theta = example_theta(&surrogate);
        let mut gradient = vec![1.0; theta.len()];
        let evidence = surrogate
            .evidence_gradient(&theta, &history, &mut gradient, &mut EvidenceScratch::default())
            .unwrap();
        assert_eq!(evidence.negative_log, 0.0);
        assert!(gradient.iter().all(|g| *g == 0.0));
    }
}
