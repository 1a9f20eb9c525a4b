//! Which requests are let in: tokens, hosts and origins, and the headers that every answer has.
//!
//! With tokens, every request needs one that may do what it asks for, in that campaign. Without, the service listens
//! on this machine only, and a page of another site that is open in somebody's browser is kept out by
//! the names of host and origin.

use crate::access::{Access, Refusal, Visitor};
use crate::office::Office;
use crate::problem::Problem;
use crate::tokens::Scope;
use axum::extract::{FromRequestParts as _, RawPathParams, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// Lets a request pass, with who makes it, or says why not.
pub async fn guard(State(office): State<Arc<Office>>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let parameters = RawPathParams::from_request_parts(&mut parts, &()).await.ok();
    let named = parameters.iter().flatten().find(|(key, _)| *key == "campaign");
    let campaign = named.map(|(_, name)| name.to_owned());
    match admitted(&office.access, &parts, campaign.as_deref()) {
        Ok(visitor) => {
            parts.extensions.insert(visitor);
            next.run(Request::from_parts(parts, body)).await
        }
        Err(problem) => problem.into_response(),
    }
}

fn admitted(access: &Access, parts: &Parts, campaign: Option<&str>) -> Result<Visitor, Problem> {
    let (headers, path) = (&parts.headers, parts.uri.path());
    let scope = scope(&parts.method, path);
    let attempted = if scope == Scope::Read { "read" } else { "write" };
    let forbidden =
        |why: &str| Problem::new(StatusCode::FORBIDDEN, "/problems/forbidden", attempted, why);
    let allowed = |origin: &str| access.origins().iter().any(|allowed| allowed == origin);
    if scope != Scope::Read
        && !same_origin(headers)
        && !text(headers, &header::ORIGIN).is_some_and(allowed)
    {
        return Err(forbidden("the request comes from a page of another origin"));
    }
    let presented = presented(headers);
    let visitor = access.visitor(presented.unwrap_or_default());
    if access.is_open() {
        let is_ours = local(headers);
        let stranger = || forbidden("without tokens only requests to localhost are answered");
        return is_ours.then_some(visitor).ok_or_else(stranger);
    }
    if is_public(path) {
        return Ok(visitor);
    }
    // Numbers of the whole service are not for those who see a part of it.
    let campaign = if path == "/metrics" { Some("") } else { campaign };
    let counted = access.allows(&visitor, scope, campaign).and_then(|()| access.count(&visitor));
    counted.map_err(|refusal| refused(refusal, attempted, presented.is_some()))?;
    Ok(visitor)
}

/// What a request needs.
fn scope(method: &Method, path: &str) -> Scope {
    let last = path.rsplit('/').next().unwrap_or_default();
    match last {
        _ if [Method::GET, Method::HEAD, Method::OPTIONS].contains(method) => Scope::Read,
        "ask" | "release" | "trials" if method == Method::POST => Scope::Ask,
        "tell" | "fail" | "attributes" if method == Method::POST => Scope::Tell,
        _ => Scope::Manage,
    }
}

fn presented(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = text(headers, &header::AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// Why not, as a problem.
pub fn refused(refusal: Refusal, attempted: &str, has_token: bool) -> Problem {
    let unauthorized = |why: &str| {
        let problem =
            Problem::new(StatusCode::UNAUTHORIZED, "/problems/unauthorized", attempted, why);
        problem.hint("send the header `Authorization: Bearer TOKEN`")
    };
    let forbidden =
        |why: String| Problem::new(StatusCode::FORBIDDEN, "/problems/forbidden", attempted, why);
    match refusal {
        Refusal::Unknown if !has_token => unauthorized("a token is needed"),
        Refusal::Unknown => unauthorized("the token is not known"),
        Refusal::Over => unauthorized("the token's last day is over"),
        Refusal::Scope(scope) => forbidden(format!("the token may not {}", scope.name())),
        Refusal::Campaign => forbidden("the token is for other campaigns".to_owned()),
        Refusal::Rate => {
            let kind = "/problems/too-many";
            let why = "the token makes more requests per second than it may";
            Problem::new(StatusCode::TOO_MANY_REQUESTS, kind, attempted, why).hint("wait a second")
        }
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
