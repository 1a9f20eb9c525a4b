//! Insight: what a campaign taught. It takes seconds, so it is computed apart from what asks wait for, one at a
//! time, and kept until something changes.

use super::model::MOST_OBSERVATIONS;
use super::{Path, Query, Shared, begun, enter};
use crate::office::{Office, Room, blocking};
use crate::problem::{Problem, Problems};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use baton_runner::{Records, insight::insight as taught};
use baton_store::TaskRecord;
use serde::Deserialize;
use std::sync::Arc;
use utoipa::IntoParams;

const ATTEMPTED: &str = "compute the insight";

/// Which task is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct InsightQuery {
    /// importance and fidelities are of this task, and so is trust; by default of the last in which anything
    /// was told, and trust of all
    task: Option<String>,
}

/// What the campaign taught so far: which parameters matter, how far intervals are to be trusted, what each
/// fidelity tells of the highest. The document of `baton insight --json`.
#[utoipa::path(get, operation_id = "insight", path = "/api/campaigns/{campaign}/insight", tag = "model",
    params(("campaign" = String, Path, description = "its name"), InsightQuery),
    responses((status = 200, content_type = "application/json", body = Object, description = "as asked for"), Problems))]
pub async fn insight(
    office: Shared,
    Path(campaign): Path<String>,
    Query(InsightQuery { task }): Query<InsightQuery>,
) -> Result<Response, Problem> {
    let room = enter(&office, campaign, ATTEMPTED).await?;
    let (office, read) = (office.0, Arc::clone(&room));
    let study = Arc::clone(&office.study);
    let records = blocking(move || relevant(&office, &read, task.as_deref()).map(|r| (r, task)));
    let (records, task) = records.await?;
    let known = room.insights().of(&records, task.as_deref());
    let text = if let Some(known) = known {
        known
    } else {
        let seat = study.lock_owned().await;
        blocking(move || {
            let _seat = seat;
            computed(&room, &records, task.as_deref())
        })
        .await?
    };
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// The records as they are now, if the task has begun and what is asked for does not take too long.
fn relevant(office: &Office, room: &Room, task: Option<&str>) -> Result<Records, Problem> {
    let records = room.records(office, ATTEMPTED)?;
    let tasks: Vec<&TaskRecord> = match task {
        Some(name) => vec![begun(&records, name, ATTEMPTED)?],
        None => records.tasks.iter().collect(),
    };
    for task in tasks {
        let trials = records.trials_of(task.number).iter();
        let told = trials.filter(|record| record.trial.value().is_some()).count();
        if told > MOST_OBSERVATIONS {
            let reason = format!(
                "the task {:?} has {told} values, and the model of more than {MOST_OBSERVATIONS} takes \
                 too long",
                task.name
            );
            return Err(Problem::conflict(ATTEMPTED, reason)
                .hint("`baton insight` computes it, however long it takes"));
        }
    }
    Ok(records.clone())
}

/// Computes it, unless somebody else did so in the meantime.
fn computed(room: &Room, records: &Records, task: Option<&str>) -> Result<String, Problem> {
    if let Some(known) = room.insights().of(records, task) {
        return Ok(known);
    }
    let found = taught(records, task).map_err(|error| Problem::of(ATTEMPTED, &error))?;
    let text = serde_json::to_string(&found);
    let text = text.map_err(|error| Problem::internal(ATTEMPTED, error))?;
    room.insights().keep(records, task, text.clone());
    Ok(text)
}
