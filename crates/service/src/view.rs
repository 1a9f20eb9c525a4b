//! What is answered, as types: campaigns, tasks and trials as clients see them.

use baton::Outcome;
use baton::{Constraint, Space, Stopped, Value};
use baton_runner::desk::{Expected, attributes};
use baton_runner::look::{kept_result, stopped};
use baton_runner::replay::description;
use baton_runner::wanted::{Setting, WantedConstraint, WantedFidelity, WantedParameter};
use baton_runner::{Plan, Problem, Records, Request};
use baton_store::{TaskRecord, TaskState, TrialRecord};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A value per parameter that is there, by its name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(into = "BTreeMap<String, Value>", try_from = "BTreeMap<String, Value>")]
#[schema(value_type = BTreeMap<String, Setting>)]
pub struct Point(pub BTreeMap<String, Value>);

impl From<Point> for BTreeMap<String, Value> {
    fn from(Point(named): Point) -> Self {
        named
    }
}

impl TryFrom<BTreeMap<String, Value>> for Point {
    type Error = String;

    fn try_from(named: BTreeMap<String, Value>) -> Result<Self, String> {
        match named.iter().find(|(_, value)| value.is_absent()) {
            Some((name, _)) => Err(format!("{name:?} is an object; what is not there is left out")),
            None => Ok(Self(named)),
        }
    }
}

/// A point with the names of its parameters.
pub fn point(space: &Space, values: &[Value]) -> Point {
    let named = space.present(values);
    Point(named.map(|(parameter, value)| (parameter.name.clone(), value.clone())).collect())
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// it has not begun
    ToCome,
    /// trials may be asked for
    Open,
    /// nothing is asked for until somebody lets it go on
    Paused,
    /// what it taught was handed on
    Finished,
}

impl From<TaskState> for State {
    fn from(state: TaskState) -> Self {
        match state {
            TaskState::Open => Self::Open,
            TaskState::Paused => Self::Paused,
            TaskState::Finished => Self::Finished,
        }
    }
}

/// The best value seen at the top fidelity.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Best {
    /// number of the trial
    pub trial: usize,
    /// its value
    pub value: f64,
    /// its point
    pub point: Point,
}

/// The point to use, and what to expect there.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Recommended {
    /// the point with the best expected value at the top fidelity
    pub point: Point,
    /// the expected value
    pub mean: f64,
    /// the lower end of a 90 % interval for it
    pub low: f64,
    /// the upper end
    pub high: f64,
    /// whether the point was evaluated at the highest fidelity
    pub evaluated: bool,
    /// how likely it is to keep all constraints, where there are some
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<f64>,
}

impl Recommended {
    /// As clients see it.
    pub fn new(records: &Records, task: u32, expected: &Expected) -> Self {
        let Expected { point: at, mean, interval: (low, high), feasible } = expected;
        let evaluated = records.was_evaluated(task, at);
        let point = point(records.space_of(task), at);
        let (mean, low, high, feasible) = (*mean, *low, *high, *feasible);
        Self { point, mean, low, high, evaluated, feasible }
    }
}

/// A task of a campaign.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Task {
    /// its name
    pub task: String,
    /// its place in the campaign, from 1
    pub number: usize,
    /// how far it is
    pub state: State,
    /// why it is paused
    pub reason: Option<String>,
    /// what is said of it
    pub describe: Point,
    /// what is otherwise than in the task before
    pub changes: Vec<String>,
    /// what may be varied in it, in a campaign where that changes
    #[serde(skip_serializing_if = "Option::is_none")]
    pub space: Option<Vec<WantedParameter>>,
    /// ways to evaluate it, in a campaign where these change
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fidelities: Option<Vec<WantedFidelity>>,
    /// its constraints, in a campaign that has some
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<WantedConstraint>,
    /// what may be spent on it
    pub budget: f64,
    /// what its trials cost so far, pending ones included
    pub spent: f64,
    /// trials with a value
    pub told: usize,
    /// trials that failed
    pub failed: usize,
    /// trials whose outcome is not known yet
    pub pending: usize,
    /// nats that its trials were expected to buy about its own optimum
    pub nats_optimum: f64,
    /// nats that its trials were expected to buy for later tasks
    pub nats_transfer: f64,
    /// the best value seen
    pub best: Option<Best>,
    /// the point to use, once it is finished
    pub recommended: Option<Recommended>,
    /// why it ended early, if it did: what was left, what was gained, how likely that was
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub stopped: Option<Stopped>,
    /// when it was started, in seconds of Unix time
    pub started: Option<f64>,
    /// when it was finished
    pub finished: Option<f64>,
    /// what people noted
    #[schema(value_type = Object)]
    pub attributes: Map<String, Json>,
}

impl Task {
    /// A task that has begun.
    pub fn new(task: &TaskRecord, records: &Records) -> Self {
        let space = records.space_of(task.number);
        let changes = records.spec.tasks.iter().any(Plan::changes);
        let changed = changes.then(|| records.problem_of(task.number));
        let trials = records.trials_of(task.number);
        let mut counts = [0; 3];
        let (mut optimum, mut transfer) = (0.0, 0.0);
        for record in trials {
            counts[match record.trial.outcome {
                Outcome::Told { .. } => 0,
                Outcome::Failed { .. } => 1,
                Outcome::Pending => 2,
            }] += 1;
            let nats = record.trial.nats.unwrap_or_default();
            optimum += nats.optimum;
            transfer += nats.transfer;
        }
        let best = records.best(task.number).and_then(|record| {
            let value = record.trial.value()?;
            Some(Best { trial: record.trial.id, value, point: point(space, &record.trial.point) })
        });
        Self {
            task: task.name.clone(),
            number: task.number as usize + 1,
            state: task.state.into(),
            reason: task.reason.clone(),
            describe: Point(description(task).unwrap_or_default()),
            changes: records.changes_of(&task.name).to_vec(),
            space: changed.as_ref().map(parameters_of),
            fidelities: changed.as_ref().map(levels_of),
            constraints: limits_of(records.constraints_of(task.number)),
            budget: task.budget,
            spent: records.spent(task.number),
            told: counts[0],
            failed: counts[1],
            pending: counts[2],
            nats_optimum: optimum,
            nats_transfer: transfer,
            best,
            recommended: kept_result(task)
                .map(|expected| Recommended::new(records, task.number, &expected)),
            attributes: attributes(task.attributes.as_deref()),
            stopped: stopped(task),
            started: Some(task.started),
            finished: task.finished,
        }
    }

    /// All tasks of a campaign: those that have begun, then those to come.
    pub fn all(records: &Records) -> Vec<Self> {
        let mut tasks: Vec<Self> =
            records.tasks.iter().map(|task| Self::new(task, records)).collect();
        let begun = |name: &str| records.tasks.iter().any(|task| task.name == name);
        let mut constraints = limits_of(&records.last_problem().constraints);
        for plan in records.spec.tasks.iter().filter(|plan| !begun(&plan.name)) {
            for now in &plan.constraints {
                match constraints.iter_mut().find(|known| known.name == now.name) {
                    Some(known) => known.clone_from(now),
                    None => constraints.push(now.clone()),
                }
            }
            tasks.push(Self {
                task: plan.name.clone(),
                number: tasks.len() + 1,
                state: State::ToCome,
                reason: None,
                describe: Point(plan.describe.clone()),
                changes: records.changes_of(&plan.name).to_vec(),
                space: None,
                fidelities: None,
                constraints: constraints.clone(),
                budget: plan.budget,
                spent: 0.0,
                told: 0,
                failed: 0,
                pending: 0,
                nats_optimum: 0.0,
                nats_transfer: 0.0,
                best: None,
                recommended: None,
                stopped: None,
                started: None,
                finished: None,
                attributes: Map::new(),
            });
        }
        tasks
    }
}

fn parameters_of(problem: &Problem) -> Vec<WantedParameter> {
    problem.space.parameters().iter().map(WantedParameter::of).collect()
}

/// Constraints as somebody would have described them.
pub fn limits_of(constraints: &[Constraint]) -> Vec<WantedConstraint> {
    constraints.iter().map(WantedConstraint::from).collect()
}

fn levels_of(problem: &Problem) -> Vec<WantedFidelity> {
    problem.fidelities.iter().map(WantedFidelity::from).collect()
}

/// How a trial ended, if it did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// not known yet
    Pending,
    /// it has a value
    Told,
    /// it could not be evaluated
    Failed,
}

/// A trial of a task: one evaluation, with its line of the ledger.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Trial {
    /// name of its task
    pub task: String,
    /// its number in the task, from 0
    pub trial: usize,
    /// where it is evaluated
    pub point: Point,
    /// the fidelity's name
    pub fidelity: String,
    /// the fidelity's place, from 1
    pub level: usize,
    /// what its fidelity costs
    pub cost: f64,
    /// what it really cost, where that was told
    pub paid: Option<f64>,
    /// the standard error of its value, where that was told
    pub noise: Option<f64>,
    /// whether the cost counts against the budget
    pub charged: bool,
    /// what it is for
    pub aim: String,
    /// nats that it was expected to buy about this task's optimum
    pub nats_optimum: Option<f64>,
    /// nats that it was expected to buy for later tasks
    pub nats_transfer: Option<f64>,
    /// how much of `nats_optimum` measuring the constrained quantities alone would buy
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nats_limits: Option<f64>,
    /// how it ended
    pub state: Ended,
    /// its value
    pub value: Option<f64>,
    /// what was measured of the quantities that have to keep bounds
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub constraints: BTreeMap<String, f64>,
    /// whether it keeps all constraints, as far as that is known
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<bool>,
    /// how many trials of the task were told before it
    pub order: Option<usize>,
    /// why it failed
    pub reason: Option<String>,
    /// who evaluates it, or did
    pub worker: Option<String>,
    /// when it was asked for, in seconds of Unix time
    pub asked: f64,
    /// when it was answered
    pub answered: Option<f64>,
    /// what people noted
    #[schema(value_type = Object)]
    pub attributes: Map<String, Json>,
}

impl Trial {
    /// A trial of a campaign.
    pub fn new(record: &TrialRecord, records: &Records) -> Self {
        let trial = &record.trial;
        let (state, order, reason) = match &trial.outcome {
            Outcome::Pending => (Ended::Pending, None, None),
            Outcome::Told { order, .. } => (Ended::Told, Some(*order), None),
            Outcome::Failed { reason } => (Ended::Failed, None, Some(reason.clone())),
        };
        Self {
            task: task_name(record, records).to_owned(),
            trial: trial.id,
            point: point(records.space_of(record.task), &trial.point),
            fidelity: trial.fidelity.clone(),
            level: trial.level + 1,
            cost: trial.cost,
            paid: trial.paid,
            noise: trial.noise,
            charged: trial.charged,
            aim: trial.aim.name().to_owned(),
            nats_optimum: trial.nats.map(|nats| nats.optimum),
            nats_transfer: trial.nats.map(|nats| nats.transfer),
            nats_limits: trial.nats.map(|nats| nats.limits).filter(|nats| *nats > 0.0),
            state,
            value: trial.value(),
            constraints: trial.constraints.clone(),
            feasible: feasible(record, records),
            order,
            reason,
            worker: record.holder.clone(),
            asked: record.asked,
            answered: record.answered,
            attributes: attributes(record.attributes.as_deref()),
        }
    }
}

/// Whether a told trial keeps all constraints, where there are some.
fn feasible(record: &TrialRecord, records: &Records) -> Option<bool> {
    record.trial.value()?;
    let constraints = records.constraints_of(record.task);
    record.trial.is_feasible(constraints).filter(|_| !constraints.is_empty())
}

fn task_name<'a>(record: &TrialRecord, records: &'a Records) -> &'a str {
    records.tasks.get(record.task as usize).map_or("", |task| task.name.as_str())
}

/// A trial with all that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct FullTrial {
    /// its line
    #[serde(flatten)]
    pub trial: Trial,
    /// why this point at this fidelity, in a sentence
    pub why: String,
    /// what is said of its task, and was said when it was asked for
    pub describe: Point,
    /// for the simulator's random numbers; the same whenever this trial is evaluated
    pub seed: u32,
    /// how often its evaluation was tried
    pub attempts: u32,
    /// how many workers lost it
    pub lost: u32,
    /// the last lines of error of its evaluation
    pub log: String,
}

impl FullTrial {
    /// A trial of a campaign.
    pub fn new(record: &TrialRecord, records: &Records) -> Self {
        let request = Request::of(record, records);
        Self {
            trial: Trial::new(record, records),
            why: record.trial.why(),
            describe: Point(request.describe),
            seed: request.seed,
            attempts: record.attempts,
            lost: record.lost,
            log: record.log.clone(),
        }
    }
}

/// How far a campaign is.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Summary {
    /// its name
    pub campaign: String,
    /// the number of its last change
    pub change: i64,
    /// `maximize` or `minimize`
    pub goal: String,
    /// the method's name
    pub method: String,
    /// the task under way, if there is one
    pub task: Option<String>,
    /// how far that task is; `finished` if all tasks are, `to_come` if none has begun
    pub state: State,
    /// tasks that are finished
    pub finished: usize,
    /// all tasks
    pub tasks: usize,
    /// all trials
    pub trials: usize,
    /// what was spent
    pub spent: f64,
    /// what may be spent on all tasks
    pub budget: f64,
    /// when its last trial was asked for or answered, in seconds of Unix time
    pub active: Option<f64>,
    /// whether it was put aside
    pub archived: bool,
}

impl Summary {
    /// The summary of a campaign.
    pub fn new(records: &Records) -> Self {
        let present = records.present();
        let finished = records.tasks.iter().filter(|t| t.state == TaskState::Finished).count();
        let state = match (present, records.next()) {
            (Some(task), _) => task.state.into(),
            (None, Some(_)) => State::ToCome,
            (None, None) => State::Finished,
        };
        let tasks = Task::all(records);
        let goal = serde_json::to_value(records.spec.goal);
        let times = records.trials.iter().flatten().map(|r| r.answered.unwrap_or(r.asked));
        Self {
            campaign: records.campaign.name.clone(),
            change: records.campaign.change,
            goal: goal.ok().and_then(|goal| goal.as_str().map(str::to_owned)).unwrap_or_default(),
            method: records.spec.setting("method").unwrap_or_default().to_owned(),
            task: present.map(|task| task.name.clone()),
            state,
            finished,
            tasks: tasks.len(),
            trials: records.trials.iter().map(Vec::len).sum(),
            spent: tasks.iter().map(|task| task.spent).sum(),
            budget: tasks.iter().map(|task| task.budget).sum(),
            active: times.reduce(f64::max),
            archived: records.campaign.archived,
        }
    }
}
