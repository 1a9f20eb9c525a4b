//! What a finished task by itself says of the parameters of the surrogate.
//!
//! A task that turns out to be unrelated to earlier ones cannot use their function, but it may be as
//! rough as they were, along the same coordinates, with levels that can be trusted as much. So every
//! task is fitted by itself once it is finished, and a model that starts cold begins with what all of
//! them have in common (`population.rs`). Whether tasks are of one kind is asked of their best places:
//! where coordinates mean something else in every task, length scales of others mislead, and best
//! places lie anywhere.

use super::frame::Frame;
use super::hypotheses::Hypothesis;
use super::lost_evidence::MOST_PARAMETERS;
use super::observation::Observation;
use super::population::Tendency;
use crate::error::Result;
use crate::model::{Earlier, Source, curvature};
use crate::problem::Units;

/// So many observations of a task say enough.
const ENOUGH: usize = 200;
/// How high the function lies is a task's own.
const OWN: &str = "mean";

/// What tasks have shown with this one. The weight of a value is the share of the prior's variance that
/// the data take away.
pub(super) fn after(
    frame: &Frame<'_>,
    units: &Units,
    observations: &[Observation],
) -> Result<Vec<Tendency>> {
    let mut tendencies = frame.knowledge.tendencies.clone();
    let count = frame.surrogate(units, Earlier::None, false)?.parameter_count();
    if !frame.transfer.population_prior || frame.source != Source::Map || count > MOST_PARAMETERS {
        return Ok(tendencies);
    }
    if tendencies.len() != count {
        tendencies = vec![Tendency::default(); count];
    }
    let observations = &observations[..observations.len().min(ENOUGH)];
    let alone = frame.history(units, observations)?;
    let model = Hypothesis::fit(frame, units, (Earlier::None, false), &alone, observations.len())?;
    let (surrogate, theta) = (&model.surrogate, model.theta());
    let known = frame.prior(surrogate);
    let curvature = curvature(surrogate, theta, &model.history, count)?;
    let blocks = surrogate.layout().blocks().iter();
    let of_tasks = blocks.flat_map(|block| vec![block.name != OWN; block.size()]);
    for (i, is_common) in of_tasks.enumerate() {
        let said = known[i].1.powi(2) * curvature[i];
        if is_common {
            tendencies[i].add(theta[i], said / (1.0 + said));
        }
    }
    Ok(tendencies)
}
