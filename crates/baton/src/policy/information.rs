//! The end of every list: the point and fidelity that tell the most per unit of cost.

use super::context::Context;
use super::incumbent::{Basin, posterior_maximum};
use super::rule::{Proposal, Rule};
use super::trial::{Aim, Bought};
use super::view::View;
use crate::acquisition::Acquisition;
use crate::error::Result;
use crate::shared::Fitted;
use baton_numerics::MatRef;

/// Where information may look.
#[derive(Default)]
pub(crate) struct Scope<'a> {
    /// not in here, if the rest promises something; and who says so
    pub left_out: Option<(Basin<'a>, &'static Rule)>,
    /// costs of the levels that are open, all that are affordable if it is not said; and who says so
    pub levels: Option<(Vec<Option<f64>>, &'static Rule)>,
}

/// The best point and level within the scope.
pub(crate) fn most_informative(
    view: &View<'_>,
    fitted: &Fitted,
    scope: &Scope<'_>,
) -> Result<Option<Proposal>> {
    let (aim, costs) = (view.next_aim(fitted), view.costs());
    let left_out = scope.left_out.as_ref();
    let (context, outside) =
        Context::outside(view, fitted, &aim, left_out.map(|(basin, _)| basin))?;
    let left_out = left_out.filter(|_| outside);
    let open = scope.levels.as_ref().map_or(&costs, |(levels, _)| levels);
    let mut acquisition = context.acquisition_within(view.safe())?;
    let mut worth = acquisition.worth_of(&context.predictions);
    if view.safe() > 0.0 && view.unrefined((&context.points, &worth), open).is_none() {
        if view.is_safe_mode() {
            return most_likely_feasible(view, fitted);
        }
        acquisition = context.acquisition()?;
        worth = acquisition.worth_of(&context.predictions);
    }
    let scored = (&context.points, &worth);
    let found = view.searched(&acquisition, view.search.effort(), scored, open)?;
    // An ascent that ends in the basin that was left out is not taken.
    let strayed = match (&found, left_out) {
        (Some(found), Some((basin, _))) => basin.holds(&found.coordinates)?,
        _ => false,
    };
    let found = if strayed { view.unrefined(scored, open) } else { found };
    let Some(found) = found else { return Ok(None) };
    let (aim, reason) = match left_out {
        Some((_, rule)) => (Aim::named(rule.aim), rule.reason),
        None => (aim.clone(), reason_of(&aim)),
    };
    let reason = match &scope.levels {
        Some((_, rule)) => format!("{reason} {}", rule.reason),
        None => reason.to_owned(),
    };
    let place = (&found.coordinates[..], found.level);
    priced(view, fitted, (&context, &acquisition), place, (aim, reason)).map(Some)
}

/// Where nothing is known to be safe, and no cheaper fidelity can be asked: the point most likely to be.
fn most_likely_feasible(view: &View<'_>, fitted: &Fitted) -> Result<Option<Proposal>> {
    let Some(found) = posterior_maximum(view, fitted)? else { return Ok(None) };
    let point = view.space().point(&found.coordinates)?;
    let named =
        ("safe", "Nothing is known to be safe enough; the point most likely to be feasible");
    Ok(Some(Proposal { notes: fitted.notes(), ..Proposal::bare((point, view.top()), named) }))
}

/// A place at the highest fidelity that a rule wants, with what it may tell.
pub(crate) fn visit(
    view: &View<'_>,
    fitted: &Fitted,
    coordinates: &[f64],
    rule: &Rule,
) -> Result<Proposal> {
    let context = Context::of(view, fitted, &view.next_aim(fitted))?;
    let acquisition = context.acquisition()?;
    let named = (Aim::named(rule.aim), rule.reason.to_owned());
    priced(view, fitted, (&context, &acquisition), (coordinates, view.top()), named)
}

fn reason_of(aim: &Aim) -> &'static str {
    match aim.name() {
        "optimum" => "Chosen for this task's optimum, the most per unit of cost",
        "future" => "Chosen for what later tasks will use, the most per unit of cost",
        _ => {
            "Chosen for this task's optimum and what later tasks will use, the most per unit of cost"
        }
    }
}

/// The proposal of a place, with the nats it may buy and the best other level there.
fn priced(
    view: &View<'_>,
    fitted: &Fitted,
    (context, acquisition): (&Context<'_>, &Acquisition<'_>),
    (coordinates, level): (&[f64], usize),
    (aim, reason): (Aim, String),
) -> Result<Proposal> {
    let column = MatRef::from_column_major_slice(coordinates, coordinates.len(), 1);
    let (nats, criterion) = (acquisition.nats(column)?, context.criterion);
    let of_limits = acquisition.nats_of_limits(column)?;
    let bought = |m: usize| {
        let (optimum, transfer) = (nats.optimum[(m, 0)], nats.transfer[(m, 0)]);
        Bought { optimum, transfer, limits: of_limits[(m, 0)].min(optimum) }
    };
    let worth = |m: usize| {
        let Bought { optimum, transfer, .. } = bought(m);
        criterion.optimum_weight * optimum + criterion.beta * transfer
    };
    let costs = view.costs();
    let rate = |m: usize| costs[m].map(|cost| (m, worth(m) / cost));
    let others = (0..costs.len()).filter(|m| *m != level).filter_map(rate);
    let best_other = others.reduce(|a, b| if b.1 > a.1 { b } else { a });
    Ok(Proposal {
        point: view.space().point(coordinates)?,
        level,
        aim,
        reason,
        nats: Some(bought(level)),
        runner_up: best_other.map(|(m, rate)| (view.frame.fidelities[m].name.clone(), rate)),
        notes: fitted.notes(),
    })
}
