//! Slices of the posterior: one parameter varies, the others stay at the recommended point.

use baton::{Space, Task, Value};
use serde_json::{Value as Json, json};

/// Points along a slice.
const POINTS: u32 = 49;

/// A slice per parameter: values, expected values at the highest fidelity, 90 % intervals.
pub fn through(task: &mut Task, space: &Space, centre: &[Value]) -> baton::Result<Vec<Json>> {
    let mut slices = Vec::new();
    for (i, parameter) in space.parameters().iter().enumerate() {
        let values = parameter.domain.spread(POINTS);
        let moved = |value: &Value| {
            let mut point = centre.to_vec();
            point[i] = value.clone();
            point
        };
        let points: Vec<Vec<Value>> = values.iter().map(moved).collect();
        let expected = task.expectations(&points)?;
        slices.push(json!({
            "parameter": parameter.name,
            "at": values,
            "mean": expected.iter().map(|e| e.mean).collect::<Vec<f64>>(),
            "low": expected.iter().map(|e| e.interval.0).collect::<Vec<f64>>(),
            "high": expected.iter().map(|e| e.interval.1).collect::<Vec<f64>>(),
        }));
    }
    Ok(slices)
}
