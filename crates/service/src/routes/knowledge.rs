//! Knowledge: what passed from task to task, and how the belief moved on the way.

use super::{Answer, Json, Path, Shared, enter, look};
use crate::belief::Stage;
use crate::office::{Room, blocking};
use crate::problem::{Problem, Problems};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use baton_runner::Records;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use utoipa::ToSchema;

/// What passed from task to task.
#[derive(Debug, Serialize, ToSchema)]
pub struct Handed {
    /// from task to task
    pub stages: Vec<Stage>,
}

/// What passed from task to task: the belief over the model, the points that were recommended, and
/// what a task expects before its first trial.
#[utoipa::path(get, operation_id = "show_knowledge", path = "/api/campaigns/{campaign}/knowledge", tag = "knowledge",
    params(("campaign" = String, Path, description = "its name")),
    responses((status = 200, description = "as asked for", body = Handed), Problems))]
pub async fn show(office: Shared, Path(campaign): Path<String>) -> Answer<Handed> {
    const ATTEMPTED: &str = "show the knowledge";
    let room = enter(&office, campaign, ATTEMPTED).await?;
    // Slices are computed: this takes a bench, as an ask does.
    let bench = Arc::clone(&office.benches).acquire_owned().await;
    blocking(move || {
        let _bench = bench;
        let records = room.records(&office, ATTEMPTED)?.clone();
        let mut texts: Vec<(&str, Option<&str>)> = Vec::new();
        for task in &records.tasks {
            texts.extend(task.knowledge.as_deref().map(|text| (text, Some(task.name.as_str()))));
        }
        if let Some(text) = &records.campaign.knowledge
            && texts.last().is_none_or(|(last, _)| last != text)
        {
            texts.push((text, None));
        }
        let stage = |(text, to): (&str, Option<&str>)| remembered(&room, text, to, &records);
        let stages = texts.into_iter().map(stage).collect::<Result<_, _>>();
        let stages = stages.map_err(|error: baton::Error| Problem::internal(ATTEMPTED, error))?;
        Ok(Json(Handed { stages }))
    })
    .await
}

/// A stage never changes: it is computed once.
fn remembered(
    room: &Room,
    text: &str,
    to: Option<&str>,
    records: &Records,
) -> baton::Result<Stage> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let key = (hasher.finish(), to.map(str::to_owned));
    if let Some(stage) = room.stages().get(&key) {
        return Ok(stage.clone());
    }
    let stage = Stage::read(text, to, records)?;
    room.stages().insert(key, stage.clone());
    Ok(stage)
}

/// The knowledge itself, as `baton knowledge export` writes it.
#[utoipa::path(get, operation_id = "knowledge_file", path = "/api/campaigns/{campaign}/knowledge/file", tag = "knowledge",
    params(("campaign" = String, Path, description = "its name")),
    responses((status = 200, content_type = "application/json", body = Object,
               description = "a file for `baton knowledge import`"), Problems))]
pub async fn file(office: Shared, Path(campaign): Path<String>) -> Result<Response, Problem> {
    const ATTEMPTED: &str = "give out the knowledge";
    let text = look(office.0, campaign, ATTEMPTED, |records| {
        let nothing = || {
            Problem::missing(ATTEMPTED, "nothing was learned yet")
                .hint("a task teaches when it is finished")
        };
        let given = records.shareable_knowledge();
        given.map_err(|error| Problem::of(ATTEMPTED, &error))?.ok_or_else(nothing)
    })
    .await?;
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
