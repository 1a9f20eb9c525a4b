//! The command line of Baton: what the user typed, and which part of the project answers it. The
//! binary `baton` and the Python package's command `baton` are both this library.
//!
//! Exit codes: 0 done; 1 the work ran and something failed; 2 the call or a file is wrong.
//!
//! Without the feature `full` there are only `demo` and `verify`: enough to see what Baton does, in a
//! third of the time to compile.

#![cfg_attr(not(feature = "full"), allow(dead_code, unused_macros))]

/// Prints a line. A reader that went away, as `head` does, is no reason to fail.
macro_rules! out {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($part)*);
    }};
}

/// The same for what is not the result.
macro_rules! err {
    ($($part:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($part)*);
    }};
}

#[cfg(feature = "full")]
mod bench;
#[cfg(feature = "full")]
mod campaign;
#[cfg(feature = "full")]
mod commands;
mod demo;
#[cfg(all(test, feature = "full"))]
mod documents;
#[cfg(feature = "full")]
mod experiment;
mod failure;
#[cfg(feature = "full")]
mod file;
#[cfg(feature = "full")]
mod problem;
#[cfg(feature = "full")]
mod progress;
#[cfg(feature = "full")]
mod reproduce;
#[cfg(feature = "full")]
mod serve;
#[cfg(feature = "full")]
mod token;
mod verify;
#[cfg(feature = "full")]
mod written;

use clap::{Parser, Subcommand};
use failure::Failure;
pub(crate) use failure::Outcome;
use std::ffi::OsString;

const START: &str = "Start with `baton demo`, which shows what it does, or `baton init`, which writes a \
                     campaign that runs as it is.";

/// Bayesian optimisation of sequences of related, expensive tasks at several fidelities.
#[derive(Parser)]
#[command(name = "baton", version, after_help = START)]
struct Call {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// A small campaign on a built-in problem, from nothing to a result.
    Demo(demo::Call),
    #[cfg(feature = "full")]
    #[command(flatten)]
    Full(commands::Command),
    /// Compare this program with reference values.
    Verify {
        #[command(subcommand)]
        what: verify::What,
    },
}

/// Does what the arguments say, the first of which is the program's name, and returns the exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let call = match Call::try_parse_from(arguments) {
        Ok(call) => call,
        Err(refused) => {
            let _ = refused.print();
            return u8::try_from(refused.exit_code()).unwrap_or(2);
        }
    };
    match answer(call.command) {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::Failed) => 1,
        Err(failure) => {
            err!("{failure}");
            failure.exit_code()
        }
    }
}

fn answer(command: Command) -> Result<Outcome, Failure> {
    match command {
        Command::Demo(call) => demo::run(&call),
        #[cfg(feature = "full")]
        Command::Full(command) => commands::run(command),
        Command::Verify { what } => verify::run(&what),
    }
}
