//! What a description means, or all that is wrong with it.

use super::form::{Plan, Wanted, WantedConstraint, WantedFidelity, WantedParameter};
use crate::error::{Mistake, RunnerError};
use crate::spec::{Spec, falling, poor};
use baton::problem::{Condition, Domain, check_constraints, check_fidelities};
use baton::{
    Constraint, Description, Descriptors, Error, Fidelity, Parameter, Settings, Space, Value, Was,
};
use serde_json::Number;

/// Where descriptors stand in a description.
const DESCRIPTORS: &str = "descriptors";

const FORMS: &str = "a parameter has low and high, with step, log or integer if need be, or choices, \
                     with ordered if need be; when = \"optimizer = sgd\" says when it is there";

impl Wanted {
    /// What the campaign is. Whether there is a task at all is left to who asks.
    ///
    /// # Errors
    /// All mistakes.
    pub fn spec(&self) -> Result<Spec, Vec<Mistake>> {
        let mut found = Vec::new();
        let lines = lines(&self.forbid).map_err(|mistakes| found.extend(mistakes));
        let space = space(&self.space).map_err(|mistakes| found.extend(mistakes));
        let space = space.and_then(|space| {
            let without = without(space, lines.unwrap_or_default());
            without.map_err(|mistakes| found.extend(mistakes))
        });
        let descriptors = descriptors(&self.descriptors).map_err(|wrong| found.extend(wrong));
        let levels = levels(&self.fidelities).map_err(|mistakes| found.extend(mistakes));
        let constraints = constraints(&self.constraints, levels_of(&self.fidelities).len());
        let constraints = constraints.map_err(|mistakes| found.extend(mistakes));
        let settings = self.all_settings(&mut found);
        self.check_tasks(&mut found);
        let mut tasks = self.tasks.clone();
        if let Ok(descriptors) = &descriptors {
            describe(descriptors, &mut tasks, &mut found);
        }
        match (space, descriptors, levels, constraints) {
            (Ok(space), Ok(descriptors), Ok(levels), Ok(constraints)) if found.is_empty() => {
                let described = !descriptors.is_empty();
                let mut spec = Spec::new(space, levels, self.goal, &settings, tasks)
                    .with_descriptors(descriptors);
                (spec.was, spec.constraints) = (was(&self.space), constraints);
                spec.most_failures = self.pause_after.unwrap_or(spec.most_failures);
                spec.stop = self.stop;
                if described && let Err(error) = spec.campaign(None) {
                    return Err(vec![Mistake::new(&[&"descriptors"], error)]);
                }
                if !spec.constraints.is_empty()
                    && let Err(error) = spec.campaign(None)
                {
                    return Err(vec![Mistake::new(&[&"constraint"], error)]);
                }
                spec.problems()?;
                Ok(spec)
            }
            _ => Err(found),
        }
    }

    /// What is a mistake, too, unless the campaign has begun that way, which only its store knows.
    pub fn doubts(&self) -> Vec<Mistake> {
        let levels = levels_of(&self.fidelities);
        let begun =
            |task: &Plan| Some(levels_of(&task.fidelities)).filter(|_| !task.fidelities.is_empty());
        falling(&levels).into_iter().chain(poor(&levels, &self.tasks, &begun)).collect()
    }

    fn all_settings(&self, found: &mut Vec<Mistake>) -> Settings {
        let mut refuse = |key: &str, error: Error| {
            let words = ["method"].into_iter().chain(key.split('.'));
            let at = words.map(str::to_owned).collect();
            found.push(Mistake { at, error: error.into(), hint: None });
        };
        let method = self.method.as_deref().unwrap_or("default");
        let mut settings = Settings::by_name(method, None).unwrap_or_else(|error| {
            refuse("name", error);
            Settings::default()
        });
        if let Some(preset) = &self.preset {
            match Settings::by_name(settings.method().name(), Some(preset)) {
                Ok(preset) => settings = preset,
                Err(error) => refuse("preset", error),
            }
        }
        for (key, value) in &self.settings {
            if let Err(error) = settings.set_recorded(key, &value.to_string()) {
                refuse(key, error);
            }
        }
        settings.seed = self.seed.unwrap_or(settings.seed);
        settings
    }

    fn check_tasks(&self, found: &mut Vec<Mistake>) {
        let mut levels = levels_of(&self.fidelities);
        for (i, task) in self.tasks.iter().enumerate() {
            if !task.fidelities.is_empty() {
                levels = levels_of(&task.fidelities);
            }
            let (name, budget) = (&task.name, task.budget);
            let mut refuse = |key: &str, reason: String| {
                found.push(Mistake::new(&[&"task", &i, &key], RunnerError::refused(reason)));
            };
            if self.tasks[..i].iter().any(|earlier| earlier.name == *name) {
                refuse("name", format!("the task {name:?} occurs twice"));
            }
            if levels.iter().all(|level| budget < level.cost) {
                let cheapest = levels.iter().map(|level| level.cost).fold(f64::INFINITY, f64::min);
                let reason = format!(
                    "the budget {budget} of the task {name:?} is not enough for one trial at the \
                     cheapest fidelity, which costs {cheapest}"
                );
                refuse("budget", reason);
            }
        }
    }
}

/// The space that is meant.
///
/// # Errors
/// All mistakes.
pub fn space(wanted: &[WantedParameter]) -> Result<Space, Vec<Mistake>> {
    let parameters = parameters("space", wanted)?;
    let conditional = parameters.iter().filter(|parameter| parameter.when.is_some());
    let wrong = |parameter: &Parameter| {
        let error = parameter.check_when(&parameters).err()?;
        Some(Mistake::new(&[&"space", &parameter.name, &"when"], error))
    };
    let found: Vec<Mistake> = conditional.filter_map(wrong).collect();
    if !found.is_empty() {
        return Err(found);
    }
    Space::new(parameters).map_err(|error| vec![Mistake::new(&[&"space"], error)])
}

/// What parameters were where earlier tasks lack them.
pub(crate) fn was(wanted: &[WantedParameter]) -> Was {
    let said = |one: &WantedParameter| Some((one.name.clone(), one.was.clone()?));
    wanted.iter().filter_map(said).collect()
}

/// What is forbidden, as it is written.
pub(crate) fn lines(forbid: &[String]) -> Result<Vec<Condition>, Vec<Mistake>> {
    let (mut lines, mut found) = (Vec::new(), Vec::new());
    for (i, line) in forbid.iter().enumerate() {
        match Condition::parse(line) {
            Ok(line) => lines.push(line),
            Err(error) => found.push(Mistake::new(&[&"forbid", &i], error)),
        }
    }
    if found.is_empty() { Ok(lines) } else { Err(found) }
}

/// The space without what is forbidden.
pub(crate) fn without(space: Space, lines: Vec<Condition>) -> Result<Space, Vec<Mistake>> {
    let wrong = |(i, line): (usize, &Condition)| {
        let error = space.check_line(line).err()?;
        Some(Mistake::new(&[&"forbid", &i], error))
    };
    let found: Vec<Mistake> = lines.iter().enumerate().filter_map(wrong).collect();
    if !found.is_empty() {
        return Err(found);
    }
    space.without(lines).map_err(|error| vec![Mistake::new(&[&"forbid"], error)])
}

/// The descriptors that are meant.
///
/// # Errors
/// All mistakes.
pub fn descriptors(wanted: &[WantedParameter]) -> Result<Descriptors, Vec<Mistake>> {
    let parameters = parameters(DESCRIPTORS, wanted)?;
    Descriptors::new(parameters).map_err(|error| vec![Mistake::new(&[&DESCRIPTORS], error)])
}

/// Brings what is said of tasks to its one form.
fn describe(descriptors: &Descriptors, tasks: &mut [Plan], found: &mut Vec<Mistake>) {
    for (i, task) in tasks.iter_mut().enumerate() {
        for (name, value) in &mut task.describe {
            let said = Description::from([(name.clone(), value.clone())]);
            match descriptors.canonical(&said) {
                Ok(mut written) => *value = written.remove(name).unwrap_or(Value::Nothing),
                Err(error) => {
                    found.push(Mistake::new(&[&"task", &i, &"describe", name], error));
                }
            }
        }
    }
}

/// The parameters of a section, each checked by itself.
fn parameters(section: &str, wanted: &[WantedParameter]) -> Result<Vec<Parameter>, Vec<Mistake>> {
    let (mut parameters, mut found) = (Vec::new(), Vec::new());
    for one in wanted {
        // One at a time, so that each mistake is found.
        let checked = one.domain(section).and_then(|domain| {
            let when = one.when.as_deref().map(Condition::parse).transpose();
            let when =
                when.map_err(|error| Mistake::new(&[&section, &one.name, &"when"], error))?;
            let (name, fixed) = (one.name.clone(), one.fixed.clone());
            let parameter = Parameter { name, domain, when, fixed };
            // What a parameter depends on is looked at with all of them.
            let when = parameter.when.clone().filter(|_| section == DESCRIPTORS);
            if section == DESCRIPTORS && (one.fixed.is_some() || one.was.is_some()) {
                let reason = "a descriptor is said of every task: it is not fixed, and was nothing";
                let (name, reason) = (one.name.clone(), reason.to_owned());
                return Err(Mistake::new(
                    &[&section, &one.name],
                    Error::Descriptor { name, reason },
                ));
            }
            let alone = vec![Parameter { when, ..parameter.clone() }];
            let sound = if section == DESCRIPTORS {
                Descriptors::new(alone).map(drop)
            } else {
                Space::new(alone).map(drop)
            };
            sound.map_err(|error| Mistake::new(&[&section, &one.name], error))?;
            Ok(parameter)
        });
        match checked {
            Ok(parameter) => parameters.push(parameter),
            Err(mistake) => found.push(mistake),
        }
    }
    if found.is_empty() { Ok(parameters) } else { Err(found) }
}

impl WantedParameter {
    fn domain(&self, section: &str) -> Result<Domain, Mistake> {
        let Self { name, step, log, integer, choices, ordered, .. } = self;
        let refuse = |key: &str, reason: &str| {
            let (name, reason) = (name.clone(), reason.to_owned());
            let at: [&dyn ToString; 3] = [&section, &self.name, &key];
            let mistake = if section == DESCRIPTORS {
                Mistake::new(&at, Error::Descriptor { name, reason })
            } else {
                Mistake::new(&at, Error::Parameter { name, reason })
            };
            Err(Mistake { hint: Some(FORMS), ..mistake })
        };
        if let Some(choices) = choices {
            let given = [
                ("low", self.low.is_some()),
                ("high", self.high.is_some()),
                ("step", step.is_some()),
                ("log", *log),
            ];
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                return refuse(key, "with choices there is no low, high, step or log");
            }
            let choices = choices.clone();
            return Ok(match ordered {
                true => Domain::Ordered { choices },
                false => Domain::Choice { choices },
            });
        }
        if *ordered {
            return refuse("ordered", "only choices can be ordered");
        }
        let (Some(least), Some(most)) = (&self.low, &self.high) else {
            return refuse("", "low and high, or choices, are needed");
        };
        let [low, high] = [least, most].map(|bound| bound.as_f64().unwrap_or(f64::NAN));
        match (*step, *integer, *log) {
            (Some(_), true, _) => {
                refuse("step", "integer means a step of 1; leave one of them out")
            }
            (Some(_), _, true) => refuse("step", "steps on a log scale are not possible"),
            (Some(step), false, false) => Ok(Domain::Stepped { low, high, step }),
            (None, false, log) => Ok(Domain::Real { low, high, log }),
            (None, true, log) => match (whole(least), whole(most)) {
                (Some(low), Some(high)) => Ok(Domain::Integer { low, high, log }),
                _ => refuse("integer", "integer needs whole numbers for low and high"),
            },
        }
    }
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
pub fn levels(wanted: &[WantedFidelity]) -> Result<Vec<Fidelity>, Vec<Mistake>> {
    let levels = levels_of(wanted);
    let mut found = Vec::new();
    for (i, level) in levels.iter().enumerate() {
        let mut refuse = |key: &str, error| {
            found.push(Mistake::new(&[&"fidelity", &i, &key], error));
        };
        if levels[..i].iter().any(|earlier| earlier.name == level.name) {
            let (name, reason) = (level.name.clone(), "the name occurs twice".to_owned());
            refuse("name", Error::Fidelity { name, reason });
        }
        if let Err(error) = check_fidelities(std::slice::from_ref(level))
            && !level.cost.is_nan()
        {
            refuse("cost", error);
        }
    }
    match check_fidelities(&levels) {
        Err(error) if found.is_empty() => Err(vec![Mistake::new(&[&"fidelity", &0], error)]),
        _ if found.is_empty() => Ok(levels),
        _ => Err(found),
    }
}

/// The constraints that are meant.
///
/// # Errors
/// All mistakes.
pub(crate) fn constraints(
    wanted: &[WantedConstraint],
    levels: usize,
) -> Result<Vec<Constraint>, Vec<Mistake>> {
    let all: Vec<Constraint> = wanted.iter().map(WantedConstraint::constraint).collect();
    // One at a time, so that each mistake is found; then together, for names that occur twice.
    let alone = (0..all.len()).filter_map(|i| {
        let error = check_constraints(&all[i..=i], levels).err()?;
        Some(Mistake::new(&[&"constraint", &i], error))
    });
    let found: Vec<Mistake> = alone.collect();
    match check_constraints(&all, levels) {
        _ if !found.is_empty() => Err(found),
        Err(error) => Err(vec![Mistake::new(&[&"constraint"], error)]),
        Ok(()) => Ok(all),
    }
}

/// One of cost 1 if none is given.
fn levels_of(wanted: &[WantedFidelity]) -> Vec<Fidelity> {
    if wanted.is_empty() {
        return vec![Fidelity::new("full", 1.0)];
    }
    let level = |wanted: &WantedFidelity| {
        let WantedFidelity { name, cost, noise_variance } = wanted.clone();
        Fidelity { name, cost, noise_variance }
    };
    wanted.iter().map(level).collect()
}
