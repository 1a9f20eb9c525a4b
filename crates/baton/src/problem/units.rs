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
//!
//! Where part of the space is forbidden, many report a penalty there, a constant far beyond all else.
//! Penalties say nothing about the scale of what is allowed and are left out where that is set.

use super::bounds::{Finite, Positive};
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

impl Goal {
    /// Its name in files and for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Maximize => "maximize",
            Self::Minimize => "minimize",
        }
    }
}

/// Units that the user gives; those that are not given follow from the first values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UnitsSettings {
    /// taken off the values, to be maximised
    pub offset: Option<Finite>,
    /// what they are divided by then
    pub scale: Option<Positive>,
    /// how they are bent before they are modelled; for methods that fit their model
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

impl UnitsSettings {
    /// All from the first values.
    pub(crate) fn by_values() -> Self {
        Self { offset: None, scale: None, link: None }
    }

    /// Those of a quantity whose values are known to be of order one.
    pub(crate) fn as_they_are() -> Self {
        Self { offset: Some(Finite::literal(0.0)), scale: None, link: Some(Link::Identity) }
    }

    /// All from the first values, bent as others are.
    pub(crate) fn by_values_as(others: &Self) -> Self {
        Self { link: others.link, ..Self::by_values() }
    }

    /// How values are bent.
    pub(crate) fn link(&self) -> Link {
        self.link.unwrap_or_default()
    }

    /// The units, if they are given.
    pub(crate) fn given(&self, goal: Goal) -> Result<Option<Units>> {
        if self.offset.is_none() && self.scale.is_none() {
            return Ok(None);
        }
        let offset = self.offset.map_or(0.0, |offset| *offset);
        let scale = self.scale.map_or(1.0, |scale| *scale);
        Ok(Some(Units::new(goal, offset, scale)?.with_link(self.link())))
    }

    /// Whether units that were handed over are the ones asked for, where any were.
    pub(crate) fn check_handed_on(&self, goal: Goal, units: Option<&Units>) -> Result<()> {
        match (self.given(goal)?, units) {
            (Some(asked), Some(known)) if asked != *known => {
                let (known, asked) = (known.in_words(), asked.in_words());
                let reason = format!("its units have {known}, the settings ask for {asked}");
                Err(Error::Knowledge { reason })
            }
            _ => Ok(()),
        }
    }
}

/// The floor lies this many scales below the median.
const FLOOR: f64 = 2.0;
/// Values behind a gap at least this many times as wide as all better ones together are penalties, if
/// they are one and the same value, seen as often as [`REPEATED`], or else if the better ones would lie
/// together as closely less often than [`BY_CHANCE`] and are a quarter of all.
const GAP: f64 = 20.0;
const REPEATED: usize = 3;
const BY_CHANCE: f64 = 1e-4;
/// Values that tell of a scale, at least.
const LEAST_ALLOWED: usize = 2;
/// Later values are penalties if they lie this many scales below where the scale was set.
const PIT: f64 = 100.0;

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

    fn in_words(&self) -> String {
        let Self { offset, scale, link, .. } = self;
        format!("offset {offset}, scale {scale}, link {}", link.name())
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

    /// The same of the values that are no penalties.
    pub fn of_allowed(goal: Goal, values: &[f64]) -> Self {
        let mut best_first: Vec<f64> = values.iter().map(|y| signed(goal, *y)).collect();
        best_first.sort_by(|a, b| b.total_cmp(a));
        let begins = |k: &usize| {
            let range = best_first[0] - best_first[k - 1];
            let gap = best_first[k - 1] - best_first[*k];
            let behind = &best_first[*k..];
            let one_value = behind.len() >= REPEATED && behind[0] == behind[behind.len() - 1];
            let others = i32::try_from(k - 1).unwrap_or(i32::MAX);
            let unlikely = (range / gap).powi(others) < BY_CHANCE && 4 * k >= values.len();
            range > 0.0 && gap > GAP * range && (one_value || unlikely)
        };
        let first_penalty = (LEAST_ALLOWED..values.len()).find(begins);
        best_first.truncate(first_penalty.unwrap_or(values.len()));
        Self::of(goal, &best_first.iter().map(|y| signed(goal, *y)).collect::<Vec<f64>>())
    }

    /// Whether some values are all one, or one and a worse one, so that nothing can be said of the
    /// scale of those that are no penalties.
    pub fn tell_no_scale(goal: Goal, values: &[f64]) -> bool {
        let all = || values.iter().map(|y| signed(goal, *y));
        let (worst, best) = all().fold((f64::INFINITY, f64::NEG_INFINITY), |(worst, best), y| {
            (worst.min(y), best.max(y))
        });
        all().all(|y| y == worst || y == best) && values.len() > REPEATED
    }

    /// The same units with a floor: some scales below the median, by these units or by those of the
    /// task's own values that are no penalties, whichever is lower.
    #[must_use]
    pub fn with_floor(self, values: &[f64]) -> Self {
        let unfloored = self.without_floor();
        let allowed = values.iter().copied().filter(|y| unfloored.to_model(*y) >= -PIT);
        let allowed: Vec<f64> = allowed.collect();
        let few = allowed.len() < LEAST_ALLOWED;
        let own = Self::of(self.goal, if few { values } else { &allowed });
        let in_these = (own.offset - FLOOR * own.scale - self.offset) / self.scale;
        Self { floor: in_these.min(-FLOOR), ..self }
    }

    /// The same units with a floor below all of these values too.
    #[must_use]
    pub fn with_floor_below(self, kept: &[f64]) -> Self {
        let unfloored = self.without_floor();
        let lowest = kept.iter().map(|y| unfloored.to_model(*y) - FLOOR);
        Self { floor: lowest.fold(self.floor, f64::min), ..self }
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

    /// By how much one value `z` of the surrogate is better than another, in the user's units.
    pub fn gain(&self, from: f64, to: f64) -> f64 {
        signed(self.goal, self.to_user(to)) - signed(self.goal, self.to_user(from))
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
    fn units_that_were_given_are_the_ones_that_were_handed_on() {
        let mut settings = UnitsSettings { link: Some(Link::Sinh), ..UnitsSettings::by_values() };
        settings.offset = Some(3.0.try_into().unwrap());
        let given = Units::new(Goal::Maximize, 3.0, 1.0).unwrap().with_link(Link::Sinh);
        assert!(settings.check_handed_on(Goal::Maximize, Some(&given)).is_ok());
        settings.offset = Some(4.0.try_into().unwrap());
        assert!(settings.check_handed_on(Goal::Maximize, Some(&given)).is_err());
    }

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
    fn penalties_set_neither_scale_nor_floor() {
        for penalty in [1e3, 1e6, 1e300] {
            let allowed = [40.1, 47.0, 43.5, 41.2, 45.0];
            let values = [&allowed[..], &[penalty; 7]].concat();
            let plain = Units::of(Goal::Minimize, &allowed);
            let units = Units::of_allowed(Goal::Minimize, &values);
            assert_eq!(units, plain);
            let floored = units.with_link(Link::Sinh).with_floor(&values);
            assert_eq!(floored.to_model(penalty), -FLOOR);
            assert_eq!(floored.to_model(41.0), units.to_model(41.0));
        }
        let two = [44.7, 1e3, 49.8, 1e3, 1e3, 1e3];
        let plain = Units::of(Goal::Minimize, &[44.7, 49.8]);
        assert_eq!(Units::of_allowed(Goal::Minimize, &two), plain);
        assert!(Units::tell_no_scale(Goal::Minimize, &[44.7, 1e6, 1e6, 1e6, 44.7]));
        assert!(Units::tell_no_scale(Goal::Minimize, &[1e6; 4]));
        assert!(!Units::tell_no_scale(Goal::Minimize, &two));
        // Peaks over a plain, a long tail, too few to tell: nothing is taken for a penalty.
        let lists: [&[f64]; 4] = [
            &[5.0, 4.0, 0.01, 0.0, 0.0, 0.0, 0.0],
            &[1.0, 3.0, 9.0, 27.0, 81.0, 243.0, 729.0],
            &[1.0, 1e6, 1e6, 1e6, 1e6],
            &[2.0, 2.0, 2.0, 1e6],
        ];
        for (values, goal) in lists.iter().flat_map(|v| [(v, Goal::Maximize), (v, Goal::Minimize)])
        {
            if (values[3], goal) == (0.0, Goal::Minimize) {
                continue; // the peaks would be pits
            }
            assert_eq!(Units::of_allowed(goal, values), Units::of(goal, values), "{values:?}");
        }
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
