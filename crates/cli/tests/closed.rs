//! A reader that went away, as `head` does, is no reason to fail.

use crate::support::Scratch;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// The end of a pipe that nobody reads.
fn nobody() -> std::io::PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn results_that_nobody_reads_are_no_failure() {
    let scratch = Scratch::new("closed");
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../reference/numerics.json");
    let reference = reference.to_str().unwrap();
    let experiment = [
        "experiment",
        "--problem",
        "branin",
        "--method",
        "random",
        "--tasks",
        "1",
        "--experiments",
        "1",
    ];
    let bench = ["bench", "svgd", "--particles", "2", "--points", "5", "--dimension", "2"];
    for arguments in [
        &["problem", "--list"][..],
        &["problem", "branin", "--describe"],
        &["verify", "numerics", reference],
        &experiment,
        &bench,
        &["init", "first"],
    ] {
        let child = scratch.command(arguments).stdout(nobody()).stderr(Stdio::piped()).spawn();
        let output = child.unwrap().wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {errors}");
    }
    // Nor is an error that nobody reads a worse one.
    let refused = ["verify", "numerics", "/no/such/file"];
    let status = scratch.command(&refused).stdout(nobody()).stderr(nobody()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, found) } else { found.push(path) }
    }
}

#[test]
fn everything_is_printed_by_the_two_macros_that_cannot_fail() {
    let mut found = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    for path in found.iter().filter(|path| path.extension().is_some_and(|e| e == "rs")) {
        for line in fs::read_to_string(path).unwrap().lines() {
            let line = line.split("//").next().unwrap();
            assert!(!line.contains("print!(") && !line.contains("println!("), "{path:?}: {line}");
        }
    }
}
