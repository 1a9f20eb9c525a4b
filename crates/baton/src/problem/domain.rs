//! The values one parameter may take, and where they lie in the unit cube.
//!
//! A parameter takes one coordinate, an unordered choice of three or more takes one per choice.
//! Discrete values are numbered from 0; number, position and value are turned into each other here
//! and nowhere else. The nearest legal value is taken, the lower one of two equally near.

use super::value::Value;
use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Whole numbers up to this are exact in floating point.
const LARGEST_INTEGER: i64 = 1 << 53;

/// What a parameter may be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Domain {
    /// any number between two bounds
    Real {
        /// lower bound
        low: f64,
        /// upper bound
        high: f64,
        /// whether ratios matter rather than differences
        log: bool,
    },
    /// whole numbers between two bounds, both included
    Integer {
        /// lower bound
        low: i64,
        /// upper bound
        high: i64,
        /// whether ratios matter rather than differences
        log: bool,
    },
    /// `low, low + step, ..` up to `high`
    Stepped {
        /// the first value
        low: f64,
        /// not passed by any value
        high: f64,
        /// distance between neighbours
        step: f64,
    },
    /// given values in a meaningful order; numbers keep their distances
    Ordered {
        /// the values, numbers in increasing order
        choices: Vec<Value>,
    },
    /// given values without an order
    Choice {
        /// the values
        choices: Vec<Value>,
    },
}

impl Domain {
    /// Says what is wrong with the domain of the parameter `name`, if anything.
    pub(super) fn check(&self, name: &str) -> Result<()> {
        let refuse = |reason: String| Err(Error::Parameter { name: name.to_owned(), reason });
        match self {
            Self::Real { low, high, log } => {
                if !(low.is_finite() && high.is_finite() && low < high) {
                    return refuse(format!("the bounds {low} and {high} hold no interval"));
                }
                if !(high - low).is_finite() {
                    return refuse(format!("the bounds {low} and {high} are too far apart"));
                }
                if *log && *low <= 0.0 {
                    return refuse(format!("a log scale needs a positive lower bound, not {low}"));
                }
            }
            Self::Integer { low, high, log } => {
                if low > high {
                    return refuse(format!("no whole number lies between {low} and {high}"));
                }
                if *low < -LARGEST_INTEGER || *high > LARGEST_INTEGER {
                    return refuse(format!("{low} to {high} leaves the whole numbers up to 2^53"));
                }
                if *log && *low <= 0 {
                    return refuse(format!("a log scale needs a positive lower bound, not {low}"));
                }
            }
            Self::Stepped { low, high, step } => {
                if !(low.is_finite() && high.is_finite() && low <= high) {
                    return refuse(format!("the bounds {low} and {high} hold no value"));
                }
                if !(step.is_finite() && *step > 0.0) {
                    return refuse(format!("the step {step} is not positive"));
                }
                if (high - low) / step > LARGEST_INTEGER as f64 || !(high - low).is_finite() {
                    return refuse(format!("a step of {step} gives too many values"));
                }
            }
            Self::Ordered { choices } | Self::Choice { choices } => {
                return self.check_choices(name, choices);
            }
        }
        Ok(())
    }

    fn check_choices(&self, name: &str, choices: &[Value]) -> Result<()> {
        let refuse = |reason: String| Err(Error::Parameter { name: name.to_owned(), reason });
        if choices.is_empty() {
            return refuse("there is nothing to choose from".into());
        }
        if let Some(bad) = choices.iter().find(|c| c.number().is_some_and(|x| !x.is_finite())) {
            return refuse(format!("the choice {bad} is not a finite number"));
        }
        if choices.contains(&Value::Absent) {
            return refuse("an empty object is no choice".into());
        }
        for (i, choice) in choices.iter().enumerate() {
            if choices[..i].iter().any(|earlier| earlier.same(choice)) {
                return refuse(format!("the choice {choice} occurs twice"));
            }
        }
        let numbers: Option<Vec<f64>> = choices.iter().map(Value::number).collect();
        let Some(numbers) = numbers else { return Ok(()) };
        if matches!(self, Self::Ordered { .. }) {
            if let Some([a, b]) = numbers.array_windows().find(|[a, b]| a >= b) {
                return refuse(format!("{a} must not come before {b}"));
            }
            if !(numbers[numbers.len() - 1] - numbers[0]).is_finite() {
                return refuse("the numbers are too far apart".into());
            }
        }
        Ok(())
    }

    /// How many coordinates it takes.
    pub(super) fn width(&self) -> usize {
        match self {
            Self::Choice { choices } if choices.len() > 2 => choices.len(),
            _ => 1,
        }
    }

    /// How many values there are; `None` for a continuum.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Real { .. } => None,
            Self::Integer { low, high, .. } => Some(high.abs_diff(*low) + 1),
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // checked above
            Self::Stepped { low, high, step } => Some(((high - low) / step + 1e-9) as u64 + 1),
            Self::Ordered { choices } | Self::Choice { choices } => Some(choices.len() as u64),
        }
    }

    /// The least and the greatest of its numbers; `None` if some value is no number.
    pub(super) fn ends(&self) -> Option<(f64, f64)> {
        match self {
            Self::Real { low, high, .. } | Self::Stepped { low, high, .. } => Some((*low, *high)),
            Self::Integer { low, high, .. } => Some((*low as f64, *high as f64)),
            Self::Ordered { choices } | Self::Choice { choices } => {
                let numbers: Vec<f64> = choices.iter().map(Value::number).collect::<Option<_>>()?;
                let least = numbers.iter().copied().reduce(f64::min)?;
                Some((least, numbers.iter().copied().fold(least, f64::max)))
            }
        }
    }

    /// Writes where an absent parameter lies: at one place in the middle, so that two points that lack
    /// it do not differ in it.
    pub(super) fn place_absent(coordinates: &mut [f64]) {
        let width = coordinates.len();
        coordinates.fill(if width == 1 { 0.5 } else { 1.0 / width as f64 });
    }

    /// Up to `count` legal values, evenly spread from end to end; choices as they are listed.
    pub fn spread(&self, count: u32) -> Vec<Value> {
        let share = |i: u32| f64::from(i) / f64::from(count.saturating_sub(1).max(1));
        match self {
            Self::Ordered { choices } | Self::Choice { choices } => choices.clone(),
            Self::Real { .. } => (0..count).map(|i| self.value(&[share(i)])).collect(),
            Self::Integer { .. } | Self::Stepped { .. } => {
                let last = self.count().unwrap_or(1).saturating_sub(1);
                let index = |i: u32| {
                    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // 0 ..= last
                    let index = (share(i) * last as f64).round() as u64;
                    index.min(last)
                };
                let mut indices: Vec<u64> = (0..count).map(index).collect();
                indices.dedup();
                let value = |index: u64| {
                    let mut place = [0.0];
                    self.place(index, &mut place);
                    self.value(&place)
                };
                indices.into_iter().map(value).collect()
            }
        }
    }

    /// Position of a discrete value on its one coordinate.
    fn position(&self, index: u64) -> f64 {
        let last = self.count().map_or(0, |count| count - 1);
        match self {
            _ if last == 0 => 0.5,
            Self::Integer { low, high, log: true } => {
                let (low, high) = (*low as f64, *high as f64);
                ((low + index as f64) / low).ln() / (high / low).ln()
            }
            Self::Ordered { choices } => {
                match (number_at(choices, 0), number_at(choices, last), number_at(choices, index)) {
                    (Some(low), Some(high), Some(x)) => (x - low) / (high - low),
                    _ => index as f64 / last as f64,
                }
            }
            _ => index as f64 / last as f64,
        }
    }

    /// The discrete value nearest to a position, by bisection over increasing positions.
    fn nearest(&self, position: f64) -> u64 {
        let (mut low, mut high) = (0, self.count().map_or(0, |count| count - 1));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.position(middle) <= position { low = middle } else { high = middle }
        }
        let nearer = self.position(high) - position < position - self.position(low);
        if nearer { high } else { low }
    }

    /// The discrete value meant by coordinates; `None` for a continuum.
    pub(super) fn index(&self, coordinates: &[f64]) -> Option<u64> {
        self.count()?;
        if self.width() == 1 {
            return Some(self.nearest(coordinates[0]));
        }
        let mut best = 0;
        for (i, x) in coordinates.iter().enumerate() {
            if *x > coordinates[best] {
                best = i;
            }
        }
        Some(best as u64)
    }

    /// Writes the coordinates of a discrete value.
    pub(super) fn place(&self, index: u64, coordinates: &mut [f64]) {
        if self.width() == 1 {
            coordinates[0] = self.position(index);
        } else {
            coordinates.fill(0.0);
            if let Some(slot) = usize::try_from(index).ok().and_then(|i| coordinates.get_mut(i)) {
                *slot = 1.0;
            }
        }
    }

    /// The value at some coordinates, snapped to a legal one.
    pub(super) fn value(&self, coordinates: &[f64]) -> Value {
        let index = self.index(coordinates).unwrap_or(0);
        match self {
            Self::Real { low, high, log } => {
                let u = coordinates[0].clamp(0.0, 1.0);
                // Differences of logarithms: the ratio of the bounds may be beyond all numbers.
                let inside = if *log {
                    (low.ln() + u * (high.ln() - low.ln())).exp()
                } else {
                    low + u * (high - low)
                };
                Value::Real(inside.clamp(*low, *high))
            }
            #[allow(clippy::cast_possible_wrap)] // the count is at most 2^54
            Self::Integer { low, .. } => Value::Integer(low + index as i64),
            Self::Stepped { low, high, step } => {
                let exact = (low + index as f64 * step).clamp(*low, *high);
                // A tidied value must still be recognised as this one.
                let tidied = Value::Real(tidy(exact).clamp(*low, *high));
                if self.number_of(&tidied) == Some(index) { tidied } else { Value::Real(exact) }
            }
            Self::Ordered { choices } | Self::Choice { choices } => {
                let slot = usize::try_from(index).unwrap_or(0);
                choices[slot.min(choices.len() - 1)].clone()
            }
        }
    }

    /// Writes the coordinates of a value.
    ///
    /// # Errors
    /// If the parameter `name` cannot take that value.
    pub(super) fn locate(&self, name: &str, value: &Value, coordinates: &mut [f64]) -> Result<()> {
        let refuse = || {
            let reason = format!("{value} is not one of its values, which are {self}");
            Err(Error::Parameter { name: name.to_owned(), reason })
        };
        if let Self::Real { low, high, log } = self {
            let Some(x) = value.number().filter(|x| *x >= *low && *x <= *high) else {
                return refuse();
            };
            let place = if *log {
                (x.ln() - low.ln()) / (high.ln() - low.ln())
            } else {
                (x - low) / (high - low)
            };
            coordinates[0] = place.clamp(0.0, 1.0);
            return Ok(());
        }
        let Some(index) = self.number_of(value) else { return refuse() };
        self.place(index, coordinates);
        Ok(())
    }

    /// Which discrete value this is.
    pub(super) fn number_of(&self, value: &Value) -> Option<u64> {
        let (first, step) = match self {
            Self::Real { .. } => return None,
            Self::Ordered { choices } | Self::Choice { choices } => {
                return choices.iter().position(|choice| choice.same(value)).map(|i| i as u64);
            }
            Self::Integer { low, .. } => (*low as f64, 1.0),
            Self::Stepped { low, step, .. } => (*low, *step),
        };
        let given = value.number()?;
        let whole = ((given - first) / step).round();
        let last = self.count()?.saturating_sub(1) as f64;
        // Either within a millionth of a step, or as close as numbers of this size can be.
        let reached = first + whole * step;
        let near = (given - reached).abs() <= (1e-6 * step).max(4.0 * f64::EPSILON * given.abs());
        let legal = near && whole >= 0.0 && whole <= last;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        legal.then_some(whole as u64)
    }
}

fn number_at(choices: &[Value], index: u64) -> Option<f64> {
    choices.get(usize::try_from(index).ok()?)?.number()
}

/// Rounds to 12 digits: `0.1 * 3` reads 0.3.
fn tidy(x: f64) -> f64 {
    format!("{x:.11e}").parse().unwrap_or(x)
}

/// As people read it: what may be chosen.
impl fmt::Display for Domain {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = |log: bool| if log { ", on a log scale" } else { "" };
        let listed = |choices: &[Value]| {
            choices.iter().map(Value::to_string).collect::<Vec<String>>().join(", ")
        };
        match self {
            Self::Real { low, high, log } => write!(out, "{low} to {high}{}", scale(*log)),
            Self::Integer { low, high, log } => {
                write!(out, "whole numbers from {low} to {high}{}", scale(*log))
            }
            Self::Stepped { low, high, step } => write!(out, "{low} to {high} in steps of {step}"),
            Self::Ordered { choices } => write!(out, "{}, in this order", listed(choices)),
            Self::Choice { choices } => write!(out, "one of {}", listed(choices)),
        }
    }
}

#[cfg(test)]
mod tests;
