//! A campaign as a client describes it: the same as a campaign file, without anything to execute.

use crate::problem::Problem;
use crate::view::Setting;
use baton::problem::Domain;
use baton::{Fidelity, Goal, Method, Parameter, Preset, Settings, Space, Value};
use baton_runner::spec::MOST_FAILURES;
use baton_runner::{Plan, Spec};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use utoipa::ToSchema;

const ATTEMPTED: &str = "make the campaign";
/// More of anything than this is a mistake.
const MOST: usize = 1_000;

/// A parameter: bounds, or choices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedParameter {
    /// its name, unique in the space
    #[schema(min_length = 1, example = "rate")]
    pub name: String,
    /// the lowest value
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// the highest value
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
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
    pub choices: Option<Vec<Setting>>,
    /// whether the choices have a meaningful order
    #[serde(default)]
    pub ordered: bool,
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

/// A task with its budget.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WantedTask {
    /// its name, unique in the campaign
    #[schema(min_length = 1, example = "monday")]
    pub name: String,
    /// what may be spent on it
    #[schema(exclusive_minimum = 0.0)]
    pub budget: f64,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WantedGoal {
    /// large values
    Maximize,
    /// small values
    Minimize,
}

/// A campaign: what may be varied, how it can be evaluated, what is wanted, and the tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// what may be varied
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1)]
    pub space: Vec<WantedParameter>,
    /// ways to evaluate, cheapest first, the truth last; none: one of cost 1
    #[serde(default, deserialize_with = "objects")]
    pub fidelities: Vec<WantedFidelity>,
    /// whether large or small values are wanted
    pub goal: WantedGoal,
    /// the tasks, one after the other
    #[serde(deserialize_with = "objects")]
    #[schema(min_items = 1)]
    pub tasks: Vec<WantedTask>,
    /// of all random numbers
    #[serde(default)]
    pub seed: u32,
    /// the method's name; by default `default`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(example = "default")]
    pub method: Option<String>,
    /// the preset's name; by default the method's own
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// any other setting by its key, as in `baton experiment --set`
    #[serde(default)]
    pub settings: BTreeMap<String, Setting>,
    /// failures in a row that pause a task; 0: never
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_after: Option<u32>,
}

/// Structures could be read from lists as well, which nobody means.
fn objects<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Map<String, Json>>::deserialize(from)?;
    let read = |object| serde_json::from_value(Json::Object(object)).map_err(D::Error::custom);
    objects.into_iter().map(read).collect()
}

impl Wanted {
    /// Checks it all.
    ///
    /// # Errors
    /// Says what cannot be used.
    pub fn spec(&self) -> Result<Spec, Problem> {
        let unusable = |error: baton::Error| Problem::unusable(ATTEMPTED, error);
        for (what, count) in [
            ("parameters", self.space.len()),
            ("fidelities", self.fidelities.len()),
            ("tasks", self.tasks.len()),
        ] {
            if count > MOST {
                let reason = format!("{count} {what} are more than {MOST}");
                return Err(Problem::unusable(ATTEMPTED, reason));
            }
        }
        let parameters: Vec<Parameter> =
            self.space.iter().map(WantedParameter::parameter).collect::<Result<_, _>>()?;
        let space = Space::new(parameters).map_err(unusable)?;
        for WantedFidelity { name, .. } in &self.fidelities {
            check_name("fidelity", name)?;
        }
        let fidelities = self.levels();
        let goal = match self.goal {
            WantedGoal::Maximize => Goal::Maximize,
            WantedGoal::Minimize => Goal::Minimize,
        };
        let settings = self.all_settings().map_err(unusable)?;
        let tasks = self.plans(&fidelities)?;
        let mut spec = Spec::new(space, fidelities, goal, &settings, tasks);
        spec.most_failures = self.pause_after.unwrap_or(MOST_FAILURES);
        Ok(spec)
    }

    fn levels(&self) -> Vec<Fidelity> {
        if self.fidelities.is_empty() {
            return vec![Fidelity::new("full", 1.0)];
        }
        let level = |wanted: &WantedFidelity| {
            let WantedFidelity { name, cost, noise_variance } = wanted;
            Fidelity { name: name.clone(), cost: *cost, noise_variance: *noise_variance }
        };
        self.fidelities.iter().map(level).collect()
    }

    fn all_settings(&self) -> baton::Result<Settings> {
        let method: Method = self.method.as_deref().unwrap_or("default").parse()?;
        let mut settings = match &self.preset {
            Some(preset) => Settings::with_preset(method, preset.parse::<Preset>()?),
            None => Settings::new(method),
        };
        for (key, value) in &self.settings {
            settings.set(key, &Value::from(value.clone()).to_string())?;
        }
        Ok(settings.seed(u64::from(self.seed)))
    }

    fn plans(&self, fidelities: &[Fidelity]) -> Result<Vec<Plan>, Problem> {
        let refuse = |reason: String| Err(Problem::unusable(ATTEMPTED, reason));
        let cheapest = fidelities.iter().map(|level| level.cost).fold(f64::INFINITY, f64::min);
        let mut plans: Vec<Plan> = Vec::new();
        if self.tasks.is_empty() {
            return refuse("it has no task".into());
        }
        for WantedTask { name, budget } in &self.tasks {
            check_name("task", name)?;
            if plans.iter().any(|plan| plan.name == *name) {
                return refuse(format!("the task {name:?} occurs twice"));
            }
            if !(budget.is_finite() && *budget >= cheapest) {
                return refuse(format!(
                    "the budget {budget} of the task {name:?} is not enough for one trial at the \
                     cheapest fidelity, which costs {cheapest}"
                ));
            }
            plans.push(Plan { name: name.clone(), budget: *budget });
        }
        Ok(plans)
    }
}

/// Names are for people and for addresses.
///
/// # Errors
/// If it is empty, long, or holds what cannot be seen.
pub fn check_name(what: &str, name: &str) -> Result<(), Problem> {
    let usable = !name.trim().is_empty() && name.chars().count() <= 100;
    if usable && !name.chars().any(char::is_control) && name != "." && name != ".." {
        return Ok(());
    }
    let reason = format!("the name of the {what} is not 1 to 100 visible characters");
    Err(Problem::unusable(ATTEMPTED, reason))
}

impl WantedParameter {
    fn parameter(&self) -> Result<Parameter, Problem> {
        let domain = self.domain().map_err(|reason| {
            let reason = format!("parameter {}: {reason}", self.name);
            Problem::unusable(ATTEMPTED, reason).hint(
                "a parameter has low and high, with step, log or integer if need be, or choices, \
                 with ordered if need be",
            )
        })?;
        Ok(Parameter { name: self.name.clone(), domain })
    }

    fn domain(&self) -> Result<Domain, &'static str> {
        let Self { low, high, step, log, integer, choices, ordered, .. } = self;
        if let Some(choices) = choices {
            if low.is_some() || high.is_some() || step.is_some() || *log || *integer {
                return Err("choices have no low, high, step, log or integer");
            }
            let choices: Vec<Value> = choices.iter().cloned().map(Value::from).collect();
            return Ok(match ordered {
                true => Domain::Ordered { choices },
                false => Domain::Choice { choices },
            });
        }
        if *ordered {
            return Err("only choices can be ordered");
        }
        let (Some(low), Some(high)) = (*low, *high) else {
            return Err("low and high, or choices, are needed");
        };
        match (*step, *integer, *log) {
            (Some(_), true, _) => Err("integer means a step of 1; leave one of them out"),
            (Some(_), _, true) => Err("steps on a log scale are not possible"),
            (Some(step), false, false) => Ok(Domain::Stepped { low, high, step }),
            (None, false, log) => Ok(Domain::Real { low, high, log }),
            (None, true, log) => {
                let whole = |bound: f64| bound.fract() == 0.0 && bound.abs() <= 9e15;
                if !(whole(low) && whole(high)) {
                    return Err("integer needs whole numbers for low and high");
                }
                #[allow(clippy::cast_possible_truncation)] // checked
                let (low, high) = (low as i64, high as i64);
                Ok(Domain::Integer { low, high, log })
            }
        }
    }

    /// As a client would have described it.
    pub fn of(parameter: &Parameter) -> Self {
        let mut wanted = Self {
            name: parameter.name.clone(),
            low: None,
            high: None,
            step: None,
            log: false,
            integer: false,
            choices: None,
            ordered: false,
        };
        match &parameter.domain {
            Domain::Real { low, high, log } => {
                (wanted.low, wanted.high, wanted.log) = (Some(*low), Some(*high), *log);
            }
            Domain::Integer { low, high, log } => {
                let bounds = (Some(*low as f64), Some(*high as f64));
                ((wanted.low, wanted.high), wanted.log, wanted.integer) = (bounds, *log, true);
            }
            Domain::Stepped { low, high, step } => {
                (wanted.low, wanted.high, wanted.step) = (Some(*low), Some(*high), Some(*step));
            }
            Domain::Ordered { choices } | Domain::Choice { choices } => {
                wanted.choices = Some(choices.iter().map(Setting::from).collect());
                wanted.ordered = matches!(parameter.domain, Domain::Ordered { .. });
            }
        }
        wanted
    }
}
