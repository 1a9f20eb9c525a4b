//! What a task taught, for people: which parameters matter, how much each fidelity tells of the highest, and
//! how far intervals were to be trusted. No part of an ask.

mod draws;
mod estimate;
mod fidelities;
mod fixing;
mod importance;
mod indices;
mod look;
mod still;
mod trust;
mod words;

pub(super) use draws::others;
pub use estimate::Estimate;
pub use fidelities::FidelityInsight;
pub use fixing::Fixing;
pub use importance::{Effect, Importance, Interaction, Matters, OfFidelity, Split};
pub use look::Insight;
pub use still::{StillToGain, still_to_gain_in_words};
pub use trust::{Calibration, Coverage, Seen, Trust, Width};
pub use words::{importance_in_words, trust_in_words};
