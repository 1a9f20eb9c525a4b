//! Names the algorithm that is built in: a hash of the sources that results depend on, so that
//! results of different versions are never mixed.

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
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for file in files {
        for byte in fs::read(file).unwrap_or_default() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
    println!("cargo::rustc-env=BATON_ALGORITHM={hash:016x}");
}
