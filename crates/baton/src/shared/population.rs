//! How a parameter varies from task to task.
//!
//! Each task, fitted by itself, is one value of the parameter, with a weight for how much it says of it
//! (a flat function says nothing of its length scales). Values are normal over tasks with unknown mean
//! and variance; before the first task, both are as if [`MEAN_SEEN`] and [`VARIANCE_SEEN`] tasks had
//! shown the first prior. So what all tasks have in common becomes sure, and what each has for itself
//! stays as uncertain as it is.

use serde::{Deserialize, Serialize};

/// Tasks that the first prior's mean and variance count for.
const MEAN_SEEN: f64 = 2.0;
const VARIANCE_SEEN: f64 = 4.0;

/// Log scales and logits beyond that are none.
const MOST: f64 = 50.0;

/// What tasks have shown of one parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Tendency {
    /// sum of their weights
    weight: f64,
    mean: f64,
    /// weighted sum of squared deviations from the mean
    squares: f64,
}

impl Tendency {
    /// Adds a task's value; a weight of 1 counts as a whole task.
    pub fn add(&mut self, value: f64, weight: f64) {
        let sound = weight > 0.0 && weight.is_finite() && value.abs() < MOST;
        if !sound {
            return;
        }
        let (before, off) = (self.weight, value - self.mean);
        self.weight += weight;
        let share = weight / self.weight;
        self.mean += share * off;
        self.squares += before * share * off * off; // never below 0, whatever is rounded
    }

    /// The same of a parameter that is so much more.
    pub(super) fn shifted(self, by: f64) -> Self {
        Self { mean: self.mean + by, ..self }
    }

    /// Mean and standard deviation of the next task's value, given those before the first task.
    pub fn expected(&self, (mean, deviation): (f64, f64)) -> (f64, f64) {
        let all = MEAN_SEEN + self.weight;
        let off = self.mean - mean;
        let squares = VARIANCE_SEEN * deviation * deviation
            + self.squares
            + MEAN_SEEN * self.weight / all * off * off;
        // Of the next value, given a mean that is not known exactly; with nothing seen, the prior.
        let spread = (1.0 + 1.0 / all) / (1.0 + 1.0 / MEAN_SEEN);
        let variance = squares / (VARIANCE_SEEN + self.weight) * spread;
        (mean + off * self.weight / all, variance.sqrt())
    }

    /// Whether its numbers can be those of tasks.
    pub(super) fn is_sound(&self) -> bool {
        let Self { weight, mean, squares } = *self;
        (0.0..1e6).contains(&weight)
            && mean.abs() < MOST
            && (0.0..=weight * MOST * MOST).contains(&squares)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: (f64, f64) = (-1.0, 0.6);

    fn after(values: &[f64]) -> (f64, f64) {
        let mut tendency = Tendency::default();
        for value in values {
            tendency.add(*value, 1.0);
        }
        tendency.expected(FIRST)
    }

    #[test]
    fn nothing_seen_is_the_first_prior_and_agreement_becomes_sure() {
        let (mean, deviation) = after(&[]);
        assert!((mean - FIRST.0).abs() + (deviation - FIRST.1).abs() < 1e-12);
        let (mean, deviation) = after(&[-1.0; 60]);
        assert!((mean + 1.0).abs() < 1e-12 && deviation < 0.15, "{deviation}");
        let (mean, deviation) = after(&[-3.0; 60]);
        assert!((mean + 3.0).abs() < 0.1 && deviation < 0.6, "{mean} {deviation}");
        let (mean, deviation) = after(&[-3.0; 2]);
        assert!((mean + 2.0).abs() < 1e-12 && deviation > 0.8, "{mean} {deviation}");
    }

    #[test]
    fn what_differs_from_task_to_task_stays_uncertain() {
        let (mean, deviation) = after(&[-1.5, -0.3, -1.7, -0.5, -1.5, -0.3, -1.7, -0.5]);
        assert!((mean + 1.0).abs() < 1e-12 && (0.5..0.7).contains(&deviation), "{deviation}");
    }

    #[test]
    fn a_task_that_says_nothing_counts_for_nothing() {
        let mut tendency = Tendency::default();
        tendency.add(7.0, 0.0);
        tendency.add(f64::NAN, 1.0);
        tendency.add(60.0, 1.0);
        assert_eq!(tendency, Tendency::default());
        tendency.add(7.0, 0.5);
        tendency.add(7.0, 0.5);
        let mut whole = Tendency::default();
        whole.add(7.0, 1.0);
        assert_eq!(tendency.expected(FIRST), whole.expected(FIRST));
        assert!(tendency.is_sound() && Tendency::default().is_sound());
        for weight in [0.629_290_825, 0.078_086_462, 1e-9] {
            let mut first = Tendency::default();
            first.add(-0.114_636_996_902_939_12, weight);
            assert!(first.is_sound(), "{first:?}");
        }
        let claimed = Tendency { squares: 1e9, ..tendency };
        assert!(!claimed.is_sound() && !Tendency { mean: f64::NAN, ..tendency }.is_sound());
    }
}
