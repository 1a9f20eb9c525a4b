//! Why a task ended early, as its result says.

use baton::Stopped;
use baton_store::TaskRecord;
use serde::Deserialize;

/// The part of a result that says so.
#[derive(Deserialize)]
struct Ended {
    #[serde(default)]
    stopped: Option<Stopped>,
}

/// Why a task ended early, if it did.
pub fn stopped(task: &TaskRecord) -> Option<Stopped> {
    let ended: Ended = serde_json::from_str(task.result.as_deref()?).ok()?;
    ended.stopped
}
