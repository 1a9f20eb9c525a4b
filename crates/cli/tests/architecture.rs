//! Keeps `ARCHITECTURE.md` and the directions of dependency true.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn crate_sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        sources(&entry.unwrap().path().join("src"), &mut found);
    }
    found
}

#[test]
fn the_map_names_every_source_file_and_no_other() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let mapped: BTreeSet<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("| `crates/")?.split('`').next())
        .map(|path| format!("crates/{path}"))
        .collect();
    let actual: BTreeSet<String> = crate_sources()
        .iter()
        .map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned())
        .collect();
    let missing: Vec<_> = actual.difference(&mapped).collect();
    let stale: Vec<_> = mapped.difference(&actual).collect();
    assert!(missing.is_empty(), "files without a line in ARCHITECTURE.md: {missing:#?}");
    assert!(stale.is_empty(), "lines of ARCHITECTURE.md without a file: {stale:#?}");
}

/// `tests/library` lists the tests of two libraries one by one, `tests/main.rs` those of the command line: one
/// that is not named is never run.
#[test]
fn no_test_is_left_out() {
    let listed = fs::read_to_string(root().join("tests/library/Cargo.toml")).unwrap();
    for library in ["baton", "numerics"] {
        let tests = root().join("crates").join(library).join("tests");
        let Ok(entries) = fs::read_dir(tests) else { continue };
        let is_rust = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
        for path in entries.map(|entry| entry.unwrap().path()).filter(is_rust) {
            let name = path.file_name().unwrap().to_str().unwrap();
            let line = format!("path = \"../../crates/{library}/tests/{name}\"");
            assert!(listed.contains(&line), "{line}");
        }
    }
    let folder = root().join("crates/cli/tests");
    let listed = fs::read_to_string(folder.join("main.rs")).unwrap();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(name == "main" || listed.contains(&format!("mod {name};")), "{name}");
    }
}

/// Position in the order of layers: a package may depend on packages of lower position only.
const PACKAGES: [(&str, usize); 10] = [
    ("baton-numerics", 0),
    ("baton", 1),
    ("baton-problems", 2),
    ("baton-store", 2),
    ("baton-runner", 3),
    ("baton-lab", 4),
    ("baton-service", 4),
    ("baton-cli", 5),
    ("baton-python", 6),
    ("baton-soak", 6),
];

#[test]
fn crates_depend_downwards_only() {
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let manifest = fs::read_to_string(entry.unwrap().path().join("Cargo.toml")).unwrap();
        let name = manifest
            .lines()
            .find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
            .unwrap();
        let position = |package: &str| PACKAGES.iter().find(|(known, _)| *known == package);
        let Some((_, own)) = position(name) else { panic!("{name} has no place in PACKAGES") };
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for line in dependencies.lines() {
            let package = line.split(['.', ' ', '=']).next().unwrap_or_default();
            if let Some((_, other)) = position(package) {
                assert!(other < own, "{name} depends on {package}, which is not below it");
            }
        }
    }
}

/// The same inside the crate `baton`.
const MODULES: [(&str, usize); 7] = [
    ("error", 0),
    ("problem", 1),
    ("model", 2),
    ("acquisition", 3),
    ("shared", 4),
    ("policy", 5),
    ("campaign", 6),
];

#[test]
fn modules_of_the_algorithm_use_downwards_only() {
    let source = root().join("crates/baton/src");
    let mut found = Vec::new();
    sources(&source, &mut found);
    for path in found {
        let relative = path.strip_prefix(&source).unwrap();
        let module = relative.iter().next().unwrap().to_str().unwrap().trim_end_matches(".rs");
        let Some((_, own)) = MODULES.iter().find(|(name, _)| *name == module) else { continue };
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let knows_tasks = ["campaign", "lib"].contains(&module);
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            assert!(
                knows_tasks || words.all(|word| word != "Task"),
                "{}: {line}",
                relative.display()
            );
            for (used, other) in MODULES {
                let edge = line.contains(&format!("crate::{used}::")) && used != module;
                assert!(!edge || other < *own, "{}: {line}", relative.display());
            }
        }
    }
}

#[test]
fn every_file_named_by_the_map_from_paper_to_code_exists() {
    let folder = root().join("docs");
    let text = fs::read_to_string(folder.join("paper-to-code.md")).unwrap();
    let targets: Vec<&str> = text.lines().filter_map(|line| line.split("]: ").nth(1)).collect();
    assert!(targets.len() > 20);
    for target in targets {
        assert!(folder.join(target).exists(), "docs/paper-to-code.md leads to {target}");
    }
}

#[test]
fn no_source_file_is_too_long_to_read() {
    for path in crate_sources() {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 600, "{} has {lines} lines", path.display());
    }
}

/// The packages that a build is made of, with their features.
fn features(selection: &[&str]) -> BTreeSet<String> {
    let printed = std::process::Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges", "normal,build", "--prefix", "none"])
        .args(["--format", "{p} {f}", "--package"])
        .args(selection)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let text = String::from_utf8(printed.stdout).unwrap();
    text.lines().map(|line| line.trim_end_matches(" (*)").trim_end().to_owned()).collect()
}

#[test]
fn what_computes_is_compiled_once_whatever_is_built() {
    let core = features(&["baton"]);
    assert!(core.iter().any(|package| package.starts_with("faer ")));
    for whole in [&["baton-cli", "--no-default-features"][..], &["baton-cli"], &["baton-python"]] {
        let missing: Vec<_> = core.difference(&features(whole)).cloned().collect();
        assert!(missing.is_empty(), "other features with {whole:?}, see numerics: {missing:#?}");
    }
}
