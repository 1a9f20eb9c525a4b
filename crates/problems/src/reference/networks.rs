//! The radio tasks of the file.

use super::case::{Entries, number};
use crate::MASTER;
use crate::radio::Network;
use baton_numerics::parallel;
use serde_json::Value;
use std::collections::BTreeMap;

/// The radio tasks, each made once; where the file asks for an optimum it is found
/// already, for that is the work worth sharing among threads.
pub(super) struct Networks(BTreeMap<u64, Network>);

impl Networks {
    /// One of them.
    pub fn get(&self, number: u64) -> Result<&Network, String> {
        self.0.get(&number).ok_or_else(|| format!("radio task {number} was not prepared"))
    }

    /// Those that the groups of a file speak of.
    pub fn of(groups: &Entries) -> Result<Self, String> {
        let keys = |path: &[&str]| -> Vec<&String> {
            let mut content = groups.get(path[0]);
            for key in &path[1..] {
                content = content.and_then(|inner| inner.get(key));
            }
            content
                .and_then(Value::as_object)
                .map(|inner| inner.keys().collect())
                .unwrap_or_default()
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
                let number =
                    number("", key).ok_or_else(|| format!("{path}/{key} is not a task"))?;
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
        Ok(Self(made.into_iter().collect()))
    }
}
