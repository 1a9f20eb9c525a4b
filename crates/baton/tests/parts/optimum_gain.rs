//! Information about this task's maximum, (21)-(25) with errata E3 and E4, for one particle.

use super::testing::{assert_sensitivity, example_prediction};
use baton::acquisition::OptimumGain;
use baton::model::Prediction;
use baton_numerics::Table;

const FORMS: [OptimumGain; 5] = [
    OptimumGain::Printed,
    OptimumGain::Corrected,
    OptimumGain::Noisy,
    OptimumGain::Gibbon,
    OptimumGain::Mes,
];
const MAX_VALUES: [f64; 3] = [0.4, 1.1, 2.5];

#[test]
fn sensitivities_agree_with_finite_differences() {
    for (form, levels) in FORMS.iter().flat_map(|form| [(form, 1), (form, 3)]) {
        let prediction = example_prediction(7, levels, 4);
        let (first, sensitivity) = form.first_with_sensitivity(&prediction, &MAX_VALUES, -0.7);
        let gains = form.evaluate(&prediction, &MAX_VALUES);
        assert!(first.iter().zip(gains.row(0)).all(|(a, b)| (a - b).abs() < 1e-14));
        assert_sensitivity(&prediction, &sensitivity, |moved| {
            -0.7 * form.evaluate(moved, &MAX_VALUES).row(0).sum::<f64>()
        });
    }
}

#[test]
fn the_printed_form_is_twice_the_corrected_one_and_noise_only_lowers_the_gain() {
    let prediction = example_prediction(8, 3, 5);
    let [printed, corrected, noisy, gibbon, mes] =
        FORMS.map(|form| form.evaluate(&prediction, &MAX_VALUES));
    for j in 0..5 {
        for m in 0..3 {
            assert!((printed[(m, j)] - 2.0 * corrected[(m, j)]).abs() < 1e-14);
            assert!(noisy[(m, j)] < corrected[(m, j)] && noisy[(m, j)] > 0.0);
            assert!(gibbon[(m, j)] > 0.0 && mes[(m, j)] > 0.0);
        }
        assert!((noisy[(2, j)] - gibbon[(2, j)]).abs() < 1e-14);
    }
}

#[test]
fn extreme_moments_give_finite_gains() {
    for (mean, variance) in [(1e300, 1e-300), (-1e300, 1e-300), (0.0, 1e300), (5.0, 1e-14)] {
        let full = |value: f64| Table::from_fn(2, 1, |_, _| value);
        let (mean, variance) = (full(mean), full(variance));
        let covariance = variance.clone();
        let (noise, noise_slope) = (Table::from_fn(2, 1, |m, _| [0.0, 1e-300][m]), full(0.0));
        let prediction = Prediction { mean, variance, covariance, noise, noise_slope };
        for form in FORMS {
            let gains = form.evaluate(&prediction, &MAX_VALUES);
            let (first, _) = form.first_with_sensitivity(&prediction, &MAX_VALUES, 1.0);
            let sound = |gain: &f64| gain.is_finite() && *gain >= 0.0;
            assert!(gains.entries().iter().chain(&first).all(sound));
        }
    }
}
