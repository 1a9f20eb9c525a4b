//! How the file is cut: groups, their entries and tasks, and what is refused.

use super::findings::Findings;
use serde_json::{Map, Value};

/// Tolerance of everything but radio, whose reference sums in another order.
pub(super) const TOLERANCE: f64 = 1e-9;
pub(super) const RADIO_TOLERANCE: f64 = 1e-7;

pub(super) type Entries = Map<String, Value>;
pub(super) type Checked = Result<(), String>;

/// One task of the file.
pub(super) struct Case<'a> {
    /// where it stands
    pub group: String,
    pub number: u64,
    pub content: &'a Entries,
}

/// Calls `check` for every `task<number>` of a group.
pub(super) fn each_task(
    name: &str,
    group: &Entries,
    findings: &mut Findings,
    check: impl Fn(&Case<'_>, &mut Findings) -> Checked,
) -> Checked {
    for (key, content) in group {
        let path = format!("{name}/{key}");
        let number = number("task", key).ok_or_else(|| format!("{path} is not a task"))?;
        let content = entries(&path, content)?;
        check(&Case { group: path, number, content }, findings)?;
    }
    Ok(())
}

/// The number after a prefix.
pub(super) fn number(prefix: &str, key: &str) -> Option<u64> {
    key.strip_prefix(prefix)?.parse().ok()
}

pub(super) fn entries<'a>(path: &str, content: &'a Value) -> Result<&'a Entries, String> {
    content.as_object().ok_or_else(|| format!("{path} is not an object"))
}

pub(super) fn unknown(group: &str, key: &str) -> Checked {
    Err(format!("{group} holds {key}, which is unknown"))
}
