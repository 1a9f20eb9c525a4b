//! Campaigns: ask, tell, hand on.
//!
//! Settings (checked once) make a [`Campaign`]; it starts a [`Task`]; the task proposes [`Trial`]s
//! and takes in their values; finishing it turns what was seen into
//! [`Knowledge`](crate::knowledge::Knowledge) for the next. No files, no clock, no network here.

mod agenda;
mod contest;
mod cover;
mod epoch;
mod explore;
mod hills;
mod inference;
mod keys;
mod levels;
mod measurement;
mod method;
mod outlook;
mod priors;
mod proposal;
mod quality;
mod recommendation;
mod relatedness;
mod remembered;
mod sequence;
mod settings;
mod sight;
mod summit;
mod task;
mod tendency;
mod transfer;
mod trial;
mod verdict;

pub use keys::KEYS;
pub use measurement::Measurement;
pub use method::{Method, Preset};
pub use quality::SearchQuality;
pub use recommendation::Recommendation;
pub use sequence::{Campaign, Finished};
pub use settings::Settings;
pub use sight::Sight;
pub use task::Task;
pub use trial::{Aim, Bought, Note, Outcome, Trial};
pub use verdict::Verdict;
