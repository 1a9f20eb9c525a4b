//! What was compared, how far it was off, and whether that is within the tolerance.

use crate::failure::Failure;
use serde::Serialize;

/// One quantity of one case.
#[derive(Debug, Serialize)]
pub struct Line {
    case: String,
    quantity: String,
    /// `max |a - b| / max |b|`; missing if it is not a number
    relative_error: Option<f64>,
    tolerance: f64,
    passed: bool,
}

/// All comparisons of a run.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    lines: Vec<Line>,
}

impl Report {
    /// Compares computed with expected arrays; each pair has its own scale, and the worst counts.
    pub fn compare(
        &mut self,
        case: &str,
        quantity: &str,
        tolerance: f64,
        pairs: &[(Vec<f64>, Vec<f64>)],
    ) {
        let worst = pairs.iter().map(|(got, want)| relative_error(got, want)).fold(0.0, worse);
        self.add(case, quantity, worst, tolerance);
    }

    /// Adds a comparison whose error is known; one that is not a number has failed.
    pub fn add(&mut self, case: &str, quantity: &str, error: f64, tolerance: f64) {
        let passed = error <= tolerance;
        let relative_error = error.is_finite().then_some(error);
        let (case, quantity) = (case.to_owned(), quantity.to_owned());
        self.lines.push(Line { case, quantity, relative_error, tolerance, passed });
    }

    /// Whether every quantity is within its tolerance.
    pub fn passed(&self) -> bool {
        self.lines.iter().all(|line| line.passed)
    }

    /// Prints a table, or one JSON document.
    pub fn print(&self, json: bool) -> Result<(), Failure> {
        if json {
            let document =
                serde_json::json!({ "passed": self.passed(), "comparisons": self.lines });
            let text = serde_json::to_string_pretty(&document)
                .map_err(|error| Failure::new("write the report as JSON", error))?;
            out!("{text}");
            return Ok(());
        }
        out!("{:<16} {:<32} {:>11} {:>11}", "case", "quantity", "rel. error", "tolerance");
        for line in &self.lines {
            let error = line.relative_error.map_or("-".to_owned(), |error| format!("{error:.1e}"));
            let mark = if line.passed { "" } else { "  FAILED" };
            out!(
                "{:<16} {:<32} {error:>11} {:>11.0e}{mark}",
                line.case,
                line.quantity,
                line.tolerance
            );
        }
        let failed = self.lines.iter().filter(|line| !line.passed).count();
        let passed = self.lines.len() - failed;
        out!("{passed} passed, {failed} failed");
        Ok(())
    }
}

/// Infinite if shapes differ or a number is missing.
fn relative_error(got: &[f64], want: &[f64]) -> f64 {
    if got.len() != want.len() {
        return f64::INFINITY;
    }
    let scale = want.iter().fold(0.0_f64, |most, w| most.max(w.abs()));
    let gap = got.iter().zip(want).map(|(g, w)| (g - w).abs()).fold(0.0, worse);
    if scale > 0.0 { gap / scale } else { gap }
}

/// The larger of two errors, where NaN is larger than anything.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { a.max(b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misfits_and_missing_numbers_fail() {
        assert_eq!(relative_error(&[1.0, 2.0], &[1.0, 4.0]), 0.5);
        assert_eq!(relative_error(&[1.0], &[1.0, 4.0]), f64::INFINITY);
        assert_eq!(relative_error(&[f64::NAN, 4.0], &[1.0, 4.0]), f64::INFINITY);
        assert_eq!(relative_error(&[1e-12], &[0.0]), 1e-12);
        let mut report = Report::default();
        report.compare("c", "q", 1e-9, &[(vec![1.0], vec![1.0]), (vec![1.1], vec![1.0])]);
        assert!(!report.passed());
    }
}
