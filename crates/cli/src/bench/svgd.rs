//! Milliseconds per SVGD step of the paper's model.

use super::peak;
use crate::Outcome;
use crate::failure::Failure;
use baton::belief::{Bandwidth, GaussianPrior, LogPosterior, Prior, Step, Svgd};
use baton::problem::{History, Link};
use baton::surrogate::{
    Earlier, FidelityKernel, InputKernel, Mean, Noise, Surrogate, SurrogateSettings,
};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use clap::Args;
use std::time::Instant;

/// The size of the work.
#[derive(Args)]
pub struct Size {
    /// Particles.
    #[arg(long, default_value_t = 10)]
    particles: u32,
    /// Observations.
    #[arg(long, default_value_t = 50)]
    points: usize,
    /// Coordinates of a point.
    #[arg(long, default_value_t = 6)]
    dimension: usize,
    /// Fidelity levels.
    #[arg(long, default_value_t = 4)]
    fidelities: usize,
    /// Steps in each of several runs; the best run counts.
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// Threads; by default all.
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

const RUNS: usize = 5;

/// Times the step and prints it.
pub fn run(size: &Size) -> Result<Outcome, Failure> {
    let refused = |error: baton::Error| Failure::new("set up the benchmark", error);
    let surrogate = paper_model(size).map_err(refused)?;
    let history = random_history(size).map_err(refused)?;
    let prior = Prior::Gaussian(
        GaussianPrior::isotropic(surrogate.parameter_count(), 0.5).map_err(refused)?,
    );
    let density = LogPosterior { surrogate: &surrogate, history: &history, prior: &prior };
    let svgd = Svgd {
        bandwidth: Bandwidth::Fixed(1.0 / 1.326),
        step: Step::Plain { rate: 1e-3 },
        steps: size.steps,
    };
    let start: Vec<Vec<f64>> = (0..size.particles)
        .map(|v| prior.draw(&mut Key::default().stream(Purpose::Prior, v)))
        .collect();
    let threads = if size.threads == 0 { super::available_threads() } else { size.threads };
    let (seconds, peak) = parallel::with_threads(threads, || {
        let one_run = |_| {
            let mut thetas = start.clone();
            let begin = Instant::now();
            let report = svgd.run(&density, &mut thetas);
            std::hint::black_box(&thetas);
            report.map(|_| begin.elapsed().as_secs_f64() / f64::from(size.steps.max(1)))
        };
        let times = (0..RUNS).map(one_run).collect::<baton::Result<Vec<f64>>>()?;
        Ok((times.into_iter().fold(f64::INFINITY, f64::min), peak::measured(threads)))
    })
    .map_err(refused)?;
    print(size, threads, seconds, peak);
    Ok(Outcome::Done)
}

fn paper_model(size: &Size) -> baton::Result<Surrogate> {
    SurrogateSettings {
        dimension: size.dimension,
        levels: size.fidelities,
        input: InputKernel::deep(),
        fidelity: FidelityKernel::Rbf,
        mean: Mean::Zero,
        noise: Noise::Known(vec![0.1; size.fidelities]),
        earlier: Earlier::None,
        link: Link::Identity,
    }
    .check()
}

fn random_history(size: &Size) -> baton::Result<History> {
    let mut stream = Key::default().stream(Purpose::Trial, 0);
    let mut history = History::new(size.dimension);
    for _ in 0..size.points {
        let point: Vec<f64> = (0..size.dimension).map(|_| stream.uniform()).collect();
        history.push(&point, stream.below(size.fidelities), stream.normal())?;
    }
    Ok(history)
}

/// Multiplications and additions of one step, tanh and exp not counted.
fn operations(size: &Size) -> f64 {
    let (n, d, width) = (size.points as f64, size.dimension as f64, 64.0);
    let weights = width * (d + 2.0 * width);
    let network = 2.0 * n * weights + 2.0 * n * weights + 2.0 * n * 2.0 * width * width;
    let distances = 2.0 * 2.0 * width * n * n;
    let factor_and_inverse = n * n * n;
    let count = f64::from(size.particles);
    let interaction = 3.0 * 2.0 * count * count * (weights + 3.0 * width);
    count * (network + distances + factor_and_inverse) + interaction
}

fn print(size: &Size, threads: usize, seconds: f64, peak: f64) {
    let operations = operations(size);
    let share = operations / seconds / peak;
    if size.json {
        let document = serde_json::json!({
            "ms_per_step": seconds * 1e3, "share_of_peak": share, "operations": operations,
            "peak_gflops": peak / 1e9, "threads": threads, "particles": size.particles,
            "points": size.points, "dimension": size.dimension, "fidelities": size.fidelities,
        });
        println!("{document}");
    } else {
        println!(
            "{:.3} ms per SVGD step ({} particles, {} points, {} dimensions, {threads} threads)",
            seconds * 1e3,
            size.particles,
            size.points,
            size.dimension
        );
        println!(
            "{:.1} MFLOP per step at {:.1} GFLOP/s: {:.0} % of the measured peak of {:.1} GFLOP/s",
            operations / 1e6,
            operations / seconds / 1e9,
            100.0 * share,
            peak / 1e9
        );
    }
}
