//! Slices of the posterior: one parameter varies, the others stay at the recommended point.

use baton::problem::Domain;
use baton::{Space, Task, Value};
use serde_json::{Value as Json, json};

/// Points along a slice.
const POINTS: u32 = 49;

/// A slice per parameter: values, expected values of the truth, 90 % intervals.
pub fn through(task: &mut Task, space: &Space, centre: &[Value]) -> baton::Result<Vec<Json>> {
    let mut slices = Vec::new();
    for (i, parameter) in space.parameters().iter().enumerate() {
        let values = along(&parameter.domain);
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

/// Legal values of a parameter, evenly spread.
fn along(domain: &Domain) -> Vec<Value> {
    let share = |i: u32| f64::from(i) / f64::from(POINTS - 1);
    match domain {
        Domain::Ordered { choices } | Domain::Choice { choices } => choices.clone(),
        Domain::Real { low, high, log: false } => (0..POINTS)
            .map(|i| Value::Real((low + share(i) * (high - low)).clamp(*low, *high)))
            .collect(),
        Domain::Real { low, high, log: true } => (0..POINTS)
            .map(|i| (low.ln() + share(i) * (high.ln() - low.ln())).exp().clamp(*low, *high))
            .map(Value::Real)
            .collect(),
        #[allow(clippy::cast_possible_truncation)] // between two whole numbers
        Domain::Integer { low, high, .. } => {
            let (low, high) = (*low as f64, *high as f64);
            let mut whole: Vec<i64> =
                (0..POINTS).map(|i| (low + share(i) * (high - low)).round() as i64).collect();
            whole.dedup();
            whole.into_iter().map(Value::Integer).collect()
        }
        Domain::Stepped { low, step, .. } => {
            let last = domain.count().unwrap_or(1).saturating_sub(1) as f64;
            let mut steps: Vec<f64> = (0..POINTS).map(|i| (share(i) * last).round()).collect();
            steps.dedup();
            steps.into_iter().map(|count| Value::Real(low + count * step)).collect()
        }
    }
}
