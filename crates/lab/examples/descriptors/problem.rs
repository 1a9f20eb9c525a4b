//! Problems whose tasks tell how they differ: built-in ones, and commands that answer as `baton problem`.

use crate::Failure;
use baton::{Fidelity, Parameter, Space};
use baton_problems::{Benchmark, family, fresh_master};
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

/// Where tasks come from.
pub enum Source {
    /// a family of this program, by its name
    BuiltIn(String),
    /// the words of a command
    Spoken(Vec<String>),
}

/// What is known of a task.
pub struct Posed {
    pub space: Space,
    pub fidelities: Vec<Fidelity>,
    pub budget: f64,
    pub descriptors: Vec<Parameter>,
    /// a value for each descriptor
    pub told: Vec<f64>,
    /// the largest value at the highest fidelity
    pub optimum: f64,
}

/// What values come from.
pub enum Evaluator {
    BuiltIn(Box<dyn Benchmark>),
    Spoken(Child, BufReader<std::process::ChildStdout>),
}

impl Source {
    pub fn new(words: &str) -> Result<Self, Failure> {
        if words.contains(char::is_whitespace) {
            return Ok(Self::Spoken(words.split_whitespace().map(str::to_owned).collect()));
        }
        match family(words) {
            Some(family) if !family.descriptors().is_empty() => Ok(Self::BuiltIn(words.to_owned())),
            Some(_) => Err(format!("the tasks of {words} have no descriptors").into()),
            None => Err(format!("there is no problem {words:?}").into()),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Self::BuiltIn(name) => name,
            Self::Spoken(words) => words.last().map_or("", String::as_str),
        }
    }

    /// The task `number`, from 1, of the sequence that belongs to a seed.
    pub fn posed(&self, seed: u64, number: u32) -> Result<Posed, Failure> {
        match self {
            Self::BuiltIn(name) => {
                let family = family(name).ok_or("no such family")?;
                let task = family.task(fresh_master(seed), u64::from(number));
                let of = family.description();
                Ok(Posed {
                    space: of.space,
                    fidelities: of.fidelities,
                    budget: of.budget,
                    descriptors: family.descriptors(),
                    told: task.descriptors(),
                    optimum: task.optimum().value,
                })
            }
            Self::Spoken(words) => {
                let output = command(words, seed, number)?.arg("--describe").output()?;
                if !output.status.success() {
                    return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
                }
                let said: Said = serde_json::from_slice(&output.stdout)?;
                let value = |one: &Parameter| said.describe.get(&one.name).copied();
                let told: Option<Vec<f64>> = said.descriptors.iter().map(value).collect();
                Ok(Posed {
                    space: said.space,
                    fidelities: said.fidelities,
                    budget: said.budget,
                    told: told.ok_or("a descriptor has no value")?,
                    descriptors: said.descriptors,
                    optimum: said.optimum.value,
                })
            }
        }
    }

    pub fn evaluator(&self, seed: u64, number: u32) -> Result<Evaluator, Failure> {
        match self {
            Self::BuiltIn(name) => {
                let family = family(name).ok_or("no such family")?;
                Ok(Evaluator::BuiltIn(family.task(fresh_master(seed), u64::from(number))))
            }
            Self::Spoken(words) => {
                let mut call = command(words, seed, number)?;
                let mut child = call.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
                let answers = BufReader::new(child.stdout.take().ok_or("no output")?);
                Ok(Evaluator::Spoken(child, answers))
            }
        }
    }
}

impl Evaluator {
    /// The value of a point without noise; the inner error is the simulator's.
    pub fn value(&mut self, point: &[f64], level: usize) -> Result<Result<f64, String>, Failure> {
        match self {
            Self::BuiltIn(task) => Ok(Ok(task.value(point, level))),
            Self::Spoken(child, answers) => {
                let request = json!({ "point": point, "fidelity": level + 1 });
                writeln!(child.stdin.as_mut().ok_or("no input")?, "{request}")?;
                let mut line = String::new();
                answers.read_line(&mut line)?;
                let answer: Json = serde_json::from_str(&line)?;
                Ok(answer["value"].as_f64().ok_or_else(|| answer["error"].to_string()))
            }
        }
    }
}

impl Drop for Evaluator {
    fn drop(&mut self) {
        if let Self::Spoken(child, _) = self {
            drop(child.stdin.take());
            let _ = child.wait();
        }
    }
}

/// What a command says of a task.
#[derive(Deserialize)]
struct Said {
    space: Space,
    fidelities: Vec<Fidelity>,
    budget: f64,
    descriptors: Vec<Parameter>,
    describe: HashMap<String, f64>,
    optimum: Best,
}

#[derive(Deserialize)]
struct Best {
    value: f64,
}

fn command(words: &[String], seed: u64, number: u32) -> Result<Command, Failure> {
    let (program, rest) = words.split_first().ok_or("no command")?;
    let mut call = Command::new(program);
    call.args(rest).args(["--task", &number.to_string(), "--fresh", &seed.to_string()]);
    Ok(call)
}
