//! How far intervals were to be trusted: each observation of a task, as the model expects it from all others
//! (left out), and from those before it (one ahead), at the parameters fitted since.
//!
//! Both are exact for the model at these parameters (`model/surrogate/left_out.rs`); with a link, for the
//! observations as they were linearised. If the model is right, deviations one ahead are independent, so that
//! it can be counted whether too few or too many lie within their intervals; what is left out is compared with
//! draws. The former show early mistakes, the latter what is wrong between neighbours.
//!
//! Where there are more observations than the model keeps as they are, what is kept was never observed: those
//! that the parameters were fitted to are compared with each other (`shared/kept.rs`), a sample of all.

use crate::acquisition::NINETY_PERCENT;
use crate::error::Result;
use crate::model::{Foretold, Posterior};
use crate::policy::{Outcome, View};
use crate::shared::Fitted;
use baton_numerics::random::{Key, Purpose};
use serde::Serialize;

/// Nominal coverage, and the half-width of such an interval.
const NOMINAL: [(f64, f64); 7] = [
    (0.1, 0.125_661_346_855_074),
    (0.25, 0.318_639_363_964_375),
    (0.5, 0.674_489_750_196_082),
    (0.75, 1.150_349_380_376_01),
    (0.9, NINETY_PERCENT),
    (0.95, 1.959_963_984_540_05),
    (0.99, 2.575_829_303_548_9),
];
/// Observations that say something of intervals, at least.
const LEAST: usize = 8;
/// Counts of either kind that are less likely than this are not put down to chance.
const BY_CHANCE: f64 = 0.025;
/// Draws of what chance explains.
const DRAWS: usize = 399;

/// How far the intervals of a task were to be trusted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trust {
    /// of 90 % intervals
    pub width: Width,
    /// how many observations lay within their 90 % intervals, of each fidelity with any and of all
    pub coverage: Vec<Coverage>,
    /// how many of all lay within intervals of other widths
    pub calibration: Vec<Calibration>,
    /// observations of the task
    pub told: usize,
    /// every observation, in the order in which they were told; a sample where the model does not keep them all
    /// as they are
    pub seen: Vec<Seen>,
}

/// Whether 90 % intervals hold what they promise, as far as chance allows to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Width {
    /// too many observations lie outside
    TooNarrow,
    /// it may be
    Right,
    /// too few lie outside
    TooWide,
    /// there are too few observations
    Unknown,
}

/// Observations within their 90 % intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Coverage {
    /// which; `None` for all
    pub fidelity: Option<String>,
    /// how many there are
    pub observations: usize,
    /// within the interval expected from all others
    pub left_out: usize,
    /// within the interval expected from those before
    pub one_ahead: usize,
}

/// Observations within intervals of some width, as shares.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Calibration {
    /// what the intervals promise
    pub nominal: f64,
    /// as expected from all others
    pub left_out: f64,
    /// as expected from those before
    pub one_ahead: f64,
}

/// An observation and what was to be expected of it, in the user's units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Seen {
    /// its trial
    pub trial: usize,
    /// its fidelity
    pub fidelity: String,
    /// what was told
    pub value: f64,
    /// what all others say, with a 90 % interval
    pub left_out: Expectation,
    /// what those before say
    pub one_ahead: Expectation,
}

/// What was to be expected of an observation, its noise included.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Expectation {
    /// the value
    pub mean: f64,
    /// a 90 % interval
    pub interval: (f64, f64),
    /// how many standard deviations the observation lies above it, in the model's units: larger is better
    pub deviations: f64,
}

/// Of the observations of a task; `None` where there are none.
pub(super) fn trust(view: &View<'_>, fitted: &Fitted) -> Result<Option<Trust>> {
    let told = view.observations.len();
    let of = |posterior: &Posterior| {
        let levels = posterior.history().levels();
        levels.iter().filter(|level| **level < posterior.surrogate().levels()).count()
    };
    if told == 0 {
        return Ok(None);
    }
    if fitted.posteriors.iter().all(|posterior| of(posterior) == told) {
        return judged(view, fitted, (0..told).collect(), &fitted.posteriors).map(Some);
    }
    let sample = fitted.of_sample(&view.frame, view.observations)?;
    sample.map(|(sample, models)| judged(view, fitted, sample, &models)).transpose()
}

/// Of some observations, the last ones of these models.
fn judged(
    view: &View<'_>,
    fitted: &Fitted,
    observed: Vec<usize>,
    models: &[Posterior],
) -> Result<Trust> {
    let own = observed.len();
    let weights = &fitted.weights;
    let left_out = over_particles(models, weights, |p| p.left_out(p.history().len() - own))?;
    let one_ahead = over_particles(models, weights, |p| p.one_ahead(p.history().len() - own))?;
    let mut told: Vec<(usize, usize)> = Vec::new();
    for trial in view.trials {
        if let Outcome::Told { order, .. } = trial.outcome {
            told.push((order, trial.id));
        }
    }
    told.sort_unstable();
    let expectation = |of: &Foretold| {
        let spread = NINETY_PERCENT * of.variance.sqrt();
        let [a, b, mean] =
            [of.mean - spread, of.mean + spread, of.mean].map(|z| fitted.units.to_user(z));
        Expectation { mean, interval: (a.min(b), a.max(b)), deviations: of.deviations() }
    };
    let seen = |(k, i): (usize, usize)| Seen {
        trial: told[i].1,
        fidelity: view.frame.fidelities[view.observations[i].level].name.clone(),
        value: view.observations[i].value,
        left_out: expectation(&left_out[k]),
        one_ahead: expectation(&one_ahead[k]),
    };
    let seen: Vec<Seen> = observed.into_iter().enumerate().map(seen).collect();
    let names = view.frame.fidelities.iter().map(|fidelity| Some(fidelity.name.clone()));
    let coverage = names.chain([None]).map(|name| coverage(name, &seen));
    let coverage: Vec<Coverage> = coverage.filter(|of| of.observations > 0).collect();
    let calibration = NOMINAL.map(|(nominal, width)| {
        let share = |of: fn(&Seen) -> f64| {
            let inside = seen.iter().filter(|seen| of(seen).abs() <= width).count();
            inside as f64 / seen.len() as f64
        };
        let (left_out, one_ahead) =
            (share(|s| s.left_out.deviations), share(|s| s.one_ahead.deviations));
        Calibration { nominal, left_out, one_ahead }
    });
    let by_chance = by_chance(view, &models[0], own)?;
    let width = coverage.last().map_or(Width::Unknown, |all| width(all, &by_chance));
    let (told, calibration) = (told.len(), calibration.to_vec());
    Ok(Trust { width, coverage, calibration, told, seen })
}

/// What is foretold by all particles: mean and variance of the mixture.
fn over_particles(
    models: &[Posterior],
    weights: &[f64],
    foretold: impl Fn(&Posterior) -> Result<Vec<Foretold>>,
) -> Result<Vec<Foretold>> {
    let all = models.iter().map(foretold).collect::<Result<Vec<_>>>()?;
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    let mixed = |i: usize| {
        let over = |of: &dyn Fn(&Foretold) -> f64| -> f64 {
            all.iter().zip(weights).map(|(foretold, w)| w * of(&foretold[i])).sum()
        };
        let mean = over(&|of| of.mean);
        let variance = over(&|of| of.variance + (of.mean - mean).powi(2));
        Foretold { value: over(&|of| of.value), mean, variance }
    };
    Ok((0..first.len()).map(mixed).collect())
}

fn coverage(fidelity: Option<String>, seen: &[Seen]) -> Coverage {
    let counts = |seen: &&Seen| fidelity.as_ref().is_none_or(|name| *name == seen.fidelity);
    let of: Vec<&Seen> = seen.iter().filter(counts).collect();
    let inside = |deviations: fn(&Seen) -> f64| {
        of.iter().filter(|seen| deviations(seen).abs() <= NINETY_PERCENT).count()
    };
    Coverage {
        observations: of.len(),
        left_out: inside(|seen| seen.left_out.deviations),
        one_ahead: inside(|seen| seen.one_ahead.deviations),
        fidelity,
    }
}

/// How many of the observations left out would lie within their 90 % intervals if the model were right: draws.
fn by_chance(view: &View<'_>, posterior: &Posterior, own: usize) -> Result<Vec<usize>> {
    let mut stream = Key { step: 0, ..view.key }.stream(Purpose::Insight, u32::MAX - 1);
    let draw = |_| {
        let first = posterior.history().len() - own;
        let drawn = posterior.deviations_by_chance(first, &mut stream)?;
        Ok(drawn.iter().filter(|deviations| deviations.abs() <= NINETY_PERCENT).count())
    };
    (0..DRAWS).map(draw).collect()
}

/// By how likely it is that so few or so many lie within 90 % intervals, of either kind.
fn width(all: &Coverage, by_chance: &[usize]) -> Width {
    if all.observations < LEAST {
        return Width::Unknown;
    }
    let share = |counts: &dyn Fn(&usize) -> bool| {
        let found = by_chance.iter().filter(|inside| counts(inside)).count();
        (1.0 + found as f64) / (1.0 + by_chance.len() as f64)
    };
    let left_out = (share(&|i| *i <= all.left_out), share(&|i| *i >= all.left_out));
    let (at_most, at_least) = tails(all.one_ahead, all.observations);
    if left_out.0.min(at_most) < BY_CHANCE {
        Width::TooNarrow
    } else if left_out.1.min(at_least) < BY_CHANCE {
        Width::TooWide
    } else {
        Width::Right
    }
}

/// How likely it is that of independent observations at most so many, and at least so many, lie within 90 %
/// intervals.
fn tails(inside: usize, observations: usize) -> (f64, f64) {
    let (n, mut chance) = (observations as f64, 0.9_f64.powf(observations as f64));
    let (mut at_least, mut above) = (0.0, 0.0);
    for k in (inside..=observations).rev() {
        above = at_least;
        at_least += chance;
        let k = k as f64;
        chance *= k / (n - k + 1.0) * (0.1 / 0.9);
    }
    (1.0 - above, at_least)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_chance_explains_is_no_verdict() {
        let width = |left_out, one_ahead, observations: usize| {
            // As if left out they were independent: every 200th of their law.
            let law = |k: usize| tails(k, observations).0;
            let place = |i: usize| (i as f64 + 0.5) / 200.0;
            let drawn = |i| (0..observations).find(|k| law(*k) > place(i)).unwrap_or(observations);
            let by_chance: Vec<usize> = (0..200).map(drawn).collect();
            width(&Coverage { fidelity: None, observations, left_out, one_ahead }, &by_chance)
        };
        assert_eq!(width(0, 0, 7), Width::Unknown);
        // Of 10 observations, 7 or fewer are inside in 7.0 % of cases, 6 or fewer in 1.3 %.
        assert_eq!((width(7, 9, 10), width(9, 6, 10)), (Width::Right, Width::TooNarrow));
        assert_eq!((width(6, 9, 10), width(34, 34, 35)), (Width::TooNarrow, Width::Right));
        assert_eq!((width(33, 36, 36), width(55, 50, 55)), (Width::TooWide, Width::TooWide));
        assert_eq!((width(0, 400, 400), width(360, 361, 400)), (Width::TooNarrow, Width::Right));
        let (at_most, at_least) = tails(6, 10);
        assert!((at_most - 0.012_795_2).abs() < 1e-6 && (at_least - 0.998_365_1).abs() < 1e-6);
    }
}
