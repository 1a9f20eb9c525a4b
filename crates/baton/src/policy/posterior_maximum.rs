//! The point with the best posterior mean at the highest fidelity: what would be recommended.

use super::view::View;
use crate::acquisition::{Found, Objective, PosteriorMean, Search, candidates};
use crate::error::Result;
use crate::shared::Fitted;
use baton_numerics::random::{Key, Purpose};

/// Found by the search of an ask, with candidates that do not depend on the step.
pub(crate) fn posterior_maximum(view: &View<'_>, fitted: &Fitted) -> Result<Option<Found>> {
    let (space, effort) = (view.space(), view.search.effort());
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let key = Key { step: u32::MAX, ..view.key };
    let mut stream = key.stream(Purpose::Candidates, 0);
    let points = candidates(space, fitted.posteriors[0].history(), effort, &mut stream).points;
    let mut costs = vec![None; view.frame.fidelities.len()];
    costs[view.top()] = Some(1.0);
    let search = Search { space, costs: &costs, occupied: &[], effort };
    let worth = objective.worth(points.as_ref())?;
    search.run(&objective, &points, &worth)
}
