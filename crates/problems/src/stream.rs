//! The random numbers that tasks are made of.
//!
//! A stream is named by a master seed, the number of its problem, the task and a tag; the same name
//! gives the same numbers in every language, for it takes nothing but 64-bit arithmetic that wraps
//! (the finaliser of `SplitMix64`). Reference values computed elsewhere rest on these streams, so
//! that neither they nor the numbers of the problems may ever change.

use std::f64::consts::PI;

/// The seed of the one fixed sequence of tasks.
pub const MASTER: u64 = 20_240_314;

/// The golden ratio in 64 bits: the step between states.
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

/// The master seed of the sequence of tasks that belongs to one experiment alone.
pub fn fresh_master(experiment: u64) -> u64 {
    named(MASTER, experiment)
}

/// Scrambles 64 bits.
pub(crate) fn mix64(z: u64) -> u64 {
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// The seed that follows from another and a number.
fn named(seed: u64, number: u64) -> u64 {
    mix64(seed.wrapping_add(STEP.wrapping_mul(number.wrapping_add(1))))
}

/// What a stream is drawn for. The numbers are part of the tasks: never reuse or renumber one;
/// 9 was used for the points of the reference values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Problem {
    /// both Hartmann families
    Hartmann = 1,
    /// power control of two radio cells
    Radio = 2,
    /// both gas families
    Gas = 3,
    /// shifted Branin function
    Branin = 4,
    /// shifted Rosenbrock function
    Rosenbrock = 5,
    /// shifted Levy function
    Levy = 6,
    /// shifted Forrester function
    Forrester = 7,
    /// shifted Styblinski-Tang function
    Styblinski = 8,
    /// a wing in one flight condition after another
    Flight = 10,
}

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub(crate) struct Stream {
    seed: u64,
    state: u64,
}

impl Stream {
    /// The stream of a problem's task; `tag` tells apart the streams of one task.
    pub fn new(master: u64, problem: Problem, task: u64, tag: u64) -> Self {
        Self::named(master, [problem as u64, task, tag])
    }

    /// The stream of a name given in numbers.
    pub fn named(master: u64, name: [u64; 3]) -> Self {
        let seed = name.into_iter().fold(master, named);
        Self { seed, state: seed }
    }

    /// What the numbers follow from.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        mix64(self.state)
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * f64::from_bits(0x3CA0_0000_0000_0000)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Two independent standard normals (Box and Muller).
    pub fn normals(&mut self) -> (f64, f64) {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        let (sine, cosine) = (2.0 * PI * self.uniform()).sin_cos();
        (radius * cosine, radius * sine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_are_those_computed_elsewhere() {
        assert_eq!(mix64(1), 6_238_072_747_940_578_789);
        let mut stream = Stream::new(MASTER, Problem::Hartmann, 1, 0);
        assert_eq!(stream.seed(), 14_358_443_069_396_204_112);
        assert_eq!(stream.bits(), 10_558_362_222_978_902_653);
        assert_eq!(stream.uniform(), 0.478_735_756_828_725_27);
    }

    #[test]
    fn experiments_have_masters_of_their_own() {
        let masters: Vec<u64> = (0..100).map(fresh_master).collect();
        for (i, master) in masters.iter().enumerate() {
            assert_ne!(*master, MASTER);
            assert!(!masters[..i].contains(master));
        }
        assert_eq!(masters[0], mix64(MASTER.wrapping_add(STEP)));
    }

    #[test]
    fn normals_have_the_right_moments() {
        let mut stream = Stream::new(MASTER, Problem::Radio, 1, 7);
        let draws: Vec<f64> =
            (0..50_000).flat_map(|_| <[f64; 2]>::from(stream.normals())).collect();
        let moment = |p: i32| draws.iter().map(|z| z.powi(p)).sum::<f64>() / 100_000.0;
        assert!(moment(1).abs() < 0.02 && (moment(2) - 1.0).abs() < 0.02);
    }
}
