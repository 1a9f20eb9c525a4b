//! `baton report`: one HTML page with the campaign's pictures, readable without network.
//!
//! The page carries its data, style and script. Everything shown is computed here; the script draws.

mod slices;

use super::look::told_apart;
use super::show::nats_per_cost;
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use crate::written::write_whole;
use baton::campaign::Outcome;
use baton_runner::desk::Expected;
use baton_runner::look::recommendation;
use baton_runner::replay::Replay;
use baton_runner::{Records, RunnerError};
use baton_store::{TaskRecord, TrialRecord};
use clap::Args;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// What is drawn, and where to.
#[derive(Args)]
pub struct Call {
    /// The page to write.
    #[arg(default_value = "report.html")]
    page: PathBuf,
    #[command(flatten)]
    target: Target,
}

/// Writes the page.
pub fn run(call: &Call) -> Result<Ended, Failure> {
    let swapped = call.page.extension().is_some_and(|extension| extension == "toml");
    if swapped {
        let reason = "that is a campaign file, not a page to write";
        return Err(Failure::on_file("write the report", &call.page, reason)
            .hint("baton report PAGE.html CAMPAIGN"));
    }
    let desk = call.target.find()?.existing()?;
    let data = data(desk.records())
        .map_err(|error| Failure::on_campaign("compute the report", &error).during_work())?;
    // "</script>" inside a text of the data would end the script.
    let data = data.to_string().replace("</", "<\\/");
    let title = escape(&desk.records().campaign.name);
    let page = PAGE
        .replace("{title}", &title)
        .replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replace("{data}", &data);
    write_whole(&call.page, &page)
        .map_err(|error| Failure::on_file("write the report", &call.page, error))?;
    out!("{} written; open it in a browser", call.page.display());
    Ok(Ended::Done)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn data(records: &Records) -> Result<Json, RunnerError> {
    let tasks: Vec<Json> =
        records.tasks.iter().map(|task| of_task(task, records)).collect::<Result<_, _>>()?;
    let to_come = records.spec.tasks.iter();
    let to_come = to_come.filter(|plan| !records.tasks.iter().any(|task| task.name == plan.name));
    Ok(json!({
        "campaign": records.campaign.name,
        "goal": records.spec.goal,
        "method": records.spec.setting("method"),
        "seed": records.spec.setting("seed"),
        "parameters": records.spec.space.parameters(),
        "fidelities": records.spec.fidelities,
        "tasks": tasks,
        "to_come": to_come.map(|plan| &plan.name).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

fn of_task(task: &TaskRecord, records: &Records) -> Result<Json, RunnerError> {
    let slices = |expected: &Expected| -> Result<Vec<Json>, RunnerError> {
        let mut replay = Replay::of(records, task.number)?;
        Ok(slices::through(&mut replay.task, &records.spec.space, &expected.point)?)
    };
    let (recommended, trouble) = told_apart(recommendation(task, records))?;
    let (slices, no_slices) = told_apart(recommended.as_ref().map(slices).transpose())?;
    let trials: Vec<Json> = records.trials_of(task.number).iter().map(of_trial).collect();
    Ok(json!({
        "name": task.name,
        "state": task.state.name(),
        "reason": task.reason.as_ref().or(trouble.as_ref()).or(no_slices.as_ref()),
        "budget": task.budget,
        "spent": records.spent(task.number),
        "recommended": recommended,
        "slices": slices.unwrap_or_default(),
        "trials": trials,
    }))
}

fn of_trial(record: &TrialRecord) -> Json {
    let trial = &record.trial;
    let failed = match &trial.outcome {
        Outcome::Failed { reason } => Some(reason),
        _ => None,
    };
    json!({
        "id": trial.id,
        "point": trial.point,
        "level": trial.level,
        "cost": trial.charge(),
        "value": trial.value(),
        "failed": failed,
        "aim": trial.aim,
        "nats_optimum": trial.nats.map(|nats| nats.optimum),
        "nats_transfer": trial.nats.map(|nats| nats.transfer),
        "nats_per_cost": nats_per_cost(trial),
        "why": trial.why(),
        "by": record.holder,
    })
}
