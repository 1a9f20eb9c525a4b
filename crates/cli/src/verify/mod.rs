//! `baton verify`: this program against reference values that were computed elsewhere.

mod case;
mod numerics;
mod report;

use crate::Outcome;
use crate::failure::Failure;
use clap::Subcommand;
use std::path::PathBuf;

/// What is verified.
#[derive(Subcommand)]
pub enum What {
    /// Evidence, gradients, posteriors, gains, particles: every quantity in the file.
    Numerics {
        /// Reference values; their format is described in `reference/README.md`.
        file: PathBuf,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
}

/// Runs one verification.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    let What::Numerics { file, json } = what;
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::on_file("read the reference values in", file, error))?;
    let cases: Vec<case::Case> = serde_json::from_str(&text).map_err(|error| {
        Failure::on_file("understand the reference values in", file, error)
            .hint("the format is described in reference/README.md")
    })?;
    if cases.is_empty() {
        return Err(Failure::on_file("verify against", file, "it holds no case"));
    }
    let mut report = report::Report::default();
    for case in &cases {
        numerics::verify(case, &mut report).map_err(|reason| {
            Failure::on_file(&format!("verify case {} of", case.name), file, reason)
        })?;
    }
    report.print(*json)?;
    Ok(if report.passed() { Outcome::Done } else { Outcome::Failed })
}
