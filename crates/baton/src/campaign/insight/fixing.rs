//! What it would cost to fix parameters where the others are as recommended.
//!
//! Others could be chosen anew, so that less is lost. Forbidden points are left out.

use super::draws::{Drawn, Draws};
use super::estimate::Estimate;
use crate::error::Result;
use crate::policy::View;
use crate::problem::{Goal, Value};
use baton_numerics::{Mat, MatRef, parallel};
use serde::Serialize;

/// Values of a parameter at which fixing it is tried.
const TRIED: u32 = 9;

/// What is lost where a parameter is fixed and the others are as recommended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fixing {
    /// which are fixed
    pub parameters: Vec<String>,
    /// at the worst of their values, or in the middle of their ranges; in the user's units, more is worse
    pub loss: Estimate,
}

/// What fixing each parameter would lose at the worst of its values, and some of them together in the middle
/// of their ranges.
pub(super) fn fixing(
    view: &View<'_>,
    draws: &Draws<'_>,
    (varying, names): (&[usize], &[String]),
    together: &[usize],
    recommended: &[Value],
) -> Result<(Vec<Fixing>, Option<Fixing>)> {
    let space = view.space();
    let mut points = vec![recommended.to_vec()];
    let mut ends = Vec::new();
    for i in varying {
        if !recommended[*i].is_absent() {
            let values = space.parameters()[*i].domain.spread(TRIED);
            let varied = values.iter().map(|value| space.varied(recommended, *i, value));
            points.extend(varied.filter(|point| space.forbids(point).is_none()));
        }
        ends.push(points.len());
    }
    let mut middle = recommended.to_vec();
    for k in together {
        middle[varying[*k]] = Value::Absent;
    }
    points.push(space.completed(&middle));
    let mut coordinates = Vec::new();
    for point in &points {
        coordinates.extend(space.coordinates(point)?);
    }
    let places = MatRef::from_column_major_slice(&coordinates, space.dimension(), points.len());
    let of_model = |model: usize| draws.values(model, places, &[view.top()]);
    let all = parallel::map(draws.models(), of_model).into_iter().collect::<Result<Vec<_>>>()?;
    let sign = if view.frame.goal == Goal::Minimize { -1.0 } else { 1.0 };
    let loss = |rows: std::ops::Range<usize>| {
        let of_function = |values: &Mat<f64>, k: usize| {
            let column = values.col_as_slice(k);
            let loss = |y: &f64| sign * (column[0] - y);
            column[rows.clone()].iter().map(loss).fold(0.0, f64::max)
        };
        let of_model = |drawn: &Vec<Drawn>| -> Vec<f64> {
            let values = &drawn[0].whole;
            (0..values.ncols()).map(|k| of_function(values, k)).collect()
        };
        Estimate::over_models(all.iter().map(of_model).collect())
    };
    let starts = std::iter::once(1).chain(ends.iter().copied());
    let each = names.iter().zip(starts.zip(&ends)).map(|(name, (start, end))| Fixing {
        parameters: vec![name.clone()],
        loss: loss(start..*end),
    });
    let all_of_them = (!together.is_empty()).then(|| Fixing {
        parameters: together.iter().map(|k| names[*k].clone()).collect(),
        loss: loss(points.len() - 1..points.len()),
    });
    Ok((each.collect(), all_of_them))
}
