//! Campaigns whose problem changes on the way, and what they could do instead. Behind `benchmarks/changing`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example changing -- --out changing.csv \
//!     [--families hartmann6-shifted,rosenbrock] [--arms carried,restart,..] [--seed 1] [--runs 60] \
//!     [--limit-seconds 560]
//! ```
//!
//! Six tasks of a built-in family. At first the last parameter is not known to the campaign (the simulator
//! has it at 0.4 of its range), the first one has half its range, and one fidelity is missing: the highest
//! of the Hartmann family, the cheapest of others. The last parameter is added at the third task, the second
//! one is fixed at the fourth, the range is doubled and the fidelity added at the fifth.
//!
//! | arm | what it does |
//! |---|---|
//! | carried | says each change, and what the new parameter was |
//! | unstated | the same without what it was |
//! | wrong | says it was somewhere else, by half its range |
//! | restart | begins another campaign at each change |
//! | whole | has the last problem from the first task on |
//! | plain | nothing changes |
//! | useless | a parameter that does not matter is added at the third task |
//!
//! Appends a line per task once a run is done: family, arm, seed, task, simple regret of the recommended
//! point and of the best one queried at the highest fidelity, by the optimum of the task's own problem.

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Task, Value, Was};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Benchmark, Family, family, fresh_master};
use std::collections::{HashSet, VecDeque};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

type Failure = Box<dyn std::error::Error + Send + Sync>;

const HEADER: &str = "family,arm,seed,task,regret,queried\n";
const TASKS: u32 = 6;
/// Where the simulator has what the campaign does not vary, as a share of its range.
const UNVARIED: f64 = 0.4;
const ARMS: [&str; 7] = ["carried", "unstated", "wrong", "restart", "whole", "plain", "useless"];

struct Call {
    out: String,
    families: Vec<String>,
    arms: Vec<String>,
    seeds: std::ops::Range<u64>,
    until: Option<Instant>,
}

/// What is optimised in one task.
struct Posed {
    parameters: Vec<Parameter>,
    fidelities: Vec<Fidelity>,
    /// whether an arm that cannot carry anything begins anew
    changes: bool,
    was: Was,
}

/// One run of an arm.
struct Run<'a> {
    family: &'a dyn Family,
    arm: &'a str,
    seed: u64,
}

fn main() -> Result<(), Failure> {
    let call = read(std::env::args().skip(1))?;
    let text = fs::read_to_string(&call.out).unwrap_or_default();
    let name = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
    let done: HashSet<String> = text.lines().map(name).collect();
    let mut file = OpenOptions::new().create(true).append(true).open(&call.out)?;
    if text.is_empty() {
        file.write_all(HEADER.as_bytes())?;
    }
    let mut runs = Vec::new();
    for seed in call.seeds.clone() {
        for family in &call.families {
            for arm in &call.arms {
                if !done.contains(&format!("{family},{arm},{seed}")) {
                    runs.push((family.clone(), arm.clone(), seed));
                }
            }
        }
    }
    let (queue, file) = (Mutex::new(VecDeque::from(runs)), Mutex::new(file));
    let worker = || -> Result<(), String> {
        while call.until.is_none_or(|until| Instant::now() < until) {
            let next = queue.lock().map_err(|error| error.to_string())?.pop_front();
            let Some((name, arm, seed)) = next else { break };
            let family = family(&name).ok_or_else(|| format!("there is no family {name}"))?;
            let run = Run { family: family.as_ref(), arm: &arm, seed };
            let rows = parallel::with_threads(1, || run.all());
            let rows = rows.map_err(|error| format!("{name}, {arm}, seed {seed}: {error}"))?;
            let line = |(task, (regret, queried)): (u32, (f64, f64))| {
                format!("{name},{arm},{seed},{task},{regret:.6},{queried:.6}\n")
            };
            let text: String = (1..).zip(rows).map(line).collect();
            let mut file = file.lock().map_err(|error| error.to_string())?;
            file.write_all(text.as_bytes()).map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(worker)).collect();
        let lost = |_| Err("a worker ended early".to_owned());
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(lost))
    })?;
    Ok(())
}

fn read(mut words: impl Iterator<Item = String>) -> Result<Call, Failure> {
    let mut call = Call {
        out: "changing.csv".into(),
        families: vec!["hartmann6-shifted".into(), "rosenbrock".into()],
        arms: ARMS.map(str::to_owned).to_vec(),
        seeds: 1..61,
        until: None,
    };
    let list = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        match word.as_str() {
            "--out" => call.out = value,
            "--families" => call.families = list(&value),
            "--arms" => call.arms = list(&value),
            "--seed" => {
                let first: u64 = value.parse()?;
                call.seeds = first..first + (call.seeds.end - call.seeds.start);
            }
            "--runs" => call.seeds = call.seeds.start..call.seeds.start + value.parse::<u64>()?,
            "--limit-seconds" => {
                call.until = Some(Instant::now() + Duration::from_secs(value.parse()?));
            }
            _ => return Err(format!("there is no option {word}").into()),
        }
    }
    Ok(call)
}

impl Run<'_> {
    /// The two regrets of each task.
    fn all(&self) -> Result<Vec<(f64, f64)>, Failure> {
        let mut knowledge = None;
        let mut rows = Vec::new();
        for number in 1..=TASKS {
            let posed = self.posed(number)?;
            if self.arm == "restart" && posed.changes {
                knowledge = None;
            }
            let space = Space::new(posed.parameters.clone())?;
            let settings = Settings::default().seed(self.seed).campaign(u64::from(number));
            let settings = if self.arm == "restart" { settings } else { settings.campaign(0) };
            let fidelities = posed.fidelities.clone();
            let mut campaign = Campaign::new(space, fidelities, Goal::Maximize, settings)?;
            if let Some(known) = knowledge.take() {
                campaign = campaign.carrying(known, &posed.was)?.0;
            }
            let benchmark = self.family.task(fresh_master(self.seed), u64::from(number));
            let mut task = campaign.start(self.family.description().budget)?;
            while let Some(trial) = task.ask()? {
                let value = self.value(&*benchmark, &posed, &trial.point, trial.level)?;
                let noise = self.noise(&posed, trial.level, (number, trial.id));
                task.tell(trial.id, value + noise)?;
            }
            rows.push(self.regrets(&*benchmark, &posed, &mut task)?);
            campaign.finish(task)?;
            knowledge = Some(campaign.knowledge().clone());
        }
        Ok(rows)
    }

    fn posed(&self, number: u32) -> Result<Posed, Failure> {
        let description = self.family.description();
        let (all, levels) = (description.space.parameters(), &description.fidelities);
        if ["plain", "useless"].contains(&self.arm) {
            let mut parameters = all.to_vec();
            if self.arm == "useless" && number >= 3 {
                parameters.push(Parameter::real("useless", 0.0, 1.0));
            }
            let was = Was::new();
            return Ok(Posed { parameters, fidelities: levels.clone(), changes: false, was });
        }
        let stage = if self.arm == "whole" { TASKS } else { number };
        let mut parameters: Vec<Parameter> = all.to_vec();
        let last = parameters.len() - 1;
        if stage < 5 {
            parameters[0] = half(&parameters[0])?;
        }
        if stage >= 4 {
            parameters[1] = parameters[1].clone().fixed_at(at(&parameters[1], UNVARIED)?);
        }
        let mut was = Was::new();
        if number == 3 && ["carried", "wrong"].contains(&self.arm) {
            let share = if self.arm == "wrong" { UNVARIED + 0.5 } else { UNVARIED };
            was.insert(parameters[last].name.clone(), at(&parameters[last], share)?.into());
        }
        if stage < 3 {
            parameters.truncate(last);
        }
        let missing = if self.family.name().starts_with("hartmann") { levels.len() - 1 } else { 0 };
        let there = |(i, _): &(usize, &Fidelity)| stage >= 5 || *i != missing;
        let fidelities = levels.iter().enumerate().filter(there).map(|(_, f)| f.clone()).collect();
        Ok(Posed { parameters, fidelities, changes: (3..=5).contains(&number), was })
    }

    fn value(
        &self,
        benchmark: &dyn Benchmark,
        posed: &Posed,
        point: &[Value],
        level: usize,
    ) -> Result<f64, Failure> {
        let description = self.family.description();
        let mut whole = Vec::new();
        for parameter in description.space.parameters() {
            let place = posed.parameters.iter().position(|known| known.name == parameter.name);
            whole.push(match place.and_then(|place| point[place].number()) {
                Some(number) => number,
                None => at(parameter, UNVARIED)?,
            });
        }
        let name = &posed.fidelities[level].name;
        let level = description.fidelities.iter().position(|known| known.name == *name);
        Ok(benchmark.value(&whole, level.ok_or("there is no such fidelity")?))
    }

    fn noise(&self, posed: &Posed, level: usize, (task, trial): (u32, usize)) -> f64 {
        let variance = posed.fidelities[level].noise_variance.unwrap_or(0.0);
        let step = u32::try_from(trial).unwrap_or(u32::MAX);
        let key = Key { seed: self.seed, campaign: 0, task, step };
        variance.sqrt() * key.stream(Purpose::Noise, 0).normal()
    }

    fn regrets(
        &self,
        benchmark: &dyn Benchmark,
        posed: &Posed,
        task: &mut Task,
    ) -> Result<(f64, f64), Failure> {
        let top = posed.fidelities.len() - 1;
        let at = |point: &[Value]| self.value(benchmark, posed, point, top);
        let space = Space::new(posed.parameters.clone())?;
        let height = |u: &[f64]| -> Result<f64, Failure> { at(&space.point(u)?) };
        let best = highest(&space, &height)?;
        let recommended = task.recommendation()?.ok_or("nothing is recommended")?;
        let mut queried = f64::NEG_INFINITY;
        for trial in task.trials().iter().filter(|trial| trial.level == top) {
            queried = queried.max(at(&trial.point)?);
        }
        // A search that missed the summit must not make a regret negative.
        let best = best.max(queried).max(at(&recommended.point)?);
        Ok((best - at(&recommended.point)?, best - queried))
    }
}

/// The highest value: many random places, and from the best of them steps that shrink.
fn highest(
    space: &Space,
    height: &impl Fn(&[f64]) -> Result<f64, Failure>,
) -> Result<f64, Failure> {
    let d = space.dimension();
    let mut stream = Key::default().stream(Purpose::Trial, 0);
    let mut places: Vec<(f64, Vec<f64>)> = Vec::new();
    for _ in 0..4_000 {
        let place: Vec<f64> = (0..d).map(|_| stream.uniform()).collect();
        places.push((height(&place)?, place));
    }
    places.sort_by(|a, b| b.0.total_cmp(&a.0));
    places.truncate(12);
    for (value, place) in &mut places {
        let mut step = 0.1;
        while step > 1e-4 {
            let mut better = false;
            for _ in 0..4 * d {
                let moved: Vec<f64> =
                    place.iter().map(|u| (u + step * stream.normal()).clamp(0.0, 1.0)).collect();
                let at = height(&moved)?;
                if at > *value {
                    (*value, *place, better) = (at, moved, true);
                }
            }
            if !better {
                step *= 0.6;
            }
        }
    }
    Ok(places.iter().map(|(value, _)| *value).fold(f64::NEG_INFINITY, f64::max))
}

/// The number at a share of a parameter's range.
fn at(parameter: &Parameter, share: f64) -> Result<f64, Failure> {
    let value = Space::new([parameter.clone()])?.point(&[share])?;
    value[0].number().ok_or_else(|| "the parameter is no number".into())
}

/// The same parameter with the middle half of its range.
fn half(parameter: &Parameter) -> Result<Parameter, Failure> {
    Ok(Parameter::real(&parameter.name, at(parameter, 0.25)?, at(parameter, 0.75)?))
}
