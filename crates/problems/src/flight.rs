//! A wing trimmed for one flight condition after another: the best setting follows the condition.
//!
//! Four settings (incidence, camber, twist, flap), and for each task a condition that is known before
//! any trial: its descriptors. With `s` and `r` the Mach number and the logarithm of the Reynolds
//! number, each from 0 to 1 over its range, and `d = x - c(s, r)` in the unit cube, the value is
//! `h(s, r) - ln(1 + Q)`,
//! `Q = (a / (0.4 + 0.2 r))^2 + (b / 0.2)^2 + (d_2 / 0.3)^2 + (d_4 / 0.35)^2 + 0.6 sin^2(pi a / 0.35)`,
//! `a` and `b` the parts of `(d_1, d_3)` along and across a ridge that turns with `s`. `Q` is 0 at
//! `c(s, r)` and nowhere else: that is the optimum, and `h(s, r)` its value, by construction. The sine
//! puts local optima along the ridge.
//!
//! | descriptor | range | what it does |
//! |---|---|---|
//! | `mach` | 0.2 to 0.8 | moves the optimum on a curve, turns the ridge, sets the height |
//! | `reynolds` | 1e6 to 1e8, log | moves the optimum a little, stretches the ridge, sets the height |
//! | `heading` | 0 to 360 | nothing |
//!
//! A task draws its condition uniformly; task 0 flies in the middle of all ranges. The coarser levels
//! see 0.7 and 0.9 of `s` (less of what the Mach number does), none and half of the local optima.
//!
//! | measured over tasks 1 to 12 and 50 000 uniform points | |
//! |---|---|
//! | distance of two tasks' optima in the unit cube, mean over pairs | 0.31 |
//! | correlation of two tasks, mean over pairs (least, largest) | 0.42 (-0.35, 1.00) |
//! | correlation of the levels with the highest fidelity, mean over tasks | 0.82, 0.98, 1 |
//! | mean and standard deviation of the highest fidelity | -0.34, 0.57 |
//! | regret of another task's optimum, mean over pairs | 1.01 |
//!
//! The ignored tests of `similarity` print these.
//!
//! Noise variance 0.0016: a standard deviation of 0.04, 7 % of that of the values.

use crate::benchmark::{constant_space, levels};
use crate::moved::not_negative;
use crate::stream::{Problem, Stream};
use crate::{Benchmark, Description, Family, Optimum, Score};
use baton::Parameter;
use std::f64::consts::PI;

const DIMENSION: usize = 4;
const COSTS: [f64; 3] = [10.0, 20.0, 40.0];
/// The share of the Mach number's effect that each level sees.
const MACH_SEEN: [f64; 3] = [0.7, 0.9, 1.0];
/// The share of the local optima that each level sees.
const RIPPLE: [f64; 3] = [0.0, 0.5, 1.0];
/// Names and bounds of the settings.
const SETTINGS: [(&str, f64, f64); DIMENSION] =
    [("incidence", -4.0, 12.0), ("camber", 0.0, 6.0), ("twist", -6.0, 6.0), ("flap", 0.0, 15.0)];

/// The family.
pub(crate) struct Flight;

impl Family for Flight {
    fn name(&self) -> &'static str {
        "flight"
    }

    fn description(&self) -> Description {
        let setting = |&(name, low, high): &(&str, f64, f64)| Parameter::real(name, low, high);
        Description {
            space: constant_space(SETTINGS.iter().map(setting).collect()),
            fidelities: levels(&["panels", "coupled", "resolved"], &COSTS, 0.0016),
            budget: 800.0,
            initial: 2 * DIMENSION + 2,
            tasks: 12,
            offset: -0.34,
            scale: 0.57,
            score: Score::Regret,
        }
    }

    fn task(&self, master: u64, number: u64) -> Box<dyn Benchmark> {
        let mut stream = Stream::new(master, Problem::Flight, number, 0);
        let drawn = [stream.uniform(), stream.uniform(), stream.uniform()];
        Box::new(Condition { place: if number == 0 { [0.5; 3] } else { drawn } })
    }

    fn descriptors(&self) -> Vec<Parameter> {
        vec![
            Parameter::real("mach", 0.2, 0.8),
            Parameter::log("reynolds", 1e6, 1e8),
            Parameter::real("heading", 0.0, 360.0),
        ]
    }
}

/// One task: a flight condition.
struct Condition {
    /// Mach number, Reynolds number and heading, each from 0 to 1 over its range
    place: [f64; 3],
}

impl Benchmark for Condition {
    fn value(&self, point: &[f64], level: usize) -> f64 {
        let (Ok(point), Some(seen)) = (<&[f64; DIMENSION]>::try_from(point), MACH_SEEN.get(level))
        else {
            return f64::NAN;
        };
        let [mach, reynolds, _] = self.place;
        let mach = seen * mach;
        height(mach, reynolds) - excess(point, mach, reynolds, RIPPLE[level]).ln_1p()
    }

    fn optimum(&self) -> Optimum {
        let [mach, reynolds, _] = self.place;
        let unit = centre(mach, reynolds);
        let raw = |(x, (_, low, high)): (&f64, &(&str, f64, f64))| low + x * (high - low);
        let point: Vec<f64> = unit.iter().zip(&SETTINGS).map(raw).collect();
        let value = self.value(&point, COSTS.len() - 1);
        Optimum { point, value }
    }

    fn descriptors(&self) -> Vec<f64> {
        let [mach, reynolds, heading] = self.place;
        vec![0.2 + 0.6 * mach, 1e6 * 100_f64.powf(reynolds), 360.0 * heading]
    }
}

/// Where the optimum is, in the unit cube.
fn centre(mach: f64, reynolds: f64) -> [f64; DIMENSION] {
    [
        0.68 - 0.34 * mach + 0.1 * reynolds * (1.0 - mach),
        0.25 + 0.3 * mach * mach + 0.1 * reynolds,
        0.5 + 0.22 * (PI * (mach - 0.5)).sin(),
        0.6 - 0.25 * (2.0 * mach - 1.0).powi(2) + 0.2 * (reynolds - 0.5),
    ]
}

/// The value of the optimum.
fn height(mach: f64, reynolds: f64) -> f64 {
    1.0 + 0.8 * mach * (1.2 - mach) + 0.25 * reynolds
}

/// How far below the optimum a point is, before the logarithm; never negative.
fn excess(point: &[f64; DIMENSION], mach: f64, reynolds: f64, ripple: f64) -> f64 {
    let middle = centre(mach, reynolds);
    let [incidence, camber, twist, flap]: [f64; DIMENSION] = std::array::from_fn(|i| {
        let (_, low, high) = SETTINGS[i];
        (point[i] - low) / (high - low) - middle[i]
    });
    let (sine, cosine) = (0.3 + 0.9 * mach).sin_cos();
    let along = cosine * incidence + sine * twist;
    let across = cosine * twist - sine * incidence;
    let bowl = (along / (0.4 + 0.2 * reynolds)).powi(2)
        + (across / 0.2).powi(2)
        + (camber / 0.3).powi(2)
        + (flap / 0.35).powi(2);
    not_negative(bowl + ripple * 0.6 * (PI * along / 0.35).sin().powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MASTER;

    const TOP: usize = 2;

    fn at(mach: f64, reynolds: f64, heading: f64) -> Condition {
        Condition { place: [mach, reynolds, heading] }
    }

    /// What is lost at `own` by the best setting of `other`.
    fn regret(own: &Condition, other: &Condition) -> f64 {
        own.optimum().value - own.value(&other.optimum().point, TOP)
    }

    fn distance(one: &Condition, other: &Condition) -> f64 {
        let (a, b) = (one.optimum().point, other.optimum().point);
        let parts = a.iter().zip(&b).zip(&SETTINGS);
        parts.map(|((x, y), (_, low, high))| ((x - y) / (high - low)).powi(2)).sum::<f64>().sqrt()
    }

    /// The best of a grid, refined around its best cell until the cells are of size 1e-6.
    fn searched(condition: &Condition) -> (Vec<f64>, f64) {
        let (mut middle, mut half, cells) = ([0.5; DIMENSION], 0.5, 16);
        let mut best = (vec![0.0; DIMENSION], f64::NEG_INFINITY);
        while half > 1e-6 {
            for index in 0..(cells + 1_usize).pow(4) {
                let mut rest = index;
                let unit: [f64; DIMENSION] = std::array::from_fn(|i| {
                    let step = (rest % (cells + 1)) as f64 / cells as f64;
                    rest /= cells + 1;
                    (middle[i] + half * (2.0 * step - 1.0)).clamp(0.0, 1.0)
                });
                let point: Vec<f64> =
                    unit.iter().zip(&SETTINGS).map(|(x, (_, a, b))| a + x * (b - a)).collect();
                let value = condition.value(&point, TOP);
                if value > best.1 {
                    best = (point, value);
                }
            }
            for (place, (x, (_, low, high))) in middle.iter_mut().zip(best.0.iter().zip(&SETTINGS))
            {
                *place = (x - low) / (high - low);
            }
            half *= 0.15;
        }
        best
    }

    #[test]
    fn a_dense_search_finds_the_stated_optimum() {
        for place in [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.37, 0.81], [0.8, 0.2]] {
            let condition = at(place[0], place[1], 0.5);
            let (point, value) = searched(&condition);
            let best = condition.optimum();
            assert!(value <= best.value && value > best.value - 1e-9, "{place:?} {value} {best:?}");
            let near = |(x, y): (&f64, &f64)| (x - y).abs() < 1e-3;
            assert!(point.iter().zip(&best.point).all(near), "{place:?} {point:?} {best:?}");
            assert_eq!(best.value, height(place[0], place[1]));
        }
    }

    #[test]
    fn the_optimum_stays_well_inside() {
        for i in 0..=20 {
            for j in 0..=20 {
                let unit = centre(f64::from(i) / 20.0, f64::from(j) / 20.0);
                assert!(unit.iter().all(|x| (0.15..=0.85).contains(x)), "{i} {j} {unit:?}");
            }
        }
    }

    #[test]
    fn mach_matters_much_reynolds_some_heading_not() {
        let middle = at(0.5, 0.5, 0.5);
        let by_mach = [0.0, 1.0].map(|s| regret(&middle, &at(s, 0.5, 0.5)));
        let by_reynolds = [0.0, 1.0].map(|r| regret(&middle, &at(0.5, r, 0.5)));
        assert!(by_mach.iter().all(|lost| *lost > 1.0), "{by_mach:?}");
        assert!(by_reynolds.iter().all(|lost| (0.05..0.5).contains(lost)), "{by_reynolds:?}");
        assert_eq!(middle.optimum(), at(0.5, 0.5, 0.0).optimum());
        assert_eq!(middle.value(&[1.0; 4], 0), at(0.5, 0.5, 1.0).value(&[1.0; 4], 0));
    }

    #[test]
    fn the_optimum_moves_smoothly_on_a_curve() {
        let path: Vec<Condition> = (0..=100).map(|i| at(f64::from(i) / 100.0, 0.5, 0.5)).collect();
        let steps: Vec<f64> = path.windows(2).map(|w| distance(&w[0], &w[1])).collect();
        assert!(steps.iter().all(|step| (0.002..0.02).contains(step)), "{steps:?}");
        // No translation along a line: the way is longer than what lies between its ends.
        let (way, apart) = (steps.iter().sum::<f64>(), distance(&path[0], &path[100]));
        assert!(way > 1.1 * apart && apart > 0.4, "{way} {apart}");
    }

    #[test]
    fn the_ridge_turns() {
        // The direction in which a step away from the optimum costs least, in incidence and twist.
        let along = |mach: f64| {
            let condition = at(mach, 0.5, 0.5);
            let best = condition.optimum();
            let value = |angle: f64| {
                let mut point = best.point.clone();
                point[0] += 16.0 * 0.05 * angle.cos();
                point[2] += 12.0 * 0.05 * angle.sin();
                condition.value(&point, TOP)
            };
            let angles = (0..180).map(|degree| f64::from(degree).to_radians());
            angles.max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap()
        };
        assert!((along(1.0) - along(0.0) - 0.9).abs() < 0.1, "{} {}", along(0.0), along(1.0));
    }

    #[test]
    fn there_are_local_optima() {
        let condition = at(0.5, 0.5, 0.5);
        let best = condition.optimum();
        let (sine, cosine) = 0.75_f64.sin_cos();
        let along = |far: f64| {
            let mut point = best.point.clone();
            point[0] += 16.0 * far * cosine;
            point[2] += 12.0 * far * sine;
            condition.value(&point, TOP)
        };
        assert!(along(0.17) < along(0.32) && along(0.32) < along(0.0));
    }

    #[test]
    fn tasks_tell_their_conditions() {
        let space = constant_space(Flight.descriptors());
        for number in 0..20 {
            let told = Flight.task(MASTER, number).descriptors();
            assert_eq!(told, Flight.task(MASTER, number).descriptors());
            let values: Vec<baton::Value> = told.iter().map(|z| (*z).into()).collect();
            let unit = space.coordinates(&values).unwrap();
            if number == 0 {
                assert!(unit.iter().all(|u| (u - 0.5).abs() < 1e-12), "{unit:?}");
            }
        }
        assert_ne!(Flight.task(MASTER, 1).descriptors(), Flight.task(MASTER, 2).descriptors());
    }
}
