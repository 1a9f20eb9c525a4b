//! From measured studies to a picture.

use super::plan::{Measured, Plan, Shape};
use crate::LabError;
use crate::figure::{Curve, CurvePoint, LineFigure, SurfaceFigure, png};
use crate::summary::{TaskSummary, statistics};
use baton_problems::Score;
use std::collections::BTreeSet;

/// Pixels across a PNG.
const WIDTH: u32 = 1600;

/// The figure as SVG and PNG.
pub(super) fn figure(
    plan: &Plan,
    measured: &[Measured<'_>],
) -> Result<(String, Vec<u8>), LabError> {
    let score = measured.first().map_or(Ok(Score::Regret), |m| m.study.spec.score())?;
    let svg = match &plan.shape {
        Shape::OverTasks => over_tasks(plan, measured, score).svg(),
        Shape::Surface { axis } => surface(plan, measured, score, axis).svg(),
        Shape::OverValue { axis, at } => over_value(plan, measured, score, axis, at).svg(),
    };
    let refused = |error: &dyn std::fmt::Display| LabError::Record(error.to_string());
    let svg = svg.map_err(|error| refused(&error))?;
    let picture = png(&svg, WIDTH).map_err(|error| refused(&error))?;
    Ok((svg, picture))
}

fn label(score: Score) -> String {
    match score {
        Score::Regret => "simple regret (53)".into(),
        Score::Ratio => "optimality ratio (54)".into(),
    }
}

fn caption(measured: &[Measured<'_>]) -> String {
    let counts: Vec<u32> = measured.iter().map(|m| m.study.spec.experiments).collect();
    let (least, most) = (counts.iter().min().unwrap_or(&0), counts.iter().max().unwrap_or(&0));
    let experiments = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    let versions: BTreeSet<&str> = measured.iter().map(|m| m.study.spec.version.as_str()).collect();
    let versions = versions.into_iter().collect::<Vec<_>>().join(" and ");
    format!(
        "Mean over {experiments} experiments with 90 % interval; one fixed sequence of tasks; opening \
         evaluations free. beta as in the paper: the corrected gain is weighed against beta / 2. \
         Version {versions}."
    )
}

fn point(x: f64, task: &TaskSummary) -> CurvePoint {
    let s = statistics(&task.scores);
    CurvePoint { x, mean: s.mean, half_width: s.half_width }
}

fn over_tasks(plan: &Plan, measured: &[Measured<'_>], score: Score) -> LineFigure {
    let curve = |(style, m): (usize, &Measured<'_>)| Curve {
        label: m.study.label.clone(),
        points: m.tasks.iter().map(|task| point(f64::from(task.task), task)).collect(),
        style,
        is_grey: m.study.is_grey,
    };
    LineFigure {
        title: plan.title.into(),
        x_label: "task n".into(),
        y_label: label(score),
        log_x: false,
        log_y: score == Score::Regret,
        curves: measured.iter().enumerate().map(curve).collect(),
        caption: caption(measured),
    }
}

fn over_value(
    plan: &Plan,
    measured: &[Measured<'_>],
    score: Score,
    axis: &str,
    at: &[u32],
) -> LineFigure {
    let swept: Vec<&Measured<'_>> = measured.iter().filter(|m| m.study.value.is_some()).collect();
    let values: Vec<f64> = swept.iter().filter_map(|m| m.study.value).collect();
    let task = |m: &Measured<'_>, number: u32| -> Option<TaskSummary> {
        m.tasks.iter().find(|task| task.task == number).cloned()
    };
    let mut curves = Vec::new();
    for number in at {
        let points = swept.iter().filter_map(|m| Some(point(m.study.value?, &task(m, *number)?)));
        let (label, style) = (format!("mft-mes, n = {number}"), curves.len());
        curves.push(Curve { label, points: points.collect(), style, is_grey: false });
        for m in measured.iter().filter(|m| m.study.value.is_none()) {
            let flat = |x: &f64| task(m, *number).map(|task| point(*x, &task));
            let label = format!("{}, n = {number}", m.study.label);
            let (points, style) = (values.iter().filter_map(flat).collect(), curves.len());
            let is_grey = m.study.is_grey;
            curves.push(Curve { label, points, style, is_grey });
        }
    }
    LineFigure {
        title: plan.title.into(),
        x_label: axis.into(),
        y_label: label(score),
        log_x: false,
        log_y: score == Score::Regret,
        curves,
        caption: caption(measured),
    }
}

fn surface(plan: &Plan, measured: &[Measured<'_>], score: Score, axis: &str) -> SurfaceFigure {
    let swept: Vec<&Measured<'_>> = measured.iter().filter(|m| m.study.value.is_some()).collect();
    let xs: Vec<f64> = swept.iter().filter_map(|m| m.study.value).collect();
    let tasks = swept.iter().map(|m| m.tasks.len()).min().unwrap_or(0);
    let mean = |m: &Measured<'_>, task: usize| statistics(&m.tasks[task].scores).mean;
    let z: Vec<Vec<f64>> =
        (0..tasks).map(|task| swept.iter().map(|m| mean(m, task)).collect()).collect();
    let better = |a: f64, b: f64| if score == Score::Regret { a < b } else { a > b };
    let best = |(task, row): (usize, &Vec<f64>)| {
        let first = (xs.first().copied()?, row.first().copied()?);
        let cells = xs.iter().copied().zip(row.iter().copied());
        let winner = cells.fold(first, |w, cell| if better(cell.1, w.1) { cell } else { w });
        Some((winner.0, task as f64 + 1.0))
    };
    let line = |m: &Measured<'_>| {
        (m.study.label.clone(), (0..tasks).map(|task| mean(m, task)).collect::<Vec<f64>>())
    };
    SurfaceFigure {
        title: plan.title.into(),
        x_label: axis.into(),
        y_label: "task n".into(),
        z_label: label(score),
        ys: (1..=tasks).map(|n| n as f64).collect(),
        best: z.iter().enumerate().filter_map(best).collect(),
        xs,
        z,
        log_z: score == Score::Regret,
        lines: measured.iter().filter(|m| m.study.value.is_none()).map(line).collect(),
        caption: caption(measured),
    }
}
