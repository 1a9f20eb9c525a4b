//! The setup of a campaign: what all its tasks share, and what a model of one is inferred from.

use super::settings::Settings;
use crate::Error;
use crate::error::Result;
use crate::model::{Earlier, Preset};
use crate::policy::Failures;
use crate::problem::{
    Constraint, Description, Descriptors, Fidelity, Units, UnitsSettings, Unseen, check_constraints,
};
use crate::shared::{Frame, Knowledge, NOTHING_SAID, Observation, Schema};
use baton_numerics::random::Key;

/// What all tasks of a campaign share.
#[derive(Debug)]
pub(super) struct Shared {
    pub settings: Settings,
    pub schema: Schema,
    pub fidelities: Vec<Fidelity>,
    pub limits: Vec<Limited>,
}

/// A quantity that has to keep bounds: what a model of it is inferred from, where that differs from what
/// one of the objective is.
#[derive(Debug)]
pub(super) struct Limited {
    pub constraint: Constraint,
    fidelities: Vec<Fidelity>,
    units: UnitsSettings,
    bounds: Vec<f64>,
    /// what is known of it before it was ever measured
    nothing: Knowledge,
}

impl Limited {
    /// The frame of the objective as it is for this quantity.
    pub(super) fn frame<'a>(&'a self, objective: Frame<'a>) -> Frame<'a> {
        let known = objective.knowledge.constraints().get(&self.constraint.name);
        let knowledge = known.unwrap_or(&self.nothing);
        Frame {
            units: &self.units,
            fidelities: &self.fidelities,
            goal: knowledge.schema().goal,
            kept: &self.bounds,
            knowledge,
            draws: false,
            guesses: &[],
            ..objective
        }
    }

    /// Whether it is that evaluations succeed, and none has failed yet.
    pub(super) fn has_nothing_to_learn(
        &self,
        frame: &Frame<'_>,
        observations: &[Observation],
    ) -> bool {
        let known = frame.knowledge.units.is_some();
        self.constraint.is_success() && !known && observations.iter().all(|o| o.value > 0.0)
    }

    /// What is known of it, to be added to.
    pub(super) fn known<'a>(&self, knowledge: &'a mut Knowledge) -> &'a mut Knowledge {
        let name = self.constraint.name.clone();
        knowledge.constraints_mut().entry(name).or_insert_with(|| self.nothing.clone())
    }
}

impl Shared {
    /// With these constraints, and that evaluations succeed where that is to be learned.
    pub(super) fn new(
        settings: Settings,
        schema: Schema,
        fidelities: Vec<Fidelity>,
        mut constraints: Vec<Constraint>,
    ) -> Result<Self> {
        check_constraints(&constraints, fidelities.len())?;
        constraints.retain(|constraint| !constraint.is_success());
        if let Some(Constraint { name, .. }) =
            constraints.first().filter(|_| !settings.method().is_fitted())
        {
            let reason = format!(
                "the method {} knows no constraints; use default, warm-start or mf-mes-fitted",
                settings.method()
            );
            return Err(Error::Constraint { name: name.clone(), reason });
        }
        if settings.policy.failures == Some(Failures::Learn) {
            constraints.push(Constraint::success());
        }
        let limited = |constraint: Constraint| Limited {
            fidelities: constraint.fidelities(&fidelities),
            units: constraint.units(&settings.units),
            bounds: constraint.min.into_iter().chain(constraint.max).collect(),
            nothing: Knowledge::none(Schema { goal: constraint.goal(), ..schema.clone() }),
            constraint,
        };
        let limits = constraints.into_iter().map(limited).collect();
        Ok(Self { settings, schema, fidelities, limits })
    }

    /// The constraints that are told, without that of success.
    pub(super) fn constraints(&self) -> Vec<Constraint> {
        let told = self.limits.iter().map(|limited| &limited.constraint);
        told.filter(|constraint| !constraint.is_success()).cloned().collect()
    }

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
            kept: &[],
            knowledge,
            key,
            initial,
            tested,
            draws: settings.paper.draws() && self.beta(knowledge) > 0.0,
            guesses: &[],
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

    /// Whether some knowledge is about this problem and was learned with this surrogate.
    pub(super) fn check(&self, knowledge: &Knowledge) -> Result<()> {
        let Self { settings, schema, .. } = self;
        let nothing = Knowledge::none(schema.clone());
        let frame = self.frame(&nothing, (&NOTHING_SAID, &[]), Key::default(), 0, None);
        let carries = settings.transfer.carries_function();
        let earlier = if carries { Earlier::Compact } else { Earlier::None };
        let surrogate = |frame: &Frame<'_>| {
            let any_units = Units::of(frame.goal, &[]).with_link(frame.units.link());
            frame.surrogate(&any_units, earlier, false)
        };
        knowledge.check_fits(schema, &surrogate(&frame)?)?;
        match (knowledge.untold(), frame.untold()) {
            (Some((untold, _)), Some((frame, _))) => {
                let schema = Schema { descriptors: Descriptors::default(), ..schema.clone() };
                untold.check_fits(&schema, &surrogate(&frame)?)?;
            }
            (Some(_), None) => {
                let reason = "it passes over descriptions of tasks, which has none".to_owned();
                return Err(Error::Knowledge { reason });
            }
            (None, _) => {}
        }
        for limited in &self.limits {
            let Some(known) = knowledge.constraints().get(&limited.constraint.name) else {
                continue;
            };
            let frame = limited.frame(Frame { knowledge, ..frame });
            let schema = Schema { goal: known.schema().goal, ..schema.clone() };
            known.check_fits(&schema, &surrogate(&frame)?).map_err(|error| {
                let reason = format!("of {}: {error}", limited.constraint.name);
                Error::Knowledge { reason }
            })?;
        }
        settings.units.check_handed_on(schema.goal, knowledge.units.as_ref())
    }

    /// Weight of what later tasks will use in the task after what is known.
    pub(super) fn beta(&self, knowledge: &Knowledge) -> f64 {
        let Settings { paper, policy, .. } = &self.settings;
        paper.beta(knowledge.tasks, policy.is_last(knowledge.tasks))
    }
}

/// `2 p + 2` points for `p` parameters, as in the paper; the default preset spends at most a quarter
/// of the budget on them. Where the shared function is known, only what no task has seen of the space is
/// looked at, the parameters that are new: a model alone would look at corners, far from all it knows.
pub(super) fn initial_count(shared: &Shared, knowledge: &Knowledge, budget: f64) -> usize {
    if let Some(count) = shared.settings.policy.initial {
        return *count;
    }
    let is_known = shared.settings.transfer.carries_function() && knowledge.shared.is_some();
    let parameters = match knowledge.unseen() {
        Unseen::Nothing if is_known => return 0,
        Unseen::Along(new) if is_known => new.len(),
        _ => shared.schema.space.most_at_once(),
    };
    let wanted = 2 * parameters + 2;
    if shared.settings.preset() != Preset::Default {
        return wanted;
    }
    let costs = shared.fidelities.iter().map(|fidelity| fidelity.cost);
    let mean_cost = costs.sum::<f64>() / shared.fidelities.len() as f64;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
    let affordable = (0.25 * budget / mean_cost) as usize;
    wanted.min(affordable.max(1))
}
