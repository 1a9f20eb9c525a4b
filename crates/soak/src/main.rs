//! The binary `baton-soak`: faults and bad input, on purpose, for as long as wanted.
//!
//! Every part takes a share of the time and a seed, and returns counts; nothing may fail. Exit codes:
//! 0 nothing failed; 1 something did.

mod crash;
mod damage;
mod disk;
mod evaluators;
mod fuzz;
mod hostile;
mod place;
mod protocol;
mod small;
mod tally;

use clap::{Parser, Subcommand};
use std::io::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};
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
    /// Everything, or some parts, for so many minutes together.
    Run {
        /// Minutes that the parts divide.
        #[arg(long, default_value_t = 30.0)]
        minutes: f64,
        /// What random choices depend on; by default another number every time.
        #[arg(long)]
        seed: Option<u64>,
        /// Points that a hostile history may have.
        #[arg(long, default_value_t = MOST_POINTS)]
        largest: usize,
        /// Only these parts: hostile, fuzz, damage, crash, disk, protocol, evaluators.
        #[arg(long)]
        only: Vec<String>,
        /// Not these parts.
        #[arg(long)]
        without: Vec<String>,
    },
    /// Hostile histories only, so many of them.
    Hostile {
        #[arg(long, default_value_t = 1)]
        seed: u64,
        #[arg(long, default_value_t = 0)]
        first: usize,
        #[arg(long, default_value_t = 100)]
        histories: usize,
        #[arg(long, default_value_t = MOST_POINTS)]
        largest: usize,
    },
    /// A process to be killed; started by the parts that kill.
    #[command(hide = true)]
    Victim {
        #[arg(long)]
        store: String,
        #[arg(long)]
        at: Option<usize>,
        #[arg(long, default_value_t = 0)]
        pause: u64,
    },
}

/// Points that a hostile history may have, unless less is wanted.
const MOST_POINTS: usize = 2_000;

/// A part: its name, its share of the time, what it does.
type Part = (&'static str, f64, fn(Share) -> Tally);

const PARTS: [Part; 7] = [
    ("hostile", 0.3, hostile::run),
    ("fuzz", 0.12, fuzz::run),
    ("damage", 0.05, damage::run),
    ("crash", 0.22, crash::run),
    ("disk", 0.05, disk::run),
    ("protocol", 0.16, protocol::run),
    ("evaluators", 0.1, evaluators::run),
];

/// Prints a line. A reader that went away is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn main() -> ExitCode {
    match Call::parse().what {
        What::Run { minutes, seed, largest, only, without } => {
            let chosen: Vec<&Part> = PARTS
                .iter()
                .filter(|(name, ..)| only.is_empty() || only.iter().any(|wanted| wanted == name))
                .filter(|(name, ..)| !without.iter().any(|unwanted| unwanted == name))
                .collect();
            run(minutes, (seed, largest), &chosen)
        }
        What::Hostile { seed, first, histories, largest } => {
            report(&[("hostile", hostile::some(seed, first, histories, largest))])
        }
        What::Victim { store, at, pause } => {
            match crash::victim(&store, at, Duration::from_millis(pause)) {
                Ok(()) => ExitCode::SUCCESS,
                Err(reason) => {
                    eprintln!("error: could not run the small campaign: {reason}");
                    ExitCode::from(1)
                }
            }
        }
    }
}

fn run(minutes: f64, (seed, largest): (Option<u64>, usize), chosen: &[&Part]) -> ExitCode {
    let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let seed = seed.unwrap_or_else(|| now().map_or(1, |time| time.as_secs()));
    let whole: f64 = chosen.iter().map(|(_, share, _)| share).sum();
    let mut tallies = Vec::new();
    for (name, share, part) in chosen {
        let time = Duration::from_secs_f64((60.0 * minutes * share / whole).max(0.0));
        let begun = Instant::now();
        let tally = part(Share::new(seed, largest, time));
        let (took, total, failed) = (begun.elapsed().as_secs(), tally.total(), tally.failures());
        eprintln!("{name}: {total} tried in {took} s, {failed} failed (seed {seed})");
        tallies.push((*name, tally));
    }
    report(&tallies)
}

/// One table of everything; then what failed.
fn report(tallies: &[(&str, Tally)]) -> ExitCode {
    say("| part | what | how often | failed |");
    say("|---|---|---|---|");
    let mut failed = 0;
    for (name, tally) in tallies {
        tally.lines(name).iter().for_each(|line| say(line));
        failed += tally.failures();
    }
    for (name, tally) in tallies {
        tally.shown_failures().iter().for_each(|failure| say(&format!("FAILED {name}: {failure}")));
    }
    say(&format!("\n{failed} failed"));
    ExitCode::from(u8::from(failed > 0))
}
