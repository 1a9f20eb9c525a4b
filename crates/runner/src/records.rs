//! All records of a campaign, kept up to date by the numbers of changes.

use crate::ended::stopped;
use crate::error::{Mistake, Result, RunnerError};
use crate::problem::Problem;
use crate::spec::Spec;
use crate::wanted::Plan;
use baton::shared::Schema;
use baton::{Campaign, Constraint, Fidelity, Knowledge, Outcome, Parameter, Space, Stop, Trial};
use baton_store::{CampaignRecord, Changes, Store, TaskRecord, TaskState, TrialRecord};

/// What is known of a campaign's records.
#[derive(Debug, Clone, PartialEq)]
pub struct Records {
    /// the campaign
    pub campaign: CampaignRecord,
    /// what it is
    pub spec: Spec,
    /// its tasks that have begun, in their order
    pub tasks: Vec<TaskRecord>,
    /// the trials of each task, by number
    pub trials: Vec<Vec<TrialRecord>>,
    /// the problem of each, if any task changes it
    problems: Vec<Problem>,
    /// the same of all that are planned, and what is otherwise in each, in words
    planned: Vec<Problem>,
    words: Vec<Vec<String>>,
}

impl Records {
    /// Reads a campaign.
    ///
    /// # Errors
    /// If there is none of that name, or it cannot be understood.
    pub fn read(store: &Store, name: &str) -> Result<Self> {
        let changes = store.changes(name, 0)?;
        let spec = Spec::from_json(&changes.campaign.spec)?;
        let campaign = changes.campaign.clone();
        let (tasks, trials) = (Vec::new(), Vec::new());
        let (problems, planned, words) = (Vec::new(), Vec::new(), Vec::new());
        let mut records = Self { campaign, spec, tasks, trials, problems, planned, words };
        records.take_in(changes)?;
        Ok(records)
    }

    /// Reads what changed since the last time.
    ///
    /// # Errors
    /// If the store fails or a record cannot be understood.
    pub fn refresh(&mut self, store: &Store) -> Result<()> {
        let now = store.last_change(&self.campaign.name)?;
        if now == self.campaign.change {
            return Ok(());
        }
        if now < self.campaign.change {
            *self = Self::read(store, &self.campaign.name)?; // another one of the same name
            return Ok(());
        }
        let changes = store.changes(&self.campaign.name, self.campaign.change)?;
        self.take_in(changes)
    }

    fn take_in(&mut self, changes: Changes) -> Result<()> {
        if changes.campaign.spec != self.campaign.spec {
            self.spec = Spec::from_json(&changes.campaign.spec)?;
            (self.problems, self.planned) = (Vec::new(), Vec::new());
        }
        self.campaign = changes.campaign;
        for task in changes.tasks {
            let place = task.number as usize;
            if place < self.tasks.len() {
                self.tasks[place] = task;
            } else {
                self.tasks.push(task);
                self.trials.push(Vec::new());
            }
        }
        for record in changes.trials {
            let Some(trials) = self.trials.get_mut(record.task as usize) else { continue };
            let place = record.trial.id;
            if place < trials.len() { trials[place] = record } else { trials.push(record) }
        }
        if self.spec.tasks.iter().any(Plan::changes) {
            if self.planned.len() != self.spec.tasks.len() {
                self.planned = self.spec.problems().map_err(first_of)?;
                self.words = self.spec.changes(&self.planned);
            }
            if self.problems.len() != self.tasks.len() {
                self.problems = problems(&self.spec, &self.planned, &self.tasks);
            }
        }
        Ok(())
    }

    /// Refuses a campaign in which a task that has begun would have another problem.
    ///
    /// # Errors
    /// Says which task.
    pub(crate) fn check_problems(&self, amended: &Spec) -> Result<()> {
        let planned = amended.problems().map_err(first_of)?;
        let now = problems(amended, &planned, &self.tasks);
        match self.tasks.iter().zip(now).find(|(task, now)| self.problem_of(task.number) != *now) {
            None => Ok(()),
            Some((TaskRecord { name, .. }, _)) => Err(RunnerError::Differs {
                reason: format!(
                    "the task {name:?} has begun with another problem; say what changes in the next \
                     task that has not begun"
                ),
            }),
        }
    }

    /// What is otherwise in a planned task than in the one before, in words.
    pub fn changes_of(&self, name: &str) -> &[String] {
        let place = self.spec.tasks.iter().position(|plan| plan.name == name);
        place.and_then(|place| self.words.get(place)).map_or(&[], Vec::as_slice)
    }

    /// The problem of the latest task that is the one that some knowledge is about.
    pub fn problem_about(&self, schema: &Schema) -> Option<Problem> {
        self.all_problems().into_iter().rev().find(|problem| {
            let names = problem.fidelities.iter().map(|level| &level.name);
            problem.space == schema.space && names.eq(&schema.fidelities)
        })
    }

    /// The problem of a task that has begun.
    pub fn problem_of(&self, task: u32) -> Problem {
        self.problems.get(task as usize).cloned().unwrap_or_else(|| self.spec.problem())
    }

    /// The problem of the last task that has begun, or that of the campaign.
    pub fn last_problem(&self) -> Problem {
        self.problems.last().cloned().unwrap_or_else(|| self.spec.problem())
    }

    /// The space of a task.
    pub fn space_of(&self, task: u32) -> &Space {
        self.problems.get(task as usize).map_or(&self.spec.space, |problem| &problem.space)
    }

    /// The constraints of a task.
    pub fn constraints_of(&self, task: u32) -> &[Constraint] {
        let problem = self.problems.get(task as usize);
        problem.map_or(&self.spec.constraints, |problem| &problem.constraints)
    }

    /// The fidelities of a task.
    pub fn fidelities_of(&self, task: u32) -> &[Fidelity] {
        let problem = self.problems.get(task as usize);
        problem.map_or(&self.spec.fidelities, |problem| &problem.fidelities)
    }

    /// The problem of the task under way, or of the next one, or of the last.
    ///
    /// # Errors
    /// If what changes cannot be understood.
    pub fn present_problem(&self) -> Result<Problem> {
        match (self.present(), self.next()) {
            (Some(task), _) => Ok(self.problem_of(task.number)),
            (None, Some(plan)) => {
                let place = self.spec.tasks.iter().position(|known| known.name == plan.name);
                let planned = place.and_then(|place| self.planned.get(place)).cloned();
                planned.map_or_else(|| self.spec.problem_of(&plan.name), Ok)
            }
            (None, None) => Ok(self.last_problem()),
        }
    }

    /// The problems of all tasks, those that have begun and those to come, after the one the campaign began
    /// with.
    pub fn all_problems(&self) -> Vec<Problem> {
        [vec![self.spec.problem()], self.problems.clone(), self.planned.clone()].concat()
    }

    /// All parameters that there are in some task that has begun, in the order in which they came.
    pub fn parameters(&self) -> Vec<&Parameter> {
        let mut all: Vec<&Parameter> = self.spec.space.parameters().iter().collect();
        for parameter in self.problems.iter().flat_map(|problem| problem.space.parameters()) {
            if all.iter().all(|known| known.name != parameter.name) {
                all.push(parameter);
            }
        }
        all
    }

    /// The names of all quantities that have to keep bounds in some task, in the order in which they came.
    pub fn quantities(&self) -> Vec<String> {
        let problems = self.problems.iter().flat_map(|problem| &problem.constraints);
        let mut names = Vec::new();
        for constraint in self.spec.constraints.iter().chain(problems) {
            if !names.contains(&constraint.name) {
                names.push(constraint.name.clone());
            }
        }
        names
    }

    /// What was learned so far as it may be given to others, without any observation; `None` before
    /// the first task is finished.
    ///
    /// # Errors
    /// If the campaign keeps the data themselves, or its record cannot be understood.
    pub fn shareable_knowledge(&self) -> Result<Option<String>> {
        let Some(text) = &self.campaign.knowledge else { return Ok(None) };
        let about = Knowledge::from_json(text)?;
        let its = self.problem_about(about.schema());
        let problem = its.map_or_else(|| self.present_problem(), Ok)?;
        let campaign = self.spec.campaign_over(&problem, Some(text))?;
        Ok(Some(campaign.shareable()?.to_json()?))
    }

    /// The campaign with what it knows now.
    ///
    /// # Errors
    /// If its record cannot be understood.
    pub fn present_campaign(&self) -> Result<Campaign> {
        self.spec.campaign_over(&self.present_problem()?, self.campaign.knowledge.as_deref())
    }

    /// The task under way, open or paused.
    pub fn present(&self) -> Option<&TaskRecord> {
        self.tasks.iter().find(|task| task.state != TaskState::Finished)
    }

    /// The first planned task that has not begun.
    pub fn next(&self) -> Option<&Plan> {
        let begun = |plan: &&Plan| self.tasks.iter().any(|task| task.name == plan.name);
        self.spec.tasks.iter().find(|plan| !begun(plan))
    }

    /// When a task ends early, if it may.
    pub fn stop_of(&self, name: &str) -> Option<Stop> {
        self.plan_of(name).and_then(|plan| plan.stop).or(self.spec.stop)
    }

    /// The plan of a task; none of one that was added from elsewhere.
    pub fn plan_of(&self, name: &str) -> Option<&Plan> {
        self.spec.tasks.iter().find(|plan| plan.name == name)
    }

    /// What the planned task before that of a number left, if it ended early: it is added to the budget.
    pub fn handed_on(&self, task: u32) -> f64 {
        let before = self.tasks.iter().take(task as usize).rev();
        let mut planned = before.filter(|task| self.plan_of(&task.name).is_some());
        let ended_early = planned.next().filter(|task| stopped(task).is_some());
        ended_early.map_or(0.0, |task| (task.budget - self.spent(task.number)).max(0.0))
    }

    /// The task under way, or the last one that was.
    pub fn latest(&self) -> Option<&TaskRecord> {
        self.present().or(self.tasks.last())
    }

    /// The records of a task's trials.
    pub fn trials_of(&self, task: u32) -> &[TrialRecord] {
        self.trials.get(task as usize).map_or(&[], Vec::as_slice)
    }

    /// The trials of a task, as the algorithm knows them.
    pub fn trials(&self, task: u32) -> impl Iterator<Item = &Trial> {
        self.trials_of(task).iter().map(|record| &record.trial)
    }

    /// What a task's trials cost so far, pending ones included.
    pub fn spent(&self, task: u32) -> f64 {
        self.trials_of(task).iter().map(|record| record.trial.charge()).sum::<f64>() + 0.0
    }

    /// The best told trial of a task at the top fidelity; one that was imported and is
    /// forbidden is none, nor one that is not known to keep all constraints.
    pub fn best(&self, task: u32) -> Option<&TrialRecord> {
        let top = self.fidelities_of(task).len() - 1;
        let better = |a: f64, b: f64| match self.spec.goal {
            baton::Goal::Maximize => a > b,
            baton::Goal::Minimize => a < b,
        };
        let at_top = self.trials_of(task).iter().filter(|record| record.trial.level == top);
        let allowed =
            at_top.filter(|record| self.space_of(task).forbids(&record.trial.point).is_none());
        let constraints = self.constraints_of(task);
        let allowed = allowed.filter(|record| record.trial.is_feasible(constraints) == Some(true));
        let told = allowed.filter_map(|record| record.trial.value().map(|value| (record, value)));
        let best = told.reduce(|best, next| if better(next.1, best.1) { next } else { best });
        best.map(|(record, _)| record)
    }

    /// Pending trials of the task under way that are not with the workers of this process.
    pub fn held_by_others(&self, process: &str) -> Vec<&TrialRecord> {
        let own =
            |holder: &str| holder.strip_prefix(process).is_some_and(|place| place.starts_with('/'));
        let Some(task) = self.present() else { return Vec::new() };
        let pending = self.trials_of(task.number).iter().filter(|record| record.trial.is_pending());
        pending.filter(|record| !record.holder.as_deref().is_some_and(own)).collect()
    }

    /// Whether a point was evaluated at the highest fidelity in a task.
    pub fn was_evaluated(&self, task: u32, point: &[baton::Value]) -> bool {
        let top = self.fidelities_of(task).len() - 1;
        let told = |record: &&TrialRecord| record.trial.value().is_some();
        let mut at_top = self.trials_of(task).iter().filter(|record| record.trial.level == top);
        at_top.any(|record| told(&record) && record.trial.point == point)
    }

    /// Whether any trial of a task waits for its outcome.
    pub fn has_pending(&self, task: u32) -> bool {
        self.trials_of(task).iter().any(|record| record.trial.is_pending())
    }

    /// The failed trials since the last one that was told, or since the task was let go on, in the
    /// order in which they failed.
    pub fn failures_in_a_row(&self, task: &TaskRecord) -> Vec<&TrialRecord> {
        let mut settled: Vec<&TrialRecord> = self
            .trials_of(task.number)
            .iter()
            .filter(|record| !record.trial.is_pending() && record.change > task.continued)
            .collect();
        settled.sort_by_key(|record| record.change);
        let failed = |record: &&TrialRecord| matches!(record.trial.outcome, Outcome::Failed { .. });
        let from = settled.iter().rposition(|record| !failed(record)).map_or(0, |last| last + 1);
        settled.split_off(from)
    }

    /// The open task under way and why it should be paused, if so many of its trials failed in a row
    /// that asking for more would waste its budget.
    pub fn keeps_failing(&self) -> Option<(u32, String)> {
        let task = self.present().filter(|task| task.state == TaskState::Open)?;
        let failures = self.failures_in_a_row(task);
        let most = self.spec.most_failures as usize;
        if most == 0 || failures.len() < most {
            return None;
        }
        let why = match failures.last().map(|record| &record.trial.outcome) {
            Some(Outcome::Failed { reason }) => reason.as_str(),
            _ => "unknown",
        };
        let count = failures.len();
        Some((task.number, format!("{count} trials failed in a row, the last one since {why}")))
    }
}

/// The problem of every task that has begun: of one that was added to the planned ones, that of the one before.
fn problems(spec: &Spec, planned: &[Problem], tasks: &[TaskRecord]) -> Vec<Problem> {
    let mut problems = vec![spec.problem()];
    for task in tasks {
        let place = spec.tasks.iter().position(|plan| plan.name == task.name);
        let before = &problems[problems.len() - 1];
        let next = place.and_then(|place| planned.get(place)).unwrap_or(before).clone();
        problems.push(next);
    }
    problems.split_off(1)
}

fn first_of(found: Vec<Mistake>) -> RunnerError {
    let first = found.into_iter().next().map(|mistake| mistake.error);
    first.unwrap_or_else(|| RunnerError::refused("there is a mistake"))
}
