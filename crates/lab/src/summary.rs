//! From results to a row per task: mean, 90 % interval, median, cost, trials per fidelity.

use crate::experiment::TaskResult;
use crate::spec::Spec;
use baton_problems::Score;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// 90 % of a normal distribution lies within this many standard deviations (A17).
const NINETY_PERCENT: f64 = 1.645;

/// Mean and half the width of its 90 % interval, and the median.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Statistics {
    /// the mean
    pub mean: f64,
    /// half the width of a 90 % interval of the mean
    pub half_width: f64,
    /// the median
    pub median: f64,
}

/// Statistics of some numbers; NaN of nothing.
pub fn statistics(values: &[f64]) -> Statistics {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    let half = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let median =
        if even { f64::midpoint(middle(half.wrapping_sub(1)), middle(half)) } else { middle(half) };
    Statistics { mean, half_width: NINETY_PERCENT * deviation / count.sqrt(), median }
}

/// One task over all experiments.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskSummary {
    /// from 1
    pub task: u32,
    /// one per experiment
    pub scores: Vec<f64>,
    /// of the recommended points, one per experiment
    pub honest_scores: Vec<f64>,
    /// mean number of trials at each fidelity
    pub trials_per_fidelity: Vec<f64>,
    /// mean of what was charged
    pub cost: f64,
    /// mean milliseconds per ask
    pub ms_per_ask: f64,
    /// mean milliseconds per hand-over
    pub ms_per_finish: f64,
}

/// A study's results by task.
pub fn by_task(results: &[Vec<TaskResult>]) -> Vec<TaskSummary> {
    let tasks = results.iter().map(Vec::len).min().unwrap_or(0);
    (0..tasks)
        .map(|task| summarise(&results.iter().map(|r| &r[task]).collect::<Vec<_>>()))
        .collect()
}

fn summarise(results: &[&TaskResult]) -> TaskSummary {
    let mean = |f: &dyn Fn(&TaskResult) -> f64| {
        results.iter().map(|result| f(result)).sum::<f64>() / results.len() as f64
    };
    let levels = results.first().map_or(0, |result| result.trials_per_fidelity.len());
    let trials = |level: usize| mean(&|r: &TaskResult| f64::from(r.trials_per_fidelity[level]));
    TaskSummary {
        task: results.first().map_or(0, |result| result.task),
        scores: results.iter().map(|result| result.score).collect(),
        honest_scores: results.iter().map(|result| result.honest_score).collect(),
        trials_per_fidelity: (0..levels).map(trials).collect(),
        cost: mean(&|r| r.cost),
        ms_per_ask: mean(&|r| r.ms_per_ask),
        ms_per_finish: mean(&|r| r.ms_per_finish),
    }
}

/// The study as one JSON document.
pub fn document(spec: &Spec, score: Score, tasks: &[TaskSummary]) -> Value {
    let mean = |f: &dyn Fn(&TaskSummary) -> f64| {
        tasks.iter().map(f).sum::<f64>() / tasks.len().max(1) as f64
    };
    let row = |t: &TaskSummary| {
        json!({
            "task": t.task, "scores": t.scores, "honest_scores": t.honest_scores,
            "trials_per_fidelity": t.trials_per_fidelity, "cost": t.cost,
        })
    };
    json!({
        "problem": spec.problem,
        "method": spec.settings.method().name(),
        "preset": spec.settings.preset().name(),
        "settings": spec.settings_json(),
        "score": match score { Score::Regret => "regret", Score::Ratio => "ratio" },
        "tasks": tasks.iter().map(row).collect::<Vec<_>>(),
        "ms_per_ask": mean(&|t| t.ms_per_ask),
        "ms_per_finish": mean(&|t| t.ms_per_finish),
        "version": spec.version,
        "experiments": spec.experiments,
        "seed": spec.seed,
        "fresh_tasks": spec.fresh_tasks,
        "initial": spec.initial.name(),
        "budget": spec.budget,
    })
}

/// The study as CSV, a line per experiment and task.
pub fn csv(spec: &Spec, tasks: &[TaskSummary]) -> String {
    let mut text = String::from("problem,method,task,seed,score,honest_score\n");
    for task in tasks {
        for (index, (score, honest)) in task.scores.iter().zip(&task.honest_scores).enumerate() {
            let seed = spec.seed + index as u64;
            let (problem, method) = (&spec.problem, spec.settings.method());
            let _ = writeln!(text, "{problem},{method},{},{seed},{score},{honest}", task.task);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_the_usual_ones() {
        let s = statistics(&[1.0, 2.0, 3.0, 10.0]);
        assert_eq!((s.mean, s.median), (4.0, 2.5));
        let deviation = (50.0_f64 / 3.0).sqrt();
        assert!((s.half_width - 1.645 * deviation / 2.0).abs() < 1e-12);
        assert_eq!(statistics(&[5.0]).median, 5.0);
        assert!(statistics(&[]).mean.is_nan());
    }
}
