//! The groups `fstar` and `diagnostics`: the best of every task.
//!
//! Of the diagnostics, those that follow from a task alone are recomputed. The others are
//! statistics of random points that the file does not name; they are listed here, so that nothing
//! else passes for one of them.

use super::case::{Checked, Entries, RADIO_TOLERANCE, TOLERANCE, entries, number, unknown};
use super::findings::{Array, Findings};
use super::networks::Networks;
use crate::gas::{Objective, Release, TRUE_SOURCE};
use crate::hartmann6::{Bumps, Order};
use crate::radio::Network;
use crate::{Benchmark, MASTER, gas, hartmann6, radio};
use serde_json::Value;

/// Tasks that "all tasks" of the gas family stands for: one sequence, and the original.
const GAS_TASKS: std::ops::RangeInclusive<u64> = 0..=20;
const FULL_POWER: [f64; 4] = [24.0, 1.0, 24.0, 1.0];

const SAMPLED_HARTMANN: [&str; 4] = ["mean", "std", "corr_with_M", "q"];
const SAMPLED_GAS: [&str; 7] = ["mean", "std", "corr", "max_m", "q", "informative", "better"];
const SAMPLED_RADIO: [&str; 9] =
    ["mean", "std", "corr", "corr_top", "rms_top", "var_single_top", "fracs", "quant", "randbest"];

/// A task whose optimum is compared.
pub(super) struct Best<'a> {
    task: &'a dyn Benchmark,
    /// the level that is the truth
    top: usize,
    tolerance: f64,
}

impl<'a> Best<'a> {
    pub fn hartmann(task: &'a Bumps) -> Self {
        Self { task, top: hartmann6::LEVELS - 1, tolerance: TOLERANCE }
    }

    fn gas(task: &'a Release) -> Self {
        Self { task, top: gas::LEVELS - 1, tolerance: TOLERANCE }
    }

    fn radio(task: &'a Network) -> Self {
        Self { task, top: radio::LEVELS - 1, tolerance: RADIO_TOLERANCE }
    }

    /// Compares a best point by what it is worth: near an optimum, points that differ in the fifth
    /// digit agree in the tenth digit of their value, and of tied settings either will do.
    pub fn compare_point(&self, name: (&str, &str), theirs: &Value, findings: &mut Findings) {
        let point = Array::read(theirs);
        let worth = |point: &[f64]| self.task.value(point, self.top);
        let worth = point.as_ref().and_then(Array::list).map_or(f64::NAN, worth);
        let value = Value::from(self.task.optimum().value);
        findings.compare(name, self.tolerance, worth, &value);
    }

    /// Compares the optimum with `[value, point]`.
    fn compare(&self, (path, key): (&str, &str), theirs: &Value, findings: &mut Findings) {
        let part = |i: usize| theirs.get(i).unwrap_or(&Value::Null);
        let value = self.task.optimum().value;
        findings.compare((path, &format!("{key} value")), self.tolerance, value, part(0));
        self.compare_point((path, &format!("{key} point")), part(1), findings);
    }
}

/// The group `fstar`.
pub(super) fn check(group: &Entries, networks: &Networks, findings: &mut Findings) -> Checked {
    for (family, content) in group {
        let path = format!("fstar/{family}");
        let content = entries(&path, content)?;
        match family.as_str() {
            "hartmann" => hartmann(&path, content, findings)?,
            "rrm" => {
                for (key, theirs) in content {
                    let network = networks.get(task(&path, key)?)?;
                    Best::radio(network).compare((&path, key), theirs, findings);
                }
            }
            "gas" => gas(&path, content, findings)?,
            _ => return unknown("fstar", family),
        }
    }
    Ok(())
}

fn task(path: &str, key: &str) -> Result<u64, String> {
    number("", key).ok_or_else(|| format!("{path}/{key} is not a task"))
}

fn order(word: &str) -> Option<Order> {
    match word {
        "paper" => Some(Order::Printed),
        "reference" => Some(Order::Reference),
        _ => None,
    }
}

fn hartmann(path: &str, group: &Entries, findings: &mut Findings) -> Checked {
    for (word, content) in group {
        let Some(order) = order(word) else { return unknown(path, word) };
        let path = format!("{path}/{word}");
        for (key, theirs) in entries(&path, content)? {
            let bumps = Bumps::new(MASTER, task(&path, key)?, order);
            Best::hartmann(&bumps).compare((&path, key), theirs, findings);
        }
    }
    Ok(())
}

fn gas(path: &str, group: &Entries, findings: &mut Findings) -> Checked {
    for (key, theirs) in group {
        let numbers = if key == "all tasks" {
            GAS_TASKS
        } else {
            let number = task(path, key)?;
            number..=number
        };
        for number in numbers {
            let release = Release::new(MASTER, number, TRUE_SOURCE, Objective::Logarithmic);
            Best::gas(&release).compare((path, &number.to_string()), theirs, findings);
        }
    }
    Ok(())
}

/// The group `diagnostics`.
pub(super) fn check_diagnostics(
    group: &Entries,
    networks: &Networks,
    findings: &mut Findings,
) -> Checked {
    for (family, content) in group {
        let path = format!("diagnostics/{family}");
        for (key, theirs) in entries(&path, content)? {
            let inner = format!("{path}/{key}");
            match family.as_str() {
                "hartmann" => describe_bumps(&path, key, entries(&inner, theirs)?, findings)?,
                // Correlations between tasks over random points.
                "gas" if key == "task_corr" => {}
                "gas" => describe_release(&path, key, entries(&inner, theirs)?, findings)?,
                "rrm" => {
                    let network = networks.get(task(&path, key)?)?;
                    describe_network(&inner, network, entries(&inner, theirs)?, findings)?;
                }
                "rrm_full_power_ratio" => {
                    let ratio = full_power_ratio(networks.get(task(&path, key)?)?);
                    findings.compare((&path, key), RADIO_TOLERANCE, ratio, theirs);
                }
                _ => return unknown("diagnostics", family),
            }
        }
    }
    Ok(())
}

fn describe_bumps(path: &str, key: &str, group: &Entries, findings: &mut Findings) -> Checked {
    let named =
        key.split_once('_').and_then(|(word, rest)| Some((order(word)?, number("task", rest)?)));
    let Some((order, number)) = named else { return unknown(path, key) };
    let bumps = Bumps::new(MASTER, number, order);
    let best: Vec<_> = (0..hartmann6::LEVELS).filter_map(|level| bumps.best_of(level)).collect();
    let path = format!("{path}/{key}");
    for (key, theirs) in group {
        match key.as_str() {
            "fstar" => {
                let values: Vec<f64> = best.iter().map(|optimum| optimum.value).collect();
                findings.compare((&path, key), TOLERANCE, &values[..], theirs);
            }
            "xstar_M" => Best::hartmann(&bumps).compare_point((&path, key), theirs, findings),
            "basin" => {
                let basins: Vec<f64> =
                    best.iter().map(|optimum| (bumps.basin(&optimum.point) + 1) as f64).collect();
                findings.compare((&path, key), TOLERANCE, &basins[..], theirs);
            }
            sampled if SAMPLED_HARTMANN.contains(&sampled) => {}
            _ => return unknown(&path, key),
        }
    }
    Ok(())
}

fn describe_release(path: &str, key: &str, group: &Entries, findings: &mut Findings) -> Checked {
    let release = Release::new(MASTER, task(path, key)?, TRUE_SOURCE, Objective::Logarithmic);
    let path = format!("{path}/{key}");
    for (key, theirs) in group {
        match key.as_str() {
            "S0" => findings.compare((&path, key), TOLERANCE, release.signal(), theirs),
            sampled if SAMPLED_GAS.contains(&sampled) => {}
            _ => return unknown(&path, key),
        }
    }
    Ok(())
}

fn describe_network(
    path: &str,
    network: &Network,
    group: &Entries,
    findings: &mut Findings,
) -> Checked {
    let best = network.optimum();
    for (key, theirs) in group {
        let name = (path, key.as_str());
        match key.as_str() {
            "fstar" => findings.compare(name, RADIO_TOLERANCE, best.value, theirs),
            "xstar" => Best::radio(network).compare_point(name, theirs, findings),
            "full" => {
                findings.compare(name, RADIO_TOLERANCE, full_power_ratio(network), theirs);
            }
            "f_at_xstar" => {
                let levels: Vec<f64> =
                    (0..radio::LEVELS).map(|m| network.value(&best.point, m)).collect();
                findings.compare(name, RADIO_TOLERANCE, &levels[..], theirs);
            }
            "var_single_opt" => {
                findings.compare(name, RADIO_TOLERANCE, sample_variance(network), theirs);
            }
            sampled if SAMPLED_RADIO.contains(&sampled) => {}
            _ => return unknown(path, key),
        }
    }
    Ok(())
}

/// The share of the optimum that is reached if every user sends as loud as it can.
fn full_power_ratio(network: &Network) -> f64 {
    network.value(&FULL_POWER, radio::LEVELS - 1) / network.optimum().value
}

/// Variance of the sum rate over single channel samples, at the optimum.
fn sample_variance(network: &Network) -> f64 {
    let Ok(point) = <[f64; 4]>::try_from(network.optimum().point) else { return f64::NAN };
    let rates: Vec<f64> = network.rates(&point, usize::MAX).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    rates.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>() / (rates.len() as f64 - 1.0)
}
