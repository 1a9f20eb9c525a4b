//! Numbers, points and tables as people read them.

use baton::Outcome;
use baton::{Description, Space, Trial, Value};
use baton_store::TrialRecord;
use serde_json::{Map, Value as Json, json};

/// A number with five significant digits and no more zeros than needed.
pub fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let magnitude = number.abs().log10().floor();
    if !(-4.0..9.0).contains(&magnitude) {
        return format!("{number:.4e}");
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 0 and 8
    let decimals = (4.0 - magnitude).max(0.0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// So many of something whose plural ends in s.
pub fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A value of a parameter; nothing, where the parameter is not there.
pub fn value(value: &Value) -> String {
    match value {
        Value::Real(number) => short(*number),
        Value::Absent => String::new(),
        other => other.to_string(),
    }
}

/// A point with the names of its parameters.
pub fn point(space: &Space, point: &[Value]) -> String {
    named(space, point).join(" ")
}

/// Each value of a point with the name of its parameter.
pub fn named(space: &Space, point: &[Value]) -> Vec<String> {
    space.present(point).map(|(p, v)| format!("{}={}", p.name, value(v))).collect()
}

/// The same as JSON.
pub fn point_json(space: &Space, point: &[Value]) -> Json {
    let named = space.present(point);
    Json::Object(named.map(|(p, v)| (p.name.clone(), json!(v))).collect::<Map<_, _>>())
}

/// What is said of a task.
pub fn said(description: &Description) -> String {
    let named = description.iter().map(|(name, v)| format!("{name}={}", value(v)));
    named.collect::<Vec<String>>().join(" ")
}

/// The outcome of a trial in a few words.
pub fn outcome(trial: &Trial) -> String {
    match &trial.outcome {
        Outcome::Pending => "pending".into(),
        Outcome::Told { value, .. } => format!("{}{}", short(*value), measured(trial)),
        Outcome::Failed { reason } => format!("failed: {}", first_line(reason)),
    }
}

/// What was measured besides the value, in brackets.
fn measured(trial: &Trial) -> String {
    let named = trial.constraints.iter().map(|(name, value)| format!("{name}={}", short(*value)));
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!(" ({})", named.join(" ")) }
}

/// The first line of a text.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or("")
}

/// Nats per unit of cost that a trial was expected to buy.
pub fn nats_per_cost(trial: &Trial) -> Option<f64> {
    trial.nats.map(|nats| (nats.optimum + nats.transfer) / trial.cost)
}

/// How long ago a trial was asked for, in seconds.
pub fn age(record: &TrialRecord) -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0.0, |now| now.as_secs_f64() - record.asked)
}

/// A time span in the two largest units that matter.
pub fn span(seconds: f64) -> String {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        3_600..86_400 => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
        _ => format!("{} d {} h", whole / 86_400, whole % 86_400 / 3_600),
    }
}

/// Rows under a heading, in columns as wide as needed; numbers stand at the right.
pub fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([heading[column].chars().count()]).max().unwrap_or(0)
    };
    let is_number = |cell: &String| cell.parse::<f64>().is_ok() || cell == "-" || cell.is_empty();
    let layout: Vec<(usize, bool)> = (0..heading.len())
        .map(|column| {
            let mut cells = rows.iter().filter_map(|row| row.get(column));
            (width(column), !rows.is_empty() && cells.all(is_number))
        })
        .collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&layout).map(|(cell, (width, right))| {
            if *right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        padded.collect::<Vec<String>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(heading.to_vec());
    for row in rows {
        text.push_str(&line(row.iter().map(String::as_str).collect()));
    }
    text
}

/// One line of CSV.
pub fn csv(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| {
        if cell.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.clone()
        }
    });
    quoted.collect::<Vec<String>>().join(",") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_tables_align() {
        let shown = [0.0, 1.0, 0.123_456_78, -2500.0, 1e-9, 123_456.78, 2e12].map(short);
        assert_eq!(shown, ["0", "1", "0.12346", "-2500", "1.0000e-9", "123457", "2.0000e12"]);
        let rows = [vec!["a".into(), "10".into()], vec!["long".into(), "2".into()]];
        assert_eq!(table(&["name", "n"], &rows), "name   n\na     10\nlong   2\n");
        assert_eq!(csv(&["a,b".into(), "say \"x\"".into()]), "\"a,b\",\"say \"\"x\"\"\"\n");
        assert_eq!(
            [5.0, 65.0, 7300.0, 200_000.0].map(span),
            ["5 s", "1 min 5 s", "2 h 1 min", "2 d 7 h"]
        );
    }
}
