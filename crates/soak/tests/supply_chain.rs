//! What the project is made of: dependencies from the public registry only, and no unsafe code but
//! in named places. Licences and bans are checked by cargo-deny (`make deny`, part of the tests).

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
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
