//! What a family of benchmark tasks is, and what the families here are described with.

use baton::{Fidelity, Parameter, Space};

/// One task of a family: noise-free values, larger is better.
pub trait Benchmark: Send + Sync {
    /// The noise-free value at `level` (from 0, the last is the truth) of a point given as raw
    /// parameter values in the order of the space. Not a number if there is no such level or the
    /// point has the wrong length.
    fn value(&self, point: &[f64], level: usize) -> f64;

    /// The largest value of the last level and where it is reached; computed on first use and kept.
    fn optimum(&self) -> Optimum;

    /// What is known of this task before any trial: a value for each of the family's descriptors, in
    /// their order. Empty if the family has none.
    fn descriptors(&self) -> Vec<f64> {
        Vec::new()
    }
}

/// The best of a task at its last level.
#[derive(Debug, Clone, PartialEq)]
pub struct Optimum {
    /// where it is reached, in raw parameter values
    pub point: Vec<f64>,
    /// the value there
    pub value: f64,
}

/// A sequence of related tasks.
pub trait Family: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// What all its tasks have in common.
    fn description(&self) -> Description;

    /// The task `number` of the sequence that `master` names. Experiments count from 1; where a
    /// family has an unvaried original, that is task 0.
    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark>;

    /// What is known of its tasks before any trial: names, ranges and kinds, declared as parameters
    /// are. Empty if its tasks differ in ways that nobody is told.
    fn descriptors(&self) -> Vec<Parameter> {
        Vec::new()
    }
}

/// What all tasks of a family have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// the parameters
    pub space: Space,
    /// names, costs and known noise variances in raw units, the truth last
    pub fidelities: Vec<Fidelity>,
    /// what may be spent on a task
    pub budget: f64,
    /// random evaluations a task starts with, not charged to the budget
    pub initial: usize,
    /// tasks in a sequence
    pub tasks: usize,
    /// raw value that becomes 0 in the surrogate's units
    pub offset: f64,
    /// raw difference that becomes 1 in the surrogate's units
    pub scale: f64,
    /// how a task is scored
    pub score: Score,
}

/// How a task is scored, by the noise-free top-level value of the best point queried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Score {
    /// what is missing to the optimum
    Regret,
    /// the share of the optimum that was reached
    Ratio,
}

/// A space whose parameters are constants of this crate.
pub(crate) fn constant_space(parameters: Vec<Parameter>) -> Space {
    match Space::new(parameters) {
        Ok(space) => space,
        // No input leads here: every description is built by a test.
        Err(error) => unreachable!("{error}"),
    }
}

/// `count` real parameters x1, x2, .. with the same bounds.
pub(crate) fn coordinates(count: usize, low: f64, high: f64) -> Space {
    constant_space((1..=count).map(|i| Parameter::real(&format!("x{i}"), low, high)).collect())
}

/// Levels with their costs, all with the same known noise.
pub(crate) fn levels(names: &[&str], costs: &[f64], noise_variance: f64) -> Vec<Fidelity> {
    let level = |(name, cost): (&&str, &f64)| Fidelity::new(name, *cost).with_noise(noise_variance);
    names.iter().zip(costs).map(level).collect()
}
