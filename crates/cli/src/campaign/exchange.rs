//! `baton export`: all results of a campaign, as CSV or JSON.

use super::ledger::{trials_csv, trials_json};
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use crate::written::write_whole;
use clap::Args;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

/// What is exported, and where to.
#[derive(Args)]
pub struct Call {
    #[command(flatten)]
    target: Target,
    /// Export JSON instead of CSV: the problem and settings too.
    #[arg(long)]
    json: bool,
    /// Write here instead of to standard output.
    #[arg(long, short)]
    out: Option<PathBuf>,
}

/// Exports the campaign.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let desk = call.target.find()?.existing()?;
    let records = desk.records();
    let text = if call.json {
        let trials: Vec<Json> =
            records.tasks.iter().flat_map(|task| trials_json(task, records)).collect();
        let tasks = records.tasks.iter().map(
            |task| json!({ "task": task.name, "state": task.state.name(), "budget": task.budget }),
        );
        let document = json!({
            "campaign": records.campaign.name,
            "spec": records.spec,
            "tasks": tasks.collect::<Vec<Json>>(),
            "trials": trials,
        });
        format!("{document}\n")
    } else {
        trials_csv(&records.tasks, records)
    };
    write_out(call.out.as_ref(), &text)
}

/// To a file, or to standard output.
pub fn write_out(path: Option<&PathBuf>, text: &str) -> Result<Outcome, Failure> {
    if let Some(path) = path {
        write_whole(path, text).map_err(|error| Failure::on_file("write", path, error))?;
        err!("{} written", path.display());
    } else {
        out!("{}", text.trim_end());
    }
    Ok(Outcome::Done)
}
