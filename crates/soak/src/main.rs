//! The binary `baton-soak`: faults and bad input, on purpose, for as long as wanted.
//!
//! Every part takes a share of the time and a seed, and returns counts; nothing may fail.

mod hostile;
mod tally;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use std::time::Duration;
use tally::{Share, Tally};

/// Faults and bad input for Baton.
#[derive(Parser)]
#[command(name = "baton-soak", about)]
struct Call {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Hostile histories only, so many of them.
    Hostile {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 0)]
        first: usize,
        #[arg(long, default_value_t = 100)]
        histories: usize,
    },
}

fn main() -> ExitCode {
    let call = Call::parse();
    let What::Hostile { seed, first, histories } = call.what;
    let tally = hostile::some(seed, first, histories);
    for line in tally.lines("hostile") {
        println!("{line}");
    }
    for f in tally.shown_failures() {
        println!("{f}");
    }
    let _ = (Share::new(1, Duration::ZERO).part(0.1), hostile::run as fn(Share) -> Tally);
    ExitCode::from(u8::from(tally.failures() > 0))
}
