//! Which parameters matter: Sobol's indices of the function of a task.
//!
//! Every parameter varies by itself over its whole range (`problem/shares.rs`), whether that is a good place
//! or not. Indices are shares of the variance of the value in the user's units, estimated at quasi-random
//! points (`baton_numerics::importance`). The number is that of the posterior mean, averaged over one set of
//! points for each model; the interval is over draws of the function (`draws.rs`), each at the points of its
//! model: it covers what is not known of the function and of the model's parameters, and the error of the
//! points. It does not cover that the model may be wrong.

use super::draws::Draws;
use super::estimate::Estimate;
use super::fixing::{Fixing, fixing};
use super::indices::{Found, estimate, found};
use crate::error::Result;
use crate::policy::View;
use crate::problem::Value;
use baton_numerics::importance::Indices;
use serde::Serialize;

/// A parameter that takes part in less than this share of the variance does not matter, if the whole interval
/// is below.
const NEGLIGIBLE: f64 = 0.05;
/// One matters if the whole interval is above this.
const SURELY: f64 = 0.01;
/// Interactions with less than this share of the variance are left out, and so are those beyond so many
/// parameters.
const INTERACTION: f64 = 0.02;
const MOST_INTERACTING: usize = 6;

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
        parameters: effects(&names, &found.at(level)),
        explains: Estimate::over_models(
            found.explains.iter().map(|of| of[level].clone()).collect(),
        ),
    };
    let fidelities: Vec<OfFidelity> = levels.iter().map(|level| of_fidelity(*level)).collect();
    let split = draws.is_related().then(|| split(&names, &found.split));
    let top = &fidelities[view.top()].parameters;
    let interactions = interactions(view, draws, (&varying, &names), &found, top)?;
    let idle: Vec<usize> = (0..names.len()).filter(|k| top[*k].matters == Matters::No).collect();
    let (fixing, fixing_all) = fixing(view, draws, (&varying, &names), &idle, recommended)?;
    Ok(Importance { fidelities, split, interactions, fixing, fixing_all })
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
        // Halved, since the sum of two of 1e300 may be beyond all numbers.
        let both = 0.5 * shared.variance + 0.5 * own.variance;
        if both > 0.0 { 0.5 * own.variance / both } else { 0.0 }
    };
    let shares = of.iter().map(|(shared, own)| shared.iter().zip(own).map(part).collect());
    Split {
        in_every_task: effects(names, &shared),
        only_in_this: effects(names, &own),
        share_of_this: Estimate::over_models(shares.collect()),
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
    let single = singles.at(top);
    let interaction = |(place, pair): (usize, &Vec<usize>)| {
        let (i, j) = (pair[0], pair[1]);
        let of_model = |(both, alone): (&Vec<Vec<Indices>>, &&[Indices])| -> Vec<f64> {
            let pairs = both[0].iter().zip(*alone);
            let share = |(both, alone): (&Indices, &Indices)| -> f64 {
                both.closed[place] - alone.closed[i] - alone.closed[j]
            };
            pairs.map(share).collect()
        };
        let share = Estimate::over_models(closed.whole.iter().zip(&single).map(of_model).collect());
        Interaction { parameters: (names[i].clone(), names[j].clone()), share }
    };
    let all = pairs.iter().enumerate().map(interaction);
    let mut large: Vec<Interaction> = all.filter(|of| of.share.value >= INTERACTION).collect();
    large.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    Ok(large)
}
