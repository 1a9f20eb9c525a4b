//! Numbers for those who operate the service, in Prometheus' text format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the classes of durations, in seconds.
const BOUNDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// Durations of one kind.
#[derive(Debug, Default, Clone)]
struct Durations {
    classes: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

/// What is counted.
#[derive(Debug, Default)]
pub struct Metrics {
    /// by method, route and status
    requests: Mutex<BTreeMap<(String, String, u16), Durations>>,
    /// requests being served
    pub in_flight: AtomicI64,
    /// trials handed out
    pub asked: AtomicU64,
    /// answers that became a trial's outcome
    pub settled: AtomicU64,
}

impl Metrics {
    /// Counts a request.
    pub fn request(&self, method: &str, route: &str, status: u16, took: Duration) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let durations = requests.entry((method.to_owned(), route.to_owned(), status)).or_default();
        let seconds = took.as_secs_f64();
        for (class, bound) in durations.classes.iter_mut().zip(BOUNDS) {
            *class += u64::from(seconds <= bound);
        }
        durations.count += 1;
        durations.seconds += seconds;
    }

    /// As Prometheus reads it.
    pub fn text(&self, listeners: usize) -> String {
        let mut text = String::new();
        let mut single = |name: &str, kind: &str, help: &str, value: String| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        let version = env!("CARGO_PKG_VERSION");
        single("baton_requests_in_flight", "gauge", "Requests being served.", {
            self.in_flight.load(Relaxed).to_string()
        });
        single("baton_listeners", "gauge", "Streams of events.", listeners.to_string());
        single("baton_trials_asked_total", "counter", "Trials handed out.", {
            self.asked.load(Relaxed).to_string()
        });
        single("baton_answers_total", "counter", "Answers that became outcomes.", {
            self.settled.load(Relaxed).to_string()
        });
        let _ = writeln!(
            text,
            "# HELP baton_build_info Version of the service.\n# TYPE baton_build_info gauge\n\
             baton_build_info{{version=\"{version}\"}} 1\n\
             # HELP baton_request_seconds Duration of requests.\n\
             # TYPE baton_request_seconds histogram"
        );
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        for ((method, route, status), durations) in requests.iter() {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            for (count, bound) in durations.classes.iter().zip(BOUNDS) {
                let _ = writeln!(
                    text,
                    "baton_request_seconds_bucket{{{labels},le=\"{bound}\"}} {count}"
                );
            }
            let Durations { count, seconds, .. } = durations;
            let _ = writeln!(
                text,
                "baton_request_seconds_bucket{{{labels},le=\"+Inf\"}} {count}\n\
                 baton_request_seconds_sum{{{labels}}} {seconds}\n\
                 baton_request_seconds_count{{{labels}}} {count}"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_in_cumulative_classes() {
        let metrics = Metrics::default();
        metrics.request("GET", "/a", 200, Duration::from_millis(3));
        metrics.request("GET", "/a", 200, Duration::from_mins(1));
        let text = metrics.text(2);
        let labels = "method=\"GET\",route=\"/a\",status=\"200\"";
        for expected in [
            format!("bucket{{{labels},le=\"0.0025\"}} 0"),
            format!("bucket{{{labels},le=\"0.005\"}} 1"),
            format!("bucket{{{labels},le=\"30\"}} 1"),
            format!("bucket{{{labels},le=\"+Inf\"}} 2"),
            format!("count{{{labels}}} 2"),
            "baton_listeners 2".to_owned(),
        ] {
            assert!(text.contains(&expected), "{expected} in {text}");
        }
    }
}
