//! Which parameters matter: Sobol's indices of the function of a task, and what it would cost to fix one.
//!
//! Every parameter varies by itself over its whole range (`problem/shares.rs`), whether that is a good place
//! or not. Indices are shares of the variance of the value in the user's units, estimated at quasi-random
//! points (`baton_numerics::importance`). The number is that of the posterior mean, averaged over one set of
//! points for each model; the interval is over draws of the function (`draws.rs`), each at the points of its
//! model: it covers what is not known of the function and of the model's parameters, and the error of the
//! points. It does not cover that the model may be wrong.

use super::draws::{Drawn, Draws};
use super::estimate::Estimate;
use crate::error::Result;
use crate::policy::View;
use crate::problem::{Goal, Value};
use baton_numerics::importance::{Indices, PickFreeze};
use baton_numerics::{Mat, MatRef, parallel};
use serde::Serialize;

/// Points at which a function is evaluated, about, and pairs of them at least and at most.
const POINTS: usize = 4096;
const PAIRS: (usize, usize) = (256, 1024);
/// A parameter that takes part in less than this share of the variance does not matter, if the whole interval
/// is below.
const NEGLIGIBLE: f64 = 0.05;
/// One matters if the whole interval is above this.
const SURELY: f64 = 0.01;
/// Interactions with less than this share of the variance are left out, and so are those beyond so many
/// parameters.
const INTERACTION: f64 = 0.02;
const MOST_INTERACTING: usize = 6;
/// Values of a parameter at which fixing it is tried.
const TRIED: u32 = 9;

/// Which parameters matter in a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Importance {
    /// of every fidelity, the highest last
    pub fidelities: Vec<OfFidelity>,
    /// in every task and only in this one, at the highest fidelity; nothing before a task was finished, or if
    /// this one is not related
    pub split: Option<Split>,
    /// pairs of parameters whose effects do not add up, at the highest fidelity, the largest first
    pub interactions: Vec<Interaction>,
    /// what fixing parameters would lose
    pub fixing: Vec<Fixing>,
    /// what fixing all that do not matter in the middle of their ranges would lose, where there are any
    pub fixing_all: Option<Fixing>,
}

/// The same at one fidelity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfFidelity {
    /// its name
    pub fidelity: String,
    /// in the order of the space, without what is fixed
    pub parameters: Vec<Effect>,
    /// how much of the variance of the highest fidelity over the space follows a straight line of this one
    pub explains: Estimate,
}

/// How much of the variance is due to one parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Effect {
    /// its name
    pub parameter: String,
    /// due to it alone: the first-order index
    pub first: Estimate,
    /// due to it alone or together with others: the total index
    pub total: Estimate,
    /// what follows
    pub matters: Matters,
}

/// Whether a parameter matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Matters {
    /// it does
    Yes,
    /// it takes part in less than 5 % of the variance
    No,
    /// not known yet
    Open,
}

/// What tasks share, and what is peculiar to this one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Split {
    /// of the function that all tasks share
    pub in_every_task: Vec<Effect>,
    /// of what this task adds to it
    pub only_in_this: Vec<Effect>,
    /// the variance of what this task adds, as a share of the sum of both
    pub share_of_this: Estimate,
}

/// Two parameters whose effects do not add up.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Interaction {
    /// their names
    pub parameters: (String, String),
    /// the share of the variance due to both together, beyond that due to each alone
    pub share: Estimate,
}

/// What is lost where a parameter is fixed and the others are as recommended.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fixing {
    /// which are fixed
    pub parameters: Vec<String>,
    /// at the worst of their values, or in the middle of their ranges; in the user's units, more is worse
    pub loss: Estimate,
}

/// Of every model, its functions at the levels that were asked for.
struct Found {
    /// model by model, level by level: indices of every function, the mean first
    whole: Vec<Vec<Vec<Indices>>>,
    /// at the highest level: of the shared function and of what this task adds
    split: Vec<(Vec<Indices>, Vec<Indices>)>,
    /// model by model, level by level: squared correlation of every function with the highest level
    explains: Vec<Vec<Vec<f64>>>,
}

pub(super) fn importance(
    view: &View<'_>,
    draws: &Draws<'_>,
    recommended: &[Value],
) -> Result<Importance> {
    let varying = view.space().varying();
    let names: Vec<String> =
        varying.iter().map(|i| view.space().parameters()[*i].name.clone()).collect();
    let singles: Vec<Vec<usize>> = (0..varying.len()).map(|i| vec![i]).collect();
    let levels: Vec<usize> = (0..=view.top()).collect();
    let found = found(view, draws, &varying, &singles, &levels)?;
    let of_fidelity = |level: usize| OfFidelity {
        fidelity: view.frame.fidelities[level].name.clone(),
        parameters: effects(&names, &of_level(&found, level)),
        explains: over_models(found.explains.iter().map(|of| of[level].clone()).collect()),
    };
    let fidelities: Vec<OfFidelity> = levels.iter().map(|level| of_fidelity(*level)).collect();
    let split = draws.is_related().then(|| split(&names, &found.split));
    let top = &fidelities[view.top()].parameters;
    let interactions = interactions(view, draws, (&varying, &names), &found, top)?;
    let (fixing, fixing_all) = fixing(view, draws, (&varying, &names), top, recommended)?;
    Ok(Importance { fidelities, split, interactions, fixing, fixing_all })
}

fn of_level(found: &Found, level: usize) -> Vec<&[Indices]> {
    found.whole.iter().map(|of| &of[level][..]).collect()
}

/// Evaluates all functions and estimates their indices of some sets of parameters.
fn found(
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

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let product = |x: &[f64], y: &[f64], mean_x: f64, mean_y: f64| -> f64 {
        x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum()
    };
    let (aa, bb) = (product(a, a, mean_a, mean_a), product(b, b, mean_b, mean_b));
    let denominator = (aa * bb).sqrt();
    if denominator > 0.0 { product(a, b, mean_a, mean_b) / denominator } else { 0.0 }
}

/// Of numbers of every model, the mean's first: that of the mean, averaged, with an interval by the others.
fn over_models(numbers: Vec<Vec<f64>>) -> Estimate {
    let models = numbers.len().max(1) as f64;
    let value = numbers.iter().filter_map(|of| of.first()).sum::<f64>() / models;
    Estimate::new(value, numbers.iter().flat_map(|of| of.iter().skip(1).copied()).collect())
}

/// A number of the indices of every function of every model.
fn estimate(of: &[&[Indices]], number: impl Fn(&Indices) -> f64) -> Estimate {
    over_models(of.iter().map(|model| model.iter().map(&number).collect()).collect())
}

fn effects(names: &[String], of: &[&[Indices]]) -> Vec<Effect> {
    let effect = |(i, parameter): (usize, &String)| {
        let first = estimate(of, |indices| indices.closed[i].clamp(0.0, 1.0));
        let total = estimate(of, |indices| indices.total[i].clamp(0.0, 1.0));
        let matters = match total.interval {
            (_, high) if high < NEGLIGIBLE => Matters::No,
            (low, _) if low > SURELY => Matters::Yes,
            _ => Matters::Open,
        };
        Effect { parameter: parameter.clone(), first, total, matters }
    };
    names.iter().enumerate().map(effect).collect()
}

fn split(names: &[String], of: &[(Vec<Indices>, Vec<Indices>)]) -> Split {
    let shared: Vec<&[Indices]> = of.iter().map(|(shared, _)| &shared[..]).collect();
    let own: Vec<&[Indices]> = of.iter().map(|(_, own)| &own[..]).collect();
    let part = |(shared, own): (&Indices, &Indices)| {
        let both = shared.variance + own.variance;
        if both > 0.0 { own.variance / both } else { 0.0 }
    };
    let shares = of.iter().map(|(shared, own)| shared.iter().zip(own).map(part).collect());
    Split {
        in_every_task: effects(names, &shared),
        only_in_this: effects(names, &own),
        share_of_this: over_models(shares.collect()),
    }
}

/// Pairs among the parameters that take part in more than they explain alone.
fn interactions(
    view: &View<'_>,
    draws: &Draws<'_>,
    (varying, names): (&[usize], &[String]),
    singles: &Found,
    effects: &[Effect],
) -> Result<Vec<Interaction>> {
    let beyond = |i: usize| effects[i].total.value - effects[i].first.value;
    let mut interacting: Vec<usize> =
        (0..names.len()).filter(|i| beyond(*i) > INTERACTION).collect();
    interacting.sort_by(|a, b| beyond(*b).total_cmp(&beyond(*a)));
    interacting.truncate(MOST_INTERACTING);
    interacting.sort_unstable();
    let pairs: Vec<Vec<usize>> = interacting
        .iter()
        .flat_map(|i| interacting.iter().filter(move |j| i < *j).map(move |j| vec![*i, *j]))
        .collect();
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    let top = view.top();
    let closed = found(view, draws, varying, &pairs, &[top])?;
    let single = of_level(singles, top);
    let interaction = |(place, pair): (usize, &Vec<usize>)| {
        let (i, j) = (pair[0], pair[1]);
        let of_model = |(both, alone): (&Vec<Vec<Indices>>, &&[Indices])| -> Vec<f64> {
            let pairs = both[0].iter().zip(*alone);
            let share = |(both, alone): (&Indices, &Indices)| -> f64 {
                both.closed[place] - alone.closed[i] - alone.closed[j]
            };
            pairs.map(share).collect()
        };
        let share = over_models(closed.whole.iter().zip(&single).map(of_model).collect());
        Interaction { parameters: (names[i].clone(), names[j].clone()), share }
    };
    let all = pairs.iter().enumerate().map(interaction);
    let mut large: Vec<Interaction> = all.filter(|of| of.share.value >= INTERACTION).collect();
    large.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    Ok(large)
}

/// What fixing each parameter would lose at the worst of its values, and all that do not matter in the
/// middle of their ranges.
fn fixing(
    view: &View<'_>,
    draws: &Draws<'_>,
    (varying, names): (&[usize], &[String]),
    effects: &[Effect],
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
    let idle: Vec<usize> =
        (0..varying.len()).filter(|k| effects[*k].matters == Matters::No).collect();
    let mut middle = recommended.to_vec();
    idle.iter().for_each(|k| middle[varying[*k]] = Value::Absent);
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
        over_models(all.iter().map(of_model).collect())
    };
    let starts = std::iter::once(1).chain(ends.iter().copied());
    let each = names.iter().zip(starts.zip(&ends)).map(|(name, (start, end))| Fixing {
        parameters: vec![name.clone()],
        loss: loss(start..*end),
    });
    let together = Fixing {
        parameters: idle.iter().map(|k| names[*k].clone()).collect(),
        loss: loss(points.len() - 1..points.len()),
    };
    Ok((each.collect(), Some(together).filter(|_| !idle.is_empty())))
}
