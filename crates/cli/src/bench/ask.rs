//! Milliseconds per ask of a task that already has its observations.

use super::peak;
use crate::Outcome;
use crate::failure::Failure;
use baton::{Campaign, Fidelity, Goal, Method, Parameter, Preset, Settings, Space, Task, Value};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use clap::Args;
use std::time::Instant;

/// The size of the work.
#[derive(Args)]
pub struct Size {
    /// Observations before the first timed ask.
    #[arg(long, default_value_t = 64)]
    points: usize,
    /// Coordinates of a point.
    #[arg(long, default_value_t = 6)]
    dimension: usize,
    /// Fidelity levels.
    #[arg(long, default_value_t = 4)]
    fidelities: usize,
    /// Particles; by default those of the method.
    #[arg(long)]
    particles: Option<usize>,
    /// Policy.
    #[arg(long)]
    method: Option<String>,
    /// Model and inference: `paper` (with the method `mft-mes`) or `default`.
    #[arg(long, default_value = "default")]
    preset: String,
    /// Asks that are timed, each followed by a tell.
    #[arg(long, default_value_t = 16)]
    asks: usize,
    /// Any other setting, `key=value`.
    #[arg(long = "set")]
    set: Vec<String>,
    /// Threads; by default all.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Times of the asks, in seconds and in their order.
struct Times(Vec<f64>);

impl Times {
    fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    fn median(&self) -> f64 {
        self.sorted().get(self.0.len() / 2).copied().unwrap_or(f64::NAN)
    }

    fn slowest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }
}

/// Times the asks and prints them.
pub fn run(size: &Size) -> Result<Outcome, Failure> {
    let threads = if size.threads == 0 { super::available_threads() } else { size.threads };
    let settings = settings(size)?;
    let times = parallel::with_threads(threads, || timed(size, settings));
    let times = times.map_err(|error| Failure::new("time the asks", error))?;
    print(size, threads, &times);
    Ok(Outcome::Done)
}

fn settings(size: &Size) -> Result<Settings, Failure> {
    let refused = |error: baton::Error| Failure::new("set up the benchmark", error);
    let implied = if size.preset == "paper" { "mft-mes" } else { "default" };
    let method: Method = size.method.as_deref().unwrap_or(implied).parse().map_err(refused)?;
    let preset: Preset = size.preset.parse().map_err(refused)?;
    let mut settings = Settings::with_preset(method, preset).seed(1);
    if let Some(particles) = size.particles {
        settings.set("particles", &particles.to_string()).map_err(refused)?;
    }
    for pair in &size.set {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        settings.set(key, value).map_err(refused)?;
    }
    Ok(settings)
}

fn timed(size: &Size, settings: Settings) -> baton::Result<Times> {
    let parameter = |i: usize| Parameter::real(&format!("x{i}"), 0.0, 1.0);
    let space = Space::new((0..size.dimension).map(parameter).collect::<Vec<_>>())?;
    let cost = |m: usize| 10.0 + 5.0 * m as f64;
    let fidelity = |m: usize| Fidelity::new(&format!("level {m}"), cost(m)).with_noise(0.1);
    let fidelities: Vec<Fidelity> = (0..size.fidelities.max(1)).map(fidelity).collect();
    let campaign = Campaign::new(space, fidelities, Goal::Maximize, settings)?;
    let mut task = campaign.start(1e9)?;
    let mut noise = Key::default().stream(Purpose::Trial, 1);
    for _ in 0..size.points {
        let coordinates: Vec<f64> = (0..size.dimension).map(|_| noise.uniform()).collect();
        let level = noise.below(size.fidelities.max(1));
        let value = landscape(&coordinates, level, size.fidelities) + 0.3 * noise.normal();
        let point: Vec<Value> = coordinates.into_iter().map(Value::Real).collect();
        task.add_free(&point, level, value)?;
    }
    // The first ask also factors what was just handed over; it counts, as a restart would.
    (0..size.asks)
        .map(|_| one_ask(&mut task, size, &mut noise))
        .collect::<baton::Result<_>>()
        .map(Times)
}

fn one_ask(
    task: &mut Task,
    size: &Size,
    noise: &mut baton_numerics::random::Stream,
) -> baton::Result<f64> {
    let begin = Instant::now();
    let asked = task.ask()?;
    let seconds = begin.elapsed().as_secs_f64();
    if let Some(trial) = asked {
        let coordinates: Vec<f64> = (0..size.dimension).map(|i| trial.number(i)).collect();
        let value = landscape(&coordinates, trial.level, size.fidelities) + 0.3 * noise.normal();
        task.tell(trial.id, value)?;
    }
    Ok(seconds)
}

/// Two hills, the lower of which grows at cheap levels.
fn landscape(x: &[f64], level: usize, levels: usize) -> f64 {
    let hill = |centre: f64, width: f64| {
        let squared: f64 = x.iter().map(|u| (u - centre) * (u - centre)).sum();
        (-squared / (width * width * x.len() as f64)).exp()
    };
    let crude = (levels - 1 - level.min(levels - 1)) as f64 / levels as f64;
    3.0 * hill(0.3, 0.2) + (1.5 + crude) * hill(0.75, 0.25)
}

fn print(size: &Size, threads: usize, times: &Times) {
    let [mean, median, slowest] =
        [times.mean(), times.median(), times.slowest()].map(|seconds| seconds * 1e3);
    if size.json {
        let document = serde_json::json!({
            "ms_per_ask": mean, "ms_median": median, "ms_slowest": slowest,
            "asks": size.asks, "threads": threads, "preset": size.preset,
            "points": size.points, "dimension": size.dimension, "fidelities": size.fidelities,
            "peak_gflops": peak::measured(threads) / 1e9,
        });
        println!("{document}");
    } else {
        println!(
            "{mean:.2} ms per ask on average, refits included (median {median:.2}, slowest {slowest:.2})"
        );
        println!(
            "preset {}, {} asks from {} points on, {} dimensions, {} fidelities, {threads} threads",
            size.preset, size.asks, size.points, size.dimension, size.fidelities
        );
    }
}
