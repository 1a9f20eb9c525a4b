//! No file of a crate uses another that uses it, directly or on a way around.
//!
//! A use is followed to the file that defines the name: what a `mod.rs` merely hands on is no use of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

type Module = Vec<String>;

/// The modules of a crate: the code of each file without its tests.
fn modules(folder: &Path, at: &Module, found: &mut BTreeMap<Module, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let inside = |name: String| at.iter().cloned().chain([name]).collect::<Module>();
        if path.is_dir() {
            modules(&path, &inside(name), found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let module =
                if ["mod", "lib", "main"].contains(&&*name) { at.clone() } else { inside(name) };
            let code = lines.collect::<Vec<_>>().join("\n");
            found.entry(module).or_default().push_str(&code);
        }
    }
}

/// The paths of a use tree: `a::{b, c::d}` are `a::b` and `a::c::d`.
fn paths(tree: &str) -> Vec<Module> {
    let words = |text: &str| -> Module {
        let name = text.split(" as ").next().unwrap();
        name.split("::").map(|word| word.trim().to_owned()).filter(|w| !w.is_empty()).collect()
    };
    let Some((head, rest)) = tree.split_once('{') else { return vec![words(tree)] };
    let (mut depth, mut part, mut parts) = (0, String::new(), Vec::new());
    for letter in rest[..rest.rfind('}').unwrap()].chars() {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        if letter == ',' && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(letter);
        }
    }
    parts.push(part);
    let inner = parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| paths(part));
    inner.map(|path| words(head).into_iter().chain(path).collect()).collect()
}

/// Use statements of a file, with whether they hand names on; and paths written out in its code.
fn uses(code: &str) -> Vec<(bool, Module)> {
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let start = statement.rfind("use ").filter(|at| {
            let before = statement[..*at].rsplit('\n').next().unwrap_or_default();
            before.is_empty() || (before.starts_with("pub") && before.ends_with(' ')) // not `pub enum Clause`
        });
        let Some(at) = start else {
            rest.push_str(statement);
            continue;
        };
        let handed_on = statement[..at].rsplit('\n').next().unwrap().starts_with("pub");
        let tree = statement[at + 4..].trim_end_matches(';');
        found.extend(paths(tree).into_iter().map(|path| (handed_on, path)));
    }
    // Also those that begin with the bare name of a module inside; what leads elsewhere is left out later.
    let is_path = |word: &&str| word.contains("::");
    let written = rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    found.extend(written.filter(is_path).flat_map(paths).map(|path| (false, path)));
    found
}

struct Crate {
    modules: BTreeMap<Module, String>,
    /// names that a module hands on, and where they come from
    handed_on: BTreeMap<(Module, String), Module>,
}

impl Crate {
    fn read(folder: &Path) -> Self {
        let mut modules_found = BTreeMap::new();
        modules(folder, &Module::new(), &mut modules_found);
        let mut read = Self { modules: modules_found, handed_on: BTreeMap::new() };
        for (module, code) in &read.modules {
            for (_, path) in uses(code).into_iter().filter(|(handed_on, _)| *handed_on) {
                if let Some(from) = read.seen_from_root(module, &path) {
                    read.handed_on.insert((module.clone(), from.last().unwrap().clone()), from);
                }
            }
        }
        read
    }

    /// A path as seen from the root of the crate; `None` if it leads elsewhere.
    fn seen_from_root(&self, module: &Module, path: &Module) -> Option<Module> {
        let mut at = module.clone();
        let mut words = path.iter().peekable();
        match words.peek()?.as_str() {
            "crate" => at.clear(),
            "super" | "self" => {}
            first => {
                let child: Module = at.iter().cloned().chain([first.to_owned()]).collect();
                self.modules.contains_key(&child).then_some(())?;
            }
        }
        for word in words {
            match word.as_str() {
                "crate" | "self" => {}
                "super" => drop(at.pop()),
                word => at.push(word.to_owned()),
            }
        }
        Some(at)
    }

    /// The module that defines what a path from the root means.
    fn defines(&self, path: &Module) -> Module {
        let longest = (0..=path.len()).rev().find(|n| self.modules.contains_key(&path[..*n]));
        let module = path[..longest.unwrap_or(0)].to_vec();
        let Some(name) = path.get(module.len()) else { return module };
        match self.handed_on.get(&(module.clone(), name.clone())) {
            Some(from) if from != path => self.defines(from),
            _ => module,
        }
    }

    fn edges(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let used = |module: &Module, code: &str| -> BTreeSet<Module> {
            let own = uses(code).into_iter().filter(|(handed_on, _)| !handed_on);
            let paths = own.filter_map(|(_, path)| self.seen_from_root(module, &path));
            paths.map(|path| self.defines(&path)).filter(|other| other != module).collect()
        };
        self.modules.iter().map(|(module, code)| (module.clone(), used(module, code))).collect()
    }
}

/// A way from a module back to itself.
fn circle(
    edges: &BTreeMap<Module, BTreeSet<Module>>,
    at: &Module,
    way: &mut Vec<Module>,
    done: &mut BTreeSet<Module>,
) -> Option<Vec<Module>> {
    if let Some(begin) = way.iter().position(|module| module == at) {
        return Some(way[begin..].to_vec());
    }
    if done.contains(at) {
        return None;
    }
    way.push(at.clone());
    let found = edges[at].iter().find_map(|next| circle(edges, next, way, done));
    way.pop();
    done.insert(at.clone());
    found
}

#[test]
fn no_file_uses_one_that_uses_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut circles = Vec::new();
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let edges = Crate::read(&folder.join("src")).edges();
        let mut done = BTreeSet::new();
        for module in edges.keys() {
            if let Some(way) = circle(&edges, module, &mut Vec::new(), &mut done) {
                let names: Vec<String> = way.iter().map(|module| module.join("/")).collect();
                circles.push(format!("{}: {}", folder.display(), names.join(" -> ")));
            }
        }
    }
    assert!(circles.is_empty(), "{circles:#?}");
}

#[test]
fn a_circle_is_found_and_what_is_handed_on_is_none() {
    let of = |files: &[(&str, &str)]| {
        let module = |path: &str| -> Module { path.split('/').map(str::to_owned).collect() };
        let modules = files.iter().map(|(path, code)| (module(path), (*code).to_owned()));
        let mut made = Crate { modules: modules.collect(), handed_on: BTreeMap::new() };
        for (module, code) in made.modules.clone() {
            for (_, path) in uses(&code).into_iter().filter(|(handed_on, _)| *handed_on) {
                let from = made.seen_from_root(&module, &path).unwrap();
                made.handed_on.insert((module.clone(), from.last().unwrap().clone()), from);
            }
        }
        let edges = made.edges();
        let mut done = BTreeSet::new();
        edges.keys().any(|at| circle(&edges, at, &mut Vec::new(), &mut done).is_some())
    };
    let handing_on = ("a", "pub use b::{B, D};\npub use c::C;");
    assert!(!of(&[handing_on, ("a/b", "use super::C;"), ("a/c", "struct C;")]));
    assert!(of(&[handing_on, ("a/b", "use super::C;"), ("a/c", "use crate::a::{x, B};")]));
    assert!(of(&[("a", "fn f() {}\nuse b::B;"), ("a/b", "fn g() { super::f(); }")]));
    assert!(of(&[("a", "fn f() { b::g() }"), ("a/b", "use super::f;")]));
    assert!(!of(&[("a", "fn f() { c::g() }"), ("a/b", "use super::f;")]));
}
