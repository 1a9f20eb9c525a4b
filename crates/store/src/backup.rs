//! Backups: whole campaigns as text, a line of JSON for each record, for a store of either kind.
//!
//! ```text
//! {"baton_backup":1,"schema":6,"program":"0.1.0","written":1790000000.5}
//! {"campaign":{"name":"radio","spec":"…","change":12,"seal":…}}
//! {"task":{"campaign":"radio","number":0,…}}
//! {"trial":{"campaign":"radio","task":0,"number":0,…}}
//! {"end":{"campaigns":1,"tasks":1,"trials":1,"checksum":"…"}}
//! ```
//!
//! What is empty is left out, so that a record from before a column was added is read like one of
//! today. The checksum is over all bytes before the last line; each record has its seal besides.

use crate::database::Cell;
use crate::error::{Result, StoreError};
use crate::rows::whole::{TABLES, Whole};
use crate::schema;
use baton_numerics::checksum::{START, fnv1a};
use serde_json::{Map, Value as Json, json};

/// Version of the form above.
const VERSION: i64 = 1;

/// Whole campaigns outside a store: all records, with their times and what people noted.
#[derive(Debug, Clone, PartialEq)]
pub struct Backup {
    pub(crate) campaigns: Vec<Whole>,
    pub(crate) written: f64,
}

impl Backup {
    /// The names of its campaigns.
    pub fn names(&self) -> Vec<&str> {
        self.campaigns.iter().map(Whole::name).collect()
    }

    /// When it was made, in seconds of Unix time.
    pub fn written(&self) -> f64 {
        self.written
    }

    /// How many campaigns, tasks and trials it has.
    pub fn counts(&self) -> [usize; 3] {
        let count = |table: usize| self.campaigns.iter().map(|whole| whole.rows[table].len()).sum();
        [count(0), count(1), count(2)]
    }

    /// One campaign of it, by its name.
    ///
    /// # Errors
    /// Says which it has, if not that one.
    pub fn only(&self, name: &str) -> Result<Self> {
        let found = self.campaigns.iter().find(|whole| whole.name() == name).cloned();
        let missing = || {
            let names = self.names().join(", ");
            StoreError::refused(format!("it has no campaign {name:?}, but {names}"))
        };
        Ok(Self { campaigns: vec![found.ok_or_else(missing)?], written: self.written })
    }

    /// As text, to be kept in a file.
    ///
    /// # Errors
    /// If a record has a number that a file cannot hold.
    pub fn to_text(&self) -> Result<String> {
        let mut text = format!(
            "{{\"baton_backup\":{VERSION},\"schema\":{},\"program\":{:?},\"written\":{}}}\n",
            schema::version(),
            env!("CARGO_PKG_VERSION"),
            json!(self.written)
        );
        for (table, cells) in self.rows() {
            let cells = TABLES[table].columns().into_iter().zip(cells);
            let mut fields = Map::new();
            for (column, cell) in cells.filter(|(_, cell)| **cell != Cell::Null) {
                fields.insert(column.to_owned(), to_json(cell)?);
            }
            text += &json!({ TABLES[table].kind: fields }).to_string();
            text.push('\n');
        }
        let end = self.end(&text);
        Ok(text + &end.to_string() + "\n")
    }

    /// The rows in the order in which they are written: each after what it belongs to.
    fn rows(&self) -> impl Iterator<Item = (usize, &Vec<Cell>)> {
        self.campaigns.iter().flat_map(|whole| {
            let tables = whole.rows.iter().enumerate();
            tables.flat_map(|(table, rows)| rows.iter().map(move |cells| (table, cells)))
        })
    }

    fn end(&self, before: &str) -> Json {
        let [campaigns, tasks, trials] = self.counts();
        let checksum = format!("{:016x}", fnv1a(START, before.as_bytes()));
        json!({ "end": {
            "campaigns": campaigns, "tasks": tasks, "trials": trials, "checksum": checksum,
        }})
    }

    /// Reads what [`Backup::to_text`] wrote.
    ///
    /// # Errors
    /// If it is something else, damaged, or written by a later version of this program.
    pub fn parse(text: &str) -> Result<Self> {
        let damaged = |line: usize, reason: &str| damaged(format!("line {line}: {reason}"));
        let head: Option<Json> =
            text.lines().next().and_then(|line| serde_json::from_str(line).ok());
        let number = |key: &str| head.as_ref().and_then(|head| head[key].as_i64());
        let Some(version) = number("baton_backup") else {
            return Err(StoreError::refused("it is no backup of Baton"));
        };
        if version > VERSION || number("schema").is_none_or(|known| known > schema::version()) {
            return Err(StoreError::refused("a later version of Baton wrote it"));
        }
        let written = head.as_ref().and_then(|head| head["written"].as_f64()).unwrap_or(0.0);
        let mut backup = Self { campaigns: Vec::new(), written };
        let last = text.trim_end_matches('\n').rfind('\n').map_or(0, |place| place + 1);
        let (body, end) = text.split_at(last);
        for (line, text) in (1..).zip(body.lines()).skip(1) {
            let row: Map<String, Json> =
                serde_json::from_str(text).map_err(|error| damaged(line, &error.to_string()))?;
            backup.take_in(row).map_err(|reason| damaged(line, &reason))?;
        }
        let end: Json = serde_json::from_str(end).unwrap_or_default();
        if end.get("end").is_none() {
            return Err(self::damaged("its end is missing".to_owned()));
        }
        if end != backup.end(body) {
            return Err(self::damaged("its checksum does not fit its content".to_owned()));
        }
        for (table, cells) in backup.rows() {
            TABLES[table].check(cells)?;
        }
        Ok(backup)
    }

    /// Takes in a line.
    fn take_in(&mut self, row: Map<String, Json>) -> std::result::Result<(), String> {
        let Some((kind, Json::Object(mut fields))) = row.into_iter().next() else {
            return Err("it is no record".to_owned());
        };
        let Some(table) = TABLES.iter().position(|table| table.kind == kind) else {
            return Err(format!("{kind:?} is no kind of record"));
        };
        let columns = TABLES[table].columns().into_iter();
        let cells: Vec<Cell> = columns
            .map(|column| to_cell(fields.remove(column).unwrap_or_default()))
            .collect::<std::result::Result<_, _>>()?;
        if let Some(unknown) = fields.keys().next() {
            return Err(format!("a {kind} has no {unknown:?}"));
        }
        if table == 0 {
            self.campaigns.push(Whole::default());
        }
        let whole = self.campaigns.last_mut().ok_or("it belongs to no campaign")?;
        if table > 0 && cells[0] != Cell::from(whole.name()) {
            return Err("it belongs to another campaign".to_owned());
        }
        whole.rows[table].push(cells);
        Ok(())
    }
}

fn damaged(reason: String) -> StoreError {
    StoreError::Damaged { what: "the backup".to_owned(), reason }
}

fn to_json(cell: &Cell) -> Result<Json> {
    Ok(match cell {
        Cell::Null => Json::Null,
        Cell::Integer(value) => json!(value),
        Cell::Real(value) if !value.is_finite() => {
            return Err(StoreError::refused(format!(
                "no file of JSON can hold the number {value}"
            )));
        }
        Cell::Real(value) => json!(value),
        Cell::Text(text) => json!(text),
    })
}

fn to_cell(value: Json) -> std::result::Result<Cell, String> {
    match value {
        Json::Null => Ok(Cell::Null),
        Json::String(text) => Ok(Cell::Text(text)),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Ok(Cell::Integer(whole)),
            (None, Some(real)) => Ok(Cell::Real(real)),
            _ => Err(format!("{number} is too large")),
        },
        other => Err(format!("{other} is neither text nor a number")),
    }
}
