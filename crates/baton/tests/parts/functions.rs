//! Functions drawn from the posterior, and what of them tasks share.

use super::testing::{
    every_model, example_history, example_points, example_theta, related_history, related_models,
    stream,
};
use baton::model::{Earlier, Posterior, Surrogate};
use baton::problem::History;
use baton_numerics::Mat;
use std::sync::Arc;

fn posterior(surrogate: &Surrogate, theta: &[f64], history: &History) -> Posterior {
    Posterior::new(Arc::new(surrogate.clone()), theta.to_vec(), history.clone()).unwrap()
}

/// Draws of which moments are taken, so many at a time: waves are drawn anew for each of these.
const DRAWS: usize = 2000;
const AT_ONCE: usize = 200;

type Moments = Vec<(f64, f64)>;

/// Mean and variance of many draws at some points, at each of these levels: of the task, and of the shared
/// function.
fn moments(posterior: &Posterior, points: &Mat<f64>, levels: &[usize]) -> Vec<[Moments; 2]> {
    let none = vec![(0.0, 0.0); points.ncols()];
    let mut sums = vec![[none.clone(), none]; levels.len()];
    for call in 0..DRAWS / AT_ONCE {
        let functions = posterior.functions(AT_ONCE, &mut stream(50 + call as u64)).unwrap();
        assert_eq!(functions.count(), AT_ONCE + 1);
        let all = functions.values(points.as_ref(), levels).unwrap();
        for (sums, values) in sums.iter_mut().zip(all) {
            for (sums, values) in sums.iter_mut().zip([values.whole, values.shared]) {
                for (j, (mean, variance)) in sums.iter_mut().enumerate() {
                    for k in 1..=AT_ONCE {
                        *mean += values[(j, k)] / DRAWS as f64;
                        *variance += (values[(j, k)] - values[(j, 0)]).powi(2) / DRAWS as f64;
                    }
                }
            }
        }
    }
    sums
}

fn assert_close(found: (f64, f64), mean: f64, variance: f64, what: &str) {
    // Five standard errors, and the waves' own error.
    let error = 5.0 * (variance / DRAWS as f64).sqrt() + 0.01;
    assert!((found.0 - mean).abs() < error, "{what}: {found:?}, mean {mean}");
    let error = 5.0 * variance * (2.0 / DRAWS as f64).sqrt() + 0.02 * variance + 1e-3;
    assert!((found.1 - variance).abs() < error, "{what}: {found:?}, variance {variance}");
}

#[test]
fn draws_have_the_moments_of_the_posterior() {
    let points = example_points(4, 2);
    let plain = every_model().into_iter().map(|model| (example_history(9, 2, 3), model));
    let related = related_models().into_iter().map(|model| (related_history(&model, 7), model));
    for (k, (history, surrogate)) in plain.chain(related).enumerate() {
        let theta = example_theta(&surrogate);
        let posterior = posterior(&surrogate, &theta, &history);
        let prediction = posterior.predict(points.as_ref()).unwrap();
        let functions = posterior.functions(0, &mut stream(1)).unwrap();
        let means = functions.values(points.as_ref(), &[0, 2]).unwrap();
        let found = moments(&posterior, &points, &[0, 2]);
        for (place, level) in [0, 2].into_iter().enumerate() {
            for j in 0..4 {
                let (mean, variance) =
                    (prediction.mean[(level, j)], prediction.variance[(level, j)]);
                assert!((means[place].whole[(j, 0)] - mean).abs() < 1e-9, "model {k}: the mean");
                let what = format!("model {k}, level {level}");
                assert_close(found[place][0][j], mean, variance, &what);
            }
        }
    }
}

#[test]
fn the_shared_part_is_the_posterior_of_what_tasks_share() {
    let points = example_points(3, 2);
    let surrogate = related_models().remove(2);
    assert_eq!(surrogate.settings().earlier, Earlier::Compact);
    let (theta, history) = (example_theta(&surrogate), related_history(&surrogate, 7));
    let posterior_of = posterior(&surrogate, &theta, &history);
    let [_, found] = moments(&posterior_of, &points, &[1]).remove(0);
    for j in 0..3 {
        // An observation of the shared function that tells nothing: what is expected of it is known.
        let (mut asked, noise) = (history.clone(), 1000.0);
        let drift = surrogate.drift(&theta).unwrap();
        let place: Vec<f64> =
            points.col_as_slice(j).iter().zip(&drift).map(|(x, by)| x - by).collect();
        asked.push_measured(&place, surrogate.levels() + 1, 0.0, Some(noise)).unwrap();
        let left_out = posterior(&surrogate, &theta, &asked).left_out(history.len()).unwrap();
        let (mean, variance) = (left_out[0].mean, left_out[0].variance - noise);
        assert_close(found[j], mean, variance, &format!("point {j}"));
    }
}

#[test]
fn of_a_task_without_earlier_ones_nothing_is_shared() {
    let surrogate = every_model().remove(1);
    let theta = example_theta(&surrogate);
    let posterior = posterior(&surrogate, &theta, &example_history(6, 2, 3));
    assert!(!posterior.is_related());
    let functions = posterior.functions(3, &mut stream(1)).unwrap();
    let shared = functions.values(example_points(5, 2).as_ref(), &[2]).unwrap().remove(0).shared;
    let mean = surrogate.prior_mean(&theta).unwrap();
    assert!((0..5).all(|j| (0..4).all(|k| shared[(j, k)] == mean)));
    assert!(functions.values(example_points(5, 2).as_ref(), &[3]).is_err());
}
