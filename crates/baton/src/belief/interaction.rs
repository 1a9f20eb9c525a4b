//! How particles move each other, (38) with errata E1 and E8:
//!
//! `Omega(theta_v) = 1/V sum_u [ k_uv s(theta_u) + 2 h (theta_v - theta_u) k_uv ]`,
//! `k_uv = exp(-h |theta_u - theta_v|^2)`.
//!
//! That is one product of the scores and particles, side by side, with a small matrix. It is worked
//! on in blocks of entries, each by one thread, and in strips that stay in the nearest cache.

use crate::error::{Result, same_size};
use baton_numerics::vector::{combine, squared_distance};
use baton_numerics::{Mat, parallel};
use std::ops::Range;

/// Entries a thread takes at once.
const BLOCK: usize = 1024;
/// Entries of all particles and scores that are worked on at once.
const STRIP: usize = 256;

/// The factor `h` of the kernel between particles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bandwidth {
    /// a given number; the paper has 1 / 1.326
    Fixed(f64),
    /// `log(V + 1) / median |theta_v - theta_v'|^2`, anew in every step
    Median,
}

impl Bandwidth {
    /// `Omega` of every particle, one column each.
    ///
    /// # Errors
    /// If particles or scores differ in number or length.
    pub fn directions(self, thetas: &[Vec<f64>], scores: &[Vec<f64>]) -> Result<Mat<f64>> {
        let dimension = thetas.first().map_or(0, Vec::len);
        same_size("scores, one per particle", thetas.len(), scores.len())?;
        for vector in thetas.iter().chain(scores) {
            same_size("entries of a particle or score", dimension, vector.len())?;
        }
        let mut interaction = Interaction::new(dimension, thetas.len());
        interaction.update(self, thetas, scores);
        let mut directions = Mat::zeros(dimension, thetas.len());
        for (v, rows, part) in (0..thetas.len()).flat_map(|v| interaction.parts(v)) {
            directions.col_as_slice_mut(v)[rows].copy_from_slice(part);
        }
        Ok(directions)
    }

    /// `h` for these particles.
    pub fn of(self, thetas: &[Vec<f64>]) -> f64 {
        let mut interaction = Interaction::new(thetas.first().map_or(0, Vec::len), thetas.len());
        interaction.measure(thetas);
        self.factor(&interaction.squared)
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

/// Directions of all particles; its memory is kept from step to step.
pub(super) struct Interaction {
    blocks: Vec<Block>,
    /// `|theta_u - theta_v|^2`
    squared: Mat<f64>,
    /// of all scores, then all particles (rows), in the direction of each particle (columns)
    weights: Mat<f64>,
}

/// Some entries of all particles.
struct Block {
    rows: Range<usize>,
    /// their part of the squared distances
    squared: Mat<f64>,
    /// their part of `Omega`, particle by particle
    directions: Vec<f64>,
}

impl Interaction {
    pub(super) fn new(dimension: usize, count: usize) -> Self {
        let block = |start: usize| {
            let rows = start..dimension.min(start + BLOCK);
            let directions = vec![0.0; rows.len() * count];
            Block { rows, squared: Mat::zeros(count, count), directions }
        };
        Self {
            blocks: (0..dimension).step_by(BLOCK).map(block).collect(),
            squared: Mat::zeros(count, count),
            weights: Mat::zeros(2 * count, count),
        }
    }

    /// The direction of particle `v` in pieces: `v` again, which entries, and their values.
    pub(super) fn parts(&self, v: usize) -> impl Iterator<Item = (usize, Range<usize>, &[f64])> {
        self.blocks.iter().map(move |block| {
            let length = block.rows.len();
            (v, block.rows.clone(), &block.directions[v * length..(v + 1) * length])
        })
    }

    pub(super) fn update(
        &mut self,
        bandwidth: Bandwidth,
        thetas: &[Vec<f64>],
        scores: &[Vec<f64>],
    ) {
        self.measure(thetas);
        self.fill_weights(bandwidth.factor(&self.squared));
        let weights = &self.weights;
        parallel::map_mut(&mut self.blocks, |_, block| block.combine(thetas, scores, weights));
    }

    fn measure(&mut self, thetas: &[Vec<f64>]) {
        parallel::map_mut(&mut self.blocks, |_, block| block.measure(thetas));
        self.squared.fill(0.0);
        for block in &self.blocks {
            self.squared += &block.squared;
        }
    }

    fn fill_weights(&mut self, h: f64) {
        let count = self.squared.ncols();
        let share = 1.0 / count as f64;
        for v in 0..count {
            let mut total = 0.0;
            for u in 0..count {
                let kernel = share * (-h * self.squared[(u, v)]).exp();
                self.weights[(u, v)] = kernel;
                self.weights[(count + u, v)] = -2.0 * h * kernel;
                total += kernel;
            }
            self.weights[(count + v, v)] += 2.0 * h * total;
        }
    }
}

impl Block {
    fn strips(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let Range { start, end } = self.rows;
        (start..end).step_by(STRIP).map(move |from| from..end.min(from + STRIP))
    }

    fn measure(&mut self, thetas: &[Vec<f64>]) {
        self.squared.fill(0.0);
        for strip in self.strips() {
            for u in 0..thetas.len() {
                for v in 0..u {
                    let part =
                        squared_distance(&thetas[u][strip.clone()], &thetas[v][strip.clone()]);
                    self.squared[(u, v)] += part;
                    self.squared[(v, u)] += part;
                }
            }
        }
    }

    fn combine(&mut self, thetas: &[Vec<f64>], scores: &[Vec<f64>], weights: &Mat<f64>) {
        let length = self.rows.len();
        let mut sources: Vec<&[f64]> = Vec::with_capacity(2 * thetas.len());
        for strip in self.strips() {
            sources.clear();
            sources.extend(scores.iter().chain(thetas).map(|vector| &vector[strip.clone()]));
            for v in 0..thetas.len() {
                let start = v * length + strip.start - self.rows.start;
                let target = &mut self.directions[start..start + strip.len()];
                combine(target, &sources, weights.col_as_slice(v));
            }
        }
    }
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
    use crate::surrogate::testing::stream;

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
                assert!((directions[(i, v)] - expected).abs() < 1e-12);
            }
        }
    }
}
