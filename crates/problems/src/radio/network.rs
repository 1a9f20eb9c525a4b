//! The network of one task: what its users send, and the rates that they reach.

use super::cells::{CELLS, LARGEST_RATE, SAMPLES, USERS, cell_of, noise, sent};
use super::channel::Gains;
use super::layout::Layout;
use crate::Optimum;
use std::sync::OnceLock;

/// The users and channels of one task.
pub(crate) struct Network {
    pub(super) layout: Layout,
    pub(super) gains: Gains,
    /// found when it is asked for
    pub(super) optimum: OnceLock<Optimum>,
}

impl Network {
    /// Task `number`. There is no original to start from: task 0 is task 1.
    pub fn new(master: u64, number: u64) -> Self {
        let number = number.max(1);
        let layout = Layout::of_task(master, number);
        let gains = Gains::draw(master, number, &layout);
        Self { layout, gains, optimum: OnceLock::new() }
    }

    /// Positions of the users in m.
    pub fn users(&self) -> &[[f64; 2]; USERS] {
        &self.layout.users
    }

    /// Path loss in dB, from every user to both base stations.
    pub fn path_loss(&self) -> &[[f64; CELLS]; USERS] {
        &self.layout.path_loss
    }

    /// What reaches the receiver of user 0 from every user in the first sample, per unit of power.
    pub fn first_gains(&self) -> &[f64; USERS] {
        &self.gains.samples[0][0]
    }

    /// What every user sends, in mW.
    pub fn powers(&self, point: &[f64; 4]) -> [f64; USERS] {
        std::array::from_fn(|k| {
            let cell = cell_of(k);
            sent(point[2 * cell], point[2 * cell + 1], self.layout.path_loss[k][cell])
        })
    }

    /// The sum rate in each of the first `count` samples.
    pub fn rates(&self, point: &[f64; 4], count: usize) -> impl Iterator<Item = f64> {
        let powers = self.powers(point);
        let noise = noise();
        self.gains.samples.iter().take(count).map(move |rows| {
            let rate = |k| rate(k, &rows[k], &powers, noise);
            (0..USERS).map(rate).sum()
        })
    }

    /// The mean sum rate over the samples of a level; not a number where there is none.
    pub fn mean_rate(&self, point: &[f64], level: usize) -> f64 {
        let (Some(count), Ok(point)) = (SAMPLES.get(level), <&[f64; 4]>::try_from(point)) else {
            return f64::NAN;
        };
        self.rates(point, *count).sum::<f64>() / *count as f64
    }
}

/// The rate of user `k` in one sample, given what arrives per unit of power.
fn rate(k: usize, gains: &[f64; USERS], powers: &[f64; USERS], noise: f64) -> f64 {
    let mut disturbance = noise;
    for j in (0..USERS).filter(|j| *j != k) {
        disturbance += powers[j] * gains[j];
    }
    let rate = (1.0 + powers[k] * gains[k] / disturbance).log2();
    if rate > LARGEST_RATE { LARGEST_RATE } else { rate }
}
