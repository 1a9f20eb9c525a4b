//! The gain is that of a covariance found by rejection sampling, is GIBBON's without constraints, is never
//! negative, and has the slopes it says it has.

use super::*;
use crate::model::testing::stream;

/// One level below the top, and the top: means, variances, covariances with the top, noise.
fn prediction(entries: &[[f64; 4]]) -> Prediction {
    let column = |k: usize| Table::from_fn(entries.len(), 1, |level, _| entries[level][k]);
    let slope = Table::zeros(entries.len(), 1);
    Prediction {
        mean: column(0),
        variance: column(1),
        covariance: column(2),
        noise: column(3),
        noise_slope: slope,
    }
}

fn asked<'a>(
    objective: &'a Prediction,
    limits: &'a [&'a Prediction],
    bounds: &'a [(f64, f64)],
    (values, nowhere): (&'a [f64], f64),
) -> Asked<'a> {
    Asked { objective, limits, bounds, values, nowhere, success: None, with_objective: true }
}

fn three() -> [Prediction; 3] {
    [
        prediction(&[[0.3, 1.2, 0.7, 0.1], [0.2, 0.9, 0.9, 0.05]]),
        prediction(&[[-0.4, 0.8, 0.6, 0.02], [-0.2, 0.7, 0.7, 0.01]]),
        prediction(&[[1.0, 2.0, 1.1, 0.2], [0.8, 1.5, 1.5, 0.2]]),
    ]
}

#[test]
fn the_covariance_is_that_of_accepted_draws() {
    let outputs = three();
    let limits = [&outputs[1], &outputs[2]];
    let bounds = [(-0.5, f64::INFINITY), (-1.0, 1.9)];
    for value in [1.4, 0.6, f64::NEG_INFINITY] {
        let nowhere = if value.is_finite() { 0.0 } else { 1.0 };
        let values = [value];
        let draws: &[f64] = if value.is_finite() { &values } else { &[] };
        let gains = asked(&outputs[0], &limits, &bounds, (draws, nowhere)).evaluate();
        for level in 0..2 {
            let sampled = sampled(&outputs, &bounds, value, level);
            let found = gains[(level, 0)];
            assert!((found - sampled.max(0.0)).abs() < 0.004, "{value} {level}: {found} {sampled}");
        }
    }
}

/// Half the logarithm of the determinant by which the covariance of what is seen shrinks where a draw says
/// "not better and feasible at once".
fn sampled(outputs: &[Prediction; 3], bounds: &[(f64, f64); 2], value: f64, level: usize) -> f64 {
    let mut stream = stream(11);
    let (mut count, mut sum, mut squares) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for _ in 0..400_000 {
        let mut seen = [0.0; 3];
        let mut all = true;
        for (k, output) in outputs.iter().enumerate() {
            let top = output.variance[(1, 0)];
            let h = output.mean[(1, 0)] + top.sqrt() * stream.normal();
            let (low, high) = if k == 0 { (value, f64::INFINITY) } else { bounds[k - 1] };
            all &= h > low && h < high;
            let covariance = output.covariance[(level, 0)];
            let observed = output.variance[(level, 0)] + output.noise[(level, 0)];
            let left = (observed - covariance * covariance / top).max(0.0).sqrt();
            let y = covariance / top * (h - output.mean[(1, 0)]) + left * stream.normal();
            seen[k] = y / observed.sqrt();
        }
        if all {
            continue;
        }
        count += 1.0;
        for i in 0..3 {
            sum[i] += seen[i];
            for j in 0..3 {
                squares[i][j] += seen[i] * seen[j];
            }
        }
    }
    let c = |i: usize, j: usize| squares[i][j] / count - sum[i] / count * (sum[j] / count);
    let determinant = c(0, 0) * (c(1, 1) * c(2, 2) - c(1, 2) * c(2, 1))
        - c(0, 1) * (c(1, 0) * c(2, 2) - c(1, 2) * c(2, 0))
        + c(0, 2) * (c(1, 0) * c(2, 1) - c(1, 1) * c(2, 0));
    -0.5 * determinant.ln()
}

#[test]
fn without_constraints_it_is_gibbon() {
    let [objective, ..] = three();
    for values in [&[1.0][..], &[2.5, 0.9, 1.3], &[0.2]] {
        let found = asked(&objective, &[], &[], (values, 0.0)).evaluate();
        let known = OptimumGain::Gibbon.evaluate(&objective, values);
        for level in 0..2 {
            assert!((found[(level, 0)] - known[(level, 0)]).abs() < 1e-12, "{values:?}");
        }
    }
}

#[test]
fn slopes_agree_with_finite_differences() {
    let outputs = three();
    let bounds = [(-0.5, f64::INFINITY), (-1.0, 1.9)];
    let values = [0.7, 1.5];
    for success in [None, Some(0), Some(1)] {
        slopes_agree(&outputs, &bounds, &values, success);
    }
}

fn slopes_agree(
    outputs: &[Prediction; 3],
    bounds: &[(f64, f64)],
    values: &[f64],
    success: Option<usize>,
) {
    let limits = [&outputs[1], &outputs[2]];
    let asked =
        |objective, limits| Asked { success, ..asked(objective, limits, bounds, (values, 0.2)) };
    let gain = |outputs: &[Prediction; 3]| {
        let limits = [&outputs[1], &outputs[2]];
        Asked { success, ..self::asked(&outputs[0], &limits, bounds, (values, 0.2)) }
            .first_with_sensitivity(1.0)
            .0[0]
    };
    let (gains, slopes) = asked(&outputs[0], &limits).first_with_sensitivity(1.0);
    let all = asked(&outputs[0], &limits).evaluate();
    assert!((gains[0] - all[(0, 0)]).abs() < 1e-12);
    let h = 1e-6;
    for k in 0..3 {
        for level in 0..2 {
            let check = |name: &str, pick: fn(&mut Prediction) -> &mut Table, slope: f64| {
                let moved = |by: f64| {
                    let mut outputs = outputs.clone();
                    pick(&mut outputs[k])[(level, 0)] += by;
                    gain(&outputs)
                };
                let numeric = (moved(h) - moved(-h)) / (2.0 * h);
                assert!((numeric - slope).abs() < 1e-6, "{name} {k} {level}: {numeric} {slope}");
            };
            check("mean", |p| &mut p.mean, slopes[k].mean[(level, 0)]);
            check("variance", |p| &mut p.variance, slopes[k].variance[(level, 0)]);
            if level == 0 {
                check("covariance", |p| &mut p.covariance, slopes[k].covariance[(level, 0)]);
            }
        }
    }
}

#[test]
fn it_is_never_negative_and_finite_at_the_ends() {
    let mut stream = stream(5);
    for _ in 0..2_000 {
        let mut draw = |scale: f64| scale * stream.normal();
        let mut one = || {
            let (top, own) = (draw(3.0).exp(), draw(1.0).exp());
            let covariance = draw(0.5).tanh() * (top * own).sqrt();
            prediction(&[
                [draw(5.0), own, covariance, draw(2.0).exp()],
                [draw(5.0), top, top, 1e-3],
            ])
        };
        let outputs = [one(), one(), one()];
        let limits = [&outputs[1], &outputs[2]];
        let (a, b) = (draw(4.0), draw(4.0));
        let bounds = [(a, f64::INFINITY), (a.min(b), a.max(b) + 1e-9)];
        let values = [draw(5.0), draw(50.0)];
        let asked = asked(&outputs[0], &limits, &bounds, (&values, 0.3));
        let (gains, slopes) = asked.first_with_sensitivity(1.0);
        assert!(gains[0] >= 0.0 && gains[0].is_finite(), "{gains:?}");
        let all =
            slopes.iter().flat_map(|s| [s.mean[(0, 0)], s.variance[(1, 0)], s.covariance[(0, 0)]]);
        assert!(all.into_iter().all(f64::is_finite));
    }
}
