//! The setup of a campaign: what all its tasks share, and what a model of one is inferred from.

use super::settings::Settings;
use crate::Error;
use crate::error::Result;
use crate::model::Preset;
use crate::problem::{Description, Fidelity};
use crate::shared::{Frame, Knowledge, Schema};
use baton_numerics::random::Key;

/// What all tasks of a campaign share.
#[derive(Debug)]
pub(super) struct Shared {
    pub settings: Settings,
    pub schema: Schema,
    pub fidelities: Vec<Fidelity>,
}

impl Shared {
    /// What a model is inferred from, besides observations.
    pub(super) fn frame<'a>(
        &'a self,
        knowledge: &'a Knowledge,
        (description, place): (&'a Description, &'a [f64]),
        key: Key,
        initial: usize,
        tested: Option<usize>,
    ) -> Frame<'a> {
        let settings = &self.settings;
        Frame {
            model: &settings.model,
            preset: settings.preset(),
            source: settings.method().source(&settings.paper),
            transfer: &settings.transfer,
            units: &settings.units,
            space: &self.schema.space,
            descriptors: &self.schema.descriptors,
            description,
            place,
            fidelities: &self.fidelities,
            goal: self.schema.goal,
            knowledge,
            key,
            initial,
            tested,
            draws: settings.paper.draws() && self.beta(knowledge) > 0.0,
        }
    }

    /// Whether there is such a level.
    pub(super) fn check_level(&self, level: usize) -> Result<()> {
        if level < self.fidelities.len() {
            return Ok(());
        }
        let must = "below the number of fidelities, counted from 0";
        Err(Error::OutOfRange { what: "level", value: level as f64, must })
    }

    /// Weight of what later tasks will use in the task after what is known.
    pub(super) fn beta(&self, knowledge: &Knowledge) -> f64 {
        let Settings { paper, policy, .. } = &self.settings;
        paper.beta(knowledge.tasks, policy.is_last(knowledge.tasks))
    }
}

/// `2 p + 2` points for `p` parameters, as in the paper; the default preset spends at most a quarter
/// of the budget on them, and none where the shared function is known in this space: that says where to
/// begin. Where only a slice of it is known, a model alone would look at corners, far from all it knows.
pub(super) fn initial_count(shared: &Shared, knowledge: &Knowledge, budget: f64) -> usize {
    if let Some(count) = shared.settings.policy.initial {
        return *count;
    }
    let is_known = knowledge.shared.is_some() && !knowledge.is_elsewhere();
    if shared.settings.transfer.carries_function() && is_known {
        return 0;
    }
    let wanted = 2 * shared.schema.space.most_at_once() + 2;
    if shared.settings.preset() != Preset::Default {
        return wanted;
    }
    let costs = shared.fidelities.iter().map(|fidelity| fidelity.cost);
    let mean_cost = costs.sum::<f64>() / shared.fidelities.len() as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let affordable = (0.25 * budget / mean_cost) as usize;
    wanted.min(affordable.max(1))
}
