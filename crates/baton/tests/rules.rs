//! What rules, knowledge and settings do to whole campaigns, seen from above.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

#[path = "rules/confirm.rs"]
mod confirm;
#[path = "rules/explore.rs"]
mod explore;
#[path = "rules/gap.rs"]
mod gap;
#[path = "rules/hypotheses.rs"]
mod hypotheses;
#[path = "rules/later_tasks.rs"]
mod later_tasks;
#[path = "rules/lost_evidence.rs"]
mod lost_evidence;
#[path = "rules/owed_fidelity.rs"]
mod owed_fidelity;
#[path = "rules/past_optima.rs"]
mod past_optima;
#[path = "rules/point_to_use.rs"]
mod point_to_use;
#[path = "rules/relatedness.rs"]
mod relatedness;
#[path = "rules/settings.rs"]
mod settings;
