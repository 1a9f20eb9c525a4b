//! Campaigns as a whole, what people note, what workers give back: rename, archive, delete, annotate,
//! release.

use super::campaigns::{Campaign, check_worker};
use super::{Answer, Json, Path, Shared, begun};
use crate::access::Visitor;
use crate::guard::refused;
use crate::office::{Office, blocking};
use crate::problem::{Problem, Problems};
use crate::tokens::Scope;
use crate::wanted::check_name;
use axum::Extension;
use axum::http::StatusCode;
use baton_runner::Desk;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;
use utoipa::ToSchema;

/// A campaign's name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Rename {
    /// the new one
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
}

/// Gives a campaign another name.
#[utoipa::path(post, operation_id = "rename_campaign", path = "/api/campaigns/{campaign}/rename", tag = "campaigns",
    params(("campaign" = String, Path, description = "its name")),
    request_body = Rename,
    responses((status = 200, description = "as asked for", body = Campaign), Problems))]
pub async fn rename(
    office: Shared,
    Extension(visitor): Extension<Visitor>,
    Path(campaign): Path<String>,
    Json(Rename { name }): Json<Rename>,
) -> Answer<Campaign> {
    const ATTEMPTED: &str = "rename the campaign";
    let both = office.access.allows(&visitor, Scope::Manage, Some(&name));
    both.map_err(|refusal| refused(refusal, ATTEMPTED, true))?;
    blocking(move || {
        check_name("campaign", &name)?;
        let renamed = office.noticed(office.writer.rename(&campaign, &name));
        renamed.map_err(|error| Problem::of_store(ATTEMPTED, &error))?;
        office.leave(&campaign);
        let room = office.room(&name, ATTEMPTED)?;
        let records = room.records(&office, ATTEMPTED)?;
        Ok(Json(Campaign::new(&records)))
    })
    .await
}

/// Whether a campaign is put aside.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Archive {
    /// false takes it up again
    pub archived: bool,
}

/// Puts a campaign aside, or takes it up again. Lists leave out those that are archived.
#[utoipa::path(put, operation_id = "archive_campaign", path = "/api/campaigns/{campaign}/archived", tag = "campaigns",
    params(("campaign" = String, Path, description = "its name")),
    request_body = Archive,
    responses((status = 200, description = "as asked for", body = Campaign), Problems))]
pub async fn archive(
    office: Shared,
    Path(campaign): Path<String>,
    Json(Archive { archived }): Json<Archive>,
) -> Answer<Campaign> {
    const ATTEMPTED: &str = "archive the campaign";
    blocking(move || {
        let done = office.noticed(office.writer.archive(&campaign, archived));
        done.map_err(|error| Problem::of_store(ATTEMPTED, &error))?;
        let room = office.room(&campaign, ATTEMPTED)?;
        let records = room.records(&office, ATTEMPTED)?;
        Ok(Json(Campaign::new(&records)))
    })
    .await
}

/// Deletes a campaign with all its records, for good.
#[utoipa::path(delete, operation_id = "delete_campaign", path = "/api/campaigns/{campaign}", tag = "campaigns",
    params(("campaign" = String, Path, description = "its name")),
    responses((status = 204, description = "it is gone"), Problems))]
pub async fn delete(office: Shared, Path(campaign): Path<String>) -> Result<StatusCode, Problem> {
    blocking(move || {
        let deleted = office.noticed(office.writer.delete(&campaign));
        deleted.map_err(|error| Problem::of_store("delete the campaign", &error))?;
        office.leave(&campaign);
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Who gives back what it has.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// its name, as it asked
    #[schema(min_length = 1, max_length = 200)]
    pub worker: String,
}

/// Gives back the trials that a worker has and did not answer: another may have them at once.
#[utoipa::path(post, operation_id = "release", path = "/api/campaigns/{campaign}/release", tag = "trials",
    params(("campaign" = String, Path, description = "its name")),
    request_body = Release,
    responses((status = 204, description = "the worker has none of its trials"), Problems))]
pub async fn release(
    office: Shared,
    Path(campaign): Path<String>,
    Json(Release { worker }): Json<Release>,
) -> Result<StatusCode, Problem> {
    const ATTEMPTED: &str = "give back the trials";
    check_worker(Some(&worker), None, ATTEMPTED)?;
    blocking(move || {
        let released = office.noticed(office.writer.release(&campaign, &[&worker]));
        released.map_err(|error| Problem::of_store(ATTEMPTED, &error))?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// What people note about a task or a trial, by name.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Attributes {
    /// any JSON; null takes one away
    #[schema(value_type = Object)]
    pub attributes: Map<String, Value>,
}

/// Notes something about a task that has begun. Answers with all that is noted.
#[utoipa::path(post, operation_id = "annotate_task", path = "/api/campaigns/{campaign}/tasks/{task}/attributes", tag = "tasks",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    request_body = Attributes,
    responses((status = 200, description = "as asked for", body = Attributes), Problems))]
pub async fn annotate_task(
    office: Shared,
    Path((campaign, task)): Path<(String, String)>,
    Json(changes): Json<Attributes>,
) -> Answer<Attributes> {
    annotate(office.0, (campaign, task, None), changes).await
}

/// Notes something about a trial. Answers with all that is noted.
#[utoipa::path(post, operation_id = "annotate_trial", path = "/api/campaigns/{campaign}/tasks/{task}/trials/{trial}/attributes",
    tag = "trials",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"),
           ("trial" = usize, Path, description = "the trial's number, from 0")),
    request_body = Attributes,
    responses((status = 200, description = "as asked for", body = Attributes), Problems))]
pub async fn annotate_trial(
    office: Shared,
    Path((campaign, task, trial)): Path<(String, String, usize)>,
    Json(changes): Json<Attributes>,
) -> Answer<Attributes> {
    annotate(office.0, (campaign, task, Some(trial)), changes).await
}

async fn annotate(
    office: Arc<Office>,
    (campaign, task, trial): (String, String, Option<usize>),
    changes: Attributes,
) -> Answer<Attributes> {
    const ATTEMPTED: &str = "note it";
    blocking(move || {
        let problem = |error| Problem::of(ATTEMPTED, &error);
        let mut desk = Desk::open(Arc::clone(&office.writer), &campaign).map_err(problem)?;
        let number = begun(desk.records(), &task, ATTEMPTED)?.number;
        let missing = trial.filter(|trial| *trial >= desk.records().trials_of(number).len());
        if let Some(trial) = missing {
            let reason = format!("the task {task:?} has no trial {trial}");
            return Err(Problem::missing(ATTEMPTED, reason));
        }
        let noted = office.noticed(desk.annotate((number, trial), changes.attributes));
        Ok(Json(Attributes { attributes: noted.map_err(problem)? }))
    })
    .await
}
