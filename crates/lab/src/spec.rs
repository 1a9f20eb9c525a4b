//! What an experiment is: problem, settings, counts and seeds, and a name for exactly that.

use crate::LabError;
use baton::Settings;
use baton_numerics::checksum;
use baton_problems::{Family, Score, family};
use serde_json::{Value, json};

/// What becomes of the random evaluations that open a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Initial {
    /// not charged to the budget, counted in the score
    Free,
    /// charged and counted
    Charged,
    /// neither charged nor counted
    Uncounted,
}

impl Initial {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Charged => "charged",
            Self::Uncounted => "uncounted",
        }
    }
}

/// A study: many experiments that differ in their seed only.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// name of the problem family
    pub problem: String,
    /// method, preset and all other settings
    pub settings: Settings,
    /// tasks in a sequence
    pub tasks: u32,
    /// how many sequences
    pub experiments: u32,
    /// seed of the first experiment; the others count on
    pub seed: u64,
    /// whether every experiment draws tasks of its own
    pub fresh_tasks: bool,
    /// the opening evaluations
    pub initial: Initial,
    /// what may be spent on a task, if not what the problem says
    pub budget: Option<f64>,
    /// the program that ran it; by default this one, which is the only one that can
    pub version: String,
    /// the folder of its results, where another version of the program named it
    pub kept_in: Option<String>,
}

impl Spec {
    /// A study of a method with the settings it implies, in the units of the problem.
    ///
    /// # Errors
    /// If there is no such problem or a setting cannot be used.
    pub fn new(problem: &str, settings: Settings) -> Result<Self, LabError> {
        let mut settings = settings;
        let description = find(problem)?.description();
        settings.set("initial", &description.initial.to_string())?;
        // The paper's kernel has variance 1 and mean 0, so its units are fixed per problem; the
        // default preset finds its own.
        if settings.preset() != baton::Preset::Default {
            settings.set("offset", &description.offset.to_string())?;
            settings.set("scale", &description.scale.to_string())?;
        }
        Ok(Self {
            problem: problem.to_owned(),
            settings,
            tasks: u32::try_from(description.tasks).unwrap_or(u32::MAX),
            experiments: 10,
            seed: 1,
            fresh_tasks: false,
            initial: Initial::Free,
            budget: None,
            version: version(),
            kept_in: None,
        })
    }

    /// The problem family.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn family(&self) -> Result<Box<dyn Family>, LabError> {
        find(&self.problem)
    }

    /// How tasks are scored.
    ///
    /// # Errors
    /// If there is no such problem.
    pub fn score(&self) -> Result<Score, LabError> {
        Ok(self.family()?.description().score)
    }

    /// Everything a single experiment depends on, its seed excepted.
    pub fn identity(&self) -> Value {
        let mut identity = json!({
            "problem": self.problem,
            "settings": self.settings_json(),
            "fresh_tasks": self.fresh_tasks,
            "initial": self.initial.name(),
            "version": self.version,
        });
        if let Some(budget) = self.budget {
            identity["budget"] = json!(budget);
        }
        identity
    }

    /// The settings as key and value.
    pub fn settings_json(&self) -> Value {
        let entries = self.settings.entries().into_iter().filter(|(key, _)| key != "seed");
        entries.map(|(key, value)| (key, Value::String(value))).collect()
    }

    /// Whether another program's record is of the same study. What that program did not have yet, it
    /// had as this one implies it.
    pub fn is_recorded_as(&self, identity: &Value) -> bool {
        let Some(recorded) = identity["settings"].as_object() else { return false };
        let of = |key: &str| recorded.get(key).and_then(Value::as_str);
        let (method, preset) = (self.settings.method(), self.settings.preset());
        if of("method") != Some(method.name()) || of("preset") != Some(preset.name()) {
            return false;
        }
        let Ok(implied) = Self::new(&self.problem, Settings::with_preset(method, preset)) else {
            return false;
        };
        let mut settings = implied.settings.seed(self.settings.seed);
        for (key, value) in
            recorded.iter().filter(|(key, _)| !["method", "preset"].contains(&key.as_str()))
        {
            if value.as_str().is_none_or(|value| settings.set_recorded(key, value).is_err()) {
                return false;
            }
        }
        let mut own = self.identity();
        for key in ["settings", "version"] {
            own[key] = identity[key].clone();
        }
        settings == self.settings && own == *identity
    }

    /// The command that runs one experiment of this study by itself and keeps its results in `out`:
    /// for spreading a study over machines.
    ///
    /// # Errors
    /// If there is no such problem.
    pub fn command(&self, seed: u64, out: &str) -> Result<String, LabError> {
        let method = self.settings.method();
        let implied = Self::new(&self.problem, Settings::new(method))?.settings.entries();
        let mut words = vec![format!(
            "baton experiment --problem {} --method {method} --tasks {} --experiments 1 --seed {seed}",
            self.problem, self.tasks
        )];
        let chosen = self.settings.entries();
        let overrides = chosen.iter().filter(|entry| !implied.contains(entry));
        words.extend(overrides.map(|(key, value)| format!("--set {key}={value}")));
        words.extend(self.fresh_tasks.then(|| "--fresh-tasks".to_owned()));
        let initial = (self.initial != Initial::Free).then(|| self.initial.name());
        words.extend(initial.map(|name| format!("--initial {name}")));
        words.extend(self.budget.map(|budget| format!("--budget {budget}")));
        words.push(format!("--threads 1 --out {out}"));
        Ok(words.join(" "))
    }

    /// A folder name that no other study shares.
    pub fn folder(&self) -> String {
        if let Some(folder) = &self.kept_in {
            return folder.clone();
        }
        let hash = checksum::fnv1a(checksum::START, self.identity().to_string().as_bytes());
        format!("{}-{}-{hash:016x}", self.problem, self.settings.method())
    }
}

/// The version of the program and of the algorithm inside.
pub fn version() -> String {
    format!("{}+{}", env!("CARGO_PKG_VERSION"), env!("BATON_ALGORITHM"))
}

fn find(problem: &str) -> Result<Box<dyn Family>, LabError> {
    family(problem).ok_or_else(|| {
        let known: Vec<&str> = baton_problems::families().iter().map(|f| f.name()).collect();
        LabError::Problem { name: problem.to_owned(), known: known.join(", ") }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Experiment;
    use baton::Method;

    #[test]
    fn another_budget_is_another_study_and_is_kept_to() {
        let usual = Spec::new("branin", Settings::new(Method::Random)).unwrap();
        let spec = Spec { budget: Some(42.0), ..usual.clone() };
        assert_ne!(spec.folder(), usual.folder());
        assert!(spec.command(1, "here").unwrap().contains(" --budget 42 "));
        assert!(!usual.command(1, "here").unwrap().contains("--budget"));
        let cost = |spec| Experiment::new(spec, 0, None).unwrap().next_task().unwrap().cost;
        assert!(cost(&spec) > 20.0 && cost(&spec) <= 42.0, "{}", cost(&spec));
        assert!(cost(&usual) > 42.0);
        let none = Spec { budget: Some(-1.0), ..usual };
        assert!(Experiment::new(&none, 0, None).unwrap().next_task().is_err());
    }
}
