//! One structured line per request: what was asked for, how it ended, how long it took. Neither
//! headers nor bodies nor what follows the `?` of an address, so that no secret gets here.
//!
//! Levels: `error` where the service broke, `warn` where it could not serve, `info` for every other
//! request, `debug` for those of probes, which come every few seconds.

use crate::office::Office;
use crate::problem::Problem;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tracing::level_filters::LevelFilter;

/// How long a request may take before it is answered.
const PATIENCE: Duration = Duration::from_mins(2);

/// In which form lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// one JSON object per line
    #[default]
    Json,
    /// for people
    Text,
    /// none
    Quiet,
}

/// From which level on lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// what broke
    Error,
    /// and what could not be served, or was given up
    Warn,
    /// and every request, the start and the end
    #[default]
    Info,
    /// and the requests of probes
    Debug,
}

/// Begins to write lines to standard error. Only the first call counts.
pub fn open(form: Form, level: Level) {
    let least = match level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
    };
    let lines = tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(least);
    // Whoever embeds the service may have a journal of its own.
    let _ = match form {
        Form::Json => lines.json().flatten_event(true).with_target(false).try_init(),
        Form::Text => lines.with_target(false).with_ansi(false).try_init(),
        Form::Quiet => Ok(()),
    };
}

/// Counts a request while it is being served, however that ends.
struct InFlight(Arc<Office>);

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.metrics.in_flight.fetch_sub(1, Relaxed);
    }
}

/// Serves a request within the time that there is for it, and writes its line.
pub async fn record(State(office): State<Arc<Office>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let path = request.uri().path().to_owned();
    let route = request.extensions().get::<MatchedPath>().map(|route| route.as_str().to_owned());
    office.metrics.in_flight.fetch_add(1, Relaxed);
    let _in_flight = InFlight(Arc::clone(&office));
    let response = match tokio::time::timeout(PATIENCE, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            Problem::later("answer in time", format!("it took more than {} s", PATIENCE.as_secs()))
                .hint("the work goes on; repeat the call with the same Idempotency-Key")
                .into_response()
        }
    };
    let (status, took) = (response.status().as_u16(), began.elapsed());
    let milliseconds = took.as_secs_f64() * 1e3;
    // Any word may be a method: those without a route are counted together.
    let counted = if route.is_some() { method.as_str() } else { "any" };
    office.metrics.request(counted, route.as_deref().unwrap_or("none"), status, took);
    macro_rules! line {
        ($level:ident) => {
            tracing::$level!(%method, path, status, milliseconds, "request")
        };
    }
    match level(route.as_deref(), status) {
        Level::Error => line!(error),
        Level::Warn => line!(warn),
        Level::Info => line!(info),
        Level::Debug => line!(debug),
    }
    response
}

/// How much a request is worth telling.
fn level(route: Option<&str>, status: u16) -> Level {
    match (status, route) {
        (500, _) => Level::Error,
        (501.., _) => Level::Warn,
        (_, Some("/livez" | "/readyz" | "/healthz" | "/metrics")) => Level::Debug,
        _ => Level::Info,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_broke_is_told_before_what_is_asked_for_every_few_seconds() {
        assert_eq!(level(Some("/livez"), 200), Level::Debug);
        assert_eq!(level(Some("/readyz"), 503), Level::Warn);
        assert_eq!(level(Some("/api/campaigns"), 200), Level::Info);
        assert_eq!(level(Some("/api/campaigns"), 404), Level::Info);
        assert_eq!(level(None, 500), Level::Error);
    }
}
