//! What the next trial is for, and the planned batch (43) of the methods that have one.

use super::epoch::{Epoch, Frame};
use super::method::{Agenda, Future};
use super::trial::Aim;
use crate::acquisition::{Criterion, greedy_batch};
use crate::error::Result;
use crate::surrogate::Earlier;
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, sobol};

/// Candidates that a planned batch is chosen from.
const BATCH_CANDIDATES: usize = 256;

/// How far the task is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Progress {
    /// model-based trials asked for so far
    pub rounds: usize,
    /// model-based rounds that the budget allows at the top level, those so far included
    pub all_rounds: usize,
}

/// What the next model-based trial is for.
pub(super) fn next_aim(frame: &Frame<'_>, step: Key, progress: Progress) -> Aim {
    let c = frame.settings.c;
    let plan = frame.settings.method.plan();
    let for_this_task = match plan.agenda {
        Agenda::Both if frame.settings.beta == 0.0 => true,
        Agenda::Both => return Aim::Both,
        Agenda::Coin => step.stream(Purpose::Agenda, 0).uniform() < c,
        Agenda::Phases => progress.rounds < first_phase(c, progress.all_rounds),
    };
    if for_this_task { Aim::Optimum } else { Aim::Future }
}

/// `ceil(c T)`, A14.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // c T is small and positive
fn first_phase(c: f64, all_rounds: usize) -> usize {
    // Less a hair, since 0.28 times 25 is a little more than 7 in floating point.
    (c * all_rounds as f64 - 1e-9).ceil().max(0.0) as usize
}

/// The weights of both gains for an aim.
pub(super) fn criterion(frame: &Frame<'_>, aim: Aim) -> Criterion {
    let settings = frame.settings;
    let (optimum_weight, beta) = match aim {
        Aim::Both => (1.0, settings.beta),
        Aim::Future => (0.0, 1.0),
        _ => (1.0, 0.0),
    };
    let (optimum, transfer) = (settings.optimum_gain, settings.transfer_gain);
    Criterion { optimum, transfer, optimum_weight, beta }
}

/// The first `count` points of the planned batch, all different, for methods that plan one: a pure
/// function of settings, knowledge and seed, computed anew each time. A longer batch begins with a
/// shorter one.
pub(super) fn planned_points(
    frame: &Frame<'_>,
    epoch: &Epoch,
    count: usize,
) -> Result<Vec<Vec<f64>>> {
    if frame.settings.method.plan().future == Future::Gain {
        return Ok(Vec::new());
    }
    let mut stream = frame.key.stream(Purpose::Batch, u32::MAX);
    let scattered = sobol::shifted_points(frame.space.dimension(), BATCH_CANDIDATES, &mut stream);
    let mut points: Vec<Vec<f64>> = Vec::new();
    for j in 0..scattered.ncols() {
        let mut point = scattered.col_as_slice(j).to_vec();
        frame.space.snap(&mut point);
        if !points.contains(&point) {
            points.push(point);
        }
    }
    let candidates = Mat::from_fn(frame.space.dimension(), points.len(), |i, j| points[j][i]);
    let surrogate = frame.surrogate(&epoch.units, Earlier::None, false)?;
    let thetas = frame.inference(&surrogate).batch_particles()?;
    let weights = vec![1.0 / thetas.len() as f64; thetas.len()];
    let first = stream.below(points.len());
    let belief = (&thetas[..], &weights[..]);
    let chosen = greedy_batch(&surrogate, belief, candidates.as_ref(), first, count)?;
    Ok(chosen.into_iter().map(|j| points[j].clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_phase_is_rounded_up() {
        assert_eq!(first_phase(0.6, 20), 12);
        assert_eq!(first_phase(0.61, 20), 13);
        assert_eq!(first_phase(0.28, 25), 7);
        assert_eq!((first_phase(0.0, 5), first_phase(1.0, 5)), (0, 5));
    }
}
