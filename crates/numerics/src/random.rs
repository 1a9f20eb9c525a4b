//! Random streams keyed by what they are for.
//!
//! A stream is named by (seed, campaign, task, step, purpose) and a lane, and is independent of
//! every other: `ChaCha8` is a keyed function, so the name itself, 32 bytes long, is the key. No
//! generator is ever passed around or stored; whoever needs numbers names the stream. That is what
//! makes an ask repeatable after a crash and independent of the number of threads.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::f64::consts::PI;

/// What a stream is drawn for. The numbers are part of the format: never reuse or renumber one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Purpose {
    /// particles from the prior
    Prior = 1,
    /// Gumbel draws of the maximum
    MaxValues = 2,
    /// candidates of the acquisition's maximiser
    Candidates = 3,
    /// starts of a fit of the parameters
    FitStarts = 4,
    /// the random first points of a task
    InitialDesign = 5,
    /// random search
    RandomSearch = 6,
    /// choices between agendas
    Agenda = 7,
    /// points of a planned batch
    Batch = 8,
    /// noise added by an experiment
    Noise = 9,
    /// draws of tests and demonstrations
    Trial = 10,
    /// places near the best ones of earlier tasks
    Hills = 11,
    /// places that may have been left unseen
    Cover = 12,
    /// parameters around the fitted ones
    Draws = 13,
    /// functions from the posterior, and the points at which what matters in them is found
    Insight = 14,
    /// functions from the posterior, for what is still to be gained
    Further = 15,
}

/// The name of a family of streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Key {
    /// the user's seed
    pub seed: u64,
    /// which campaign
    pub campaign: u64,
    /// which task of the campaign
    pub task: u32,
    /// which step of the task
    pub step: u32,
}

impl Key {
    /// The stream for `purpose`; `lane` tells apart streams of one purpose, such as particles.
    pub fn stream(&self, purpose: Purpose, lane: u32) -> Stream {
        let mut name = [0_u8; 32];
        name[..8].copy_from_slice(&self.seed.to_le_bytes());
        name[8..16].copy_from_slice(&self.campaign.to_le_bytes());
        name[16..20].copy_from_slice(&self.task.to_le_bytes());
        name[20..24].copy_from_slice(&self.step.to_le_bytes());
        name[24..28].copy_from_slice(&(purpose as u32).to_le_bytes());
        name[28..].copy_from_slice(&lane.to_le_bytes());
        Stream { generator: ChaCha8Rng::from_seed(name), spare: None }
    }
}

/// A sequence of random numbers.
#[derive(Debug, Clone)]
pub struct Stream {
    generator: ChaCha8Rng,
    /// the second normal of the last pair
    spare: Option<f64>,
}

impl Stream {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.generator.next_u64()
    }

    /// Uniform in `[0, 1)`, a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * f64::from_bits(0x3CA0_0000_0000_0000)
    }

    /// Uniform in the open interval `(0, 1)`, safe to take logarithms of.
    pub fn open_uniform(&mut self) -> f64 {
        self.uniform() + f64::from_bits(0x3C90_0000_0000_0000)
    }

    /// Uniform in `0..n`; 0 for an empty range.
    pub fn below(&mut self, n: usize) -> usize {
        // The high word of a 128-bit product; its bias is at most n / 2^64.
        let product = u128::from(self.bits()) * (n as u128);
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// Standard normal, by pairs (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        if let Some(value) = self.spare.take() {
            return value;
        }
        let radius = (-2.0 * self.open_uniform().ln()).sqrt();
        let (sine, cosine) = (2.0 * PI * self.uniform()).sin_cos();
        self.spare = Some(radius * sine);
        radius * cosine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u64) -> Key {
        Key { seed, campaign: 3, task: 1, step: 9 }
    }

    #[test]
    fn every_part_of_the_name_matters() {
        let first = |k: Key, p, lane| k.stream(p, lane).bits();
        let base = first(key(1), Purpose::Prior, 0);
        assert_eq!(base, first(key(1), Purpose::Prior, 0));
        assert_ne!(base, first(key(2), Purpose::Prior, 0));
        assert_ne!(base, first(key(1), Purpose::Noise, 0));
        assert_ne!(base, first(key(1), Purpose::Prior, 1));
        assert_ne!(base, first(Key { step: 10, ..key(1) }, Purpose::Prior, 0));
        assert_ne!(base, first(Key { task: 2, ..key(1) }, Purpose::Prior, 0));
        assert_ne!(base, first(Key { campaign: 4, ..key(1) }, Purpose::Prior, 0));
    }

    #[test]
    fn normals_have_the_right_moments() {
        let mut stream = key(5).stream(Purpose::Trial, 0);
        let draws: Vec<f64> = (0..200_000).map(|_| stream.normal()).collect();
        let moment = |p: i32| draws.iter().map(|z| z.powi(p)).sum::<f64>() / 200_000.0;
        assert!(moment(1).abs() < 0.01 && (moment(2) - 1.0).abs() < 0.02);
        assert!(moment(3).abs() < 0.05 && (moment(4) - 3.0).abs() < 0.1);
    }

    #[test]
    fn ranges_are_respected() {
        let mut stream = key(6).stream(Purpose::Trial, 0);
        let mut seen = [0_u32; 5];
        for _ in 0..5_000 {
            let u = stream.open_uniform();
            assert!(u > 0.0 && u < 1.0);
            seen[stream.below(5)] += 1;
        }
        assert!(seen.iter().all(|count| (800..1200).contains(count)));
        assert_eq!(stream.below(0), 0);
    }
}
