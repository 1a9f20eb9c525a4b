//! What a campaign is, as it is kept in the store: the problem, the settings, the planned tasks.
//!
//! Enough to repeat every ask; nothing about how a trial is evaluated. Once a campaign has begun,
//! its problem and settings stay as they are: later trials would not mean the same. That holds for
//! what nobody set, too: another program may have other defaults. Tasks may be added and budgets
//! raised.

use crate::error::{Mistake, Result, RunnerError};
use crate::wanted::Plan;
use baton::problem::{difference_of_fidelities, difference_of_parameters, difference_of_spaces};
use baton::{Campaign, Constraint, Descriptors, Fidelity, Goal, Settings, Space, Stop, Was};
use serde::{Deserialize, Serialize};

/// Failures in a row that pause a task, unless the user says otherwise.
pub const MOST_FAILURES: u32 = 5;

const VERSION: u32 = 1;
/// Of campaigns whose tasks are described, which earlier programs would misread.
const DESCRIBED: u32 = 2;
/// Of campaigns over spaces with conditions, with forbidden combinations or with what is fixed, and of those
/// whose problem changes from task to task.
const CONDITIONAL: u32 = 3;
/// Of campaigns with constraints.
const CONSTRAINED: u32 = 4;
/// Of campaigns whose tasks may end early, or in which somebody guessed.
const GUIDED: u32 = 5;

/// What the defaults of all other settings follow from.
const CHOICES: [&str; 2] = ["method", "preset"];

/// What a campaign is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spec {
    version: u32,
    /// the parameters
    pub space: Space,
    /// what is said of tasks
    #[serde(default, skip_serializing_if = "Descriptors::is_empty")]
    pub descriptors: Descriptors,
    /// the fidelities, the truth last
    pub fidelities: Vec<Fidelity>,
    /// what parameters were in tasks that lacked them, of which knowledge comes from elsewhere
    #[serde(default, skip_serializing_if = "Was::is_empty")]
    pub was: Was,
    /// what is measured besides the objective, and has to keep bounds
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// what is wanted
    pub goal: Goal,
    /// every setting by its key
    settings: Vec<(String, String)>,
    /// the tasks, in their order
    pub tasks: Vec<Plan>,
    /// failures in a row that pause a task
    pub most_failures: u32,
    /// when tasks end early
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
}

impl Spec {
    /// A campaign over a problem, to be run with these settings.
    pub fn new(
        space: Space,
        fidelities: Vec<Fidelity>,
        goal: Goal,
        settings: &Settings,
        tasks: Vec<Plan>,
    ) -> Self {
        let settings = settings.entries();
        let most_failures = MOST_FAILURES;
        let descriptors = Descriptors::default();
        Self {
            version: version(&space, &descriptors),
            space,
            descriptors,
            fidelities,
            was: Was::new(),
            constraints: Vec::new(),
            goal,
            settings,
            tasks,
            most_failures,
            stop: None,
        }
    }

    /// The same with tasks that are described.
    #[must_use]
    pub fn with_descriptors(self, descriptors: Descriptors) -> Self {
        let version = version(&self.space, &descriptors);
        Self { version, descriptors, ..self }
    }

    /// As kept in the store.
    ///
    /// # Errors
    /// If it holds a number that JSON cannot express.
    pub fn to_json(&self) -> Result<String> {
        let changes = !self.was.is_empty() || self.tasks.iter().any(Plan::changes);
        let told = |plan: &Plan| !plan.constraints.is_empty();
        let guided = |plan: &Plan| plan.stop.is_some() || !plan.guess.is_empty();
        let version = match self.constraints.is_empty() && !self.tasks.iter().any(told) {
            _ if self.stop.is_some() || self.tasks.iter().any(guided) => GUIDED,
            false => CONSTRAINED,
            true if changes => CONDITIONAL,
            true => self.version,
        };
        let text = serde_json::to_string(&Self { version, ..self.clone() });
        text.map_err(|error| RunnerError::refused(error.to_string()))
    }

    /// Reads what [`Spec::to_json`] wrote.
    ///
    /// # Errors
    /// If the text is no such thing, or of a later version.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut spec: Self = serde_json::from_str(text)
            .map_err(|error| RunnerError::refused(format!("the campaign's record: {error}")))?;
        if !(VERSION..=GUIDED).contains(&spec.version) {
            let found = spec.version;
            let reason = format!(
                "the campaign's record has version {found}, this program reads {VERSION} to {GUIDED}"
            );
            return Err(RunnerError::refused(reason));
        }
        spec.version = version(&spec.space, &spec.descriptors);
        Ok(spec)
    }

    /// The value of a setting, by its key with or without its group.
    pub fn setting(&self, key: &str) -> Option<&str> {
        let is = |known: &str| known == key || known.rsplit('.').next() == Some(key);
        self.settings.iter().find(|(known, _)| is(known)).map(|(_, value)| value.as_str())
    }

    /// Whether failed trials count against the budget.
    pub fn charges_failed(&self) -> bool {
        self.setting("charge_failed") != Some("false")
    }

    /// The settings.
    ///
    /// # Errors
    /// If this program does not know one of them.
    pub fn settings(&self) -> Result<Settings> {
        let mut settings = self.unset()?;
        for (key, value) in &self.settings {
            if !CHOICES.contains(&key.as_str()) {
                settings.set_recorded(key, value)?;
            }
        }
        Ok(settings)
    }

    /// The campaign as it begins, starting from some knowledge.
    ///
    /// # Errors
    /// If the knowledge does not fit or something cannot be used.
    pub fn campaign(&self, knowledge: Option<&str>) -> Result<Campaign> {
        self.campaign_over(&self.problem(), knowledge)
    }

    /// What this campaign would become as `wanted`, given the tasks that have begun. Refused if
    /// that would change the meaning of what was done.
    ///
    /// # Errors
    /// Says what differs.
    pub fn amended(&self, wanted: &Self, begun: &[String]) -> Result<Self> {
        let mut differences: Vec<String> = Vec::new();
        let spaces = difference_of_spaces(&self.space, &wanted.space);
        let fidelities = difference_of_fidelities(&self.fidelities, &wanted.fidelities);
        let descriptors = difference_of_parameters(
            self.descriptors.parameters(),
            wanted.descriptors.parameters(),
        );
        let changes =
            [("parameters", spaces), ("descriptors", descriptors), ("fidelities", fidelities)];
        for (what, change) in changes {
            differences.extend(
                change.map(|change| format!("its {what} are not those it began with: {change}")),
            );
        }
        let words = |spec: &Self| {
            let all: Vec<String> = spec.constraints.iter().map(Constraint::in_words).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        };
        if !begun.is_empty() && self.constraints != wanted.constraints {
            differences.push(format!(
                "it began with the constraints {}, now they are {}; bounds that change are said in the \
                 next task",
                words(self),
                words(wanted)
            ));
        }
        if self.goal != wanted.goal {
            differences.push(format!("it began with the goal to {}", self.goal.name()));
        }
        let mut amended = wanted.clone();
        amended.fidelities.clone_from(&self.fidelities);
        let unset = wanted.unset()?;
        let is_implied = unset == Settings::new(self.settings()?.method());
        let (unset, now) = (unset.entries(), wanted.settings()?.entries());
        amended.settings = self.settings()?.entries();
        for entry in &amended.settings {
            let (key, value) = entry;
            let Some(wanted) = now.iter().find(|(known, _)| known == key) else {
                differences.push(format!("it began with {key} = {value}, now it is not set"));
                continue;
            };
            // Nobody asked for what is implied, and another program may have implied something else.
            let implied =
                unset.contains(wanted) && (!CHOICES.contains(&key.as_str()) || is_implied);
            if wanted != entry && !implied {
                differences.push(format!("it began with {key} = {value}, now it is {}", wanted.1));
            }
        }
        let planned = |spec: &Self, name: &str| spec.tasks.iter().any(|plan| plan.name == name);
        let gone = begun.iter().filter(|name| planned(self, name) && !planned(wanted, name));
        differences
            .extend(gone.map(|name| format!("the task {name:?} has begun and is missing now")));
        differences.extend(self.described_otherwise(wanted, begun));
        if differences.is_empty() {
            return Ok(amended);
        }
        Err(RunnerError::Differs { reason: differences.join("; ") })
    }

    /// Tasks that have begun, and of which something else is said now.
    fn described_otherwise(&self, wanted: &Self, begun: &[String]) -> Vec<String> {
        let plan =
            |spec: &Self, name: &String| spec.tasks.iter().find(|plan| plan.name == *name).cloned();
        let both = begun.iter().filter_map(|name| Some((plan(self, name)?, plan(wanted, name)?)));
        let mut told = Vec::new();
        for (before, now) in both {
            let name = &before.name;
            if before.describe != now.describe {
                told.push(format!("the task {name:?} has begun with another description"));
            }
            if before.guess != now.guess {
                told.push(format!("the task {name:?} has begun with other guesses"));
            }
            let changes = |plan: Plan| (plan.space, plan.forbid, plan.fidelities, plan.constraints);
            if changes(before.clone()) != changes(now) {
                let hint = "say what changes in the next task that has not begun";
                told.push(format!("the task {name:?} has begun with another problem; {hint}"));
            }
        }
        told
    }

    /// Refuses what nobody can want: fidelities whose costs fall, and among the tasks that are new a
    /// budget that does not pay for one trial at the highest fidelity. What has begun is let be.
    ///
    /// # Errors
    /// Says which fidelity or task, and what to do.
    pub fn check_sense(&self, known: Option<&Self>) -> Result<()> {
        let planned = |name: &str| known.is_some_and(|k| k.tasks.iter().any(|t| t.name == name));
        let new: Vec<Plan> =
            self.tasks.iter().filter(|task| !planned(&task.name)).cloned().collect();
        let falling = if known.is_none() { falling(&self.fidelities) } else { Vec::new() };
        let begun =
            |plan: &Plan| self.problem_of(&plan.name).ok().map(|problem| problem.fidelities);
        match falling.into_iter().chain(poor(&self.fidelities, &new, &begun)).next() {
            Some(Mistake { error, hint, .. }) => {
                Err(RunnerError::refused(format!("{error}; {}", hint.unwrap_or_default())))
            }
            None => Ok(()),
        }
    }

    /// What its method and preset imply if nothing else is set.
    fn unset(&self) -> Result<Settings> {
        let [method, preset] = CHOICES.map(|key| self.setting(key).unwrap_or_default());
        Ok(Settings::by_name(method, Some(preset))?)
    }
}

/// The first version that can say what a campaign is.
fn version(space: &Space, descriptors: &Descriptors) -> u32 {
    match (space.is_plain(), descriptors.is_empty()) {
        (false, _) => CONDITIONAL,
        (true, false) => DESCRIBED,
        (true, true) => VERSION,
    }
}

/// Fidelities that cost less than the one before.
pub(crate) fn falling(fidelities: &[Fidelity]) -> Vec<Mistake> {
    let pairs = fidelities.windows(2).enumerate().filter(|(_, pair)| pair[1].cost < pair[0].cost);
    let told = pairs.map(|(i, pair)| {
        let (before, after) = (&pair[0], &pair[1]);
        let reason = format!(
            "the fidelity {:?} costs {}, less than {:?} before it ({})",
            after.name, after.cost, before.name, before.cost
        );
        let hint = Some("list fidelities from the cheapest to the highest, whose values count");
        Mistake {
            hint,
            ..Mistake::new(&[&"fidelity", &(i + 1), &"cost"], RunnerError::refused(reason))
        }
    });
    told.collect()
}

/// Tasks whose budget does not pay for one trial at the highest fidelity: `changed` has those of a task
/// from which they are others.
pub(crate) fn poor(
    fidelities: &[Fidelity],
    tasks: &[Plan],
    changed: &dyn Fn(&Plan) -> Option<Vec<Fidelity>>,
) -> Vec<Mistake> {
    let mut highest = fidelities.last().cloned();
    let mut found = Vec::new();
    for (i, task) in tasks.iter().enumerate() {
        highest = changed(task).and_then(|levels| levels.last().cloned()).or(highest);
        found
            .extend(highest.clone().filter(|top| task.budget < top.cost).map(|top| (i, task, top)));
    }
    let told = found.into_iter().map(|(i, Plan { name, budget, .. }, highest)| {
        let reason = format!(
            "the budget {budget} of the task {name:?} does not pay for one trial at the highest \
             fidelity, {:?} for {}",
            highest.name, highest.cost
        );
        let hint = Some("raise it, or leave that fidelity out");
        Mistake { hint, ..Mistake::new(&[&"task", &i, &"budget"], RunnerError::refused(reason)) }
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use baton::{Method, Parameter, Preset};

    fn example() -> Spec {
        let space = Space::new([Parameter::real("x", 0.0, 1.0)]).unwrap();
        let fidelities = vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)];
        let mut settings = Settings::default().seed(7);
        settings.set("starts", "3").unwrap();
        let tasks = vec![Plan::new("monday", 40.0)];
        Spec::new(space, fidelities, Goal::Minimize, &settings, tasks)
    }

    #[test]
    fn a_spec_is_read_back_with_its_settings() {
        let spec = example();
        let again = Spec::from_json(&spec.to_json().unwrap()).unwrap();
        assert_eq!(again, spec);
        let mut expected = Settings::default().seed(7);
        expected.set("starts", "3").unwrap();
        assert_eq!(again.settings().unwrap(), expected);
        assert!(again.charges_failed());
        let later = spec.to_json().unwrap().replace("\"version\":1", "\"version\":6");
        assert!(Spec::from_json(&later).unwrap_err().to_string().contains("version 6"));
    }

    #[test]
    fn the_only_fidelity_may_have_any_name() {
        let only = |name: &str| Spec { fidelities: vec![Fidelity::new(name, 1.0)], ..example() };
        let amended = only("only").amended(&only("full"), &[]).unwrap();
        assert_eq!(amended.fidelities[0].name, "only");
    }

    #[test]
    fn what_nobody_can_want_is_refused_unless_it_has_begun() {
        let mut falling = example();
        falling.fidelities.reverse();
        let reason = falling.check_sense(None).unwrap_err().to_string();
        assert!(reason.contains("\"coarse\" costs 1, less than \"fine\""), "{reason}");
        assert_eq!(falling.check_sense(Some(&falling)), Ok(()));
        let mut poor = example();
        poor.tasks.push(Plan::new("tuesday", 3.9));
        let reason = poor.check_sense(Some(&example())).unwrap_err().to_string();
        assert!(reason.contains("the budget 3.9 of the task \"tuesday\""), "{reason}");
        assert_eq!(poor.check_sense(Some(&poor)), Ok(()));
    }

    #[test]
    fn what_nobody_set_stays_as_it_began() {
        let change = |spec: &mut Spec, key: &str, to: &str| {
            spec.settings.iter_mut().find(|(known, _)| known == key).unwrap().1 = to.into();
        };
        let (mut begun, now) = (example(), example());
        change(&mut begun, "model.kernel", "rbf"); // what an earlier program did without being asked
        assert_eq!(begun.amended(&now, &[]).unwrap(), begun);
        let mut wish = now.clone();
        change(&mut wish, "model.kernel", "matern52");
        let reason = begun.amended(&wish, &[]).unwrap_err().to_string();
        assert!(reason.contains("kernel = rbf, now it is matern52"), "{reason}");
        let of = |preset| {
            let settings = Settings::with_preset(Method::MftMes, preset);
            Spec::new(now.space.clone(), now.fidelities.clone(), now.goal, &settings, vec![])
        };
        let (begun, implied) = (of(Preset::Paper), of(Preset::Calibrated));
        assert_eq!(begun.amended(&implied, &[]).unwrap(), begun, "it implied paper once");
        assert!(implied.amended(&begun, &[]).is_err(), "that was asked for");
        let (space, fidelities) = (now.space.clone(), now.fidelities.clone());
        let other = Settings::new(Method::WarmStart);
        let other = Spec::new(space, fidelities, now.goal, &other, now.tasks.clone());
        let reason = now.amended(&other, &[]).unwrap_err().to_string();
        assert!(reason.contains("method = default, now it is warm-start"), "{reason}");
    }

    #[test]
    fn tasks_may_be_added_and_the_problem_may_not_change() {
        let spec = example();
        let mut more = spec.clone();
        more.tasks.push(Plan::new("tuesday", 4.0));
        assert_eq!(spec.amended(&more, &[]).unwrap(), more);
        let mut other = spec.clone();
        other.goal = Goal::Maximize;
        assert!(spec.amended(&other, &[]).unwrap_err().to_string().contains("to minimize"));
        let mut other = spec.clone();
        other.fidelities[0].cost = 2.0;
        let reason = spec.amended(&other, &[]).unwrap_err().to_string();
        assert!(reason.contains("coarse costs 2, it was 1"), "{reason}");
        let mut other = spec.clone();
        other.space =
            Space::new([Parameter::real("x", 0.0, 2.0), Parameter::integer("n", 1, 3)]).unwrap();
        let reason = spec.amended(&other, &[]).unwrap_err().to_string();
        assert!(reason.contains("x is now 0 to 2, it was 0 to 1; n was added"), "{reason}");
        let mut other = spec.clone();
        other.settings.iter_mut().find(|(key, _)| key == "seed").unwrap().1 = "8".into();
        let reason = spec.amended(&other, &[]).unwrap_err().to_string();
        assert!(reason.contains("seed = 7"), "{reason}");
        other.goal = Goal::Maximize;
        other.fidelities[0].cost = 2.0;
        let reason = spec.amended(&other, &["monday".into()]).unwrap_err().to_string();
        for part in ["coarse costs 2", "to minimize", "seed = 7, now it is 8"] {
            assert!(reason.contains(part), "{part} is missing in {reason}");
        }
        let mut fewer = spec.clone();
        fewer.tasks.clear();
        assert!(spec.amended(&fewer, &["monday".into()]).is_err());
        assert!(spec.amended(&fewer, &[]).is_ok());
    }
}
