//! How particles move each other, (38) with errata E1 and E8:
//!
//! `Omega(theta_v) = 1/V sum_u [ k_uv s(theta_u) + 2 h (theta_v - theta_u) k_uv ]`,
//! `k_uv = exp(-h |theta_u - theta_v|^2)`.
//!
//! That is one product of the scores and particles, side by side, with a small matrix. It is worked
//! on in blocks of entries, each by one thread, and in strips that stay in the nearest cache.

use crate::error::{Result, same_size};
use crate::problem::Positive;
use baton_numerics::vector::{combine, squared_distance};
use baton_numerics::{Mat, parallel};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Entries a thread takes at once.
const BLOCK: usize = 1024;
/// Entries of all particles and scores that are worked on at once.
const STRIP: usize = 256;

/// The factor `h` of the kernel between particles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub enum Bandwidth {
    /// a given number; the paper has 1 / 1.326
    Fixed(f64),
    /// `log(V + 1) / median |theta_v - theta_v'|^2`, anew in every step
    Median,
}

/// In files: a positive number, or the word `median`.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "it must be a positive number or median")]
enum Written {
    Fixed(Positive),
    Named(Named),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Named {
    Median,
}

impl From<Written> for Bandwidth {
    fn from(written: Written) -> Self {
        match written {
            Written::Fixed(h) => Self::Fixed(*h),
            Written::Named(Named::Median) => Self::Median,
        }
    }
}

impl From<Bandwidth> for Written {
    fn from(bandwidth: Bandwidth) -> Self {
        match bandwidth {
            Bandwidth::Fixed(h) => Self::Fixed(Positive::literal(h)),
            Bandwidth::Median => Self::Named(Named::Median),
        }
    }
}

impl Bandwidth {
    /// `Omega` of every particle.
    ///
    /// # Errors
    /// If particles or scores differ in number or length.
    pub fn directions(self, thetas: &[Vec<f64>], scores: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let dimension = thetas.first().map_or(0, Vec::len);
        same_size("scores, one per particle", thetas.len(), scores.len())?;
        for vector in thetas.iter().chain(scores) {
            same_size("entries of a particle or score", dimension, vector.len())?;
        }
        let mut interaction = Interaction::new(thetas, 0);
        let mut directions = thetas.to_vec();
        interaction.advance(self, &mut directions, scores, |entries, direction, _| {
            entries.copy_from_slice(direction);
            0
        });
        Ok(directions)
    }

    /// `h` for these particles.
    pub fn of(self, thetas: &[Vec<f64>]) -> f64 {
        self.factor(&Interaction::new(thetas, 0).squared)
    }

    fn factor(self, squared: &Mat<f64>) -> f64 {
        match self {
            Self::Fixed(h) => h,
            Self::Median => {
                let count = squared.nrows();
                let pairs = (0..count).flat_map(|i| (0..i).map(move |j| squared[(i, j)]));
                let median = median(pairs.collect());
                // One particle, or all in one place: there is nothing to drive apart.
                if median > 0.0 { (count as f64 + 1.0).ln() / median } else { 1.0 }
            }
        }
    }
}

/// The interaction of particles that are being moved; its memory is kept from step to step.
pub(super) struct Interaction {
    blocks: Vec<Block>,
    /// `|theta_u - theta_v|^2`
    squared: Mat<f64>,
    /// of all scores, then all particles, in the direction of each particle
    weights: Vec<f64>,
}

/// Some entries of all particles.
struct Block {
    rows: Range<usize>,
    /// their part of the squared distances
    squared: Mat<f64>,
    /// a strip of `Omega`, particle by particle
    directions: Vec<f64>,
    /// what the rule for steps remembers, strip by strip and particle by particle
    memory: Vec<f64>,
}

/// Changes some entries of a particle along their part of `Omega`, with what it remembers of them.
pub(super) trait Take: Fn(&mut [f64], &[f64], &mut [f64]) -> u32 + Sync + Send {}

impl<F: Fn(&mut [f64], &[f64], &mut [f64]) -> u32 + Sync + Send> Take for F {}

impl Interaction {
    /// With room for so many numbers per entry that the rule for steps remembers.
    pub(super) fn new(thetas: &[Vec<f64>], memory: usize) -> Self {
        let (count, dimension) = (thetas.len(), thetas.first().map_or(0, Vec::len));
        let block = |start: usize| {
            let rows = start..dimension.min(start + BLOCK);
            let memory = vec![0.0; memory * count * rows.len()];
            let directions = vec![0.0; STRIP * count];
            Block { rows, squared: Mat::zeros(count, count), directions, memory }
        };
        let mut interaction = Self {
            blocks: (0..dimension).step_by(BLOCK).map(block).collect(),
            squared: Mat::zeros(count, count),
            weights: vec![0.0; 2 * count * count],
        };
        for block in &mut interaction.blocks {
            let parts: Vec<&[f64]> = thetas.iter().map(|t| &t[block.rows.clone()]).collect();
            for strip in strips(block.rows.len()) {
                block.measure(&parts, &strip);
            }
        }
        interaction.add_up();
        interaction
    }

    /// Moves all particles; what `take` returns is added up.
    pub(super) fn advance(
        &mut self,
        bandwidth: Bandwidth,
        thetas: &mut [Vec<f64>],
        scores: &[Vec<f64>],
        take: impl Take,
    ) -> u32 {
        self.fill_weights(bandwidth.factor(&self.squared));
        let mut columns: Vec<_> = thetas.iter_mut().map(|theta| theta.chunks_mut(BLOCK)).collect();
        let mut work: Vec<(&mut Block, Vec<&mut [f64]>)> = Vec::with_capacity(self.blocks.len());
        for block in &mut self.blocks {
            work.push((block, columns.iter_mut().filter_map(Iterator::next).collect()));
        }
        let weights = &self.weights;
        let taken = parallel::map_mut(&mut work, |_, (block, parts)| {
            block.advance(parts, scores, weights, &take)
        });
        self.add_up();
        taken.into_iter().sum()
    }

    fn add_up(&mut self) {
        self.squared.fill(0.0);
        for block in &self.blocks {
            self.squared += &block.squared;
        }
    }

    fn fill_weights(&mut self, h: f64) {
        let count = self.squared.ncols();
        let share = 1.0 / count as f64;
        for (v, weights) in self.weights.chunks_mut(2 * count.max(1)).enumerate() {
            let (of_scores, of_particles) = weights.split_at_mut(count);
            for u in 0..count {
                of_scores[u] = share * (-h * self.squared[(u, v)]).exp();
                of_particles[u] = -2.0 * h * of_scores[u];
            }
            of_particles[v] += 2.0 * h * of_scores.iter().sum::<f64>();
        }
    }
}

impl Block {
    /// Moves its entries of all particles and measures how far apart they are then.
    fn advance(
        &mut self,
        parts: &mut [&mut [f64]],
        scores: &[Vec<f64>],
        weights: &[f64],
        take: &impl Take,
    ) -> u32 {
        let per_entry = self.memory.len() / self.rows.len().max(1);
        let mut memory = std::mem::take(&mut self.memory);
        let mut remembered = &mut memory[..];
        let mut taken = 0;
        self.squared.fill(0.0);
        for strip in strips(self.rows.len()) {
            let rows = self.rows.start + strip.start..self.rows.start + strip.end;
            let scores = scores.iter().map(|score| &score[rows.clone()]);
            let entries = parts.iter().map(|part| &part[strip.clone()]);
            let sources: Vec<&[f64]> = scores.chain(entries).collect();
            let directions = &mut self.directions[..strip.len() * parts.len()];
            combine(directions, &sources, weights);
            let (own, rest) = remembered.split_at_mut(per_entry * strip.len());
            remembered = rest;
            let mut own = own.chunks_mut((own.len() / parts.len()).max(1));
            for (part, direction) in parts.iter_mut().zip(directions.chunks(strip.len())) {
                let own = own.next().unwrap_or_default();
                taken += take(&mut part[strip.clone()], direction, own);
            }
            self.measure(parts, &strip);
        }
        self.memory = memory;
        taken
    }

    fn measure(&mut self, parts: &[impl AsRef<[f64]>], strip: &Range<usize>) {
        for (u, a) in parts.iter().enumerate() {
            for (v, b) in parts[..u].iter().enumerate() {
                let (a, b) = (&a.as_ref()[strip.clone()], &b.as_ref()[strip.clone()]);
                let part = squared_distance(a, b);
                self.squared[(u, v)] += part;
                self.squared[(v, u)] += part;
            }
        }
    }
}

fn strips(length: usize) -> impl Iterator<Item = Range<usize>> {
    (0..length).step_by(STRIP).map(move |from| from..length.min(from + STRIP))
}

/// The middle value, or the mean of the two middle ones; 0 of nothing.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[half],
        _ => f64::midpoint(values[half - 1], values[half]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::stream;

    #[test]
    fn blocks_and_strips_add_up_to_the_sum_over_particles() {
        let mut stream = stream(8);
        let dimension = 2 * BLOCK + STRIP + 5;
        let mut vectors = |count: usize, size: f64| -> Vec<Vec<f64>> {
            (0..count).map(|_| (0..dimension).map(|_| size * stream.normal()).collect()).collect()
        };
        let (thetas, scores) = (vectors(3, 0.02), vectors(3, 1.0));
        let h = 0.7;
        let directions = Bandwidth::Fixed(h).directions(&thetas, &scores).unwrap();
        for v in 0..3 {
            for i in (0..dimension).step_by(97) {
                let term = |u: usize| {
                    let pairs = thetas[u].iter().zip(&thetas[v]);
                    let squared: f64 = pairs.map(|(a, b)| (a - b) * (a - b)).sum();
                    let push = 2.0 * h * (thetas[v][i] - thetas[u][i]);
                    (-h * squared).exp() * (scores[u][i] + push) / 3.0
                };
                let expected: f64 = (0..3).map(term).sum();
                assert!((directions[v][i] - expected).abs() < 1e-12);
            }
        }
    }
}
