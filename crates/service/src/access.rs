//! Who may do what: tokens, hosts and origins, and the headers that every answer has.
//!
//! With tokens, reading needs any of them and writing one that may write. Without, the service listens
//! on this machine only, and a page of another site that is open in somebody's browser is kept out by
//! the names of host and origin. Tokens are compared in constant time and appear in no log.

use crate::office::Office;
use crate::problem::Problem;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use subtle::ConstantTimeEq;

/// Shorter ones can be guessed.
const SHORTEST: usize = 16;

/// What a token is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// to look
    Read,
    /// to look and to change
    Write,
}

/// The tokens that are accepted; none: nobody needs one.
#[derive(Clone, Default)]
pub struct Tokens {
    known: Vec<(Right, String)>,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{} tokens", self.known.len()) // and not which
    }
}

impl Tokens {
    /// Reads the tokens of a file.
    ///
    /// # Errors
    /// Says which file, and why it cannot be used.
    pub fn read(file: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string());
        text.and_then(|text| Self::parse(&text))
            .map_err(|reason| format!("the tokens in {}: {reason}", file.display()))
    }

    /// Reads lines such as `write 4f0c…` and `read 91ab…`; `#` begins a comment.
    ///
    /// # Errors
    /// Says which line cannot be used, and never what is in it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut known = Vec::new();
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let (right, token) = match line.split_once(char::is_whitespace) {
                Some(("read", token)) => (Right::Read, token.trim()),
                Some(("write", token)) => (Right::Write, token.trim()),
                _ => return Err(format!("line {} is not `read TOKEN` or `write TOKEN`", i + 1)),
            };
            let usable = token.bytes().all(|byte| byte.is_ascii_graphic());
            if token.len() < SHORTEST || !usable {
                let what = "visible characters without spaces";
                return Err(format!(
                    "the token of line {} is not {SHORTEST} or more {what}",
                    i + 1
                ));
            }
            known.push((right, token.to_owned()));
        }
        if known.is_empty() {
            return Err("it holds no token".into());
        }
        Ok(Self { known })
    }

    /// Whether nobody needs one.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// What a presented token is good for. Looks at all of them, whichever fits.
    fn right(&self, presented: &str) -> Option<Right> {
        self.known.iter().fold(None, |found, (right, token)| {
            let same: bool = token.as_bytes().ct_eq(presented.as_bytes()).into();
            if same { found.max(Some(*right)) } else { found }
        })
    }
}

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
    if !reads && !same_origin(headers) && !office.access.allows(headers) {
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

/// What the guard goes by.
#[derive(Debug, Default)]
pub struct Access {
    /// who may do what
    pub tokens: RwLock<Tokens>,
    /// origins whose pages may use the API besides our own
    pub origins: Vec<String>,
}

impl Access {
    /// Replaces the tokens. Those that are gone are good for nothing from now on.
    pub fn renew(&self, tokens: Tokens) {
        *self.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
    }

    fn allows(&self, headers: &HeaderMap) -> bool {
        text(headers, &header::ORIGIN)
            .is_some_and(|origin| self.origins.iter().any(|o| o == origin))
    }
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
    fn tokens_are_read_line_by_line_and_never_shown() {
        let text = "# ours\nwrite 0123456789abcdef # ada\n\nread fedcba9876543210\n";
        let tokens = Tokens::parse(text).unwrap();
        assert_eq!(tokens.right("0123456789abcdef"), Some(Right::Write));
        assert_eq!(tokens.right("fedcba9876543210"), Some(Right::Read));
        assert_eq!(tokens.right("0123456789abcdeF"), None);
        assert_eq!(tokens.right(""), None);
        assert_eq!(format!("{tokens:?}"), "2 tokens");
        for bad in
            ["", "# none", "write short", "admin 0123456789abcdef", "write 0123456789 bcdef0"]
        {
            let reason = Tokens::parse(bad).unwrap_err();
            assert!(!reason.contains("0123"), "{reason}");
        }
    }

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
