//! Functions drawn from the posterior, and what of them tasks share.

use super::testing::{
    every_model, example_history, example_points, example_theta, related_history, related_models,
    stream,
};
use baton::model::{Earlier, Noise, Posterior, Surrogate, SurrogateSettings};
use baton::problem::History;
use baton_numerics::Mat;
use baton_numerics::importance::PickFreeze;
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

/// Integrals over the unit interval of one bump, and of the product of two.
fn bumps(a: f64, b: f64, length: f64) -> (f64, f64) {
    let over = |middle: f64, width: f64| {
        let root = width * std::f64::consts::SQRT_2;
        let erf = |x: f64| errorfunctions::RealErrorFunctions::erf(x);
        let ends = erf((1.0 - middle) / root) + erf(middle / root);
        width * (0.5 * std::f64::consts::PI).sqrt() * ends
    };
    let both = (-(a - b).powi(2) / (4.0 * length * length)).exp();
    (over(a, length), both * over(0.5 * (a + b), length / std::f64::consts::SQRT_2))
}

#[test]
fn indices_of_an_rbf_mean_are_those_in_closed_form() {
    let settings = SurrogateSettings {
        dimension: 3,
        levels: 1,
        noise: Noise::Known(vec![0.01]),
        ..every_model().remove(1).settings().clone()
    };
    let surrogate = settings.check().unwrap();
    let mut theta = vec![0.0; surrogate.parameter_count()];
    (theta[0], theta[1], theta[2]) = (-1.0, -0.4, 0.7);
    let history = example_history(15, 3, 1);
    let posterior = posterior(&surrogate, &theta, &history);
    // The weights of the mean, `(y_i - mean_i) / variance_i` of what is left out.
    let left_out = posterior.left_out(0).unwrap();
    let weights: Vec<f64> = left_out.iter().map(|of| (of.value - of.mean) / of.variance).collect();
    let part = |set: &[usize]| -> f64 {
        let mut sum = 0.0;
        for (i, a) in weights.iter().enumerate() {
            for (j, b) in weights.iter().enumerate() {
                let along = |k: usize| {
                    let (at, other) = (history.point(i)[k], history.point(j)[k]);
                    let (one, two) = bumps(at, other, theta[k].exp());
                    if set.contains(&k) { two } else { one * bumps(other, at, theta[k].exp()).0 }
                };
                sum += a * b * (0..3).map(along).product::<f64>();
            }
        }
        sum
    };
    let constant = part(&[]);
    let variance = part(&[0, 1, 2]) - constant;
    let sets = [vec![0], vec![1], vec![2], vec![0, 1]];
    let design = PickFreeze::new(3, 4096, &mut stream(4));
    let points = design.points(&sets);
    let functions = posterior.functions(0, &mut stream(1)).unwrap();
    let values = functions.values(points.as_ref(), &[0]).unwrap().remove(0).whole;
    let found = design.indices(values.col_as_slice(0));
    for (k, set) in sets.iter().enumerate() {
        let others: Vec<usize> = (0..3).filter(|i| !set.contains(i)).collect();
        let closed = (part(set) - constant) / variance;
        let total = 1.0 - (part(&others) - constant) / variance;
        assert!((found.closed[k] - closed).abs() < 0.01, "{set:?}: {found:?}, {closed}");
        assert!((found.total[k] - total).abs() < 0.01, "{set:?}: {found:?}, {total}");
    }
}
