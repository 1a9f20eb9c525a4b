//! The default's list: what may choose a trial before information does.

use super::Policy;
use super::design::DESIGN;
use super::{confirm, explore, gap, owed_fidelity, past_optima, survey, try_handed_on};

/// In this order; the first that proposes a trial is followed.
pub(crate) const DEFAULT: Policy = Policy {
    openings: &[&DESIGN],
    rules: &[
        &try_handed_on::RULE, // does what earlier tasks taught hold here?
        &confirm::RULE,       // the last trial: does the recommendation hold?
        &past_optima::RULE,   // nothing seen yet: where did earlier tasks have their best?
        &survey::RULE,        // no task has seen anything yet: look around
        &gap::RULE,           // a large part of a small space is unseen
        &explore::RULE,       // information outside the incumbent's basin, for later tasks
        &owed_fidelity::RULE, // information at cheaper fidelities, so that they can prove themselves
    ],
};
