//! The two cells: their users and samples, the grid of their settings, and what is sent and heard.

/// Users, the first half of them in cell 0.
pub(super) const USERS: usize = 20;
/// Base stations.
pub(super) const CELLS: usize = 2;
/// Levels, each with a number of channel samples.
pub(crate) const LEVELS: usize = 4;
pub(super) const SAMPLES: [usize; LEVELS] = [10, 20, 50, MOST_SAMPLES];
pub(super) const MOST_SAMPLES: usize = 100;
/// Rate of the best modulation and coding, in bit/s/Hz.
pub(super) const LARGEST_RATE: f64 = 5.5547;
const LARGEST_POWER_DBM: f64 = 23.0;
const RESOURCE_BLOCKS: f64 = 52.0;
const BANDWIDTH_HERTZ: f64 = 9.36e6;
const NOISE_FIGURE_DB: f64 = 5.0;

pub(super) const LOWEST_P0: f64 = -202.0;
pub(super) const HIGHEST_P0: f64 = 24.0;
pub(super) const STEP_P0: f64 = 2.0;
pub(super) const ALPHAS: [f64; 8] = [0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];

/// The cell that serves a user.
pub(crate) fn cell_of(user: usize) -> usize {
    user / (USERS / CELLS)
}

/// What a user sends, in mW.
pub(super) fn sent(p0: f64, alpha: f64, path_loss: f64) -> f64 {
    let wanted = p0 + 10.0 * RESOURCE_BLOCKS.log10() + alpha * path_loss;
    // Not `min`, which would turn a missing setting into full power.
    milliwatts(if wanted > LARGEST_POWER_DBM { LARGEST_POWER_DBM } else { wanted })
}

fn milliwatts(dbm: f64) -> f64 {
    10_f64.powf(dbm / 10.0)
}

/// Thermal noise in the band, in mW.
pub(super) fn noise() -> f64 {
    milliwatts(-174.0 + 10.0 * BANDWIDTH_HERTZ.log10() + NOISE_FIGURE_DB)
}
