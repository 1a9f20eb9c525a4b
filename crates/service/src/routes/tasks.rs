//! Tasks: one by name, pausing and letting go on, more budget, and the end.

use super::campaigns::{Effort, anonymous, at_desk};
use super::{Answer, Json, Path, Shared, begun, enter, look};
use crate::office::{Office, blocking};
use crate::problem::{Problem, Problems};
use crate::view::Task;
use baton_runner::Step;
use baton_store::{Lease, StoreError, TaskRecord, TaskState};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// A task: how far it is, what it spent and what it found.
#[utoipa::path(get, operation_id = "show_task", path = "/api/campaigns/{campaign}/tasks/{task}", tag = "tasks",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    responses((status = 200, description = "as asked for", body = Task), Problems))]
pub async fn show(office: Shared, Path((campaign, task)): Path<(String, String)>) -> Answer<Task> {
    look(office.0, campaign, "show the task", move |records| {
        let found = Task::all(records).into_iter().find(|known| known.task == task);
        let missing = || Problem::missing("show the task", format!("there is no task {task:?}"));
        found.map(Json).ok_or_else(missing)
    })
    .await
}

/// Why a task is paused.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// for people
    #[schema(max_length = 1000)]
    pub reason: String,
}

/// Pauses the task: nothing is asked for until it may go on. Values of pending trials are still taken.
#[utoipa::path(post, operation_id = "pause_task", path = "/api/campaigns/{campaign}/tasks/{task}/pause", tag = "tasks",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    request_body = Pause,
    responses((status = 200, description = "as asked for", body = Task), Problems))]
pub async fn pause(
    office: Shared,
    Path(place): Path<(String, String)>,
    Json(Pause { reason }): Json<Pause>,
) -> Answer<Task> {
    const ATTEMPTED: &str = "pause the task";
    if reason.chars().count() > 1_000 {
        return Err(Problem::unusable(ATTEMPTED, "the reason has more than 1000 characters"));
    }
    change(office.0, place, ATTEMPTED, move |office, campaign, task| {
        office.writer.pause(campaign, task.number, &reason)
    })
    .await
}

/// Lets a paused task go on; an open one stays as it is.
#[utoipa::path(post, operation_id = "continue_task", path = "/api/campaigns/{campaign}/tasks/{task}/continue", tag = "tasks",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    responses((status = 200, description = "as asked for", body = Task), Problems))]
pub async fn go_on(office: Shared, Path(place): Path<(String, String)>) -> Answer<Task> {
    change(office.0, place, "let the task go on", |office, campaign, task| match task.state {
        TaskState::Open => Ok(()),
        _ => office.writer.go_on(campaign, task.number),
    })
    .await
}

/// A task's budget.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// what may be spent on it in all
    #[schema(exclusive_minimum = 0.0)]
    pub total: f64,
}

/// Raises the budget of a task to a new total. It is never lowered, here or by a campaign file that
/// has the former one. A finished task is opened again, unless a later one has begun with what it
/// taught.
#[utoipa::path(put, operation_id = "raise_budget", path = "/api/campaigns/{campaign}/tasks/{task}/budget", tag = "tasks",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    request_body = Budget,
    responses((status = 200, description = "as asked for", body = Task), Problems))]
pub async fn budget(
    office: Shared,
    Path(place): Path<(String, String)>,
    Json(Budget { total }): Json<Budget>,
) -> Answer<Task> {
    change(office.0, place, "raise the budget", move |office, campaign, task| match task.state {
        TaskState::Finished => office.writer.reopen(campaign, task.number, total),
        _ => office.writer.raise_budget(campaign, task.number, total),
    })
    .await
}

/// Changes a task that has begun, and shows it as it is then.
async fn change(
    office: Arc<Office>,
    (campaign, name): (String, String),
    attempted: &'static str,
    apply: impl FnOnce(&Office, &str, &TaskRecord) -> Result<(), StoreError> + Send + 'static,
) -> Answer<Task> {
    blocking(move || {
        let room = office.room(&campaign, attempted)?;
        let task = begun(&*room.records(&office, attempted)?, &name, attempted)?.clone();
        let applied = office.noticed(apply(&office, &campaign, &task));
        applied.map_err(|error| Problem::of_store(attempted, &error))?;
        let records = room.records(&office, attempted)?;
        begun(&records, &name, attempted).map(|task| Json(Task::new(task, &records)))
    })
    .await
}

/// Ends the task under way and hands on what it taught; its pending trials are given up. A task that
/// is finished stays so.
#[utoipa::path(post, operation_id = "finish_task", path = "/api/campaigns/{campaign}/tasks/{task}/finish", tag = "tasks",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    responses((status = 200, description = "as asked for", body = Task), Problems))]
pub async fn finish(
    office: Shared,
    Path((campaign, name)): Path<(String, String)>,
) -> Answer<Task> {
    const ATTEMPTED: &str = "finish the task";
    let room = enter(&office, campaign.clone(), ATTEMPTED).await?;
    let wanted = name.clone();
    let number = look(Arc::clone(&office.0), campaign, ATTEMPTED, move |records| {
        begun(records, &wanted, ATTEMPTED).map(|task| task.number)
    })
    .await?;
    let (_, records) = at_desk(&office.0, &room, (ATTEMPTED, Effort::Bench), move |desk| {
        desk.refresh()?;
        let under_way = desk.records().present().is_some_and(|task| task.number == number);
        if !under_way {
            return Ok(Step::Finished(number));
        }
        let holder = anonymous();
        desk.finish(Lease { holder: &holder, seconds: None })
    })
    .await?;
    begun(&records, &name, ATTEMPTED).map(|task| Json(Task::new(task, &records)))
}
