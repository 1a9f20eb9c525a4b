//! All experiments of a study, in parallel, continued where they were left.

use crate::LabError;
use crate::experiment::{Experiment, TaskResult};
use crate::records::Records;
use crate::spec::{Spec, version};
use baton_numerics::parallel;
use std::path::Path;

/// Runs what is missing of a study; `done` is called after every task that was run or found.
/// Results are by experiment, then by task.
///
/// # Errors
/// If a file cannot be written or the study does not fit its problem.
pub fn run(
    spec: &Spec,
    folder: Option<&Path>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Vec<TaskResult>>, LabError> {
    let records = folder.map(|parent| Records::open(parent, spec)).transpose()?;
    let all = parallel::map(spec.experiments as usize, |index| {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        one(spec, index, records.as_ref(), done)
    });
    all.into_iter().collect()
}

fn one(
    spec: &Spec,
    index: u32,
    records: Option<&Records>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<TaskResult>, LabError> {
    let seed = spec.seed + u64::from(index);
    let progress = records.map(|records| records.load(seed, spec.tasks)).unwrap_or_default();
    let mut results = progress.results;
    for _ in &results {
        done();
    }
    if results.len() >= spec.tasks as usize {
        return Ok(results);
    }
    if spec.version != version() {
        return Err(LabError::Version { found: spec.version.clone(), own: version() });
    }
    let mut experiment = Experiment::new(spec, index, progress.knowledge)?;
    while results.len() < spec.tasks as usize {
        let result = experiment.next_task()?;
        if let Some(records) = records {
            records.add(seed, &result, experiment.knowledge())?;
        }
        results.push(result);
        done();
    }
    Ok(results)
}
