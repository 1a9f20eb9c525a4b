//! Names the algorithm that is built in: a hash of the sources that results depend on, so that
//! results of different versions are never mixed.

#[path = "../numerics/src/checksum.rs"]
mod checksum;

use std::fs;
use std::path::{Path, PathBuf};

/// Folders next to this crate whose sources decide what an experiment gives.
const SOURCES: [&str; 4] =
    ["../numerics/src", "../baton/src", "../problems/src", "src/experiment.rs"];

fn collect(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_file() {
        found.push(path.to_owned());
    }
    let Ok(entries) = fs::read_dir(path) else { return };
    for entry in entries.flatten() {
        collect(&entry.path(), found);
    }
}

fn main() {
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files);
    }
    files.sort();
    let contents = files.iter().map(|file| fs::read(file).unwrap_or_default());
    let hash = contents.fold(checksum::START, |hash, bytes| checksum::fnv1a(hash, &bytes));
    println!("cargo::rustc-env=BATON_ALGORITHM={hash:016x}");
}
