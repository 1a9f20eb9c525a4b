//! What carried knowledge did for a task, judged at the task's end by the task's own data.

use super::hypotheses::Comparison;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Less than this, in nats, does not show.
const SHOWS: f64 = 1.0;

/// How well what was handed over did against a cold start, both fitted to all that was told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// by how many nats it predicted the task's values better; below 0: worse
    pub nats: f64,
    /// whether it was still used at the end
    pub trusted: bool,
}

impl Verdict {
    pub(crate) fn of(comparison: &Comparison) -> Option<Self> {
        comparison.trust.map(|(nats, _)| Self { nats, trusted: !comparison.is_cold() })
    }

    /// What it did, as the end of a sentence that begins with "what earlier tasks taught".
    #[must_use]
    pub fn brief(&self) -> String {
        let (nats, size) = (self.nats, self.nats.abs());
        if !self.trusted {
            format!("was unrelated, worse than a cold start by {size:.1} nats, and was given up")
        } else if nats > SHOWS {
            format!("helped, by {nats:.1} nats")
        } else if nats < -SHOWS {
            format!("may have cost a little, by {size:.1} nats")
        } else {
            "made no difference that shows".into()
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (nats, size) = (self.nats, self.nats.abs());
        if !self.trusted {
            write!(
                f,
                "unrelated: it predicted this task worse than a cold start would have, by \
                 {size:.1} nats, and was given up; it cost the trials until then"
            )
        } else if nats > SHOWS {
            write!(
                f,
                "it helped: it predicted this task better than a cold start, by {nats:.1} nats"
            )
        } else if nats < -SHOWS {
            write!(
                f,
                "it may have cost a little: it predicted this task worse than a cold start, by \
                 {size:.1} nats, which is within the doubt it is allowed"
            )
        } else {
            write!(f, "it made no difference that shows: a cold start predicts this task as well")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_the_numbers() {
        let verdict = |nats: f64| {
            let comparison = Comparison { trust: Some((nats, 2.5)), ..Comparison::default() };
            Verdict::of(&comparison).unwrap()
        };
        let words = |nats: f64| verdict(nats).to_string();
        assert!(words(12.0).contains("better than a cold start, by 12.0 nats"));
        assert!(words(0.5).contains("no difference"));
        assert!(words(-2.0).contains("by 2.0 nats, which is within"));
        assert!(words(-6.0).contains("unrelated") && words(-6.0).contains("by 6.0 nats"));
        assert_eq!(verdict(12.0).brief(), "helped, by 12.0 nats");
        assert_eq!(verdict(0.5).brief(), "made no difference that shows");
        assert_eq!(verdict(-2.0).brief(), "may have cost a little, by 2.0 nats");
        assert!(verdict(-6.0).brief().contains("by 6.0 nats, and was given up"));
    }
}
