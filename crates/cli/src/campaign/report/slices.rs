//! Slices of the posterior: one parameter varies, the others stay at the recommended point.

use baton::{Task, Value};
use baton_runner::Problem;
use serde_json::{Value as Json, json};

/// Points along a slice.
const POINTS: u32 = 49;

/// A slice per parameter that is there and searched, as the dashboard draws them: values, and of the highest fidelity expected
/// values with 90 % intervals; and how likely all constraints are to hold there.
pub fn through(task: &mut Task, problem: &Problem, centre: &[Value]) -> baton::Result<Vec<Json>> {
    let Problem { space, fidelities, .. } = problem;
    let fidelity = fidelities.last().map(|level| &level.name);
    let mut slices = Vec::new();
    for (i, parameter) in space.parameters().iter().enumerate() {
        if centre[i].is_absent() || parameter.fixed.is_some() {
            continue;
        }
        let values = parameter.domain.spread(POINTS);
        let moved = |value| space.varied(centre, i, value);
        let points: Vec<Vec<Value>> = values.iter().map(moved).collect();
        let expected = task.expectations(&points)?;
        let feasible: Option<Vec<f64>> = expected.iter().map(|e| e.feasible).collect();
        slices.push(json!({
            "parameter": parameter.name,
            "at": values,
            "feasible": feasible.filter(|shares| !shares.is_empty()),
            "bands": [{
                "fidelity": fidelity,
                "mean": expected.iter().map(|e| e.mean).collect::<Vec<f64>>(),
                "low": expected.iter().map(|e| e.interval.0).collect::<Vec<f64>>(),
                "high": expected.iter().map(|e| e.interval.1).collect::<Vec<f64>>(),
            }],
        }));
    }
    Ok(slices)
}
