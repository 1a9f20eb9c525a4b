//! What can be wrong with a request to the algorithm.
//!
//! Every variant carries the value at fault. Text for people is made here and nowhere else; exit
//! codes and the like are chosen by the layers above.

use baton_numerics::cholesky::CholeskyError;

/// Result of the crate's fallible calls.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a call could not be served. The state of the callee is unchanged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A task that is not the present one of its campaign.
    #[error("task {number} (counted from 0) is not the present task of this campaign")]
    NotPresent {
        /// its place in the sequence
        number: u32,
    },
    /// Two things that belong together differ in size.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// which size
        what: &'static str,
        /// the size that would fit
        expected: usize,
        /// the size that was given
        got: usize,
    },
    /// A given number is NaN or infinite.
    #[error("{what} {index} is {value}, not a finite number")]
    NotFinite {
        /// which list of numbers
        what: &'static str,
        /// position in that list
        index: usize,
        /// the number
        value: f64,
    },
    /// A given number lies outside what is meaningful.
    #[error("{what} is {value}; it must be {must}")]
    OutOfRange {
        /// which number
        what: &'static str,
        /// the number
        value: f64,
        /// what would be accepted
        must: &'static str,
    },
    /// A parameter of the space cannot be used, or not so.
    #[error("parameter {name}: {reason}")]
    Parameter {
        /// its name
        name: String,
        /// what is wrong
        reason: String,
    },
    /// A condition cannot be understood, or not in this space.
    #[error("the condition {text:?}, at sign {place}: {reason}")]
    Condition {
        /// as it was written
        text: String,
        /// where in the text, in characters from 1
        place: usize,
        /// what is wrong
        reason: String,
    },
    /// What is forbidden leaves nothing, or the point is forbidden.
    #[error("{what} is forbidden: {reason}")]
    Forbidden {
        /// what was wanted
        what: &'static str,
        /// by which line, or how much
        reason: String,
    },
    /// A descriptor of tasks cannot be used, or not so.
    #[error("descriptor {name}: {reason}")]
    Descriptor {
        /// its name
        name: String,
        /// what is wrong
        reason: String,
    },
    /// A constraint cannot be used, or a value of its quantity.
    #[error("constraint {name}: {reason}")]
    Constraint {
        /// its name
        name: String,
        /// what is wrong
        reason: String,
    },
    /// A fidelity cannot be used.
    #[error("fidelity {name}: {reason}")]
    Fidelity {
        /// its name
        name: String,
        /// what is wrong
        reason: String,
    },
    /// A setting of the method is not known or cannot have this value.
    #[error("setting {key} = {value}: {reason}")]
    Setting {
        /// its key
        key: String,
        /// the value asked for
        value: String,
        /// what is wrong
        reason: String,
    },
    /// Knowledge cannot be used here.
    #[error("this knowledge cannot be used: {reason}")]
    Knowledge {
        /// what is wrong
        reason: String,
    },
    /// A trial is not in a state that allows the call.
    #[error("trial {id}: {reason}")]
    Trial {
        /// its number
        id: usize,
        /// what is wrong
        reason: String,
    },
    /// A computation left the range of floating-point numbers.
    #[error("{what} came out as {value}: the inputs are too large or too small for arithmetic")]
    Overflow {
        /// what was computed
        what: &'static str,
        /// what came out
        value: f64,
    },
    /// A factor was used with something of another size.
    #[error(transparent)]
    Algebra(#[from] CholeskyError),
    /// The covariance of the observations has no factor.
    #[error("the covariance of {points} observations could not be factored: {source}")]
    Factorisation {
        /// how many observations there were
        points: usize,
        /// what the factorisation said
        source: CholeskyError,
    },
}

/// Checks that all numbers of a list are finite.
///
/// # Errors
/// Names the first that is not.
pub fn all_finite(what: &'static str, values: &[f64]) -> Result<()> {
    if baton_numerics::vector::all_finite(values) {
        return Ok(());
    }
    match values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        Some((index, value)) => Err(Error::NotFinite { what, index, value: *value }),
        None => Ok(()),
    }
}

/// Checks a size.
///
/// # Errors
/// If `got` differs from `expected`.
pub fn same_size(what: &'static str, expected: usize, got: usize) -> Result<()> {
    if expected == got { Ok(()) } else { Err(Error::Shape { what, expected, got }) }
}

/// Passes a computed number on if it is finite.
///
/// # Errors
/// If it is NaN or infinite.
pub fn computed(what: &'static str, value: f64) -> Result<f64> {
    if value.is_finite() { Ok(value) } else { Err(Error::Overflow { what, value }) }
}
