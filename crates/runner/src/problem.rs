//! The problem of each task: the campaign's, with all that changed up to it.
//!
//! A change is said in the task from which it holds: parameters that are new or otherwise (a new range, other
//! choices, one that is fixed), what is forbidden, the fidelities. What was learned before is carried along
//! (`baton::Campaign::carrying`).

use crate::error::{Mistake, Result, RunnerError};
use crate::spec::Spec;
use crate::wanted::Plan;
use crate::wanted::{WantedParameter, lines, space, was, without};
use baton::shared::Schema;
use baton::{Campaign, Constraint, Fidelity, Knowledge, Parameter, Space, Was};

/// What is optimised in a task.
#[derive(Debug, Clone, PartialEq)]
pub struct Problem {
    /// the parameters
    pub space: Space,
    /// the fidelities, the highest last
    pub fidelities: Vec<Fidelity>,
    /// what new parameters were before
    pub was: Was,
    /// what is measured besides the objective, and has to keep bounds
    pub constraints: Vec<Constraint>,
}

impl Problem {
    fn schema(&self, spec: &Spec) -> Schema {
        let schema = Schema::new(self.space.clone(), &self.fidelities, spec.goal);
        Schema { descriptors: spec.descriptors.clone(), ..schema }
    }

    /// What becomes of knowledge of another problem, in words.
    ///
    /// # Errors
    /// If it cannot be carried here.
    pub fn changes_from(&self, known: &Schema, spec: &Spec) -> Result<Vec<String>> {
        Ok(known.changes(&self.schema(spec), &self.was)?)
    }

    /// What is otherwise than in another one, in words.
    ///
    /// # Errors
    /// If what was learned there cannot be carried here.
    pub fn changes_since(&self, before: &Self, spec: &Spec) -> Result<Vec<String>> {
        let mut words = self.changes_from(&before.schema(spec), spec)?;
        for now in &self.fidelities {
            let known = before.fidelities.iter().find(|level| level.name == now.name);
            if let Some(before) = known.filter(|level| level.cost != now.cost) {
                words.push(format!("{} costs {}, it was {}", now.name, now.cost, before.cost));
            }
        }
        let (was, is) = (before.space.forbidden(), self.space.forbidden());
        let gone = was.iter().filter(|line| !is.contains(line));
        words.extend(gone.map(|line| format!("{line} is not forbidden any more")));
        let new = is.iter().filter(|line| !was.contains(line));
        words.extend(new.map(|line| format!("{line} is forbidden")));
        for now in &self.constraints {
            match before.constraints.iter().find(|known| known.name == now.name) {
                None => words.push(format!("{} is a new constraint", now.in_words())),
                Some(was) if (was.min, was.max) != (now.min, now.max) => {
                    words.push(format!("{}, it was {}", now.in_words(), was.in_words()));
                }
                Some(_) => {}
            }
        }
        Ok(words)
    }
}

/// All parameters and fidelities that there are in some of these problems: parameters as they come, each with
/// its last domain; fidelities by their costs, if they change.
pub fn united(problems: &[Problem]) -> (Vec<Parameter>, Vec<Fidelity>) {
    let (mut parameters, mut fidelities) = (Vec::<Parameter>::new(), Vec::<Fidelity>::new());
    for problem in problems {
        for now in problem.space.parameters() {
            match parameters.iter_mut().find(|known| known.name == now.name) {
                Some(known) => *known = now.clone(),
                None => parameters.push(now.clone()),
            }
        }
        let known = |level: &&Fidelity| fidelities.iter().all(|known| known.name != level.name);
        let new: Vec<Fidelity> = problem.fidelities.iter().filter(known).cloned().collect();
        if !new.is_empty() && !fidelities.is_empty() {
            fidelities.extend(new);
            fidelities.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        } else {
            fidelities.extend(new);
        }
    }
    (parameters, fidelities)
}

impl Spec {
    /// The problem that the campaign begins with.
    pub fn problem(&self) -> Problem {
        let (space, fidelities) = (self.space.clone(), self.fidelities.clone());
        let (was, constraints) = (self.was.clone(), self.constraints.clone());
        Problem { space, fidelities, was, constraints }
    }

    /// The problems of all planned tasks, in their order.
    ///
    /// # Errors
    /// All mistakes in the first change that cannot be, each with its place.
    pub fn problems(&self) -> std::result::Result<Vec<Problem>, Vec<Mistake>> {
        let mut problems = Vec::new();
        let mut present = self.problem();
        for (i, plan) in self.tasks.iter().enumerate() {
            let place = |mistake: Mistake| {
                let at = ["task".to_owned(), i.to_string()].into_iter().chain(mistake.at);
                Mistake { at: at.collect(), ..mistake }
            };
            // What comes later rests on it.
            let changed = self.changed(&present, plan);
            present = changed.map_err(|found| found.into_iter().map(place).collect::<Vec<_>>())?;
            for (k, guess) in plan.guess.iter().enumerate() {
                let wrong = |error| vec![Mistake::new(&[&"task", &i, &"guess", &k], error)];
                guess.check(&present.space).map_err(wrong)?;
            }
            problems.push(present.clone());
        }
        Ok(problems)
    }

    /// The problem of a planned task; of any other one, that of the last.
    ///
    /// # Errors
    /// If what changes cannot be understood.
    pub fn problem_of(&self, name: &str) -> Result<Problem> {
        if !self.tasks.iter().any(Plan::changes) {
            return Ok(self.problem());
        }
        let first = |found: Vec<Mistake>| found.into_iter().next().map(|mistake| mistake.error);
        let unknown = || RunnerError::refused("there is a mistake");
        let problems = self.problems().map_err(|found| first(found).unwrap_or_else(unknown))?;
        let place = self.tasks.iter().position(|plan| plan.name == name);
        let found = place.map_or(problems.last(), |place| problems.get(place));
        Ok(found.cloned().unwrap_or_else(|| self.problem()))
    }

    /// What is otherwise in each planned task than in the one before, in words; these are their problems.
    pub(crate) fn changes(&self, problems: &[Problem]) -> Vec<Vec<String>> {
        let base = self.problem();
        let before = std::iter::once(&base).chain(problems);
        let plans = self.tasks.iter().zip(before.zip(problems));
        let told = plans.map(|(plan, (before, now))| {
            let told = plan.changes().then(|| now.changes_since(before, self).unwrap_or_default());
            told.unwrap_or_default()
        });
        told.collect()
    }

    /// The campaign over a problem, starting from some knowledge, which is carried along where it was learned
    /// of another one.
    ///
    /// # Errors
    /// If the knowledge does not fit or something cannot be used.
    pub fn campaign_over(&self, problem: &Problem, knowledge: Option<&str>) -> Result<Campaign> {
        let (space, fidelities) = (problem.space.clone(), problem.fidelities.clone());
        let campaign = Campaign::new(space, fidelities, self.goal, self.settings()?)?
            .with_descriptors(self.descriptors.clone())?
            .with_constraints(problem.constraints.clone())?;
        match knowledge {
            Some(text) => Ok(campaign.carrying(Knowledge::from_json(text)?, &problem.was)?.0),
            None => Ok(campaign),
        }
    }

    /// A problem with what changes in a task.
    fn changed(&self, before: &Problem, plan: &Plan) -> std::result::Result<Problem, Vec<Mistake>> {
        if !plan.changes() {
            return Ok(before.clone());
        }
        let mut all: Vec<WantedParameter> =
            before.space.parameters().iter().map(WantedParameter::of).collect();
        for now in &plan.space {
            match all.iter_mut().find(|known| known.name == now.name) {
                Some(known) => *known = now.instead_of(known),
                None => all.push(now.clone()),
            }
        }
        let lines = match &plan.forbid {
            Some(forbid) => lines(forbid)?,
            None => before.space.forbidden().to_vec(),
        };
        let fidelities = match &plan.fidelities[..] {
            [] => before.fidelities.clone(),
            wanted => crate::wanted::levels(wanted)?,
        };
        let space = without(space(&all)?, lines)?;
        // What is said of a parameter that was there already does not count.
        let was = before.was.clone().into_iter().chain(was(&plan.space)).collect();
        let mut constraints = before.constraints.clone();
        for now in crate::wanted::constraints(&plan.constraints, fidelities.len())? {
            match constraints.iter_mut().find(|known| known.name == now.name) {
                Some(known) if now.noise.is_empty() => {
                    *known = now.with_noise(std::mem::take(&mut known.noise));
                }
                Some(known) => *known = now,
                None => constraints.push(now),
            }
        }
        if fidelities.len() != before.fidelities.len() {
            // Noise that was said of the levels before cannot be told apart any more.
            let of_levels = constraints.iter_mut().filter(|one| one.noise.len() > 1);
            of_levels.for_each(|one| one.noise.clear());
        }
        let changed = Problem { space, fidelities, was, constraints };
        changed
            .changes_since(before, self)
            .map_err(|error| vec![Mistake::new(&[&"space"], error)])?;
        Ok(changed)
    }
}

impl WantedParameter {
    /// What it is after a change: `{ fixed = 3 }` alone leaves its range as it was.
    fn instead_of(&self, before: &Self) -> Self {
        let named = Self { name: self.name.clone(), ..Self::default() };
        let only = Self { fixed: self.fixed.clone(), ..named };
        if *self == only && self.fixed.is_some() {
            return Self { fixed: self.fixed.clone(), ..before.clone() };
        }
        self.clone()
    }
}
