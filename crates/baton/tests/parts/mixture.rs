//! Mutual information between the index of a mixture's component and a draw from the mixture.

use super::testing::stream;
use baton::acquisition::mixture_information;
use proptest::prelude::*;

fn equal(count: usize) -> Vec<f64> {
    vec![1.0 / count as f64; count]
}

#[test]
fn equal_components_carry_nothing_and_separate_ones_everything() {
    let same = mixture_information(&[1.0; 4], &[2.0; 4], &equal(4));
    assert!(same.nats.abs() < 1e-14);
    let apart = mixture_information(&[0.0, 100.0, 1e6], &[1.0, 1e-6, 4.0], &equal(3));
    assert!((apart.nats - 3.0_f64.ln()).abs() < 1e-9, "{}", apart.nats);
    let one = mixture_information(&[3.0], &[1.0], &[1.0]);
    assert_eq!(one.nats, 0.0);
}

#[test]
fn a_monte_carlo_average_agrees() {
    let (means, variances, weights) = ([0.0, 0.5, 2.0], [1.0, 0.01, 0.3], [0.5, 0.2, 0.3]);
    let exact = mixture_information(&means, &variances, &weights).nats;
    let log_normal = |y: f64, v: usize| {
        let z = (y - means[v]).powi(2) / variances[v];
        -0.5 * (z + (2.0 * std::f64::consts::PI * variances[v]).ln())
    };
    let mut stream = stream(6);
    let draws = 400_000;
    let mut total = 0.0;
    for _ in 0..draws {
        let share = stream.uniform();
        let v = usize::from(share > 0.5) + usize::from(share > 0.7);
        let y = means[v] + variances[v].sqrt() * stream.normal();
        let density: f64 = (0..3).map(|i| weights[i] * log_normal(y, i).exp()).sum();
        total += log_normal(y, v) - density.ln();
    }
    let average = total / f64::from(draws);
    assert!((average - exact).abs() < 0.005, "{average} {exact}");
}

proptest! {
    #[test]
    fn bounds_hold_and_derivatives_agree_with_finite_differences(
        moments in prop::collection::vec((-3.0..3.0_f64, -4.0..2.0_f64), 2..6),
    ) {
        let means: Vec<f64> = moments.iter().map(|m| m.0).collect();
        let variances: Vec<f64> = moments.iter().map(|m| m.1.exp()).collect();
        let weights = equal(means.len());
        let result = mixture_information(&means, &variances, &weights);
        prop_assert!(result.nats >= 0.0 && result.nats <= (means.len() as f64).ln());
        let at = |v: usize, by_mean: f64, by_variance: f64| {
            let (mut means, mut variances) = (means.clone(), variances.clone());
            means[v] += by_mean;
            variances[v] += by_variance;
            mixture_information(&means, &variances, &weights).nats
        };
        for v in 0..means.len() {
            let step = 1e-4 * variances[v].sqrt();
            let numeric = (at(v, step, 0.0) - at(v, -step, 0.0)) / (2.0 * step);
            let scale = 1e-5 * (1.0 + 1.0 / variances[v]);
            prop_assert!((result.by_mean[v] - numeric).abs() < scale);
            let step = 1e-4 * variances[v];
            let numeric = (at(v, 0.0, step) - at(v, 0.0, -step)) / (2.0 * step);
            prop_assert!((result.by_variance[v] - numeric).abs() < scale);
        }
    }

    #[test]
    fn no_moments_cause_a_panic_or_a_hang(
        moments in prop::collection::vec((prop_oneof![
            Just(0.0), Just(1e300), Just(-1e300), Just(1e-300), -1.0..1.0_f64
        ], prop_oneof![Just(1e-300), Just(1e300), Just(1e-14), 0.1..1.0_f64]), 1..5),
    ) {
        let (means, variances): (Vec<f64>, Vec<f64>) = moments.iter().copied().unzip();
        let nats = mixture_information(&means, &variances, &equal(means.len())).nats;
        prop_assert!(nats >= 0.0 && nats.is_finite());
    }
}
