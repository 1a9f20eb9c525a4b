//! Trials without a model: recommended points of earlier tasks, the first design, random search, and the
//! way out when a model fails.

use super::rule::{Opening, Opens};
use super::trial::Aim;
use super::view::{Freshness, View};
use crate::acquisition::LISTED;
use crate::error::Result;
use crate::problem::{Unseen, Value};
use baton_numerics::random::{Key, Purpose, Stream};
use baton_numerics::{Mat, sobol};

/// Points of the design that are looked at before a repeated one is accepted.
const LOOK_AHEAD: usize = 64;
/// Recommended points of earlier tasks get at most this share of the budget.
const WARM_SHARE: f64 = 0.2;

/// Until the first design is complete. Failed and pending trials count: it is not begun again.
pub(crate) const DESIGN: Opening = Opening {
    aim: "design",
    reason: "A first look around before the model is used",
    says: |view| {
        let is_complete = view.trials.len() >= view.frame.initial;
        if is_complete {
            return Ok(Opens::Nothing);
        }
        let costs = blind(view, view.affordable());
        if costs.iter().all(Option::is_none) {
            return Ok(Opens::Nothing);
        }
        let along = along_new(view, &costs)?;
        Ok(Opens::Trial(if along.is_some() { along } else { quasi_random(view, &costs)? }))
    },
};

/// Where nothing is new but parameters: along these, from where the last task had its best.
fn along_new(view: &View<'_>, costs: &[Option<f64>]) -> Result<Option<(Vec<Value>, usize)>> {
    let Unseen::Along(new) = view.frame.knowledge.unseen() else { return Ok(None) };
    let Some(best) = view.frame.knowledge.incumbents().last() else { return Ok(None) };
    let is_new = view.space().coordinates_of(new);
    let draw = |count: usize| {
        let mut points = sobol::shifted_points(best.len(), count, &mut design_stream(view));
        for (i, known) in best.iter().enumerate().filter(|(i, _)| !is_new.contains(i)) {
            points.row_mut(i).fill(*known);
        }
        points
    };
    let all = view.space().allowed_of(used(view) + LOOK_AHEAD, draw);
    let next = all.subcols(used(view), LOOK_AHEAD).to_owned();
    let point = first_new(view, &next, &mut None)?;
    Ok(point.map(|point| (point, level(costs, &mut level_stream(view)))))
}

/// The levels that may be asked for without a model. In safe mode not the highest one, but for a first
/// trial where there is no other: somewhere it has to begin.
pub(crate) fn blind(view: &View<'_>, mut costs: Vec<Option<f64>>) -> Vec<Option<f64>> {
    let top = view.top();
    if view.is_safe_mode() && (top > 0 || !view.trials.is_empty()) {
        costs[top] = None;
    }
    costs
}

pub(crate) const RANDOM: Opening = Opening { aim: "random", reason: "Random search", says: random };

fn random(view: &View<'_>) -> Result<Opens> {
    let costs = view.affordable();
    let mut stream = view.key.stream(Purpose::RandomSearch, 0);
    let level = level(&costs, &mut stream);
    let space = view.space();
    let draw = |count: usize| Mat::from_fn(space.dimension(), count, |_, _| stream.uniform());
    let points = space.allowed_of(LOOK_AHEAD, draw);
    Ok(Opens::Trial(untried(view, &points)?.map(|point| (point, level))))
}

/// Of the rival that only tries the recommended points of earlier tasks first.
pub(crate) const WARM_START: Opening =
    Opening { aim: "warm_start", reason: "Where earlier tasks had their best", says: warm_start };

/// The newest point of an earlier task that was not tried yet, at the highest fidelity.
fn warm_start(view: &View<'_>) -> Result<Opens> {
    let Some(cost) = view.top_cost() else { return Ok(Opens::Nothing) };
    let so_far = view.of_aims(&[WARM_START.aim]).count();
    if (so_far as f64 + 1.0) * cost > WARM_SHARE * view.purse.budget {
        return Ok(Opens::Nothing);
    }
    for coordinates in view.frame.knowledge.incumbents().iter().rev() {
        let point = view.space().point(coordinates)?;
        if !view.was_at(&point, view.top()) {
            return Ok(Opens::Trial(Some((point, view.top()))));
        }
    }
    Ok(Opens::Nothing)
}

/// The next point of the design at a random level of those with a cost, not tried before if possible and
/// never a pending one.
pub(crate) fn quasi_random(
    view: &View<'_>,
    costs: &[Option<f64>],
) -> Result<Option<(Vec<Value>, usize)>> {
    let level = level(costs, &mut level_stream(view));
    Ok(untried(view, &design_points(view))?.map(|point| (point, level)))
}

fn level(costs: &[Option<f64>], stream: &mut Stream) -> usize {
    let affordable: Vec<usize> = (0..costs.len()).filter(|m| costs[*m].is_some()).collect();
    affordable[stream.below(affordable.len())]
}

/// One Sobol sequence per task; each trial of the design takes the next points of it.
pub(super) fn design_points(view: &View<'_>) -> Mat<f64> {
    let all = view.space().scattered(used(view) + LOOK_AHEAD, &mut design_stream(view));
    all.subcols(used(view), LOOK_AHEAD).to_owned()
}

fn level_stream(view: &View<'_>) -> Stream {
    view.key.stream(Purpose::InitialDesign, 0)
}

fn design_stream(view: &View<'_>) -> Stream {
    Key { step: 0, ..view.key }.stream(Purpose::InitialDesign, 1)
}

/// Points of the sequence that were taken.
fn used(view: &View<'_>) -> usize {
    view.of_aims(&[Aim::DESIGN.name(), "survey", Aim::FALLBACK.name()]).count()
}

/// The first of these points that was not tried; else, in a small discrete space, any that was not; else
/// one that is not pending.
fn untried(view: &View<'_>, points: &Mat<f64>) -> Result<Option<Vec<Value>>> {
    let mut told = None;
    if let Some(point) = first_new(view, points, &mut told)? {
        return Ok(Some(point));
    }
    let Some(all) = view.space().enumerate(LISTED) else { return Ok(told) };
    let mut listed = None;
    let new = first_new(view, &all, &mut listed)?;
    Ok(new.or(listed).or(told))
}

/// The first point that was never asked for; `told` gets the first whose outcome is known.
fn first_new(
    view: &View<'_>,
    points: &Mat<f64>,
    told: &mut Option<Vec<Value>>,
) -> Result<Option<Vec<Value>>> {
    for column in points.col_iter() {
        let point = view.space().point(&column.iter().copied().collect::<Vec<f64>>())?;
        match view.freshness(&point) {
            Freshness::New => return Ok(Some(point)),
            Freshness::Told => *told = told.take().or(Some(point)),
            Freshness::Pending => {}
        }
    }
    Ok(None)
}
