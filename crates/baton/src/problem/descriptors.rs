//! How tasks differ, as far as it is known before the first trial: named descriptors, and their way to
//! coordinates.
//!
//! Descriptors are declared as parameters are, but nothing is searched along them. What is not said of a
//! task is taken to be as in the tasks before: their mean, the category that most of them had; in a first
//! task the middle, the first category.

use super::domain::Domain;
use super::parameter::Parameter;
use super::space::Space;
use super::value::Value;
use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is said of a task, or of one trial: the values of descriptors by their names.
pub type Description = BTreeMap<String, Value>;

/// A checked list of descriptors, perhaps empty.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<Parameter>", into = "Vec<Parameter>")]
pub struct Descriptors(Option<Space>);

impl TryFrom<Vec<Parameter>> for Descriptors {
    type Error = Error;

    fn try_from(parameters: Vec<Parameter>) -> Result<Self> {
        Self::new(parameters)
    }
}

impl From<Descriptors> for Vec<Parameter> {
    fn from(descriptors: Descriptors) -> Self {
        descriptors.parameters().to_vec()
    }
}

impl Descriptors {
    /// Checks the descriptors.
    ///
    /// # Errors
    /// If two share a name, or one cannot take any value.
    pub fn new(parameters: impl Into<Vec<Parameter>>) -> Result<Self> {
        let parameters = parameters.into();
        if parameters.is_empty() {
            return Ok(Self::default());
        }
        if let Some(parameter) = parameters.iter().find(|parameter| parameter.when.is_some()) {
            let (name, reason) =
                (parameter.name.clone(), "a descriptor is always there".to_owned());
            return Err(Error::Descriptor { name, reason });
        }
        Ok(Self(Some(Space::new(parameters).map_err(of_descriptor)?)))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The descriptors in their order.
    pub fn parameters(&self) -> &[Parameter] {
        self.0.as_ref().map_or(&[], Space::parameters)
    }

    /// Coordinates that they take.
    pub fn dimension(&self) -> usize {
        self.0.as_ref().map_or(0, Space::dimension)
    }

    /// The descriptor of each coordinate, by its place in the list.
    pub fn owners(&self) -> Vec<usize> {
        let widths = self.parameters().iter().map(|parameter| parameter.domain.width());
        widths.enumerate().flat_map(|(i, width)| std::iter::repeat_n(i, width)).collect()
    }

    /// The one way to write a description.
    ///
    /// # Errors
    /// If it names what is no descriptor, or a value is not one that the descriptor can take.
    pub fn canonical(&self, description: &Description) -> Result<Description> {
        let one = |(name, value): (&String, &Value)| {
            let parameter = self.find(name)?;
            let alone = Space::new([parameter.clone()])?;
            let written = alone.canonical(std::slice::from_ref(value)).map_err(of_descriptor)?;
            Ok((name.clone(), written[0].clone()))
        };
        description.iter().map(one).collect()
    }

    /// The descriptor of that name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> Result<&Parameter> {
        let found = self.parameters().iter().find(|parameter| parameter.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.parameters().iter().map(|p| p.name.as_str()).collect();
            let reason = match names[..] {
                [] => "it is not declared; this campaign has no descriptors".to_owned(),
                _ => format!("it is not declared; the descriptors are {}", names.join(", ")),
            };
            Error::Descriptor { name: name.to_owned(), reason }
        })
    }

    /// Coordinates of a description; what is missing in it is as in `earlier` tasks.
    ///
    /// # Errors
    /// As [`Descriptors::canonical`].
    pub fn coordinates(
        &self,
        description: &Description,
        earlier: &[&Description],
    ) -> Result<Vec<f64>> {
        description.keys().try_for_each(|name| self.find(name).map(drop))?;
        let mut all = Vec::with_capacity(self.dimension());
        for Parameter { name, domain, .. } in self.parameters() {
            let place = |value: &Value| {
                let mut place = vec![0.0; domain.width()];
                domain.locate(name, value, &mut place).map_err(of_descriptor).map(|()| place)
            };
            let known = || earlier.iter().filter_map(|task| place(task.get(name)?).ok());
            all.extend(match description.get(name) {
                Some(value) => place(value)?,
                None => usual(domain, &known().collect::<Vec<_>>()),
            });
        }
        Ok(all)
    }
}

/// Where a descriptor lies of which nothing is said.
fn usual(domain: &Domain, known: &[Vec<f64>]) -> Vec<f64> {
    let Domain::Choice { choices } = domain else {
        let total: f64 = known.iter().map(|place| place[0]).sum();
        return vec![if known.is_empty() { 0.5 } else { total / known.len() as f64 }];
    };
    let had = |index: u64| known.iter().filter(|place| domain.index(place) == Some(index)).count();
    let all = 0..choices.len() as u64;
    let most = all.reduce(|most, next| if had(next) > had(most) { next } else { most });
    let mut place = vec![0.0; domain.width()];
    domain.place(most.unwrap_or(0), &mut place);
    place
}

/// What is wrong with a parameter is wrong with a descriptor.
fn of_descriptor(error: Error) -> Error {
    match error {
        Error::Parameter { name, reason } => {
            let reason = reason.replace("a parameter needs a name", "a descriptor needs a name");
            Error::Descriptor { name, reason }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptors() -> Descriptors {
        Descriptors::new([
            Parameter::log("reynolds", 1e5, 1e7),
            Parameter::integer("users", 0, 10),
            Parameter::choice("wing", ["thin", "thick"]),
            Parameter::choice("gas", ["air", "argon", "neon"]),
        ])
        .unwrap()
    }

    fn said(pairs: &[(&str, Value)]) -> Description {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    #[test]
    fn what_is_missing_is_as_in_earlier_tasks() {
        let of = |earlier: &[Description]| {
            descriptors()
                .coordinates(&Description::new(), &earlier.iter().collect::<Vec<_>>())
                .unwrap()
        };
        assert_eq!(of(&[]), [0.5, 0.5, 0.0, 1.0, 0.0, 0.0]);
        let task = |users: i64, wing: &str, gas: &str| {
            said(&[("users", users.into()), ("wing", wing.into()), ("gas", gas.into())])
        };
        let known = [task(2, "thick", "neon"), task(6, "thick", "neon"), task(7, "thin", "air")];
        assert_eq!(of(&known), [0.5, 0.5, 1.0, 0.0, 0.0, 1.0]);
        let given = said(&[("reynolds", 1e6.into()), ("gas", "argon".into())]);
        let place = descriptors().coordinates(&given, &known.iter().collect::<Vec<_>>()).unwrap();
        assert!((place[0] - 0.5).abs() < 1e-12);
        assert_eq!(place[1..], [0.5, 1.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn wrong_descriptions_are_refused_with_what_would_do() {
        let refused = |name: &str, value: Value| {
            descriptors().canonical(&said(&[(name, value)])).unwrap_err().to_string()
        };
        let reason = refused("raynolds", 1e6.into());
        assert!(reason.contains("raynolds") && reason.contains("reynolds, users"), "{reason}");
        for value in [Value::Real(3e7), Value::Real(f64::NAN), "fast".into()] {
            let reason = refused("reynolds", value);
            assert!(reason.starts_with("descriptor reynolds: "), "{reason}");
            assert!(reason.contains("100000 to 10000000, on a log scale"), "{reason}");
        }
        assert!(refused("users", 2.5.into()).contains("whole numbers from 0 to 10"));
        assert!(refused("gas", "helium".into()).contains("argon"));
        let none = Descriptors::default();
        let reason = none.canonical(&said(&[("users", 2.into())])).unwrap_err().to_string();
        assert!(reason.contains("no descriptors"), "{reason}");
        assert!(Descriptors::new([Parameter::real("a", 1.0, 0.0)]).is_err());
    }

    #[test]
    fn descriptions_are_written_in_one_way_and_coordinates_know_their_owner() {
        let given = said(&[("users", 3.0.into()), ("reynolds", Value::Integer(1_000_000))]);
        let expected = said(&[("users", 3.into()), ("reynolds", 1e6.into())]);
        assert_eq!(descriptors().canonical(&given).unwrap(), expected);
        assert_eq!(descriptors().owners(), [0, 1, 2, 3, 3, 3]);
    }
}
