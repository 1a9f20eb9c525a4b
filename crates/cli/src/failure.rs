//! How a command ends, and an error for people: what was attempted, on what, why it failed, and a hint where there is one.

#[cfg(feature = "full")]
use baton_runner::RunnerError;
#[cfg(feature = "full")]
use baton_store::StoreError;
use std::fmt;
use std::path::Path;

/// How a command that ran to its end ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// all is well
    Done,
    /// a check or an evaluation failed
    Failed,
}

/// Why a call was refused, or why work that had begun had to end.
#[derive(Debug)]
pub struct Failure {
    attempted: String,
    reason: String,
    hint: Option<String>,
    exit_code: u8,
}

impl Failure {
    /// `attempted` continues "could not". Nothing was changed.
    pub fn new(attempted: impl Into<String>, reason: impl fmt::Display) -> Self {
        let (attempted, reason) = (attempted.into(), reason.to_string());
        Self { attempted, reason, hint: None, exit_code: 2 }
    }

    /// The same for work on a file.
    pub fn on_file(verb: &str, path: &Path, reason: impl fmt::Display) -> Self {
        Self::new(format!("{verb} {}", path.display()), reason)
    }

    /// The same for work on a campaign, with a hint for what can be helped.
    #[cfg(feature = "full")]
    pub fn on_campaign(attempted: impl Into<String>, error: &RunnerError) -> Self {
        let failure = Self::new(attempted, error);
        let hint = match error {
            RunnerError::Differs { .. } => {
                "a campaign that has begun keeps its problem and settings; say what changes in the \
                 next [[task]], as space.x = { low = 0, high = 2 }, or give the changed one another \
                 name, or another store"
            }
            RunnerError::NotStarted { .. } => {
                "nothing was evaluated or charged; once `command` in the file is put right, the \
                 same call goes on from here"
            }
            RunnerError::Store(StoreError::NoCampaign { .. }) => {
                "`baton run FILE` makes the campaign of a file"
            }
            RunnerError::Store(StoreError::Unreachable { .. }) => {
                "is the folder there and writable, or the database running and its address right?"
            }
            RunnerError::Store(StoreError::NoStore { .. }) => {
                "`baton run FILE` begins a campaign and makes its store; is the folder the right one?"
            }
            RunnerError::Store(StoreError::Address { .. }) => {
                "sqlite:FILE.db, sqlite:////PATH/FILE.db or postgres://USER@HOST/DATABASE"
            }
            RunnerError::Store(StoreError::Damaged { .. }) => {
                "nothing was changed; put a backup back, or see Recovery in docs/operations.md"
            }
            RunnerError::Store(StoreError::Newer { .. }) => "a later version of baton wrote it",
            _ => return failure,
        };
        failure.hint(hint)
    }

    /// Adds what the user may try.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The work had begun: what was done so far stays.
    pub fn during_work(mut self) -> Self {
        self.exit_code = 1;
        self
    }

    /// 2 if the call was refused, 1 if the work ran and failed.
    pub fn exit_code(&self) -> u8 {
        self.exit_code
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
