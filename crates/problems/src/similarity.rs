//! How alike the tasks of a family are, and its fidelities: what the headers of families claim.

use crate::stream::{Problem, Stream};
use crate::{Benchmark, Family, MASTER};
use baton_numerics::parallel;

/// What is measured of a family.
#[derive(Debug)]
struct Similarity {
    /// distance in the unit cube between the optima of two tasks, mean over pairs
    moved: f64,
    /// least, mean and largest correlation of two tasks at the last level
    tasks: [f64; 3],
    /// correlation of each level with the last, mean over tasks
    levels: Vec<f64>,
    /// mean and standard deviation of the last level
    spread: [f64; 2],
    /// regret of another task's optimum, mean over pairs
    regret: f64,
}

/// Tasks of a family with their values at points uniform in the cube.
struct Sample {
    tasks: Vec<Box<dyn Benchmark>>,
    /// by task, level and point
    values: Vec<Vec<Vec<f64>>>,
    /// optima in the unit cube, by task
    optima: Vec<Vec<f64>>,
    top: usize,
}

impl Sample {
    /// Tasks `1..=tasks` of a sequence.
    fn draw(family: &dyn Family, master: u64, tasks: u64, points: usize) -> Self {
        let description = family.description();
        let space = &description.space;
        let mut stream = Stream::new(MASTER, Problem::Hartmann, 0, 3);
        let mut point = || -> Vec<f64> {
            let unit: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
            space.point(&unit).unwrap().iter().map(|value| value.number().unwrap()).collect()
        };
        let points: Vec<Vec<f64>> = (0..points).map(|_| point()).collect();
        let tasks: Vec<_> = (1..=tasks).map(|number| family.task(master, number)).collect();
        let top = description.fidelities.len() - 1;
        let values = parallel::map(tasks.len(), |t| {
            let level = |m| points.iter().map(|x| tasks[t].value(x, m)).collect();
            (0..=top).map(level).collect()
        });
        let place = |optimum: crate::Optimum| {
            let point: Vec<baton::Value> = optimum.point.into_iter().map(Into::into).collect();
            space.coordinates(&point).unwrap()
        };
        let optima = tasks.iter().map(|task| place(task.optimum())).collect();
        Self { tasks, values, optima, top }
    }

    /// Applies `f` to all pairs of different tasks, the first of higher number.
    fn pairs(&self, f: impl Fn(usize, usize) -> f64) -> Vec<f64> {
        (0..self.tasks.len())
            .flat_map(|i| (0..i).map(move |j| (i, j)))
            .map(|(i, j)| f(i, j))
            .collect()
    }

    fn distance(&self, i: usize, j: usize) -> f64 {
        let squares = self.optima[i].iter().zip(&self.optima[j]).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// What each would lose by the other's optimum, on average.
    fn regret(&self, i: usize, j: usize) -> f64 {
        let of = |task: &dyn Benchmark, other: &dyn Benchmark| {
            task.optimum().value - task.value(&other.optimum().point, self.top)
        };
        let (one, other) = (&*self.tasks[i], &*self.tasks[j]);
        f64::midpoint(of(one, other), of(other, one))
    }

    fn similarity(&self) -> Similarity {
        let tasks =
            self.pairs(|i, j| correlation(&self.values[i][self.top], &self.values[j][self.top]));
        let level = |m: usize| {
            let each = self.values.iter().map(|levels| correlation(&levels[m], &levels[self.top]));
            mean(&each.collect::<Vec<f64>>())
        };
        let all: Vec<f64> = self.values.iter().flat_map(|v| v[self.top].iter().copied()).collect();
        let centre = mean(&all);
        let squares: Vec<f64> = all.iter().map(|y| (y - centre).powi(2)).collect();
        Similarity {
            moved: mean(&self.pairs(|i, j| self.distance(i, j))),
            tasks: [
                tasks.iter().copied().fold(1.0, f64::min),
                mean(&tasks),
                tasks.iter().copied().fold(-1.0, f64::max),
            ],
            levels: (0..=self.top).map(level).collect(),
            spread: [centre, mean(&squares).sqrt()],
            regret: mean(&self.pairs(|i, j| self.regret(i, j))),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let (mean_a, mean_b) = (mean(a), mean(b));
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (x, y) in a.iter().zip(b) {
        ab += (x - mean_a) * (y - mean_b);
        aa += (x - mean_a).powi(2);
        bb += (y - mean_b).powi(2);
    }
    ab / (aa * bb).sqrt()
}

const CLASSICS: [&str; 3] = ["branin", "rosenbrock", "levy"];
/// Those at the ends of what numbers of dimensions are usual.
const ENDS: [&str; 2] = ["forrester", "styblinski"];
/// That whose tasks tell how they differ.
const DESCRIBED: [&str; 1] = ["flight"];

fn assert_in_range(name: &str, found: &Similarity) {
    assert!((0.1..=0.3).contains(&found.moved), "{name} {found:?}");
    assert!((0.6..=0.9).contains(&found.tasks[1]), "{name} {found:?}");
    assert!(found.levels.is_sorted() && found.levels[0] > 0.6, "{name} {found:?}");
}

#[test]
fn tasks_move_and_classical_ones_stay_alike() {
    for name in CLASSICS.into_iter().chain(ENDS).chain(DESCRIBED) {
        let family = crate::family(name).unwrap();
        let found = Sample::draw(&*family, MASTER, 12, 2_000).similarity();
        if CLASSICS.contains(&name) {
            assert_in_range(name, &found);
        }
        let Similarity { spread: [centre, deviation], regret, .. } = found;
        let description = family.description();
        assert!((centre - description.offset).abs() < 0.1 * deviation, "{name} {centre}");
        assert!((deviation / description.scale - 1.0).abs() < 0.1, "{name} {deviation}");
        assert!(regret > 0.5 * description.scale, "{name} {regret}");
    }
}

#[test]
#[ignore = "prints the numbers that headers of families state"]
fn measured_likeness_of_all_continuous_families() {
    for family in crate::families().iter().filter(|family| family.name() != "radio") {
        let found = Sample::draw(&**family, MASTER, 12, 50_000).similarity();
        println!("{} {found:.3?}", family.name());
        if CLASSICS.contains(&family.name()) {
            assert_in_range(family.name(), &found);
        }
    }
}

#[test]
#[ignore = "prints how much the likeness of classical tasks varies with the sequence"]
fn measured_likeness_in_fresh_sequences() {
    for name in CLASSICS {
        let family = crate::family(name).unwrap();
        for experiment in 0..8 {
            let master = crate::fresh_master(experiment);
            let found = Sample::draw(&*family, master, 12, 20_000).similarity();
            println!("{name} {experiment}: moved {:.3} tasks {:.3?}", found.moved, found.tasks);
            assert_in_range(name, &found);
        }
    }
}
