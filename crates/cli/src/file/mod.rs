//! The campaign file: TOML, checked as a whole, all mistakes told at once.
//!
//! What the campaign is becomes a [`Spec`] and goes to the store; how trials are evaluated becomes
//! an [`Objective`] and stays here. `docs/campaign-file.md` describes every key.

mod mistakes;
pub mod objective;
mod section;
mod space;

use crate::failure::Failure;
use baton::problem::check_fidelities;
use baton::{Fidelity, Method, Preset, Settings, Space};
use baton_problems::family;
use baton_runner::{Plan, Spec};
use mistakes::Mistakes;
use objective::Objective;
use section::Section;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

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
    let seed = top.count("seed").map_or(0, |found| found.value);
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
    let goal = goal.or(problem.as_ref().map(|_| baton::Goal::Maximize));
    if goal.is_none() && top.raw("objective").is_none_or(|o| o.get_ref().get("goal").is_none()) {
        top.missing("goal in [objective]", "goal = \"minimize\" or goal = \"maximize\"");
    }
    let space = match (top.section("space"), &problem) {
        (Some(section), _) => space::space(&section),
        (None, Some(problem)) => Some(problem.space.clone()),
        (None, None) => {
            if top.raw("space").is_none() {
                top.missing("[space]", "say there what may be varied: x = { low = 0, high = 1 }");
            }
            None
        }
    };
    let sections = top.sections("fidelity");
    let fidelities = match &problem {
        Some(problem) if sections.is_empty() => Some(problem.fidelities.clone()),
        _ => fidelities(&sections, &top),
    };
    let settings = settings(top.section("method").as_ref(), seed);
    let tasks = tasks(&top, fidelities.as_deref().unwrap_or(&[]));
    top.refuse_others();
    same_as_problem(&top, problem.as_ref().map(|p| &p.space), space.as_ref());
    let (space, fidelities) = (space?, fidelities?);
    let mut spec = Spec::new(space, fidelities, goal?, &settings?, tasks);
    spec.most_failures = pause_after.unwrap_or(spec.most_failures);
    Some(Content { name: name?, store, spec, objective })
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
fn same_as_problem(top: &Section<'_>, built_in: Option<&Space>, given: Option<&Space>) {
    if let (Some(built_in), Some(given)) = (built_in, given)
        && built_in != given
    {
        let hint = "leave [space] out, or evaluate with a command";
        top.mistake_with_hint(top.at, "the built-in problem has another space", hint);
    }
}

/// The levels; one of cost 1 if none is given.
fn fidelities(sections: &[Section<'_>], top: &Section<'_>) -> Option<Vec<Fidelity>> {
    if sections.is_empty() {
        return Some(vec![Fidelity::new("full", 1.0)]);
    }
    let mut levels: Vec<Fidelity> = Vec::new();
    let mut before: Option<(String, f64)> = None;
    for (i, section) in sections.iter().enumerate() {
        let name = section.text("name");
        let cost = section.number("cost");
        let noise = section.number("noise_variance");
        section.refuse_others();
        if section.raw("cost").is_none() {
            section.missing("cost", "what one evaluation costs, in the unit of the budget");
        }
        let named = name.as_ref().map_or_else(|| format!("level {}", i + 1), |n| n.value.clone());
        if levels.iter().any(|level| level.name == named) {
            let at = name.map_or(section.at, |name| name.at);
            section.mistake(at, format!("the fidelity {named:?} occurs twice"));
        }
        let Some(cost) = cost else { continue };
        if let Some((cheaper, less)) = before.filter(|(_, less)| cost.value < *less) {
            let reason = format!(
                "the fidelity {named:?} costs {}, less than {cheaper:?} before it ({less})",
                cost.value
            );
            section.doubt(cost.at, reason, "list fidelities from the cheapest to the highest");
        }
        before = Some((named.clone(), cost.value));
        let mut level = Fidelity::new(&named, cost.value);
        level.noise_variance = noise.map(|noise| noise.value);
        if let Err(error) = check_fidelities(std::slice::from_ref(&level)) {
            section.mistake(cost.at, error.to_string());
        }
        levels.push(level);
    }
    let known = levels.iter().filter(|level| level.noise_variance.is_some()).count();
    if known != 0 && known != levels.len() {
        top.mistake(sections[0].at, "noise_variance must be given for all fidelities or for none");
    }
    (levels.len() == sections.len()).then_some(levels)
}

fn settings(section: Option<&Section<'_>>, seed: u64) -> Option<Settings> {
    let Some(section) = section else { return Some(Settings::default().seed(seed)) };
    let mut sound = true;
    let mut refuse = |at: usize, error: baton::Error| {
        section.mistake(at, error.to_string());
        sound = false;
    };
    let method = section.text("name").map(|found| (found.value.parse::<Method>(), found.at));
    let preset = section.text("preset").map(|found| (found.value.parse::<Preset>(), found.at));
    let method = match method {
        None => Method::Default,
        Some((Ok(method), _)) => method,
        Some((Err(error), at)) => {
            refuse(at, error);
            Method::Default
        }
    };
    let mut settings = match preset {
        None => Settings::new(method),
        Some((Ok(preset), _)) => Settings::with_preset(method, preset),
        Some((Err(error), at)) => {
            refuse(at, error);
            Settings::new(method)
        }
    };
    for (key, value) in section.entries() {
        if key == "name" || key == "preset" {
            continue;
        }
        let at = value.span().start;
        if key == "seed" || key == "campaign" {
            section
                .mistake(at, format!("{key} does not belong here; the file's seed is at its top"));
            continue;
        }
        // A table is a group of settings: [method.policy]
        let written: Vec<(String, usize, String)> = match value.get_ref() {
            DeValue::Table(group) => {
                let leaves = group.iter().map(|(leaf, value)| {
                    let key = format!("{key}.{}", leaf.get_ref());
                    (key, value.span().start, text(value.get_ref()))
                });
                leaves.collect()
            }
            value => vec![(key.to_owned(), at, text(value))],
        };
        for (key, at, text) in written {
            match settings.set_recorded(&key, &text) {
                Ok(()) => {}
                Err(_) if !settings.has(&key) => {
                    let keys = settings.keys().join(", ");
                    let hint = format!("the keys of [method] are name, preset, {keys}");
                    section.mistake_with_hint(
                        at,
                        format!("unknown key {key:?} in [method]"),
                        &hint,
                    );
                }
                Err(error) => refuse(at, error),
            }
        }
    }
    sound.then(|| settings.seed(seed))
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

fn tasks(top: &Section<'_>, fidelities: &[Fidelity]) -> Vec<Plan> {
    let sections = top.sections("task");
    if top.raw("task").is_none() {
        top.missing("[[task]]", "a campaign needs at least one task with its budget");
    }
    let mut plans: Vec<Plan> = Vec::new();
    let cheapest = fidelities.iter().map(|level| level.cost).fold(f64::INFINITY, f64::min);
    for (i, section) in sections.iter().enumerate() {
        let name = section.text("name");
        let budget = section.number("budget");
        section.refuse_others();
        let at = name.as_ref().map_or(section.at, |name| name.at);
        let name = name.map_or_else(|| format!("task {}", i + 1), |name| name.value);
        if plans.iter().any(|plan| plan.name == name) {
            section.mistake(at, format!("the task {name:?} occurs twice"));
        }
        if section.raw("budget").is_none() {
            section.missing("budget", "what may be spent on the task, in the unit of the costs");
        }
        if let Some(budget) = &budget
            && !fidelities.is_empty()
            && budget.value < cheapest
        {
            let reason = format!(
                "the budget {} is not enough for one trial at the cheapest fidelity, which costs \
                 {cheapest}",
                budget.value
            );
            section.mistake(budget.at, reason);
        } else if let (Some(budget), Some(highest)) = (&budget, fidelities.last())
            && budget.value < highest.cost
        {
            let (budget_, name_, cost) = (budget.value, &highest.name, highest.cost);
            let reason = format!(
                "the budget {budget_} does not pay for one trial at the highest fidelity, {name_:?} \
                 for {cost}"
            );
            section.doubt(budget.at, reason, "raise it, or leave that fidelity out");
        }
        plans.push(Plan { name, budget: budget.map_or(0.0, |budget| budget.value) });
    }
    plans
}

#[cfg(test)]
mod tests;
