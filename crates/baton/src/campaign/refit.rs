//! When the model of a task is fitted anew.
//!
//! Epochs begin at counts of tells that are fixed in advance. When one begins, particles are
//! inferred anew from the observations up to there and factored; until it ends, factors are only
//! extended, row by row in the order of tells. So the bits of an ask depend on the observations and
//! their order, never on when asks happened or whether the process was restarted.

use crate::error::Result;
use crate::shared::{Fitted, Frame, LEAST_FOR_UNITS, Observation};

/// Tells between two fits, at most: they are kept as they are until then, and the model is to stay small.
const FARTHEST: usize = 50;

/// The stretch of a task between two fits, as far as it has come.
#[derive(Debug, Clone)]
pub(super) struct Epoch {
    /// tells when it began
    began: usize,
    /// tells it has taken in
    tells: usize,
    pub fitted: Fitted,
}

/// The epochs of a quantity that has to keep bounds, whose observations come in the order of the trials:
/// an answer that comes late stands before others, and then begins them anew.
#[derive(Debug, Clone)]
pub(super) struct Tracked {
    seen: Vec<Observation>,
    pub epoch: Epoch,
}

impl Tracked {
    /// Up to date with these observations.
    pub(super) fn current(
        before: Option<Self>,
        frame: &Frame<'_>,
        observations: &[Observation],
    ) -> Result<Self> {
        let known = before.filter(|known| observations.starts_with(&known.seen));
        let epoch = Epoch::current(known.map(|known| known.epoch), frame, observations)?;
        Ok(Self { seen: observations.to_vec(), epoch })
    }
}

/// Tells at which the epoch of a given count of tells began: at every one during the first design,
/// then after `refit_every` more or an eighth of what there is, at most [`FARTHEST`], whichever is more.
fn began(tells: usize, initial: usize, refit_every: usize) -> usize {
    let initial = initial.max(LEAST_FOR_UNITS);
    if tells <= initial {
        return tells;
    }
    if refit_every == 0 {
        return initial;
    }
    let mut begin = initial;
    loop {
        let next = begin.saturating_add(refit_every.max((begin / 8).min(FARTHEST)));
        if next > tells {
            return begin;
        }
        begin = next;
    }
}

impl Epoch {
    /// The epoch of these observations: `before`, if that can be extended, else a new one.
    pub(super) fn current(
        before: Option<Self>,
        frame: &Frame<'_>,
        observations: &[Observation],
    ) -> Result<Self> {
        let begin = began(observations.len(), frame.initial, *frame.model.refit_every);
        let tested = frame.tested.filter(|tells| *tells <= observations.len());
        let begin = tested.map_or(begin, |t| begin.max(t));
        let mut epoch = match before {
            Some(epoch) if epoch.began == begin && epoch.tells <= observations.len() => epoch,
            _ => {
                let fitted = Fitted::to(frame, &observations[..begin])?;
                Self { began: begin, tells: begin, fitted }
            }
        };
        for observation in &observations[epoch.tells..] {
            epoch.fitted.observe(observation)?;
            epoch.tells += 1;
        }
        Ok(epoch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epochs_begin_at_fixed_counts() {
        let begins = |every: usize| -> Vec<usize> { (0..30).map(|t| began(t, 4, every)).collect() };
        assert!(begins(0)[4..].iter().all(|begin| *begin == 4));
        assert_eq!(begins(5)[..10], [0, 1, 2, 3, 4, 4, 4, 4, 4, 9]);
        assert_eq!(began(1000, 4, 5), began(1000, 4, 5));
        for tells in 1..2000 {
            let begin = began(tells, 4, 5);
            assert!(begin <= tells && begin >= began(tells - 1, 4, 5));
        }
        assert!(
            (200..400).map(|t| began(t, 4, 5)).collect::<std::collections::BTreeSet<_>>().len() < 9
        );
    }
}
