//! The campaign: a sequence of tasks and what is handed from one to the next.

use super::settings::Settings;
use super::setup::Shared;
use super::task::Task;
use crate::Error;
use crate::error::Result;
use crate::model::Note;
use crate::policy::Trial;
use crate::problem::{
    Constraint, Description, Descriptors, Fidelity, Goal, Parameter, Space, Was, check_fidelities,
};
use crate::shared::{
    Carrier, Frame, Knowledge, NOTHING_SAID, Observation, Schema, Verdict, hand_over, shareable,
};
use baton_numerics::random::Key;
use std::sync::Arc;

/// A sequence of related tasks over one space.
#[derive(Debug, Clone)]
pub struct Campaign {
    shared: Arc<Shared>,
    knowledge: Arc<Knowledge>,
}

/// What finishing a task did.
#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// all trials of the task
    pub trials: Vec<Trial>,
    /// degradations while the knowledge was updated
    pub notes: Vec<Note>,
    /// what carried knowledge did for it, where there was any and it was tried
    pub verdict: Option<Verdict>,
    /// the same of the quantities that have to keep bounds, by their names
    pub constraints: Vec<(String, Verdict)>,
}

impl Campaign {
    /// A campaign that starts from nothing.
    ///
    /// # Errors
    /// If a fidelity cannot be used.
    pub fn new(
        space: Space,
        fidelities: impl Into<Vec<Fidelity>>,
        goal: Goal,
        settings: Settings,
    ) -> Result<Self> {
        let fidelities = fidelities.into();
        check_fidelities(&fidelities)?;
        let schema = Schema::new(space, &fidelities, goal);
        let knowledge = Arc::new(Knowledge::none(schema.clone()));
        let shared = Arc::new(Shared::new(settings, schema, fidelities, Vec::new())?);
        Ok(Self { shared, knowledge })
    }

    /// Evaluations measure more than the objective, and that has to keep bounds. Bounds may differ from
    /// task to task: what is known of a quantity stays. A quantity that is not among them any more is
    /// remembered.
    ///
    /// # Errors
    /// If a constraint is not well said, or the method knows none.
    pub fn with_constraints(mut self, constraints: impl Into<Vec<Constraint>>) -> Result<Self> {
        let constraints = constraints.into();
        let Shared { settings, schema, fidelities, .. } = &*self.shared;
        let names = || {
            let searched = schema.space.parameters().iter();
            searched.chain(schema.descriptors.parameters()).map(|parameter| &parameter.name)
        };
        if let Some(both) = constraints.iter().find(|c| names().any(|name| *name == c.name)) {
            let reason = "a parameter or descriptor has that name".to_owned();
            return Err(Error::Constraint { name: both.name.clone(), reason });
        }
        let (settings, fidelities) = (settings.clone(), fidelities.clone());
        let shared = Shared::new(settings, schema.clone(), fidelities, constraints)?;
        shared.check(&self.knowledge)?;
        self.shared = Arc::new(shared);
        Ok(self)
    }

    /// The constraints, as they are told.
    pub fn constraints(&self) -> Vec<Constraint> {
        self.shared.constraints()
    }

    /// Tasks are described, so that it can be told from earlier ones where the optimum of a new one lies.
    /// To be called before anything is known.
    ///
    /// # Errors
    /// If the method hands on nothing of the function that tasks share, if something is known already, or
    /// if a parameter has the name of a descriptor.
    pub fn with_descriptors(mut self, descriptors: Descriptors) -> Result<Self> {
        let Shared { settings, schema, fidelities, .. } = &*self.shared;
        if let Some(Parameter { name, .. }) = descriptors.parameters().first() {
            let refuse = |name: &str, reason: String| {
                Err(Error::Descriptor { name: name.to_owned(), reason })
            };
            let method = settings.method();
            if !settings.transfer.carries_function() {
                return refuse(
                    name,
                    format!(
                        "the method {method}, as it is set, hands on nothing of the function that tasks share, \
                     so that descriptors would tell it nothing; leave them out, or use the method default"
                    ),
                );
            }
            if self.knowledge.tasks > 0 {
                return refuse(name, "the campaign has begun without descriptors".into());
            }
            let mut names = schema.space.parameters().iter().map(|parameter| &parameter.name);
            if let Some(both) = names.find(|name| descriptors.find(name).is_ok()) {
                return refuse(both, "a parameter of the space has that name".into());
            }
        }
        let schema = Schema { descriptors, ..schema.clone() };
        self.knowledge = Arc::new(Knowledge::none(schema.clone()));
        let (settings, fidelities) = (settings.clone(), fidelities.clone());
        let constraints = self.shared.constraints();
        self.shared = Arc::new(Shared::new(settings, schema, fidelities, constraints)?);
        Ok(self)
    }

    /// Starts from knowledge gained elsewhere instead of what is known here.
    ///
    /// # Errors
    /// If the knowledge is about another problem or was learned with another surrogate.
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> Result<Self> {
        self.shared.check(&knowledge)?;
        self.knowledge = Arc::new(knowledge);
        Ok(self)
    }

    /// Starts from what was learned in another space or at other fidelities: parameters added, fixed or
    /// with another range, choices and fidelities that come and go. Where earlier tasks lack a parameter
    /// they have the value of `was`, else one that is learned. Says what changed, in words.
    ///
    /// # Errors
    /// If something cannot be carried: says what, and what would do.
    pub fn carrying(self, knowledge: Knowledge, was: &Was) -> Result<(Self, Vec<String>)> {
        let Shared { settings, schema, fidelities, .. } = &*self.shared;
        if knowledge.schema() == schema {
            return Ok((self.with_knowledge(knowledge)?, Vec::new()));
        }
        let from = knowledge.schema().clone();
        let carrier = Carrier::new(&from, schema, was)?;
        let levels = from.fidelities.iter().map(|name| {
            let known = fidelities.iter().find(|fidelity| fidelity.name == *name);
            let noise_variance = fidelities[0].noise_variance.map(|_| 0.0);
            known.cloned().unwrap_or(Fidelity { name: name.clone(), cost: 1.0, noise_variance })
        });
        let (settings, fidelities) = (settings.clone(), levels.collect::<Vec<_>>());
        let constraints = self.shared.constraints();
        let before = Shared::new(settings, from.clone(), fidelities, constraints)?;
        before.check(&knowledge)?;
        let frame = before.frame(&knowledge, (&NOTHING_SAID, &[]), Key::default(), 0, None);
        let mut carried = carrier.carry(&frame, &self.frame())?;
        for (was, is) in before.limits.iter().zip(&self.shared.limits) {
            let name = &is.constraint.name;
            if knowledge.constraints().contains_key(name) {
                let (from, to) = (was.frame(frame), is.frame(self.frame()));
                let known = carrier.of_quantity(to.goal).carry(&from, &to)?;
                carried.constraints_mut().insert(name.clone(), known);
            }
        }
        Ok((self.with_knowledge(carried)?, carrier.in_words(&from)))
    }

    /// What is known so far.
    pub fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// What is known, to be given to others: no value in it was observed. Where [`Self::knowledge`]
    /// has the observations of short campaigns as they were, this has at most half as many places, none of
    /// them observed, and what is believed there.
    ///
    /// # Errors
    /// If the method keeps the data (`transfer.function = exact`), or its numbers break the model.
    pub fn shareable(&self) -> Result<Knowledge> {
        let mut given = shareable(&self.frame())?;
        // Of a quantity without a model here nothing can be said without its observations.
        let known = std::mem::take(given.constraints_mut());
        for limited in &self.shared.limits {
            if known.contains_key(&limited.constraint.name) {
                let of_quantity = shareable(&limited.frame(self.frame()))?;
                given.constraints_mut().insert(limited.constraint.name.clone(), of_quantity);
            }
        }
        Ok(given)
    }

    fn frame(&self) -> Frame<'_> {
        self.shared.frame(&self.knowledge, (&NOTHING_SAID, &[]), Key::default(), 0, None)
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    pub(super) fn fidelities(&self) -> &[Fidelity] {
        &self.shared.fidelities
    }

    /// Begins the next task with what is known now. Its number, which is part of the name of its
    /// random streams, is the number of tasks the knowledge was learned from.
    ///
    /// # Errors
    /// If the budget is not enough for one trial at the cheapest fidelity.
    pub fn start(&self, budget: f64) -> Result<Task> {
        self.start_described(budget, &NOTHING_SAID)
    }

    /// The same for a task of which something is said: values of descriptors by their names. What is
    /// missing is taken to be as in earlier tasks.
    ///
    /// # Errors
    /// As [`Campaign::start`], and if the description names what is no descriptor, or a value that the
    /// descriptor cannot take.
    pub fn start_described(&self, budget: f64, description: &Description) -> Result<Task> {
        let (shared, knowledge) = (Arc::clone(&self.shared), Arc::clone(&self.knowledge));
        Task::new(shared, knowledge, budget, description)
    }

    /// Continues the task that was under way from its recorded trials: the next ask is the one that
    /// an undisturbed run would have made. `budget` is the one the task began with; extensions are
    /// made again with [`Task::extend_budget`].
    ///
    /// # Errors
    /// If the records contradict each other or the problem.
    pub fn resume(&self, budget: f64, trials: &[Trial]) -> Result<Task> {
        self.resume_described(budget, &NOTHING_SAID, trials)
    }

    /// The same for a task that began with this description.
    ///
    /// # Errors
    /// As [`Campaign::resume`] and [`Campaign::start_described`].
    pub fn resume_described(
        &self,
        budget: f64,
        description: &Description,
        trials: &[Trial],
    ) -> Result<Task> {
        let mut task = self.start_described(budget, description)?;
        task.follow(trials)?;
        Ok(task)
    }

    /// Ends a task: what it taught becomes the knowledge of the next. Trials still pending are
    /// given up.
    ///
    /// # Errors
    /// If the task is not the present one of this campaign. Nothing is changed then.
    pub fn finish(&mut self, mut task: Task) -> Result<Finished> {
        let same = Arc::ptr_eq(&task.shared, &self.shared)
            && Arc::ptr_eq(&task.knowledge, &self.knowledge);
        if !same {
            return Err(Error::NotPresent { number: task.number() });
        }
        // What is given up is no failure.
        let measured = (0..self.shared.limits.len()).map(|k| task.measured(k));
        let measured = measured.collect::<Result<Vec<_>>>()?;
        let pending: Vec<usize> = task.pending().map(|trial| trial.id).collect();
        for id in pending {
            task.fail(id, "the task was finished before its value was told")?;
        }
        let (mut notes, mut verdict) = (Vec::new(), None);
        let mut knowledge = (*self.knowledge).clone();
        let best = task.incumbent();
        knowledge.add_described(task.description().clone(), best.clone());
        knowledge.tasks += 1;
        knowledge.is_here();
        if let Some(coordinates) = best {
            knowledge.add_incumbent(coordinates);
        }
        // A task whose data break the model teaches nothing, but it does not stop the campaign.
        let learned = task.observations();
        match learned.and_then(|told| hand_over(&task.own_frame(), &told, &mut notes)) {
            Ok(Some(learned)) => {
                verdict = learned.verdict;
                knowledge.learn(learned);
            }
            Ok(None) => {}
            Err(error) => notes.push(Note::FellBack(error.to_string())),
        }
        let constraints = self.learn_limits(&task, &mut knowledge, &measured, &mut notes);
        self.knowledge = Arc::new(knowledge);
        Ok(Finished { trials: task.into_trials(), notes, verdict, constraints })
    }

    /// Takes in what a task taught of the quantities that have to keep bounds.
    fn learn_limits(
        &self,
        task: &Task,
        knowledge: &mut Knowledge,
        measured: &[Vec<Observation>],
        notes: &mut Vec<Note>,
    ) -> Vec<(String, Verdict)> {
        let mut verdicts = Vec::new();
        for (limited, observations) in self.shared.limits.iter().zip(measured) {
            let frame = limited.frame(task.own_frame());
            if observations.is_empty() || limited.has_nothing_to_learn(&frame, observations) {
                continue;
            }
            let tasks = knowledge.tasks;
            let known = limited.known(knowledge);
            known.tasks = tasks;
            known.is_here();
            match hand_over(&frame, observations, notes) {
                Ok(Some(learned)) => {
                    let name = limited.constraint.name.clone();
                    verdicts.extend(learned.verdict.map(|verdict| (name, verdict)));
                    known.learn(learned);
                }
                Ok(None) => {}
                Err(error) => notes.push(Note::FellBack(error.to_string())),
            }
        }
        verdicts
    }
}
