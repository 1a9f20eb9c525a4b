//! A campaign as a client describes it: the same as in a campaign file, within bounds.

use crate::problem::Problem;
use baton_runner::{Mistake, Spec, Wanted};

const ATTEMPTED: &str = "make the campaign";
/// More of anything than this is a mistake.
const MOST: usize = 1_000;

/// Checks it all.
///
/// # Errors
/// Says what cannot be used.
pub fn spec_of(wanted: &Wanted) -> Result<Spec, Problem> {
    let Wanted { space, descriptors, fidelities, constraints, tasks, .. } = wanted;
    let counts = [
        ("parameters", space.len()),
        ("descriptors", descriptors.len()),
        ("fidelities", fidelities.len()),
        ("constraints", constraints.len()),
        ("tasks", tasks.len()),
    ];
    let changes = tasks.iter().map(|task| {
        let forbidden = task.forbid.as_ref().map_or(0, Vec::len);
        task.space.len() + forbidden + task.fidelities.len() + task.constraints.len()
    });
    let changes = ("changes in tasks", changes.sum());
    for (what, count) in counts.into_iter().chain([changes]) {
        if count > MOST {
            let reason = format!("{count} {what} are more than {MOST}");
            return Err(Problem::unusable(ATTEMPTED, reason));
        }
    }
    fidelities.iter().try_for_each(|fidelity| check_name("fidelity", &fidelity.name))?;
    constraints.iter().try_for_each(|one| check_name("constraint", &one.name))?;
    tasks.iter().try_for_each(|task| check_name("task", &task.name))?;
    let changed = tasks.iter().flat_map(|task| &task.fidelities);
    changed.into_iter().try_for_each(|fidelity| check_name("fidelity", &fidelity.name))?;
    if tasks.is_empty() {
        return Err(Problem::unusable(ATTEMPTED, "it has no task"));
    }
    wanted.spec().map_err(|found| {
        let reasons: Vec<String> = found.iter().map(told).collect();
        let problem = Problem::unusable(ATTEMPTED, reasons.join("; "));
        match found.iter().find_map(|Mistake { hint, .. }| *hint) {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    })
}

/// What is wrong with it; of what is said of tasks also with which, since that names none.
fn told(Mistake { at, error, .. }: &Mistake) -> String {
    match &at[..] {
        [_, task, key, ..] if key == "describe" => format!("tasks[{task}].describe: {error}"),
        _ => error.to_string(),
    }
}

/// Names are for people and for addresses.
///
/// # Errors
/// If it is empty, long, or holds what cannot be seen.
pub fn check_name(what: &str, name: &str) -> Result<(), Problem> {
    let usable = !name.trim().is_empty() && name.chars().count() <= 100;
    if usable && !name.chars().any(char::is_control) && name != "." && name != ".." {
        return Ok(());
    }
    let reason = format!("the name of the {what} is not 1 to 100 visible characters");
    Err(Problem::unusable(ATTEMPTED, reason))
}
