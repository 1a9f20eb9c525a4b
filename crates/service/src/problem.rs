//! Errors as problem+json: what was attempted, why it failed, and a hint where there is one.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use baton_runner::RunnerError;
use baton_store::StoreError;
use serde::Serialize;
use utoipa::openapi::{RefOr, Response as Description, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema};

/// An error, as in RFC 9457.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// the kind of error, as a relative address
    #[serde(rename = "type")]
    #[schema(example = "/problems/no-campaign")]
    kind: &'static str,
    /// what could not be done
    #[schema(example = "could not ask for a trial")]
    title: String,
    /// the status of the answer
    #[schema(example = 404, minimum = 400, maximum = 599)]
    status: u16,
    /// why
    #[schema(example = "the store has no campaign \"a\"")]
    detail: String,
    /// what may be tried
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl Problem {
    /// `attempted` continues "could not".
    pub fn new(
        status: StatusCode,
        kind: &'static str,
        attempted: &str,
        why: impl std::fmt::Display,
    ) -> Self {
        let title = format!("could not {attempted}");
        Self { kind, title, status: status.as_u16(), detail: why.to_string(), hint: None }
    }

    /// Adds what may be tried.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What was asked for is not there.
    pub fn missing(attempted: &str, why: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::NOT_FOUND, "/problems/not-found", attempted, why)
    }

    /// What was sent cannot be used.
    pub fn unusable(attempted: &str, why: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "/problems/unusable", attempted, why)
    }

    /// The state of the campaign does not allow it.
    pub fn conflict(attempted: &str, why: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::CONFLICT, "/problems/conflict", attempted, why)
    }

    /// It may work later.
    pub fn later(attempted: &str, why: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "/problems/later", attempted, why)
    }

    /// An error of the layers below.
    pub fn of(attempted: &str, error: &RunnerError) -> Self {
        match error {
            RunnerError::Store(error) => Self::of_store(attempted, error),
            RunnerError::Algorithm(
                baton::Error::Factorisation { .. } | baton::Error::Algebra(_),
            ) => Self::conflict(attempted, error)
                .hint("the model of these observations cannot be used; asking still works"),
            RunnerError::Differs { .. } => Self::conflict(attempted, error).hint(
                "a campaign that has begun keeps its problem and settings; give the changed one \
                 another name",
            ),
            RunnerError::Refused { .. }
            | RunnerError::NotStarted { .. }
            | RunnerError::Algorithm(baton::Error::Trial { .. }) => {
                Self::conflict(attempted, error)
            }
            RunnerError::Algorithm(_) => Self::unusable(attempted, error),
            RunnerError::Overtaken { .. } => Self::later(attempted, error).hint("try again"),
        }
    }

    /// An error of the store.
    pub fn of_store(attempted: &str, error: &StoreError) -> Self {
        match error {
            StoreError::NoCampaign { .. } => {
                Self::new(StatusCode::NOT_FOUND, "/problems/no-campaign", attempted, error)
                    .hint("GET /api/campaigns lists those that there are")
            }
            StoreError::Refused { .. } | StoreError::Stale => Self::conflict(attempted, error),
            StoreError::Lost { .. } | StoreError::Unreachable { .. } => {
                Self::later(attempted, error).hint("is the database running?")
            }
            _ => Self::internal(attempted, error),
        }
    }

    /// Something that should not be.
    pub fn internal(attempted: &str, why: impl std::fmt::Display) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "/problems/internal", attempted, why)
    }

    /// The status of the answer.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = self.status();
        if status.is_server_error() {
            tracing::warn!(title = self.title, detail = self.detail, "a call failed");
        }
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

/// The errors that any call may end with.
pub struct Problems;

impl IntoResponses for Problems {
    fn responses() -> std::collections::BTreeMap<String, RefOr<Description>> {
        let problems = [
            ("400", "the request cannot be read"),
            ("401", "a token is needed, or it is not known"),
            ("403", "the token, the host or the origin does not allow it"),
            ("404", "there is no such thing"),
            ("409", "the campaign does not allow it now"),
            ("413", "the request is too large"),
            ("415", "the body is not JSON"),
            ("422", "what was sent cannot be used"),
            ("503", "it may work later"),
        ];
        let schema = || utoipa::openapi::Ref::from_schema_name("Problem");
        let content = || utoipa::openapi::ContentBuilder::new().schema(Some(schema())).build();
        let response = |description: &str| {
            let response = ResponseBuilder::new().description(description);
            RefOr::T(response.content("application/problem+json", content()).build())
        };
        problems.map(|(status, why)| (status.to_owned(), response(why))).into()
    }
}
