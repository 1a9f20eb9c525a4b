//! The Python module `baton._baton`: what the package `baton` needs of Rust, and no more.
//!
//! The package itself is written in Python (`python/src/baton`); campaigns, tasks, frames and plots
//! are there. This module has the command line, two classes, `Desk` (a campaign with its records) and
//! `Proposer` (the next trial of a task whose records are kept by somebody else), and a
//! few checks. Whatever has parts goes through as JSON: the words are those of the command line.
//!
//! | module | what it knows |
//! |---|---|
//! | `gate` | how Python waits for work: without the interpreter lock, and open to Ctrl-C |
//! | `errors` | which exception says what went wrong |
//! | `parts` | spaces, descriptors, fidelities, settings and knowledge, checked |
//! | `desk` | a campaign with its records |
//! | `proposer` | the next trial, for those who keep the records themselves |
//! | `show` | records as JSON |
//! | `turn` | which task of a campaign is meant |

mod desk;
mod errors;
mod gate;
mod parts;
mod proposer;
mod shared;
mod show;
mod turn;

use pyo3::prelude::*;

/// What the package `baton` needs of Rust.
#[pymodule(gil_used = false)]
mod _baton {
    #[pymodule_export]
    use super::desk::Desk;
    #[pymodule_export]
    use super::parts::{description, descriptors, fidelities, knowledge, settings, space, varied};
    #[pymodule_export]
    use super::proposer::Proposer;

    use super::{Bound, PyModule, PyModuleMethods, PyResult, Python};
    use pyo3::pyfunction;
    use std::ffi::OsString;

    /// The command line: does what the arguments say and returns the exit code.
    #[pyfunction]
    fn run(python: Python<'_>, arguments: Vec<OsString>) -> u8 {
        python.detach(|| baton_cli::run(arguments))
    }

    /// A name for this process among all that work on a campaign.
    #[pyfunction]
    fn process_name(kind: &str) -> String {
        baton_runner::process::name(kind)
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
