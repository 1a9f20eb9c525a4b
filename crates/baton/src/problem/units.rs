//! The surrogate's units: larger is better, values of order one.
//!
//! `u = (s y - offset) / scale` with `s = 1` to maximise and `-1` to minimise; the surrogate's own
//! scale `z` is that of `u`, or bent by a [`Link`]. All of this is
//! set once and handed on from task to task: if they changed, so would the meaning of `theta`.
//! Signs and scales are changed here and nowhere else.
//!
//! How bad a bad point is says little about where the best one lies, but a model that must explain a
//! deep pit beside a hill loses the hill. So a task may set a floor: what lies lower counts as if it
//! lay there. The floor follows the task's own values and is not handed on.

use super::link::Link;
use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};

/// Whether large or small values are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// large values are good
    Maximize,
    /// small values are good
    Minimize,
}

/// The floor lies this many scales below the median.
const FLOOR: f64 = 2.0;

/// The change from the user's values to the surrogate's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Claimed")]
pub struct Units {
    goal: Goal,
    offset: f64,
    scale: f64,
    link: Link,
    /// the lowest value `u` that is told apart from lower ones
    #[serde(skip)]
    floor: f64,
}

/// What a file may claim.
#[derive(Deserialize)]
struct Claimed {
    goal: Goal,
    offset: f64,
    scale: f64,
    #[serde(default)]
    link: Link,
}

impl TryFrom<Claimed> for Units {
    type Error = Error;

    fn try_from(Claimed { goal, offset, scale, link }: Claimed) -> Result<Self> {
        Ok(Self::new(goal, offset, scale)?.with_link(link))
    }
}

impl Units {
    /// Given offset and scale, in the user's units and for values to be maximised.
    ///
    /// # Errors
    /// If the offset is not finite or the scale is not positive and finite.
    pub fn new(goal: Goal, offset: f64, scale: f64) -> Result<Self> {
        if !offset.is_finite() {
            let must = "a finite number";
            return Err(Error::OutOfRange { what: "offset of the values", value: offset, must });
        }
        if !(scale.is_finite() && scale > 0.0) {
            let must = "positive and finite";
            return Err(Error::OutOfRange { what: "scale of the values", value: scale, must });
        }
        Ok(Self { goal, offset, scale, link: Link::Identity, floor: f64::NEG_INFINITY })
    }

    /// The median of some values and their root mean square distance from it, where no distance
    /// counts for more than ten times the median one: a single failed simulation that reports 1e6
    /// must not set the scale of a campaign. 0 and 1 without any values.
    pub fn of(goal: Goal, values: &[f64]) -> Self {
        let mut sorted: Vec<f64> = values.iter().map(|y| signed(goal, *y)).collect();
        sorted.sort_by(f64::total_cmp);
        let Some(offset) = sorted.get(sorted.len() / 2).copied() else {
            let floor = f64::NEG_INFINITY;
            return Self { goal, offset: 0.0, scale: 1.0, link: Link::Identity, floor };
        };
        // Divided by the largest first, so that squares of 1e300 do not overflow.
        let largest = sorted.iter().fold(0.0_f64, |most, y| most.max((y - offset).abs()));
        let count = sorted.len() as f64;
        let mut distances: Vec<f64> = sorted.iter().map(|y| (y - offset).abs()).collect();
        distances.sort_by(f64::total_cmp);
        let typical = distances[distances.len() / 2];
        let most = if typical > 0.0 { largest.min(10.0 * typical) } else { largest };
        let squares: f64 = distances.iter().map(|d| (d.min(most) / largest).powi(2)).sum();
        let deviation = largest * (squares / count).sqrt();
        // All equal: a scale of their own size, so that later changes are seen as changes.
        let fallback = if offset == 0.0 { 1.0 } else { offset.abs() };
        let usable = deviation.is_finite() && deviation > 1e-12 * offset.abs();
        let scale = if usable && deviation > f64::MIN_POSITIVE { deviation } else { fallback };
        Self { goal, offset, scale, link: Link::Identity, floor: f64::NEG_INFINITY }
    }

    /// The same units with a floor: some scales below the median, by these units or by those of the
    /// task's own values, whichever is lower.
    #[must_use]
    pub fn with_floor(self, values: &[f64]) -> Self {
        let own = Self::of(self.goal, values);
        let in_these = (own.offset - FLOOR * own.scale - self.offset) / self.scale;
        Self { floor: in_these.min(-FLOOR), ..self }
    }

    /// The same units without one, as they are handed on.
    #[must_use]
    pub fn without_floor(self) -> Self {
        Self { floor: f64::NEG_INFINITY, ..self }
    }

    /// The same units seen through a link.
    #[must_use]
    pub fn with_link(self, link: Link) -> Self {
        Self { link, ..self }
    }

    /// How the surrogate's own scale is bent.
    pub fn link(&self) -> Link {
        self.link
    }

    /// A value `u` as the surrogate observes it.
    pub fn to_model(&self, value: f64) -> f64 {
        ((signed(self.goal, value) - self.offset) / self.scale).max(self.floor)
    }

    /// A value `z` of the surrogate in the user's units.
    pub fn to_user(&self, value: f64) -> f64 {
        let user = signed(self.goal, self.offset + self.scale * self.link.apply(value));
        user.clamp(f64::MIN, f64::MAX) // what the model makes of values of 1e300 may lie beyond them
    }

    /// A variance in the surrogate's units.
    pub fn variance_to_model(&self, variance: f64) -> f64 {
        variance / self.scale / self.scale
    }

    /// Whether the first of two of the user's values is the better one.
    pub fn better(&self, a: f64, b: f64) -> bool {
        signed(self.goal, a) > signed(self.goal, b)
    }

    /// What is wanted.
    pub fn goal(&self) -> Goal {
        self.goal
    }
}

fn signed(goal: Goal, value: f64) -> f64 {
    match goal {
        Goal::Maximize => value,
        Goal::Minimize => -value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_agree_and_better_is_larger() {
        for goal in [Goal::Maximize, Goal::Minimize] {
            let units = Units::of(goal, &[3.0, 5.0, 4.0, 9.0]);
            for y in [-2.0, 0.0, 7.5] {
                assert!((units.to_user(units.to_model(y)) - y).abs() < 1e-12);
            }
            assert_eq!(units.better(1.0, 2.0), units.to_model(1.0) > units.to_model(2.0));
        }
        assert!(Units::of(Goal::Minimize, &[1.0, 2.0]).better(1.0, 2.0));
    }

    #[test]
    fn what_lies_below_the_floor_counts_as_lying_there() {
        let values = [0.1, 0.4, 0.2, 0.3, 0.5];
        let units = Units::of(Goal::Maximize, &values).with_link(Link::Sinh);
        let floored = units.with_floor(&[0.2, 0.3, 0.35, -50.0]);
        assert_eq!(floored.to_model(-50.0), floored.to_model(-1e6));
        assert_eq!(floored.to_model(-50.0), floored.to_model(-1.5), "two scales below the median");
        assert_eq!(floored.to_model(0.4), units.to_model(0.4));
        // A task whose values all lie far below those of the first one is still told apart.
        let lower = units.with_floor(&[-100.0, -101.0, -103.0, -99.0]);
        assert!(lower.to_model(-100.0) < lower.to_model(-99.0));
        assert_eq!(floored.without_floor(), units);
    }

    #[test]
    fn strange_values_still_give_a_scale() {
        let lists: [&[f64]; 6] =
            [&[], &[7.0], &[7.0, 7.0], &[0.0, 0.0], &[1e300, -1e300, 1e299], &[1e-300, 3e-300]];
        for values in lists {
            let units = Units::of(Goal::Maximize, values);
            assert!(units.scale > 0.0 && units.scale.is_finite(), "{values:?} {units:?}");
            for y in values {
                assert!(units.to_model(*y).is_finite(), "{values:?} {units:?}");
            }
        }
        for link in [Link::Identity, Link::Sinh] {
            let units = Units::of(Goal::Minimize, &[1e300, -1e300]).with_link(link);
            for z in [-1e300, -800.0, 41.0, 1e10] {
                assert!(units.to_user(z).is_finite(), "{link:?} {z}");
            }
        }
        let plain = Units::of(Goal::Maximize, &[0.1, 0.4, 0.2, 0.3, 0.5]);
        let spoilt = Units::of(Goal::Maximize, &[0.1, 0.4, 0.2, 0.3, 1e6]);
        assert!(spoilt.scale < 10.0 * plain.scale, "{spoilt:?}");
        assert!(Units::new(Goal::Maximize, 0.0, 0.0).is_err());
        assert!(Units::new(Goal::Maximize, f64::NAN, 1.0).is_err());
    }
}
