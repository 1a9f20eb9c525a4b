//! The form in which a campaign is described, whoever describes it.

use super::setting::Setting;
use baton::problem::Domain;
use baton::{Constraint, Description, Fidelity, Goal, Guess, Parameter, Stop, Value};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Number, Value as Json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// A parameter: bounds, or choices.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedParameter {
    /// its name, unique in the space
    #[schema(min_length = 1, example = "rate")]
    pub name: String,
    /// the lowest value
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub low: Option<Number>,
    /// the highest value
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>)]
    pub high: Option<Number>,
    /// distance between neighbouring values
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// whether ratios matter rather than differences
    #[serde(default)]
    pub log: bool,
    /// whether only whole numbers are meant
    #[serde(default)]
    pub integer: bool,
    /// the values to choose from, in place of bounds
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<Setting>>)]
    pub choices: Option<Vec<Value>>,
    /// whether the choices have a meaningful order
    #[serde(default)]
    pub ordered: bool,
    /// when the parameter is there, by the values of others; without it, always
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "optimizer = sgd or adam and layers >= 2")]
    pub when: Option<String>,
    /// the one value it has, if it is not searched any more
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Setting>)]
    pub fixed: Option<Value>,
    /// of a new parameter: the value that earlier tasks had; without it, that is learned
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Setting>)]
    pub was: Option<Value>,
}

/// A way to evaluate the objective. The last one is the truth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedFidelity {
    /// its name
    #[schema(min_length = 1, example = "coarse")]
    pub name: String,
    /// what an evaluation costs, in the unit of the budget
    #[schema(exclusive_minimum = 0.0)]
    pub cost: f64,
    /// variance of the noise, where known: for all or none
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0.0)]
    pub noise_variance: Option<f64>,
}

/// A quantity that an evaluation measures besides the objective, with the bounds it has to keep.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedConstraint {
    /// its name
    #[schema(min_length = 1, example = "temperature")]
    pub name: String,
    /// the least that it may be
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// the most that it may be
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = 45)]
    pub max: Option<f64>,
    /// variance of its noise, where known: one for all fidelities or one for each
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub noise_variance: Vec<f64>,
}

impl WantedConstraint {
    /// What it means.
    pub fn constraint(&self) -> Constraint {
        let Self { name, min, max, noise_variance } = self.clone();
        let mut constraint = Constraint::at_most(name, 0.0).with_noise(noise_variance);
        (constraint.min, constraint.max) = (min, max);
        constraint
    }
}

impl From<&Constraint> for WantedConstraint {
    fn from(constraint: &Constraint) -> Self {
        let Constraint { name, min, max, noise, .. } = constraint.clone();
        Self { name, min, max, noise_variance: noise }
    }
}

/// A task with its budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = WantedTask)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// its name, unique in the campaign
    #[schema(min_length = 1, example = "monday")]
    pub name: String,
    /// what may be spent on it
    #[schema(exclusive_minimum = 0.0)]
    pub budget: f64,
    /// what is said of it: values of descriptors by their names
    #[serde(default, skip_serializing_if = "Description::is_empty")]
    #[schema(value_type = BTreeMap<String, Setting>)]
    pub describe: Description,
    /// parameters that are new from this task on, or otherwise than before
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub space: Vec<WantedParameter>,
    /// all combinations that must not be from this task on, if they change
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbid: Option<Vec<String>>,
    /// all ways to evaluate from this task on, if they change
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fidelities: Vec<WantedFidelity>,
    /// constraints that are new from this task on, or have other bounds than before
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<WantedConstraint>,
    /// when it ends early, if otherwise than the campaign says
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<WantedStop>)]
    pub stop: Option<Stop>,
    /// where somebody believes that its good points lie
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<WantedGuess>)]
    pub guess: Vec<Guess>,
}

impl Plan {
    /// A task of which nothing is said.
    pub fn new(name: impl Into<String>, budget: f64) -> Self {
        let (name, describe) = (name.into(), Description::new());
        let (space, forbid, fidelities) = (Vec::new(), None, Vec::new());
        let (constraints, stop, guess) = (Vec::new(), None, Vec::new());
        Self { name, budget, describe, space, forbid, fidelities, constraints, stop, guess }
    }

    /// Whether the problem is otherwise from this task on.
    pub fn changes(&self) -> bool {
        let others = self.fidelities.is_empty() && self.constraints.is_empty();
        !self.space.is_empty() || self.forbid.is_some() || !others
    }
}

/// When a task ends although something is left of its budget; that is added to the next one's.
#[derive(Debug, ToSchema)]
pub struct WantedStop {
    /// what is still to be gained is less than this share of what was gained over a point picked blindly; 0:
    /// never; by default 0.01
    #[schema(minimum = 0.0, maximum = 1.0)]
    pub gain: Option<f64>,
    /// with this probability; by default 0.9
    #[schema(minimum = 0.0, maximum = 1.0)]
    pub confidence: Option<f64>,
}

/// Around here good points are believed to lie.
#[derive(Debug, ToSchema)]
pub struct WantedGuess {
    /// values of some parameters, or of all
    #[schema(value_type = BTreeMap<String, Setting>)]
    pub point: BTreeMap<String, Value>,
    /// how far from these, in the parameter's unit; by default a tenth of the range
    pub within: Option<BTreeMap<String, f64>>,
}

/// What is wanted.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum WantedGoal {
    /// large values
    Maximize,
    /// small values
    Minimize,
}

/// A campaign: what may be varied, how it can be evaluated, what is wanted, and the tasks.
#[derive(Debug, Clone, PartialEq, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// what may be varied
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1)]
    pub space: Vec<WantedParameter>,
    /// combinations of parameters that must not be
    #[serde(default)]
    #[schema(example = json!(["x + y > 1.2", "solver = direct and cores > 8"]))]
    pub forbid: Vec<String>,
    /// what is said of tasks; nothing is searched along these
    #[serde(default, deserialize_with = "objects")]
    pub descriptors: Vec<WantedParameter>,
    /// ways to evaluate, cheapest first, the truth last; none: one of cost 1
    #[serde(default, deserialize_with = "objects")]
    pub fidelities: Vec<WantedFidelity>,
    /// what is measured besides the objective, and has to keep bounds
    #[serde(default, deserialize_with = "objects")]
    pub constraints: Vec<WantedConstraint>,
    /// whether large or small values are wanted
    #[schema(value_type = WantedGoal)]
    pub goal: Goal,
    /// when tasks end early
    #[serde(default)]
    #[schema(value_type = Option<WantedStop>)]
    pub stop: Option<Stop>,
    /// the tasks, one after the other
    #[serde(default, deserialize_with = "objects")]
    #[schema(required, min_items = 1)]
    pub tasks: Vec<Plan>,
    /// of all random numbers; by default 0
    #[serde(default)]
    pub seed: Option<u64>,
    /// the method's name; by default `default`
    #[serde(default)]
    #[schema(example = "default")]
    pub method: Option<String>,
    /// the preset's name; by default the method's own
    #[serde(default)]
    pub preset: Option<String>,
    /// any other setting by its key, as in `baton experiment --set`
    #[serde(default, deserialize_with = "pairs")]
    #[schema(value_type = BTreeMap<String, Setting>)]
    pub settings: Vec<(String, Value)>,
    /// failures in a row that pause a task; 0: never
    #[serde(default)]
    pub pause_after: Option<u32>,
}

/// Structures could be read from lists as well, which nobody means.
fn objects<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Map<String, Json>>::deserialize(from)?;
    let read = |object| serde_json::from_value(Json::Object(object)).map_err(D::Error::custom);
    objects.into_iter().map(read).collect()
}

fn pairs<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Value)>, D::Error> {
    Ok(BTreeMap::deserialize(from)?.into_iter().collect())
}

impl WantedParameter {
    /// As somebody would have described it.
    pub fn of(parameter: &Parameter) -> Self {
        let when = parameter.when.as_ref().map(ToString::to_string);
        let (name, fixed) = (parameter.name.clone(), parameter.fixed.clone());
        let mut wanted = Self { name, when, fixed, ..Self::default() };
        let mut between = |low: Option<Number>, high: Option<Number>, log: bool| {
            (wanted.low, wanted.high, wanted.log) = (low, high, log);
        };
        match &parameter.domain {
            Domain::Real { low, high, log } => {
                between(Number::from_f64(*low), Number::from_f64(*high), *log);
            }
            Domain::Integer { low, high, log } => {
                between(Some((*low).into()), Some((*high).into()), *log);
                wanted.integer = true;
            }
            Domain::Stepped { low, high, step } => {
                between(Number::from_f64(*low), Number::from_f64(*high), false);
                wanted.step = Some(*step);
            }
            Domain::Ordered { choices } | Domain::Choice { choices } => {
                wanted.choices = Some(choices.clone());
                wanted.ordered = matches!(parameter.domain, Domain::Ordered { .. });
            }
        }
        wanted
    }
}

impl From<&Fidelity> for WantedFidelity {
    fn from(level: &Fidelity) -> Self {
        let Fidelity { name, cost, noise_variance } = level.clone();
        Self { name, cost, noise_variance }
    }
}
