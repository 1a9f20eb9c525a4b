//! Sobol's indices of every function that a task may have, at the points of each model.

use super::draws::{Drawn, Draws};
use super::estimate::Estimate;
use crate::error::Result;
use crate::policy::View;
use baton_numerics::importance::{Indices, PickFreeze};
use baton_numerics::vector::dot;
use baton_numerics::{Mat, parallel};

/// Points at which a function is evaluated, about, and pairs of them at least and at most.
const POINTS: usize = 4096;
const PAIRS: (usize, usize) = (256, 1024);

/// Of every model, its functions at the levels that were asked for.
pub(super) struct Found {
    /// model by model, level by level: indices of every function, the mean first
    pub whole: Vec<Vec<Vec<Indices>>>,
    /// at the highest level: of the shared function and of what this task adds
    pub split: Vec<(Vec<Indices>, Vec<Indices>)>,
    /// model by model, level by level: squared correlation of every function with the highest level
    pub explains: Vec<Vec<Vec<f64>>>,
}

impl Found {
    /// At one of the levels that were asked for, model by model.
    pub(super) fn at(&self, level: usize) -> Vec<&[Indices]> {
        self.whole.iter().map(|of| &of[level][..]).collect()
    }
}

/// Evaluates all functions and estimates their indices of some sets of parameters.
pub(super) fn found(
    view: &View<'_>,
    draws: &Draws<'_>,
    varying: &[usize],
    sets: &[Vec<usize>],
    levels: &[usize],
) -> Result<Found> {
    let per_set = POINTS / (varying.len() + 2);
    let count = (per_set / 2 + 1).next_power_of_two().clamp(PAIRS.0, PAIRS.1);
    let of_model = |model: usize| -> Result<(PickFreeze, Vec<Drawn>)> {
        let design = PickFreeze::new(varying.len(), count, &mut draws.stream(model));
        let shares = design.points(sets);
        let at = |j: usize| view.space().at_shares(varying, shares.col_as_slice(j));
        let places: Vec<Vec<f64>> = (0..shares.ncols()).map(at).collect();
        let points = Mat::from_fn(view.space().dimension(), places.len(), |i, j| places[j][i]);
        Ok((design, draws.values(model, points.as_ref(), levels)?))
    };
    let all = parallel::map(draws.models(), of_model).into_iter().collect::<Result<Vec<_>>>()?;
    let mut found = Found { whole: Vec::new(), split: Vec::new(), explains: Vec::new() };
    for (design, drawn) in all {
        let indices = |values: &Mat<f64>| -> Vec<Indices> {
            (0..values.ncols()).map(|k| design.indices(values.col_as_slice(k))).collect()
        };
        let Some(top) = drawn.last() else { continue };
        found.whole.push(drawn.iter().map(|of| indices(&of.whole)).collect());
        found.split.extend(top.split.as_ref().map(|(s, own)| (indices(s), indices(own))));
        let spread = 2 * count; // the first points are spread evenly, the others lie beside them
        let explained = |of: &Drawn| -> Vec<f64> {
            let column = |values: &Mat<f64>, k: usize| values.col_as_slice(k)[..spread].to_vec();
            let squared = |k| correlation(&column(&of.whole, k), &column(&top.whole, k)).powi(2);
            (0..of.whole.ncols()).map(squared).collect()
        };
        found.explains.push(drawn.iter().map(explained).collect());
    }
    Ok(found)
}

/// 0 where one does not vary.
fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let centred = |of: &[f64]| -> Vec<f64> {
        let largest = of.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
        let scale = if largest > 0.0 { largest } else { 1.0 };
        let mean = of.iter().map(|y| y / scale).sum::<f64>() / of.len() as f64;
        of.iter().map(|y| y / scale - mean).collect()
    };
    let (a, b) = (centred(a), centred(b));
    let norm = (dot(&a, &a) * dot(&b, &b)).sqrt();
    if norm > 0.0 { (dot(&a, &b) / norm).clamp(-1.0, 1.0) } else { 0.0 }
}

/// A number of the indices of every function of every model.
pub(super) fn estimate(of: &[&[Indices]], number: impl Fn(&Indices) -> f64) -> Estimate {
    Estimate::over_models(of.iter().map(|model| model.iter().map(&number).collect()).collect())
}
