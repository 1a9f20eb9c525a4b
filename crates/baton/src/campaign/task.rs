//! One task: a budget, its trials, and the calls that drive it.
//!
//! `ask` proposes, `tell` and `fail` report, `Campaign::finish` closes. The state is the list of
//! trials and nothing else; what is kept besides is a cache that a replay rebuilds.

use super::measurement::Measurement;
use super::ready::Ready;
use super::records::checked;
use super::refit::{Epoch, Tracked};
use super::settings::Settings;
use super::setup::{Shared, initial_count};
use super::stop::{Says, Stop, says};
use crate::Error;
use crate::error::Result;
use crate::policy::{Aim, Limit, Opened, Outcome, Policy, Proposal, Purse, Trial, View};
use crate::problem::{Description, Guessed, Value};
use crate::shared::{Fitted, Frame, Knowledge, Observation};
use baton_numerics::random::Key;
use std::borrow::Borrow;
use std::sync::Arc;

/// A task under way.
#[derive(Debug, Clone)]
pub struct Task {
    pub(super) shared: Arc<Shared>,
    pub(super) knowledge: Arc<Knowledge>,
    budget: f64,
    /// when it ends although something is left
    pub(super) stop: Option<Stop>,
    /// what somebody guessed of where good points lie
    pub(super) guesses: Vec<Guessed>,
    /// what was said of it, and its coordinates
    description: Description,
    place: Vec<f64>,
    /// size of the first design, fixed when the task begins
    initial: usize,
    pub(super) trials: Vec<Trial>,
    /// ids in the order of tells
    told: Vec<usize>,
    pub(super) cache: Option<Epoch>,
    /// the same of each quantity that has to keep bounds
    limits: Vec<Option<Tracked>>,
    pub(super) ready: Option<Arc<Ready>>,
}

impl Task {
    pub(super) fn new(
        shared: Arc<Shared>,
        knowledge: Arc<Knowledge>,
        budget: f64,
        description: &Description,
    ) -> Result<Self> {
        let cheapest = shared.fidelities.iter().map(|f| f.cost).fold(f64::INFINITY, f64::min);
        if !(budget.is_finite() && budget >= cheapest) {
            let must = "finite and enough for one trial at the cheapest fidelity";
            return Err(Error::OutOfRange { what: "budget", value: budget, must });
        }
        let initial = initial_count(&shared, &knowledge, budget);
        let description = shared.schema.descriptors.canonical(description)?;
        let place = knowledge.place_of(&description)?;
        Ok(Self {
            limits: vec![None; shared.limits.len()],
            shared,
            knowledge,
            budget,
            stop: None,
            guesses: Vec::new(),
            description,
            place,
            initial,
            trials: Vec::new(),
            told: Vec::new(),
            cache: None,
            ready: None,
        })
    }

    /// Brings the task up to date with its records, which others may have added to. What was computed
    /// from the observations so far is kept if they are still the first ones told.
    ///
    /// # Errors
    /// If the records contradict each other or the problem. Nothing is changed then.
    pub fn follow(&mut self, trials: &[impl Borrow<Trial>]) -> Result<()> {
        let told = checked(&self.shared, &self.trials, trials)?;
        let same = |id: &usize| self.trials[*id].observes_the_same(trials[*id].borrow());
        if !(told.starts_with(&self.told) && self.told.iter().all(same)) {
            self.cache = None;
        }
        self.told = told;
        self.trials.truncate(trials.len());
        for (id, trial) in trials.iter().map(Borrow::borrow).enumerate() {
            match self.trials.get_mut(id) {
                Some(known) if known == trial => {}
                Some(known) => *known = trial.clone(),
                None => self.trials.push(trial.clone()),
            }
        }
        Ok(())
    }

    /// Proposes the next trial, which is then pending. `None` if nothing can be asked now:
    /// its budget is spent, or what is left of it or of the space is taken by pending trials.
    ///
    /// # Errors
    /// Only if the problem itself is beyond arithmetic; a model that fails is replaced by a point
    /// of the design, with a note.
    pub fn ask(&mut self) -> Result<Option<Trial>> {
        self.ask_in(&Description::new())
    }

    /// The same where descriptors differ from ask to ask: what is said here counts beyond what is said of
    /// the task, or instead.
    ///
    /// # Errors
    /// As [`Task::ask`], and if the context names what is no descriptor, or a value that it cannot take.
    pub fn ask_in(&mut self, context: &Description) -> Result<Option<Trial>> {
        let context = self.shared.schema.descriptors.canonical(context)?;
        let proposal = match self.ready.take() {
            Some(ready) if context.is_empty() && ready.is_of(&self.trials, self.budget) => {
                ready.proposal.clone()
            }
            _ => self.propose(&self.place_of(&context)?)?,
        };
        let Some(proposal) = proposal else { return Ok(None) };
        let Proposal { point, level, aim, reason, nats, runner_up, notes } = proposal;
        let mut trial = self.blank(point, level, aim);
        trial.context = context;
        (trial.reason, trial.nats, trial.runner_up, trial.notes) = (reason, nats, runner_up, notes);
        self.trials.push(trial.clone());
        Ok(Some(trial))
    }

    /// Computes the next ask in advance; it is taken, with the same bits, if nothing changes until then.
    ///
    /// # Errors
    /// As [`Task::ask`].
    pub fn prepare(&mut self) -> Result<()> {
        if !self.ready.as_ref().is_some_and(|ready| ready.is_of(&self.trials, self.budget)) {
            let proposal = self.propose(&self.place.clone())?;
            self.ready = Some(Arc::new(Ready::new(&self.trials, self.budget, proposal)));
        }
        Ok(())
    }

    /// What the method's policy proposes; a look around if its model cannot be used.
    fn propose(&mut self, place: &[f64]) -> Result<Option<Proposal>> {
        let policy = self.shared.settings.method().policy();
        let observations = self.observations()?;
        let view = self.view(&observations, place);
        if view.affordable().iter().all(Option::is_none) {
            return Ok(None);
        }
        if let Opened::Decided(opened) = policy.open(&view)? {
            return Ok(opened);
        }
        if view.costs().iter().all(Option::is_none) {
            return Ok(None);
        }
        // What is left in one context says nothing of others.
        let stop = self.stop.filter(|_| place == self.place);
        let choose = |view: &View<'_>, fitted: &Fitted| match says(stop, view, fitted) {
            Says::GoOn => policy.choose(view, fitted),
            Says::Confirm(proposal) => Ok(Some(*proposal)),
            Says::Stop(_) => Ok(None),
        };
        match self.with_model_at(place, choose) {
            Ok(proposal) => Ok(proposal),
            Err(error) => Policy::without_model(&self.view(&observations, place), &error),
        }
    }

    /// Lends the model of the present observations to `use_it`, and keeps it for the next call.
    pub(super) fn with_model<R>(
        &mut self,
        use_it: impl FnOnce(&View<'_>, &Fitted) -> Result<R>,
    ) -> Result<R> {
        self.with_model_at(&self.place.clone(), use_it)
    }

    /// The same for points at another description.
    pub(super) fn with_model_at<R>(
        &mut self,
        place: &[f64],
        use_it: impl FnOnce(&View<'_>, &Fitted) -> Result<R>,
    ) -> Result<R> {
        let observations = self.observations()?;
        let before = self.cache.take();
        let mut epoch = Epoch::current(before, &self.frame(), &observations)?;
        epoch.fitted.look_at(place)?;
        let tracked = self.tracked(place)?;
        let limits = tracked.iter().zip(&self.shared.limits).filter_map(|(tracked, limited)| {
            Some(Limit::new(&limited.constraint, &tracked.as_ref()?.epoch.fitted))
        });
        let limits: Vec<Limit<'_>> = limits.collect();
        let view = View { limits: &limits, ..self.view(&observations, place) };
        let result = use_it(&view, &epoch.fitted);
        self.cache = Some(epoch);
        self.limits = tracked;
        result
    }

    /// The task as rules see it, without a model.
    pub(super) fn with_view<R>(&self, use_it: impl FnOnce(&View<'_>) -> R) -> Result<R> {
        let observations = self.observations()?;
        Ok(use_it(&self.view(&observations, &self.place)))
    }

    /// Models of the quantities that have to keep bounds, up to date; none of one of which nothing is known.
    fn tracked(&mut self, place: &[f64]) -> Result<Vec<Option<Tracked>>> {
        let before = std::mem::replace(&mut self.limits, vec![None; self.shared.limits.len()]);
        let mut all = Vec::with_capacity(before.len());
        for (k, before) in before.into_iter().enumerate() {
            let (limited, observations) = (&self.shared.limits[k], self.measured(k)?);
            let frame = limited.frame(self.frame());
            let unknown = observations.is_empty() && !frame.carries();
            if unknown || limited.has_nothing_to_learn(&frame, &observations) {
                all.push(None);
                continue;
            }
            let mut tracked = Tracked::current(before, &frame, &observations)?;
            tracked.epoch.fitted.look_at(place)?;
            all.push(Some(tracked));
        }
        Ok(all)
    }

    /// What was measured of a quantity that has to keep bounds, in the order of the trials.
    pub(super) fn measured(&self, k: usize) -> Result<Vec<Observation>> {
        let constraint = &self.shared.limits[k].constraint;
        let told = |trial: &Trial| Some(self.observation(trial, trial.measured(constraint)?));
        self.trials.iter().filter_map(told).collect()
    }

    /// What rules may see of it.
    fn view<'a>(&'a self, observations: &'a [Observation], place: &'a [f64]) -> View<'a> {
        let settings = &self.shared.settings;
        View {
            frame: Frame { place, ..self.frame() },
            settings: &settings.policy,
            search: &settings.search,
            plan: settings.method().plan(&settings.paper, self.shared.beta(&self.knowledge)),
            trials: &self.trials,
            observations,
            is_constrained: !self.shared.limits.is_empty(),
            limits: &[],
            purse: self.purse(),
            key: self.key(),
        }
    }

    /// Up to `count` trials to be evaluated at the same time.
    ///
    /// # Errors
    /// As [`Task::ask`]; trials asked for before the error stay pending.
    pub fn ask_many(&mut self, count: usize) -> Result<Vec<Trial>> {
        let mut trials = Vec::new();
        while trials.len() < count {
            match self.ask()? {
                Some(trial) => trials.push(trial),
                None => break,
            }
        }
        Ok(trials)
    }

    /// Reports the value of a pending trial, in the user's units: a number, or a [`Measurement`].
    ///
    /// # Errors
    /// If there is no such trial, it is not pending, or the value is not finite.
    pub fn tell(&mut self, id: usize, measured: impl Into<Measurement>) -> Result<()> {
        let measured = measured.into();
        self.check_pending(id)?;
        measured.check(id, &self.shared.constraints())?;
        let trial = &mut self.trials[id];
        trial.outcome = Outcome::Told { value: measured.value, order: self.told.len() };
        (trial.noise, trial.paid) = (measured.noise, measured.cost);
        trial.constraints = measured.constraints;
        self.told.push(id);
        Ok(())
    }

    /// Reports that a pending trial could not be evaluated.
    ///
    /// # Errors
    /// As [`Task::tell`].
    pub fn fail(&mut self, id: usize, reason: &str) -> Result<()> {
        self.check_pending(id)?;
        self.trials[id].outcome = Outcome::Failed { reason: reason.to_owned() };
        self.trials[id].charged &= self.shared.settings.policy.charge_failed;
        Ok(())
    }

    /// Adds to the budget.
    ///
    /// # Errors
    /// If the amount is not positive and finite.
    pub fn extend_budget(&mut self, amount: f64) -> Result<()> {
        if !(amount.is_finite() && amount > 0.0 && (self.budget + amount).is_finite()) {
            let must = "positive and finite";
            return Err(Error::OutOfRange { what: "extension of the budget", value: amount, must });
        }
        self.budget += amount;
        Ok(())
    }

    /// Its place in the sequence, from 0: how many tasks its knowledge was learned from.
    pub fn number(&self) -> u32 {
        self.knowledge.tasks
    }

    /// What was said of it.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// All trials, in the order in which they were asked for: the ledger.
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    pub(super) fn into_trials(self) -> Vec<Trial> {
        self.trials
    }

    /// Trials whose outcome is not known yet.
    pub fn pending(&self) -> impl Iterator<Item = &Trial> {
        self.trials.iter().filter(|trial| trial.is_pending())
    }

    /// What may be spent in all.
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// What is left once all pending trials are charged.
    pub fn cost_left(&self) -> f64 {
        self.purse().left()
    }

    pub(super) fn purse(&self) -> Purse {
        Purse::of(self.budget, &self.trials)
    }

    /// Names the streams of the present step.
    fn key(&self) -> Key {
        let Settings { seed, campaign, .. } = self.shared.settings;
        let step = u32::try_from(self.trials.len()).unwrap_or(u32::MAX);
        Key { seed, campaign, task: self.number(), step }
    }

    pub(super) fn frame(&self) -> Frame<'_> {
        Frame { guesses: &self.guesses, ..self.own_frame() }
    }

    /// The same without what was guessed: that is not handed on.
    pub(super) fn own_frame(&self) -> Frame<'_> {
        let key = Key { step: 0, ..self.key() };
        let said = (&self.description, &self.place[..]);
        self.shared.frame(&self.knowledge, said, key, self.initial, self.tested())
    }

    /// Coordinates of what is said of it and of a trial.
    pub(super) fn place_of(&self, context: &Description) -> Result<Vec<f64>> {
        if context.is_empty() { Ok(self.place.clone()) } else { self.frame().place_of(context) }
    }

    /// Tells after which what was handed over has been put to the test. A test that failed does not
    /// count: an epoch must be the same whether it began before the failure or is built again.
    fn tested(&self) -> Option<usize> {
        let test = self.trials.iter().find(|trial| trial.aim == *Aim::TEST)?;
        match test.outcome {
            Outcome::Told { order, .. } => Some(order + 1),
            Outcome::Pending | Outcome::Failed { .. } => None,
        }
    }

    /// What was told, in that order.
    pub(super) fn observations(&self) -> Result<Vec<Observation>> {
        let constraints = self.shared.constraints();
        let observation = |id: &usize| {
            let trial = &self.trials[*id];
            let seen = self.observation(trial, trial.value().unwrap_or(f64::NAN))?;
            let noise = trial.noise.map(|error| error * error);
            let feasible = trial.is_feasible(&constraints) != Some(false);
            Ok(Observation { noise, feasible, ..seen })
        };
        self.told.iter().map(observation).collect()
    }

    fn observation(&self, trial: &Trial, value: f64) -> Result<Observation> {
        let coordinates = self.shared.schema.space.coordinates(&trial.point)?;
        let (place, level) = (self.place_of(&trial.context)?, trial.level);
        Ok(Observation { coordinates, place, level, value, noise: None, feasible: true })
    }

    pub(super) fn blank(&self, point: Vec<Value>, level: usize, aim: Aim) -> Trial {
        Trial::pending(self.trials.len(), (point, level), &self.shared.fidelities[level], aim)
    }

    fn check_pending(&self, id: usize) -> Result<()> {
        let refuse = |reason: &str| Err(Error::Trial { id, reason: reason.to_owned() });
        match self.trials.get(id).map(|trial| &trial.outcome) {
            None => refuse("there is no such trial in this task"),
            Some(Outcome::Told { .. }) => refuse("its value was told already"),
            Some(Outcome::Failed { .. }) => refuse("it was reported as failed"),
            Some(Outcome::Pending) => Ok(()),
        }
    }
}
