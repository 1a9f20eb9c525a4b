//! Information about `theta`, which future tasks will use, (33)-(36) with erratum E5.

use super::testing::{assert_sensitivity, example_prediction};
use baton::acquisition::TransferGain;
use baton::model::Prediction;

const FORMS: [TransferGain; 3] = [TransferGain::Printed, TransferGain::Noisy, TransferGain::Exact];
const WEIGHTS: [f64; 3] = [0.5, 0.3, 0.2];

fn predictions() -> Vec<Prediction> {
    (20..23).map(|seed| example_prediction(seed, 2, 3)).collect()
}

#[test]
fn sensitivities_agree_with_finite_differences() {
    let all = predictions();
    let refs: Vec<&Prediction> = all.iter().collect();
    for form in FORMS {
        let (_, sensitivities) = form.first_with_sensitivity(&refs, &WEIGHTS);
        for (v, sensitivity) in sensitivities.iter().enumerate() {
            assert_sensitivity(&all[v], sensitivity, |moved| {
                let mut refs = refs.clone();
                refs[v] = moved;
                form.evaluate(&refs, &WEIGHTS).row(0).sum()
            });
        }
    }
}

#[test]
fn the_bound_lies_above_the_exact_value_and_noise_lowers_it() {
    let all = predictions();
    let refs: Vec<&Prediction> = all.iter().collect();
    let [printed, noisy, exact] = FORMS.map(|form| form.evaluate(&refs, &WEIGHTS));
    for j in 0..3 {
        for m in 0..2 {
            assert!(exact[(m, j)] <= noisy[(m, j)] + 1e-12);
            assert!(exact[(m, j)] >= 0.0 && exact[(m, j)] <= 3.0_f64.ln());
            assert!(noisy[(m, j)] <= printed[(m, j)]);
        }
    }
}

#[test]
fn particles_that_agree_carry_no_information() {
    let one = example_prediction(30, 2, 3);
    for form in FORMS {
        let gains = form.evaluate(&[&one, &one, &one], &WEIGHTS);
        assert!(gains.entries().iter().all(|gain| gain.abs() < 1e-14));
    }
}
