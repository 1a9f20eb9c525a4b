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
use std::ops::Range;

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
    /// how often a step would have left the numbers and was not taken
    pub refused_steps: u32,
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
        let mut moments = vec![Moments::zeros(density.dimension()); thetas.len()];
        let mut scores = vec![vec![0.0; density.dimension()]; thetas.len()];
        let mut scratch: Vec<D::Scratch> = thetas.iter().map(|_| D::Scratch::default()).collect();
        let mut interaction = Interaction::new(density.dimension(), thetas.len());
        for step in 1..=self.steps {
            report.failed_scores += self::scores(density, thetas, &mut scores, &mut scratch);
            interaction.update(self.bandwidth, thetas, &scores);
            let mut work: Vec<_> = thetas.iter_mut().zip(&mut moments).collect();
            let taken = parallel::map_mut(&mut work, |v, (theta, moments)| {
                let parts = || interaction.parts(v).map(|(_, rows, part)| (rows, part));
                self.step.apply(theta, parts, moments, step)
            });
            report.refused_steps += taken.into_iter().map(|taken| u32::from(!taken)).sum::<u32>();
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

/// Adam's running means of a direction and of its square.
#[derive(Debug, Clone)]
struct Moments {
    first: Vec<f64>,
    second: Vec<f64>,
}

impl Moments {
    fn zeros(dimension: usize) -> Self {
        Self { first: vec![0.0; dimension], second: vec![0.0; dimension] }
    }
}

impl Step {
    /// Takes one step along a direction that comes in pieces, unless it would leave the numbers;
    /// says whether it was taken.
    fn apply<'a, P: Iterator<Item = (Range<usize>, &'a [f64])>>(
        self,
        theta: &mut [f64],
        direction: impl Fn() -> P,
        moments: &mut Moments,
        step: u32,
    ) -> bool {
        let (Self::Plain { rate } | Self::Adam { rate }) = self;
        // If the lengths are finite, so is every entry after the step, and so are Adam's squares.
        let squared: f64 = direction().map(|(_, part)| dot(part, part)).sum();
        let length = dot(theta, theta).sqrt() + rate * squared.sqrt();
        if !length.is_finite() {
            return false;
        }
        for (rows, part) in direction() {
            match self {
                Self::Plain { rate } => add_scaled(&mut theta[rows], part, rate),
                Self::Adam { rate } => moments.step(theta, rows, part, (rate, step)),
            }
        }
        true
    }
}

impl Moments {
    fn step(
        &mut self,
        theta: &mut [f64],
        rows: Range<usize>,
        direction: &[f64],
        (rate, step): (f64, u32),
    ) {
        const DECAY: (f64, f64) = (0.9, 0.999);
        let exponent = step.cast_signed();
        let (bias1, bias2) = (1.0 - DECAY.0.powi(exponent), 1.0 - DECAY.1.powi(exponent));
        for (i, d) in rows.zip(direction) {
            let first = DECAY.0 * self.first[i] + (1.0 - DECAY.0) * d;
            let second = DECAY.1 * self.second[i] + (1.0 - DECAY.1) * d * d;
            (self.first[i], self.second[i]) = (first, second);
            let change = rate * (first / bias1) / ((second / bias2).sqrt() + 1e-8);
            if (theta[i] + change).is_finite() {
                theta[i] += change;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::testing::stream;

    /// A normal with mean 1 and standard deviations 0.5 and 2.
    struct Normal;

    impl LogDensity for Normal {
        fn dimension(&self) -> usize {
            2
        }

        type Scratch = ();

        fn log_density(&self, theta: &[f64], gradient: &mut [f64], (): &mut ()) -> Result<f64> {
            let (a, b) = (theta[0] - 1.0, theta[1] - 1.0);
            (gradient[0], gradient[1]) = (-a / 0.25, -b / 4.0);
            Ok(-0.5 * (a * a / 0.25 + b * b / 4.0))
        }
    }

    struct Broken;

    impl LogDensity for Broken {
        fn dimension(&self) -> usize {
            2
        }

        type Scratch = ();

        fn log_density(&self, _: &[f64], _: &mut [f64], (): &mut ()) -> Result<f64> {
            Err(Error::Overflow { what: "test", value: f64::NAN })
        }
    }

    fn start(count: usize) -> Vec<Vec<f64>> {
        let mut stream = stream(5);
        (0..count).map(|_| vec![stream.normal(), stream.normal()]).collect()
    }

    #[test]
    fn particles_take_on_mean_and_spread_of_the_density() {
        for step in [Step::Plain { rate: 0.2 }, Step::Adam { rate: 0.02 }] {
            let svgd = Svgd { bandwidth: Bandwidth::Median, step, steps: 3_000 };
            let mut thetas = start(40);
            assert_eq!(svgd.run(&Normal, &mut thetas).unwrap().failed_scores, 0);
            for (i, deviation) in [0.5, 2.0].into_iter().enumerate() {
                let mean = thetas.iter().map(|t| t[i]).sum::<f64>() / 40.0;
                let spread = thetas.iter().map(|t| (t[i] - mean).powi(2)).sum::<f64>() / 40.0;
                assert!((mean - 1.0).abs() < 0.1, "{step:?} mean {mean}");
                let ratio = spread.sqrt() / deviation;
                assert!((0.7..1.2).contains(&ratio), "{step:?} spread {ratio}");
            }
        }
    }

    #[test]
    fn the_same_bits_at_any_number_of_threads() {
        let svgd = Svgd {
            bandwidth: Bandwidth::Fixed(1.0 / 1.326),
            step: Step::Plain { rate: 0.1 },
            steps: 20,
        };
        let run = |threads| {
            let mut thetas = start(7);
            parallel::with_threads(threads, || svgd.run(&Normal, &mut thetas)).unwrap();
            thetas
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(5));
    }

    #[test]
    fn failures_are_counted_and_bad_settings_refused() {
        let svgd = Svgd { bandwidth: Bandwidth::Median, step: Step::Plain { rate: 0.1 }, steps: 3 };
        let mut thetas = start(4);
        assert_eq!(svgd.run(&Broken, &mut thetas).unwrap().failed_scores, 12);
        assert!(thetas.iter().flatten().all(|x| x.is_finite()));
        let mut coinciding = vec![vec![0.5, 0.5]; 3];
        svgd.run(&Normal, &mut coinciding).unwrap();
        assert!(coinciding.iter().flatten().all(|x| x.is_finite()));
        let bad = Svgd { step: Step::Adam { rate: f64::NAN }, ..svgd };
        assert!(bad.run(&Normal, &mut thetas).is_err());
        assert!(svgd.run(&Normal, &mut [vec![0.0]]).is_err());
    }
}
