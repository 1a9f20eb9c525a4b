//! The posterior of the surrogate at one `theta`: built once, then extended row by row.

use super::testing::{
    every_model, example_history, example_points, example_theta, farthest, related_history,
    related_models,
};
use baton::model::{Posterior, Surrogate};
use baton::problem::{History, Link};
use std::sync::Arc;

fn posterior(surrogate: Surrogate, count: usize) -> Posterior {
    let history = example_history(count, surrogate.dimension(), surrogate.levels());
    let theta = example_theta(&surrogate);
    Posterior::new(Arc::new(surrogate), theta, history).unwrap()
}

#[test]
fn observing_one_by_one_equals_conditioning_at_once() {
    for surrogate in every_model() {
        let whole = posterior(surrogate.clone(), 12);
        let mut grown = posterior(surrogate, 5);
        for i in 5..12 {
            let history = whole.history();
            let (level, value) = (history.levels()[i], history.values()[i]);
            let own_noise = history.own_noise()[i];
            grown.observe_measured(history.point(i), level, value, own_noise).unwrap();
        }
        let points = example_points(6, 2);
        let (a, b) =
            (whole.predict(points.as_ref()).unwrap(), grown.predict(points.as_ref()).unwrap());
        assert!(farthest(&a.mean, &b.mean) < 1e-11);
        assert!(farthest(&a.variance, &b.variance) < 1e-11);
        assert!(farthest(&a.covariance, &b.covariance) < 1e-11);
    }
}

#[test]
fn earlier_tasks_are_taken_along() {
    for surrogate in related_models() {
        let theta = example_theta(&surrogate);
        let surrogate = Arc::new(surrogate);
        let whole = related_history(&surrogate, 4);
        let build = |h: History| Posterior::new(Arc::clone(&surrogate), theta.clone(), h).unwrap();
        let (all, mut grown) = (build(whole.clone()), build(whole.until(9)));
        let alone = build(History::new(2));
        if surrogate.settings().link == Link::Identity {
            let factors = vec![1.0; whole.len()];
            let plain = whole.revalued(whole.values().to_vec(), factors).unwrap();
            let all = build(plain.clone());
            grown = build(plain.until(9));
            let (level, value) = (plain.levels()[9], plain.values()[9]);
            grown.observe_measured(plain.point(9), level, value, plain.own_noise()[9]).unwrap();
            let points = example_points(3, 2);
            let [a, b] = [&all, &grown].map(|p| p.predict(points.as_ref()).unwrap());
            assert!(farthest(&a.mean, &b.mean) < 1e-10);
            assert!(farthest(&a.variance, &b.variance) < 1e-10);
        }
        let points = example_points(3, 2);
        let [with, without] = [&all, &alone].map(|p| p.predict(points.as_ref()).unwrap());
        assert!(with.variance[(2, 0)] < without.variance[(2, 0)]);
        assert!(grown.jitter() < 1e-6);
    }
}

#[test]
fn pending_trials_shrink_variances_and_leave_means() {
    for surrogate in every_model() {
        let plain = posterior(surrogate, 8);
        let points = example_points(5, 2);
        let pending: Vec<(Vec<f64>, usize)> =
            (0..3).map(|j| (points.col_as_slice(j).to_vec(), j)).collect();
        let waiting = plain.with_pending(&pending).unwrap();
        let (a, b) =
            (plain.predict(points.as_ref()).unwrap(), waiting.predict(points.as_ref()).unwrap());
        assert!(farthest(&a.mean, &b.mean) < 1e-14);
        for j in 0..5 {
            for m in 0..3 {
                assert!(b.variance[(m, j)] <= a.variance[(m, j)] + 1e-14);
            }
        }
        assert!(b.variance[(0, 0)] < a.variance[(0, 0)]);
        assert!(waiting.clone().observe(&[0.1, 0.1], 0, 1.0).is_err());
    }
}

#[test]
fn a_repeated_point_without_noise_is_survived() {
    let settings = every_model()[0].settings().clone();
    let noise = baton::model::Noise::Known(vec![0.0; 3]);
    let surrogate = baton::model::SurrogateSettings { noise, ..settings }.check().unwrap();
    let mut posterior = posterior(surrogate, 4);
    let point = posterior.history().point(1).to_vec();
    posterior.observe(&point, 1, 0.2).unwrap();
    assert_eq!(posterior.history().len(), 5);
    assert!(posterior.jitter() > 0.0);
    let prediction = posterior.predict(example_points(3, 2).as_ref()).unwrap();
    assert!(prediction.mean[(0, 0)].is_finite());
    let waiting = posterior.with_pending(&[(point.clone(), 1), (point, 1)]).unwrap();
    assert!(waiting.predict(example_points(3, 2).as_ref()).is_ok());
}

#[test]
fn refused_observations_change_nothing() {
    let mut posterior = posterior(every_model().remove(1), 4);
    let before = posterior.predict(example_points(3, 2).as_ref()).unwrap();
    assert!(posterior.observe(&[0.1], 0, 1.0).is_err());
    assert!(posterior.observe(&[0.1, 0.2], 7, 1.0).is_err());
    assert!(posterior.observe(&[0.1, 0.2], 1, f64::NAN).is_err());
    assert!(posterior.with_pending(&[(vec![0.1, f64::NAN], 0)]).is_err());
    let after = posterior.predict(example_points(3, 2).as_ref()).unwrap();
    assert_eq!(before.mean, after.mean);
}
