//! Uplink power control of two radio cells: the sum rate as a function of four settings.
//!
//! A point is (P0, alpha) of cell 0, then of cell 1, on the grid of 3GPP TS 38.331. User k sends
//! with `min(23, P0 + 10 log10 52 + alpha PL_k)` dBm, where `PL_k` is the path loss to its own base
//! station; all 20 users share the band, and the receivers combine 64 antennas for maximum ratio.
//! The value is the mean over channel samples of `sum_k min(5.5547, log2(1 + SINR_k))` in
//! bit/s/Hz. Fidelity is the number of samples, the first 10, 20, 50 or 100 of a bank frozen per
//! task, so that every level is a deterministic function. From task to task every user walks at
//! most 10 m and the channels are drawn anew.
//!
//! | module | what it knows |
//! |---|---|
//! | `layout` | where the users are and what is lost on the way |
//! | `channel` | the bank of channels and what arrives after combining |
//! | `exhaustive` | the best of all 912 x 912 settings |
//!
//! The value is defined between the grid points too, but only the grid is legal; the space snaps.

mod channel;
mod exhaustive;
mod layout;

use crate::{Benchmark, Description, Family, Optimum, Score, constant_space, levels};
use baton::Parameter;
use channel::Gains;
use layout::Layout;
use std::sync::OnceLock;

/// Users, the first half of them in cell 0.
const USERS: usize = 20;
/// Base stations.
const CELLS: usize = 2;
/// Levels, each with a number of channel samples.
pub(crate) const LEVELS: usize = 4;
const SAMPLES: [usize; LEVELS] = [10, 20, 50, MOST_SAMPLES];
const MOST_SAMPLES: usize = 100;
/// Rate of the best modulation and coding, in bit/s/Hz.
const LARGEST_RATE: f64 = 5.5547;
const LARGEST_POWER_DBM: f64 = 23.0;
const RESOURCE_BLOCKS: f64 = 52.0;
const BANDWIDTH_HERTZ: f64 = 9.36e6;
const NOISE_FIGURE_DB: f64 = 5.0;

const LOWEST_P0: f64 = -202.0;
const HIGHEST_P0: f64 = 24.0;
const STEP_P0: f64 = 2.0;
const ALPHAS: [f64; 8] = [0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The family.
pub(crate) struct Radio;

impl Family for Radio {
    fn name(&self) -> &'static str {
        "radio"
    }

    fn description(&self) -> Description {
        let p0 = |name| Parameter::stepped(name, LOWEST_P0, HIGHEST_P0, STEP_P0);
        let alpha = |name| Parameter::ordered(name, ALPHAS);
        let names = ["10 samples", "20 samples", "50 samples", "100 samples"];
        Description {
            space: constant_space(vec![p0("p0_0"), alpha("alpha_0"), p0("p0_1"), alpha("alpha_1")]),
            fidelities: levels(&names, &SAMPLES.map(|samples| samples as f64), 0.83),
            budget: 2000.0,
            initial: 10,
            tasks: 40,
            offset: 18.0,
            scale: 13.0,
            score: Score::Ratio,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        Box::new(Network::new(master, number))
    }
}

/// The users and channels of one task.
pub(crate) struct Network {
    layout: Layout,
    gains: Gains,
    optimum: OnceLock<Optimum>,
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
}

impl Benchmark for Network {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        let (Some(count), Ok(point)) = (SAMPLES.get(level), <&[f64; 4]>::try_from(point)) else {
            return f64::NAN;
        };
        self.rates(point, *count).sum::<f64>() / *count as f64
    }

    fn optimum(&self) -> Optimum {
        self.optimum.get_or_init(|| exhaustive::best(self)).clone()
    }
}

/// The cell that serves a user.
pub(crate) fn cell_of(user: usize) -> usize {
    user / (USERS / CELLS)
}

/// What a user sends, in mW.
fn sent(p0: f64, alpha: f64, path_loss: f64) -> f64 {
    let wanted = p0 + 10.0 * RESOURCE_BLOCKS.log10() + alpha * path_loss;
    // Not `min`, which would turn a missing setting into full power.
    milliwatts(if wanted > LARGEST_POWER_DBM { LARGEST_POWER_DBM } else { wanted })
}

fn milliwatts(dbm: f64) -> f64 {
    10_f64.powf(dbm / 10.0)
}

/// Thermal noise in the band, in mW.
fn noise() -> f64 {
    milliwatts(-174.0 + 10.0 * BANDWIDTH_HERTZ.log10() + NOISE_FIGURE_DB)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    #[test]
    fn silence_is_worth_nothing_and_full_power_half_of_the_optimum() {
        let task = Network::new(MASTER, 1);
        assert!(task.value(&[-202.0, 0.0, -202.0, 0.0], 3) < 1e-12);
        let loud = task.value(&[24.0, 1.0, 24.0, 1.0], 3);
        let share = loud / task.optimum().value;
        assert!(share > 0.5 && share < 0.7, "{share}");
    }

    #[test]
    fn a_missing_setting_gives_no_value() {
        let task = Network::new(MASTER, 2);
        assert!(task.value(&[f64::NAN, 0.4, -100.0, 0.4], 0).is_nan());
        assert!(task.value(&[-100.0, 0.4, -100.0], 0).is_nan());
        assert!(task.value(&[-100.0, 0.4, -100.0, 0.4], 4).is_nan());
    }

    #[test]
    fn task_0_is_task_1() {
        let point = [-98.0, 0.9, -108.0, 1.0];
        let value = |number| Network::new(MASTER, number).value(&point, 3);
        assert_eq!(value(0), value(1));
        assert_ne!(value(0), value(2));
    }
}
