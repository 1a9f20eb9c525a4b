//! Inputs that break optimisers: duplicates, constants, one point, thousands of points, values at
//! the ends of the floating-point range, missing values, shapes that do not fit. Every call returns
//! finite numbers or a typed error that says what was wrong; none panics.

#![allow(clippy::unwrap_used)] // a test that unwraps fails with the reason at hand

use baton::acquisition::{Acquisition, Criterion, Gumbel, Objective, OptimumGain, TransferGain};
use baton::model::{
    Bandwidth, GaussianPrior, LogPosterior, MapSettings, Prior, Step, Svgd, fit_map,
};
use baton::model::{
    Earlier, EvidenceScratch, FidelityKernel, InputKernel, Mean, Noise, Posterior, Surrogate,
    SurrogateSettings,
};
use baton::problem::{History, Link};
use baton_numerics::{Mat, Table};
use proptest::prelude::*;
use std::sync::Arc;

const LEVELS: usize = 2;

fn model(kind: usize, dimension: usize, noise: f64) -> Surrogate {
    let known = Noise::Known(vec![noise; LEVELS]);
    let (input, fidelity, mean, noise) = match kind {
        0 => (InputKernel::Deep { widths: vec![5, 4] }, FidelityKernel::Rbf, Mean::Zero, known),
        1 => (InputKernel::Rbf, FidelityKernel::Linear, Mean::Learned, Noise::Learned),
        2 => (InputKernel::Matern52, FidelityKernel::Free, Mean::Learned, known),
        _ => (InputKernel::Mixed, FidelityKernel::Chain, Mean::Learned, known),
    };
    let levels = LEVELS;
    SurrogateSettings {
        dimension,
        descriptors: 0,
        levels,
        input,
        fidelity,
        mean,
        noise,
        earlier: Earlier::None,
        drifting: Vec::new(),
        link: Link::Identity,
    }
    .check()
    .unwrap()
}

fn coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![4 => 0.0..1.0_f64, 1 => Just(0.5), 1 => Just(0.5 + 1e-12), 1 => Just(1e300)]
}

fn value() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => -3.0..3.0_f64,
        1 => Just(1.0),
        1 => Just(1e300),
        1 => Just(-1e300),
        1 => Just(1e-300),
        1 => Just(1e12),
    ]
}

fn parameter() -> impl Strategy<Value = f64> {
    prop_oneof![8 => -2.0..2.0_f64, 1 => Just(-40.0), 1 => Just(40.0), 1 => Just(800.0)]
}

type Row = ([f64; 2], usize, f64);

fn history(rows: &[Row]) -> History {
    let mut history = History::new(2);
    for (point, level, value) in rows {
        history.push(point, *level, *value).unwrap();
    }
    history
}

fn thetas(count: usize, entries: &[f64]) -> Vec<Vec<f64>> {
    (0..2).map(|v| (0..count).map(|i| entries[(7 * v + i) % entries.len()]).collect()).collect()
}

fn finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|x| x.is_finite())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn every_result_is_finite_or_a_typed_error(
        kind in 0..4_usize,
        noise in prop_oneof![Just(0.0), Just(1e-300), 1e-8..1.0_f64],
        rows in prop::collection::vec(([coordinate(), coordinate()], 0..LEVELS, value()), 0..14),
        repeated in any::<bool>(),
        entries in prop::collection::vec(parameter(), 5..30),
    ) {
        let surrogate = Arc::new(model(kind, 2, noise));
        let mut rows = rows;
        if repeated {
            rows.extend(rows.clone());
        }
        let history = history(&rows);
        let count = surrogate.parameter_count();
        let thetas = thetas(count, &entries);
        let mut gradient = vec![0.0; count];
        if let Ok(evidence) = surrogate.evidence_gradient(&thetas[0], &history, &mut gradient, &mut EvidenceScratch::default()) {
            prop_assert!(evidence.negative_log.is_finite());
            prop_assert!(gradient.iter().all(|g| g.is_finite()));
        }
        let posteriors: Result<Vec<Posterior>, _> = thetas
            .iter()
            .map(|theta| Posterior::new(Arc::clone(&surrogate), theta.clone(), history.clone()))
            .collect();
        let Ok(posteriors) = posteriors else { return Ok(()) };
        let points = Mat::from_fn(2, 5, |i, j| 0.2 * j as f64 + 0.1 * i as f64);
        let Ok(prediction) = posteriors[0].predict(points.as_ref()) else { return Ok(()) };
        prop_assert!(finite(prediction.mean.entries()) && finite(prediction.variance.entries()));
        let top = LEVELS - 1;
        let row = |table: &Table| table.row(top).collect::<Vec<f64>>();
        let Ok(law) = Gumbel::of_largest(&row(&prediction.mean), &row(&prediction.variance)) else {
            return Ok(());
        };
        let max_values = vec![vec![law.at(0.3), law.at(0.9)]; 2];
        for optimum in [OptimumGain::Printed, OptimumGain::Noisy, OptimumGain::Gibbon] {
            for transfer in [TransferGain::Printed, TransferGain::Noisy, TransferGain::Exact] {
                let criterion = Criterion { optimum, transfer, optimum_weight: 1.0, beta: 1.0 };
                let weights = [0.5, 0.5];
                let Ok(acquisition) =
                    Acquisition::new(criterion, &posteriors, &weights, &max_values)
                else {
                    continue;
                };
                if let Ok(nats) = acquisition.nats(points.as_ref()) {
                    prop_assert!(finite(nats.optimum.entries()) && finite(nats.transfer.entries()));
                }
                if let Ok((worth, _)) = acquisition.worth_and_gradient(points.as_ref(), &[0; 5]) {
                    prop_assert!(worth.iter().all(|w| w.is_finite()));
                }
            }
        }
    }

    #[test]
    fn particles_stay_finite_whatever_they_are_moved_by(
        kind in 0..4_usize,
        rows in prop::collection::vec(([coordinate(), coordinate()], 0..LEVELS, value()), 1..10),
        entries in prop::collection::vec(parameter(), 5..30),
        rate in prop_oneof![Just(1e-3), Just(10.0), Just(1e200)],
    ) {
        let surrogate = model(kind, 2, 0.01);
        let history = history(&rows);
        let count = surrogate.parameter_count();
        let prior = Prior::Gaussian(GaussianPrior::isotropic(count, 0.5).unwrap());
        let density = LogPosterior { surrogate: &surrogate, history: &history, prior: &prior };
        for step in [Step::Plain { rate }, Step::Adam { rate }] {
            let svgd = Svgd { bandwidth: Bandwidth::Median, step, steps: 3 };
            let mut thetas = thetas(count, &entries);
            svgd.run(&density, &mut thetas).unwrap();
            prop_assert!(thetas.iter().flatten().all(|x| x.is_finite()));
        }
        let settings = MapSettings { iterations: 5, ..MapSettings::default() };
        if let Ok(fit) = fit_map(&density, &thetas(count, &entries), settings) {
            prop_assert!(fit.log_density.is_finite());
            prop_assert!(fit.theta.iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn two_thousand_observations_are_conditioned_on() {
    let surrogate = Arc::new(model(2, 2, 1e-6));
    let mut history = History::new(2);
    for i in 0..2000_u32 {
        let (x, y) = (f64::from(i % 50) / 50.0, f64::from(i / 50) / 40.0);
        history.push(&[x, y], (i % 2) as usize, (3.0 * x).sin() + y).unwrap();
    }
    let theta = vec![-0.5; surrogate.parameter_count()];
    let mut gradient = vec![0.0; theta.len()];
    let evidence = surrogate
        .evidence_gradient(&theta, &history, &mut gradient, &mut EvidenceScratch::default())
        .unwrap();
    assert!(evidence.negative_log.is_finite());
    let mut posterior = Posterior::new(surrogate, theta, history).unwrap();
    posterior.observe(&[0.31, 0.77], 1, 1.5).unwrap();
    let point = Mat::from_fn(2, 1, |_, _| 0.5);
    let prediction = posterior.predict(point.as_ref()).unwrap();
    assert!((prediction.mean[(0, 0)] - (1.5_f64.sin() + 0.5)).abs() < 0.05);
}

#[test]
fn shapes_that_do_not_fit_are_named() {
    let surrogate = Arc::new(model(1, 2, 0.1));
    let theta = vec![0.0; surrogate.parameter_count()];
    let history = History::new(3);
    let refused = surrogate.evidence(&theta, &history).unwrap_err().to_string();
    assert!(refused.contains("expected 2, got 3"), "{refused}");
    let refused = surrogate.evidence(&theta[1..], &History::new(2)).unwrap_err().to_string();
    assert!(refused.contains("parameters"), "{refused}");
    let mut bad = theta.clone();
    bad[1] = f64::NAN;
    let refused = surrogate.evidence(&bad, &History::new(2)).unwrap_err().to_string();
    assert!(refused.contains("parameter 1 is NaN"), "{refused}");
    let mut history = History::new(2);
    history.push(&[0.1, 0.2], 7, 1.0).unwrap();
    let refused = surrogate.evidence(&theta, &history).unwrap_err().to_string();
    assert!(refused.contains("level") && refused.contains('7'), "{refused}");
    let posterior = Posterior::new(surrogate, theta, History::new(2)).unwrap();
    assert!(posterior.predict(Mat::zeros(3, 1).as_ref()).is_err());
    assert!(posterior.predict(Mat::from_fn(2, 1, |_, _| f64::NAN).as_ref()).is_err());
}
