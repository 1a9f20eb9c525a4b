//! What was tried, how often, what was noted on the way, and what failed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Failures that are shown; more would not help.
const MOST_SHOWN: usize = 10;

/// The time and the randomness a part of the soak may use.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    /// what its random choices depend on
    pub seed: u64,
    /// points that a hostile history may have
    pub largest: usize,
    ends: Instant,
}

impl Share {
    /// A share that begins now.
    pub fn new(seed: u64, largest: usize, time: Duration) -> Self {
        Self { seed, largest, ends: Instant::now() + time }
    }

    /// Whether it is used up.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.ends
    }

    /// A fraction of what is left of it.
    pub fn part(&self, fraction: f64) -> Self {
        let left = self.ends.saturating_duration_since(Instant::now());
        Self::new(self.seed, self.largest, left.mul_f64(fraction))
    }
}

/// The counts of a part.
#[derive(Debug, Default)]
pub struct Tally {
    tried: BTreeMap<String, u64>,
    noted: BTreeMap<String, u64>,
    figures: BTreeMap<String, f64>,
    failed: u64,
    failures: Vec<String>,
}

impl Tally {
    /// Something was tried.
    pub fn tried(&mut self, what: impl Into<String>) {
        *self.tried.entry(what.into()).or_default() += 1;
    }

    /// Something went less well than it might, and was told so.
    pub fn noted(&mut self, what: impl Into<String>) {
        *self.noted.entry(what.into()).or_default() += 1;
    }

    /// The largest of some measured numbers.
    pub fn largest(&mut self, what: impl Into<String>, value: f64) {
        let slot = self.figures.entry(what.into()).or_insert(value);
        *slot = slot.max(value);
    }

    /// A promise was broken.
    pub fn failed(&mut self, what: impl Into<String>) {
        self.failed += 1;
        if self.failures.len() < MOST_SHOWN {
            self.failures.push(what.into());
        }
    }

    /// A promise was kept, or broken as told.
    pub fn expect(&mut self, kept: bool, otherwise: impl FnOnce() -> String) {
        if !kept {
            self.failed(otherwise());
        }
    }

    /// The same with the reason at hand.
    pub fn check(&mut self, result: Result<(), String>) {
        if let Err(reason) = result {
            self.failed(reason);
        }
    }

    /// How often something failed.
    pub fn failures(&self) -> u64 {
        self.failed
    }

    /// How often anything was tried.
    pub fn total(&self) -> u64 {
        self.tried.values().sum()
    }

    /// Takes in another tally.
    pub fn add(&mut self, other: Self) {
        for (what, count) in other.tried {
            *self.tried.entry(what).or_default() += count;
        }
        for (what, count) in other.noted {
            *self.noted.entry(what).or_default() += count;
        }
        for (what, value) in other.figures {
            self.largest(what, value);
        }
        self.failed += other.failed;
        let room = MOST_SHOWN - self.failures.len();
        self.failures.extend(other.failures.into_iter().take(room));
    }

    /// The lines of the table, each beginning with the name of the part.
    pub fn lines(&self, part: &str) -> Vec<String> {
        let mut lines = Vec::new();
        for (what, count) in &self.tried {
            lines.push(format!("| {part} | {what} | {count} | |"));
        }
        for (what, count) in &self.noted {
            lines.push(format!("| {part} | noted: {what} | {count} | |"));
        }
        for (what, value) in &self.figures {
            let rounded = (1e3 * value).round() / 1e3;
            lines.push(format!("| {part} | largest: {what} | {rounded} | |"));
        }
        lines.push(format!("| {part} | **all** | **{}** | **{}** |", self.total(), self.failed));
        lines
    }

    /// What failed, in words.
    pub fn shown_failures(&self) -> &[String] {
        &self.failures
    }
}
