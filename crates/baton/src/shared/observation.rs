//! What was told, as the model sees it.

/// A told value: where, at which level, what.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observation {
    pub coordinates: Vec<f64>,
    /// coordinates of what was said of the task, or of this trial
    pub place: Vec<f64>,
    pub level: usize,
    /// in the user's units
    pub value: f64,
    /// the variance of its noise in the square of these units, where it is known
    pub noise: Option<f64>,
    /// whether all constraints held, as far as they were measured
    pub feasible: bool,
}

impl Observation {
    /// All coordinates that the model knows.
    pub(crate) fn whole(&self) -> Vec<f64> {
        [&self.coordinates[..], &self.place].concat()
    }

    /// As if nothing had been said of the task.
    pub(crate) fn untold(&self) -> Self {
        Self { place: Vec::new(), ..self.clone() }
    }
}
