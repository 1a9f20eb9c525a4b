//! Milliseconds per SVGD step of the paper's model.

use super::measured::{Measured, peak_unless, threads};
use super::operations::{self, Features};
use crate::Outcome;
use crate::failure::Failure;
use baton::model::{Bandwidth, GaussianPrior, LogPosterior, Prior, Step, Svgd};
use baton::model::{
    Earlier, FidelityKernel, InputKernel, Mean, Noise, Surrogate, SurrogateSettings,
};
use baton::problem::{History, Link};
use baton_numerics::parallel;
use baton_numerics::random::{Key, Purpose};
use clap::Args;
use std::time::Instant;

/// The size of the work.
#[derive(Args, Clone, Copy)]
pub struct Size {
    /// Particles.
    #[arg(long, default_value_t = 10)]
    pub particles: u32,
    /// Observations.
    #[arg(long, default_value_t = 50)]
    pub points: usize,
    /// Coordinates of a point.
    #[arg(long, default_value_t = 6)]
    pub dimension: usize,
    /// Fidelity levels.
    #[arg(long, default_value_t = 4)]
    pub fidelities: usize,
}

/// The size of the work and how it is done.
#[derive(Args)]
pub struct Call {
    #[command(flatten)]
    size: Size,
    /// Steps in each run; the best run counts.
    #[arg(long, default_value_t = 100)]
    steps: u32,
    /// Runs.
    #[arg(long, default_value_t = 5)]
    runs: usize,
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

/// Times the step and prints it.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let threads = threads(call.threads);
    let measured = measured(call.size, call.steps, call.runs, threads)
        .map_err(|error| Failure::new("time the SVGD step", error))?;
    print(call, threads, measured);
    Ok(Outcome::Done)
}

/// The operations of one step.
pub fn operations(size: Size) -> f64 {
    let features = Features::new(size.dimension, vec![64; 3]);
    operations::svgd_step(&features, size.particles as usize, size.points)
}

/// The best of several runs.
pub fn measured(size: Size, steps: u32, runs: usize, threads: usize) -> baton::Result<Measured> {
    let surrogate = paper_model(size)?;
    let history = random_history(size)?;
    let prior = Prior::Gaussian(GaussianPrior::isotropic(surrogate.parameter_count(), 0.5)?);
    let density = LogPosterior { surrogate: &surrogate, history: &history, prior: &prior };
    let bandwidth = Bandwidth::Fixed(1.0 / 1.326);
    let svgd = Svgd { bandwidth, step: Step::Plain { rate: 1e-3 }, steps };
    let start: Vec<Vec<f64>> = (0..size.particles)
        .map(|v| prior.draw(&mut Key::default().stream(Purpose::Prior, v)))
        .collect();
    parallel::with_threads(threads, || {
        let one_run = |_| {
            let mut thetas = start.clone();
            let begin = Instant::now();
            let report = svgd.run(&density, &mut thetas);
            std::hint::black_box(&thetas);
            report.map(|_| begin.elapsed().as_secs_f64() / f64::from(steps.max(1)))
        };
        let times = (0..runs.max(1)).map(one_run).collect::<baton::Result<Vec<f64>>>()?;
        let seconds = times.into_iter().fold(f64::INFINITY, f64::min);
        Ok(Measured { seconds, operations: operations(size) })
    })
}

fn paper_model(size: Size) -> baton::Result<Surrogate> {
    SurrogateSettings {
        dimension: size.dimension,
        descriptors: 0,
        levels: size.fidelities,
        input: InputKernel::deep(),
        fidelity: FidelityKernel::Rbf,
        mean: Mean::Zero,
        noise: Noise::Known(vec![0.1; size.fidelities]),
        earlier: Earlier::None,
        drifting: Vec::new(),
        link: Link::Identity,
    }
    .check()
}

fn random_history(size: Size) -> baton::Result<History> {
    let mut stream = Key::default().stream(Purpose::Trial, 0);
    let mut history = History::new(size.dimension);
    for _ in 0..size.points {
        let point: Vec<f64> = (0..size.dimension).map(|_| stream.uniform()).collect();
        history.push(&point, stream.below(size.fidelities), stream.normal())?;
    }
    Ok(history)
}

fn print(call: &Call, threads: usize, measured: Measured) {
    let Size { particles, points, dimension, fidelities } = call.size;
    let peak = peak_unless(call.no_peak, threads);
    let (milliseconds, share) = (measured.seconds * 1e3, measured.share_of(peak));
    if call.json {
        let document = serde_json::json!({
            "ms_per_step": milliseconds, "share_of_peak": share, "operations": measured.operations,
            "peak_gflops": peak / 1e9, "threads": threads, "particles": particles,
            "points": points, "dimension": dimension, "fidelities": fidelities,
        });
        out!("{document}");
    } else {
        out!(
            "{milliseconds:.3} ms per SVGD step ({particles} particles, {points} points, {dimension} \
             dimensions, {threads} threads)"
        );
        out!("{}", measured.rate("step", peak));
    }
}
