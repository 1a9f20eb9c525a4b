//! Comparison with values computed elsewhere, by another program in another language.
//!
//! The file names its tasks, points and settings itself; whatever it holds is recomputed from them.
//! A group or key that is not known here is an error, never skipped: what was not compared must not
//! look as if it agreed.
//!
//! | module | what it knows |
//! |---|---|
//! | `findings` | arrays from JSON, and how far two of them are apart |
//! | `random` | the group `rng` |
//! | `tasks` | the groups that hold single tasks of a family |
//! | `optima` | the groups `fstar` and `diagnostics` |

mod findings;
mod optima;
mod random;
mod tasks;

use crate::MASTER;
use crate::radio::Network;
use baton_numerics::parallel;
use findings::Findings;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// How far apart two computations of the same quantity are.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// the part of the file
    pub group: String,
    /// what was computed
    pub quantity: String,
    /// `max |a - b| / max |b|`, `b` being the file's; absolute where `b` is zero throughout, and
    /// infinite if something is missing, not a number, or of another shape
    pub relative_error: f64,
    /// the largest error that counts as agreement
    pub tolerance: f64,
}

impl Comparison {
    /// Whether the two computations agree.
    pub fn passed(&self) -> bool {
        self.relative_error <= self.tolerance
    }
}

/// Tolerance of everything but radio, whose reference sums in another order.
const TOLERANCE: f64 = 1e-9;
const RADIO_TOLERANCE: f64 = 1e-7;

type Entries = Map<String, Value>;
type Checked = Result<(), String>;

/// Recomputes everything in a file of reference values.
///
/// # Errors
/// If the file is not JSON, or a group, a key or the name of a task in it is unknown.
pub fn verify(json: &str) -> Result<Vec<Comparison>, String> {
    let document: Value =
        serde_json::from_str(json).map_err(|error| format!("cannot read the JSON: {error}"))?;
    let groups = entries("the file", &document)?;
    let networks = networks(groups)?;
    let mut findings = Findings::default();
    for (name, content) in groups {
        let group = entries(name, content)?;
        match name.as_str() {
            "rng" => random::check(group, &mut findings)?,
            "hartmann" => each_task(name, group, &mut findings, tasks::hartmann)?,
            "hartmann_shifted" => each_task(name, group, &mut findings, tasks::hartmann_shifted)?,
            "gas" => each_task(name, group, &mut findings, tasks::gas)?,
            "gas_moving" => each_task(name, group, &mut findings, tasks::gas_moving)?,
            "rrm" => each_task(name, group, &mut findings, |case, findings| {
                tasks::radio(case, &networks, findings)
            })?,
            "fstar" => optima::check(group, &networks, &mut findings)?,
            "diagnostics" => optima::check_diagnostics(group, &networks, &mut findings)?,
            _ => return Err(format!("the group {name} is unknown")),
        }
    }
    Ok(findings.into_comparisons())
}

/// One task of the file.
struct Case<'a> {
    /// where it stands
    group: String,
    number: u64,
    content: &'a Entries,
}

/// Calls `check` for every `task<number>` of a group.
fn each_task(
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
fn number(prefix: &str, key: &str) -> Option<u64> {
    key.strip_prefix(prefix)?.parse().ok()
}

fn entries<'a>(path: &str, content: &'a Value) -> Result<&'a Entries, String> {
    content.as_object().ok_or_else(|| format!("{path} is not an object"))
}

fn unknown(group: &str, key: &str) -> Checked {
    Err(format!("{group} holds {key}, which is unknown"))
}

/// The radio tasks of the file, each made once; where the file asks for an optimum it is found
/// already, for that is the work worth sharing among threads.
struct Networks(BTreeMap<u64, Network>);

impl Networks {
    fn get(&self, number: u64) -> Result<&Network, String> {
        self.0.get(&number).ok_or_else(|| format!("radio task {number} was not prepared"))
    }
}

fn networks(groups: &Entries) -> Result<Networks, String> {
    let keys = |path: &[&str]| -> Vec<&String> {
        let mut content = groups.get(path[0]);
        for key in &path[1..] {
            content = content.and_then(|inner| inner.get(key));
        }
        content.and_then(Value::as_object).map(|inner| inner.keys().collect()).unwrap_or_default()
    };
    // Whether the optimum is wanted, by task.
    let mut wanted = BTreeMap::new();
    for key in keys(&["rrm"]) {
        let number = number("task", key).ok_or_else(|| format!("rrm/{key} is not a task"))?;
        wanted.insert(number, false);
    }
    let with_optimum: [&[&str]; 3] =
        [&["fstar", "rrm"], &["diagnostics", "rrm"], &["diagnostics", "rrm_full_power_ratio"]];
    for path in with_optimum {
        for key in keys(path) {
            let path = path.join("/");
            let number = number("", key).ok_or_else(|| format!("{path}/{key} is not a task"))?;
            wanted.insert(number, true);
        }
    }
    let wanted: Vec<(u64, bool)> = wanted.into_iter().collect();
    let made = parallel::map(wanted.len(), |i| {
        let (number, optimum) = wanted[i];
        let network = Network::new(MASTER, number);
        if optimum {
            crate::Benchmark::optimum(&network);
        }
        (number, network)
    });
    Ok(Networks(made.into_iter().collect()))
}

#[cfg(test)]
mod tests;
