//! What the project is made of: licences, sources and bans of `deny.toml`, and no unsafe code but in
//! named places.
//!
//! `make deny` asks cargo-deny the same and about known vulnerabilities; it has to be compiled and
//! needs the network, which these tests do not.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

use serde_json::Value as Json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn packages() -> Vec<Json> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Json = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The quoted words of one list in `deny.toml`.
fn listed(key: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("deny.toml")).unwrap();
    let start = text.find(&format!("\n{key} = [")).unwrap_or_else(|| panic!("{key} is missing"));
    let list = &text[start
        ..start + text[start..].find("\n]").unwrap_or_else(|| text[start..].find(']').unwrap())];
    let lines = list.lines().filter(|line| !line.trim_start().starts_with('#'));
    lines.flat_map(|line| line.split('"').skip(1).step_by(2)).map(str::to_owned).collect()
}

/// Whether an expression such as `(MIT OR Apache-2.0) AND Zlib` can be met by what is allowed.
fn is_met(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (met, rest) = either(&words, allowed);
    met && rest.is_empty()
}

fn either<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let (mut met, mut rest) = both(words, allowed);
    while rest.first() == Some(&"OR") {
        let (also, after) = both(&rest[1..], allowed);
        (met, rest) = (met | also, after);
    }
    (met, rest)
}

fn both<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let (mut met, mut rest) = single(words, allowed);
    while rest.first() == Some(&"AND") {
        let (also, after) = single(&rest[1..], allowed);
        (met, rest) = (met & also, after);
    }
    (met, rest)
}

fn single<'a>(words: &'a [&'a str], allowed: &[String]) -> (bool, &'a [&'a str]) {
    let allows = |name: &str| allowed.iter().any(|known| known == name);
    match words {
        ["(", rest @ ..] => {
            let (met, after) = either(rest, allowed);
            match after {
                [")", after @ ..] => (met, after),
                _ => (false, after),
            }
        }
        [name, "WITH", exception, rest @ ..] => (allows(&format!("{name} WITH {exception}")), rest),
        [name, rest @ ..] => (allows(name), rest),
        [] => (false, words),
    }
}

#[test]
fn expressions_are_read_as_they_are_meant() {
    let allowed = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for met in [
        "MIT",
        "GPL-3.0 OR MIT",
        "MIT AND Zlib",
        "(GPL-3.0 OR MIT) AND Zlib",
        "X/MIT",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_met(met, &allowed), "{met}");
    }
    for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(MIT OR X) AND X", "(MIT"] {
        assert!(!is_met(refused, &allowed), "{refused}");
    }
}

#[test]
fn every_dependency_has_a_licence_a_source_and_a_name_that_are_allowed() {
    let (allowed, banned) = (listed("allow"), listed("deny"));
    let registries = listed("allow-registry");
    assert!(allowed.len() > 3 && !banned.is_empty() && registries.len() == 1);
    let packages = packages();
    assert!(packages.len() > 100);
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        assert!(is_met(licence, &allowed), "{name} has the licence {licence:?}");
        assert!(!banned.iter().any(|banned| banned == name), "{name} is banned by deny.toml");
        match package["source"].as_str() {
            None => assert!(
                package["manifest_path"].as_str().unwrap().starts_with(root().to_str().unwrap())
            ),
            Some(source) => {
                let known = registries.iter().any(|r| source == format!("registry+{r}"));
                assert!(known, "{name} comes from {source}");
            }
        }
    }
}

#[test]
fn lock_files_name_no_registry_but_the_public_ones() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    for line in lock.lines().filter(|line| line.starts_with("source = ")) {
        assert_eq!(line, "source = \"registry+https://github.com/rust-lang/crates.io-index\"");
    }
}

/// Files that may hold unsafe code, each with its reason. None does.
const UNSAFE: [(&str, &str); 0] = [];

#[test]
fn unsafe_code_is_forbidden_but_in_named_places() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert!(manifest.contains("\nunsafe_code = \"forbid\""));
    let mut sources = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{} has lints of its own",
            folder.display()
        );
        collect(&folder, &mut sources);
    }
    assert!(sources.len() > 100);
    for path in sources {
        let named = UNSAFE.iter().any(|(file, _)| path.ends_with(file));
        let text = fs::read_to_string(&path).unwrap();
        for line in text.lines().map(|line| line.split("//").next().unwrap()) {
            let found = line.contains("unsafe {")
                || line.contains("unsafe fn")
                || line.contains("unsafe impl");
            let found = found && !line.contains('"');
            assert!(named || !found, "{}: {line}", path.display());
        }
    }
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
