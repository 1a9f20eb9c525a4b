//! The groups that hold single tasks of a family: how each is made, and values at given points.

use super::case::{Case, Checked, RADIO_TOLERANCE, TOLERANCE, unknown};
use super::findings::{Array, Findings};
use super::networks::Networks;
use super::optima::Best;
use crate::gas::{Objective, Release, TRUE_SOURCE};
use crate::hartmann6::{Bumps, Order};
use crate::radio::{Network, cell_of};
use crate::{Benchmark, MASTER, gas, gas_moving, hartmann6, hartmann6_shifted, radio};

/// Plain Hartmann-6.
pub(super) fn hartmann(case: &Case<'_>, findings: &mut Findings) -> Checked {
    bumps(case, |order| Bumps::new(MASTER, case.number, order), findings)
}

/// Shifted Hartmann-6.
pub(super) fn hartmann_shifted(case: &Case<'_>, findings: &mut Findings) -> Checked {
    bumps(case, |order| hartmann6_shifted::moved(MASTER, case.number, order), findings)
}

fn bumps(case: &Case<'_>, make: impl Fn(Order) -> Bumps, findings: &mut Findings) -> Checked {
    let (printed, reference) = (make(Order::Printed), make(Order::Reference));
    for (key, theirs) in case.content {
        let ours = match key.as_str() {
            "x" => continue,
            "delta" => printed.widths()[..].into(),
            "shift" => printed.shift()[..].into(),
            "f_paper_order" => values(case, |x, m| printed.value(x, m), hartmann6::LEVELS)?,
            "f_reference_order" => values(case, |x, m| reference.value(x, m), hartmann6::LEVELS)?,
            "fstar" => printed.optimum().value.into(),
            "xstar" => {
                Best::hartmann(&printed).compare_point((&case.group, key), theirs, findings);
                continue;
            }
            _ => return unknown(&case.group, key),
        };
        findings.compare((&case.group, key), TOLERANCE, ours, theirs);
    }
    Ok(())
}

/// The gas release with one source.
pub(super) fn gas(case: &Case<'_>, findings: &mut Findings) -> Checked {
    let release = Release::new(MASTER, case.number, TRUE_SOURCE, Objective::Logarithmic);
    plume(case, &release, findings)
}

/// The gas release whose source moves.
pub(super) fn gas_moving(case: &Case<'_>, findings: &mut Findings) -> Checked {
    plume(case, &gas_moving::release(MASTER, case.number), findings)
}

fn plume(case: &Case<'_>, release: &Release, findings: &mut Findings) -> Checked {
    for (key, theirs) in case.content {
        let ours = match key.as_str() {
            "x" => continue,
            "truth" => release.source()[..].into(),
            "sensors" => release.sensors()[..].into(),
            "measured" => release.measured()[..].into(),
            "S0" => release.signal().into(),
            "sse" => values(case, |x, m| release.misfit(x, m), gas::LEVELS)?,
            "f" => values(case, |x, m| release.value(x, m), gas::LEVELS)?,
            _ => return unknown(&case.group, key),
        };
        findings.compare((&case.group, key), TOLERANCE, ours, theirs);
    }
    Ok(())
}

/// Radio.
pub(super) fn radio(case: &Case<'_>, networks: &Networks, findings: &mut Findings) -> Checked {
    let network = networks.get(case.number)?;
    for (key, theirs) in case.content {
        let ours = match key.as_str() {
            "x" => continue,
            "users_xy" => network.users()[..].into(),
            "serving" => serving(network.users().len()),
            "pathloss_dB" => network.path_loss()[..].into(),
            "G_first_sample_row0" => network.first_gains()[..].into(),
            "power_mW" => powers(case, network)?,
            "f" => values(case, |x, m| network.value(x, m), radio::LEVELS)?,
            _ => return unknown(&case.group, key),
        };
        findings.compare((&case.group, key), RADIO_TOLERANCE, ours, theirs);
    }
    Ok(())
}

fn serving(users: usize) -> Array {
    let cells: Vec<f64> = (0..users).map(|k| cell_of(k) as f64).collect();
    cells[..].into()
}

fn powers(case: &Case<'_>, network: &Network) -> Result<Array, String> {
    let powers =
        |x: &[f64]| <&[f64; 4]>::try_from(x).map_or(Vec::new(), |x| network.powers(x).to_vec());
    Ok(points(case)?.rows().unwrap_or_default().into_iter().map(powers).collect::<Vec<_>>().into())
}

/// The points that a task of the file is evaluated at.
fn points(case: &Case<'_>) -> Result<Array, String> {
    case.content
        .get("x")
        .and_then(Array::read)
        .filter(|points| points.rows().is_some())
        .ok_or_else(|| format!("{} holds no list of points x", case.group))
}

/// What every level says of every point of the file.
fn values(
    case: &Case<'_>,
    value: impl Fn(&[f64], usize) -> f64,
    levels: usize,
) -> Result<Array, String> {
    let row = |x: &[f64]| -> Vec<f64> { (0..levels).map(|m| value(x, m)).collect() };
    Ok(points(case)?.rows().unwrap_or_default().into_iter().map(row).collect::<Vec<_>>().into())
}
