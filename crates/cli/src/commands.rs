//! The commands of a full build, and which part of the project answers each: all but `demo` and
//! `verify`, which a build without campaigns, service and figures has too.

use crate::campaign::{
    answer, backup, care, exchange, import, init, insight, knowledge, ledger, look, predict,
    report, run, why, worker,
};
use crate::failure::Failure;
use crate::{Outcome, bench, experiment, problem, reproduce, serve, token};
use clap::Subcommand;

/// What the user wants.
#[derive(Subcommand)]
pub enum Command {
    /// Time the hot paths on this machine.
    Bench {
        #[command(subcommand)]
        what: bench::What,
    },
    /// Ask for a trial, to be evaluated by whoever asks.
    Ask(answer::AskCall),
    /// The points to use: recommended and best seen, per task.
    Best(look::BestCall),
    /// Campaigns of a store: list, rename, archive, delete.
    Campaign {
        #[command(subcommand)]
        what: care::What,
    },
    /// Run experiments on a built-in problem and print a row per task.
    Experiment(experiment::Call),
    /// Write all results as CSV or JSON.
    Export(exchange::Call),
    /// Report that a trial could not be evaluated.
    Fail(answer::FailCall),
    /// End the task under way and hand on what it taught.
    Finish(answer::FinishCall),
    /// Take in earlier results from a CSV file.
    Import(import::Call),
    /// Write a campaign file that runs as it is, and simulators to start from.
    Init(init::Call),
    /// Which parameters matter, how far intervals are to be trusted, what fidelities tell.
    Insight(look::Call),
    /// What is handed from task to task, as a file.
    Knowledge {
        #[command(subcommand)]
        what: knowledge::What,
    },
    /// What each trial cost and was expected to buy.
    Ledger(look::Call),
    /// Note something about a task or a trial.
    Note(care::NoteCall),
    /// The point to use for a task that has had no trial, from its description.
    Predict(predict::Call),
    /// A built-in problem as an evaluator: one JSON line in, one out.
    Problem(problem::Call),
    /// Write one HTML page with the campaign's pictures.
    Report(report::Call),
    /// The paper's figures, with the data they were drawn from.
    Reproduce(reproduce::Call),
    /// Run the campaign of a file to its end; started again, it goes on where it stopped.
    Run(run::Call),
    /// Campaigns of a store over HTTP, and a dashboard to watch them.
    Serve(serve::Call),
    /// How far each task is.
    Status(look::Call),
    /// A whole store to a file, and back into one of either kind.
    Store {
        #[command(subcommand)]
        what: backup::What,
    },
    /// Report the value of a trial.
    Tell(answer::TellCall),
    /// Who may use a service: make tokens, list them, take them back.
    Token {
        #[command(subcommand)]
        what: token::What,
    },
    /// All trials as a table or CSV.
    Trials(ledger::TrialsCall),
    /// Why a trial was chosen, or each of them.
    Why(why::Call),
    /// Take trials from a shared store and evaluate them.
    Worker(worker::Call),
}

/// Does what was asked for.
pub fn run(command: Command) -> Result<Outcome, Failure> {
    match command {
        Command::Bench { what } => bench::run(&what),
        Command::Ask(call) => answer::ask(&call),
        Command::Best(call) => look::best(&call),
        Command::Campaign { what } => care::run(&what),
        Command::Experiment(call) => experiment::run(&call),
        Command::Export(call) => exchange::run(&call),
        Command::Fail(call) => answer::fail(&call),
        Command::Finish(call) => answer::finish(&call),
        Command::Import(call) => import::run(&call),
        Command::Init(call) => init::run(&call),
        Command::Insight(call) => insight::run(&call),
        Command::Knowledge { what } => knowledge::run(&what),
        Command::Ledger(call) => ledger::ledger(&call),
        Command::Note(call) => care::note(&call),
        Command::Predict(call) => predict::run(&call),
        Command::Problem(call) => problem::run(&call),
        Command::Report(call) => report::run(&call),
        Command::Reproduce(call) => reproduce::run(&call),
        Command::Run(call) => run::run(&call),
        Command::Serve(call) => serve::run(&call),
        Command::Status(call) => look::status(&call),
        Command::Store { what } => backup::run(&what),
        Command::Tell(call) => answer::tell(&call),
        Command::Token { what } => token::run(&what),
        Command::Trials(call) => ledger::trials(&call),
        Command::Why(call) => why::run(&call),
        Command::Worker(call) => worker::run(&call),
    }
}
