//! `baton bench`: how long the hot paths take here, and what share of the machine that is.

mod ask;
mod peak;
mod svgd;

use crate::Outcome;
use crate::failure::Failure;
use clap::Subcommand;

/// What is timed.
#[derive(Subcommand)]
pub enum What {
    /// One SVGD step of the paper's model: evidence gradients of all particles and their interaction.
    Svgd(svgd::Size),
    /// Asks of a task that already has its observations, refits included.
    Ask(ask::Size),
}

/// Runs one benchmark.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    match what {
        What::Svgd(size) => svgd::run(size),
        What::Ask(size) => ask::run(size),
    }
}

fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
