//! What a guess is worth, and what a wrong one costs. Behind `benchmarks/guesses`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example guesses -- --out guesses.csv \
//!     [--families hartmann6,rosenbrock] [--arms none,good,..] [--seeds 1 60] [--limit-seconds 560]
//! ```
//!
//! | arm | what is guessed for each of two tasks |
//! |---|---|
//! | none | nothing |
//! | good | up to a tenth of the range from the optimum in every parameter, within a tenth |
//! | half | the same of half of the parameters |
//! | useless | a random point, within a tenth |
//! | wrong | the farthest corner from the optimum, a tenth inside, within a fiftieth |
//!
//! A line per task: the regret of the recommended point and of the best one queried.

mod paired;

use baton::{Campaign, Goal, Guess, Settings, Space};
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Family, fresh_master};
use paired::{Failure, Posed, Study};

const TASKS: u32 = 2;

fn main() -> Result<(), Failure> {
    let study = Study {
        out: "guesses.csv",
        columns: "task,regret,queried",
        families: &["hartmann6", "rosenbrock"],
        arms: &["none", "good", "half", "useless", "wrong"],
    };
    study.run(run)
}

fn run(family: &dyn Family, arm: &str, seed: u64) -> Result<Vec<String>, Failure> {
    let description = family.description();
    let settings = Settings::default().seed(seed);
    let (space, levels) = (description.space.clone(), description.fidelities.clone());
    let mut campaign = Campaign::new(space, levels, Goal::Maximize, settings)?;
    let mut rows = Vec::new();
    for number in 1..=TASKS {
        let benchmark = family.task(fresh_master(seed), u64::from(number));
        let posed = Posed { benchmark: &*benchmark, description: &description, seed, number };
        let mut task = campaign.start(description.budget)?;
        if arm != "none" {
            let best = benchmark.optimum().point;
            task.guess(&[guess(&description.space, &best, arm, (seed, number))?])?;
        }
        posed.finish(&mut task)?;
        let queried = posed.queried(task.trials().iter())?.unwrap_or(f64::NAN);
        rows.push(format!("{number},{:.6},{queried:.6}", posed.recommended(&mut task)?));
        campaign.finish(task)?;
    }
    Ok(rows)
}

fn guess(
    space: &Space,
    best: &[f64],
    arm: &str,
    (seed, task): (u64, u32),
) -> Result<Guess, Failure> {
    let values: Vec<baton::Value> = best.iter().map(|x| (*x).into()).collect();
    let optimum = space.coordinates(&values)?;
    let mut stream = Key { seed, campaign: 0, task, step: 0 }.stream(Purpose::Trial, 1);
    let coordinates: Vec<f64> = optimum
        .iter()
        .map(|u| match arm {
            "good" | "half" => {
                let away = 0.2 * stream.uniform() - 0.1;
                if (0.0..=1.0).contains(&(u + away)) { u + away } else { u - away }
            }
            "useless" => stream.uniform(),
            _ => {
                if *u < 0.5 {
                    0.9
                } else {
                    0.1
                }
            }
        })
        .collect();
    let within = if arm == "wrong" { 0.02 } else { 0.1 };
    let known = if arm == "half" { optimum.len() / 2 } else { optimum.len() };
    let mut guess = Guess::default();
    let point = space.point(&coordinates)?;
    for (parameter, value) in space.parameters().iter().zip(point).take(known) {
        let ends = [0.0, 1.0].map(|u| Space::new([parameter.clone()])?.point(&[u]));
        let [low, high] = ends.map(|end| end.ok().and_then(|end| end[0].number()));
        let range = high.zip(low).map_or(1.0, |(high, low)| high - low);
        guess.point.insert(parameter.name.clone(), value);
        guess.within.insert(parameter.name.clone(), within * range);
    }
    Ok(guess)
}
