//! `baton report`: one HTML page with the answer in words and the campaign's pictures, readable
//! without network.
//!
//! The page carries its data, style and script. Everything shown is computed here; the script draws,
//! with the dashboard's figures (`dashboard/src/report.ts`).

mod opening;
mod slices;

use super::look::told_apart;
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use crate::written::write_whole;
use baton::Description;
use baton_runner::desk::Expected;
use baton_runner::insight::insight;
use baton_runner::look::recommendation;
use baton_runner::replay::Replay;
use baton_runner::{Records, RunnerError};
use baton_service::{Campaign, Prediction, Trial, point};
use baton_store::{TaskRecord, TrialRecord};
use clap::Args;
use opening::escape;
use serde_json::{Value as Json, json};
use std::path::PathBuf;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("../../../assets/report.css");
const SCRIPT: &str = include_str!("../../../assets/report.js");

/// Curves over so many descriptors; the others matter less.
const MOST_CURVES: usize = 6;
/// Values along such a curve.
const VALUES: u32 = 21;

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
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{style}", STYLE)
        .replace("{script}", SCRIPT)
        .replacen("{data}", &data, 1);
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
    let (predictions, _) = told_apart(predictions(records).map(Some))?;
    let (insight, no_insight) = told_apart(insight(records, None).map(Some))?;
    let mut insight = json!(insight);
    // Single observations are not drawn.
    for task in insight.pointer_mut("/trust").and_then(Json::as_array_mut).into_iter().flatten() {
        task["trust"].as_object_mut().and_then(|trust| trust.remove("seen"));
    }
    let data = json!({
        "campaign": Campaign::new(records),
        "tasks": tasks,
        "predictions": predictions.unwrap_or_default(),
        "insight": insight,
        "no_insight": no_insight,
    });
    Ok((opening, data))
}

/// What is expected over each of the descriptors that matter most.
fn predictions(records: &Records) -> Result<Vec<Prediction>, RunnerError> {
    if records.spec.descriptors.is_empty() {
        return Ok(Vec::new());
    }
    let mut weights = records.present_campaign()?.descriptor_weights()?;
    weights.sort_by(|a, b| b.share.total_cmp(&a.share));
    let over = |name: &str| Prediction::new(records, &Description::new(), Some((name, VALUES)));
    weights.iter().take(MOST_CURVES).map(|weight| over(&weight.name)).collect()
}

fn of_task(task: &TaskRecord, records: &Records) -> Result<(String, Json), RunnerError> {
    let slices = |expected: &Expected| -> Result<Vec<Json>, RunnerError> {
        let mut replay = Replay::of(records, task.number)?;
        Ok(slices::through(&mut replay.task, &records.problem_of(task.number), &expected.point)?)
    };
    let (recommended, trouble) = told_apart(recommendation(task, records))?;
    let (slices, no_slices) = told_apart(recommended.as_ref().map(slices).transpose())?;
    let opening = opening::of_task(task, records, recommended.as_ref(), trouble.as_deref());
    let trials = records.trials_of(task.number).iter();
    let data = json!({
        "trials": trials.map(|record| of_trial(record, records)).collect::<Vec<Json>>(),
        "through": recommended.map(|expected| point(records.space_of(task.number), &expected.point)),
        "slices": slices.unwrap_or_default(),
        "trouble": trouble.or(no_slices),
    });
    Ok((opening, data))
}

/// A trial as the dashboard sees it, and why it was chosen.
fn of_trial(record: &TrialRecord, records: &Records) -> Json {
    let mut trial = json!(Trial::new(record, records));
    trial["why"] = json!(record.trial.why());
    trial
}
