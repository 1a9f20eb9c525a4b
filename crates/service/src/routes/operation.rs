//! For those who operate the service: whether it is well, and its numbers.

use super::{Json, Shared};
use crate::office::blocking;
use crate::problem::{Problem, Problems};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;

/// The service is well.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`
    pub status: &'static str,
    /// version of the service
    pub version: &'static str,
}

const WELL: Health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };

/// How long a store may take until the service counts as not ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// Whether the service and its store can be reached.
#[utoipa::path(get, operation_id = "health", path = "/healthz", tag = "operation", security(()),
    responses((status = 200, description = "as asked for", body = Health), Problems))]
pub async fn health(office: Shared) -> Result<Json<Health>, Problem> {
    blocking(move || {
        let reached = office.reader.campaigns();
        reached.map_err(|error| Problem::later("reach the store", error))?;
        Ok(Json(WELL))
    })
    .await
}

/// Whether the process answers; nothing else is looked at. Where it does not, it has to be started again.
#[utoipa::path(get, operation_id = "live", path = "/livez", tag = "operation", security(()),
    responses((status = 200, description = "as asked for", body = Health), Problems))]
pub async fn live() -> Json<Health> {
    Json(WELL)
}

/// Whether requests can be served now: the store answers within two seconds, and the service is not
/// about to end. Where not, requests should go elsewhere or wait.
#[utoipa::path(get, operation_id = "ready", path = "/readyz", tag = "operation", security(()),
    responses((status = 200, description = "as asked for", body = Health), Problems))]
pub async fn ready(office: Shared) -> Result<Json<Health>, Problem> {
    if *office.closing.borrow() {
        return Err(Problem::later("serve", "the service is about to end"));
    }
    // One question at a time: while a store is away, probes do not pile up before it.
    let asked = async {
        let turn = Arc::clone(&office.probe).lock_owned().await;
        let reader = Arc::clone(&office.reader);
        blocking(move || {
            let reached = reader.numbers();
            drop(turn);
            reached.map_err(|error| Problem::later("reach the store", error))
        })
        .await
    };
    match tokio::time::timeout(READY_WITHIN, asked).await {
        Ok(reached) => reached.map(|_| Json(WELL)),
        Err(_) => Err(Problem::later("reach the store", "it does not answer")),
    }
}

/// Numbers in Prometheus' text format.
#[utoipa::path(get, operation_id = "metrics", path = "/metrics", tag = "operation",
    responses((status = 200, description = "as asked for", content_type = "text/plain", body = String), Problems))]
pub async fn metrics(office: Shared) -> Response {
    let text = office.metrics.text(office.watch.listeners());
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
