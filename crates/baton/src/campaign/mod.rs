//! Campaigns: ask, tell, hand on.
//!
//! Settings (checked once) make a [`Campaign`]; it starts a [`Task`]; the task proposes trials
//! and takes in their values; finishing it turns what was seen into
//! [`Knowledge`](crate::shared::Knowledge) for the next. No files, no clock, no network here.

mod aliases;
#[allow(clippy::module_inception)] // a campaign is what this folder is about
mod campaign;
mod expectation;
mod further;
mod given;
mod insight;
mod look;
mod measurement;
mod method;
mod predict;
mod quality;
mod ready;
mod records;
mod refit;
mod settings;
mod setup;
mod stop;
mod task;

pub use campaign::{Campaign, Finished};
pub use expectation::{Expected, Recommendation, Sight};
pub use insight::{
    Calibration, Coverage, Effect, Estimate, FidelityInsight, Fixing, Importance, Insight,
    Interaction, Matters, OfFidelity, Seen, Split, StillToGain, Trust, Width, importance_in_words,
    still_to_gain_in_words, trust_in_words,
};
pub use measurement::Measurement;
pub use method::Method;
pub use predict::{Nearest, Prediction, Weight, in_words};
pub use quality::SearchQuality;
pub use settings::Settings;
pub use stop::{Stop, Stopped};
pub use task::Task;
