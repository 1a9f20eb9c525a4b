//! A hostile history: its space, its points, its values, and who has to cope with it.

use baton::{
    Campaign, Constraint, Fidelity, Goal, Measurement, Parameter, Settings, Space, Trial, Value,
};
use baton::{Method, Preset};
use baton_numerics::random::{Key, Purpose, Stream};
use std::cell::RefCell;

const MOST_DIMENSIONS: f64 = 100.0;
/// Histories beyond this are rarely given to a method that fits to convergence: one takes minutes.
const LARGE: usize = 150;
const FITTED_IF_LARGE: f64 = 0.005;
/// Most histories beyond this go to the method that only conditions on them: seconds, not minutes.
const VERY_LARGE: usize = 300;
const MOVED_IF_VERY_LARGE: f64 = 0.05;

/// Where the points lie.
#[derive(Debug, Clone, Copy)]
enum Places {
    Anywhere,
    /// a few points and neighbours at distances down to 1e-12
    Clusters,
    /// one point again and again
    One,
    Corners,
    /// on a line along one coordinate
    Line,
}

/// What came out there.
#[derive(Debug, Clone, Copy)]
enum Values {
    Smooth,
    Constant,
    /// one in ten is 1e12 times too large
    Outliers,
    Huge,
    Tiny,
    /// neighbours of opposite sign
    Rough,
    /// values that differ in the last digits only
    NearlyConstant,
}

/// How fidelities relate.
#[derive(Debug, Clone, Copy)]
enum Levels {
    Similar,
    /// what is good at one level is bad at the next, and of another size
    Contradicting,
    /// every point at one level
    Single(usize),
}

/// A hostile history and how it is gone through.
pub struct Hostile {
    pub method: Method,
    pub preset: Preset,
    pub size: usize,
    pub tasks: usize,
    pub asks: usize,
    space: Space,
    fidelities: Vec<Fidelity>,
    settings: Settings,
    places: Places,
    values: Values,
    levels: Levels,
    noise: &'static str,
    constraints: Vec<Constraint>,
    stream: RefCell<Stream>,
}

fn pick<T: Copy>(stream: &mut Stream, choices: &[T]) -> T {
    choices[stream.below(choices.len())]
}

/// From 1 to `most`, evenly on a log scale.
fn log_uniform(stream: &mut Stream, most: f64) -> usize {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // between 1 and `most`
    let size = ((most + 1.0).ln() * stream.uniform()).exp() as usize;
    size.max(1)
}

/// Sizes that are counted together.
pub fn size_class(size: usize) -> &'static str {
    match size {
        0..=9 => "1 to 9 points",
        10..=99 => "10 to 99 points",
        100..=499 => "100 to 499 points",
        500..=999 => "500 to 999 points",
        _ => "1000 to 2000 points",
    }
}

impl Hostile {
    /// History number `index` of a seed, of up to `largest` points.
    pub fn new(seed: u64, index: usize, largest: usize) -> Self {
        let key = Key { seed, campaign: index as u64, task: 0, step: 0 };
        let mut stream = key.stream(Purpose::Trial, 0);
        let size = log_uniform(&mut stream, largest as f64);
        let dimension = log_uniform(&mut stream, MOST_DIMENSIONS);
        let (method, preset) = method(&mut stream, size);
        let levels = 1 + stream.below(4);
        let (fidelities, noise) = fidelities(&mut stream, levels);
        let places = pick(
            &mut stream,
            &[
                Places::Anywhere,
                Places::Clusters,
                Places::Clusters,
                Places::One,
                Places::Corners,
                Places::Line,
            ],
        );
        let values = pick(
            &mut stream,
            &[
                Values::Smooth,
                Values::Constant,
                Values::Outliers,
                Values::Huge,
                Values::Tiny,
                Values::Rough,
                Values::NearlyConstant,
            ],
        );
        let single = Levels::Single(stream.below(levels));
        let levels = pick(&mut stream, &[Levels::Similar, Levels::Contradicting, single]);
        let space = space(&mut stream, dimension);
        let mut settings = settings(&mut stream, (method, preset), size).seed(index as u64);
        let tasks = 1 + usize::from(size > 1 && stream.uniform() < 0.4);
        let asks = match size * dimension {
            _ if size > LARGE => 1,
            0..=500 => 4,
            _ => 2,
        };
        let constraints = constraints(&mut stream, &mut settings);
        let stream = RefCell::new(stream);
        Self {
            method,
            preset,
            size,
            tasks,
            asks,
            space,
            fidelities,
            settings,
            places,
            values,
            levels,
            noise,
            constraints,
            stream,
        }
    }

    /// What it is, in words.
    pub fn words(&self) -> String {
        let Self { method, preset, size, tasks, places, values, levels, noise, .. } = self;
        format!(
            "{size} points in {} dimensions, {tasks} tasks, {places:?}, {values:?}, {levels:?} of {}, \
             noise {noise}, {method}/{preset}, {} constraints",
            self.space.dimension(),
            self.fidelities.len(),
            self.constraints.len()
        )
    }

    pub fn campaign(&self) -> Result<Campaign, String> {
        let (space, fidelities) = (self.space.clone(), self.fidelities.clone());
        Campaign::new(space, fidelities, Goal::Minimize, self.settings.clone())
            .and_then(|campaign| campaign.with_constraints(self.constraints.clone()))
            .map_err(|error| format!("campaign: {error}"))
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    pub fn levels(&self) -> usize {
        self.fidelities.len()
    }

    /// The observations of one of its tasks.
    pub fn rows(&self, task: usize) -> Vec<(Vec<Value>, usize, f64)> {
        let mut stream = self.stream.borrow_mut();
        let share = self.size.div_ceil(self.tasks);
        let count = share.min(self.size - task * share);
        let dimension = self.space.dimension();
        let mut rows: Vec<(Vec<Value>, usize, f64)> = Vec::new();
        let centres: Vec<Vec<f64>> =
            (0..3).map(|_| (0..dimension).map(|_| stream.uniform()).collect()).collect();
        for i in 0..count {
            let coordinates = self.place(&mut stream, &centres, i);
            let level = match self.levels {
                Levels::Single(level) => level,
                _ => stream.below(self.levels()),
            };
            let value = self.outcome(&mut stream, &coordinates, level, i);
            if let Ok(point) = self.space.point(&coordinates) {
                rows.push((point, level, value));
            }
        }
        rows
    }

    /// A value with what else was measured: of most trials, and as contradictory as values are.
    pub fn measured(&self, value: f64, i: usize) -> Measurement {
        let told = self.constraints.iter().enumerate().filter(|(k, _)| (i + k) % 4 != 3);
        told.fold(Measurement::new(value), |measured, (k, constraint)| {
            let sign = if (i + k).is_multiple_of(2) { 1.0 } else { -1.0 };
            measured.constraint(&constraint.name, sign * value)
        })
    }

    /// What a trial that was asked for gives.
    pub fn value(&self, trial: &Trial) -> f64 {
        let coordinates = self.space.coordinates(&trial.point).unwrap_or_default();
        self.outcome(&mut self.stream.borrow_mut(), &coordinates, trial.level, trial.id)
    }

    fn place(&self, stream: &mut Stream, centres: &[Vec<f64>], i: usize) -> Vec<f64> {
        let dimension = self.space.dimension();
        match self.places {
            Places::Anywhere => (0..dimension).map(|_| stream.uniform()).collect(),
            Places::One => centres[0].clone(),
            Places::Corners => (0..dimension).map(|_| f64::from(stream.uniform() < 0.5)).collect(),
            Places::Line => {
                let mut point = centres[0].clone();
                point[i % dimension.min(2)] = stream.uniform();
                point
            }
            Places::Clusters => {
                let centre = &centres[stream.below(centres.len())];
                let distance = 10_f64.powf(-12.0 * stream.uniform());
                let near = |x: &f64| (x + distance * stream.normal()).clamp(0.0, 1.0);
                centre.iter().map(near).collect()
            }
        }
    }

    fn outcome(&self, stream: &mut Stream, coordinates: &[f64], level: usize, i: usize) -> f64 {
        let smooth: f64 =
            coordinates.iter().take(5).map(|x| (x - 0.3) * (x - 0.3)).sum::<f64>().sin();
        let value = match self.values {
            Values::Constant => 3.0,
            Values::Outliers if stream.uniform() < 0.1 => 1e12 * (smooth - 0.5),
            Values::Outliers | Values::Smooth => smooth,
            Values::Huge => 1e12 * smooth,
            Values::Tiny => 1e-12 * smooth,
            Values::Rough => {
                if i.is_multiple_of(2) {
                    1.0
                } else {
                    -1.0
                }
            }
            Values::NearlyConstant => 3.0 + 1e-12 * smooth,
        };
        match self.levels {
            Levels::Contradicting if level % 2 == 1 => -1e3 * value + 7.0,
            _ => value,
        }
    }
}

fn method(stream: &mut Stream, size: usize) -> (Method, Preset) {
    // Random search fits nothing to ask, but to recommend.
    let fitted = |m: &Method| {
        matches!(m, Method::MfMesFitted | Method::WarmStart | Method::Default | Method::Random)
    };
    let preset = pick(stream, &[Preset::Paper, Preset::Calibrated, Preset::Default]);
    let rarely = size > LARGE && stream.uniform() >= FITTED_IF_LARGE;
    if size > VERY_LARGE && stream.uniform() >= MOVED_IF_VERY_LARGE {
        return (Method::MfMes, preset);
    }
    let eligible: Vec<Method> =
        Method::ALL.into_iter().filter(|method| !(rarely && fitted(method))).collect();
    (pick(stream, &eligible), preset)
}

/// Levels with costs, and noise that is unknown, none at all, next to none, or known.
fn fidelities(stream: &mut Stream, count: usize) -> (Vec<Fidelity>, &'static str) {
    let noise = pick(stream, &["unknown", "zero", "1e-300", "known"]);
    let level = |i: usize| {
        let fidelity = Fidelity::new(&format!("level {i}"), 1.0 + i as f64);
        match noise {
            "unknown" => fidelity,
            "zero" => fidelity.with_noise(0.0),
            "1e-300" => fidelity.with_noise(1e-300),
            _ => fidelity.with_noise(0.01),
        }
    };
    ((0..count).map(level).collect(), noise)
}

/// Mostly real parameters; a third of the spaces have some of every kind, some of which are there under a
/// condition only, and combinations that are forbidden.
fn space(stream: &mut Stream, dimension: usize) -> Space {
    let mixed = stream.uniform() < 0.33;
    let parameter = |i: usize| {
        let name = format!("x{i}");
        match if mixed { i % 6 } else { 0 } {
            1 => Parameter::log(&name, 1e-12, 1e12),
            2 => Parameter::integer(&name, -3, 4),
            3 => Parameter::stepped(&name, -202.0, 24.0, 2.0),
            4 => Parameter::ordered(&name, [0.0, 0.4, 1.0]),
            5 => Parameter::choice(&name, ["a", "b"]),
            _ => Parameter::real(&name, -1.0, 1.0),
        }
    };
    let there = |i: usize| match i {
        7 | 8 | 10 => parameter(i).when("x5 = a"),
        11 => parameter(i).when("x8 >= 0 and x10 != 1"),
        _ => Ok(parameter(i)),
    };
    let parameters: baton::Result<Vec<Parameter>> =
        (0..dimension).map(|i| if mixed { there(i) } else { Ok(parameter(i)) }).collect();
    let forbidden = ["x0 + 0.2*x2 > 1", "x5 = b and x4 > 0.5", "x0 - x6 > 0.5"];
    let fits = if mixed { dimension.saturating_sub(4).min(3) } else { 0 };
    let made = parameters.and_then(Space::new).and_then(|s| s.forbid(&forbidden[..fits]));
    let one = || [Parameter::real("x", 0.0, 1.0)];
    made.or_else(|_| Space::new(one())).unwrap_or_else(|_| unreachable!())
}

/// Less work than a campaign would do, along the same paths.
fn settings(stream: &mut Stream, (method, preset): (Method, Preset), size: usize) -> Settings {
    let mut settings = Settings::with_preset(method, preset);
    let large = size > LARGE;
    let (particles, steps) = if large { ("2", "1") } else { ("3", "6") };
    let mut entries = vec![
        ("particles", particles),
        ("svgd_steps", steps),
        ("max_values", "3"),
        ("candidates", if large { "8" } else { "30" }),
        ("starts", if large { "1" } else { "4" }),
        ("walks", if large { "1" } else { "4" }),
        ("iterations", if large { "2" } else { "8" }),
    ];
    if stream.uniform() < 0.8 {
        entries.push(("initial", "2")); // else the first design may be all there is
    }
    if method == Method::Default && stream.uniform() < 0.2 {
        entries.push(("transfer", "exact"));
    }
    for (key, value) in entries {
        let _ = settings.set(key, value); // what a method does not have stays as it is
    }
    settings
}

/// For methods that know them, sometimes: bounds that hold, that do not, or at the ends of what there is; safe
/// mode, and failures that are learned from.
fn constraints(stream: &mut Stream, settings: &mut Settings) -> Vec<Constraint> {
    if settings.policy.failures.is_none() || stream.uniform() < 0.6 {
        return Vec::new();
    }
    if stream.uniform() < 0.3 {
        let _ = settings.set("failures", "learn");
    }
    if stream.uniform() < 0.3 {
        let _ = settings.set("safe", "0.9");
    }
    let bound = pick(stream, &[0.0, 0.5, 3.0, -1e12, 1e300]);
    let all = [
        Constraint::at_most("a", bound),
        Constraint::at_least("b", bound),
        Constraint::between("c", -1e-12, 1e-12),
    ];
    all.into_iter().filter(|_| stream.uniform() < 0.5).collect()
}
