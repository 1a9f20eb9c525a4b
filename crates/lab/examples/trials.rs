//! All trials of a campaign, to the last bit: what a change that is to change nothing is held against.
//!
//! ```sh
//! cargo run --release --package baton-lab --example trials -- METHOD FAMILY SEED TASKS [KEY=VALUE ...]
//! ```
//!
//! The family is a built-in one or `mixed`, a space of a real, a log, an integer, an ordered parameter
//! and a choice. Prints a line per trial: task, number, fidelity, purpose, the bits of the point and of the
//! nats; and after each task how long what was handed on is, and its checksum.

use baton::{Campaign, Fidelity, Goal, Method, Parameter, Settings, Space, Task, Trial, Value};
use baton_numerics::random::{Key, Purpose};
use baton_problems::{MASTER, family};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [method, name, seed, tasks, keys @ ..] = &words[..] else {
        return Err("METHOD FAMILY SEED TASKS [KEY=VALUE ...]".into());
    };
    let mut settings = Settings::new(method.parse::<Method>()?).seed(seed.parse()?);
    for word in keys {
        let (key, value) = word.split_once('=').ok_or("KEY=VALUE")?;
        settings.set(key, value)?;
    }
    let built_in = family(name);
    let (space, fidelities, goal, budget) = match &built_in {
        Some(family) => {
            let of = family.description();
            (of.space, of.fidelities, Goal::Maximize, of.budget)
        }
        None => (mixed()?, two_levels(), Goal::Minimize, 80.0),
    };
    let mut campaign = Campaign::new(space, fidelities.clone(), goal, settings)?;
    for number in 1..=tasks.parse::<u32>()? {
        let mut task = campaign.start(budget)?;
        let benchmark = built_in.as_ref().map(|family| family.task(MASTER, u64::from(number)));
        while let Some(trial) = task.ask()? {
            let exact = match &benchmark {
                Some(benchmark) => benchmark.value(&numbers(&trial.point), trial.level),
                None => value(number, &trial.point, trial.level),
            };
            let variance = fidelities[trial.level].noise_variance.unwrap_or(0.0);
            task.tell(trial.id, exact + variance.sqrt() * noise(number, trial.id))?;
            println!("{}", line(&task, &trial));
        }
        campaign.finish(task)?;
        let known = campaign.knowledge().to_json()?;
        println!("handed on: {} bytes, {:.100}", known.len(), known);
    }
    Ok(())
}

fn mixed() -> Result<Space, Failure> {
    Ok(Space::new([
        Parameter::real("x", 0.0, 1.0),
        Parameter::log("rate", 1e-3, 1.0),
        Parameter::integer("layers", 1, 4),
        Parameter::ordered("alpha", [0.0, 0.5, 0.8, 1.0]),
        Parameter::choice("mode", ["a", "b", "c"]),
    ])?)
}

fn two_levels() -> Vec<Fidelity> {
    vec![Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)]
}

/// Of the mixed space; the best place moves a little from task to task.
fn value(task: u32, point: &[Value], level: usize) -> f64 {
    let [x, rate, layers, alpha, mode] = point else { return f64::NAN };
    let number = |value: &Value| value.number().unwrap_or(0.0);
    let of_mode = match mode {
        Value::Text(name) if name == "a" => 0.3,
        Value::Text(name) if name == "b" => 0.1,
        _ => 0.0,
    };
    let centre = 0.4 + 0.05 * f64::from(task);
    let bias = if level == 0 { 0.1 * (5.0 * number(x)).sin() } else { 0.0 };
    let distance = (number(x) - centre).powi(2) + (number(rate).log10() + 1.5).powi(2) / 4.0;
    distance + 0.1 * (number(layers) - 2.0).powi(2) + (number(alpha) - 0.5).powi(2) + of_mode + bias
}

fn numbers(point: &[Value]) -> Vec<f64> {
    point.iter().map(|value| value.number().unwrap_or(f64::NAN)).collect()
}

fn noise(task: u32, trial: usize) -> f64 {
    let step = u32::try_from(trial).unwrap_or(u32::MAX);
    Key { seed: 0, campaign: 0, task, step }.stream(Purpose::Noise, 0).normal()
}

fn line(task: &Task, trial: &Trial) -> String {
    let bits = |value: &Value| match value.number() {
        Some(number) => format!("{:016x}", number.to_bits()),
        None => format!("{value:?}"),
    };
    let point: Vec<String> = trial.point.iter().map(bits).collect();
    let nats = trial.nats.unwrap_or_default();
    let nats = format!("{:016x} {:016x}", nats.optimum.to_bits(), nats.transfer.to_bits());
    let aim = serde_json::to_string(&trial.aim).unwrap_or_default();
    let (number, id, level) = (task.number(), trial.id, trial.level);
    format!("{number} {id} {level} {aim} {} {nats}", point.join(" "))
}
