//! For those who operate the service: whether it is well, and its numbers.

use super::{Json, Shared};
use crate::office::blocking;
use crate::problem::{Problem, Problems};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// The service is well.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`
    pub status: &'static str,
    /// version of the service
    pub version: &'static str,
}

/// Whether the service and its store can be reached.
#[utoipa::path(get, operation_id = "health", path = "/healthz", tag = "operation", security(()),
    responses((status = 200, description = "as asked for", body = Health), Problems))]
pub async fn health(office: Shared) -> Result<Json<Health>, Problem> {
    blocking(move || {
        let reached = office.reader.campaigns();
        reached.map_err(|error| Problem::later("reach the store", error))?;
        Ok(Json(Health { status: "ok", version: env!("CARGO_PKG_VERSION") }))
    })
    .await
}

/// Numbers in Prometheus' text format.
#[utoipa::path(get, operation_id = "metrics", path = "/metrics", tag = "operation",
    responses((status = 200, description = "as asked for", content_type = "text/plain", body = String), Problems))]
pub async fn metrics(office: Shared) -> Response {
    let text = office.metrics.text(office.watch.listeners());
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}
