//! `baton bench`: how long the hot paths take here, and what share of the machine that is.

mod ask;
mod measured;
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
