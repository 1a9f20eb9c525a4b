//! How often 90 % intervals hold what they promise. Behind `benchmarks/coverage`.
//!
//! ```sh
//! cargo run --release --package baton-lab --example coverage -- --out coverage.csv \
//!     [--families hartmann6,levy,..] [--arms default] [--seeds 1 40] [--limit-seconds 560]
//! ```
//!
//! Three tasks of a family. A line per task and kind: how many intervals there were, and how many of them held
//! what they are of.
//!
//! | kind | interval | of |
//! |---|---|---|
//! | `ahead` | from the observations before, noise included | each observation |
//! | `others` | from all others, noise included | each observation |
//! | `truth` | at the end, without noise | the truth at points drawn uniformly |
//! | `used` | at the end, without noise | the truth at the recommended point |

mod paired;

use baton::{Campaign, Goal, Recommendation, Settings, Value};
use baton_numerics::random::{Key, Purpose};
use baton_problems::{Family, fresh_master};
use paired::{Failure, Posed, Study};

const TASKS: u32 = 3;
const POINTS: usize = 200;

fn main() -> Result<(), Failure> {
    let study = Study {
        out: "coverage.csv",
        columns: "task,kind,intervals,inside",
        families: &[
            "hartmann6",
            "hartmann6-shifted",
            "hartmann6-permuted",
            "radio",
            "gas",
            "gas-moving",
            "branin",
            "rosenbrock",
            "levy",
            "forrester",
            "styblinski",
            "flight",
        ],
        arms: &["default"],
    };
    study.run(run)
}

fn run(family: &dyn Family, _arm: &str, seed: u64) -> Result<Vec<String>, Failure> {
    let description = family.description();
    let (space, levels) = (description.space.clone(), description.fidelities.clone());
    let mut campaign =
        Campaign::new(space, levels, Goal::Maximize, Settings::default().seed(seed))?;
    let mut rows = Vec::new();
    for number in 1..=TASKS {
        let benchmark = family.task(fresh_master(seed), u64::from(number));
        let posed = Posed { benchmark: &*benchmark, description: &description, seed, number };
        let mut task = campaign.start(description.budget)?;
        posed.finish(&mut task)?;
        let mut line = |kind: &str, intervals: usize, inside: usize| {
            rows.push(format!("{number},{kind},{intervals},{inside}"));
        };
        if let Some(trust) = task.trust()? {
            let all = trust
                .coverage
                .iter()
                .find(|of| of.fidelity.is_none())
                .ok_or("no coverage of all")?;
            line("ahead", all.observations, all.one_ahead);
            line("others", all.observations, all.left_out);
        }
        let expected = task.expectations(&drawn(&posed)?)?;
        line("truth", expected.len(), held(&posed, &expected)?);
        let used: Vec<Recommendation> = task.recommendation()?.into_iter().collect();
        line("used", used.len(), held(&posed, &used)?);
        campaign.finish(task)?;
    }
    Ok(rows)
}

/// Points drawn uniformly.
fn drawn(posed: &Posed<'_>) -> Result<Vec<Vec<Value>>, Failure> {
    let space = &posed.description.space;
    let mut stream = Key { seed: posed.seed, campaign: 0, task: posed.number, step: u32::MAX }
        .stream(Purpose::Noise, 1);
    (0..POINTS)
        .map(|_| {
            let coordinates: Vec<f64> = (0..space.dimension()).map(|_| stream.uniform()).collect();
            Ok(space.point(&coordinates)?)
        })
        .collect()
}

/// How many of the intervals hold the truth.
fn held(posed: &Posed<'_>, expected: &[Recommendation]) -> Result<usize, Failure> {
    let mut inside = 0;
    for of in expected {
        let truth = posed.truth(&of.point)?;
        inside += usize::from((of.interval.0..=of.interval.1).contains(&truth));
    }
    Ok(inside)
}
