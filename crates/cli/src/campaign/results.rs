//! Results in a CSV file: which column holds what, and what each line says.

use baton::problem::Domain;
use baton::{Description, Descriptors, Fidelity, Measured, Parameter, Value};
use baton_runner::Problem;
use baton_runner::desk::Row;

/// Mistakes that are told; more would not help.
const MOST_TOLD: usize = 20;
/// Columns of what Baton itself writes (`export`, `trials`, frames in Python) that are not read.
const WRITTEN: [&str; 9] =
    ["trial", "cost", "charged", "state", "reason", "aim", "asked", "answered", "holder"];

/// A result with the task it belongs to.
pub struct Entry {
    /// its name, where there is one
    pub task: Option<String>,
    /// the result
    pub row: Row,
}

/// What the user says of the columns.
#[derive(clap::Args)]
pub struct Headings {
    /// What a column means: COLUMN=FIELD, where FIELD is a parameter, a descriptor, a constraint, value,
    /// fidelity or task. A
    /// column named like a field means that field.
    #[arg(long = "map", value_name = "COLUMN=FIELD")]
    map: Vec<String>,
    /// A column that means nothing here. Others that are no field are refused.
    #[arg(long = "ignore", value_name = "COLUMN")]
    ignore: Vec<String>,
}

/// Reads all lines; all mistakes are told at once.
pub fn entries(
    text: &str,
    headings: &Headings,
    (problem, descriptors): (&Problem, &Descriptors),
) -> Result<(Vec<Entry>, usize), String> {
    let mut lines = csv_lines(text).into_iter();
    let Some((_, heading)) = lines.next() else { return Err("it is empty".into()) };
    let columns = Columns::find(&heading, headings, (problem, descriptors))?;
    let (mut entries, mut skipped, mut mistakes) = (Vec::new(), 0, Vec::new());
    for (line, cells) in lines {
        let blank = |column: usize| cells.get(column).is_none_or(|cell| cell.trim().is_empty());
        if blank(columns.value) {
            skipped += 1;
            continue;
        }
        match columns.entry(&cells, (problem, descriptors)) {
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
    /// with the place of the descriptor; those that have no column are not said
    descriptors: Vec<(usize, usize)>,
    value: usize,
    /// of constrained quantities, by their names
    constraints: Vec<(String, usize)>,
    fidelity: Option<usize>,
    task: Option<usize>,
}

impl Columns {
    fn find(
        heading: &[String],
        said: &Headings,
        (problem, descriptors): (&Problem, &Descriptors),
    ) -> Result<Self, String> {
        let names = |of: &[Parameter]| of.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
        let (parameters, descriptors) =
            (names(problem.space.parameters()), names(descriptors.parameters()));
        let parameters: Vec<&str> = parameters.iter().map(String::as_str).collect();
        let descriptors: Vec<&str> = descriptors.iter().map(String::as_str).collect();
        let quantities: Vec<&str> = problem.constraints.iter().map(|c| c.name.as_str()).collect();
        let fields = ["value", "fidelity", "task"];
        let known = [&parameters[..], &descriptors, &quantities, &fields].concat();
        let heading: Vec<&str> = heading.iter().map(|cell| cell.trim()).collect();
        let there = heading.join(", ");
        let find = |option: &str, column: &str| {
            let place = heading.iter().position(|cell| *cell == column);
            place.ok_or_else(|| {
                format!("{option}: there is no column {column:?}; the columns are {there}")
            })
        };
        let mut fields: Vec<Option<&str>> = heading.iter().map(|cell| Some(*cell)).collect();
        for column in &said.ignore {
            fields[find(&format!("--ignore {column}"), column.trim())?] = None;
        }
        for entry in &said.map {
            let (column, field) = entry.split_once('=').unwrap_or((entry, ""));
            let (place, field) = (find(&format!("--map {entry}"), column.trim())?, field.trim());
            if !known.contains(&field) {
                return Err(format!("--map {entry}: there is no parameter or field {field:?}"));
            }
            fields[place] = Some(field);
        }
        for (place, field) in fields.iter().enumerate() {
            // One without a name is a count of lines, as pandas writes it.
            let Some(field) = field.filter(|field| !field.is_empty()) else { continue };
            if fields[..place].contains(&Some(field)) {
                return Err(format!(
                    "two columns hold {field:?}; the columns are {there}\n\
                     hint: rename one, or --ignore it"
                ));
            }
        }
        let place = |field: &str| fields.iter().position(|known| *known == Some(field));
        let needed = |field: &str| {
            place(field).ok_or_else(|| {
                format!(
                    "no column holds {field:?}; the columns are {there}\n\
                     hint: --map COLUMN={field}"
                )
            })
        };
        let columns = Self {
            parameters: parameters.iter().map(|name| needed(name)).collect::<Result<_, _>>()?,
            descriptors: (0..)
                .zip(&descriptors)
                .filter_map(|(i, name)| Some((i, place(name)?)))
                .collect(),
            value: needed("value")?,
            constraints: quantities
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), place(name)?)))
                .collect(),
            fidelity: place("fidelity"),
            task: place("task"),
        };
        let strange = fields
            .iter()
            .flatten()
            .find(|field| !field.is_empty() && !known.contains(field) && !WRITTEN.contains(field));
        match strange {
            None => Ok(columns),
            Some(strange) => Err(format!(
                "the column {strange:?} is none of {}\n\
                 hint: --map {strange}=FIELD says which it is, --ignore {strange} leaves it out",
                known.join(", ")
            )),
        }
    }

    fn entry(
        &self,
        cells: &[String],
        (problem, descriptors): (&Problem, &Descriptors),
    ) -> Result<Entry, String> {
        let Problem { space, fidelities, .. } = problem;
        let cell = |column: usize| cells.get(column).map_or("", |cell| cell.trim());
        let parameters = space.parameters();
        let point: Vec<Value> = parameters
            .iter()
            .zip(&self.parameters)
            .map(|(parameter, column)| read_value(parameter, cell(*column)))
            .collect();
        let point = space.canonical(&point).map_err(|error| error.to_string())?;
        let text = cell(self.value);
        let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
        let value = value.ok_or_else(|| format!("the value {text:?} is not a finite number"))?;
        let level = match self.fidelity.map(cell) {
            Some(name) => level(fidelities, name)?,
            None => fidelities.len() - 1,
        };
        let task = self.task.map(|column| cell(column).to_owned()).filter(|name| !name.is_empty());
        let all = descriptors.parameters();
        let said = self.descriptors.iter().filter(|(_, column)| !cell(*column).is_empty());
        let context: Description = said
            .map(|(i, column)| {
                let descriptor = &all[*i];
                (descriptor.name.clone(), read_value(descriptor, cell(*column)))
            })
            .collect();
        let context = descriptors.canonical(&context).map_err(|error| error.to_string())?;
        let mut constraints = Measured::new();
        for (name, column) in &self.constraints {
            let text = cell(*column);
            if text.is_empty() {
                continue;
            }
            let measured = text.parse::<f64>().ok().filter(|value| value.is_finite());
            let measured =
                measured.ok_or_else(|| format!("{name} {text:?} is not a finite number"))?;
            constraints.insert(name.clone(), measured);
        }
        Ok(Entry { task, row: Row { point, level, value, context, constraints } })
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
    if text.is_empty() && parameter.when.is_some() {
        return Value::Absent;
    }
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
