//! Why a campaign could not go on.

use baton_store::StoreError;

/// Result of the crate's fallible calls.
pub type Result<T> = std::result::Result<T, RunnerError>;

/// Why a campaign could not go on. What is in the store stays as it is.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum RunnerError {
    /// The store did not serve a call.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The algorithm did not serve a call.
    #[error(transparent)]
    Algorithm(#[from] baton::Error),
    /// The campaign in the store is not the one that was asked for.
    #[error("{reason}")]
    Differs {
        /// what differs
        reason: String,
    },
    /// The records do not allow the call.
    #[error("{reason}")]
    Refused {
        /// why
        reason: String,
    },
    /// The evaluation could not even be started; its trial stays as it was.
    #[error("{reason}")]
    NotStarted {
        /// why
        reason: String,
    },
    /// Others changed the records faster than this process could follow.
    #[error("the records changed {times} times while one step was computed")]
    Overtaken {
        /// how often it was tried
        times: u32,
    },
}

impl RunnerError {
    pub(crate) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused { reason: reason.into() }
    }
}

/// Something in the description of a campaign that cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub struct Mistake {
    /// where, in the words of the campaign file: `fidelity`, `0`, `cost`
    pub at: Vec<String>,
    /// what is wrong
    pub error: RunnerError,
    /// what may be tried
    pub hint: Option<&'static str>,
}

impl Mistake {
    pub(crate) fn new(at: &[&dyn ToString], error: impl Into<RunnerError>) -> Self {
        let at = at.iter().map(|word| word.to_string()).collect();
        Self { at, error: error.into(), hint: None }
    }
}
