//! Baton told how tasks differ, told nothing, and told wrong things; and its rival that starts from the
//! nearest task. Behind `benchmarks/descriptors`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example descriptors -- FOLDER [--family flight]
//!     [--arms with,without,shuffled,noise,nearest] [--seed 1] [--runs 60] [--tasks 8]
//!     [--limit-seconds 560] [--set KEY=VALUE]
//! ```
//!
//! The family is a built-in one with descriptors or a command that answers as `baton problem` does, such
//! as `"python3 benchmarks/descriptors/yagi.py problem yagi"`. Runs go on all cores. Each has a file in the
//! folder, a line per task: called again, a run goes on after its last line. Runs of one seed have the
//! same tasks, in every arm.

mod arm;
mod problem;
mod records;

use arm::{Arm, Run};
use baton_numerics::parallel;
use problem::Source;
use std::path::PathBuf;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// What was asked for.
struct Call {
    folder: PathBuf,
    source: Source,
    arms: Vec<Arm>,
    seed: u64,
    runs: u64,
    tasks: u32,
    until: Option<Instant>,
    keys: Vec<(String, String)>,
}

fn main() -> Result<(), Failure> {
    let call = read(std::env::args().skip(1))?;
    std::fs::create_dir_all(&call.folder)?;
    let seeds = call.seed..call.seed + call.runs;
    let pairs: Vec<(u64, Arm)> =
        seeds.flat_map(|seed| call.arms.iter().map(move |arm| (seed, *arm))).collect();
    let done = parallel::map(pairs.len(), |i| {
        let (seed, arm) = pairs[i];
        let run = Run { source: &call.source, arm, seed, tasks: call.tasks, keys: &call.keys };
        run.carry_on(&call.folder, call.until)
            .map_err(|error| format!("seed {seed}, {}: {error}", arm.name()))
    });
    let done: Vec<u32> = done.into_iter().collect::<Result<_, String>>()?;
    let whole = done.iter().filter(|tasks| **tasks >= call.tasks).count();
    println!("{whole} of {} runs are done, {} tasks", pairs.len(), done.iter().sum::<u32>());
    Ok(())
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Call, Failure> {
    let folder = words.next().ok_or("FOLDER [--family F] [--arms A,B] [--seed S] [--runs N] ..")?;
    let mut call = Call {
        folder: folder.into(),
        source: Source::new("flight")?,
        arms: Arm::ALL.to_vec(),
        seed: 1,
        runs: 60,
        tasks: 8,
        until: None,
        keys: Vec::new(),
    };
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--family" => call.source = Source::new(&value)?,
            "--arms" => call.arms = value.split(',').map(Arm::named).collect::<Result<_, _>>()?,
            "--seed" => call.seed = value.parse()?,
            "--runs" => call.runs = value.parse()?,
            "--tasks" => call.tasks = value.parse()?,
            "--limit-seconds" => {
                call.until = Some(Instant::now() + Duration::from_secs(value.parse()?));
            }
            "--set" => {
                let (key, value) = value.split_once('=').ok_or("--set needs KEY=VALUE")?;
                call.keys.push((key.to_owned(), value.to_owned()));
            }
            _ => return Err(format!("there is no option {word}").into()),
        }
    }
    Ok(call)
}
