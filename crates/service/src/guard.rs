//! Which requests are let in: tokens, hosts and origins, and the headers that every answer has.
//!
//! With tokens, reading needs any of them and writing one that may write. Without, the service listens
//! on this machine only, and a page of another site that is open in somebody's browser is kept out by
//! the names of host and origin.

use crate::access::Right;
use crate::office::Office;
use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::{Arc, PoisonError};

/// Lets a request pass, or says why not.
pub async fn guard(State(office): State<Arc<Office>>, request: Request, next: Next) -> Response {
    match refusal(&office, &request) {
        Some(problem) => problem.into_response(),
        None => next.run(request).await,
    }
}

fn refusal(office: &Office, request: &Request) -> Option<Problem> {
    let (method, headers) = (request.method(), request.headers());
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(method);
    let attempted = if reads { "read" } else { "write" };
    let tokens = office.access.tokens.read().unwrap_or_else(PoisonError::into_inner);
    let forbidden = |why: &str| {
        Some(Problem::new(StatusCode::FORBIDDEN, "/problems/forbidden", attempted, why))
    };
    let allowed = |origin: &str| office.access.allows(origin);
    if !reads && !same_origin(headers) && !text(headers, &header::ORIGIN).is_some_and(allowed) {
        return forbidden("the request comes from a page of another origin");
    }
    if tokens.is_empty() {
        let stranger = forbidden("without tokens only requests to localhost are answered");
        return stranger.filter(|_| !local(headers));
    }
    if is_public(request.uri().path()) {
        return None;
    }
    let presented = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let presented = presented.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    let unauthorized = |why: &str| {
        let kind = "/problems/unauthorized";
        let problem = Problem::new(StatusCode::UNAUTHORIZED, kind, attempted, why);
        Some(problem.hint("send the header `Authorization: Bearer TOKEN`"))
    };
    match presented.map(|token| tokens.right(token)) {
        None => unauthorized("a token is needed"),
        Some(None) => unauthorized("the token is not known"),
        Some(Some(Right::Read)) if !reads => forbidden("the token may only read"),
        Some(Some(_)) => None,
    }
}

/// The pages themselves hold nothing of a campaign; what they show comes from the API.
fn is_public(path: &str) -> bool {
    !(path.starts_with("/api/") || path == "/metrics")
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Browsers say where a page that writes came from; other programs say nothing.
fn same_origin(headers: &HeaderMap) -> bool {
    let Some(origin) = text(headers, &header::ORIGIN) else { return true };
    let host = text(headers, &header::HOST).unwrap_or_default();
    origin.split_once("://").is_some_and(|(_, rest)| rest.eq_ignore_ascii_case(host))
}

/// A name that another site made point here is not ours.
fn local(headers: &HeaderMap) -> bool {
    let Some(host) = text(headers, &header::HOST) else { return true };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let loopback = address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    loopback || name.eq_ignore_ascii_case("localhost")
}

/// Nothing but our own files runs in a page, and nobody else shows it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Adds the headers that every answer has.
pub async fn strict_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_origins_are_told_apart() {
        let headers = |host: &str, origin: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            if !origin.is_empty() {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            headers
        };
        for host in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "[::1]"] {
            assert!(local(&headers(host, "")), "{host}");
        }
        for host in ["evil.example", "evil.example:8080", "10.0.0.1", "localhost.evil.example"] {
            assert!(!local(&headers(host, "")), "{host}");
        }
        assert!(same_origin(&headers("localhost:8080", "")));
        assert!(same_origin(&headers("localhost:8080", "http://localhost:8080")));
        assert!(!same_origin(&headers("localhost:8080", "http://localhost:8081")));
        assert!(!same_origin(&headers("localhost:8080", "null")));
    }
}
