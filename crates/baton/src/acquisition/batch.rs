//! The batch criterion (43), read as in A12:
//! `I(theta; y | X) ~ 1/2 { log det(mean_v K_v + s I) - mean_v log det(K_v + s I) }`,
//! all points at the top level, `s` its noise variance, `v` over draws of `theta`.
//!
//! With `k(x, x)` the same for all `theta` a single point carries nothing; what tells `theta` apart
//! is how points vary together. So the first point of a batch is given, the rest chosen greedily.

use crate::Error;
use crate::error::{Result, same_size};
use crate::model::Surrogate;
use baton_numerics::cholesky::Factor;
use baton_numerics::{Mat, MatRef, parallel};

/// Noisy top-level covariances of the points, one per particle, and last their weighted mean.
fn covariances(
    surrogate: &Surrogate,
    thetas: &[Vec<f64>],
    weights: &[f64],
    points: MatRef<'_, f64>,
) -> Result<Vec<Mat<f64>>> {
    same_size("weights, one per particle", thetas.len(), weights.len())?;
    let all = parallel::map(thetas.len(), |v| surrogate.top_covariance(&thetas[v], points));
    let mut all = all.into_iter().collect::<Result<Vec<_>>>()?;
    let mut mean = Mat::zeros(points.ncols(), points.ncols());
    for (covariance, weight) in all.iter().zip(weights) {
        mean += faer::Scale(*weight) * covariance;
    }
    all.push(mean);
    Ok(all)
}

fn factor(covariance: &Mat<f64>) -> Result<Factor> {
    let points = covariance.nrows();
    Factor::new(covariance.as_ref()).map_err(|source| Error::Factorisation { points, source })
}

/// `+1/2` for the mean covariance, which comes last, and `-w_v / 2` for the particles'.
fn signs(weights: &[f64]) -> impl Iterator<Item = f64> + '_ {
    weights.iter().map(|w| -0.5 * w).chain(std::iter::once(0.5))
}

/// The criterion for the columns of `points`, in nats.
///
/// # Errors
/// If sizes do not fit, a number is not finite or a covariance has no factor.
pub fn batch_information(
    surrogate: &Surrogate,
    thetas: &[Vec<f64>],
    weights: &[f64],
    points: MatRef<'_, f64>,
) -> Result<f64> {
    let all = covariances(surrogate, thetas, weights, points)?;
    let mut total = 0.0;
    for (covariance, sign) in all.iter().zip(signs(weights)) {
        total += sign * factor(covariance)?.log_determinant();
    }
    Ok(total.max(0.0))
}

/// The gradient of the criterion by the points (`d` x `N`).
///
/// # Errors
/// As [`batch_information`].
pub fn batch_gradient(
    surrogate: &Surrogate,
    thetas: &[Vec<f64>],
    weights: &[f64],
    points: MatRef<'_, f64>,
) -> Result<Mat<f64>> {
    let all = covariances(surrogate, thetas, weights, points)?;
    let inverse_of_mean = factor(&all[thetas.len()])?.inverse();
    let mut gradient = Mat::zeros(points.nrows(), points.ncols());
    for ((theta, weight), covariance) in thetas.iter().zip(weights).zip(&all) {
        let d_covariance =
            faer::Scale(0.5 * weight) * (&inverse_of_mean - factor(covariance)?.inverse());
        gradient += surrogate.top_covariance_pull_back(theta, points, &d_covariance)?;
    }
    Ok(gradient)
}

/// Indices of up to `count` candidates (columns), each adding the most information to those before
/// it; the first is given.
///
/// # Errors
/// As [`batch_information`], or if `first` is no candidate.
pub fn greedy_batch(
    surrogate: &Surrogate,
    (thetas, weights): (&[Vec<f64>], &[f64]),
    candidates: MatRef<'_, f64>,
    first: usize,
    count: usize,
) -> Result<Vec<usize>> {
    let total = candidates.ncols();
    if first >= total {
        let (value, must) = (first as f64, "the index of a candidate");
        return Err(Error::OutOfRange { what: "first point of the batch", value, must });
    }
    let all = covariances(surrogate, thetas, weights, candidates)?;
    let mut left: Vec<Conditional> = all.into_iter().map(Conditional::new).collect();
    let mut chosen = vec![first];
    while chosen.len() < count.min(total) {
        let newest = chosen[chosen.len() - 1];
        for conditional in &mut left {
            conditional.condition_on(newest);
        }
        let worth = |j: usize| -> f64 {
            left.iter().zip(signs(weights)).map(|(c, sign)| sign * c.variance[j].ln()).sum()
        };
        let mut best: Option<(usize, f64)> = None;
        for j in (0..total).filter(|j| !chosen.contains(j)) {
            let nats = worth(j);
            if best.is_none_or(|(_, most)| nats > most) {
                best = Some((j, nats));
            }
        }
        chosen.extend(best.map(|(j, _)| j));
    }
    Ok(chosen)
}

/// Variances of all candidates given those chosen so far: a Cholesky factor that grows by columns.
struct Conditional {
    covariance: Mat<f64>,
    columns: Vec<Vec<f64>>,
    variance: Vec<f64>,
}

impl Conditional {
    fn new(covariance: Mat<f64>) -> Self {
        let variance = (0..covariance.ncols()).map(|j| covariance[(j, j)]).collect();
        Self { covariance, columns: Vec::new(), variance }
    }

    fn condition_on(&mut self, chosen: usize) {
        let mut column = self.covariance.col_as_slice(chosen).to_vec();
        for before in &self.columns {
            let factor = before[chosen];
            column.iter_mut().zip(before).for_each(|(c, b)| *c -= factor * b);
        }
        let pivot = self.variance[chosen].sqrt();
        for ((c, variance), j) in column.iter_mut().zip(&mut self.variance).zip(0..) {
            *c /= pivot;
            let least = 1e-14 * self.covariance[(j, j)];
            *variance = (*variance - *c * *c).max(least).max(f64::MIN_POSITIVE);
        }
        self.columns.push(column);
    }
}
