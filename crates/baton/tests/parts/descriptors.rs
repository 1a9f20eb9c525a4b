//! Points with descriptions, against a Gaussian process that is computed otherwise.

use super::testing::{example_points, farthest, stream};
use baton::model::{
    Earlier, EvidenceScratch, FidelityKernel, InputKernel, Mean, Noise, Posterior, Sensitivity,
    Surrogate, SurrogateSettings,
};
use baton::problem::{History, Link};
use baton_numerics::Mat;
use serde::Deserialize;
use std::sync::Arc;

/// Computed by `golden/descriptors.py` with scikit-learn.
const GOLDEN: &str = include_str!("../golden/descriptors.json");

#[derive(Deserialize)]
struct Case {
    kernel: String,
    lengths: Vec<f64>,
    variance: f64,
    noise: f64,
    points: Vec<Vec<f64>>,
    values: Vec<f64>,
    queries: Vec<Vec<f64>>,
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

fn surrogate(input: InputKernel, noise: f64, earlier: Earlier) -> Surrogate {
    SurrogateSettings {
        dimension: 4,
        descriptors: 2,
        levels: 1,
        input,
        fidelity: FidelityKernel::Rbf,
        mean: Mean::Zero,
        noise: Noise::Known(vec![noise]),
        earlier,
        drifting: Vec::new(),
        link: Link::Identity,
    }
    .check()
    .unwrap()
}

fn column(coordinates: &[f64]) -> Mat<f64> {
    Mat::from_fn(coordinates.len(), 1, |i, _| coordinates[i])
}

#[test]
fn mean_and_variance_are_those_of_a_gaussian_process_on_points_and_descriptions() {
    let cases: Vec<Case> = serde_json::from_str(GOLDEN).unwrap();
    assert_eq!(cases.len(), 2);
    for case in cases {
        let matern = case.kernel == "matern52";
        let input = if matern { InputKernel::Matern52 } else { InputKernel::Rbf };
        let surrogate = surrogate(input, case.noise, Earlier::None);
        let mut theta: Vec<f64> = case.lengths.iter().map(|length| length.ln()).collect();
        theta.extend([case.variance.ln(), 0.3]);
        let mut history = History::new(4);
        for (point, value) in case.points.iter().zip(&case.values) {
            history.push(point, 0, *value).unwrap();
        }
        let mut posterior = Posterior::new(Arc::new(surrogate), theta, history).unwrap();
        for (i, query) in case.queries.iter().enumerate() {
            posterior.look_at(&query[2..]).unwrap();
            let prediction = posterior.predict(column(&query[..2]).as_ref()).unwrap();
            let (mean, variance) = (prediction.mean[(0, 0)], prediction.variance[(0, 0)]);
            assert!((mean - case.mean[i]).abs() < 1e-8, "{} {i}: {mean}", case.kernel);
            assert!((variance - case.deviation[i].powi(2)).abs() < 1e-8, "{} {i}", case.kernel);
        }
    }
}

const THETA: [f64; 7] = [-1.0, -0.7, 0.2, 0.8, 0.4, 0.3, 1.5];

/// Points of two tasks before this one and of this one, each with its description.
fn described_history() -> History {
    let mut stream = stream(21);
    let mut history = History::new(4);
    for i in 0..15 {
        let place = [[0.1, 0.9], [0.6, 0.2], [0.4, 0.5]][i / 5];
        let point = [stream.uniform(), stream.uniform(), place[0], place[1]];
        // Levels of earlier tasks are counted on from this one's.
        history.push(&point, [1, 2, 0][i / 5], stream.normal()).unwrap();
    }
    history
}

/// Covariance of two observations: `w^2` between tasks.
fn covariance(a: (&[f64], usize), b: (&[f64], usize)) -> f64 {
    let scaled = a.0.iter().zip(b.0).zip(&THETA).map(|((a, b), log)| ((a - b) / log.exp()).powi(2));
    let share = (1.0 / (1.0 + (-THETA[6]).exp())).powi(2);
    let own = THETA[4].exp() * (-0.5 * scaled.sum::<f64>()).exp();
    if a.1 == b.1 { own } else { share * own }
}

#[test]
fn between_tasks_the_covariance_is_the_share_times_that_of_points_and_descriptions() {
    let history = described_history();
    let noise = 0.05;
    let n = history.len();
    let at = |i: usize| (history.point(i), history.levels()[i]);
    let gram =
        Mat::from_fn(n, n, |i, j| covariance(at(i), at(j)) + if i == j { noise } else { 0.0 });
    let inverse = faer::linalg::solvers::DenseSolveCore::inverse(&gram.partial_piv_lu());
    let surrogate = surrogate(InputKernel::Rbf, noise, Earlier::Tasks(2));
    let mut posterior =
        Posterior::new(Arc::new(surrogate), THETA.to_vec(), history.clone()).unwrap();
    let place = [0.3, 0.7];
    posterior.look_at(&place).unwrap();
    let points = example_points(5, 2);
    let prediction = posterior.predict(points.as_ref()).unwrap();
    for j in 0..5 {
        let query = [points[(0, j)], points[(1, j)], place[0], place[1]];
        let cross = Mat::from_fn(n, 1, |i, _| covariance(at(i), (&query, 0)));
        let values = Mat::from_fn(n, 1, |i, _| history.values()[i]);
        let mean = (cross.transpose() * &inverse * &values)[(0, 0)];
        let explained = (cross.transpose() * &inverse * &cross)[(0, 0)];
        let variance = covariance((&query, 0), (&query, 0)) - explained;
        assert!((prediction.mean[(0, j)] - mean).abs() < 1e-8);
        assert!((prediction.variance[(0, j)] - variance).abs() < 1e-8);
    }
    let means = posterior.means(points.as_ref()).unwrap();
    assert!(farthest(&means, &prediction.mean) < 1e-12);
}

#[test]
fn gradients_by_points_and_by_length_scales_agree_with_finite_differences() {
    let surrogate = surrogate(InputKernel::Mixed, 0.05, Earlier::Compact);
    let theta = [-1.0, -0.7, 0.2, 0.8, 0.4, -0.3, 0.3, 1.5];
    let mut history = History::new(4);
    let mut stream = stream(5);
    for i in 0..12 {
        let point: Vec<f64> = (0..4).map(|_| stream.uniform()).collect();
        history.push(&point, i % 2, stream.normal()).unwrap();
    }
    let mut gradient = vec![0.0; theta.len()];
    let mut scratch = EvidenceScratch::default();
    surrogate.evidence_gradient(&theta, &history, &mut gradient, &mut scratch).unwrap();
    let range = surrogate.descriptor_range();
    assert_eq!(range, 2..4);
    for i in range {
        let at = |step: f64| {
            let mut moved = theta;
            moved[i] += step;
            surrogate.evidence(&moved, &history).unwrap().negative_log
        };
        let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
        assert!((gradient[i] - numeric).abs() < 1e-6 * (1.0 + numeric.abs()), "{i}");
    }
    let mut posterior = Posterior::new(Arc::new(surrogate), theta.to_vec(), history).unwrap();
    posterior.look_at(&[0.2, 0.6]).unwrap();
    let points = example_points(3, 2);
    let value = |points: &Mat<f64>| -> (f64, Mat<f64>) {
        let trace = posterior.trace(points.as_ref(), &[0; 3], false).unwrap();
        let mut sensitivity = Sensitivity::zeros(1, 3);
        let mut total = 0.0;
        for j in 0..3 {
            let (mean, variance) =
                (trace.prediction.mean[(0, j)], trace.prediction.variance[(0, j)]);
            total += mean.sin() + variance * variance;
            sensitivity.mean[(0, j)] = mean.cos();
            sensitivity.variance[(0, j)] = 2.0 * variance;
        }
        (total, trace.pull_back(&sensitivity).unwrap())
    };
    let (_, slopes) = value(&points);
    assert_eq!((slopes.nrows(), slopes.ncols()), (2, 3), "nothing is searched along a description");
    for j in 0..3 {
        for i in 0..2 {
            let at = |step: f64| {
                let mut moved = points.clone();
                moved[(i, j)] += step;
                value(&moved).0
            };
            let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((slopes[(i, j)] - numeric).abs() < 1e-7 * (1.0 + numeric.abs()), "{i} {j}");
        }
    }
}

#[test]
fn a_posterior_grown_row_by_row_is_that_of_all_observations() {
    let history = described_history();
    let surrogate = Arc::new(surrogate(InputKernel::Rbf, 0.05, Earlier::Tasks(2)));
    let whole = Posterior::new(Arc::clone(&surrogate), THETA.to_vec(), history.clone()).unwrap();
    let mut grown =
        Posterior::new(Arc::clone(&surrogate), THETA.to_vec(), history.until(12)).unwrap();
    grown.look_at(&[0.9, 0.9]).unwrap();
    for i in 12..15 {
        grown.observe(history.point(i), 0, history.values()[i]).unwrap();
    }
    let (mut whole, points) = (whole, example_points(4, 2));
    for place in [[0.4, 0.5], [0.0, 1.0]] {
        whole.look_at(&place).unwrap();
        grown.look_at(&place).unwrap();
        let [a, b] = [&whole, &grown].map(|p| p.predict(points.as_ref()).unwrap());
        assert!(farthest(&a.mean, &b.mean) < 1e-9 && farthest(&a.variance, &b.variance) < 1e-9);
    }
    assert!(grown.look_at(&[0.0; 4]).is_err() && grown.look_at(&[f64::NAN]).is_err());
    let pending = grown.with_pending(&[(vec![0.5, 0.5, 0.0, 1.0], 0)]).unwrap();
    let here = column(&[0.5, 0.5]);
    let [before, after] = [&grown, &pending].map(|p| p.predict(here.as_ref()).unwrap());
    assert!(after.variance[(0, 0)] < 0.2 * before.variance[(0, 0)]);
}
