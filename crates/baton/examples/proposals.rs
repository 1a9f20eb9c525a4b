//! A campaign driven by the library alone: one JSON line per trial, with the microseconds of its ask.
//!
//! `python/tests/test_same_bits.py` compares these proposals with those of the command line and of
//! Python; `python/benchmarks/overhead.py` compares the times.
//!
//! ```sh
//! cargo run --package baton --example proposals -- SEED BUDGET TASKS
//! ```

use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space};
use std::time::Instant;

/// What is minimised; the same formula, operation by operation, is in the Python files.
fn value(x: f64, rate: f64, fine: bool) -> f64 {
    let bias = if fine { 0.0 } else { 0.125 * x };
    (x - 0.375) * (x - 0.375) + (rate - 0.25) * (rate - 0.25) + bias
}

fn main() -> baton::Result<()> {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse::<f64>().unwrap_or(0.0));
    let mut next = || arguments.next().unwrap_or(1.0);
    let (seed, budget, tasks) = (next(), next(), next());
    let space = Space::new([
        Parameter::real("x", 0.0, 1.0),
        Parameter::log("rate", 1e-3, 1.0),
        Parameter::integer("layers", 1, 4),
        Parameter::choice("mode", ["a", "b", "c"]),
    ])?;
    let fidelities = [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a small whole number
    let settings = Settings::default().seed(seed as u64);
    let mut campaign = Campaign::new(space, fidelities, Goal::Minimize, settings)?;
    let mut number = 0.0;
    while number < tasks {
        let mut task = campaign.start(budget)?;
        loop {
            let begun = Instant::now();
            let Some(trial) = task.ask()? else { break };
            let microseconds = begun.elapsed().as_micros();
            let line = serde_json::json!({
                "point": trial.point,
                "fidelity": trial.fidelity,
                "microseconds": microseconds,
            });
            println!("{line}");
            let value = value(trial.number(0)?, trial.number(1)?, trial.fidelity == "fine");
            task.tell(trial.id, value)?;
        }
        campaign.finish(task)?;
        number += 1.0;
    }
    Ok(())
}
