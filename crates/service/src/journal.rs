//! One structured line per request: what was asked for, how it ended, how long it took. Neither
//! headers nor bodies nor what follows the `?` of an address, so that no secret gets here.

use crate::office::Office;
use crate::problem::Problem;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

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

/// Begins to write lines to standard error. Only the first call counts.
pub fn open(form: Form) {
    let lines = tracing_subscriber::fmt().with_writer(std::io::stderr);
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
    tracing::info!(%method, path, status, milliseconds, "request");
    response
}
