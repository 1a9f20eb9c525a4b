//! What a benchmark measured, and with how many threads and against which peak.

use super::peak;

/// How long something took and how much it computed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    pub seconds: f64,
    pub operations: f64,
}

impl Measured {
    /// The share of a peak, in operations per second, that was reached.
    pub fn share_of(&self, peak: f64) -> f64 {
        self.operations / self.seconds / peak
    }

    /// The same in words.
    pub fn rate(&self, what: &str, peak: f64) -> String {
        if peak.is_nan() {
            return format!("{:.1} MFLOP per {what}", self.operations / 1e6);
        }
        format!(
            "{:.1} MFLOP per {what} at {:.1} GFLOP/s: {:.0} % of the measured peak of {:.1} GFLOP/s",
            self.operations / 1e6,
            self.operations / self.seconds / 1e9,
            100.0 * self.share_of(peak),
            peak / 1e9
        )
    }
}

/// The measured peak; not a number where it is left out.
pub(super) fn peak_unless(left_out: bool, threads: usize) -> f64 {
    if left_out { f64::NAN } else { peak::measured(threads) }
}

/// The number of threads asked for; 0 stands for all.
pub(super) fn threads(asked: usize) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if asked == 0 { all() } else { asked }
}
