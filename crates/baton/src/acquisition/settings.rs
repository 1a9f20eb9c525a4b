//! How thoroughly the next point is looked for, and by which forms of the gains.

use super::{OptimumGain, SearchEffort, TransferGain};
use crate::problem::Count;
use serde::{Deserialize, Serialize};

/// The search of an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct SearchSettings {
    /// quasi-random candidates
    pub candidates: Count<1>,
    /// candidates that are refined where all coordinates are continuous
    pub starts: Count<1, 10_000>,
    /// the same where some are discrete
    pub walks: Count<1, 10_000>,
    /// steps of each ascent
    pub iterations: Count<0>,
    /// draws of the maximum per particle
    pub max_values: Count<1>,
    /// form of the gain about this task's maximum
    pub optimum_gain: OptimumGain,
    /// form of the gain about `theta`
    pub transfer_gain: TransferGain,
}

impl SearchSettings {
    /// The paper as printed, with its errata.
    pub(crate) fn paper() -> Self {
        Self {
            candidates: Count::literal(128),
            starts: Count::literal(24),
            walks: Count::literal(24),
            iterations: Count::literal(40),
            max_values: Count::literal(10),
            optimum_gain: OptimumGain::Noisy,
            transfer_gain: TransferGain::Noisy,
        }
    }

    /// Where a prediction costs little; docs/performance.md has what less of it misses.
    pub(crate) fn everyday() -> Self {
        Self {
            candidates: Count::literal(1000),
            starts: Count::literal(40),
            walks: Count::literal(40),
            optimum_gain: OptimumGain::Gibbon,
            transfer_gain: TransferGain::Exact,
            ..Self::paper()
        }
    }

    /// How much is spent on finding the best point.
    pub(crate) fn effort(&self) -> SearchEffort {
        SearchEffort {
            candidates: *self.candidates,
            starts: *self.starts,
            walks: *self.walks,
            iterations: u32::try_from(*self.iterations).unwrap_or(u32::MAX),
        }
    }
}
