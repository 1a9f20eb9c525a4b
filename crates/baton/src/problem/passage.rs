//! From one space to another: where the points of earlier tasks lie once parameters, ranges or choices have
//! changed.
//!
//! Parameters are the same if they have the same name. What earlier points lack is filled in: at the value
//! that the user states (`was`), else in the middle, from where a model may move it ([`Passage::unstated`]).
//! Points may come to lie beyond the cube, where a range was narrowed: they tell of what is within all the
//! same. A point at a choice that is gone lies nowhere.

use super::domain::Domain;
use super::parameter::Parameter;
use super::space::Space;
use super::value::Value;
use crate::Error;
use crate::error::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// What parameters were before there was a choice, by their names.
pub type Was = BTreeMap<String, Value>;

/// The way of points from one space to another.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    from: Space,
    to: Space,
    /// the same without what is fixed: a point tells what was there by its own values
    open: Space,
    parts: Vec<Part>,
}

/// What of a space no earlier task has seen.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Unseen {
    /// all of it lies within what they could try
    #[default]
    Nothing,
    /// what lies along these parameters, by their places in the space: earlier tasks did not vary them
    Along(Vec<usize>),
    /// more than that: ranges are wider, or there are other choices
    Beyond,
}

/// Where the coordinates of one parameter come from.
#[derive(Debug, Clone, PartialEq)]
enum Part {
    /// as they were
    Kept(Range<usize>),
    /// the same number on another scale
    Number(usize),
    /// the same choice at another place
    Choice(Range<usize>),
    /// earlier points lack it; its value there, if that was stated
    Filled { place: Vec<f64>, stated: Option<Value> },
}

impl Passage {
    /// The way from one space to another, in which earlier points have the values of `was` where they lack a
    /// parameter.
    ///
    /// # Errors
    /// If a parameter is something else now, is missing, or had a value that it cannot have.
    pub fn between(from: &Space, to: &Space, was: &Was) -> Result<Self> {
        let known = |name: &str| to.parameters().iter().any(|parameter| parameter.name == name);
        if let Some(gone) = from.parameters().iter().find(|parameter| !known(&parameter.name)) {
            let reason =
                "earlier tasks varied it: keep it, and say what it is fixed at now".to_owned();
            return Err(Error::Parameter { name: gone.name.clone(), reason });
        }
        let part = |now: &Parameter| match from.place_of(&now.name) {
            Some((before, range)) => kept(before, now, range),
            None => filled(now, was.get(&now.name)),
        };
        let parts = to.parameters().iter().map(part).collect::<Result<_>>()?;
        let open = |parameter: &Parameter| Parameter { fixed: None, ..parameter.clone() };
        let open = Space::new(to.parameters().iter().map(open).collect::<Vec<_>>())?;
        Ok(Self { from: from.clone(), to: to.clone(), open, parts })
    }

    /// Where a point of the earlier space lies; `None` if it has a choice that is gone, or a number that the
    /// new scale cannot have.
    pub fn point(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        let mut all = Vec::with_capacity(self.to.dimension());
        let was_there = self.from.values(coordinates);
        for (part, now) in self.parts.iter().zip(self.to.parameters()) {
            let before = self.from.parameters().iter().position(|before| before.name == now.name);
            let before = before.map(|index| (&self.from.parameters()[index], &was_there[index]));
            if before.is_some_and(|(_, value)| value.is_absent()) && !matches!(part, Part::Kept(_))
            {
                let mut place = vec![0.0; now.domain.width()];
                Domain::place_absent(&mut place);
                all.extend(place);
                continue;
            }
            match (part, before) {
                (Part::Kept(range), _) => all.extend(&coordinates[range.clone()]),
                (Part::Number(at), Some((before, _))) => {
                    let number = before.domain.number_on_scale(coordinates[*at])?;
                    all.push(now.domain.place_on_scale(number)?);
                }
                (Part::Choice(range), Some((before, _))) => {
                    let value = before.domain.value(&coordinates[range.clone()]);
                    let mut place = vec![0.0; now.domain.width()];
                    now.domain.place(now.domain.number_of(&value)?, &mut place);
                    all.extend(place);
                }
                (Part::Filled { place, .. }, _) => all.extend(place),
                (Part::Number(_) | Part::Choice(_), None) => return None,
            }
        }
        if self.open.is_conditional() {
            let point = self.open.values(&all);
            for ((_, range), value) in self.to.places().zip(&point) {
                if value.is_absent() {
                    Domain::place_absent(&mut all[range]);
                }
            }
        }
        all.iter().all(|x| x.is_finite()).then_some(all)
    }

    /// Coordinates of an earlier point.
    pub fn dimension_before(&self) -> usize {
        self.from.dimension()
    }

    /// The coordinates of each new coordinate's predecessor, and by how much a length along it changes as a
    /// logarithm; `None` where there is none.
    pub fn scales(&self) -> Vec<Option<(usize, f64)>> {
        let mut scales = Vec::with_capacity(self.to.dimension());
        for (part, now) in self.parts.iter().zip(self.to.parameters()) {
            match part {
                Part::Kept(range) => scales.extend(range.clone().map(|i| Some((i, 0.0)))),
                Part::Number(at) => {
                    let before = self.from.place_of(&now.name).map(|(before, _)| &before.domain);
                    let stretch = before.and_then(|before| before.stretch(&now.domain));
                    scales.push(stretch.map(|by| (*at, by)));
                }
                // A length scale of a choice speaks of being it or not, whatever else there is.
                Part::Choice(range) => {
                    let first = |i: usize| (range.start + i < range.end).then_some(range.start + i);
                    let width = now.domain.width();
                    scales.extend((0..width).map(|i| first(i).map(|i| (i, 0.0))));
                }
                Part::Filled { place, .. } => scales.extend(place.iter().map(|_| None)),
            }
        }
        scales
    }

    /// The coordinates that earlier points lack and of which nobody said what they were, as far as more and
    /// less mean something along them.
    pub fn unstated(&self) -> Vec<usize> {
        let graded = self.to.graded();
        let places = self.parts.iter().zip(self.to.places());
        let unstated = places.filter(|(part, _)| matches!(part, Part::Filled { stated: None, .. }));
        unstated.flat_map(|(_, (_, range))| range).filter(|i| graded.contains(i)).collect()
    }

    /// What of the space earlier tasks cannot have seen.
    pub fn unseen(&self) -> Unseen {
        let mut along = Vec::new();
        for (i, (part, now)) in self.parts.iter().zip(self.to.parameters()).enumerate() {
            let before = self.from.place_of(&now.name).map(|(before, _)| before);
            let was_varied = before.is_some_and(|before| before.fixed.is_none());
            match part {
                _ if now.fixed.is_some() => {}
                Part::Kept(_) if was_varied => {}
                Part::Kept(_) | Part::Filled { .. } => along.push(i),
                _ if before.is_some_and(|before| before.domain.covers(&now.domain)) => {}
                Part::Number(_) | Part::Choice(_) => return Unseen::Beyond,
            }
        }
        if along.is_empty() { Unseen::Nothing } else { Unseen::Along(along) }
    }

    /// What becomes of each parameter that is not as it was, in words.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for (part, now) in self.parts.iter().zip(self.to.parameters()) {
            let Parameter { name, domain, fixed, .. } = now;
            let before = self.from.place_of(name).map(|(before, _)| before);
            match (part, before) {
                (Part::Filled { stated: Some(value), .. }, _) => {
                    words.push(format!("{name} is new; it was {value}"));
                }
                (Part::Filled { .. }, _) => {
                    words.push(format!("{name} is new; what it was is learned"));
                }
                (_, Some(before)) => {
                    if before.domain != *domain {
                        words.push(format!("{name} is now {domain}, it was {}", before.domain));
                    }
                    match (&before.fixed, fixed) {
                        (was, Some(value)) if was.as_ref() != Some(value) => {
                            words.push(format!("{name} is fixed at {value}"));
                        }
                        (Some(_), None) => words.push(format!("{name} is searched again")),
                        _ => {}
                    }
                }
                (_, None) => {}
            }
        }
        words
    }
}

impl Space {
    /// The parameter that a coordinate belongs to, and the number there, or the place where it has none.
    pub(crate) fn scale_of(&self, coordinate: usize, place: f64) -> Option<(String, f64)> {
        let (parameter, _) = self.places().find(|(_, range)| range.contains(&coordinate))?;
        let number = Some(&parameter.domain).filter(|domain| domain.is_scale());
        let number = number.and_then(|domain| domain.number_on_scale(place));
        Some((parameter.name.clone(), number.unwrap_or(place)))
    }

    /// A parameter by its name, with its coordinates.
    pub(super) fn place_of(&self, name: &str) -> Option<(&Parameter, Range<usize>)> {
        self.places().find(|(parameter, _)| parameter.name == name)
    }
}

/// The way of a parameter that there was.
fn kept(before: &Parameter, now: &Parameter, range: Range<usize>) -> Result<Part> {
    if before.domain == now.domain {
        return Ok(Part::Kept(range));
    }
    if before.domain.is_scale() && now.domain.is_scale() {
        return Ok(Part::Number(range.start));
    }
    let listed = |domain: &Domain| matches!(domain, Domain::Choice { .. } | Domain::Ordered { .. });
    if listed(&before.domain) && listed(&now.domain) {
        return Ok(Part::Choice(range));
    }
    let reason = format!(
        "it was {}, and is {} now: neither is a part of the other; give it another name",
        before.domain, now.domain
    );
    Err(Error::Parameter { name: now.name.clone(), reason })
}

/// The place of a new parameter in earlier points.
fn filled(now: &Parameter, was: Option<&Value>) -> Result<Part> {
    let mut place = vec![0.0; now.domain.width()];
    let known = was.or(now.fixed.as_ref());
    match known {
        Some(value) => now.domain.locate_beyond(&now.name, value, &mut place)?,
        None => Domain::place_absent(&mut place),
    }
    Ok(Part::Filled { place, stated: known.cloned() })
}

impl Domain {
    /// Whether its values are numbers on a scale, on which any number has a place.
    fn is_scale(&self) -> bool {
        match self {
            Self::Real { .. } | Self::Integer { .. } | Self::Stepped { .. } => true,
            Self::Ordered { .. } => self.ends().is_some_and(|(low, high)| low < high),
            Self::Choice { .. } => false,
        }
    }

    fn is_log(&self) -> bool {
        matches!(self, Self::Real { log: true, .. } | Self::Integer { log: true, .. })
    }

    /// The ends of the scale, as it is divided.
    fn scale(&self) -> Option<(f64, f64)> {
        let (low, high) = match (self, self.count()) {
            // The last step is where the scale ends.
            (Self::Stepped { low, step, .. }, Some(count)) => {
                (*low, low + (count.saturating_sub(1)) as f64 * step)
            }
            _ => self.ends()?,
        };
        if self.is_log() { Some((low.ln(), high.ln())) } else { Some((low, high)) }
    }

    /// The number at a coordinate, which may lie beyond the ends.
    fn number_on_scale(&self, coordinate: f64) -> Option<f64> {
        let (low, high) = self.scale()?;
        let x = if low < high { low + coordinate * (high - low) } else { low };
        Some(if self.is_log() { x.exp() } else { x })
    }

    /// The coordinate of a number, which may lie beyond the ends; `None` if the scale cannot have it.
    fn place_on_scale(&self, number: f64) -> Option<f64> {
        let (low, high) = self.scale()?;
        let x = if self.is_log() { number.ln() } else { number };
        let only = || ((x - low).abs() <= 1e-9 * low.abs().max(1.0)).then_some(0.5);
        let place = if low < high { Some((x - low) / (high - low)) } else { only() };
        place.filter(|place| place.is_finite())
    }

    /// Whether what another one has lies within this one.
    fn covers(&self, other: &Self) -> bool {
        let listed = |domain: &Self| match domain {
            Self::Ordered { choices } | Self::Choice { choices } => Some(choices.clone()),
            _ => None,
        };
        if let (Some(were), Some(are)) = (listed(self), listed(other)) {
            return are.iter().all(|choice| were.iter().any(|earlier| earlier.same(choice)));
        }
        let (Some((low, high)), Some((from, to))) = (self.ends(), other.ends()) else {
            return false;
        };
        low <= from && to <= high
    }

    /// Writes the coordinates of a value that may lie beyond the ends.
    fn locate_beyond(&self, name: &str, value: &Value, place: &mut [f64]) -> Result<()> {
        let scaled = value.number().filter(|_| self.is_scale());
        match scaled.and_then(|number| self.place_on_scale(number)) {
            Some(coordinate) => place[0] = coordinate,
            None => self.locate(name, value, place)?,
        }
        Ok(())
    }

    /// By how much a length grows, as a logarithm, where this scale becomes another one; `None` where that
    /// depends on the place.
    fn stretch(&self, now: &Self) -> Option<f64> {
        if self.is_log() != now.is_log() {
            return None;
        }
        let [(low, high), (least, most)] = [self.scale()?, now.scale()?];
        let by = ((high - low) / (most - least)).ln();
        by.is_finite().then_some(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(parameters: impl Into<Vec<Parameter>>) -> Space {
        Space::new(parameters).unwrap()
    }

    fn passage(from: &[Parameter], to: &[Parameter], was: &[(&str, Value)]) -> Result<Passage> {
        let was = was.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Passage::between(&space(from), &space(to), &was)
    }

    #[test]
    fn numbers_keep_their_values_on_another_scale() {
        let from = [Parameter::real("x", 0.0, 10.0), Parameter::log("y", 1.0, 100.0)];
        let to = [Parameter::log("y", 1.0, 1e4), Parameter::real("x", 2.0, 4.0)];
        let passage = passage(&from, &to, &[]).unwrap();
        let point = passage.point(&[0.3, 0.5]).unwrap();
        assert!((point[0] - 0.25).abs() < 1e-12 && (point[1] - 0.5).abs() < 1e-12, "{point:?}");
        let beyond = passage.point(&[1.0, 0.5]).unwrap();
        assert!((beyond[1] - 4.0).abs() < 1e-12, "a narrowed range keeps what lies beyond");
        let scales = passage.scales();
        assert_eq!((scales[0].unwrap().0, scales[1].unwrap().0), (1, 0));
        assert!((scales[0].unwrap().1 - 0.5_f64.ln()).abs() < 1e-12);
        assert!((scales[1].unwrap().1 - 5.0_f64.ln()).abs() < 1e-12);
        assert!(passage.unstated().is_empty());
        let logged = super::Passage::between(
            &space([Parameter::real("x", -1.0, 1.0)]),
            &space([Parameter::log("x", 0.1, 1.0)]),
            &Was::new(),
        );
        let logged = logged.unwrap();
        assert!(logged.point(&[0.2]).is_none(), "a logarithm of -0.6");
        assert!(logged.scales()[0].is_none());
    }

    #[test]
    fn what_is_new_is_where_it_was_or_is_to_be_learned() {
        let from = [Parameter::real("x", 0.0, 1.0)];
        let to = [
            Parameter::real("tilt", 0.0, 10.0),
            Parameter::real("x", 0.0, 1.0),
            Parameter::integer("n", 0, 4),
            Parameter::choice("gas", ["air", "neon", "argon"]),
        ];
        let passage = passage(&from, &to, &[("tilt", 3.into())]).unwrap();
        let point = passage.point(&[0.7]).unwrap();
        let third = 1.0 / 3.0;
        assert_eq!(point, [0.3, 0.7, 0.5, third, third, third]);
        assert_eq!(passage.unstated(), [2], "of a choice there is no more and less");
        let words = passage.in_words();
        assert_eq!(words[0], "tilt is new; it was 3");
        assert_eq!(words[1], "n is new; what it was is learned");
        let fixed = [from[0].clone(), Parameter::real("tilt", 0.0, 10.0).fixed_at(2.0)];
        let passage = super::Passage::between(&space(from), &space(fixed), &Was::new()).unwrap();
        assert_eq!(passage.point(&[0.7]).unwrap(), [0.7, 0.2]);
        assert!(passage.unstated().is_empty());
    }

    #[test]
    fn steps_end_where_the_last_one_is_and_a_single_value_is_no_other() {
        let steps = [Parameter::stepped("x", 0.0, 10.0, 3.0)];
        let real = [Parameter::real("x", 0.0, 10.0)];
        let there = passage(&steps, &real, &[]).unwrap();
        assert!((there.point(&[1.0]).unwrap()[0] - 0.9).abs() < 1e-12);
        let back = passage(&real, &steps, &[]).unwrap();
        assert!((back.point(&[0.9]).unwrap()[0] - 1.0).abs() < 1e-12);
        let one = [Parameter::integer("x", 3, 3)];
        let one = passage(&[Parameter::integer("x", 1, 5)], &one, &[]).unwrap();
        assert_eq!((one.point(&[0.5]), one.point(&[1.0])), (Some(vec![0.5]), None));
    }

    #[test]
    fn choices_come_and_go() {
        let from = [Parameter::choice("gas", ["air", "neon", "argon"])];
        let to = [Parameter::choice("gas", ["argon", "air", "helium", "xenon"])];
        let passage = passage(&from, &to, &[]).unwrap();
        assert_eq!(passage.point(&[0.0, 0.0, 1.0]).unwrap(), [1.0, 0.0, 0.0, 0.0]);
        assert!(passage.point(&[0.0, 1.0, 0.0]).is_none(), "neon is gone");
    }

    #[test]
    fn what_has_no_meaning_is_refused_with_a_way_out() {
        let x = Parameter::real("x", 0.0, 1.0);
        let said = |result: Result<Passage>| result.unwrap_err().to_string();
        let gas = Parameter::choice("gas", ["air", "neon"]);
        let gone = said(passage(&[x.clone(), gas.clone()], std::slice::from_ref(&x), &[]));
        assert!(gone.contains("gas") && gone.contains("fixed at"), "{gone}");
        let other = [Parameter::real("gas", 0.0, 1.0)];
        let other = said(passage(std::slice::from_ref(&gas), &other, &[]));
        assert!(other.contains("another name"), "{other}");
        let nothing = [x.clone(), gas];
        let wrong = said(passage(&[x], &nothing, &[("gas", "helium".into())]));
        assert!(wrong.contains("helium"), "{wrong}");
    }

    #[test]
    fn what_is_absent_stays_absent_and_what_is_fixed_is_no_choice() {
        let solver = Parameter::choice("solver", ["direct", "iterative"]);
        let steps = Parameter::integer("steps", 1, 9).when("solver = iterative").unwrap();
        let wider = Parameter::integer("steps", 1, 17).when("solver = iterative").unwrap();
        let from = [solver.clone(), steps];
        let to = [solver.fixed_at("iterative"), wider];
        let passage = passage(&from, &to, &[]).unwrap();
        assert_eq!(passage.point(&[0.0, 0.5]).unwrap(), [0.0, 0.5], "direct had no steps");
        assert_eq!(passage.point(&[1.0, 1.0]).unwrap(), [1.0, 0.5]);
        let fixed = space(to);
        let point = fixed.point(&[0.0, 1.0]).unwrap();
        assert_eq!(point, [Value::from("iterative"), Value::Integer(17)]);
        assert_eq!((fixed.corners(), fixed.is_plain()), (2, false));
        assert!(fixed.coordinates(&["direct".into(), Value::Absent]).is_err());
        assert!(fixed.coordinates(&[Value::Absent, Value::Integer(3)]).is_ok(), "it is known");
    }
}
