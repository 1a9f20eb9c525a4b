//! How a finished task's observations become knowledge of the shared function.
//!
//! An observation of a task is one of the shared function, off by the task's deviation and by noise:
//! `N = (1 - w^2) s kappa k + noise`. So observations are simply added to those handed over; when
//! they become too many, the posterior at some of the points is matched: with `K` the prior
//! covariance of the shared function there, `K = L L'`, and `L^-1 S L'^-1 = V diag(l) V'` for its
//! posterior covariance `S` and mean `m`,
//!
//! `noise = L V diag(l / (1 - l)) V' L'`, `values = L V diag(1 / (1 - l)) V' L^-1 m`
//!
//! are the observations that would have led to it.

use super::kept::{FEW_BEST, Kept, choose};
use super::settings::Function;
use super::shared_function::{SharedError, SharedFunction, most_points};
use crate::error::{Error, Result};
use crate::model::Surrogate;
use crate::problem::History;
use baton_numerics::Mat;
use baton_numerics::cholesky::Factor;

/// Directions in which nothing was learned get noise of at most this many times their variance.
const LEAST_LEARNED: f64 = 1e-4;
/// Adds a task's own observations to what is known of the shared function; says how many observations
/// are lost on the way.
pub(super) fn absorb(
    before: Option<&SharedFunction>,
    function: Function,
    surrogate: &Surrogate,
    theta: &[f64],
    own: &History,
) -> Result<(SharedFunction, usize)> {
    let points = (0..own.len()).map(|i| own.point(i).to_vec());
    let mut shared = before.cloned().unwrap_or_else(|| nothing(function));
    let n = shared.len();
    shared.points.extend(points);
    shared.levels.extend_from_slice(own.levels());
    shared.values.extend_from_slice(own.values());
    shared.noise_factors.extend_from_slice(own.noise_factors());
    match &mut shared.error {
        SharedError::Tasks(tasks) => {
            shared.own_noise.resize(n, None);
            shared.own_noise.extend_from_slice(own.own_noise());
            if shared.own_noise.iter().all(Option::is_none) {
                shared.own_noise.clear(); // as it is written and read
            }
            let next = tasks.iter().max().map_or(0, |most| most + 1);
            tasks.extend(std::iter::repeat_n(next, own.len()));
        }
        SharedError::Noise(entries) => {
            let deviation = surrogate.deviation_covariance(theta, own)?;
            let size = n + own.len();
            let old = std::mem::replace(entries, vec![0.0; size * size]);
            for j in 0..n {
                entries[j * size..j * size + n].copy_from_slice(&old[j * n..(j + 1) * n]);
            }
            for j in 0..own.len() {
                let start = (n + j) * size + n;
                entries[start..start + own.len()].copy_from_slice(deviation.col_as_slice(j));
            }
        }
    }
    let most = most_points(surrogate.dimension());
    match shared.noise() {
        Some(noise) if shared.len() > most => compress(&shared, &noise, surrogate, theta, most),
        _ => Ok((shared, 0)),
    }
}

/// The same knowledge without any observation, and how many are lost: at most half as many places, each
/// halfway between two observed ones, and what is believed there. At an observed place that would be the
/// value observed, if there is little noise. `None` if there are no such places.
pub(super) fn without_data(
    shared: &SharedFunction,
    surrogate: &Surrogate,
    theta: &[f64],
) -> Result<Option<(SharedFunction, usize)>> {
    let Some(noise) = shared.noise() else {
        let reason = "it holds the data themselves (`function = exact`)".to_owned();
        return Err(Error::Knowledge { reason });
    };
    let (kept, lost) = compress(shared, &noise, surrogate, theta, shared.len().div_ceil(2))?;
    let mut places: Vec<(Vec<f64>, usize)> = Vec::new();
    for (point, level) in kept.points.iter().zip(&kept.levels) {
        if let Some(place) = between(point, &kept.points, &shared.points)
            && !places.contains(&(place.clone(), *level))
        {
            places.push((place, *level));
        }
    }
    if places.is_empty() {
        return Ok(None);
    }
    Ok(Some((believed_at(places, shared, &noise, surrogate, theta)?, lost)))
}

/// Halfway from a kept point to the closest other one, if possible one that is not kept.
fn between(point: &[f64], kept: &[Vec<f64>], all: &[Vec<f64>]) -> Option<Vec<f64>> {
    let squared =
        |other: &[f64]| -> f64 { point.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum() };
    let closest = |among: &mut dyn Iterator<Item = &Vec<f64>>| {
        let apart = among.map(|other| (squared(other), other)).filter(|(gap, _)| *gap > 0.0);
        apart.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, other)| other.clone())
    };
    let other = closest(&mut all.iter().filter(|other| !kept.contains(other)))
        .or_else(|| closest(&mut all.iter()))?;
    Some(point.iter().zip(&other).map(|(a, b)| 0.5 * (a + b)).collect())
}

/// What observations say of the function at other places, as equivalent observations there: of places that
/// others determine, none.
pub(super) fn seen_from(
    shared: &SharedFunction,
    places: &[(Vec<f64>, usize)],
    surrogate: &Surrogate,
    theta: &[f64],
) -> Result<SharedFunction> {
    let Some(noise) = shared.noise() else { return Ok(shared.clone()) };
    let mut all = History::new(surrogate.dimension());
    for (point, level) in places {
        all.push(point, *level, 0.0)?;
    }
    let prior = surrogate.shared_covariance(theta, &all)?;
    let mut kept = Kept::none(diagonal(&prior));
    let most = most_points(surrogate.dimension());
    kept.add((0..places.len()).collect(), most, &mut columns(&prior))?;
    let places = kept.chosen.iter().map(|i| places[*i].clone()).collect();
    believed_at(places, shared, &noise, surrogate, theta)
}

/// Equivalent observations at these places.
fn believed_at(
    places: Vec<(Vec<f64>, usize)>,
    shared: &SharedFunction,
    noise: &Mat<f64>,
    surrogate: &Surrogate,
    theta: &[f64],
) -> Result<SharedFunction> {
    let (n, m) = (shared.len(), places.len());
    let mut all = History::new(surrogate.dimension());
    let observed = shared.points.iter().zip(&shared.levels);
    for (point, level) in observed.chain(places.iter().map(|(point, level)| (point, level))) {
        all.push(point, *level, 0.0)?;
    }
    let prior = surrogate.shared_covariance(theta, &all)?;
    let part = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
        prior.as_ref().submatrix(rows.start, columns.start, rows.len(), columns.len()).to_owned()
    };
    let offset = surrogate.prior_mean(theta)?;
    let refused = |source| Error::Factorisation { points: n, source };
    let factor = Factor::new((&part(0..n, 0..n) + noise).as_ref()).map_err(refused)?;
    let (mut residuals, mut white) =
        (Mat::from_fn(n, 1, |i, _| shared.values[i] - offset), part(0..n, n..n + m));
    factor.solve_lower(residuals.as_mut())?;
    factor.solve_lower(white.as_mut())?;
    let within = part(n..n + m, n..n + m);
    let posterior = &within - white.transpose() * &white;
    let told = equivalent(&within, &posterior, white.transpose() * residuals)?;
    Ok(observed_at(places, offset, &told))
}

fn nothing(function: Function) -> SharedFunction {
    let error = match function {
        Function::Exact => SharedError::Tasks(Vec::new()),
        Function::None | Function::Compact => SharedError::Noise(Vec::new()),
    };
    SharedFunction {
        points: Vec::new(),
        levels: Vec::new(),
        values: Vec::new(),
        noise_factors: Vec::new(),
        own_noise: Vec::new(),
        error,
    }
}

/// At most so many equivalent observations, and how many are lost: neither kept nor determined by those.
fn compress(
    shared: &SharedFunction,
    noise: &Mat<f64>,
    surrogate: &Surrogate,
    theta: &[f64],
    most: usize,
) -> Result<(SharedFunction, usize)> {
    let history = shared.history(surrogate.dimension(), surrogate.levels())?;
    let prior = surrogate.shared_covariance(theta, &history)?;
    let offset = surrogate.prior_mean(theta)?;
    let refused = |source| Error::Factorisation { points: shared.len(), source };
    let factor = Factor::new((&prior + noise).as_ref()).map_err(refused)?;
    let residuals = Mat::from_fn(shared.len(), 1, |i, _| shared.values[i] - offset);
    let mut right = Mat::from_fn(shared.len(), shared.len() + 1, |i, j| {
        if j == 0 { residuals[(i, 0)] } else { prior[(i, j - 1)] }
    });
    factor.solve_lower(right.as_mut())?;
    let white = right.subcols(1, shared.len());
    let means = white.transpose() * right.subcols(0, 1);
    let posterior = &prior - white.transpose() * white;
    let kept =
        choose(means.col_as_slice(0), diagonal(&prior), (most, FEW_BEST), &mut columns(&prior))?;
    let (chosen, lost) = (&kept.chosen, kept.lost());
    let part =
        |m: &Mat<f64>| Mat::from_fn(chosen.len(), chosen.len(), |i, j| m[(chosen[i], chosen[j])]);
    let mean = Mat::from_fn(chosen.len(), 1, |i, _| means[(chosen[i], 0)]);
    let told = equivalent(&part(&prior), &part(&posterior), mean)?;
    let place = |i: &usize| (shared.points[*i].clone(), shared.levels[*i]);
    Ok((observed_at(chosen.iter().map(place).collect(), offset, &told), lost))
}

/// Observations at these places, of this noise covariance and these values above the offset.
fn observed_at(
    places: Vec<(Vec<f64>, usize)>,
    offset: f64,
    (noise, values): &(Mat<f64>, Mat<f64>),
) -> SharedFunction {
    let n = places.len();
    let (points, levels) = places.into_iter().unzip();
    SharedFunction {
        points,
        levels,
        values: (0..n).map(|i| offset + values[(i, 0)]).collect(),
        noise_factors: vec![1.0; n],
        own_noise: Vec::new(),
        error: SharedError::Noise((0..n).flat_map(|j| noise.col_as_slice(j).to_vec()).collect()),
    }
}

fn diagonal(matrix: &Mat<f64>) -> Vec<f64> {
    (0..matrix.nrows()).map(|i| matrix[(i, i)]).collect()
}

fn columns(matrix: &Mat<f64>) -> impl FnMut(usize) -> Result<Vec<f64>> {
    |i| Ok(matrix.col_as_slice(i).to_vec())
}

/// Noise covariance and values of the observations that lead from this prior to this posterior.
fn equivalent(
    prior: &Mat<f64>,
    posterior: &Mat<f64>,
    mean: Mat<f64>,
) -> Result<(Mat<f64>, Mat<f64>)> {
    let n = prior.nrows();
    let refused = |source| Error::Factorisation { points: n, source };
    let factor = Factor::new(prior.as_ref()).map_err(refused)?;
    let mut white = posterior.clone();
    factor.solve_lower(white.as_mut())?;
    let mut white = white.transpose().to_owned();
    factor.solve_lower(white.as_mut())?;
    let white = Mat::from_fn(n, n, |i, j| 0.5 * (white[(i, j)] + white[(j, i)]));
    let mut white_mean = mean;
    factor.solve_lower(white_mean.as_mut())?;
    let lower = Mat::from_fn(n, n, |i, j| if i >= j { factor.lower()[(i, j)] } else { 0.0 });
    equivalent_of_white(&lower, &white, &white_mean)
}

/// The same from the prior's lower factor, and mean and covariance of the posterior whitened by it.
pub(super) fn equivalent_of_white(
    lower: &Mat<f64>,
    white: &Mat<f64>,
    white_mean: &Mat<f64>,
) -> Result<(Mat<f64>, Mat<f64>)> {
    let n = white.nrows();
    let failed = Error::Overflow { what: "eigenvalues of what was learned", value: f64::NAN };
    let eigen = white.self_adjoint_eigen(faer::Side::Lower).map_err(|_| failed)?;
    let left = |i: usize| eigen.S()[i].clamp(1e-12, 1.0 - LEAST_LEARNED);
    let directions = lower * eigen.U();
    let scaled = Mat::from_fn(n, n, |i, j| directions[(i, j)] * (left(j) / (1.0 - left(j))).sqrt());
    let noise = &scaled * scaled.transpose();
    let along = eigen.U().transpose() * white_mean;
    let stretched = Mat::from_fn(n, 1, |i, _| along[(i, 0)] / (1.0 - left(i)));
    Ok((noise, directions * stretched))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{farthest, stream};
    use crate::model::{
        Earlier, FidelityKernel, InputKernel, Mean, Noise, Posterior, SurrogateSettings,
    };
    use crate::problem::Link;
    use baton_numerics::Table;
    use std::sync::Arc;

    const THETA: [f64; 6] = [-1.0, -0.8, 0.5, -1.5, 0.1, 2.0];

    fn surrogate(earlier: Earlier) -> Surrogate {
        SurrogateSettings {
            dimension: 2,
            descriptors: 0,
            levels: 2,
            input: InputKernel::Rbf,
            fidelity: FidelityKernel::Linear,
            mean: Mean::Learned,
            noise: Noise::Known(vec![0.05; 2]),
            earlier,
            drifting: Vec::new(),
            link: Link::Identity,
        }
        .check()
        .unwrap()
    }

    /// Tasks of so many observations, added one after the other.
    fn shared(function: Function, tasks: usize, each: usize) -> SharedFunction {
        let mut stream = stream(11);
        let mut known: Option<SharedFunction> = None;
        for task in 0..tasks {
            let mut own = History::new(2);
            for i in 0..each {
                let point = [stream.uniform(), stream.uniform()];
                let hill = (3.0 * point[0]).sin() + (4.0 * point[1]).cos();
                let value = hill + 0.1 * task as f64 + 0.1 * stream.normal();
                own.push(&point, i % 2, value).unwrap();
            }
            let earlier = known.as_ref().map_or(Earlier::Compact, SharedFunction::earlier);
            let surrogate = surrogate(earlier);
            let before = known.as_ref();
            known = Some(absorb(before, function, &surrogate, &THETA, &own).unwrap().0);
        }
        known.unwrap()
    }

    fn predict(known: &SharedFunction) -> (Table, Table) {
        let surrogate = Arc::new(surrogate(known.earlier()));
        let history = known.history(2, 2).unwrap();
        let posterior = Posterior::new(surrogate, THETA.to_vec(), history).unwrap();
        let points = crate::model::testing::example_points(20, 2);
        let prediction = posterior.predict(points.as_ref()).unwrap();
        (prediction.mean, prediction.variance)
    }

    #[test]
    fn few_equivalent_observations_say_what_the_data_said() {
        let (exact, compact) = (shared(Function::Exact, 3, 40), shared(Function::Compact, 3, 40));
        let ((mean, variance), (mean_too, variance_too)) = (predict(&exact), predict(&compact));
        assert!(farthest(&mean, &mean_too) < 1e-9);
        assert!(farthest(&variance, &variance_too) < 1e-9);
    }

    #[test]
    fn what_is_given_out_has_no_observation_and_says_nearly_the_same() {
        let kept = shared(Function::Compact, 3, 40);
        let (given, _) = without_data(&kept, &surrogate(kept.earlier()), &THETA).unwrap().unwrap();
        assert!(kept.len() == 120 && given.len() <= 60);
        let told = |value: &f64| kept.values.iter().any(|kept| (kept - value).abs() < 1e-9);
        assert!(!given.values.iter().any(told));
        assert!(!given.points.iter().any(|place| kept.points.contains(place)));
        let ((mean, _), (mean_too, _)) = (predict(&kept), predict(&given));
        assert!(farthest(&mean, &mean_too) < 0.05, "{:?}", farthest(&mean, &mean_too));
        let exact = shared(Function::Exact, 2, 5);
        assert!(without_data(&exact, &surrogate(exact.earlier()), &THETA).is_err());
    }

    #[test]
    fn many_are_compressed_with_little_loss() {
        let (exact, compact) = (shared(Function::Exact, 8, 50), shared(Function::Compact, 8, 50));
        assert!(exact.len() == 400 && compact.len() <= most_points(2), "{}", compact.len());
        let ((mean, variance), (mean_too, variance_too)) = (predict(&exact), predict(&compact));
        assert!(farthest(&mean, &mean_too) < 0.02, "{:?}", farthest(&mean, &mean_too));
        assert!(farthest(&variance, &variance_too) < 0.01);
    }

    #[test]
    fn more_are_kept_in_many_dimensions() {
        assert_eq!([2, 10, 15, 20, 50].map(most_points), [200, 200, 300, 400, 400]);
    }
}
