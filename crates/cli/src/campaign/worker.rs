//! `baton worker`: takes trials from a shared store and evaluates them; any number, on any machine.
//!
//! What is executed comes from the command line or from a file on this machine, never from the store.

use super::live::Shown;
use super::run::{in_use, work};
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use crate::file::objective::{LEASE_SECONDS, Objective, parse_duration};
use baton_runner::process;
use clap::Args;
use std::path::Path;
use std::time::Duration;

/// For which campaign, under which name, with which command.
#[derive(Args)]
pub struct Call {
    /// Address of the store.
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The campaign's name, or its file.
    #[arg(long)]
    campaign: Option<String>,
    /// Name of this worker. A worker started again under its name gets back the trial it had; by
    /// default every start has a name of its own.
    #[arg(long)]
    name: Option<String>,
    /// Evaluations at a time.
    #[arg(long)]
    workers: Option<usize>,
    /// How long one evaluation may take, such as 10m.
    #[arg(long, value_parser = duration)]
    timeout: Option<Duration>,
    /// How often an evaluation that broke is tried again.
    #[arg(long)]
    retries: Option<u32>,
    /// Without a sign of life for so long, its trial is given to another, such as 60s.
    #[arg(long, value_parser = duration)]
    lease: Option<Duration>,
    /// Evaluate trials that somebody asked for and did not answer, too; not those of live workers.
    #[arg(long)]
    take_over: bool,
    #[command(flatten)]
    shown: Shown,
    /// The program that evaluates a trial, with its arguments; by default the file's.
    #[arg(last = true)]
    command: Vec<String>,
}

fn duration(text: &str) -> Result<Duration, String> {
    let seconds = parse_duration(text).filter(|seconds| (0.001..1e9).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "a duration is 30s, 10m or 2h".to_owned())
}

/// Works until the campaign is done.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let target = Target { campaign: call.campaign.clone(), store: call.store.clone() };
    let found = target.find()?;
    let objective = objective(call, found.file.as_ref().map(|file| &file.objective));
    let folder = match &found.file {
        Some(file) if call.command.is_empty() => file.folder(),
        _ => Path::new("."),
    };
    let evaluator = objective.evaluator(folder).map_err(|failure| {
        failure.hint("give it as `baton worker … -- COMMAND ARGUMENTS`, or a file with a command")
    })?;
    let own = || process::name("worker");
    let options = objective.options(call.name.clone().unwrap_or_else(own), call.take_over);
    work(in_use(found.desk()?)?, evaluator.as_ref(), &options, call.shown)
}

/// The file's objective with what the command line says instead.
fn objective(call: &Call, of_file: Option<&Objective>) -> Objective {
    let mut objective = of_file.cloned().unwrap_or_default();
    if !call.command.is_empty() {
        objective.command = Some(call.command.clone());
    }
    objective.workers = call.workers.unwrap_or(1).max(1);
    objective.timeout = call.timeout.or(objective.timeout);
    objective.retries = call.retries.unwrap_or(objective.retries);
    let given = call.lease.map(|lease| lease.as_secs_f64());
    let of_file = of_file.map(|objective| objective.lease_seconds);
    objective.lease_seconds = given.or(of_file).unwrap_or(LEASE_SECONDS);
    objective
}
