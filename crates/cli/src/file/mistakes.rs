//! The mistakes in a file, collected so that all of them are told at once.

use std::cell::RefCell;
use std::fmt::Write as _;

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// from 1
    pub line: usize,
    /// what is wrong
    pub reason: String,
    /// what may be tried
    pub hint: Option<String>,
}

/// All mistakes found so far in a text.
#[derive(Debug)]
pub struct Mistakes<'a> {
    text: &'a str,
    found: RefCell<Vec<Mistake>>,
    /// mistakes unless the campaign has begun that way, which only its store knows
    doubts: RefCell<Vec<Mistake>>,
}

impl<'a> Mistakes<'a> {
    /// None yet.
    pub fn new(text: &'a str) -> Self {
        Self { text, found: RefCell::default(), doubts: RefCell::default() }
    }

    /// One more, at a position of the text.
    pub fn add(&self, at: usize, reason: impl Into<String>) {
        self.add_with_hint(at, reason, None);
    }

    /// One more, with what may be tried.
    pub fn add_with_hint(&self, at: usize, reason: impl Into<String>, hint: Option<String>) {
        self.found.borrow_mut().push(self.mistake(at, reason.into(), hint));
    }

    /// What is told along with mistakes and is none by itself.
    pub fn doubt(&self, at: usize, reason: impl Into<String>, hint: &str) {
        self.doubts.borrow_mut().push(self.mistake(at, reason.into(), Some(hint.to_owned())));
    }

    fn mistake(&self, at: usize, reason: String, hint: Option<String>) -> Mistake {
        let before = self.text.get(..at.min(self.text.len())).unwrap_or(self.text);
        Mistake { line: before.matches('\n').count() + 1, reason, hint }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// All of them, as a text that continues "could not use FILE:".
    pub fn told(&self) -> String {
        let mut found = self.found.borrow().clone();
        if !found.is_empty() {
            let lines: Vec<usize> = found.iter().map(|mistake| mistake.line).collect();
            let doubts = self.doubts.borrow().clone();
            found.extend(doubts.into_iter().filter(|doubt| !lines.contains(&doubt.line)));
        }
        found.sort();
        found.dedup();
        let count = found.len();
        let mut text = format!("{count} {}", if count == 1 { "mistake" } else { "mistakes" });
        for Mistake { line, reason, hint } in found {
            let _ = write!(text, "\n  line {line}: {reason}");
            if let Some(hint) = hint {
                let _ = write!(text, "\n    hint: {hint}");
            }
        }
        text
    }
}
