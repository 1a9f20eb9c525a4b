//! A task's own observations as equivalent ones, where they are many: what an ask costs does not grow with
//! their number. `theta` is fitted to a sample of them (`kept.rs`), and the function is told by all.
//!
//! With `u` the function at the points kept, `K = L L'` its prior covariance there and `v = L^-1 u`, what was
//! observed at a point is `y_i = r_i' v + e_i`, with `r_i` column `i` of `R = L^-1 K(kept, all)` and `e_i` what
//! the points kept leave open of the function there, of variance `k_ii - r_i' r_i`, and noise. Taken as
//! independent (Snelson and Ghahramani, Sparse Gaussian processes using pseudo-inputs, 2006; exact where all
//! are kept), `D = diag(var e)`, the posterior of `v` has precision `I + R D^-1 R'`. The observations at the points
//! kept that would have led to it are those of `equivalent.rs`.

use super::equivalent::equivalent_of_white;
use super::kept::{Kept, choose};
use crate::error::{Error, Result};
use crate::model::{Columns, Surrogate};
use crate::problem::History;
use baton_numerics::Mat;
use baton_numerics::cholesky::Factor;
use std::sync::Arc;

/// What is off an observation has at least this share of its variance, so that it can be divided by.
const LEAST_ERROR: f64 = 1e-9;

/// Of the points kept, the share that lies where most is promised; the others are spread.
const HALF: f64 = 0.5;

/// At most so many equivalent observations of this task, seen through the link.
pub(super) fn condensed(
    surrogate: &Surrogate,
    theta: &[f64],
    observed: &History,
    (promise, most): (&[f64], usize),
) -> Result<History> {
    let mut columns = surrogate.own_columns(theta, observed)?;
    let variances = columns.variances();
    let kept = choose(promise, variances.clone(), (most, HALF), &mut |i| columns.column(i))?;
    let offset = surrogate.prior_mean(theta)?;
    let sparse = Sparse { kept: &kept, columns: &columns, variances, offset };
    let seen = surrogate.linearised_by(observed, 0, |history| sparse.means(history))?;
    let (covariance, mean) = sparse.posterior(&seen)?;
    let m = kept.chosen.len();
    let lower = Mat::from_fn(m, m, |i, j| if i >= j { kept.rows[j][kept.chosen[i]] } else { 0.0 });
    let (noise, values) = equivalent_of_white(&lower, &covariance, &mean)?;
    let mut told = History::new(observed.dimension());
    for (i, index) in kept.chosen.iter().enumerate() {
        let (point, level) = (observed.point(*index), observed.levels()[*index]);
        told.push_measured(point, level, offset + values[(i, 0)], Some(0.0))?;
    }
    told.with_shared_noise(Arc::new(noise))
}

struct Sparse<'a> {
    kept: &'a Kept,
    columns: &'a Columns<'a>,
    variances: Vec<f64>,
    offset: f64,
}

impl Sparse<'_> {
    /// Noise variances, and `D`.
    fn errors(&self, history: &History) -> (Vec<f64>, Vec<f64>) {
        let noise = self.columns.noise(history);
        let all = noise.iter().zip(&self.kept.left).zip(&self.variances);
        let errors = all.map(|((noise, left), k)| (noise + left).max(LEAST_ERROR * k)).collect();
        (noise, errors)
    }

    /// Covariance and mean of `v`.
    fn posterior(&self, history: &History) -> Result<(Mat<f64>, Mat<f64>)> {
        let (rows, (_, errors)) = (&self.kept.rows, self.errors(history));
        let (n, m) = (history.len(), rows.len());
        let scaled = Mat::from_fn(n, m, |i, k| rows[k][i] / errors[i].sqrt());
        let residuals =
            Mat::from_fn(n, 1, |i, _| (history.values()[i] - self.offset) / errors[i].sqrt());
        let precision = scaled.transpose() * &scaled + Mat::<f64>::identity(m, m);
        let refused = |source| Error::Factorisation { points: n, source };
        let factor = Factor::new(precision.as_ref()).map_err(refused)?;
        let mut white = Mat::<f64>::identity(m, m);
        factor.solve_lower(white.as_mut())?;
        let covariance = white.transpose() * &white;
        let mean = &covariance * (scaled.transpose() * residuals);
        Ok((covariance, mean))
    }

    /// Of the function at all observations.
    fn means(&self, history: &History) -> Result<Vec<f64>> {
        let (_, mean) = self.posterior(history)?;
        let (noise, errors) = self.errors(history);
        let mut explained = vec![0.0; history.len()];
        for (k, row) in self.kept.rows.iter().enumerate() {
            explained.iter_mut().zip(row).for_each(|(sum, r)| *sum += r * mean[(k, 0)]);
        }
        let at = |i: usize| {
            let value = history.values()[i];
            value - noise[i] * (value - self.offset - explained[i]) / errors[i]
        };
        Ok((0..history.len()).map(at).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{example_points, farthest, stream};
    use crate::model::{
        Earlier, FidelityKernel, InputKernel, Mean, Noise, Posterior, SurrogateSettings,
    };
    use crate::problem::Link;
    use baton_numerics::Table;

    const THETA: [f64; 5] = [-1.2, -1.0, 0.5, -1.5, 0.1];

    fn surrogate(link: Link) -> Surrogate {
        SurrogateSettings {
            dimension: 2,
            descriptors: 0,
            levels: 2,
            input: InputKernel::Rbf,
            fidelity: FidelityKernel::Linear,
            mean: Mean::Learned,
            noise: Noise::Known(vec![0.02; 2]),
            earlier: Earlier::None,
            drifting: Vec::new(),
            link,
        }
        .check()
        .unwrap()
    }

    fn observed(count: usize) -> History {
        let mut stream = stream(5);
        let mut own = History::new(2);
        for i in 0..count {
            let point = [stream.uniform(), stream.uniform()];
            let hill = (3.0 * point[0]).sin() + (4.0 * point[1]).cos();
            own.push(&point, i % 2, hill + 0.1 * stream.normal()).unwrap();
        }
        own
    }

    fn predict(link: Link, history: History) -> (Table, Table) {
        let posterior = Posterior::new(Arc::new(surrogate(link)), THETA.to_vec(), history).unwrap();
        let prediction = posterior.predict(example_points(20, 2).as_ref()).unwrap();
        (prediction.mean, prediction.variance)
    }

    fn apart(link: Link, count: usize, most: usize) -> (f64, f64) {
        let (surrogate, all) = (surrogate(link), observed(count));
        let exact = predict(link, surrogate.linearised(&THETA, &all, 0).unwrap());
        let told = condensed(&surrogate, &THETA, &all, (all.values(), most)).unwrap();
        assert!(told.len() <= most);
        let few = predict(link, told);
        (farthest(&exact.0, &few.0), farthest(&exact.1, &few.1))
    }

    #[test]
    fn where_all_are_kept_nothing_is_lost() {
        for link in [Link::Identity, Link::Sinh] {
            let (mean, variance) = apart(link, 25, 25);
            assert!(mean < 2e-3 && variance < 2e-3, "{link:?}: {mean}, {variance}");
        }
    }

    #[test]
    fn few_say_what_many_said() {
        for link in [Link::Identity, Link::Sinh] {
            let (mean, variance) = apart(link, 600, 120);
            assert!(mean < 0.02 && variance < 5e-3, "{link:?}: {mean}, {variance}");
        }
    }

    #[test]
    fn repeated_points_without_noise_are_no_obstacle() {
        let mut settings = surrogate(Link::Sinh).settings().clone();
        settings.noise = Noise::Known(vec![0.0; 2]);
        let surrogate = settings.check().unwrap();
        let mut all = observed(50);
        for i in 0..50 {
            let (point, level, value) = (all.point(i).to_vec(), all.levels()[i], all.values()[i]);
            all.push(&point, level, value).unwrap();
        }
        let told = condensed(&surrogate, &THETA, &all, (all.values(), 80)).unwrap();
        let posterior = Posterior::new(Arc::new(surrogate), THETA.to_vec(), told).unwrap();
        assert!(posterior.predict(example_points(20, 2).as_ref()).is_ok());
    }
}
