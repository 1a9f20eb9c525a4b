//! How much of the best possible choice the search of an ask finds: a diagnostic, no part of an ask.

use crate::acquisition::{Objective, SearchEffort, candidates_by};
use crate::error::Result;
use crate::policy::{Context, View};
use crate::shared::Fitted;
use baton_numerics::random::Purpose;
use baton_numerics::{Mat, MatRef, Table};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What the search of the next ask finds and computes, and what a more thorough one finds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchQuality {
    /// worth per unit of cost where the search of an ask ends
    pub rate: f64,
    /// the same where the thorough search ends; `rate`, if that is more or nothing else was asked
    pub thorough_rate: f64,
    /// particles that were asked for every prediction
    pub particles: usize,
    /// points at which the search of an ask wants predictions at all levels, candidates included
    pub scored: usize,
    /// points at which it wants the slope too
    pub climbed: usize,
}

impl SearchQuality {
    /// The share of the thorough search's rate that the search of an ask finds, at most 1.
    pub fn ratio(&self) -> f64 {
        if self.thorough_rate > 0.0 { self.rate / self.thorough_rate } else { 1.0 }
    }
}

/// As [`SearchQuality`] says, the thorough search with `factor` times the candidates and starts.
pub(super) fn compared(
    view: &View<'_>,
    fitted: &Fitted,
    factor: usize,
) -> Result<Option<SearchQuality>> {
    let costs = view.costs();
    if costs.iter().all(Option::is_none) {
        return Ok(None);
    }
    let context = Context::of(view, fitted, &view.next_aim(fitted))?;
    let acquisition = context.acquisition()?;
    let counted = Counted::new(&acquisition);
    let normal = view.search.effort();
    let worth = acquisition.worth_of(&context.predictions);
    let found = view.searched(&counted, normal, (&context.points, &worth), &costs)?;
    let Some(found) = found else { return Ok(None) };
    let mut quality = SearchQuality {
        rate: found.rate,
        thorough_rate: found.rate,
        particles: context.predictions.len(),
        scored: counted.scored.load(Relaxed) + context.points.ncols(),
        climbed: counted.climbed.load(Relaxed),
    };
    if factor > 1 {
        let effort = thorough(normal, factor);
        let mut stream = view.key.stream(Purpose::Candidates, 1);
        let merits = view.merits(fitted, &context.history)?;
        let known = (&context.history, &merits[..]);
        let points = candidates_by(view.space(), known, effort, &mut stream).points;
        let worth = acquisition.worth(points.as_ref())?;
        let best = view.searched(&acquisition, effort, (&points, &worth), &costs)?;
        quality.thorough_rate = best.map_or(found.rate, |best| best.rate.max(found.rate));
    }
    Ok(Some(quality))
}

fn thorough(effort: SearchEffort, factor: usize) -> SearchEffort {
    SearchEffort {
        candidates: effort.candidates.saturating_mul(factor),
        starts: effort.starts.saturating_mul(factor),
        walks: effort.walks.saturating_mul(factor),
        iterations: effort.iterations.saturating_mul(4),
    }
}

/// An objective that counts how many points it was asked for.
struct Counted<'a> {
    objective: &'a dyn Objective,
    scored: AtomicUsize,
    climbed: AtomicUsize,
}

impl<'a> Counted<'a> {
    fn new(objective: &'a dyn Objective) -> Self {
        Self { objective, scored: AtomicUsize::new(0), climbed: AtomicUsize::new(0) }
    }
}

impl Objective for Counted<'_> {
    fn worth(&self, points: MatRef<'_, f64>) -> Result<Table> {
        self.scored.fetch_add(points.ncols(), Relaxed);
        self.objective.worth(points)
    }

    fn worth_and_gradient(
        &self,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<(Vec<f64>, Mat<f64>)> {
        self.climbed.fetch_add(points.ncols(), Relaxed);
        self.objective.worth_and_gradient(points, levels)
    }
}
