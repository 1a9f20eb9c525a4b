//! What the model of a task is inferred from: its observations, and what is known besides.

use super::kept::sample;
use super::knowledge::Knowledge;
use super::observation::Observation;
use super::settings::{Function, TransferSettings};
use crate::error::Result;
use crate::model::{
    Earlier, Fit, ModelSettings, Normal, Preset, RELATED_AT_FIRST, Source, Surrogate, at_first,
    surrogate,
};
use crate::problem::{
    Description, Descriptors, Fidelity, Goal, Guessed, History, Link, Space, Units, UnitsSettings,
};
use baton_numerics::random::Key;
use std::borrow::Cow;

/// Observations needed for a scale of their own.
pub(crate) const LEAST_FOR_UNITS: usize = 2;

/// How far from the middle earlier tasks may lie along a coordinate that they lack.
const UNSTATED: f64 = 0.3;

/// Of a task that is not described.
pub(crate) static NOTHING_SAID: Description = Description::new();

/// What a model is inferred from, besides observations.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub model: &'a ModelSettings,
    pub preset: Preset,
    pub source: Source,
    pub transfer: &'a TransferSettings,
    pub units: &'a UnitsSettings,
    pub space: &'a Space,
    pub descriptors: &'a Descriptors,
    /// what is said of the task
    pub description: &'a Description,
    /// coordinates of the description that points are asked about at
    pub place: &'a [f64],
    pub fidelities: &'a [Fidelity],
    pub goal: Goal,
    /// values that have to be told apart from worse ones, such as the bounds of a constraint
    pub kept: &'a [f64],
    pub knowledge: &'a Knowledge,
    /// of the task
    pub key: Key,
    /// size of the first design
    pub initial: usize,
    /// tells after which what was handed over has been put to the test
    pub tested: Option<usize>,
    /// whether parameters are drawn around the fitted ones, for what later tasks will use
    pub draws: bool,
    /// what somebody guessed of where good points lie
    pub guesses: &'a [Guessed],
}

impl Frame<'_> {
    /// The units of these observations, with a floor where the link is one for peaks.
    pub(crate) fn units(&self, observations: &[Observation]) -> Result<Units> {
        let units = self.lasting_units(observations)?;
        if units.link() == Link::Identity {
            return Ok(units);
        }
        let values: Vec<f64> = observations.iter().map(|o| o.value).collect();
        Ok(units.with_floor(&values).with_floor_below(self.kept))
    }

    /// Handed over, given, or those of the first design.
    fn lasting_units(&self, observations: &[Observation]) -> Result<Units> {
        if let Some(units) = self.knowledge.units {
            return Ok(units);
        }
        if let Some(units) = self.units.given(self.goal)? {
            return Ok(units);
        }
        let values: Vec<f64> = observations.iter().map(|o| o.value).collect();
        let first = values.len().min(self.initial.max(LEAST_FOR_UNITS));
        let link = self.units.link();
        // Without a floor a penalty is seen as deep as it is, and has to set the scale.
        if link == Link::Identity {
            return Ok(Units::of(self.goal, &values[..first]));
        }
        let tells = |count: &usize| !Units::tell_no_scale(self.goal, &values[..*count]);
        let enough = (first..=values.len()).find(tells).unwrap_or(first);
        Ok(Units::of_allowed(self.goal, &values[..enough]).with_link(link))
    }

    /// Whether there are enough observations for units that later tasks can rely on.
    pub(crate) fn knows_units(&self, observations: &[Observation]) -> bool {
        let given = self.units.offset.is_some() || self.units.scale.is_some();
        let enough = observations.len() >= self.initial.max(LEAST_FOR_UNITS);
        self.knowledge.units.is_some() || given || enough
    }

    /// Own observations that the model keeps as they are.
    pub(crate) fn most_own(&self) -> usize {
        let is_exact = self.transfer.function == Function::Exact;
        let most = *self.model.most_observations;
        if is_exact || most == 0 { usize::MAX } else { most }
    }

    /// The observations that `theta` is fitted to: all, or a sample.
    pub(crate) fn sample<'o>(
        &self,
        units: &Units,
        observations: &'o [Observation],
    ) -> Cow<'o, [Observation]> {
        match self.sampled(units, observations) {
            None => Cow::Borrowed(observations),
            Some(chosen) => chosen.into_iter().map(|i| observations[i].clone()).collect(),
        }
    }

    /// Which these are; nothing where they are all.
    pub(crate) fn sampled(
        &self,
        units: &Units,
        observations: &[Observation],
    ) -> Option<Vec<usize>> {
        let values = || observations.iter().map(|o| units.to_model(o.value)).collect::<Vec<_>>();
        let most = self.most_own();
        (observations.len() > most).then(|| sample(&values(), most))
    }

    /// The surrogate of this task's observations, with those of earlier tasks or without.
    pub(crate) fn surrogate(
        &self,
        units: &Units,
        earlier: Earlier,
        drifts: bool,
    ) -> Result<Surrogate> {
        let Self { model, space, descriptors, fidelities, .. } = *self;
        let drifting = self.drifting(drifts);
        surrogate(model, (space, descriptors), fidelities, units, (earlier, drifting))
    }

    /// The same where the shared function is taken to lie where it was.
    pub(crate) fn surrogate_without_places(
        &self,
        units: &Units,
        earlier: Earlier,
    ) -> Result<Surrogate> {
        Ok(self.surrogate(units, earlier, false)?.without_drift())
    }

    /// Where what tasks share may lie elsewhere: always where it is not known of earlier tasks, and anywhere
    /// if it drifts.
    fn drifting(&self, drifts: bool) -> Vec<(usize, f64)> {
        let unstated = &self.knowledge.unstated;
        let mut drifting: Vec<(usize, f64)> = unstated.iter().map(|i| (*i, UNSTATED)).collect();
        if drifts {
            let known = self.space.graded().into_iter().filter(|i| !unstated.contains(i));
            drifting.extend(known.map(|i| (i, *self.transfer.drift)));
        }
        drifting
    }

    /// Which observations of earlier tasks the method uses.
    pub(crate) fn earlier(&self) -> Earlier {
        match (self.transfer.function, &self.knowledge.shared) {
            (Function::None, _) => Earlier::None,
            (_, Some(shared)) => shared.earlier(),
            (Function::Compact, None) => Earlier::Compact,
            (Function::Exact, None) => Earlier::Tasks(0),
        }
    }

    /// The way from these observations to `theta`.
    pub(crate) fn fit<'b>(&'b self, surrogate: &'b Surrogate) -> Fit<'b> {
        Fit {
            source: self.source,
            surrogate,
            prior: self.prior(surrogate),
            belief: self.knowledge.belief.as_ref(),
            refits: *self.model.refit_every > 0,
            key: self.key,
        }
    }

    /// Of every parameter, before this task, with what is known of single ones. A surrogate that knows
    /// nothing of what earlier tasks observed begins as before the first.
    pub(crate) fn prior(&self, surrogate: &Surrogate) -> Vec<Normal> {
        let knowledge = self.knowledge;
        let mut parameters = self.first_prior(surrogate);
        if let Some(related) = surrogate.relatedness_range().next() {
            let known = knowledge.parameters.iter().flatten();
            for (parameter, known) in parameters.iter_mut().zip(known) {
                *parameter = *known;
            }
            parameters[related] = knowledge.relatedness.unwrap_or(RELATED_AT_FIRST);
        }
        parameters
    }

    /// The same before the first task.
    pub(crate) fn first_prior(&self, surrogate: &Surrogate) -> Vec<Normal> {
        at_first((self.model, self.preset), surrogate)
    }

    /// The same as if nothing had ever been said of any task, and by how many nats descriptions have
    /// predicted tasks better than that; nothing where tasks are not described.
    pub(crate) fn untold(&self) -> Option<(Self, f64)> {
        let (knowledge, nats) = self.knowledge.untold()?;
        let descriptors = &knowledge.schema().descriptors;
        let (description, place) = (&NOTHING_SAID, &[][..]);
        Some((Self { descriptors, description, place, knowledge, ..*self }, nats))
    }

    /// Whether anything is known of a function that tasks share.
    pub(crate) fn carries(&self) -> bool {
        self.transfer.carries_function() && self.knowledge.shared.is_some()
    }

    /// Observations in the surrogate's units.
    pub(crate) fn history(&self, units: &Units, observations: &[Observation]) -> Result<History> {
        Self::extended(History::new(self.dimension()), units, observations)
    }

    /// Coordinates that the model knows.
    fn dimension(&self) -> usize {
        self.space.dimension() + self.descriptors.dimension()
    }

    /// Coordinates of what is said of the task, with what is said of a trial beyond that or instead.
    pub(crate) fn place_of(&self, context: &Description) -> Result<Vec<f64>> {
        if self.descriptors.is_empty() {
            return Ok(Vec::new());
        }
        let mut said = self.description.clone();
        said.extend(context.iter().map(|(name, value)| (name.clone(), value.clone())));
        self.knowledge.place_of(&said)
    }

    /// The same after those of earlier tasks.
    pub(crate) fn whole_history(
        &self,
        units: &Units,
        observations: &[Observation],
    ) -> Result<History> {
        let (dimension, levels) = (self.dimension(), self.fidelities.len());
        let shared = self.knowledge.shared.as_ref();
        let shared = shared.filter(|_| self.transfer.carries_function());
        let before = shared.map(|shared| shared.history(dimension, levels)).transpose()?;
        Self::extended(before.unwrap_or_else(|| History::new(dimension)), units, observations)
    }

    fn extended(
        mut history: History,
        units: &Units,
        observations: &[Observation],
    ) -> Result<History> {
        for observation in observations {
            let Observation { level, value, noise, .. } = observation;
            let noise = noise.map(|variance| units.variance_to_model(variance));
            let whole = observation.whole();
            history.push_measured(&whole, *level, units.to_model(*value), noise)?;
        }
        Ok(history)
    }
}
