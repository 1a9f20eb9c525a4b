//! The posterior mean at the top level, averaged over particles.

use super::testing::{every_model, example_history, example_points, example_theta};
use baton::acquisition::{Objective, PosteriorMean};
use baton::model::Posterior;
use std::sync::Arc;

#[test]
fn the_gradient_agrees_with_finite_differences() {
    let surrogate = Arc::new(every_model().remove(1));
    let theta = example_theta(&surrogate);
    let other: Vec<f64> = theta.iter().map(|x| 0.5 * x).collect();
    let posteriors: Vec<Posterior> = [theta, other]
        .map(|theta| {
            Posterior::new(Arc::clone(&surrogate), theta, example_history(7, 2, 3)).unwrap()
        })
        .into();
    let objective = PosteriorMean { posteriors: &posteriors, weights: &[0.3, 0.7] };
    let points = example_points(3, 2);
    let (values, gradient) = objective.worth_and_gradient(points.as_ref(), &[2, 0, 2]).unwrap();
    let whole = objective.worth(points.as_ref()).unwrap();
    assert!((whole[(2, 0)] - values[0]).abs() < 1e-14);
    let moments = objective.moments(points.col_as_slice(0)).unwrap();
    assert!((moments.mean - values[0]).abs() < 1e-14 && moments.variance > 0.0);
    for j in 0..3 {
        for i in 0..2 {
            let at = |step: f64| {
                let mut moved = points.clone();
                moved[(i, j)] += step;
                objective.worth_and_gradient(moved.as_ref(), &[2, 0, 2]).unwrap().0[j]
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((gradient[(i, j)] - numeric).abs() < 1e-8 * (1.0 + numeric.abs()));
        }
    }
}
