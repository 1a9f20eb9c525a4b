//! `baton verify`: this program against reference values that were computed elsewhere.

mod case;
mod numerics;
mod report;

use crate::Outcome;
use crate::failure::Failure;
use baton_problems::reference::Comparison;
use clap::Subcommand;
use report::Report;
use std::path::{Path, PathBuf};

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
    /// The built-in problems: every value, stream and optimum in the file.
    Problems {
        /// Reference values; their format is described in `reference/README.md`.
        file: PathBuf,
        /// Print one JSON document instead of a table.
        #[arg(long)]
        json: bool,
    },
}

/// Runs one verification.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    let (What::Numerics { file, json } | What::Problems { file, json }) = what;
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::on_file("read the reference values in", file, error))?;
    let report = match what {
        What::Numerics { .. } => numerics_report(&text, file)?,
        What::Problems { .. } => problems_report(&text, file)?,
    };
    report.print(*json)?;
    Ok(if report.passed() { Outcome::Done } else { Outcome::Failed })
}

fn not_understood(file: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::on_file("understand the reference values in", file, reason)
        .hint("the format is described in reference/README.md")
}

fn numerics_report(text: &str, file: &Path) -> Result<Report, Failure> {
    let cases: Vec<case::Case> =
        serde_json::from_str(text).map_err(|error| not_understood(file, error))?;
    if cases.is_empty() {
        return Err(Failure::on_file("verify against", file, "it holds no case"));
    }
    let mut report = Report::default();
    for case in &cases {
        let refused =
            |reason| Failure::on_file(&format!("verify case {} of", case.name), file, reason);
        numerics::verify(case, &mut report).map_err(refused)?;
    }
    Ok(report)
}

fn problems_report(text: &str, file: &Path) -> Result<Report, Failure> {
    let comparisons =
        baton_problems::reference::verify(text).map_err(|reason| not_understood(file, reason))?;
    let mut report = Report::default();
    for comparison in comparisons {
        let Comparison { group, quantity, relative_error, tolerance } = comparison;
        report.add(&group, &quantity, relative_error, tolerance);
    }
    Ok(report)
}
