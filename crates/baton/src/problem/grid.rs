//! Discrete parameters as a grid: all its points, and the neighbours of one.

use super::domain::Domain;
use super::parameter::Parameter;
use super::space::Space;
use super::value::Value;
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, sobol};
use std::ops::Range;

/// Places to begin at along what is there now and was absent before, besides the middle.
const ENTRIES: usize = 7;

impl Space {
    /// All legal points, one column each, if the values of all parameters have at most `limit`
    /// combinations.
    pub fn enumerate(&self, limit: u64) -> Option<Mat<f64>> {
        let counts: Vec<u64> =
            self.parameters.iter().map(Parameter::count).collect::<Option<_>>()?;
        let total = counts.iter().try_fold(1_u64, |product, count| product.checked_mul(*count))?;
        if total > limit {
            return None;
        }
        let mut points = Mat::zeros(self.dimension(), usize::try_from(total).ok()?);
        for j in 0..points.ncols() {
            let mut rest = j as u64;
            for ((parameter, range), count) in self.places().zip(&counts) {
                parameter.place(rest % count, &mut points.col_as_slice_mut(j)[range]);
                rest /= count;
            }
        }
        if !self.is_plain() {
            let legal: Vec<usize> = (0..points.ncols())
                .filter(|j| self.is_listed(points.col_as_slice_mut(*j)))
                .collect();
            points = Mat::from_fn(points.nrows(), legal.len(), |i, j| points[(i, legal[j])]);
        }
        Some(points)
    }

    /// Whether a combination stands for a point: it is allowed, and what is absent has its first value.
    /// Moves what is absent to its place.
    fn is_listed(&self, coordinates: &mut [f64]) -> bool {
        let point = self.values(coordinates);
        let twin = |((parameter, range), value): ((&Parameter, Range<usize>), &Value)| {
            value.is_absent() && parameter.index(&coordinates[range]) != Some(0)
        };
        if self.places().zip(&point).any(twin) || self.forbids(&point).is_some() {
            return false;
        }
        self.round(coordinates);
        true
    }

    /// The points that differ from a legal one in one discrete parameter: every other choice, and
    /// steps of 1, 2, 4, .. values up and down an ordered one. What was absent and is there now may lie
    /// anywhere: there are several such neighbours.
    pub fn neighbours(&self, coordinates: &[f64]) -> Vec<Vec<f64>> {
        let mut result = Vec::new();
        let here = self.is_conditional().then(|| self.values(coordinates));
        for (i, (parameter, range)) in self.places().enumerate() {
            if here.as_ref().is_some_and(|here| here[i].is_absent()) {
                continue;
            }
            let (Some(count), Some(index)) =
                (parameter.count(), parameter.index(&coordinates[range.clone()]))
            else {
                continue;
            };
            for other in nearby(&parameter.domain, index, count) {
                let mut moved = coordinates.to_vec();
                parameter.place(other, &mut moved[range.clone()]);
                match &here {
                    Some(here) => self.enter(&moved, here, &mut result),
                    None => result.push(moved),
                }
            }
        }
        if !self.bans.is_empty() {
            for moved in &mut result {
                self.snap(moved);
            }
        }
        result
    }

    /// Adds a neighbour of a point; several, if something is there now that was absent.
    fn enter(&self, moved: &[f64], here: &[Value], result: &mut Vec<Vec<f64>>) {
        let mut middle = moved.to_vec();
        self.round(&mut middle);
        let now = self.values(&middle);
        let entered = now.iter().zip(here).any(|(now, here)| here.is_absent() && !now.is_absent());
        result.push(middle);
        if !entered {
            return;
        }
        let mut stream = Key::default().stream(Purpose::Candidates, 0);
        let drawn = sobol::shifted_points(self.dimension(), ENTRIES, &mut stream);
        for column in drawn.col_iter() {
            let mut place = moved.to_vec();
            for ((_, range), here) in self.places().zip(here) {
                if here.is_absent() {
                    range.for_each(|i| place[i] = column[i]);
                }
            }
            self.round(&mut place);
            result.push(place);
        }
    }
}

fn nearby(domain: &Domain, index: u64, count: u64) -> Vec<u64> {
    if matches!(domain, Domain::Choice { .. }) {
        return (0..count).filter(|other| *other != index).collect();
    }
    let jumps = (0..63).map(|power| 1_u64 << power).take_while(|jump| *jump < count);
    jumps
        .flat_map(|jump| [index.checked_sub(jump), index.checked_add(jump)])
        .flatten()
        .filter(|other| *other < count)
        .collect()
}
