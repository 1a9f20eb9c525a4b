//! What rules and knowledge do to whole campaigns, seen from above.

mod confirm;
mod explore;
mod gap;
mod hypotheses;
mod lost_evidence;
mod owed_fidelity;
mod past_optima;
mod population_prior;
mod relatedness;
mod settings;
