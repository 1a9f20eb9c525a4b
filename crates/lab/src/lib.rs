//! Experiments on the built-in problems: the bench on which every change to the method is judged.
//!
//! A [`Spec`] says what is run; [`study::run`] runs its experiments in parallel and keeps their
//! results in [`records`]; [`summary`] turns them into a row per task; [`figure`]
//! draws, and [`reproduce`] knows which studies the paper's figures need.

pub mod experiment;
pub mod figure;
pub mod records;
pub mod reproduce;
mod spec;
pub mod study;
pub mod summary;
pub mod theorem;

pub use spec::{Initial, Spec, version};

use std::path::Path;

/// Why a study could not be run.
#[derive(Debug, thiserror::Error)]
pub enum LabError {
    /// No such problem.
    #[error("there is no problem {name:?}; the problems are {known}")]
    Problem {
        /// what was asked for
        name: String,
        /// what there is
        known: String,
    },
    /// No such figure.
    #[error("there is no figure {name:?}; the figures are {known}")]
    Figure {
        /// what was asked for
        name: String,
        /// what there is
        known: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {reason}")]
    File {
        /// which file
        path: String,
        /// what the system said
        reason: String,
    },
    /// A result could not be written down.
    #[error("a result could not be written: {0}")]
    Record(String),
    /// Results of another version cannot be continued.
    #[error("these results are of version {found}, this is {own}: they cannot be continued")]
    Version {
        /// of the results
        found: String,
        /// of this program
        own: String,
    },
    /// The optimiser refused a call.
    #[error(transparent)]
    Baton(#[from] baton::Error),
}

impl LabError {
    fn file(path: &Path, error: &std::io::Error) -> Self {
        Self::File { path: path.display().to_string(), reason: error.to_string() }
    }
}
