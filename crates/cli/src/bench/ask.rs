//! Milliseconds per ask of a task that already has its observations.

use super::measured::{Measured, peak_unless, threads};
use super::operations::{self, AskWork, Features};
use crate::Outcome;
use crate::failure::Failure;
use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space, Task, Value};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use clap::Args;
use std::time::Instant;

/// The size of the work.
#[derive(Args, Clone)]
pub struct Size {
    /// Observations before the first timed ask.
    #[arg(long, default_value_t = 64)]
    pub points: usize,
    /// Coordinates of a point.
    #[arg(long, default_value_t = 6)]
    pub dimension: usize,
    /// Fidelity levels.
    #[arg(long, default_value_t = 4)]
    pub fidelities: usize,
    /// Particles; by default those of the method.
    #[arg(long)]
    pub particles: Option<usize>,
    /// Policy.
    #[arg(long)]
    pub method: Option<String>,
    /// Model and inference: `paper` (with the method `mft-mes`) or `default`.
    #[arg(long, default_value = "default")]
    pub preset: String,
    /// Asks that are timed, each followed by a tell.
    #[arg(long, default_value_t = 16)]
    pub asks: usize,
    /// Any other setting, `key=value`.
    #[arg(long = "set")]
    pub set: Vec<String>,
}

/// The size of the work and how it is done.
#[derive(Args)]
pub struct Call {
    #[command(flatten)]
    size: Size,
    /// Threads; by default all.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Leave out the measured peak, and with it the share of it.
    #[arg(long)]
    no_peak: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Timed asks and what the median one computed.
pub struct Asks {
    times: Times,
    operations: f64,
}

impl Asks {
    /// The median ask, which has no refit.
    pub fn median(&self) -> Measured {
        Measured { seconds: self.times.median(), operations: self.operations }
    }
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
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let threads = threads(call.threads);
    let asks = measured(&call.size, threads)?;
    print(call, threads, &asks);
    Ok(Outcome::Done)
}

/// Times the asks and counts what one of them computes.
pub fn measured(size: &Size, threads: usize) -> Result<Asks, Failure> {
    let settings = settings(size)?;
    let asks = parallel::with_threads(threads, || timed(size, settings));
    asks.map_err(|error| Failure::new("time the asks", error))
}

fn settings(size: &Size) -> Result<Settings, Failure> {
    let refused = |error: baton::Error| Failure::new("set up the benchmark", error);
    let implied = if size.preset == "paper" { "mft-mes" } else { "default" };
    let method = size.method.as_deref().unwrap_or(implied);
    let settings = Settings::by_name(method, Some(&size.preset));
    let mut settings = settings.map_err(refused)?.seed(1);
    // In many dimensions the first design would be longer than what was observed.
    let initial = size.points.min(2 * size.dimension + 2);
    settings.set("initial", &initial.to_string()).map_err(refused)?;
    if let Some(particles) = size.particles {
        settings.set("particles", &particles.to_string()).map_err(refused)?;
    }
    for pair in &size.set {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        settings.set(key, value).map_err(refused)?;
    }
    Ok(settings)
}

fn timed(size: &Size, settings: Settings) -> baton::Result<Asks> {
    let features = Features::new(size.dimension, widths(&settings));
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
    let asks = (0..size.asks).map(|_| one_ask(&mut task, size, &mut noise));
    let times = Times(asks.collect::<baton::Result<_>>()?);
    let operations = operations::ask(&features, work(task, size)?);
    Ok(Asks { times, operations })
}

/// Widths of the network's layers; none without a network.
fn widths(settings: &Settings) -> Vec<usize> {
    let entries = settings.entries();
    let widths = entries.iter().find(|(key, _)| *key == "widths").map_or("", |(_, value)| value);
    widths.split(',').filter_map(|width| width.parse().ok()).collect()
}

/// What the next ask would compute, with as many observations as the middle one of those timed.
fn work(mut task: Task, size: &Size) -> baton::Result<AskWork> {
    let search = task.search_quality(1)?;
    let observed = |level: &usize| task.trials().iter().any(|trial| trial.level == *level);
    Ok(AskWork {
        particles: search.map_or(0, |search| search.particles),
        rows: size.points + size.asks / 2,
        groups: (0..size.fidelities).filter(observed).count(),
        scored: search.map_or(0, |search| search.scored),
        climbed: search.map_or(0, |search| search.climbed),
    })
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
        let coordinates: Vec<f64> =
            (0..size.dimension).filter_map(|i| trial.number(i).ok()).collect();
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

fn print(call: &Call, threads: usize, asks: &Asks) {
    let (size, times) = (&call.size, &asks.times);
    let [mean, median, slowest] =
        [times.mean(), times.median(), times.slowest()].map(|seconds| seconds * 1e3);
    let peak = peak_unless(call.no_peak, threads);
    if call.json {
        let document = serde_json::json!({
            "ms_per_ask": mean, "ms_median": median, "ms_slowest": slowest,
            "share_of_peak": asks.median().share_of(peak), "operations": asks.operations,
            "asks": size.asks, "threads": threads, "preset": size.preset,
            "points": size.points, "dimension": size.dimension, "fidelities": size.fidelities,
            "peak_gflops": peak / 1e9,
        });
        out!("{document}");
    } else {
        out!(
            "{mean:.2} ms per ask on average, refits included (median {median:.2}, slowest {slowest:.2})"
        );
        out!(
            "preset {}, {} asks from {} points on, {} dimensions, {} fidelities, {threads} threads",
            size.preset,
            size.asks,
            size.points,
            size.dimension,
            size.fidelities
        );
        out!("{}", asks.median().rate("median ask", peak));
    }
}
