//! The binary `baton`: what the user typed, and which part of the project answers it.
//!
//! Exit codes: 0 done; 1 the work ran and something failed; 2 the call or a file is wrong.

mod bench;
mod demo;
mod experiment;
mod failure;
mod problem;
mod progress;
mod reproduce;
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
    /// Time the hot paths on this machine.
    Bench {
        #[command(subcommand)]
        what: bench::What,
    },
    /// A small campaign on a built-in problem, from nothing to a result.
    Demo(demo::Call),
    /// Run experiments on a built-in problem and print a row per task.
    Experiment(experiment::Call),
    /// A built-in problem as an evaluator: one JSON line in, one out.
    Problem(problem::Call),
    /// The paper's figures, with the data they were drawn from.
    Reproduce(reproduce::Call),
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
        Command::Bench { what } => bench::run(&what),
        Command::Demo(call) => demo::run(&call),
        Command::Experiment(call) => experiment::run(&call),
        Command::Problem(call) => problem::run(&call),
        Command::Reproduce(call) => reproduce::run(&call),
        Command::Verify { what } => verify::run(&what),
    }
}
