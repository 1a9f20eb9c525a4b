//! The campaign: a sequence of tasks and what is handed from one to the next.

use super::contest::{Model, TIE};
use super::epoch::{Frame, Observation};
use super::hills::Plain;
use super::relatedness;
use super::remembered;
use super::settings::{Settings, Transfer};
use super::task::{Shared, Task};
use super::tendency;
use super::transfer::{absorb, without_data};
use super::trial::{Note, Trial};
use super::verdict::Verdict;
use crate::Error;
use crate::belief::Particles;
use crate::error::Result;
use crate::knowledge::{Belief, Hill, Knowledge, Schema, SharedFunction, Tendency};
use crate::problem::{Fidelity, Goal, Space, Units, check_fidelities};
use crate::surrogate::Earlier;
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
        let shared = Arc::new(Shared { settings, schema, fidelities });
        Ok(Self { shared, knowledge })
    }

    /// Starts from knowledge gained elsewhere instead of what is known here.
    ///
    /// # Errors
    /// If the knowledge is about another problem or was learned with another surrogate.
    pub fn with_knowledge(mut self, knowledge: Knowledge) -> Result<Self> {
        let Shared { settings, schema, fidelities } = &*self.shared;
        let any_units = Units::of(schema.goal, &[]).with_link(settings.link);
        let earlier = match settings.transfer {
            Transfer::None => Earlier::None,
            Transfer::Compact | Transfer::Exact => Earlier::Compact,
        };
        let surrogate = super::inference::surrogate(
            settings,
            &schema.space,
            fidelities,
            &any_units,
            (earlier, false),
        )?;
        knowledge.check_fits(schema, &surrogate)?;
        settings.check_units(schema.goal, knowledge.units.as_ref())?;
        self.knowledge = Arc::new(knowledge);
        Ok(self)
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
    /// If the method keeps the data (`transfer = exact`), or its numbers break the model.
    pub fn shareable(&self) -> Result<Knowledge> {
        let mut knowledge = (*self.knowledge).clone();
        knowledge.round_hills();
        let Some(shared) = &knowledge.shared else { return Ok(knowledge) };
        let (Some(units), Some(belief)) = (&knowledge.units, &knowledge.belief) else {
            knowledge.shared = None;
            return Ok(knowledge);
        };
        let Shared { settings, schema, fidelities } = &*self.shared;
        let surrogate = super::inference::surrogate(
            settings,
            &schema.space,
            fidelities,
            units,
            (shared.earlier(), false),
        )?;
        let theta = &belief.particles().thetas()[0];
        let Some((given, lost)) = without_data(shared, &surrogate, theta)? else {
            knowledge.shared = None;
            return Ok(knowledge);
        };
        let history = shared.history(surrogate.dimension(), surrogate.levels())?;
        let model = (&surrogate, theta.as_slice());
        let parameters = remembered::after_losing(lost, &history, model, settings, &knowledge)?;
        (knowledge.shared, knowledge.parameters) = (Some(given), parameters);
        Ok(knowledge)
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// Begins the next task with what is known now. Its number, which is part of the name of its
    /// random streams, is the number of tasks the knowledge was learned from.
    ///
    /// # Errors
    /// If the budget is not enough for one trial at the cheapest fidelity.
    pub fn start(&self, budget: f64) -> Result<Task> {
        Task::new(Arc::clone(&self.shared), Arc::clone(&self.knowledge), budget)
    }

    /// Continues the task that was under way from its recorded trials: the next ask is the one that
    /// an undisturbed run would have made. `budget` is the one the task began with; extensions are
    /// made again with [`Task::extend_budget`].
    ///
    /// # Errors
    /// If the records contradict each other or the problem.
    pub fn resume(&self, budget: f64, trials: &[Trial]) -> Result<Task> {
        let mut task = self.start(budget)?;
        task.restore(trials)?;
        Ok(task)
    }

    /// Ends a task: what it taught becomes the knowledge of the next. Trials still pending are
    /// given up. A finished task cannot be finished again.
    ///
    /// # Errors
    /// If the task is not the present one of this campaign. Nothing is changed then.
    pub fn finish(&mut self, task: &mut Task) -> Result<Finished> {
        let same = Arc::ptr_eq(&task.shared, &self.shared)
            && Arc::ptr_eq(&task.knowledge, &self.knowledge);
        if !same {
            let value = f64::from(task.number());
            let must = "the present task of this campaign";
            return Err(Error::OutOfRange { what: "number of the finished task", value, must });
        }
        let pending: Vec<usize> = task.pending().map(|trial| trial.id).collect();
        for id in pending {
            task.fail(id, "the task was finished before its value was told")?;
        }
        let (mut notes, mut verdict) = (Vec::new(), None);
        let mut knowledge = (*self.knowledge).clone();
        knowledge.tasks += 1;
        if let Some(coordinates) = task.incumbent() {
            knowledge.add_incumbent(coordinates);
        }
        // A task whose data break the model teaches nothing, but it does not stop the campaign.
        match hand_over(task, &mut notes) {
            Ok(Some(learned)) => {
                knowledge.units = Some(learned.units.without_floor());
                verdict = learned.verdict;
                if let Some(hill) = learned.hill {
                    knowledge.add_hill(hill);
                }
                knowledge.judge(verdict.map(|v| v.trusted), learned.drift);
                knowledge.tendencies = learned.tendencies;
                knowledge.relatedness = learned.relatedness.or(knowledge.relatedness);
                knowledge.parameters = learned.parameters.or(knowledge.parameters);
                knowledge.belief = learned.belief.or(knowledge.belief);
                knowledge.shared = learned.shared.or(knowledge.shared);
            }
            Ok(None) => {}
            Err(error) => notes.push(Note::FellBack(error.to_string())),
        }
        self.knowledge = Arc::new(knowledge);
        task.close();
        Ok(Finished { trials: task.trials().to_vec(), notes, verdict })
    }
}

/// What a task taught.
struct Learned {
    units: Units,
    belief: Option<Belief>,
    shared: Option<SharedFunction>,
    verdict: Option<Verdict>,
    drift: Option<f64>,
    tendencies: Vec<Tendency>,
    relatedness: Option<(f64, f64)>,
    parameters: Option<Vec<(f64, f64)>>,
    hill: Option<Hill>,
}

impl Learned {
    /// Nothing but the scale of its values.
    fn only(units: Units) -> Self {
        Self {
            units,
            belief: None,
            shared: None,
            verdict: None,
            drift: None,
            tendencies: Vec::new(),
            relatedness: None,
            parameters: None,
            hill: None,
        }
    }
}

/// What is known after the task; `None` if it showed too little to set a scale by.
fn hand_over(task: &Task, notes: &mut Vec<Note>) -> Result<Option<Learned>> {
    let observations = task.observations()?;
    let frame = task.frame();
    if observations.is_empty() || !frame.knows_units(&observations) {
        return Ok(None);
    }
    let units = frame.units(&observations)?;
    if frame.settings.transfer != Transfer::None {
        return share(&frame, units, &observations, notes).map(Some);
    }
    let surrogate = frame.surrogate(&units, Earlier::None, false)?;
    let history = frame.history(&units, &observations)?;
    let particles = frame.inference(&surrogate).hand_over(&history, notes)?;
    let belief = particles.map(|particles| Belief::new(&surrogate, particles));
    Ok(Some(Learned { belief, ..Learned::only(units) }))
}

/// What was learned beside the shared function; where that failed, what was known before.
fn or_before<T>(learned: Result<T>, before: T, notes: &mut Vec<Note>) -> T {
    learned.unwrap_or_else(|error| {
        notes.push(Note::FellBack(error.to_string()));
        before
    })
}

/// Adds the task to what is known of the shared function, unless it turned out to be unrelated.
fn share(
    frame: &Frame<'_>,
    units: Units,
    observations: &[Observation],
    notes: &mut Vec<Note>,
) -> Result<Learned> {
    // While a task runs, doubt costs little; at its end it costs all that the task has shown.
    let benefit = frame.knowledge.benefit_of_doubt() + TIE;
    let (model, contest) = Model::of_task(frame, &units, observations, benefit)?;
    notes.extend(model.notes.iter().cloned());
    let verdict = Verdict::of(&contest);
    let drift = contest.drift;
    let (settings, known) = (frame.settings, frame.knowledge);
    let tendencies = tendency::after(frame, &units, observations);
    let tendencies = or_before(tendencies, known.tendencies.clone(), notes);
    let plain = Plain::of(&units, &model.surrogate, model.theta())?;
    let hill = plain.highest(observations, frame.fidelities.len() - 1);
    if contest.is_cold() {
        return Ok(Learned { verdict, tendencies, hill, ..Learned::only(units) });
    }
    let relatedness = relatedness::after(&model, known.relatedness);
    let relatedness = or_before(relatedness, known.relatedness, notes);
    let theta = model.theta();
    let before = known.shared.as_ref();
    let own = model.history.since(model.history.len() - observations.len())?;
    let own = model.surrogate.placed_back(theta, &own);
    let staying = model.surrogate.without_drift();
    let common = |theta: &Vec<f64>| theta[..staying.parameter_count()].to_vec();
    let thetas: Vec<Vec<f64>> = model.particles.thetas().iter().map(common).collect();
    let (shared, lost) = absorb(before, frame.settings.transfer, &staying, &thetas[0], &own)?;
    let fitted = (&*model.surrogate, theta);
    let parameters = remembered::after_losing(lost, &model.history, fitted, settings, known);
    let parameters = or_before(parameters, known.parameters.clone(), notes);
    let belief = Belief::new(&staying, Particles::weighted(thetas, model.particles.weights())?);
    let (belief, shared) = (Some(belief), Some(shared));
    let said = Learned { verdict, drift, tendencies, relatedness, hill, ..Learned::only(units) };
    Ok(Learned { belief, shared, parameters, ..said })
}
