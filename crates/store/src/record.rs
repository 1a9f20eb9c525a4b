//! What is kept, as types. Text that the store does not look into is said to be so.

use baton::{Measurement, Trial};

/// A campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignRecord {
    /// its name, unique in the store
    pub name: String,
    /// what it is about and how it is run; not looked into
    pub spec: String,
    /// what its next task starts from; not looked into
    pub knowledge: Option<String>,
    /// whether it was put aside
    pub archived: bool,
    /// the number of its last change
    pub change: i64,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// trials may be asked for
    Open,
    /// nothing is asked for until somebody lets it go on
    Paused,
    /// what it taught was handed on; nothing about it changes any more
    Finished,
}

impl TaskState {
    pub(crate) const ALL: [Self; 3] = [Self::Open, Self::Paused, Self::Finished];

    /// Its name in records and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Paused => "paused",
            Self::Finished => "finished",
        }
    }
}

/// A task of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskRecord {
    /// its place in the campaign, from 0
    pub number: u32,
    /// its name, unique in the campaign
    pub name: String,
    /// the budget it began with
    pub began_with: f64,
    /// the budget it has now
    pub budget: f64,
    /// how far it is
    pub state: TaskState,
    /// why it is paused
    pub reason: Option<String>,
    /// failures up to this change do not count towards a pause
    pub continued: i64,
    /// what it began with; not looked into
    pub knowledge: Option<String>,
    /// its result, once finished; not looked into
    pub result: Option<String>,
    /// what was said of it when it began, as the algorithm wrote it
    pub described: Option<String>,
    /// when it was started and finished, in seconds of Unix time
    pub started: f64,
    /// see `started`
    pub finished: Option<f64>,
    /// what people noted; not looked into
    pub attributes: Option<String>,
    /// the number of its last change
    pub change: i64,
}

/// A trial with its outcome and who evaluates it.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialRecord {
    /// the number of its task
    pub task: u32,
    /// the trial as it was asked for, with its outcome
    pub trial: Trial,
    /// who evaluates it, or did
    pub holder: Option<String>,
    /// when the holder's lease ends; `None` if it does not
    pub expires: Option<f64>,
    /// how many leases ended without an answer
    pub lost: u32,
    /// how often its evaluation was tried by who answered
    pub attempts: u32,
    /// the last lines of error of its evaluation
    pub log: String,
    /// when it was asked for and answered, in seconds of Unix time
    pub asked: f64,
    /// see `asked`
    pub answered: Option<f64>,
    /// what people noted; not looked into
    pub attributes: Option<String>,
    /// the number of its last change
    pub change: i64,
}

/// All that changed in a campaign since some change, or all there is.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// the campaign itself
    pub campaign: CampaignRecord,
    /// tasks that changed, in their order
    pub tasks: Vec<TaskRecord>,
    /// trials that changed, by task and number
    pub trials: Vec<TrialRecord>,
}

/// A task to be started.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewTask<'a> {
    /// its place in the campaign: one past the last
    pub number: u32,
    /// its name
    pub name: &'a str,
    /// its budget
    pub budget: f64,
    /// what it begins with; not looked into
    pub knowledge: Option<&'a str>,
    /// what is said of it
    pub described: Option<&'a str>,
}

/// Who evaluates a trial, and how long it stays theirs without a sign of life.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lease<'a> {
    /// name of the worker
    pub holder: &'a str,
    /// `None`: for as long as it takes
    pub seconds: Option<f64>,
}

/// The end of a trial.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// it was evaluated
    Value(Measurement),
    /// it could not be
    Failure {
        /// why
        reason: String,
        /// whether its cost counts against the budget all the same
        charged: bool,
    },
}

/// An answer and how it came about.
#[derive(Debug, Clone, PartialEq)]
pub struct Report<'a> {
    /// number of the task
    pub task: u32,
    /// number of the trial
    pub trial: usize,
    /// the worker that answers; `None` if it is a person
    pub holder: Option<&'a str>,
    /// the answer
    pub answer: Answer,
    /// how often the evaluation was tried
    pub attempts: u32,
    /// the last lines of error of the evaluation
    pub log: &'a str,
}

/// What became of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// it is the trial's outcome now
    Counted,
    /// the trial had this outcome already
    Repeated,
    /// the trial has another outcome, or somebody else is at it; this answer was dropped
    Superseded,
}
