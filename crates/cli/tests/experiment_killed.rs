//! An experiment that is killed again and again ends with the numbers of an undisturbed one.

use crate::support::Scratch;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_mins(2);

/// Three tasks of four experiments: twelve results.
const EXPERIMENT: [&str; 17] = [
    "experiment",
    "--problem",
    "hartmann6",
    "--method",
    "mft-mes",
    "--tasks",
    "3",
    "--experiments",
    "4",
    "--seed",
    "3",
    "--set",
    "svgd_steps=60",
    "--set",
    "particles=4",
    "--json",
    "--out",
];

/// Results on disk, whole or cut off.
fn results(folder: &Path) -> usize {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let files = entries(folder).into_iter().flat_map(|study| entries(&study));
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    files.map(|path| std::fs::read_to_string(path).unwrap_or_default().lines().count()).sum()
}

/// Scores of all tasks, as they are printed.
fn scores(scratch: &Scratch, out: &str) -> Vec<[Value; 2]> {
    let printed = scratch.json(&[&EXPERIMENT[..], &[out]].concat());
    let tasks = printed["tasks"].as_array().unwrap();
    assert_eq!(tasks.len(), 3);
    tasks.iter().map(|task| ["scores", "honest_scores"].map(|key| task[key].clone())).collect()
}

#[test]
fn killed_experiments_go_on_with_the_same_numbers() {
    let scratch = Scratch::new("experiment_killed");
    for so_many in [1, 4, 7, 9] {
        let mut running = scratch.spawn(&[&EXPERIMENT[..], &["killed"]].concat());
        let began = Instant::now();
        while results(&scratch.0.join("killed")) < so_many && !running.is_over() {
            assert!(began.elapsed() < PATIENCE, "fewer than {so_many} results");
            std::thread::sleep(Duration::from_millis(2));
        }
        running.kill();
    }
    assert_eq!(scores(&scratch, "killed"), scores(&scratch, "calm"));
}
