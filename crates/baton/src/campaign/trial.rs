//! A trial: one evaluation, from the asking to the outcome, with its line of the ledger.

use crate::problem::Value;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// What a trial is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// a first look around
    Design,
    /// where an earlier task had its best, or near it
    WarmStart,
    /// a look around because no task has found anything yet
    Survey,
    /// a large part of the space without a trial at the truth
    Cover,
    /// random search
    Random,
    /// this task's optimum
    Optimum,
    /// what future tasks will use
    Future,
    /// what future tasks will use, from a batch planned before the task
    Planned,
    /// both, weighted
    Both,
    /// whether what earlier tasks taught holds here: the best point by that
    Test,
    /// whether the recommendation holds: the point that would be recommended
    Confirm,
    /// better basins, which this task may not need but later ones will
    Explore,
    /// a look around because the model could not be used
    Fallback,
    /// chosen by the user
    Given,
}

impl Aim {
    /// Whether the model chose the trial.
    pub(super) fn is_by_model(self) -> bool {
        let shares = [Self::Optimum, Self::Future, Self::Planned, Self::Both, Self::Explore];
        shares.contains(&self)
    }
}

/// Something that did not go as it should, and was survived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// this had to be added to the diagonal of a covariance
    Jitter(f64),
    /// so many particles could not be used
    DroppedParticles(usize),
    /// so many scores or steps of the particles failed
    FailedScores(u32),
    /// the model could not be used; a point of the design was taken instead
    FellBack(String),
    /// what earlier tasks taught fits this one so much worse (nats) than knowing nothing that it was
    /// left out
    Unrelated(f64),
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Jitter(amount) => write!(out, "jitter of {amount:.0e} was needed"),
            Self::DroppedParticles(count) => write!(out, "{count} particles could not be used"),
            Self::FailedScores(count) => write!(out, "{count} particle steps failed"),
            Self::FellBack(reason) => write!(out, "the model could not be used: {reason}"),
            Self::Unrelated(nats) => write!(
                out,
                "what earlier tasks taught was left out: it is {nats:.1} nats worse than nothing"
            ),
        }
    }
}

/// How a trial ended, if it did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// not known yet
    Pending,
    /// evaluated
    Told {
        /// in the user's units
        value: f64,
        /// how many trials were told before it
        order: usize,
    },
    /// it could not be evaluated
    Failed {
        /// why
        reason: String,
    },
}

/// Nats that a trial was expected to buy.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Bought {
    /// about this task's optimum
    pub optimum: f64,
    /// about what future tasks will use
    pub transfer: f64,
}

/// One evaluation. A list of these is all that is needed to continue a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// its number in the task, from 0
    pub id: usize,
    /// one value per parameter
    pub point: Vec<Value>,
    /// the fidelity, counted from 0
    pub level: usize,
    /// the name of the fidelity
    pub fidelity: String,
    /// its price: the cost of its fidelity
    pub cost: f64,
    /// whether the cost counts against the budget
    pub charged: bool,
    /// what it is for
    pub aim: Aim,
    /// what it was expected to buy; nothing is known of trials chosen without a model
    pub nats: Option<Bought>,
    /// what the same point would have bought per unit of cost at the best other affordable level
    pub runner_up: Option<(String, f64)>,
    /// degradations on the way to it
    pub notes: Vec<Note>,
    /// how it ended
    pub outcome: Outcome,
    /// standard error of its value, where that was told
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// what it really cost, where that was told
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paid: Option<f64>,
}

impl Trial {
    /// The value, if it was told.
    pub fn value(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Told { value, .. } => Some(value),
            _ => None,
        }
    }

    /// What counts against the budget: what it really cost, or its price while that is not known.
    pub fn charge(&self) -> f64 {
        if self.charged { self.paid.unwrap_or(self.cost) } else { 0.0 }
    }

    /// Whether its outcome is not known yet.
    pub fn is_pending(&self) -> bool {
        self.outcome == Outcome::Pending
    }

    /// The value of parameter number `index` as a number; NaN if it is a word or does not exist.
    pub fn number(&self, index: usize) -> f64 {
        self.point.get(index).and_then(Value::number).unwrap_or(f64::NAN)
    }

    /// Whether another level would have bought more per unit of cost here.
    fn is_outbid(&self, bought: f64) -> bool {
        // Equal but for rounding is not more.
        self.runner_up.as_ref().is_some_and(|(_, rate)| rate * self.cost > bought * (1.0 + 1e-9))
    }

    /// Why this point at this fidelity, in one sentence.
    pub fn why(&self) -> String {
        let Self { fidelity, cost, .. } = self;
        let place = format!("at fidelity {fidelity} for a cost of {cost}");
        let mut sentence = match (self.aim, self.nats) {
            (Aim::Design, _) => format!("A first look around, {place}, before the model is used"),
            (Aim::Fallback, _) => format!("A look around, {place}, since the model failed"),
            (Aim::WarmStart, _) => format!("Where earlier tasks had their best, {place}"),
            (Aim::Survey, _) => {
                format!("A look around, {place}, since nothing has stood out so far")
            }
            (Aim::Cover, _) => {
                format!("A look, {place}, far from all that was tried at this fidelity")
            }
            (Aim::Random, _) => format!("Random search, {place}"),
            (Aim::Planned, _) => {
                format!("From the batch planned before the task for later tasks' sake, {place}")
            }
            (Aim::Given, _) => format!("Chosen by the user, {place}"),
            (aim, nats) => {
                let Bought { optimum, transfer } = nats.unwrap_or_default();
                let purpose = match aim {
                    Aim::Future => "what later tasks will use",
                    Aim::Confirm => "confirming the point that would be recommended",
                    Aim::Test => "testing what earlier tasks taught, at the best point by that",
                    Aim::Explore => "finding out whether another basin is better",
                    Aim::Optimum => "this task's optimum",
                    _ => "this task's optimum and what later tasks will use",
                };
                let most = match aim {
                    Aim::Test | Aim::Confirm => "",
                    Aim::Optimum | Aim::Explore if self.is_outbid(optimum) => {
                        ", the most per unit of cost below the highest fidelity, where some trials of every later task go"
                    }
                    _ => ", the most per unit of cost",
                };
                format!(
                    "Chosen for {purpose}: {place} it is expected to buy {optimum:.3} nats about \
                     the optimum and {transfer:.3} nats for later tasks{most}"
                )
            }
        };
        if let Some((other, rate)) = &self.runner_up {
            let _ = write!(
                sentence,
                "; fidelity {other} would buy {rate:.2e} nats per unit of cost here"
            );
        }
        for note in &self.notes {
            let _ = write!(sentence, " ({note})");
        }
        sentence + "."
    }
}
