//! The routes of the API, one file per noun, and what they have in common.

pub mod campaigns;
pub mod care;
pub mod events;
pub mod insight;
pub mod knowledge;
pub mod model;
pub mod operation;
pub mod pages;
pub mod predict;
pub mod tasks;
pub mod trials;

use crate::office::{Office, Room};
use crate::problem::Problem;
use crate::unread;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use baton::Description;
use baton_runner::Records;
use baton_store::TaskRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The state of all routes.
pub type Shared = axum::extract::State<Arc<Office>>;

/// What a route answers with.
pub type Answer<T> = Result<Json<T>, Problem>;

/// What a request may bring, in bytes.
pub const LARGEST_BODY: usize = 1 << 20;

/// A body of JSON; what cannot be read is told as a problem.
#[derive(Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        const DESCRIBED: &str = "/openapi.json describes what is expected";
        // First any object: structures could be read from lists as well, which nobody means.
        let read: Result<axum::Json<Map<String, Value>>, JsonRejection> =
            axum::Json::from_request(request, state).await;
        let refuse = |status: StatusCode, kind: &'static str, why: String| {
            Problem::new(status, kind, "read the body of the request", why)
        };
        let axum::Json(object) = read.map_err(|rejection| match rejection.status() {
            status @ StatusCode::PAYLOAD_TOO_LARGE => {
                let why = format!("it has more than {LARGEST_BODY} bytes, the most that is taken");
                refuse(status, "/problems/too-large", why).hint("send less at once")
            }
            status => refuse(status, "/problems/unreadable", rejection.body_text()).hint(DESCRIBED),
        })?;
        let body = unread::read(Value::Object(object)).map_err(|why| {
            refuse(StatusCode::UNPROCESSABLE_ENTITY, "/problems/unusable", why).hint(DESCRIBED)
        })?;
        Ok(Self(body))
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// Parts of the address; what cannot be read is told as a problem.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read: Result<axum::extract::Path<T>, PathRejection> =
            axum::extract::Path::from_request_parts(parts, state).await;
        read.map(|axum::extract::Path(path)| Self(path))
            .map_err(|rejection| Problem::missing("read the address", rejection.body_text()))
    }
}

/// What follows the `?`; what cannot be read is told as a problem.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read: Result<axum::extract::Query<T>, QueryRejection> =
            axum::extract::Query::from_request_parts(parts, state).await;
        read.map(|axum::extract::Query(query)| Self(query)).map_err(|rejection| {
            Problem::unusable("read the query of the address", rejection.body_text())
        })
    }
}

/// The header `Idempotency-Key`, where there is one.
#[derive(Debug, Clone)]
pub struct Key(pub Option<String>);

/// Longer keys are a mistake.
const LONGEST_KEY: usize = 200;

impl<S: Send + Sync> FromRequestParts<S> for Key {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Some(value) = parts.headers.get("idempotency-key") else { return Ok(Self(None)) };
        let visible = |key: &str| key.bytes().all(|byte| byte.is_ascii_graphic());
        let usable = |key: &&str| !key.is_empty() && key.len() <= LONGEST_KEY && visible(key);
        match value.to_str().ok().filter(usable) {
            Some(key) => Ok(Self(Some(key.to_owned()))),
            None => Err(Problem::unusable(
                "use the Idempotency-Key",
                format!("it is not 1 to {LONGEST_KEY} visible characters"),
            )),
        }
    }
}

/// A task of a campaign that has begun, by its name.
pub(crate) fn begun<'a>(
    records: &'a Records,
    name: &str,
    attempted: &str,
) -> Result<&'a TaskRecord, Problem> {
    if let Some(task) = records.tasks.iter().find(|task| task.name == name) {
        return Ok(task);
    }
    if records.spec.tasks.iter().any(|plan| plan.name == name) {
        return Err(Problem::conflict(attempted, format!("the task {name:?} has not begun"))
            .hint("a task begins with its first ask, once those before it are finished"));
    }
    Err(Problem::missing(attempted, format!("the campaign has no task {name:?}")))
}

/// What is said of a task or an ask, given in the address as a JSON object.
pub(crate) fn described(
    given: Option<&str>,
    field: &str,
    attempted: &str,
) -> Result<Description, Problem> {
    let read = given.map_or_else(|| Ok(Description::new()), serde_json::from_str);
    read.map_err(|error| {
        let reason = format!("`{field}` is not a JSON object of values: {error}");
        Problem::unusable(attempted, reason).hint("such as {\"reynolds\": 3e6}")
    })
}

/// Looks something up in the records of a campaign.
pub(crate) async fn look<T: Send + 'static>(
    office: Arc<Office>,
    campaign: String,
    attempted: &'static str,
    find: impl FnOnce(&Records) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    crate::office::blocking(move || {
        let room = office.room(&campaign, attempted)?;
        let records = room.records(&office, attempted)?;
        find(&records)
    })
    .await
}

/// The room of a campaign, found away from the threads that serve requests.
pub(crate) async fn enter(
    office: &Arc<Office>,
    campaign: String,
    attempted: &'static str,
) -> Result<Arc<Room>, Problem> {
    let office = Arc::clone(office);
    crate::office::blocking(move || office.room(&campaign, attempted)).await
}
