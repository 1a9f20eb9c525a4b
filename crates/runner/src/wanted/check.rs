//! What a description means, or all that is wrong with it.

use super::form::{Wanted, WantedFidelity, WantedParameter};
use crate::error::{Mistake, RunnerError};
use crate::spec::{Spec, falling, poor};
use baton::problem::{Domain, check_fidelities};
use baton::{Error, Fidelity, Parameter, Settings, Space, Value};
use serde_json::Number;

const FORMS: &str = "a parameter has low and high, with step, log or integer if need be, or choices, \
                     with ordered if need be";

type Checked<T> = Result<T, Vec<Mistake>>;

impl Wanted {
    /// What the campaign is. Whether there is a task at all is left to who asks.
    ///
    /// # Errors
    /// All mistakes.
    pub fn spec(&self) -> Checked<Spec> {
        let (space, levels) = (space(&self.space), levels(&self.fidelities));
        let (settings, tasks) = (self.all_settings(), self.check_tasks());
        match (space, levels, settings, tasks) {
            (Ok(space), Ok(levels), Ok(settings), Ok(())) => {
                let tasks = self.tasks.clone();
                let mut spec = Spec::new(space, levels, self.goal.into(), &settings, tasks);
                spec.most_failures = self.pause_after.unwrap_or(spec.most_failures);
                Ok(spec)
            }
            (space, levels, settings, tasks) => {
                let found = [space.err(), levels.err(), settings.err(), tasks.err()];
                Err(found.into_iter().flatten().flatten().collect())
            }
        }
    }

    /// What is a mistake, too, unless the campaign has begun that way, which only its store knows.
    pub fn doubts(&self) -> Vec<Mistake> {
        let levels = levels_of(&self.fidelities);
        let costs = || levels.iter().map(|level| level.cost);
        // One that pays for nothing at all is told as a mistake.
        let mut tasks = self.tasks.clone();
        for task in tasks.iter_mut().filter(|task| costs().all(|cost| task.budget < cost)) {
            task.budget = f64::MAX;
        }
        falling(&levels).into_iter().chain(poor(&levels, &tasks)).collect()
    }

    fn all_settings(&self) -> Checked<Settings> {
        let mut found = Vec::new();
        let mut refuse = |at: &str, error: Error| found.push(Mistake::new(at, error));
        let method = self.method.as_deref().unwrap_or("default");
        let mut settings = Settings::by_name(method, None).unwrap_or_else(|error| {
            refuse("method", error);
            Settings::default()
        });
        if let Some(preset) = &self.preset {
            match Settings::by_name(settings.method().name(), Some(preset)) {
                Ok(preset) => settings = preset,
                Err(error) => refuse("preset", error),
            }
        }
        for (key, value) in &self.settings {
            let text = Value::from(value.clone()).to_string();
            if let Err(error) = settings.set_recorded(key, &text) {
                refuse(&format!("settings.{key}"), error);
            }
        }
        settings.seed = self.seed.unwrap_or(settings.seed);
        if found.is_empty() { Ok(settings) } else { Err(found) }
    }

    fn check_tasks(&self) -> Checked<()> {
        let levels = levels_of(&self.fidelities);
        let mut found = Vec::new();
        let mut refuse = |at: String, reason: String| {
            found.push(Mistake::new(at, RunnerError::refused(reason)));
        };
        for (i, task) in self.tasks.iter().enumerate() {
            let (name, budget) = (&task.name, task.budget);
            if self.tasks[..i].iter().any(|earlier| earlier.name == *name) {
                refuse(format!("tasks.{i}.name"), format!("the task {name:?} occurs twice"));
            }
            if levels.iter().all(|level| budget < level.cost) {
                let cheapest = levels.iter().map(|level| level.cost).fold(f64::INFINITY, f64::min);
                let reason = format!(
                    "the budget {budget} of the task {name:?} is not enough for one trial at the \
                     cheapest fidelity, which costs {cheapest}"
                );
                refuse(format!("tasks.{i}.budget"), reason);
            }
        }
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}

/// The space that is meant.
///
/// # Errors
/// All mistakes.
pub fn space(wanted: &[WantedParameter]) -> Checked<Space> {
    let mut found = Vec::new();
    let mut parameters = Vec::new();
    for (i, one) in wanted.iter().enumerate() {
        let name = one.name.clone();
        match one.domain() {
            Ok(domain) => {
                let parameter = Parameter { name, domain };
                // One at a time, so that each mistake is found.
                if let Err(error) = Space::new([parameter.clone()]) {
                    found.push(Mistake::new(format!("space.{i}"), error));
                }
                parameters.push(parameter);
            }
            Err((key, reason)) => {
                let error = Error::Parameter { name, reason: reason.to_owned() };
                found.push(Mistake::new(format!("space.{i}.{key}"), error).hint(FORMS));
            }
        }
    }
    if !found.is_empty() {
        return Err(found);
    }
    Space::new(parameters).map_err(|error| vec![Mistake::new("space", error).hint(FORMS)])
}

impl WantedParameter {
    /// What is meant, or the key at fault and why.
    fn domain(&self) -> Result<Domain, (&'static str, &'static str)> {
        let Self { step, log, integer, choices, ordered, .. } = self;
        let given = [
            ("low", self.low.is_some()),
            ("high", self.high.is_some()),
            ("step", step.is_some()),
            ("log", *log),
        ];
        if let Some(choices) = choices {
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                return Err((key, "with choices there is no low, high, step or log"));
            }
            let choices: Vec<Value> = choices.iter().cloned().map(Value::from).collect();
            return Ok(match ordered {
                true => Domain::Ordered { choices },
                false => Domain::Choice { choices },
            });
        }
        if *ordered {
            return Err(("ordered", "only choices can be ordered"));
        }
        let (Some(least), Some(most)) = (&self.low, &self.high) else {
            return Err(("", "low and high, or choices, are needed"));
        };
        let (low, high) = (real(least), real(most));
        match (*step, *integer, *log) {
            (Some(_), true, _) => Err(("step", "integer means a step of 1; leave one of them out")),
            (Some(_), _, true) => Err(("step", "steps on a log scale are not possible")),
            (Some(step), false, false) => Ok(Domain::Stepped { low, high, step }),
            (None, false, log) => Ok(Domain::Real { low, high, log }),
            (None, true, log) => match (whole(least), whole(most)) {
                (Some(low), Some(high)) => Ok(Domain::Integer { low, high, log }),
                _ => Err(("integer", "integer needs whole numbers for low and high")),
            },
        }
    }
}

fn real(bound: &Number) -> f64 {
    bound.as_f64().unwrap_or(f64::NAN)
}

fn whole(bound: &Number) -> Option<i64> {
    let same = |x: &f64| x.fract() == 0.0 && x.abs() <= 9e15;
    #[allow(clippy::cast_possible_truncation)] // checked
    bound.as_i64().or_else(|| bound.as_f64().filter(same).map(|x| x as i64))
}

/// The levels that are meant. A cost that is no number stands for one that could not be read.
///
/// # Errors
/// All mistakes.
pub fn levels(wanted: &[WantedFidelity]) -> Checked<Vec<Fidelity>> {
    let levels = levels_of(wanted);
    let mut found = Vec::new();
    for (i, level) in levels.iter().enumerate() {
        let name = level.name.clone();
        if levels[..i].iter().any(|earlier| earlier.name == name) {
            let error = Error::Fidelity { name, reason: "the name occurs twice".into() };
            found.push(Mistake::new(format!("fidelities.{i}.name"), error));
        }
        if let Err(error) = check_fidelities(std::slice::from_ref(level))
            && !level.cost.is_nan()
        {
            found.push(Mistake::new(format!("fidelities.{i}.cost"), error));
        }
    }
    match check_fidelities(&levels) {
        Err(error) if found.is_empty() => Err(vec![Mistake::new("fidelities.0", error)]),
        _ if found.is_empty() => Ok(levels),
        _ => Err(found),
    }
}

/// One of cost 1 if none is given.
fn levels_of(wanted: &[WantedFidelity]) -> Vec<Fidelity> {
    let level = |wanted: &WantedFidelity| {
        let WantedFidelity { name, cost, noise_variance } = wanted.clone();
        Fidelity { name, cost, noise_variance }
    };
    if wanted.is_empty() {
        return vec![Fidelity::new("full", 1.0)];
    }
    wanted.iter().map(level).collect()
}
