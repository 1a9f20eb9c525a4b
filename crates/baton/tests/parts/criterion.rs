//! The criterion (37) before its division by cost.

use super::testing::{every_model, example_history, example_points, stream};
use baton::acquisition::{Acquisition, Criterion, Objective, OptimumGain, TransferGain};
use baton::model::Posterior;
use baton_numerics::parallel;
use std::sync::Arc;

fn posteriors(model: usize) -> Vec<Posterior> {
    let surrogate = Arc::new(every_model().remove(model));
    let mut stream = stream(9);
    (0..3)
        .map(|_| {
            let theta = (0..surrogate.parameter_count()).map(|_| 0.5 * stream.normal()).collect();
            Posterior::new(Arc::clone(&surrogate), theta, example_history(8, 2, 3)).unwrap()
        })
        .collect()
}

fn criteria() -> Vec<Criterion> {
    use OptimumGain::{Corrected, Gibbon, Mes, Noisy, Printed};
    let mut all = Vec::new();
    for optimum in [Printed, Corrected, Noisy, Gibbon, Mes] {
        for transfer in [TransferGain::Printed, TransferGain::Noisy, TransferGain::Exact] {
            all.push(Criterion { optimum, transfer, optimum_weight: 1.0, beta: 0.7 });
        }
    }
    all.push(Criterion { optimum_weight: 0.0, ..all[0] });
    all.push(Criterion { beta: 0.0, ..all[0] });
    all
}

const WEIGHTS: [f64; 3] = [0.2, 0.5, 0.3];

#[test]
fn gradients_by_the_point_agree_with_finite_differences() {
    let max_values = vec![vec![1.0, 2.0], vec![1.5, 0.8], vec![2.5, 3.0]];
    for model in 0..4 {
        let posteriors = posteriors(model);
        let (fitted, draws) = posteriors.split_at(1);
        for criterion in criteria() {
            let whole = Acquisition::new(criterion, &posteriors, &WEIGHTS, &max_values).unwrap();
            let fitted = Acquisition::new(criterion, fitted, &[1.0], &max_values[..1]).unwrap();
            let drawn = fitted.with_draws(draws, &[0.5, 0.5]).unwrap();
            for acquisition in [whole, drawn] {
                check_gradient(&acquisition, criterion);
            }
        }
    }
}

fn check_gradient(acquisition: &Acquisition<'_>, criterion: Criterion) {
    let points = example_points(4, 2);
    let levels = [0, 1, 2, 2];
    let (values, gradient) = acquisition.worth_and_gradient(points.as_ref(), &levels).unwrap();
    let nats = acquisition.nats(points.as_ref()).unwrap();
    for j in 0..4 {
        let at = (levels[j], j);
        let sum = criterion.optimum_weight * nats.optimum[at] + criterion.beta * nats.transfer[at];
        assert!((values[j] - sum).abs() < 1e-12);
        for i in 0..2 {
            let moved_by = |step: f64| {
                let mut moved = points.clone();
                moved[(i, j)] += step;
                let result = acquisition.worth_and_gradient(moved.as_ref(), &levels);
                result.unwrap().0[j]
            };
            let numeric = (moved_by(1e-5) - moved_by(-1e-5)) / 2e-5;
            let error = (gradient[(i, j)] - numeric).abs();
            assert!(error < 2e-7 * (1.0 + numeric.abs()), "{criterion:?}: {error:e}");
        }
    }
}

#[test]
fn the_gain_about_theta_is_by_the_draws_where_there_are_any() {
    let posteriors = posteriors(0);
    let points = example_points(3, 2);
    let max_values = vec![vec![1.0, 2.0]; 3];
    let (fitted, draws) = posteriors.split_at(1);
    let criterion = criteria()[4];
    let alone = Acquisition::new(criterion, fitted, &[1.0], &max_values[..1]).unwrap();
    let drawn = alone.with_draws(draws, &[0.5, 0.5]).unwrap();
    let by_draws = Acquisition::new(criterion, draws, &[0.5, 0.5], &max_values[1..]).unwrap();
    let nats = |acquisition: Acquisition<'_>| acquisition.nats(points.as_ref()).unwrap();
    assert_eq!(nats(drawn).optimum, nats(alone).optimum);
    assert_eq!(nats(drawn).transfer, nats(by_draws).transfer);
    assert_eq!(nats(alone).transfer[(0, 0)], 0.0);
    assert!(alone.with_draws(draws, &[1.0]).is_err());
}

#[test]
fn the_same_bits_at_one_and_two_threads() {
    let posteriors = posteriors(0);
    let max_values = vec![vec![1.0, 2.0]; 3];
    let criterion = criteria()[11];
    let acquisition = Acquisition::new(criterion, &posteriors, &WEIGHTS, &max_values).unwrap();
    let points = example_points(300, 2);
    let run = |threads| {
        parallel::with_threads(threads, || {
            let nats = acquisition.nats(points.as_ref()).unwrap();
            let levels = vec![1; 300];
            (nats, acquisition.worth_and_gradient(points.as_ref(), &levels).unwrap())
        })
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn misfits_are_refused() {
    let posteriors = posteriors(0);
    let criterion = criteria()[0];
    assert!(Acquisition::new(criterion, &posteriors, &[1.0], &[]).is_err());
    let bad = vec![vec![f64::NAN]; 3];
    assert!(Acquisition::new(criterion, &posteriors, &WEIGHTS, &bad).is_err());
    let max_values = vec![vec![1.0]; 3];
    let acquisition = Acquisition::new(criterion, &posteriors, &WEIGHTS, &max_values).unwrap();
    assert!(acquisition.nats(example_points(2, 3).as_ref()).is_err());
    assert!(acquisition.worth_and_gradient(example_points(2, 2).as_ref(), &[0]).is_err());
}
