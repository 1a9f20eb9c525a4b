//! The campaign file: TOML, checked as a whole, all mistakes told at once.
//!
//! What the campaign is becomes a [`Spec`] and goes to the store; how trials are evaluated becomes
//! an [`Objective`] and stays here. `docs/campaign-file.md` describes every key.

mod mistakes;
pub mod objective;
mod section;
mod space;
mod told;

use crate::failure::Failure;
use baton::{Description, Goal, Settings, Space, Value};
use baton_problems::family;
use baton_runner::wanted::{self, WantedConstraint, WantedFidelity, WantedParameter};
use baton_runner::{Mistake, Plan, Spec, Wanted};
use mistakes::Mistakes;
use objective::Objective;
use section::Section;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// Stands for a number that could not be read: nothing more is wrong with it.
const UNREAD: f64 = f64::NAN;

const DESCRIBE: &str = "describe = { reynolds = 1e6 } gives values of what [descriptors] declares, as \
                        reynolds = { low = 1e5, high = 1e7, log = true }";
const DESCRIBED: &str = "descriptors need the method default, and names of their own";

type Document<'a> = toml::Spanned<DeTable<'a>>;

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
    let name = top.text("name");
    if top.raw("name").is_none() {
        top.missing("name", "name = \"my campaign\"");
    }
    let store = store(&top);
    let seed = top.count("seed");
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
    let goal = goal.or(problem.as_ref().map(|_| Goal::Maximize));
    if goal.is_none() && top.raw("objective").is_none_or(|o| o.get_ref().get("goal").is_none()) {
        top.missing("goal in [objective]", "goal = \"minimize\" or goal = \"maximize\"");
    }
    let section = top.section("space");
    let forbid = section.as_ref().map_or(Vec::new(), space::forbidden);
    let space = match (section, &problem) {
        (None, Some(problem)) => {
            problem.space.parameters().iter().map(WantedParameter::of).collect()
        }
        (Some(section), _) => space::parameters(&section, "parameter"),
        (None, None) => {
            if top.raw("space").is_none() {
                top.missing("[space]", "say there what may be varied: x = { low = 0, high = 1 }");
            }
            Vec::new()
        }
    };
    let descriptors = top
        .section("descriptors")
        .map_or(Vec::new(), |section| space::parameters(&section, "descriptor"));
    let sections = top.sections("fidelity");
    let fidelities = match &problem {
        Some(problem) if sections.is_empty() => {
            problem.fidelities.iter().map(WantedFidelity::from).collect()
        }
        _ => fidelities(&sections),
    };
    let constraints = constraints(&top.sections("constraint"));
    let (method, preset, settings) = match top.section("method") {
        Some(section) => method(&section),
        None => (None, None, Vec::new()),
    };
    let tasks = tasks(&top);
    let stop = told::stop(&top);
    top.refuse_others();
    let wanted = Wanted {
        space,
        forbid,
        descriptors,
        fidelities,
        constraints,
        goal: goal.unwrap_or(Goal::Maximize),
        tasks,
        seed,
        method,
        preset,
        settings,
        pause_after,
        stop,
    };
    same_as_problem(&top, problem.as_ref().map(|p| &p.space), &wanted.space);
    for Mistake { at, error, hint } in wanted.doubts() {
        mistakes.doubt(place(&document, &at), error.to_string(), hint.unwrap_or_default());
    }
    let spec = wanted.spec().map_err(|found| tell(&wanted, found, &document, mistakes)).ok();
    Some(Content { name: name?, store, spec: spec?, objective })
}

/// Tells what is wrong with what was read, each thing at its place.
fn tell(wanted: &Wanted, found: Vec<Mistake>, document: &Document<'_>, mistakes: &Mistakes<'_>) {
    let method = wanted.method.as_deref().unwrap_or("default");
    let known = Settings::by_name(method, wanted.preset.as_deref()).unwrap_or_default();
    for Mistake { mut at, error, hint } in found {
        if let Some(place) = at.iter().position(|section| section == "forbid") {
            at.insert(place, "space".to_owned()); // where the file has it
        }
        let (mut reason, mut hint) = (error.to_string(), hint.map(str::to_owned));
        let key = at.iter().skip(1).cloned().collect::<Vec<_>>().join(".");
        match at.first().map_or("", String::as_str) {
            // That a space without parameters is none was told where they were read.
            "space" if wanted.space.is_empty() => continue,
            "task" if at.get(2).is_some_and(|key| key == "describe") && hint.is_none() => {
                hint = Some(DESCRIBE.to_owned());
            }
            "descriptors" if at.len() == 1 && hint.is_none() => hint = Some(DESCRIBED.to_owned()),
            "method" if !(["name", "preset"].contains(&&*key) || known.has(&key)) => {
                reason = format!("unknown key {key:?} in [method]");
                let keys = known.keys().join(", ");
                hint = Some(format!("the keys of [method] are name, preset, {keys}"));
            }
            _ => {}
        }
        mistakes.add_with_hint(place(document, &at), reason, hint);
    }
}

/// Where a part of the file stands, or what it would be in.
fn place(document: &Document<'_>, path: &[String]) -> usize {
    let mut at = 0;
    let mut words = path.iter();
    let mut part = words.next().and_then(|word| document.get_ref().get(word.as_str()));
    while let Some(found) = part {
        at = found.span().start;
        part = words.next().and_then(|word| match word.parse::<usize>() {
            Ok(number) if found.get_ref().is_array() => found.get_ref().get(number),
            _ => found.get_ref().get(word.as_str()),
        });
    }
    at
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
    if !known.iter().any(|scheme| store.starts_with(scheme)) || store == "sqlite:" {
        let hint = "store = \"sqlite:FILE.db\" or \"postgres://USER@HOST/DATABASE\"";
        let shown = baton_store::without_password(&store);
        let reason = format!("the store {shown:?} is no address of one");
        top.mistake_with_hint(top.place("store"), reason, hint);
    }
    Some(store)
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

fn fidelities(sections: &[Section<'_>]) -> Vec<WantedFidelity> {
    let read = sections.iter().enumerate().map(|(i, section)| {
        let name = section.text("name");
        let cost = section.number("cost");
        let noise_variance = section.number("noise_variance");
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

fn constraints(sections: &[Section<'_>]) -> Vec<WantedConstraint> {
    let read = sections.iter().map(|section| {
        let (name, min, max) = (section.text("name"), section.number("min"), section.number("max"));
        let noise_variance = section.numbers("noise_variance");
        section.refuse_others();
        if section.raw("name").is_none() {
            section.missing("name", "the name under which evaluations answer it");
        }
        if section.raw("min").is_none() && section.raw("max").is_none() {
            section.missing("min or max", "the least or the most that it may be");
        }
        let (Some(name), true) = (name, min.is_some() || max.is_some()) else { return None };
        Some(WantedConstraint { name, min, max, noise_variance })
    });
    read.flatten().collect()
}

type Named = (Option<String>, Option<String>, Vec<(String, Value)>);

/// The names of the method and the preset, and what else is set.
fn method(section: &Section<'_>) -> Named {
    let (method, preset) = (section.text("name"), section.text("preset"));
    let mut settings = Vec::new();
    let mut set = |key, value| settings.push((key, Value::Text(text(value))));
    for (key, value) in section.entries() {
        match (key, value.get_ref()) {
            ("name" | "preset", _) => {}
            ("seed" | "campaign", _) => {
                let reason = format!("{key} does not belong here; the file's seed is at its top");
                section.mistake(value.span().start, reason);
            }
            // A table is a group of settings: [method.policy]
            (_, DeValue::Table(group)) => {
                for (leaf, value) in group {
                    set(format!("{key}.{}", leaf.get_ref()), value.get_ref());
                }
            }
            (_, value) => set(key.to_owned(), value),
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

fn tasks(top: &Section<'_>) -> Vec<Plan> {
    if top.raw("task").is_none() {
        top.missing("[[task]]", "a campaign needs at least one task with its budget");
    }
    let read = top.sections("task").into_iter().enumerate().map(|(i, section)| {
        let name = section.text("name");
        let budget = section.number("budget");
        let describe = section.section("describe").map_or(Description::new(), |d| space::said(&d));
        let changed = section.section("space");
        let forbid = changed.as_ref().filter(|changed| changed.raw("forbid").is_some());
        let forbid = forbid.map(space::forbidden);
        let space = changed.map_or(Vec::new(), |changed| space::changed(&changed));
        let fidelities = fidelities(&section.sections("fidelity"));
        let constraints = constraints(&section.sections("constraint"));
        let (stop, guess) = (told::stop(&section), told::guesses(&section));
        section.refuse_others();
        if section.raw("budget").is_none() {
            section.missing("budget", "what may be spent on the task, in the unit of the costs");
        }
        let name = name.unwrap_or_else(|| format!("task {}", i + 1));
        let plan = Plan::new(name, budget.unwrap_or(UNREAD));
        Plan { describe, space, forbid, fidelities, constraints, stop, guess, ..plan }
    });
    read.collect()
}

#[cfg(test)]
mod tests;
