//! What is forbidden, and the ways around it.
//!
//! Each line is a combination that must not be. [`Space::snap`] is the one place that leaves it: along the
//! shortest way over the border of a sum, else towards the nearest of some places that are known to be
//! allowed. So whatever comes from coordinates is allowed.

use super::condition::{Bound, Condition, Sum, Use};
use super::domain::Domain;
use super::space::{Bans, Space};
use super::value::Value;
use crate::Error;
use crate::error::Result;
use baton_numerics::random::{Key, Purpose, Stream};
use baton_numerics::{Mat, sobol};

/// Points that are looked at to know a space.
const SAMPLE: usize = 1_024;
/// The same again and again, where none was allowed.
const MORE_SAMPLES: usize = 32;
/// Allowed places that are remembered.
const ANCHORS: usize = 64;
/// Discrete spaces up to this size are looked at as a whole.
const LISTED: u64 = 4_096;
/// Points that are drawn for each one that is wanted.
const DRAWS: usize = 16;
/// Steps over borders, one after the other.
const STEPS: usize = 40;
/// How far behind a border a step ends, as a share of what is summed up; twice as far with each step.
const BEHIND: f64 = 1e-13;
const FARTHEST_BEHIND: f64 = 1e-4;
/// Halvings of the way to an allowed place.
const HALVINGS: u32 = 30;

/// A place next to what is forbidden.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// its coordinates
    pub coordinates: Vec<f64>,
    /// the directions across the borders that were crossed to get there, at right angles to each other
    pub across: Vec<Vec<f64>>,
}

impl Space {
    /// The same space without some combinations: `forbid(["x + y > 1.2", "solver = direct and
    /// cores > 8"])`. Each line is one that must not be.
    ///
    /// # Errors
    /// If a line cannot be understood, or (nearly) nothing is left.
    pub fn forbid<S: AsRef<str>>(self, lines: impl IntoIterator<Item = S>) -> Result<Self> {
        let read = |line: S| Condition::parse(line.as_ref());
        self.without(lines.into_iter().map(read).collect::<Result<_>>()?)
    }

    /// The same, of lines that were read.
    ///
    /// # Errors
    /// As [`Space::forbid`].
    pub fn without(mut self, lines: Vec<Condition>) -> Result<Self> {
        let bind = |line: &Condition| Bound::new(line, &self.parameters, Use::Forbid);
        let bound = lines.iter().map(bind).collect::<Result<Vec<_>>>()?;
        self.bans = Bans { lines, bound, anchors: Vec::new() };
        if !self.bans.is_empty() {
            self.bans.anchors = self.allowed_places()?;
        }
        Ok(self)
    }

    /// Whether a line can be used in this space.
    ///
    /// # Errors
    /// Says what in it cannot.
    pub fn check_line(&self, line: &Condition) -> Result<()> {
        Bound::new(line, &self.parameters, Use::Forbid).map(drop)
    }

    /// The combinations that must not be.
    pub fn forbidden(&self) -> &[Condition] {
        &self.bans.lines
    }

    /// The line that forbids a point, if one does.
    pub fn forbids(&self, point: &[Value]) -> Option<&Condition> {
        let mut lines = self.bans.lines.iter().zip(&self.bans.bound);
        lines.find(|(_, bound)| bound.holds(&self.parameters, point)).map(|(line, _)| line)
    }

    /// Refuses a point that somebody wants to evaluate although it is forbidden.
    ///
    /// # Errors
    /// Says which line forbids it.
    pub fn check_allowed(&self, point: &[Value]) -> Result<()> {
        match self.forbids(point) {
            Some(line) => Err(Error::Forbidden { what: "the point", reason: line.to_string() }),
            None => Ok(()),
        }
    }

    fn is_allowed(&self, coordinates: &[f64]) -> bool {
        self.forbids(&self.values(coordinates)).is_none()
    }

    /// Points spread evenly over what is allowed, one column each. More of them begin with the same ones.
    pub fn scattered(&self, count: usize, stream: &mut Stream) -> Mat<f64> {
        let dimension = self.dimension();
        self.allowed_of(count, |count| sobol::shifted_points(dimension, count, stream))
    }

    /// So many points as are drawn, without those that are forbidden. Where hardly anything is allowed, some
    /// of these are moved to where it is.
    pub fn allowed_of(&self, count: usize, draw: impl FnOnce(usize) -> Mat<f64>) -> Mat<f64> {
        if self.bans.is_empty() {
            return draw(count);
        }
        let drawn = draw(count.saturating_mul(DRAWS));
        let mut refused = Vec::new();
        let mut points = Vec::new();
        for column in (0..drawn.ncols()).map(|j| drawn.col_as_slice(j)) {
            if points.len() == count {
                break;
            }
            if self.is_allowed(column) {
                points.push(column.to_vec());
            } else {
                refused.push(column);
            }
        }
        let missing = count - points.len();
        points.extend(refused.into_iter().take(missing).map(|column| {
            let mut moved = column.to_vec();
            self.snap(&mut moved);
            moved
        }));
        Mat::from_fn(self.dimension(), points.len(), |i, j| points[j][i])
    }

    /// Points all over the space, allowed or not, always the same.
    pub(super) fn sample(&self) -> Mat<f64> {
        sobol::shifted_points(self.dimension(), SAMPLE, &mut sampling(0))
    }

    /// Some places that are allowed.
    fn allowed_places(&self) -> Result<Vec<Vec<f64>>> {
        if let Some(all) = self.enumerate(LISTED) {
            let step = all.ncols().div_ceil(ANCHORS).max(1);
            let some = (0..all.ncols()).step_by(step).map(|j| all.col_as_slice(j).to_vec());
            return self.not_none(some.collect(), "all of its points");
        }
        let mut places = Vec::new();
        for lane in 0..MORE_SAMPLES {
            let mut stream = sampling(u32::try_from(lane).unwrap_or_default());
            let sample = sobol::shifted_points(self.dimension(), SAMPLE, &mut stream);
            for column in (0..SAMPLE).map(|j| sample.col_as_slice(j)) {
                let mut place = column.to_vec();
                self.round(&mut place);
                let found = self.beside(&place).map(|beside| beside.coordinates);
                places.extend(found);
                if places.len() == ANCHORS {
                    return Ok(places);
                }
            }
            if !places.is_empty() {
                return Ok(places);
            }
        }
        self.not_none(places, "(nearly) all of it, as far as some 30,000 points show,")
    }

    fn not_none(&self, places: Vec<Vec<f64>>, what: &'static str) -> Result<Vec<Vec<f64>>> {
        if !places.is_empty() {
            return Ok(places);
        }
        let lines: Vec<String> = self.bans.lines.iter().map(ToString::to_string).collect();
        Err(Error::Forbidden { what, reason: lines.join("; ") })
    }

    /// Moves rounded coordinates to where nothing forbids them.
    pub(super) fn leave_forbidden(&self, coordinates: &mut [f64]) {
        if self.bans.is_empty() || self.is_allowed(coordinates) {
            return;
        }
        let found = match self.beside(coordinates) {
            Some(beside) => Some(beside.coordinates),
            None => self.towards_an_anchor(coordinates),
        };
        if let Some(found) = found {
            coordinates.copy_from_slice(&found);
        }
    }

    /// The first allowed place on the way to the nearest place that is known to be allowed.
    fn towards_an_anchor(&self, from: &[f64]) -> Option<Vec<f64>> {
        let gap = |to: &[f64]| from.iter().zip(to).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let anchors = self.bans.anchors.iter();
        let anchor = anchors.min_by(|a, b| gap(a).total_cmp(&gap(b)))?;
        let along = |share: f64| {
            let mut place: Vec<f64> =
                from.iter().zip(anchor).map(|(a, b)| a + share * (b - a)).collect();
            self.round(&mut place);
            place
        };
        let (mut before, mut share, mut found) = (0.0, 1.0, anchor.clone());
        for _ in 0..HALVINGS {
            let middle = 0.5 * (before + share);
            let place = along(middle);
            if self.is_allowed(&place) { (share, found) = (middle, place) } else { before = middle }
        }
        Some(found)
    }

    /// The nearest allowed place with the same discrete values, over the borders of sums; the same place, if
    /// it is allowed. `None` if no such way was found. The coordinates are rounded ones.
    pub fn beside(&self, coordinates: &[f64]) -> Option<Beside> {
        let (mut here, mut across) = (coordinates.to_vec(), Vec::new());
        let mut behind = BEHIND;
        for _ in 0..STEPS {
            let point = self.values(&here);
            let mut bans = self.bans.bound.iter();
            let Some(ban) = bans.find(|ban| ban.holds(&self.parameters, &point)) else {
                return Some(Beside { coordinates: here, across });
            };
            let steps = ban.sums().filter_map(|sum| self.step(&sum, &here, &point, behind));
            let step = steps.min_by(|a, b| a.length.total_cmp(&b.length))?;
            here = step.to;
            keep_direction(&mut across, step.across);
            behind = (2.0 * behind).min(FARTHEST_BEHIND);
        }
        None
    }

    /// The shortest step after which a sum is below its limit, if its slope stayed as it is.
    fn step(&self, sum: &Sum, here: &[f64], point: &[Value], behind: f64) -> Option<Step> {
        let (mut excess, mut size) = (-sum.limit, sum.limit.abs());
        let mut slopes: Vec<(usize, f64)> = Vec::new();
        for (factor, index) in &sum.terms {
            let x = point[*index].number()?;
            excess += factor * x;
            size += (factor * x).abs();
            let place = self.first_coordinate(*index);
            let slope = factor * slope_of(&self.parameters[*index].domain, x);
            let is_blocked = if slope > 0.0 { here[place] <= 0.0 } else { here[place] >= 1.0 };
            if slope != 0.0 && !is_blocked {
                slopes.push((place, slope));
            }
        }
        // The largest slope is taken out: squares of it may be beyond all numbers.
        let largest = slopes.iter().map(|(_, slope)| slope.abs()).reduce(f64::max)?;
        let norm = slopes.iter().map(|(_, slope)| (slope / largest).powi(2)).sum::<f64>().sqrt();
        let length = (excess + behind * size) / largest / norm;
        if !length.is_finite() {
            return None;
        }
        let (mut to, mut across) = (here.to_vec(), vec![0.0; here.len()]);
        for (place, slope) in slopes {
            across[place] = slope / largest / norm;
            to[place] = (to[place] - length * across[place]).clamp(0.0, 1.0);
        }
        Some(Step { length, to, across })
    }
}

/// A step over a border.
struct Step {
    length: f64,
    to: Vec<f64>,
    across: Vec<f64>,
}

fn sampling(lane: u32) -> Stream {
    Key::default().stream(Purpose::InitialDesign, lane)
}

/// How much a continuous parameter changes along its coordinate; nothing, if it is discrete.
fn slope_of(domain: &Domain, x: f64) -> f64 {
    match domain {
        Domain::Real { low, high, log: false } => high - low,
        Domain::Real { low, high, log: true } => x * (high.ln() - low.ln()),
        _ => 0.0,
    }
}

/// Adds what is new in a direction, at a right angle to those before.
fn keep_direction(known: &mut Vec<Vec<f64>>, mut direction: Vec<f64>) {
    for other in known.iter() {
        take_out(&mut direction, other);
    }
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 1e-6 {
        for x in &mut direction {
            *x /= length;
        }
        known.push(direction);
    }
}

/// Leaves of a vector what is at a right angle to a direction of length one.
pub(crate) fn take_out(vector: &mut [f64], direction: &[f64]) {
    let along: f64 = vector.iter().zip(direction).map(|(a, b)| a * b).sum();
    vector.iter_mut().zip(direction).for_each(|(x, b)| *x -= along * b);
}
