//! What a condition means in a space: parameters by their places, values by their numbers.

use super::form::{At, Clause, Comparison, Condition};
use crate::Error;
use crate::error::Result;
use crate::problem::domain::Domain;
use crate::problem::parameter::Parameter;
use crate::problem::value::Value;

/// What a condition is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::problem) enum Use {
    /// to say when a parameter is there: one discrete parameter in each clause
    When,
    /// to say what must not be
    Forbid,
}

/// A condition on the points of one space.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::problem) struct Bound {
    tests: Vec<Test>,
}

#[derive(Debug, Clone, PartialEq)]
enum Test {
    /// the number of its value is among these, or is not
    Among { parameter: usize, is: bool, numbers: Vec<u64> },
    /// a sum in the user's units
    Linear { sum: Sum, comparison: Comparison },
}

/// `sum of factor * parameter - limit`.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::problem) struct Sum {
    pub terms: Vec<(f64, usize)>,
    pub limit: f64,
}

impl Bound {
    /// Finds what the condition speaks of.
    pub(in crate::problem) fn new(
        condition: &Condition,
        parameters: &[Parameter],
        purpose: Use,
    ) -> Result<Self> {
        let binding = Binding { condition, parameters, purpose };
        let tests = condition.clauses.iter().map(|clause| binding.test(clause));
        Ok(Self { tests: tests.collect::<Result<_>>()? })
    }

    /// Whether it holds at a point. What is said of an absent parameter does not.
    pub(in crate::problem) fn holds(&self, parameters: &[Parameter], point: &[Value]) -> bool {
        self.tests.iter().all(|test| test.holds(parameters, point))
    }

    /// The parameters that it speaks of.
    pub(in crate::problem) fn speaks_of(&self) -> impl Iterator<Item = usize> {
        self.tests.iter().flat_map(|test| match test {
            Test::Among { parameter, .. } => vec![*parameter],
            Test::Linear { sum, .. } => sum.terms.iter().map(|(_, parameter)| *parameter).collect(),
        })
    }

    /// Its sums, turned so that each is positive where its clause holds.
    pub(in crate::problem) fn sums(&self) -> impl Iterator<Item = Sum> {
        self.tests.iter().filter_map(|test| match test {
            Test::Among { .. } => None,
            Test::Linear { sum, comparison: Comparison::More | Comparison::AtLeast } => {
                Some(sum.clone())
            }
            Test::Linear { sum, .. } => {
                let terms = sum.terms.iter().map(|(factor, parameter)| (-factor, *parameter));
                Some(Sum { terms: terms.collect(), limit: -sum.limit })
            }
        })
    }
}

impl Test {
    fn holds(&self, parameters: &[Parameter], point: &[Value]) -> bool {
        match self {
            Self::Among { parameter, is, numbers } => {
                let number = parameters[*parameter].domain.number_of(&point[*parameter]);
                number.is_some_and(|number| numbers.contains(&number) == *is)
            }
            Self::Linear { sum, comparison } => {
                let mut total = 0.0;
                for (factor, parameter) in &sum.terms {
                    let Some(x) = point[*parameter].number() else { return false };
                    total += factor * x;
                }
                comparison.holds(total, sum.limit)
            }
        }
    }
}

impl Parameter {
    /// Whether its condition can be used among these parameters.
    ///
    /// # Errors
    /// Says what in it cannot.
    pub fn check_when(&self, among: &[Self]) -> Result<()> {
        self.when.iter().try_for_each(|when| Bound::new(when, among, Use::When).map(drop))
    }
}

/// A condition being looked at in a space.
struct Binding<'a> {
    condition: &'a Condition,
    parameters: &'a [Parameter],
    purpose: Use,
}

impl Binding<'_> {
    fn test(&self, clause: &Clause) -> Result<Test> {
        match clause {
            Clause::Among { parameter, is, values } => self.among(parameter, *is, values),
            Clause::Linear { terms, comparison, limit } => self.linear(terms, *comparison, *limit),
        }
    }

    fn among(&self, name: &At<String>, is: bool, values: &[At<Value>]) -> Result<Test> {
        let parameter = self.find(name)?;
        let domain = &self.parameters[parameter].domain;
        let Some(count) = domain.count() else {
            let reason = format!(
                "{} is any of {domain}, which is never exactly one value; compare it with < <= > >=",
                name.what
            );
            return Err(self.wrong(name.place, reason));
        };
        let mut numbers = Vec::new();
        for value in values {
            let number = number_of(domain, &value.what).ok_or_else(|| {
                let reason =
                    format!("{} is no value of {}, which is {domain}", value.what, name.what);
                self.wrong(value.place, reason)
            })?;
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        if self.purpose == Use::When && !is && numbers.len() as u64 == count {
            return Err(self.never(name));
        }
        Ok(Test::Among { parameter, is, numbers })
    }

    fn linear(
        &self,
        named: &[(f64, At<String>)],
        comparison: Comparison,
        limit: f64,
    ) -> Result<Test> {
        let mut terms = Vec::new();
        for (factor, name) in named {
            let parameter = self.find(name)?;
            let domain = &self.parameters[parameter].domain;
            let numbers = domain.ends();
            if numbers.is_none() {
                let reason = format!("{} is no number, but {domain}; compare it with =", name.what);
                return Err(self.wrong(name.place, reason));
            }
            if self.purpose == Use::When && domain.count().is_none() {
                let reason = format!(
                    "{} is continuous; what is there depends on choices, whole numbers or steps",
                    name.what
                );
                return Err(self.wrong(name.place, reason));
            }
            terms.push((*factor, parameter));
        }
        if let (Use::When, [_, (_, second), ..]) = (self.purpose, named) {
            let reason = "a clause of when speaks of one parameter at a time".to_owned();
            return Err(self.wrong(second.place, reason));
        }
        let best = |(factor, parameter): &(f64, usize)| {
            let (low, high) = self.parameters[*parameter].domain.ends().unwrap_or_default();
            let more = matches!(comparison, Comparison::More | Comparison::AtLeast);
            if (*factor > 0.0) == more { factor * high } else { factor * low }
        };
        if self.purpose == Use::When && !comparison.holds(terms.iter().map(best).sum(), limit) {
            return Err(self.never(&named[0].1));
        }
        Ok(Test::Linear { sum: Sum { terms, limit }, comparison })
    }

    fn find(&self, name: &At<String>) -> Result<usize> {
        let found = self.parameters.iter().position(|parameter| parameter.name == name.what);
        found.ok_or_else(|| {
            let names: Vec<&str> = self.parameters.iter().map(|p| p.name.as_str()).collect();
            let reason =
                format!("there is no parameter {:?}; there are {}", name.what, names.join(", "));
            self.wrong(name.place, reason)
        })
    }

    fn never(&self, name: &At<String>) -> Error {
        self.wrong(name.place, "nothing in the space fulfils this".to_owned())
    }

    fn wrong(&self, place: usize, reason: String) -> Error {
        Error::Condition { text: self.condition.written.clone(), place, reason }
    }
}

/// The number of a discrete value, which may be written as the words of a choice.
fn number_of(domain: &Domain, value: &Value) -> Option<u64> {
    let as_written = || match domain {
        Domain::Ordered { choices } | Domain::Choice { choices } => {
            let written = value.to_string();
            choices.iter().position(|choice| choice.to_string() == written).map(|i| i as u64)
        }
        _ => None,
    };
    domain.number_of(value).or_else(as_written)
}
