//! A trial: one evaluation, from the asking to the outcome, with its line of the ledger.

use crate::error::{Error, Result};
use crate::model::Note;
use crate::problem::{Constraint, Description, Fidelity, Measured, Value};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::{self, Write as _};

/// What a trial is for: the name of the rule that chose it, or of what chose it otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Aim(Cow<'static, str>);

impl Aim {
    /// a first look around
    pub const DESIGN: Self = Self::named("design");
    /// random search
    pub const RANDOM: Self = Self::named("random");
    /// this task's optimum
    pub const OPTIMUM: Self = Self::named("optimum");
    /// what future tasks will use
    pub const FUTURE: Self = Self::named("future");
    /// both, weighted
    pub const BOTH: Self = Self::named("both");
    /// a look around because the model could not be used
    pub const FALLBACK: Self = Self::named("fallback");
    /// chosen by the user
    pub const GIVEN: Self = Self::named("given");

    // Those of rules whose trials others count.
    pub(crate) const TEST: &'static str = "test";
    pub(crate) const EXPLORE: &'static str = "explore";
    pub(crate) const GUESS: &'static str = "guess";
    pub(crate) const PLANNED: &'static str = "planned";

    pub(crate) const fn named(name: &'static str) -> Self {
        Self(Cow::Borrowed(name))
    }

    /// As it is written in records, in lower case.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Aim {
    fn eq(&self, name: &str) -> bool {
        self.0 == name
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
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
    /// how much of that about the optimum measuring the quantities that have to keep bounds would buy alone
    #[serde(default, skip_serializing_if = "is_none")]
    pub limits: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde calls it
fn is_none(nats: &f64) -> bool {
    *nats == 0.0
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
    /// why it was chosen, the beginning of a sentence; not known of trials of earlier versions
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
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
    /// what was measured of quantities that have to keep bounds, as far as it was told
    #[serde(default, skip_serializing_if = "Measured::is_empty")]
    pub constraints: Measured,
    /// what was said with the ask, beyond what is said of the task or instead
    #[serde(default, skip_serializing_if = "Description::is_empty")]
    pub context: Description,
}

impl Trial {
    /// One that waits to be evaluated.
    pub(crate) fn pending(
        id: usize,
        (point, level): (Vec<Value>, usize),
        fidelity: &Fidelity,
        aim: Aim,
    ) -> Self {
        Self {
            id,
            point,
            level,
            fidelity: fidelity.name.clone(),
            cost: fidelity.cost,
            charged: true,
            aim,
            reason: String::new(),
            nats: None,
            runner_up: None,
            notes: Vec::new(),
            outcome: Outcome::Pending,
            noise: None,
            paid: None,
            constraints: Measured::new(),
            context: Description::new(),
        }
    }

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

    /// Whether a model learns the same of both.
    pub(crate) fn observes_the_same(&self, other: &Self) -> bool {
        let seen = |trial: &Self| (trial.level, trial.value(), trial.noise);
        seen(self) == seen(other)
            && self.point == other.point
            && self.context == other.context
            && self.constraints == other.constraints
    }

    /// Whether all constraints hold; not known if one holds as far as was told, and one was not told.
    pub fn is_feasible(&self, constraints: &[Constraint]) -> Option<bool> {
        let mut all_told = true;
        for constraint in constraints.iter().filter(|constraint| !constraint.is_success()) {
            match self.constraints.get(&constraint.name) {
                Some(value) if !constraint.holds(*value) => return Some(false),
                Some(_) => {}
                None => all_told = false,
            }
        }
        all_told.then_some(true)
    }

    /// What it tells of a constrained quantity: of success, whether it was evaluated.
    pub(crate) fn measured(&self, constraint: &Constraint) -> Option<f64> {
        if !constraint.is_success() {
            return self.constraints.get(&constraint.name).copied();
        }
        match self.outcome {
            Outcome::Told { .. } => Some(1.0),
            Outcome::Failed { .. } => Some(-1.0),
            Outcome::Pending => None,
        }
    }

    /// The value of parameter number `index`, from 0, as a number.
    ///
    /// # Errors
    /// If it is a word, or there is no such parameter.
    pub fn number(&self, index: usize) -> Result<f64> {
        let value = self.point.get(index);
        value.and_then(Value::number).ok_or_else(|| {
            let reason = match value {
                Some(value) => format!("its parameter {index} is {value}, not a number"),
                None => format!("it has no parameter {index}, counted from 0"),
            };
            Error::Trial { id: self.id, reason }
        })
    }

    /// Why this point at this fidelity, in one sentence.
    pub fn why(&self) -> String {
        let Self { fidelity, cost, aim, .. } = self;
        let reason = match self.reason.as_str() {
            "" => format!("Chosen for {}", aim.name().replace('_', " ")),
            known => known.to_owned(),
        };
        let place = format!("at fidelity {fidelity} for a cost of {cost}");
        let mut sentence = match self.nats {
            None => format!("{reason}, {place}"),
            Some(Bought { optimum, transfer, limits }) => {
                let of_limits = match limits {
                    0.0 => String::new(),
                    _ => format!(", {limits:.3} of them by what it shows of the limits,"),
                };
                format!(
                    "{reason}: {place} it is expected to buy {optimum:.3} nats about the \
                     optimum{of_limits} and {transfer:.3} nats for later tasks"
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
