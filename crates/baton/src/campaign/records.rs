//! Records of a task: whether they can be its own, and in which order its trials were told.

use super::measurement::Measurement;
use super::setup::Shared;
use crate::Error;
use crate::error::Result;
use crate::policy::{Outcome, Trial};
use crate::problem::Fidelity;
use std::borrow::Borrow;

/// Whether records can be those of a task, of which these are known already; the trials that were told, in
/// that order.
pub(super) fn checked(
    shared: &Shared,
    known: &[Trial],
    trials: &[impl Borrow<Trial>],
) -> Result<Vec<usize>> {
    let mut order: Vec<(usize, usize)> = Vec::new();
    for (id, trial) in trials.iter().map(Borrow::borrow).enumerate() {
        if known.get(id) != Some(trial) {
            check(shared, id, trial)?;
        }
        let twin = |other: &&Trial| other.is_pending() && other.point == trial.point;
        let mut before = trials[..id].iter().map(Borrow::borrow);
        if trial.is_pending()
            && let Some(other) = before.find(twin)
        {
            let reason = format!("it and trial {} are pending at the same point", other.id);
            return Err(Error::Trial { id, reason });
        }
        if let Outcome::Told { order: place, .. } = trial.outcome {
            order.push((place, id));
        }
    }
    order.sort_unstable();
    if let Some((expected, (_, id))) =
        order.iter().enumerate().find(|(expected, (place, _))| expected != place)
    {
        let reason = format!("its record does not say that it was told as number {expected}");
        return Err(Error::Trial { id: *id, reason });
    }
    Ok(order.into_iter().map(|(_, id)| id).collect())
}

/// Whether a record can be that of a trial of a task.
fn check(shared: &Shared, id: usize, trial: &Trial) -> Result<()> {
    let refuse = |reason: String| Err(Error::Trial { id, reason });
    if trial.id != id {
        return refuse(format!("its record has the number {}", trial.id));
    }
    shared.check_level(trial.level)?;
    if shared.schema.space.canonical(&trial.point)? != trial.point {
        return refuse("its record has a point that is not of this space".into());
    }
    shared.schema.descriptors.canonical(&trial.context)?;
    let Fidelity { name, cost, .. } = &shared.fidelities[trial.level];
    if trial.fidelity != *name || trial.cost != *cost {
        let (theirs, its) = (&trial.fidelity, trial.cost);
        return refuse(format!(
            "its record says {theirs} for {its}, level {} is {name} for {cost}",
            trial.level
        ));
    }
    if let Outcome::Told { value, .. } = trial.outcome {
        let cost = trial.paid.filter(|paid| *paid != 0.0); // earlier versions took nothing
        let constraints = trial.constraints.clone();
        let told = Measurement { value, noise: trial.noise, cost, constraints };
        told.check(id, &shared.constraints())?;
    }
    Ok(())
}
