//! What was survived on the way to a model.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that did not go as it should, and was survived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Note {
    /// this had to be added to the diagonal of a covariance
    Jitter(f64),
    /// so many particles could not be used
    DroppedParticles(usize),
    /// so many scores or steps of the particles failed
    FailedScores(u32),
    /// the model could not be used; a point of the design was taken instead
    FellBack(String),
    /// what earlier tasks taught fits this one so much worse (nats) than knowing nothing that it was
    /// left out
    Unrelated(f64),
    /// particles that earlier tasks handed over predict this task so much worse (nats) than fresh draws
    /// of the first prior
    WorseThanPrior(f64),
    /// parameters around the fitted ones could not be drawn, so what later tasks will use was not valued
    NothingForLater(String),
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jitter(amount) => write!(out, "jitter of {amount:.0e} was needed"),
            Self::DroppedParticles(count) => write!(out, "{count} particles could not be used"),
            Self::FailedScores(count) => write!(out, "{count} particle steps failed"),
            Self::FellBack(reason) => write!(out, "the model could not be used: {reason}"),
            Self::Unrelated(nats) => write!(
                out,
                "what earlier tasks taught was left out: it is {nats:.1} nats worse than nothing"
            ),
            Self::NothingForLater(reason) => {
                write!(out, "what later tasks will use could not be valued: {reason}")
            }
            Self::WorseThanPrior(nats) => write!(
                out,
                "the particles handed over predict this task {nats:.1} nats worse than fresh draws of \
                 the prior: svgd_rate may be too large, or kde_variance unfit for this kernel"
            ),
        }
    }
}
