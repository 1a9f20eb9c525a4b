//! Every file and every symbol that the documents name is in the sources.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Files with an ending below a folder, down to a depth.
fn files(folder: &Path, ending: &str, depth: usize, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && depth > 0 {
            files(&path, ending, depth - 1, found);
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
}

fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The lines of a page, those of code blocks left out.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    text.split("```").step_by(2).flat_map(str::lines)
}

fn in_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(in_word)
}

struct Source {
    path: String,
    text: String,
}

impl Source {
    fn all() -> Vec<Self> {
        let mut found = Vec::new();
        files(&root().join("crates"), "rs", 9, &mut found);
        let read = |path: &PathBuf| fs::read_to_string(path).unwrap();
        found.iter().map(|p| Self { path: p.display().to_string(), text: read(p) }).collect()
    }

    /// `policy/gap.rs` is in `baton`, `numerics/exp.rs` in `numerics`.
    fn is_named(&self, name: &str) -> bool {
        let end = format!("/{name}");
        self.path.ends_with(&end) || self.path.replace("/src/", "/").ends_with(&end)
    }

    /// Whether it has `struct Name` and the like.
    fn defines(&self, name: &str) -> bool {
        ["struct", "enum", "trait", "type", "mod", "fn", "const"].iter().any(|kind| {
            let named = format!("{kind} {name}");
            self.text.split(&named).skip(1).any(|rest| !rest.starts_with(in_word))
        })
    }

    /// `Type::name` or `module::name`: it is about the first and defines the second, or has such a variant.
    fn has(&self, symbol: &str) -> bool {
        let (owner, name) = symbol.rsplit_once("::").unwrap();
        let owner = owner.rsplit("::").next().unwrap();
        let implements = |line: &str| line.starts_with("impl") && line.contains(owner);
        let ends = |rest: &str| rest.is_empty() || rest.starts_with([',', '(', ':', ' ']);
        let variant = |line: &str| line.trim_start().strip_prefix(name).is_some_and(ends);
        let is_about = owner.starts_with("baton")
            || self.path.contains(&format!("/{owner}"))
            || self.defines(owner)
            || self.text.lines().any(implements);
        is_about && (self.defines(name) || self.text.lines().any(variant))
    }
}

#[test]
fn files_and_symbols_that_the_documents_name_exist() {
    let sources = Source::all();
    let is_there = |symbol: &str| sources.iter().any(|source| source.has(symbol));
    assert!(is_there("Campaign::finish") && !is_there("Campaign::nothing"));
    let mut pages = vec![root().join("README.md"), root().join("ARCHITECTURE.md")];
    files(&root().join("docs"), "md", 1, &mut pages);
    let mut wrong = Vec::new();
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        for name in prose(&text).flat_map(quoted).filter(|name| !name.contains(' ')) {
            let is_path = Path::new(name).extension().is_some_and(|end| end == "rs")
                || name.starts_with("crates/");
            let is_file = || sources.iter().any(|source| source.is_named(name));
            let is_symbol = name.contains("::") && name.split("::").all(is_word);
            let misses = is_path && !is_file() && !root().join(name).exists();
            if misses || (is_symbol && !is_there(name)) {
                wrong.push(format!("{}: {name}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "not in the sources: {wrong:#?}");
}

#[test]
fn what_the_map_from_paper_to_code_finds_in_a_file_is_there() {
    let sources = Source::all();
    let text = fs::read_to_string(root().join("docs/paper-to-code.md")).unwrap();
    for part in prose(&text).flat_map(|line| line.split([';', '|'])) {
        let Some((before, after)) = part.split_once('[') else { continue };
        let file = after.split(']').next().unwrap();
        let Some(source) = sources.iter().find(|source| source.is_named(file)) else { continue };
        for word in quoted(before).flat_map(|name| name.split("::")) {
            let is_there = !is_word(word) || source.text.contains(word);
            assert!(is_there, "{word} is not in {file}: {part}");
        }
    }
}
