//! What somebody believes of where good points lie: values of some parameters, and how sure that is.

use super::domain::Domain;
use super::space::Space;
use super::value::Value;
use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How sure a guess is where nothing is said, as a share of the range.
const UNSAID: f64 = 0.1;

/// A good point lies around here. What is not said of a parameter is not guessed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guess {
    /// values of parameters by their names
    pub point: BTreeMap<String, Value>,
    /// how far from these it may be, in the parameter's unit, as a standard deviation; a tenth of the range
    /// where it is not said
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub within: BTreeMap<String, f64>,
}

/// A guess in the unit cube.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Guessed {
    /// where it is, for every coordinate of which anything is said
    pub coordinates: Vec<Option<f64>>,
    /// how far from there it may be, for every such coordinate
    pub within: Vec<f64>,
    /// the point as it was said, if that was said of all parameters
    pub whole: Option<Vec<Value>>,
}

impl Guess {
    /// Whether there can be such a point in a space.
    ///
    /// # Errors
    /// Says which parameter is wrong, and why.
    pub fn check(&self, space: &Space) -> Result<()> {
        self.placed(space).map(drop)
    }

    pub(crate) fn placed(&self, space: &Space) -> Result<Guessed> {
        let refuse = |name: &str, reason: String| {
            Err(Error::Parameter { name: name.to_owned(), reason: format!("as guessed: {reason}") })
        };
        let names: Vec<&str> = space.parameters().iter().map(|known| known.name.as_str()).collect();
        for name in self.point.keys().chain(self.within.keys()) {
            if !names.contains(&name.as_str()) {
                return refuse(
                    name,
                    format!("the space has none of that name; it has {}", names.join(", ")),
                );
            }
            if !self.point.contains_key(name) {
                return refuse(name, "within is said of it, but no value in point".into());
            }
        }
        if self.point.is_empty() {
            return refuse(
                names[0],
                "a guess needs a value of at least one parameter in point".into(),
            );
        }
        let mut coordinates = vec![None; space.dimension()];
        let mut within = vec![0.0; space.dimension()];
        let mut whole = vec![Value::Absent; names.len()];
        for (i, (parameter, range)) in space.places().enumerate() {
            let name = &parameter.name;
            let Some(value) = self.point.get(name) else { continue };
            let mut place = vec![0.0; range.len()];
            parameter.locate(value, &mut place)?;
            whole[i] = value.clone();
            let sure = match (self.within.get(name), parameter.domain.ends()) {
                (Some(far), _) if !(far.is_finite() && *far > 0.0) => {
                    return refuse(name, format!("within is {far}; it must be a positive number"));
                }
                (Some(_), None) => {
                    let reason = "within is for numbers, and its values are not";
                    return refuse(name, reason.into());
                }
                (Some(far), Some(ends)) => value
                    .number()
                    .map_or(UNSAID, |at| share(at, *far, ends, parameter.domain.is_logarithmic())),
                (None, Some(_)) => UNSAID,
                (None, None) => f64::MIN_POSITIVE,
            };
            for (j, place) in range.zip(place) {
                (coordinates[j], within[j]) = (Some(place), sure);
            }
        }
        let whole = if self.point.len() == names.len() {
            let whole = space.canonical(&whole)?;
            space.check_allowed(&whole)?;
            Some(whole)
        } else {
            None
        };
        Ok(Guessed { coordinates, within, whole })
    }
}

impl Guessed {
    /// The point that is guessed, with the coordinates of another where nothing is.
    pub(crate) fn over(&self, others: &[f64]) -> Vec<f64> {
        let both = self.coordinates.iter().zip(others);
        both.map(|(guessed, other)| guessed.unwrap_or(*other)).collect()
    }
}

/// How far is this, as a share of the range?
fn share(at: f64, far: f64, (low, high): (f64, f64), logarithmic: bool) -> f64 {
    let place = |x: f64| {
        if logarithmic { (x / low).ln() / (high / low).ln() } else { (x - low) / (high - low) }
    };
    let (least, most) = ((at - far).max(low), (at + far).min(high));
    // At an end one side alone counts.
    let shares = (place(at) - place(least), place(most) - place(at));
    let share = shares.0.max(shares.1);
    if share.is_finite() { share.clamp(1e-6, 1.0) } else { UNSAID }
}

impl Domain {
    fn is_logarithmic(&self) -> bool {
        matches!(self, Self::Real { log: true, .. } | Self::Integer { log: true, .. })
    }
}
