//! `baton report`: one HTML page with the answer in words and the campaign's pictures, readable
//! without network.
//!
//! The page carries its data, style and script. Everything shown is computed here; the script draws.

mod opening;
mod slices;

use super::look::told_apart;
use super::show::nats_per_cost;
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use crate::written::write_whole;
use baton::Outcome;
use baton_runner::desk::Expected;
use baton_runner::look::recommendation;
use baton_runner::replay::Replay;
use baton_runner::{Records, RunnerError};
use baton_store::{TaskRecord, TrialRecord};
use clap::Args;
use opening::escape;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    include_str!("tools.js"),
    include_str!("pictures.js"),
    include_str!("parallel.js"),
    include_str!("ledger.js"),
    include_str!("page.js")
);

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
    let (opening, data) = told(desk.records())
        .map_err(|error| Failure::on_campaign("compute the report", &error).during_work())?;
    // "</script>" inside a text of the data would end the script.
    let data = data.to_string().replace("</", "<\\/");
    let title = escape(&desk.records().campaign.name);
    let page = PAGE
        .replace("{title}", &title)
        .replace("{opening}", &opening)
        .replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replace("{data}", &data);
    write_whole(&call.page, &page)
        .map_err(|error| Failure::on_file("write the report", &call.page, error))?;
    out!("{} written; open it in a browser", call.page.display());
    Ok(Ended::Done)
}

/// What the page opens with, and the data that it draws.
fn told(records: &Records) -> Result<(String, Json), RunnerError> {
    let (mut opening, mut tasks) = (String::new(), Vec::new());
    for task in &records.tasks {
        let (words, data) = of_task(task, records)?;
        opening.push_str(&words);
        tasks.push(data);
    }
    if opening.is_empty() {
        opening.push_str("<p>No task has begun.</p>\n");
    }
    let to_come = records.spec.tasks.iter();
    let to_come = to_come.filter(|plan| !records.tasks.iter().any(|task| task.name == plan.name));
    let data = json!({
        "campaign": records.campaign.name,
        "goal": records.spec.goal,
        "method": records.spec.setting("method"),
        "seed": records.spec.setting("seed"),
        "parameters": records.spec.space.parameters(),
        "fidelities": records.spec.fidelities,
        "tasks": tasks,
        "to_come": to_come.map(|plan| &plan.name).collect::<Vec<_>>(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    Ok((opening, data))
}

fn of_task(task: &TaskRecord, records: &Records) -> Result<(String, Json), RunnerError> {
    let slices = |expected: &Expected| -> Result<Vec<Json>, RunnerError> {
        let mut replay = Replay::of(records, task.number)?;
        Ok(slices::through(&mut replay.task, &records.spec.space, &expected.point)?)
    };
    let (recommended, trouble) = told_apart(recommendation(task, records))?;
    let (slices, no_slices) = told_apart(recommended.as_ref().map(slices).transpose())?;
    let opening = opening::of_task(task, records, recommended.as_ref(), trouble.as_deref());
    let trials: Vec<Json> = records.trials_of(task.number).iter().map(of_trial).collect();
    let data = json!({
        "name": task.name,
        "state": task.state.name(),
        "trouble": trouble.or(no_slices),
        "budget": task.budget,
        "spent": records.spent(task.number),
        "recommended": recommended,
        "slices": slices.unwrap_or_default(),
        "trials": trials,
    });
    Ok((opening, data))
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
