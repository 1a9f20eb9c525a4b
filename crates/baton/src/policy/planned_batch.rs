//! Trials for the future from a batch (43) planned before the task, for the methods that have one.

use super::rule::{Rule, Says, Switch};
use super::trial::{Aim, Trial};
use super::view::View;
use crate::acquisition::greedy_batch;
use crate::error::Result;
use crate::model::Earlier;
use crate::shared::Fitted;
use baton_numerics::Mat;
use baton_numerics::random::Purpose;

pub(crate) const RULE: Rule = Rule {
    name: "planned_batch",
    aim: Aim::PLANNED,
    reason: "From the batch planned before the task for later tasks' sake",
    switch: Switch::On,
    says,
};

/// Candidates that a planned batch is chosen from.
const CANDIDATES: usize = 256;

/// The next point of the batch, when it is the future's turn: each is used once, and not while a trial is
/// pending there.
fn says<'a>(view: &View<'a>, fitted: &'a Fitted) -> Result<Says<'a>> {
    if view.next_aim(fitted) != Aim::FUTURE {
        return Ok(Says::Nothing);
    }
    let taken = |trial: &&Trial| trial.aim == *RULE.aim || trial.is_pending();
    let taken: Vec<&Trial> = view.trials.iter().filter(taken).collect();
    for coordinates in planned_points(view, fitted, taken.len() + 1)? {
        let point = view.space().point(&coordinates)?;
        if taken.iter().all(|trial| trial.point != point) {
            return Ok(Says::Visit(coordinates));
        }
    }
    Ok(Says::Nothing)
}

/// The first `count` points of the batch, all different: a pure function of settings, knowledge and seed,
/// computed anew each time. A longer batch begins with a shorter one.
fn planned_points(view: &View<'_>, fitted: &Fitted, count: usize) -> Result<Vec<Vec<f64>>> {
    let (frame, Some(batch)) = (view.frame, view.plan.batch) else { return Ok(Vec::new()) };
    let mut stream = frame.key.stream(Purpose::Batch, u32::MAX);
    let scattered = frame.space.scattered(CANDIDATES, &mut stream);
    let mut points: Vec<Vec<f64>> = Vec::new();
    for j in 0..scattered.ncols() {
        let mut point = scattered.col_as_slice(j).to_vec();
        frame.space.snap(&mut point);
        if !points.contains(&point) {
            points.push(point);
        }
    }
    let candidates = Mat::from_fn(frame.space.dimension(), points.len(), |i, j| points[j][i]);
    let surrogate = frame.surrogate(&fitted.units, Earlier::None, false)?;
    let thetas = frame.fit(&surrogate).batch_particles(&batch.stein, batch.from_particles)?;
    let weights = vec![1.0 / thetas.len() as f64; thetas.len()];
    let first = stream.below(points.len());
    let belief = (&thetas[..], &weights[..]);
    let chosen = greedy_batch(&surrogate, belief, candidates.as_ref(), first, count)?;
    Ok(chosen.into_iter().map(|j| points[j].clone()).collect())
}
