//! The default's rules, and their list: what may choose a trial before information does.
//!
//! To add a rule: a file here, its `mod` line, its place in the list.

mod confirm;
mod explore;
mod gap;
mod owed_fidelity;
mod past_optima;
mod survey;
mod try_handed_on;

use crate::policy::Policy;
use crate::policy::openings::DESIGN;

/// In this order; the first that proposes a trial is followed.
pub(crate) const DEFAULT: Policy = Policy {
    openings: &[&DESIGN],
    rules: &[
        &try_handed_on::RULE, // does what earlier tasks taught hold here?
        &confirm::RULE,       // the last trial: the posterior maximum
        &past_optima::RULE,   // nothing seen yet: where did earlier tasks have their best?
        &survey::RULE,        // no task has seen anything yet: look around
        &gap::RULE,           // a large part of a small space is unseen
        &explore::RULE,       // information outside the incumbent's basin, for later tasks
        &owed_fidelity::RULE, // information at cheaper fidelities, so that they can prove themselves
    ],
};
