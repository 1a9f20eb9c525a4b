//! Comparison with values computed elsewhere, by another program in another language.
//!
//! The file names its tasks, points and settings itself; whatever it holds is recomputed from them.
//! A group or key that is not known here is an error, never skipped: what was not compared must not
//! look as if it agreed.
//!
//! | module | what it knows |
//! |---|---|
//! | `findings` | arrays from JSON, and how far two of them are apart |
//! | `case` | groups, their entries and tasks |
//! | `networks` | the radio tasks of a file |
//! | `random` | the group `rng` |
//! | `tasks` | the groups that hold single tasks of a family |
//! | `optima` | the groups `fstar` and `diagnostics` |

mod case;
mod findings;
mod networks;
mod optima;
mod random;
mod tasks;

pub use findings::Comparison;

use case::{each_task, entries};
use findings::Findings;
use networks::Networks;
use serde_json::Value;

/// Recomputes everything in a file of reference values.
///
/// # Errors
/// If the file is not JSON, or a group, a key or the name of a task in it is unknown.
pub fn verify(json: &str) -> Result<Vec<Comparison>, String> {
    let document: Value =
        serde_json::from_str(json).map_err(|error| format!("cannot read the JSON: {error}"))?;
    let groups = entries("the file", &document)?;
    let networks = Networks::of(groups)?;
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

#[cfg(test)]
mod tests;
