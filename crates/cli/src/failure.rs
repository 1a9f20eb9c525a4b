//! An error for people: what was attempted, on what, why it failed, and a hint where there is one.

use std::fmt;
use std::path::Path;

/// Why a call was refused; nothing was changed.
#[derive(Debug)]
pub struct Failure {
    attempted: String,
    reason: String,
    hint: Option<String>,
}

impl Failure {
    /// `attempted` continues "could not".
    pub fn new(attempted: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self { attempted: attempted.into(), reason: reason.to_string(), hint: None }
    }

    /// The same for work on a file.
    pub fn on_file(verb: &str, path: &Path, reason: impl fmt::Display) -> Self {
        Self::new(format!("{verb} {}", path.display()), reason)
    }

    /// Adds what the user may try.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "error: could not {}: {}", self.attempted, self.reason)?;
        match &self.hint {
            Some(hint) => write!(out, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}
