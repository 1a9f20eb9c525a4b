//! `baton import`: earlier results from a CSV file, as data of the task under way or as finished
//! tasks to learn from.

use super::answer::{caller, in_turn};
use super::results::{Entry, Headings, entries};
use super::show::counted;
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use baton_runner::desk::Row;
use baton_runner::{Desk, Records, Step};
use baton_store::Lease;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// What is read, and as what.
#[derive(Args)]
pub struct Call {
    /// The file: a heading, then a line per result.
    file: PathBuf,
    #[command(flatten)]
    target: Target,
    #[command(flatten)]
    headings: Headings,
    /// As finished tasks to learn from, one per name in the column task, instead of as data of the
    /// task under way.
    #[arg(long)]
    finished: bool,
    /// Import results that are there already once more.
    #[arg(long)]
    again: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Imports the file.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let refuse = |reason: String| Failure::on_file("import", &call.file, reason);
    let text = std::fs::read_to_string(&call.file).map_err(|error| refuse(error.to_string()))?;
    let mut desk = call.target.find()?.desk()?;
    let records = desk.records();
    let problem =
        if call.finished { Ok(records.last_problem()) } else { records.present_problem() };
    let problem = problem.map_err(|error| refuse(error.to_string()))?;
    let about = (&problem, &records.spec.descriptors);
    let (entries, skipped) = entries(&text, &call.headings, about).map_err(refuse)?;
    let rows: Vec<Row> = entries.iter().map(|entry| entry.row.clone()).collect();
    let before = desk.added_before(&rows).map_err(|error| refuse(error.to_string()))?;
    if let Some(task) = before.filter(|_| !call.again) {
        return Err(refuse(format!("all of its results are there already, in the task {task:?}"))
            .hint("--again imports them once more, as further observations"));
    }
    if !call.finished
        && let Some(reason) = of_other_tasks(&entries, desk.records())
    {
        return Err(refuse(reason)
            .hint("--finished imports finished tasks to learn from, one per name; without that column, all lines are data of the task under way"));
    }
    let stem =
        call.file.file_stem().map_or("imported".into(), |s| s.to_string_lossy().into_owned());
    let new = if call.finished || call.again { Ok(rows.clone()) } else { desk.new_rows(&rows) };
    let new = new.map_err(|error| refuse(error.to_string()))?;
    let (count, known) = (new.len(), rows.len() - new.len());
    let tasks = if call.finished {
        add_finished(&mut desk, &entries, &stem)
    } else {
        add_to_present(&mut desk, &new)
    };
    let tasks = tasks.map_err(|error| {
        let attempted = format!("import {}", call.file.display());
        Failure::on_campaign(attempted, &error)
    })?;
    if call.json {
        let json = json!({ "imported": count, "known": known, "skipped": skipped, "tasks": tasks });
        out!("{json}");
    } else {
        let how = if call.finished { "finished task" } else { "data of task" };
        let what = if known > 0 { "new result" } else { "result" };
        let there = if known > 0 { format!("; {known} were there already") } else { String::new() };
        out!("{} imported as {how} {}{there}", counted(count, what), tasks.join(", "));
        if skipped > 0 {
            out!("left out: {} without a value", counted(skipped, "line"));
        }
    }
    Ok(Outcome::Done)
}

/// Lines that belong to other tasks than the one that data are added to.
fn of_other_tasks(entries: &[Entry], records: &Records) -> Option<String> {
    let present = records.present().map(|task| task.name.as_str());
    let present = present.or_else(|| records.next().map(|plan| plan.name.as_str()))?;
    let mut others: Vec<&str> = entries.iter().filter_map(|entry| entry.task.as_deref()).collect();
    others.retain(|name| *name != present);
    others.sort_unstable();
    others.dedup();
    let named = others.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    let reason = format!("its column task has {named}; data can be added to {present:?} only");
    (!others.is_empty()).then_some(reason)
}

fn add_to_present(desk: &mut Desk, rows: &[Row]) -> Result<Vec<String>, baton_runner::RunnerError> {
    let holder = caller();
    let lease = Lease { holder: &holder, seconds: None };
    in_turn(|| desk.add_free(rows, lease)).map(|_| ())?;
    Ok(desk.records().latest().map(|task| task.name.clone()).into_iter().collect())
}

fn add_finished(
    desk: &mut Desk,
    entries: &[Entry],
    stem: &str,
) -> Result<Vec<String>, baton_runner::RunnerError> {
    let mut tasks: Vec<(String, Vec<Row>)> = Vec::new();
    for entry in entries {
        let name = entry.task.as_deref().unwrap_or(stem);
        match tasks.iter_mut().find(|(known, _)| known == name) {
            Some((_, rows)) => rows.push(entry.row.clone()),
            None => tasks.push((name.to_owned(), vec![entry.row.clone()])),
        }
    }
    let holder = caller();
    let lease = Lease { holder: &holder, seconds: None };
    let mut names = Vec::new();
    for (name, rows) in tasks {
        let step = in_turn(|| desk.add_finished((&name, &Row::common(&rows)), &rows, lease))?;
        debug_assert!(matches!(step, Step::Finished(_)));
        names.push(name);
    }
    Ok(names)
}
