//! Small models and data shared by the tests of the parts, those inside the library included.

#![allow(dead_code, clippy::unwrap_used)] // each uses some of it

use baton::model::{
    Earlier, FidelityKernel, InputKernel, Mean, Noise, Prediction, Sensitivity, Surrogate,
    SurrogateSettings,
};
use baton::problem::{History, Link};
use baton_numerics::random::{Key, Purpose, Stream};
use baton_numerics::{Mat, Table};

pub fn stream(seed: u64) -> Stream {
    Key { seed, ..Key::default() }.stream(Purpose::Trial, 0)
}

/// The largest difference between entries of two tables.
pub fn farthest(a: &Table, b: &Table) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    let gap = |(a, b): (&f64, &f64)| (a - b).abs();
    a.entries().iter().zip(b.entries()).map(gap).fold(0.0, f64::max)
}

/// Every kernel, fidelity kernel, mean and noise at least once.
pub fn every_model() -> Vec<Surrogate> {
    let model = |input, fidelity, mean, noise| {
        model_with(input, fidelity, mean, noise, (Earlier::None, Link::Identity))
    };
    let known = || Noise::Known(vec![0.1, 0.05, 0.02]);
    let deep = InputKernel::Deep { widths: vec![5, 4] };
    vec![
        model(deep, FidelityKernel::Rbf, Mean::Zero, known()),
        model(InputKernel::Rbf, FidelityKernel::Linear, Mean::Learned, Noise::Learned),
        model(InputKernel::Matern52, FidelityKernel::Free, Mean::Constant(0.3), known()),
        model(InputKernel::Rbf, FidelityKernel::Rbf, Mean::Zero, Noise::Learned),
        model(InputKernel::Rbf, FidelityKernel::Chain, Mean::Zero, known()),
        model(InputKernel::Mixed, FidelityKernel::Rbf, Mean::Learned, known()),
    ]
}

fn model_with(
    input: InputKernel,
    fidelity: FidelityKernel,
    mean: Mean,
    noise: Noise,
    (earlier, link): (Earlier, Link),
) -> Surrogate {
    let (dimension, descriptors, levels) = (2, 0, 3);
    let drifting = if link == Link::Identity { vec![(1, 0.1)] } else { Vec::new() };
    let settings = SurrogateSettings {
        dimension,
        descriptors,
        levels,
        input,
        fidelity,
        mean,
        noise,
        earlier,
        drifting,
        link,
    };
    settings.check().unwrap()
}

/// Models that know earlier tasks, kept or compact, one of them with a link.
pub fn related_models() -> Vec<Surrogate> {
    let known = Noise::Known(vec![0.1, 0.05, 0.02]);
    let (rbf, matern) = (InputKernel::Rbf, InputKernel::Matern52);
    let kept = (Earlier::Tasks(2), Link::Sinh);
    let compact = (Earlier::Compact, Link::Identity);
    vec![
        model_with(rbf, FidelityKernel::Linear, Mean::Learned, Noise::Learned, kept),
        model_with(matern, FidelityKernel::Rbf, Mean::Learned, known.clone(), compact),
        model_with(InputKernel::Mixed, FidelityKernel::Linear, Mean::Learned, known, compact),
    ]
}

pub fn example_theta(surrogate: &Surrogate) -> Vec<f64> {
    let mut stream = stream(1);
    (0..surrogate.parameter_count()).map(|_| 0.6 * stream.normal()).collect()
}

pub fn example_history(count: usize, dimension: usize, levels: usize) -> History {
    let mut stream = stream(2);
    let mut history = History::new(dimension);
    for i in 0..count {
        let point: Vec<f64> = (0..dimension).map(|_| stream.uniform()).collect();
        let own_noise = (i % 3 == 2).then_some(0.07);
        history.push_measured(&point, i % levels, stream.normal(), own_noise).unwrap();
    }
    history
}

/// Some observations of earlier tasks, with noise of their own where the model has them compact,
/// followed by `own` of this task.
pub fn related_history(surrogate: &Surrogate, own: usize) -> History {
    let mut stream = stream(6);
    let (dimension, levels) = (surrogate.dimension(), surrogate.levels());
    let mut history = History::new(dimension);
    let earlier = 6;
    for i in 0..earlier + own {
        let point: Vec<f64> = (0..dimension).map(|_| stream.uniform()).collect();
        let sources = surrogate.all_levels() / levels;
        let source = if i < earlier { 1 + i % (sources - 1) } else { 0 };
        let own_noise = (i % 3 == 2).then_some(0.07);
        let level = source * levels + i % levels;
        history.push_measured(&point, level, stream.normal(), own_noise).unwrap();
        if i + 1 == earlier && surrogate.settings().earlier == Earlier::Compact {
            let root = Mat::from_fn(earlier, earlier, |_, _| 0.2 * stream.normal());
            let noise = &root * root.transpose() + faer::Scale(0.01) * Mat::<f64>::identity(6, 6);
            history = history.with_shared_noise(std::sync::Arc::new(noise)).unwrap();
        }
    }
    let factors = (0..history.len()).map(|i| if i < earlier { 1.0 } else { 0.7 }).collect();
    history.revalued(history.values().to_vec(), factors).unwrap()
}

pub fn example_points(count: usize, dimension: usize) -> Mat<f64> {
    let mut stream = stream(3);
    Mat::from_fn(dimension, count, |_, _| stream.uniform())
}

/// Moments of a positive-definite law, with noise.
pub fn example_prediction(seed: u64, levels: usize, points: usize) -> Prediction {
    let mut stream = stream(seed);
    let mean = Table::from_fn(levels, points, |_, _| stream.normal());
    let variance = Table::from_fn(levels, points, |_, _| 0.2 + stream.uniform());
    let covariance = Table::from_fn(levels, points, |m, j| {
        let product: f64 = variance[(m, j)] * variance[(levels - 1, j)];
        if m == levels - 1 { variance[(m, j)] } else { 0.8 * product.sqrt() }
    });
    let noise = Table::from_fn(levels, points, |m, _| 0.05 + 0.1 * m as f64);
    let noise_slope = Table::zeros(levels, points);
    Prediction { mean, variance, covariance, noise, noise_slope }
}

type Part = fn(&mut Prediction) -> &mut Table;

/// Compares a sensitivity with central differences of `scalar`.
pub fn assert_sensitivity(
    prediction: &Prediction,
    sensitivity: &Sensitivity,
    scalar: impl Fn(&Prediction) -> f64,
) {
    let parts: [(&str, &Table, Part); 3] = [
        ("mean", &sensitivity.mean, |p| &mut p.mean),
        ("variance", &sensitivity.variance, |p| &mut p.variance),
        ("covariance", &sensitivity.covariance, |p| &mut p.covariance),
    ];
    for (name, derivative, part) in parts {
        for j in 0..prediction.points() {
            for m in 0..prediction.levels() {
                let at = |step: f64| {
                    let mut moved = prediction.clone();
                    part(&mut moved)[(m, j)] += step;
                    scalar(&moved)
                };
                let numeric = (at(1e-5) - at(-1e-5)) / 2e-5;
                let error = (derivative[(m, j)] - numeric).abs();
                assert!(error < 1e-7 * (1.0 + numeric.abs()), "{name} ({m}, {j}): {error:e}");
            }
        }
    }
}
