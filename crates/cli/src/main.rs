//! The binary `baton`: what the user typed, and which part of the project answers it.
//!
//! Exit codes: 0 done; 1 the work ran and something failed; 2 the call or a file is wrong.

mod failure;
mod verify;

use clap::{Parser, Subcommand};
use failure::Failure;
use std::process::ExitCode;

/// Bayesian optimisation of sequences of related, expensive tasks at several fidelities.
#[derive(Parser)]
#[command(name = "baton", version, about)]
struct Call {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compare this program with reference values.
    Verify {
        #[command(subcommand)]
        what: verify::What,
    },
}

/// How a command that ran to its end ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// all is well
    Done,
    /// a check or an evaluation failed
    Failed,
}

fn main() -> ExitCode {
    let call = Call::parse();
    match run(call.command) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::from(1),
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command) -> Result<Outcome, Failure> {
    match command {
        Command::Verify { what } => verify::run(&what),
    }
}
