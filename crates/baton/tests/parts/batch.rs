//! The batch criterion (43), read as in A12.

use super::testing::{every_model, example_points, stream};
use baton::acquisition::{batch_gradient, batch_information, greedy_batch};
use baton::model::Surrogate;
use baton_numerics::Mat;

fn thetas(surrogate: &Surrogate) -> Vec<Vec<f64>> {
    let mut stream = stream(11);
    let mut draw = || (0..surrogate.parameter_count()).map(|_| 0.5 * stream.normal()).collect();
    (0..3).map(|_| draw()).collect()
}

const WEIGHTS: [f64; 3] = [0.2, 0.5, 0.3];

#[test]
fn the_gradient_agrees_with_finite_differences() {
    for surrogate in every_model() {
        let (thetas, points) = (thetas(&surrogate), example_points(4, 2));
        let gradient = batch_gradient(&surrogate, &thetas, &WEIGHTS, points.as_ref()).unwrap();
        for j in 0..4 {
            for i in 0..2 {
                let at = |step: f64| {
                    let mut moved = points.clone();
                    moved[(i, j)] += step;
                    batch_information(&surrogate, &thetas, &WEIGHTS, moved.as_ref()).unwrap()
                };
                let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                let error = (gradient[(i, j)] - numeric).abs();
                assert!(error < 1e-7 * (1.0 + numeric.abs()), "{error:e}");
            }
        }
    }
}

#[test]
fn the_greedy_choice_is_the_best_next_one() {
    for surrogate in every_model() {
        let (thetas, candidates) = (thetas(&surrogate), example_points(12, 2));
        let belief = (&thetas[..], &WEIGHTS[..]);
        let batch = greedy_batch(&surrogate, belief, candidates.as_ref(), 5, 4).unwrap();
        assert_eq!((batch.len(), batch[0]), (4, 5));
        let worth = |indices: &[usize]| {
            let points = Mat::from_fn(2, indices.len(), |i, j| candidates[(i, indices[j])]);
            batch_information(&surrogate, &thetas, &WEIGHTS, points.as_ref()).unwrap()
        };
        for size in 1..4 {
            let got = worth(&batch[..=size]);
            for j in (0..12).filter(|j| !batch[..size].contains(j)) {
                let mut rival = batch[..size].to_vec();
                rival.push(j);
                assert!(worth(&rival) <= got + 1e-9);
            }
        }
    }
}

#[test]
fn one_point_carries_nothing_when_all_agree_on_its_variance() {
    let surrogate = every_model().remove(0);
    let (thetas, point) = (thetas(&surrogate), example_points(1, 2));
    let nats = batch_information(&surrogate, &thetas, &WEIGHTS, point.as_ref()).unwrap();
    assert!(nats < 1e-15);
    let belief = (&thetas[..], &WEIGHTS[..]);
    assert!(greedy_batch(&surrogate, belief, point.as_ref(), 1, 2).is_err());
    assert_eq!(greedy_batch(&surrogate, belief, point.as_ref(), 0, 9).unwrap(), [0]);
    assert!(batch_information(&surrogate, &thetas, &[1.0], point.as_ref()).is_err());
}
