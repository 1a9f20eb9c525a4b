//! The dashboard: its files, built from `dashboard/`, are part of the program.

use crate::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use baton_numerics::checksum;

/// Address, kind and content of each file.
const FILES: [(&str, &str, &[u8]); 4] = [
    ("/", "text/html; charset=utf-8", include_bytes!("../../assets/index.html")),
    (
        "/assets/dashboard.js",
        "text/javascript; charset=utf-8",
        include_bytes!("../../assets/dashboard.js"),
    ),
    (
        "/assets/dashboard.css",
        "text/css; charset=utf-8",
        include_bytes!("../../assets/dashboard.css"),
    ),
    ("/assets/icon.svg", "image/svg+xml", include_bytes!("../../assets/icon.svg")),
];

/// A file of the dashboard, or that there is nothing at this address.
pub async fn page(uri: Uri, headers: HeaderMap) -> Response {
    let Some((_, kind, content)) = FILES.iter().find(|(path, ..)| *path == uri.path()) else {
        let reason = format!("there is nothing at {}", uri.path());
        return Problem::missing("find the page", reason)
            .hint("/openapi.json describes the API, / is the dashboard")
            .into_response();
    };
    let tag = format!("\"{:016x}\"", fingerprint(content));
    let known =
        headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
    let fixed = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::ETAG, tag),
    ];
    if known {
        (StatusCode::NOT_MODIFIED, fixed).into_response()
    } else {
        (fixed, *content).into_response()
    }
}

/// Tells versions of a file apart.
fn fingerprint(content: &[u8]) -> u64 {
    checksum::fnv1a(checksum::START, content)
}

/// No route takes this method.
pub async fn wrong_method(uri: Uri) -> Problem {
    let reason = format!("{} does not take this method", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "/problems/method", "serve the request", reason)
}
