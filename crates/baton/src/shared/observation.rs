//! What was told, as the model sees it.

/// A told value: where, at which level, what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observation {
    pub coordinates: Vec<f64>,
    pub level: usize,
    /// in the user's units
    pub value: f64,
    /// the variance of its noise in the square of these units, where it is known
    pub noise: Option<f64>,
}
