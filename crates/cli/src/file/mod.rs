//! The campaign file: TOML, checked as a whole, all mistakes told at once.
//!
//! What the campaign is becomes a [`Spec`] and goes to the store; how trials are evaluated becomes
//! an [`Objective`] and stays here. `docs/campaign-file.md` describes every key.

mod mistakes;
pub mod objective;
mod section;
mod space;

use crate::failure::Failure;
use baton::{Settings, Space};
use baton_problems::family;
use baton_runner::wanted::{self, Setting, WantedFidelity, WantedGoal, WantedParameter};
use baton_runner::{Mistake, Plan, Spec, Wanted};
use mistakes::Mistakes;
use objective::Objective;
use section::Section;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Stands for a number that could not be read: nothing more is wrong with it.
const UNREAD: f64 = f64::NAN;

/// A campaign file that can be used.
#[derive(Debug, Clone, PartialEq)]
pub struct CampaignFile {
    /// where it was read from
    pub path: PathBuf,
    /// the campaign's name
    pub name: String,
    /// address of the store
    pub store: String,
    /// what the campaign is
    pub spec: Spec,
    /// how trials are evaluated
    pub objective: Objective,
}

/// What a file is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// to look, ask and tell
    Look,
    /// to evaluate: by so many at a time, or by as many as the file says
    Run(Option<usize>),
}

impl CampaignFile {
    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::read_to(Purpose::Look, path)
    }

    /// Reads a file and checks that it has all that is needed.
    pub fn read_to(purpose: Purpose, path: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Failure::on_file("read the campaign file", path, error))?;
        let mistakes = Mistakes::new(&text);
        match parse(&text, purpose, &mistakes) {
            Some(content) if mistakes.is_empty() => Ok(content.at(path)),
            _ => Err(Failure::on_file("use the campaign file", path, mistakes.told())),
        }
    }

    /// The folder of the file: where the command runs and a relative store lies.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }
}

/// The content of a file, wherever that is.
struct Content {
    name: String,
    store: Option<String>,
    spec: Spec,
    objective: Objective,
}

impl Content {
    fn at(self, path: &Path) -> CampaignFile {
        let Self { name, store, spec, objective } = self;
        let folder = path.parent().unwrap_or(Path::new(""));
        let store = match store {
            Some(url) => match url.strip_prefix("sqlite:") {
                Some(file) => {
                    let file = file.strip_prefix("///").or(file.strip_prefix("//")).unwrap_or(file);
                    format!("sqlite:{}", folder.join(file).display())
                }
                None => url,
            },
            None => format!("sqlite:{}", path.with_extension("db").display()),
        };
        CampaignFile { path: path.to_owned(), name, store, spec, objective }
    }
}

fn parse(text: &str, purpose: Purpose, mistakes: &Mistakes<'_>) -> Option<Content> {
    let (document, errors) = DeTable::parse_recoverable(text);
    for error in &errors {
        mistakes.add(error.span().map_or(0, |span| span.start), error.message());
    }
    // What follows would only repeat that the file cannot be read.
    if !mistakes.is_empty() {
        return None;
    }
    let top = Section::new(document.get_ref(), "the file", 0, mistakes);
    let name = top.text("name").map(|found| found.value);
    if top.raw("name").is_none() {
        top.missing("name", "name = \"my campaign\"");
    }
    let store = store(&top);
    let seed = top.count("seed").map(|found| found.value);
    let (goal, objective, pause_after) = match top.section("objective") {
        Some(section) => objective::objective(&section),
        None => (None, Objective::default(), None),
    };
    if let Purpose::Run(workers) = purpose
        && workers.unwrap_or(objective.workers) > 0
    {
        need_a_command(&top);
    }
    let problem = objective.problem.as_deref().and_then(family).map(|f| f.description());
    let goal = goal.or(problem.as_ref().map(|_| WantedGoal::Maximize));
    if goal.is_none() && top.raw("objective").is_none_or(|o| o.get_ref().get("goal").is_none()) {
        top.missing("goal in [objective]", "goal = \"minimize\" or goal = \"maximize\"");
    }
    let mut places = Places::default();
    let space = match (top.section("space"), &problem) {
        (None, Some(problem)) => {
            problem.space.parameters().iter().map(WantedParameter::of).collect()
        }
        (section, _) => parameters(section.as_ref(), &top, &mut places),
    };
    let sections = top.sections("fidelity");
    let fidelities = match &problem {
        Some(problem) if sections.is_empty() => {
            problem.fidelities.iter().map(WantedFidelity::from).collect()
        }
        _ => fidelities(&sections, &mut places),
    };
    let (method, preset, settings) = match top.section("method") {
        Some(section) => method(&section, &mut places),
        None => (None, None, Vec::new()),
    };
    let tasks = tasks(&top, &mut places);
    top.refuse_others();
    let wanted = Wanted {
        space,
        fidelities,
        goal: goal.unwrap_or(WantedGoal::Maximize),
        tasks,
        seed,
        method,
        preset,
        settings,
        pause_after,
    };
    same_as_problem(&top, problem.as_ref().map(|p| &p.space), &wanted.space);
    for Mistake { at, error, hint } in wanted.doubts() {
        mistakes.doubt(places.of(&at), error.to_string(), hint.unwrap_or_default());
    }
    let spec = wanted.spec().map_err(|found| tell(&wanted, found, &places, mistakes)).ok()?;
    Some(Content { name: name?, store, spec, objective })
}

/// Tells what is wrong with what was read, each thing at its place.
fn tell(wanted: &Wanted, found: Vec<Mistake>, places: &Places, mistakes: &Mistakes<'_>) {
    // That a space without parameters is none was told where they were read.
    let found =
        found.into_iter().filter(|mistake| mistake.at != "space" || !wanted.space.is_empty());
    let method = wanted.method.as_deref().unwrap_or("default");
    let known = Settings::by_name(method, wanted.preset.as_deref()).unwrap_or_default();
    for Mistake { at, error, hint } in found {
        let place = places.of(&at);
        match at.strip_prefix("settings.").filter(|key| !known.has(key)) {
            Some(key) => {
                let hint =
                    format!("the keys of [method] are name, preset, {}", known.keys().join(", "));
                let reason = format!("unknown key {key:?} in [method]");
                mistakes.add_with_hint(place, reason, Some(hint));
            }
            None => mistakes.add_with_hint(place, error.to_string(), hint.map(str::to_owned)),
        }
    }
}

/// Where in the text the parts of a description stand, by the names that the check has for them.
#[derive(Debug, Default)]
struct Places(BTreeMap<String, usize>);

impl Places {
    fn add(&mut self, name: impl Into<String>, at: usize) {
        self.0.insert(name.into(), at);
    }

    fn add_section(&mut self, name: &str, section: &Section<'_>) {
        self.add(name, section.at);
        for (key, value) in section.entries() {
            self.add(format!("{name}.{key}"), value.span().start);
        }
    }

    /// That of the part itself or of what it is in.
    fn of(&self, name: &str) -> usize {
        match (self.0.get(name), name.rsplit_once('.')) {
            (Some(at), _) => *at,
            (None, Some((around, _))) => self.of(around),
            (None, None) => 0,
        }
    }
}

/// Without a command or a built-in problem nothing can be evaluated.
fn need_a_command(top: &Section<'_>) {
    let given = |key: &str| top.raw("objective").is_some_and(|o| o.get_ref().get(key).is_some());
    if !given("command") && !given("problem") {
        top.missing("command in [objective]", "command = [\"python3\", \"simulate.py\"]");
    }
}

fn store(top: &Section<'_>) -> Option<String> {
    let store = top.text("store")?;
    let known = ["sqlite:", "postgres://", "postgresql://"];
    if !known.iter().any(|scheme| store.value.starts_with(scheme)) || store.value == "sqlite:" {
        let hint = "store = \"sqlite:FILE.db\" or \"postgres://USER@HOST/DATABASE\"";
        let shown = baton_store::without_password(&store.value);
        let reason = format!("the store {shown:?} is no address of one");
        top.mistake_with_hint(store.at, reason, hint);
    }
    Some(store.value)
}

/// A built-in problem can be evaluated in its own space only.
fn same_as_problem(top: &Section<'_>, built_in: Option<&Space>, given: &[WantedParameter]) {
    if let (Some(built_in), Ok(given)) = (built_in, wanted::space(given))
        && *built_in != given
    {
        let hint = "leave [space] out, or evaluate with a command";
        top.mistake_with_hint(top.at, "the built-in problem has another space", hint);
    }
}

fn parameters(
    section: Option<&Section<'_>>,
    top: &Section<'_>,
    places: &mut Places,
) -> Vec<WantedParameter> {
    let Some(section) = section else {
        if top.raw("space").is_none() {
            top.missing("[space]", "say there what may be varied: x = { low = 0, high = 1 }");
        }
        return Vec::new();
    };
    places.add("space", section.at);
    let read = space::parameters(section).into_iter().enumerate().map(|(i, (parameter, part))| {
        places.add_section(&format!("space.{i}"), &part);
        parameter
    });
    read.collect()
}

fn fidelities(sections: &[Section<'_>], places: &mut Places) -> Vec<WantedFidelity> {
    let read = sections.iter().enumerate().map(|(i, section)| {
        places.add_section(&format!("fidelities.{i}"), section);
        let name = section.text("name").map(|found| found.value);
        let cost = section.number("cost").map(|found| found.value);
        let noise_variance = section.number("noise_variance").map(|found| found.value);
        section.refuse_others();
        if section.raw("cost").is_none() {
            section.missing("cost", "what one evaluation costs, in the unit of the budget");
        }
        WantedFidelity {
            name: name.unwrap_or_else(|| format!("level {}", i + 1)),
            cost: cost.unwrap_or(UNREAD),
            noise_variance,
        }
    });
    read.collect()
}

type Named = (Option<String>, Option<String>, Vec<(String, Setting)>);

/// The names of the method and the preset, and what else is set.
fn method(section: &Section<'_>, places: &mut Places) -> Named {
    let [method, preset] = [("name", "method"), ("preset", "preset")].map(|(key, name)| {
        let found = section.text(key)?;
        places.add(name, found.at);
        Some(found.value)
    });
    let mut settings = Vec::new();
    let mut set = |key: String, at: usize, value: &DeValue<'_>| {
        places.add(format!("settings.{key}"), at);
        settings.push((key, Setting::Text(text(value))));
    };
    for (key, value) in section.entries() {
        let at = value.span().start;
        match (key, value.get_ref()) {
            ("name" | "preset", _) => {}
            ("seed" | "campaign", _) => {
                let reason = format!("{key} does not belong here; the file's seed is at its top");
                section.mistake(at, reason);
            }
            // A table is a group of settings: [method.policy]
            (_, DeValue::Table(group)) => {
                for (leaf, value) in group {
                    set(format!("{key}.{}", leaf.get_ref()), value.span().start, value.get_ref());
                }
            }
            (_, value) => set(key.to_owned(), at, value),
        }
    }
    (method, preset, settings)
}

/// A value of a setting as the command line has it.
fn text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(truth) => truth.to_string(),
        DeValue::Array(list) => {
            let words = list.iter().map(|entry| match entry.get_ref() {
                DeValue::Integer(number) => number.as_str(),
                other => other.as_str().unwrap_or("?"),
            });
            words.collect::<Vec<&str>>().join(",")
        }
        _ => "a table".to_owned(),
    }
}

fn tasks(top: &Section<'_>, places: &mut Places) -> Vec<Plan> {
    if top.raw("task").is_none() {
        top.missing("[[task]]", "a campaign needs at least one task with its budget");
    }
    let read = top.sections("task").into_iter().enumerate().map(|(i, section)| {
        places.add_section(&format!("tasks.{i}"), &section);
        let name = section.text("name").map(|found| found.value);
        let budget = section.number("budget").map(|found| found.value);
        section.refuse_others();
        if section.raw("budget").is_none() {
            section.missing("budget", "what may be spent on the task, in the unit of the costs");
        }
        let name = name.unwrap_or_else(|| format!("task {}", i + 1));
        Plan { name, budget: budget.unwrap_or(UNREAD) }
    });
    read.collect()
}

#[cfg(test)]
mod tests;
