//! The records of a run: a line of JSON per task, from which it goes on.

use crate::Failure;
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

/// What came of a task, and what the next one needs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub family: String,
    pub method: String,
    pub seed: u64,
    /// from 1
    pub task: u32,
    /// of the point to use before any trial
    pub first_regret: f64,
    /// of the point recommended at the end
    pub end_regret: f64,
    pub cost: f64,
    pub trials: usize,
    /// milliseconds
    pub ms_per_ask: f64,
    /// what the task was really like, in the unit cube of the descriptors
    pub place: Vec<f64>,
    /// the point recommended at the end
    pub recommended: Vec<f64>,
    /// what is handed on
    pub knowledge: String,
}

/// The rows of a file; a last line that was cut off is forgotten.
pub fn load(path: &Path) -> Result<Vec<Row>, Failure> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<Row> = text.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
    if rows.len() < text.lines().count() {
        let lines: Result<Vec<String>, _> = rows.iter().map(serde_json::to_string).collect();
        std::fs::write(path, lines?.into_iter().map(|line| line + "\n").collect::<String>())?;
    }
    Ok(rows)
}

/// One more row.
pub fn add(path: &Path, row: &Row) -> Result<(), Failure> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    file.write_all((serde_json::to_string(row)? + "\n").as_bytes())?;
    Ok(())
}
