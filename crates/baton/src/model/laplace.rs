//! Curvature of the negative log evidence around a fitted `theta`, by differences: what the data say of
//! each parameter, and what being able to fit it was worth by itself.

use super::surrogate::{EvidenceScratch, Surrogate};
use crate::error::{Error, Result};
use crate::problem::History;
use baton_numerics::{Mat, parallel};

/// Steps of the differences: of parameters on a log scale, of a place as a share of the cube's side, and of
/// a parameter whose slope is not computed.
const STEP: f64 = 0.05;
const PLACE_STEP: f64 = 1e-3;
const WIDE_STEP: f64 = 0.3;

/// Slopes of the negative log evidence with one parameter moved.
fn slopes<'a>(
    surrogate: &'a Surrogate,
    theta: &'a [f64],
    history: &'a History,
) -> impl FnMut(usize, f64) -> Result<Vec<f64>> + 'a {
    let mut scratch = EvidenceScratch::default();
    move |i, step| {
        let (mut moved, mut gradient) = (theta.to_vec(), vec![0.0; theta.len()]);
        moved[i] += step;
        surrogate.evidence_gradient(&moved, history, &mut gradient, &mut scratch)?;
        Ok(gradient)
    }
}

/// By each of the first parameters alone; 0 where it curves the other way.
pub(crate) fn curvature(
    surrogate: &Surrogate,
    theta: &[f64],
    history: &History,
    count: usize,
) -> Result<Vec<f64>> {
    let mut slopes = slopes(surrogate, theta, history);
    let one = |i: usize| {
        let (up, down) = (slopes(i, STEP)?[i], slopes(i, -STEP)?[i]);
        Ok(((up - down) / (2.0 * STEP)).max(0.0))
    };
    (0..count).map(one).collect()
}

/// By each pair of the first parameters; row by row the slopes, column by column what was moved.
pub(crate) fn curvature_matrix(
    surrogate: &Surrogate,
    theta: &[f64],
    history: &History,
    count: usize,
) -> Result<Mat<f64>> {
    let columns = parallel::map(count, |j| -> Result<(Vec<f64>, Vec<f64>)> {
        let mut slopes = slopes(surrogate, theta, history);
        Ok((slopes(j, STEP)?, slopes(j, -STEP)?))
    });
    let columns = columns.into_iter().collect::<Result<Vec<_>>>()?;
    Ok(Mat::from_fn(count, count, |i, j| (columns[j].0[i] - columns[j].1[i]) / (2.0 * STEP)))
}

/// By one parameter, over a wide step.
pub(crate) fn curvature_along(
    surrogate: &Surrogate,
    theta: &[f64],
    history: &History,
    place: usize,
) -> Result<f64> {
    let negative_log = |by: f64| -> Result<f64> {
        let mut theta = theta.to_vec();
        theta[place] += by;
        Ok(surrogate.evidence(&theta, history)?.negative_log)
    };
    let rise = negative_log(WIDE_STEP)? - 2.0 * negative_log(0.0)? + negative_log(-WIDE_STEP)?;
    Ok(rise / (WIDE_STEP * WIDE_STEP))
}

/// What a fitted place of the shared function is to be charged, by Laplace's approximation: how unlikely
/// it was under its prior's standard deviations `tau`, and `1/2 log det(1 + tau^2 H)` for how many others
/// would have done, with `H` the curvature there.
pub(crate) fn place_flexibility(
    surrogate: &Surrogate,
    theta: &[f64],
    history: &History,
) -> Result<f64> {
    let range = surrogate.drift_range();
    if range.is_empty() {
        return Ok(0.0);
    }
    let tau: Vec<f64> = surrogate.settings().drifting.iter().map(|(_, tau)| *tau).collect();
    let placed = theta[range.clone()].iter().zip(&tau);
    let unlikely: f64 = placed.map(|(s, tau)| 0.5 * (s / tau).powi(2)).sum();
    let mut slopes = slopes(surrogate, theta, history);
    let d = range.len();
    let mut curvature = Mat::<f64>::zeros(d, d);
    for j in 0..d {
        let place = range.start + j;
        let (up, down) = (slopes(place, PLACE_STEP)?, slopes(place, -PLACE_STEP)?);
        for i in 0..d {
            let rise = up[range.start + i] - down[range.start + i];
            let entry = 0.5 * tau[i] * tau[j] * rise / (2.0 * PLACE_STEP);
            curvature[(i, j)] += entry;
            curvature[(j, i)] += entry;
        }
    }
    let failed = Error::Overflow { what: "curvature by the place of a task", value: f64::NAN };
    let eigenvalues = curvature.self_adjoint_eigenvalues(faer::Side::Lower).map_err(|_| failed)?;
    // Where the evidence curves upwards, the prior alone holds the place.
    Ok(unlikely + eigenvalues.iter().map(|h| 0.5 * h.max(0.0).ln_1p()).sum::<f64>())
}
