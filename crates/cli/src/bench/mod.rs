//! `baton bench`: how long the hot paths take here, and what share of the machine that is.

mod ask;
mod operations;
mod peak;
mod quality;
mod states;
mod svgd;
mod sweep;

use crate::Outcome;
use crate::failure::Failure;
use clap::Subcommand;

/// What is timed.
#[derive(Subcommand)]
pub enum What {
    /// One SVGD step of the paper's model: evidence gradients of all particles and their interaction.
    Svgd(svgd::Call),
    /// Asks of a task that already has its observations, refits included.
    Ask(ask::Call),
    /// Either of them over points, particles, dimensions and fidelities, one at a time.
    Sweep(sweep::Call),
    /// The share of the best possible choice that the search of an ask finds, on stored states.
    Quality(quality::Call),
    /// States of tasks for `quality`, a line per task.
    States(states::Call),
}

/// Runs one benchmark.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    match what {
        What::Svgd(call) => svgd::run(call),
        What::Ask(call) => ask::run(call),
        What::Sweep(call) => sweep::run(call),
        What::Quality(call) => quality::run(call),
        What::States(call) => states::run(call),
    }
}

/// How long something took and how much it computed.
#[derive(Debug, Clone, Copy)]
struct Measured {
    seconds: f64,
    operations: f64,
}

impl Measured {
    /// The share of a peak, in operations per second, that was reached.
    fn share_of(&self, peak: f64) -> f64 {
        self.operations / self.seconds / peak
    }

    /// The same in words.
    fn rate(&self, what: &str, peak: f64) -> String {
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
fn peak_unless(left_out: bool, threads: usize) -> f64 {
    if left_out { f64::NAN } else { peak::measured(threads) }
}

/// The number of threads asked for; 0 stands for all.
fn threads(asked: usize) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if asked == 0 { all() } else { asked }
}
