//! Stein variational gradient descent, (38)-(39) with errata E1 and E8:
//!
//! `Omega(theta_v) = 1/V sum_v' [ k~(theta_v', theta_v) s(theta_v') + grad_{v'} k~(theta_v', theta_v) ]`
//!
//! with the score `s = grad log p` evaluated anew in every step and
//! `k~ = exp(-h |theta - theta'|^2)`. The last term is `2 h (theta_v - theta_v') k~`: it drives
//! particles apart.

use super::density::LogDensity;
use super::interaction::{Bandwidth, Interaction};
use crate::Error;
use crate::error::{Result, same_size};
use baton_numerics::parallel;
use baton_numerics::vector::{add_scaled, dot};

/// A step that changes entries by more than this is not taken.
const LONGEST_STEP: f64 = 1e150;

/// How a direction becomes a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// `theta += rate Omega`
    Plain {
        /// the paper's `eta`
        rate: f64,
    },
    /// Adam on `Omega`, decay rates 0.9 and 0.999
    Adam {
        /// largest change of an entry per step
        rate: f64,
    },
}

/// How particles are moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Svgd {
    /// interaction between particles
    pub bandwidth: Bandwidth,
    /// rule for the steps
    pub step: Step,
    /// number of steps, the paper's `R`
    pub steps: u32,
}

/// What a run went through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SvgdReport {
    /// how often a particle's score could not be had; such a particle followed the others only
    pub failed_scores: u32,
    /// how often a part of a step would have left the numbers and was not taken
    pub refused_steps: u32,
    /// particles that ended where the density has no value, and are where they began
    pub put_back: u32,
}

impl Svgd {
    /// Moves the particles towards the density, in place.
    ///
    /// # Errors
    /// If a particle has the wrong length or a setting is not a positive finite number; particles
    /// are then unchanged.
    pub fn run<D: LogDensity>(&self, density: &D, thetas: &mut [Vec<f64>]) -> Result<SvgdReport> {
        for theta in thetas.iter() {
            same_size("parameters of a particle", density.dimension(), theta.len())?;
        }
        self.check()?;
        let mut report = SvgdReport::default();
        let mut scores = vec![vec![0.0; density.dimension()]; thetas.len()];
        let mut scratch: Vec<D::Scratch> = thetas.iter().map(|_| D::Scratch::default()).collect();
        let mut interaction = Interaction::new(thetas, self.step.memory());
        let began = thetas.to_vec();
        for step in 1..=self.steps {
            report.failed_scores += self::scores(density, thetas, &mut scores, &mut scratch);
            report.refused_steps +=
                interaction.advance(self.bandwidth, thetas, &scores, |theta, direction, memory| {
                    u32::from(!self.step.take(theta, direction, memory, step))
                });
        }
        for ((theta, began), scratch) in thetas.iter_mut().zip(began).zip(&mut scratch) {
            if self.steps > 0 && density.log_density(theta, &mut scores[0], scratch).is_err() {
                *theta = began;
                report.put_back += 1;
            }
        }
        Ok(report)
    }

    fn check(&self) -> Result<()> {
        let (Step::Plain { rate } | Step::Adam { rate }) = self.step;
        let bandwidth = match self.bandwidth {
            Bandwidth::Fixed(h) => h,
            Bandwidth::Median => 1.0,
        };
        let settings = [("SVGD step size", rate), ("SVGD bandwidth", bandwidth)];
        match settings.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((what, value)) => {
                Err(Error::OutOfRange { what, value, must: "positive and finite" })
            }
            None => Ok(()),
        }
    }
}

/// Writes the scores of all particles, zero where the density could not be evaluated, and says how
/// many those were.
fn scores<D: LogDensity>(
    density: &D,
    thetas: &[Vec<f64>],
    scores: &mut [Vec<f64>],
    scratch: &mut [D::Scratch],
) -> u32 {
    let mut work: Vec<_> = scores.iter_mut().zip(scratch).collect();
    let failed = parallel::map_mut(&mut work, |v, (score, scratch)| {
        let failed = density.log_density(&thetas[v], score, scratch).is_err();
        if failed {
            score.fill(0.0);
        }
        u32::from(failed)
    });
    failed.into_iter().sum()
}

impl Step {
    /// How many numbers per entry it remembers from step to step.
    fn memory(self) -> usize {
        match self {
            Self::Plain { .. } => 0,
            Self::Adam { .. } => 2,
        }
    }

    /// Changes some entries along their part of a direction, unless that would leave the numbers;
    /// says whether it was done.
    fn take(self, theta: &mut [f64], direction: &[f64], memory: &mut [f64], step: u32) -> bool {
        let (Self::Plain { rate } | Self::Adam { rate }) = self;
        let length = rate * dot(direction, direction).sqrt();
        // So short that no number of steps leads out of the numbers, and that squares are finite.
        if length.is_nan() || length > LONGEST_STEP {
            return false;
        }
        match self {
            Self::Plain { rate } => add_scaled(theta, direction, rate),
            Self::Adam { rate } => adam(theta, direction, memory, (rate, step)),
        }
        true
    }
}

/// One step of Adam; `memory` has the running means of the direction, then those of its square.
fn adam(theta: &mut [f64], direction: &[f64], memory: &mut [f64], (rate, step): (f64, u32)) {
    const DECAY: (f64, f64) = (0.9, 0.999);
    let exponent = step.cast_signed();
    let (bias1, bias2) = (1.0 - DECAY.0.powi(exponent), 1.0 - DECAY.1.powi(exponent));
    let (firsts, seconds) = memory.split_at_mut(direction.len());
    let moments = firsts.iter_mut().zip(seconds);
    for ((theta, d), (first, second)) in theta.iter_mut().zip(direction).zip(moments) {
        *first = DECAY.0 * *first + (1.0 - DECAY.0) * d;
        *second = DECAY.1 * *second + (1.0 - DECAY.1) * d * d;
        let change = rate * (*first / bias1) / ((*second / bias2).sqrt() + 1e-8);
        if (*theta + change).is_finite() {
            *theta += change;
        }
    }
}
