//! Bounded quasi-Newton ascent from many starts.
//!
//! A climber is a projected limited-memory BFGS ascent that is asked for its next trial point
//! and told the height there; it evaluates nothing itself. [`ascend`] moves many climbers in
//! lockstep and hands all their trial points over at once, so that whoever evaluates them can use
//! whole matrix products. Coordinates at a bound whose slope points outward are held; steps are
//! projected onto the box and halved until they gain enough (Armijo). A height that is not a finite
//! number is treated as a step too far.

use faer::{Mat, MatRef};
use std::collections::VecDeque;

/// Share of the gain promised by the slope that a step has to deliver.
const SUFFICIENT: f64 = 1e-4;
const MOST_HALVINGS: u32 = 25;

/// A box. Infinite bounds are allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    /// lower bound of every coordinate
    pub low: Vec<f64>,
    /// upper bound of every coordinate
    pub high: Vec<f64>,
}

impl Bounds {
    /// `[0, 1]^dimension`.
    pub fn unit_cube(dimension: usize) -> Self {
        Self { low: vec![0.0; dimension], high: vec![1.0; dimension] }
    }

    /// The whole space.
    pub fn none(dimension: usize) -> Self {
        Self { low: vec![f64::NEG_INFINITY; dimension], high: vec![f64::INFINITY; dimension] }
    }

    fn project(&self, point: &mut [f64]) {
        for ((x, low), high) in point.iter_mut().zip(&self.low).zip(&self.high) {
            *x = x.max(*low).min(*high);
        }
    }

    /// Coordinates without a bound of their own are free.
    fn blocks(&self, i: usize, x: f64, slope: f64) -> bool {
        let low = self.low.get(i).copied().unwrap_or(f64::NEG_INFINITY);
        let high = self.high.get(i).copied().unwrap_or(f64::INFINITY);
        (x <= low && slope < 0.0) || (x >= high && slope > 0.0)
    }
}

/// When and how far a climber goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Effort {
    /// accepted steps at most
    pub iterations: u32,
    /// largest coordinate of the first step
    pub first_step: f64,
    /// a step that gains less than this share of the height is the last
    pub tolerance: f64,
    /// pairs of steps and slope changes remembered
    pub memory: usize,
    /// which climbers are given up on the way
    pub thinning: Thinning,
}

/// Climbers that trail are given up: after every `every` rounds of evaluations those that have come
/// close to a higher one, whose summit they would reach too, and of all but the highest `share`, but
/// never so many that fewer than `least` go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thinning {
    /// rounds between two reviews; 0: nobody is given up
    pub every: u32,
    /// what part of the climbers goes on after a review
    pub share: f64,
    /// climbers that go on in any case
    pub least: usize,
    /// climbers closer than this in every coordinate are on the same hill
    pub apart: f64,
}

impl Thinning {
    /// Everybody climbs to the end.
    pub const NONE: Self = Self { every: 0, share: 1.0, least: 0, apart: 0.0 };

    /// How many of so many climbers go on.
    pub fn kept(&self, climbers: usize) -> usize {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
        let share = (self.share * climbers as f64).ceil() as usize;
        share.max(self.least).min(climbers)
    }
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            iterations: 100,
            first_step: 0.1,
            tolerance: 1e-10,
            memory: 8,
            thinning: Thinning::NONE,
        }
    }
}

/// Height and slope at one point.
#[derive(Debug, Clone, PartialEq)]
pub struct Height {
    /// value of the objective
    pub value: f64,
    /// its gradient
    pub slope: Vec<f64>,
}

/// Where a climber ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Summit {
    /// the best point found
    pub point: Vec<f64>,
    /// the height there; minus infinity if no point of this climber had a finite height
    pub value: f64,
    /// how often the objective was evaluated for this climber
    pub evaluations: u32,
}

/// Climbs from every column of `starts` at once. `evaluate` receives the trial points that are due,
/// one column each, with the indices of their climbers, and returns one height per column.
pub fn ascend(
    starts: MatRef<'_, f64>,
    bounds: &Bounds,
    effort: Effort,
    mut evaluate: impl FnMut(MatRef<'_, f64>, &[usize]) -> Vec<Height>,
) -> Vec<Summit> {
    let mut climbers: Vec<Climber<'_>> = (0..starts.ncols())
        .map(|j| Climber::new(starts.col(j).iter().copied().collect(), bounds, effort))
        .collect();
    let mut kept = climbers.len();
    for round in 1_u32.. {
        let due: Vec<usize> = (0..climbers.len()).filter(|c| !climbers[*c].done).collect();
        if due.is_empty() {
            break;
        }
        let trials = Mat::from_fn(starts.nrows(), due.len(), |i, j| climbers[due[j]].trial[i]);
        let mut heights = evaluate(trials.as_ref(), &due).into_iter();
        for climber in due {
            // A height that is missing counts as one that is not a number.
            let missing = || Height { value: f64::NAN, slope: Vec::new() };
            climbers[climber].observe(heights.next().unwrap_or_else(missing));
        }
        let Thinning { every, apart, .. } = effort.thinning;
        if every > 0 && round % every == 0 {
            kept = effort.thinning.kept(kept);
            give_up_trailing(&mut climbers, kept, apart);
        }
    }
    climbers.into_iter().map(Climber::summit).collect()
}

/// Ends climbers that are close to a higher one, and all but the highest `kept` of the others; among
/// equals the first go on.
fn give_up_trailing(climbers: &mut [Climber<'_>], kept: usize, apart: f64) {
    let height = |c: &Climber<'_>| c.here.as_ref().map_or(f64::NEG_INFINITY, |here| here.value);
    let mut order: Vec<usize> = (0..climbers.len()).collect();
    order.sort_by(|a, b| height(&climbers[*b]).total_cmp(&height(&climbers[*a])));
    let mut hills: Vec<usize> = Vec::new();
    for index in order {
        let close = |other: &usize| {
            let gaps = climbers[*other].point.iter().zip(&climbers[index].point);
            gaps.into_iter().all(|(a, b)| (a - b).abs() < apart)
        };
        if hills.len() == kept || hills.iter().any(close) {
            climbers[index].done = true;
        } else {
            hills.push(index);
        }
    }
}

struct Climber<'a> {
    bounds: &'a Bounds,
    effort: Effort,
    point: Vec<f64>,
    /// `None` until the start has been evaluated
    here: Option<Height>,
    direction: Vec<f64>,
    step: f64,
    trial: Vec<f64>,
    halvings: u32,
    /// (step taken, fall of the slope, 1 / their product), oldest first
    memory: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
    accepted: u32,
    evaluations: u32,
    done: bool,
}

impl<'a> Climber<'a> {
    fn new(mut point: Vec<f64>, bounds: &'a Bounds, effort: Effort) -> Self {
        bounds.project(&mut point);
        Self {
            bounds,
            effort,
            trial: point.clone(),
            direction: vec![0.0; point.len()],
            point,
            here: None,
            step: 1.0,
            halvings: 0,
            memory: VecDeque::new(),
            accepted: 0,
            evaluations: 0,
            done: false,
        }
    }

    fn summit(self) -> Summit {
        let value = self.here.map_or(f64::NEG_INFINITY, |height| height.value);
        Summit { point: self.point, value, evaluations: self.evaluations }
    }

    fn observe(&mut self, there: Height) {
        self.evaluations += 1;
        let sound = there.value.is_finite()
            && there.slope.len() == self.point.len()
            && there.slope.iter().all(|s| s.is_finite());
        let Some(here) = &self.here else {
            if sound {
                self.here = Some(there);
                self.turn();
            } else {
                self.done = true;
            }
            return;
        };
        let moved = difference(&self.trial, &self.point);
        let enough = here.value + SUFFICIENT * dot(&here.slope, &moved);
        if sound && there.value >= enough && there.value > here.value {
            self.accept(there, moved);
        } else {
            self.shorten();
        }
    }

    fn accept(&mut self, there: Height, moved: Vec<f64>) {
        let Some(here) = self.here.take() else { return };
        let gained = there.value - here.value;
        let fall = difference(&here.slope, &there.slope);
        let curvature = dot(&moved, &fall);
        if curvature > 1e-12 * dot(&moved, &moved).sqrt() * dot(&fall, &fall).sqrt() {
            if self.memory.len() == self.effort.memory {
                self.memory.pop_front();
            }
            self.memory.push_back((moved, fall, 1.0 / curvature));
        }
        let small = gained <= self.effort.tolerance * there.value.abs().max(here.value.abs());
        self.point.copy_from_slice(&self.trial);
        self.here = Some(there);
        self.accepted += 1;
        self.halvings = 0;
        if small || self.accepted >= self.effort.iterations {
            self.done = true;
        } else {
            self.turn();
        }
    }

    fn shorten(&mut self) {
        self.step *= 0.5;
        self.halvings += 1;
        if self.halvings <= MOST_HALVINGS {
            self.set_trial();
        } else if self.memory.is_empty() {
            self.done = true;
        } else {
            // The remembered curvature misleads here: forget it and go by the slope once more.
            self.memory.clear();
            self.halvings = 0;
            self.turn();
        }
    }

    /// Chooses a new direction at the present point.
    fn turn(&mut self) {
        let Some(here) = &self.here else { return };
        let free: Vec<f64> = (0..self.point.len())
            .map(|i| {
                let held = self.bounds.blocks(i, self.point[i], here.slope[i]);
                if held { 0.0 } else { here.slope[i] }
            })
            .collect();
        let mut direction = self.two_loops(&free);
        for (d, slope) in direction.iter_mut().zip(&free) {
            if *slope == 0.0 {
                *d = 0.0;
            }
        }
        let uphill = dot(&direction, &free);
        if self.memory.is_empty() || !uphill.is_finite() || uphill <= 0.0 {
            let steepest = free.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
            if steepest == 0.0 {
                self.done = true;
                return;
            }
            self.memory.clear();
            direction = free.iter().map(|s| s / steepest * self.effort.first_step).collect();
        }
        self.direction = direction;
        self.step = 1.0;
        self.set_trial();
    }

    fn set_trial(&mut self) {
        for ((t, x), d) in self.trial.iter_mut().zip(&self.point).zip(&self.direction) {
            *t = x + self.step * d;
        }
        self.bounds.project(&mut self.trial);
        if self.trial == self.point {
            self.done = true;
        }
    }

    /// The usual two-loop product of the inverse curvature with a slope.
    fn two_loops(&self, slope: &[f64]) -> Vec<f64> {
        let mut q = slope.to_vec();
        let mut shares = Vec::with_capacity(self.memory.len());
        for (moved, fall, inverse) in self.memory.iter().rev() {
            let share = inverse * dot(moved, &q);
            q.iter_mut().zip(fall).for_each(|(q, f)| *q -= share * f);
            shares.push(share);
        }
        if let Some((_, fall, inverse)) = self.memory.back() {
            let scale = 1.0 / (inverse * dot(fall, fall));
            for q in &mut q {
                *q *= scale;
            }
        }
        for ((moved, fall, inverse), share) in self.memory.iter().zip(shares.iter().rev()) {
            let correction = share - inverse * dot(fall, &q);
            q.iter_mut().zip(moved).for_each(|(q, m)| *q += correction * m);
        }
        q
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn climb(
        starts: &Mat<f64>,
        bounds: &Bounds,
        f: impl Fn(&[f64]) -> (f64, Vec<f64>),
    ) -> Vec<Summit> {
        let effort = Effort { iterations: 500, tolerance: 1e-15, ..Effort::default() };
        ascend(starts.as_ref(), bounds, effort, |trials, _| {
            let heights = trials.col_iter().map(|x| {
                let (value, slope) = f(&x.iter().copied().collect::<Vec<_>>());
                Height { value, slope }
            });
            heights.collect()
        })
    }

    fn rosenbrock(x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (-a * a - 100.0 * b * b, vec![2.0 * a + 400.0 * b * x[0], -200.0 * b])
    }

    #[test]
    fn the_curved_valley_is_climbed_to_its_end() {
        let starts = Mat::from_fn(2, 3, |i, j| [[-1.2, 1.0], [2.0, -2.0], [0.0, 0.0]][j][i]);
        for summit in climb(&starts, &Bounds::none(2), rosenbrock) {
            assert!(summit.value > -1e-12, "{summit:?}");
            assert!(summit.evaluations < 150, "{summit:?}");
        }
    }

    #[test]
    fn the_best_point_on_the_boundary_is_found() {
        // Within x0 <= 0.5 the best of the valley is at (0.5, 0.25).
        let bounds = Bounds { low: vec![-2.0, -2.0], high: vec![0.5, 2.0] };
        let starts = Mat::from_fn(2, 2, |i, j| [[-1.2, 1.0], [0.5, 1.9]][j][i]);
        for summit in climb(&starts, &bounds, rosenbrock) {
            assert!((summit.point[0] - 0.5).abs() < 1e-9, "{summit:?}");
            assert!((summit.point[1] - 0.25).abs() < 1e-6, "{summit:?}");
        }
    }

    #[test]
    fn cliffs_plateaus_and_missing_values_end_the_climb_quietly() {
        let starts = Mat::from_fn(1, 1, |_, _| 0.3);
        let bounds = Bounds::unit_cube(1);
        let flat = climb(&starts, &bounds, |_| (1.0, vec![0.0]));
        assert_eq!((flat[0].value, flat[0].evaluations), (1.0, 1));
        let missing = climb(&starts, &bounds, |_| (f64::NAN, vec![1.0]));
        assert_eq!(missing[0].value, f64::NEG_INFINITY);
        let cliff =
            climb(&starts, &bounds, |x| (if x[0] > 0.5 { f64::NAN } else { x[0] }, vec![1.0]));
        assert!(cliff[0].value > 0.499 && cliff[0].value <= 0.5, "{cliff:?}");
        let lying = climb(&starts, &bounds, |x| (-x[0], vec![1.0]));
        assert_eq!(lying[0].point, vec![0.3]);
    }

    #[test]
    fn the_unit_of_the_height_does_not_matter() {
        let starts = Mat::from_fn(1, 1, |_, _| 0.1);
        for scale in [1e-9, 1.0, 1e9] {
            let effort = Effort { tolerance: 1e-6, ..Effort::default() };
            let summits = ascend(starts.as_ref(), &Bounds::unit_cube(1), effort, |trials, _| {
                let x: f64 = trials[(0, 0)];
                let value = scale * (2.0 - (x - 0.8).powi(2));
                vec![Height { value, slope: vec![-2.0 * scale * (x - 0.8)] }]
            });
            assert!((summits[0].point[0] - 0.8).abs() < 1e-2, "{scale}: {summits:?}");
        }
    }

    #[test]
    fn missing_heights_and_misfitting_slopes_end_the_climb() {
        let starts = Mat::from_fn(2, 2, |_, _| 0.5);
        let short = Bounds { low: vec![0.0], high: vec![1.0] };
        let effort = Effort::default();
        let nothing = ascend(starts.as_ref(), &short, effort, |_, _| Vec::new());
        assert!(nothing.iter().all(|summit| summit.value == f64::NEG_INFINITY));
        let misfit = |trials: MatRef<'_, f64>, _: &[usize]| {
            vec![Height { value: 1.0, slope: vec![1.0] }; trials.ncols()]
        };
        let ended = ascend(starts.as_ref(), &short, effort, misfit);
        assert!(ended.iter().all(|summit| summit.evaluations == 1));
    }

    #[test]
    fn climbers_that_trail_are_given_up_and_the_best_reaches_the_top() {
        // Two hills; most starts are at the foot of the lower one.
        let hills = |x: f64| {
            let (a, b) =
                ((-20.0 * (x - 0.9).powi(2)).exp(), 0.5 * (-20.0 * (x - 0.2).powi(2)).exp());
            (a + b, -40.0 * (x - 0.9) * a - 40.0 * (x - 0.2) * b)
        };
        let starts = Mat::from_fn(1, 4, |_, j| [0.05, 0.3, 0.75, 0.1][j]);
        let thinning = Thinning { every: 2, share: 0.5, least: 1, apart: 0.0 };
        let effort = Effort { thinning, ..Effort::default() };
        let climb = |effort| {
            ascend(starts.as_ref(), &Bounds::unit_cube(1), effort, |trials, _| {
                let height = |j| hills(trials[(0, j)]);
                let heights = (0..trials.ncols()).map(height);
                heights.map(|(value, slope)| Height { value, slope: vec![slope] }).collect()
            })
        };
        let (some, all) = (climb(effort), climb(Effort::default()));
        assert_eq!(some[2], all[2]);
        // Two are given up after two rounds, one more after four.
        let sum = |summits: &[Summit]| summits.iter().map(|s| s.evaluations).sum::<u32>();
        assert!(sum(&some) <= all[2].evaluations + 8 && sum(&all) > all[2].evaluations + 8);
    }

    #[test]
    fn of_climbers_on_the_same_hill_the_highest_goes_on() {
        // Three starts on one hill, two of them close together, and one alone on a lower hill.
        let starts = Mat::from_fn(1, 4, |_, j| [0.700, 0.705, 0.85, 0.2][j]);
        let hill = |x: f64, top: f64| (-20.0 * (x - top).powi(2)).exp();
        let climb = |thinning| {
            let effort = Effort { thinning, ..Effort::default() };
            ascend(starts.as_ref(), &Bounds::unit_cube(1), effort, |trials, _| {
                let height = |j| {
                    let (x, top, factor) = if trials[(0, j)] > 0.5 {
                        (trials[(0, j)], 0.8, 1.0)
                    } else {
                        (trials[(0, j)], 0.3, 0.5)
                    };
                    let value = factor * hill(x, top);
                    Height { value, slope: vec![-40.0 * (x - top) * value] }
                };
                (0..trials.ncols()).map(height).collect()
            })
        };
        let (all, thinned) = (
            climb(Thinning::NONE),
            climb(Thinning { every: 1, share: 1.0, least: 0, apart: 0.01 }),
        );
        assert_eq!((thinned[0].evaluations, &thinned[3]), (1, &all[3]));
        let highest = |summits: &[Summit]| summits.iter().map(|s| s.value).fold(0.0, f64::max);
        assert_eq!(highest(&thinned), highest(&all));
    }

    #[test]
    fn climbers_do_not_influence_each_other() {
        let starts =
            Mat::from_fn(2, 4, |i, j| [[-1.2, 1.0], [0.1, 0.2], [1.5, 0.3], [0.9, 0.9]][j][i]);
        let together = climb(&starts, &Bounds::none(2), rosenbrock);
        for (j, expected) in together.iter().enumerate() {
            let alone = climb(&starts.get(.., j..j + 1).to_owned(), &Bounds::none(2), rosenbrock);
            assert_eq!(alone[0], *expected);
        }
    }
}
