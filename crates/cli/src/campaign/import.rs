//! `baton import`: earlier results from a CSV file, as data of the task under way or as finished
//! tasks to learn from.

use super::answer::{caller, in_turn};
use super::show::counted;
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use baton::problem::Domain;
use baton::{Fidelity, Parameter, Value};
use baton_runner::desk::Row;
use baton_runner::{Desk, Records, Spec, Step};
use baton_store::Lease;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Mistakes that are told; more would not help.
const MOST_TOLD: usize = 20;

/// What is read, and as what.
#[derive(Args)]
pub struct Call {
    /// The file: a heading, then a line per result.
    file: PathBuf,
    #[command(flatten)]
    target: Target,
    /// What a column means: COLUMN=FIELD, where FIELD is a parameter, value, fidelity or task. A
    /// column named like a field means that field.
    #[arg(long = "map", value_name = "COLUMN=FIELD")]
    map: Vec<String>,
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

/// A result with the task it belongs to.
struct Entry {
    task: Option<String>,
    row: Row,
}

/// Imports the file.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let refuse = |reason: String| Failure::on_file("import", &call.file, reason);
    let text = std::fs::read_to_string(&call.file).map_err(|error| refuse(error.to_string()))?;
    let mut desk = call.target.find()?.desk()?;
    let (entries, skipped) = entries(&text, &call.map, &desk.records().spec).map_err(refuse)?;
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
    let tasks = if call.finished {
        add_finished(&mut desk, &entries, &stem)
    } else {
        add_to_present(&mut desk, &rows)
    };
    let tasks = tasks.map_err(|error| {
        let attempted = format!("import {}", call.file.display());
        Failure::on_campaign(attempted, &error)
    })?;
    let count = entries.len();
    if call.json {
        out!("{}", json!({ "imported": count, "skipped": skipped, "tasks": tasks }));
    } else {
        let how = if call.finished { "finished task" } else { "data of task" };
        out!("{} imported as {how} {}", counted(count, "result"), tasks.join(", "));
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
        let step = in_turn(|| desk.add_finished(&name, &rows, lease))?;
        debug_assert!(matches!(step, Step::Finished(_)));
        names.push(name);
    }
    Ok(names)
}

/// Reads all lines; all mistakes are told at once.
fn entries(text: &str, map: &[String], spec: &Spec) -> Result<(Vec<Entry>, usize), String> {
    let mut lines = csv_lines(text).into_iter();
    let Some((_, heading)) = lines.next() else { return Err("it is empty".into()) };
    let columns = Columns::find(&heading, map, spec)?;
    let (mut entries, mut skipped, mut mistakes) = (Vec::new(), 0, Vec::new());
    for (line, cells) in lines {
        let blank = |column: usize| cells.get(column).is_none_or(|cell| cell.trim().is_empty());
        if blank(columns.value) {
            skipped += 1;
            continue;
        }
        match columns.entry(&cells, spec) {
            Ok(entry) => entries.push(entry),
            Err(reason) => mistakes.push(format!("\n  line {line}: {reason}")),
        }
    }
    if mistakes.is_empty() && entries.is_empty() {
        return Err("it has no line with a value".into());
    }
    if mistakes.is_empty() {
        return Ok((entries, skipped));
    }
    let more = mistakes.len().saturating_sub(MOST_TOLD);
    mistakes.truncate(MOST_TOLD);
    let rest = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    Err(format!("some lines cannot be used{}{rest}", mistakes.concat()))
}

/// Which column holds what.
struct Columns {
    parameters: Vec<usize>,
    value: usize,
    fidelity: Option<usize>,
    task: Option<usize>,
}

impl Columns {
    fn find(heading: &[String], map: &[String], spec: &Spec) -> Result<Self, String> {
        let parameters = spec.space.parameters();
        let known = |field: &str| {
            ["value", "fidelity", "task"].contains(&field)
                || parameters.iter().any(|parameter| parameter.name == field)
        };
        let mut fields: Vec<String> = heading.iter().map(|cell| cell.trim().to_owned()).collect();
        for entry in map {
            let (column, field) = entry.split_once('=').unwrap_or((entry, ""));
            let (column, field) = (column.trim(), field.trim());
            let Some(place) = heading.iter().position(|cell| cell.trim() == column) else {
                return Err(format!(
                    "--map {entry}: there is no column {column:?}; the columns are {}",
                    heading.join(", ")
                ));
            };
            if !known(field) {
                return Err(format!("--map {entry}: there is no parameter or field {field:?}"));
            }
            field.clone_into(&mut fields[place]);
        }
        let place = |field: &str| fields.iter().position(|known| known == field);
        let needed = |field: &str| {
            place(field).ok_or_else(|| {
                format!(
                    "no column holds {field:?}; the columns are {}\nhint: --map COLUMN={field}",
                    heading.join(", ")
                )
            })
        };
        Ok(Self {
            parameters: parameters.iter().map(|p| needed(&p.name)).collect::<Result<_, _>>()?,
            value: needed("value")?,
            fidelity: place("fidelity"),
            task: place("task"),
        })
    }

    fn entry(&self, cells: &[String], spec: &Spec) -> Result<Entry, String> {
        let cell = |column: usize| cells.get(column).map_or("", |cell| cell.trim());
        let parameters = spec.space.parameters();
        let point: Vec<Value> = parameters
            .iter()
            .zip(&self.parameters)
            .map(|(parameter, column)| read_value(parameter, cell(*column)))
            .collect();
        let point = spec.space.canonical(&point).map_err(|error| error.to_string())?;
        let text = cell(self.value);
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        let value = value.ok_or_else(|| format!("the value {text:?} is not a finite number"))?;
        let level = match self.fidelity.map(cell) {
            Some(name) => level(&spec.fidelities, name)?,
            None => spec.fidelities.len() - 1,
        };
        let task = self.task.map(|column| cell(column).to_owned()).filter(|name| !name.is_empty());
        Ok(Entry { task, row: Row { point, level, value } })
    }
}

fn level(fidelities: &[Fidelity], name: &str) -> Result<usize, String> {
    fidelities.iter().position(|fidelity| fidelity.name == name).ok_or_else(|| {
        let names: Vec<&str> = fidelities.iter().map(|f| f.name.as_str()).collect();
        format!("the fidelity {name:?} is none of {}", names.join(", "))
    })
}

/// A choice by its text; otherwise a number if it is one.
fn read_value(parameter: &Parameter, text: &str) -> Value {
    if let Domain::Ordered { choices } | Domain::Choice { choices } = &parameter.domain
        && let Some(choice) = choices.iter().find(|choice| choice.to_string() == text)
    {
        return choice.clone();
    }
    match (text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(whole), _) => Value::Integer(whole),
        (_, Ok(number)) => Value::Real(number),
        _ => Value::Text(text.to_owned()),
    }
}

/// The records of a CSV text with the line each begins on. Quoted cells may hold commas, quotes and
/// line breaks; empty lines are left out.
fn csv_lines(text: &str) -> Vec<(usize, Vec<String>)> {
    let (mut records, mut cells, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut quoted, mut line, mut begun) = (false, 1, 1);
    let text = text.trim_start_matches('\u{FEFF}');
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        line += usize::from(letter == '\n');
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                cells.push(std::mem::take(&mut cell));
                records.push((begun, std::mem::take(&mut cells)));
                begun = line;
            }
            other => cell.push(other),
        }
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell);
        records.push((begun, cells));
    }
    records.retain(|(_, cells)| cells.iter().any(|cell| !cell.trim().is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_cells_and_line_breaks_are_understood() {
        let lines = csv_lines("a,b\r\n\"x, \"\"y\"\"\",\"1\n2\"\n\n3,4");
        let expected = [(1, ["a", "b"]), (2, ["x, \"y\"", "1\n2"]), (5, ["3", "4"])];
        let expected: Vec<(usize, Vec<String>)> =
            expected.map(|(line, cells)| (line, cells.map(str::to_owned).to_vec())).to_vec();
        assert_eq!(lines, expected);
        assert!(csv_lines("").is_empty());
    }
}
