//! One task that has many observations already: equivalent ones against all of them, as they are. Behind
//! `benchmarks/many`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example many -- --out many.csv [--families hartmann6,rosenbrock] \
//!     [--sizes 600,1000,1500] [--seed 1] [--runs 16] [--arms exact,default]
//! ```
//!
//! So many trials at random levels are given: with odd seeds anywhere, with even ones half of them close to
//! the best of the others, as a search leaves them. Then the task spends ten evaluations at the highest fidelity.
//! `exact` keeps all observations (`most_observations = 0`). Appends a line per run: family, arm, size, seed, simple
//! regret of the recommended point and of the best one queried, seconds of the first ask and of the median one.

use baton::{Campaign, Settings, Value};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose, Stream};
use baton_problems::{Benchmark, Family, family, fresh_master};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::time::Instant;

type Failure = Box<dyn std::error::Error + Send + Sync>;

const HEADER: &str = "family,arm,size,seed,regret,queried,first_s,median_s\n";
/// Evaluations at the highest fidelity that are left to spend.
const LEFT: f64 = 10.0;
/// Of given trials close to a good one, the standard deviations in the unit cube.
const CLOSE: [f64; 2] = [0.03, 0.1];

struct Run<'a> {
    family: &'a dyn Family,
    arm: &'a str,
    size: usize,
    seed: u64,
}

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let (mut out, mut first, mut runs) = ("many.csv".to_owned(), 1_u64, 16_u64);
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let (mut families, mut arms) = (list("hartmann6,rosenbrock"), list("exact,default"));
    let mut sizes = list("600,1000,1500");
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--out" => out = value,
            "--families" => families = list(&value),
            "--arms" => arms = list(&value),
            "--sizes" => sizes = list(&value),
            "--seed" => first = value.parse()?,
            "--runs" => runs = value.parse()?,
            _ => return Err(format!("there is no option {word}").into()),
        }
    }
    let done = fs::read_to_string(&out).unwrap_or_default();
    let mut file = OpenOptions::new().create(true).append(true).open(&out)?;
    if done.is_empty() {
        file.write_all(HEADER.as_bytes())?;
    }
    for seed in first..first + runs {
        for name in &families {
            let family = family(name).ok_or_else(|| format!("there is no family {name}"))?;
            for size in &sizes {
                for arm in &arms {
                    let key = format!("{name},{arm},{size},{seed},");
                    if done.lines().any(|line| line.starts_with(&key)) {
                        continue;
                    }
                    let run = Run { family: family.as_ref(), arm, size: size.parse()?, seed };
                    let numbers = parallel::with_threads(1, || run.done())?;
                    let numbers: Vec<String> = numbers.iter().map(|x| format!("{x:.6}")).collect();
                    writeln!(file, "{key}{}", numbers.join(","))?;
                }
            }
        }
    }
    Ok(())
}

impl Run<'_> {
    /// Regret recommended and queried, seconds of the first ask and of the median one.
    fn done(&self) -> Result<[f64; 4], Failure> {
        let description = self.family.description();
        let mut settings = Settings::default().seed(self.seed);
        if self.arm == "exact" {
            settings.set("most_observations", "0")?;
        }
        let levels = description.fidelities.len();
        let (space, top) = (description.space.clone(), levels - 1);
        let goal = baton::Goal::Maximize;
        let campaign = Campaign::new(space, description.fidelities.clone(), goal, settings)?;
        let benchmark = self.family.task(fresh_master(self.seed), 1);
        let key = Key { seed: self.seed, campaign: 1, ..Key::default() };
        let mut stream = key.stream(Purpose::Trial, 0);
        let mut task = campaign.start(LEFT * description.fidelities[top].cost)?;
        for (point, level, value) in self.given(&*benchmark, &mut stream)? {
            task.add_free(&point, level, value)?;
        }
        let mut seconds = Vec::new();
        loop {
            let begin = Instant::now();
            let Some(trial) = task.ask()? else { break };
            seconds.push(begin.elapsed().as_secs_f64());
            let value = self.observed(&*benchmark, &trial.point, trial.level, &mut stream)?;
            task.tell(trial.id, value)?;
        }
        let at = |point: &[Value]| value_of(&*benchmark, point, top);
        let recommended = task.recommendation()?.ok_or("nothing is recommended")?;
        let mut queried = f64::NEG_INFINITY;
        for trial in task.trials().iter().filter(|trial| trial.level == top) {
            queried = queried.max(at(&trial.point)?);
        }
        let best = benchmark.optimum().value;
        let first = seconds.first().copied().unwrap_or(f64::NAN);
        seconds.sort_by(f64::total_cmp);
        let median = seconds.get(seconds.len() / 2).copied().unwrap_or(f64::NAN);
        Ok([best - at(&recommended.point)?, best - queried, first, median])
    }

    fn given(
        &self,
        benchmark: &dyn Benchmark,
        stream: &mut Stream,
    ) -> Result<Vec<(Vec<Value>, usize, f64)>, Failure> {
        let description = self.family.description();
        let (space, levels) = (&description.space, description.fidelities.len());
        let mut given: Vec<(Vec<Value>, usize, f64)> = Vec::new();
        for i in 0..self.size {
            let anywhere: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
            let is_close = self.seed.is_multiple_of(2) && i >= self.size / 2;
            let best = given.iter().max_by(|a, b| a.2.total_cmp(&b.2)).filter(|_| is_close);
            let place = match best {
                None => anywhere,
                Some((point, ..)) => {
                    let near = space.coordinates(point)?;
                    let step = CLOSE[i % 2];
                    near.iter().map(|u| (u + step * stream.normal()).clamp(0.0, 1.0)).collect()
                }
            };
            let (point, level) = (space.point(&place)?, stream.below(levels));
            let value = self.observed(benchmark, &point, level, stream)?;
            given.push((point, level, value));
        }
        Ok(given)
    }

    fn observed(
        &self,
        benchmark: &dyn Benchmark,
        point: &[Value],
        level: usize,
        stream: &mut Stream,
    ) -> Result<f64, Failure> {
        let noise = self.family.description().fidelities[level].noise_variance.unwrap_or(0.0);
        Ok(value_of(benchmark, point, level)? + noise.sqrt() * stream.normal())
    }
}

fn value_of(benchmark: &dyn Benchmark, point: &[Value], level: usize) -> Result<f64, Failure> {
    let numbers: Option<Vec<f64>> = point.iter().map(Value::number).collect();
    Ok(benchmark.value(&numbers.ok_or("a point that is no number")?, level))
}
