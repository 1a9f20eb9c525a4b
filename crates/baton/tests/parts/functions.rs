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

/// Mean and variance of many draws at some points: of the task, and of the shared function. Waves are drawn
/// anew for every few of them.
fn moments(posterior: &Posterior, points: &Mat<f64>, level: usize) -> [Vec<(f64, f64)>; 2] {
    let n = points.ncols();
    let mut sums = [vec![(0.0, 0.0); n], vec![(0.0, 0.0); n]];
    let (calls, draws) = (40, 100);
    for call in 0..calls {
        let functions = posterior.functions(draws, &mut stream(50 + call)).unwrap();
        assert_eq!(functions.count(), draws + 1);
        let values = functions.values(points.as_ref(), &[level]).unwrap().remove(0);
        for (sums, values) in sums.iter_mut().zip([values.whole, values.shared]) {
            for (j, (sum, squares)) in sums.iter_mut().enumerate() {
                for k in 1..=draws {
                    let deviation = values[(j, k)] - values[(j, 0)];
                    *sum += values[(j, k)];
                    *squares += deviation * deviation;
                }
            }
        }
    }
    let count = (calls as usize * draws) as f64;
    sums.map(|of| of.iter().map(|(sum, squares)| (sum / count, squares / count)).collect())
}

fn assert_close(found: (f64, f64), mean: f64, variance: f64, what: &str) {
    // 4,000 draws: five standard errors, and the waves' own error.
    let error = 5.0 * (variance / 4000.0).sqrt() + 0.01;
    assert!((found.0 - mean).abs() < error, "{what}: {found:?}, mean {mean}");
    let error = 5.0 * variance * (2.0_f64 / 4000.0).sqrt() + 0.02 * variance + 1e-3;
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
        for level in [0, 2] {
            let prediction = posterior.predict(points.as_ref()).unwrap();
            let functions = posterior.functions(0, &mut stream(1)).unwrap();
            let means = functions.values(points.as_ref(), &[level]).unwrap().remove(0).whole;
            let [found, _] = moments(&posterior, &points, level);
            for j in 0..4 {
                let (mean, variance) =
                    (prediction.mean[(level, j)], prediction.variance[(level, j)]);
                assert!((means[(j, 0)] - mean).abs() < 1e-9, "model {k} {level}: the mean");
                assert_close(found[j], mean, variance, &format!("model {k}, level {level}"));
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
    let [_, found] = moments(&posterior_of, &points, 1);
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
