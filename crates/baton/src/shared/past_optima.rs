//! Past optima: where earlier tasks had their best values, and whether such places lie together.
//!
//! What one task showed may say little about the values of the next, and yet all tasks may have
//! their best in one corner of the space. The places are kept with their height above the plain; the
//! region they speak of has a density, normal kernels around them. They lie together if, leaving out
//! each in turn, the others expect it more than a spread over the whole space does.

use super::observation::Observation;
use crate::error::Result;
use crate::model::Surrogate;
use crate::problem::{Units, reflect};
use baton_numerics::random::Stream;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// Hills kept; older ones are dropped.
pub(super) const MOST_PAST_OPTIMA: usize = 32;
/// Lower than this share of the highest but one, a hill is a rise in the plain. (The highest of all
/// may be an error of measurement.)
const WORTHY: f64 = 0.5;
/// Width of the kernels as a share of the places' own spread, and the range it is held to; where there
/// are few values, it is such that none has a higher density than being the only one gives it.
const WIDTH: f64 = 1.4;
const WIDTHS: (f64, f64) = (0.01, 0.2);
/// The same around a single place.
const FIRST_WIDTH: f64 = 0.05;

/// A hill is higher above the plain than this many standard deviations of the noise, and than this
/// many units.
const STANDS_OUT: f64 = 4.0;
const LEAST_HEIGHT: f64 = 0.1;

/// Where a task had its best value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PastOptimum {
    /// coordinates
    pub place: Vec<f64>,
    /// above the plain, in units of the campaign
    pub height: f64,
}

/// Adds a hill to those of the tasks before.
pub(super) fn add(hills: &mut Vec<PastOptimum>, hill: PastOptimum) {
    hills.push(hill);
    let excess = hills.len().saturating_sub(MOST_PAST_OPTIMA);
    hills.drain(..excess);
}

/// To be given to others: of the height only its power of two is left.
pub(super) fn rounded(hill: &PastOptimum) -> PastOptimum {
    let power = hill.height.max(f64::MIN_POSITIVE).log2().floor();
    PastOptimum { place: hill.place.clone(), height: (power.min(1022.0) + 0.5).exp2() }
}

/// The part of the space that the hills speak of.
#[derive(Debug, Clone, PartialEq)]
pub struct Region<'a> {
    places: Vec<&'a [f64]>,
    /// the middle one of the heights
    pub usual_height: f64,
    /// per coordinate; none where it has no more and less
    widths: Vec<Option<f64>>,
}

impl<'a> Region<'a> {
    /// Of these hills, if there are any; `grains` as of [`crate::problem::Space::grains`].
    pub fn of(hills: &'a [PastOptimum], grains: &[Option<f64>]) -> Option<Self> {
        let mut heights: Vec<f64> = hills.iter().map(|hill| hill.height).collect();
        heights.sort_by(f64::total_cmp);
        let enough = WORTHY * heights.get(heights.len().saturating_sub(2))?;
        heights.retain(|height| *height >= enough);
        let usual_height = *heights.get(heights.len() / 2)?;
        let worthy = hills.iter().filter(|hill| hill.height >= enough);
        let places: Vec<&[f64]> = worthy.map(|hill| hill.place.as_slice()).collect();
        let width = |(j, grain): (usize, &Option<f64>)| grain.map(|grain| width(&places, j, grain));
        let widths = grains.iter().enumerate().map(width).collect();
        Some(Self { places, usual_height, widths })
    }

    /// The newest of the places.
    pub fn newest(&self) -> &[f64] {
        self.places[self.places.len() - 1]
    }

    /// Whether two points differ by less than the width of the kernels.
    pub fn are_near(&self, a: &[f64], b: &[f64]) -> bool {
        let coordinates = a.iter().zip(b).zip(&self.widths);
        coordinates.into_iter().all(|((a, b), width)| (a - b).abs() <= width.unwrap_or(0.0))
    }

    /// Whether there are several places, and closer together than by chance.
    pub fn is_one(&self) -> bool {
        let n = self.places.len();
        let others = |i: usize| (0..n).filter(move |k| *k != i);
        let expected = |i: usize| {
            let density: f64 = others(i).map(|k| self.kernel(self.places[k], self.places[i])).sum();
            (density / (n as f64 - 1.0)).max(f64::MIN_POSITIVE).ln()
        };
        n > 1 && (0..n).map(expected).sum::<f64>() > 0.0
    }

    /// A place in it, drawn at random.
    pub fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let centre = self.places[stream.below(self.places.len())];
        let near = |(u, width): (&f64, &Option<f64>)| match width {
            Some(width) => reflect(u + width * stream.normal()),
            None => *u,
        };
        centre.iter().zip(&self.widths).map(near).collect()
    }

    fn kernel(&self, centre: &[f64], place: &[f64]) -> f64 {
        let along = |j: usize| {
            let width = self.widths[j]?;
            let z = (place[j] - centre[j]) / width;
            Some(-0.5 * z * z - (width * TAU.sqrt()).ln())
        };
        (0..place.len()).filter_map(along).sum::<f64>().exp()
    }
}

fn width(places: &[&[f64]], j: usize, grain: f64) -> f64 {
    let least = WIDTHS.0.max(grain / TAU.sqrt());
    if places.len() < 2 {
        return FIRST_WIDTH.max(least);
    }
    let n = places.len() as f64;
    let mean = places.iter().map(|place| place[j]).sum::<f64>() / n;
    let squares: f64 = places.iter().map(|place| (place[j] - mean).powi(2)).sum();
    (WIDTH * (squares / (n - 1.0)).sqrt()).clamp(least, WIDTHS.1.max(least))
}

/// What values are compared with, in units of the campaign.
pub(crate) struct Plain {
    units: Units,
    level: f64,
    /// standard deviation at the highest fidelity
    noise: f64,
}

impl Plain {
    pub(crate) fn of(units: &Units, surrogate: &Surrogate, theta: &[f64]) -> Result<Self> {
        let level = units.link().apply(surrogate.prior_mean(theta)?);
        let noise = surrogate.noise_variance(theta, surrogate.levels() - 1)?.sqrt();
        Ok(Self { units: *units, level, noise })
    }

    /// The best feasible value at the highest fidelity, if it stands out from the noise.
    pub(crate) fn highest(&self, observations: &[Observation], top: usize) -> Option<PastOptimum> {
        let at_top = observations.iter().filter(|o| o.level == top && o.feasible);
        let hill = |o: &Observation| PastOptimum {
            place: o.coordinates.clone(),
            height: self.units.to_model(o.value) - self.level,
        };
        let best = at_top.map(hill).reduce(|a, b| if b.height > a.height { b } else { a });
        let enough = (STANDS_OUT * self.noise).max(LEAST_HEIGHT);
        best.filter(|hill| hill.height.is_finite() && hill.height > enough)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::stream;

    const GRADED: [Option<f64>; 3] = [Some(0.0); 3];

    fn hills(places: &[[f64; 3]]) -> Vec<PastOptimum> {
        places.iter().map(|place| PastOptimum { place: place.to_vec(), height: 4.0 }).collect()
    }

    #[test]
    fn places_in_a_corner_are_one_region_and_places_all_over_are_not() {
        let mut stream = stream(3);
        let (mut together, mut scattered) = (0, 0);
        for _ in 0..200 {
            let mut places = |side: f64| -> Vec<[f64; 3]> {
                (0..4).map(|_| std::array::from_fn(|_| side * stream.uniform())).collect()
            };
            let (corner, anywhere) = (hills(&places(0.15)), hills(&places(1.0)));
            together += usize::from(Region::of(&corner, &GRADED).unwrap().is_one());
            scattered += usize::from(Region::of(&anywhere, &GRADED).unwrap().is_one());
        }
        assert!(together > 195, "{together}");
        assert!(scattered < 20, "{scattered}");
    }

    #[test]
    fn low_hills_do_not_count_and_draws_stay_near() {
        let mut known = hills(&[[0.2, 0.3, 0.5], [0.22, 0.31, 0.5]]);
        known.push(PastOptimum { place: vec![0.9, 0.9, 0.0], height: 1.0 });
        let region = Region::of(&known, &[Some(0.0), Some(0.0), None]).unwrap();
        assert_eq!((region.newest(), region.usual_height), (&[0.22, 0.31, 0.5][..], 4.0));
        let mut stream = stream(4);
        for _ in 0..100 {
            let place = region.draw(&mut stream);
            assert!((place[0] - 0.2).abs() < 0.1 && (place[1] - 0.3).abs() < 0.1, "{place:?}");
            assert!((place[2] - 0.5).abs() < f64::EPSILON, "no more and less there");
        }
        assert!(Region::of(&[], &GRADED).is_none());
    }

    #[test]
    fn a_parameter_with_one_value_is_no_evidence_and_one_false_height_no_harm() {
        let mut known = hills(&[[0.1, 0.5, 0.5], [0.6, 0.5, 0.5]]);
        let region = |known: &[PastOptimum], grain: f64| {
            Region::of(known, &[Some(0.0), Some(grain), Some(grain)]).unwrap().is_one()
        };
        assert!(region(&known, 0.0) && !region(&known, 1.0));
        known.push(PastOptimum { place: vec![0.5; 3], height: 1e6 });
        assert_eq!(Region::of(&known, &GRADED).unwrap().places.len(), 3);
    }

    #[test]
    fn of_a_height_given_to_others_its_power_of_two_is_left() {
        let rounded = |height: f64| rounded(&PastOptimum { place: vec![0.5], height }).height;
        assert!((rounded(8.0) - 128.0_f64.sqrt()).abs() < 1e-12);
        assert!((rounded(11.0) - rounded(8.0)).abs() < 1e-12);
        assert!(rounded(f64::MAX).is_finite() && rounded(-1.0) >= 0.0);
    }
}
