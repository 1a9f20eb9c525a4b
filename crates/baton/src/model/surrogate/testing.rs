//! Small models and data shared by the tests of this crate.

use super::{Earlier, FidelityKernel, InputKernel, Mean, Noise, Surrogate, SurrogateSettings};
use crate::problem::{History, Link};
use baton_numerics::random::{Key, Purpose, Stream};
use baton_numerics::{Mat, Table};

pub(crate) fn stream(seed: u64) -> Stream {
    Key { seed, ..Key::default() }.stream(Purpose::Trial, 0)
}

/// The largest difference between entries of two tables.
pub(crate) fn farthest(a: &Table, b: &Table) -> f64 {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    let gap = |(a, b): (&f64, &f64)| (a - b).abs();
    a.entries().iter().zip(b.entries()).map(gap).fold(0.0, f64::max)
}

/// Every kernel, fidelity kernel, mean and noise at least once.
pub(crate) fn every_model() -> Vec<Surrogate> {
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
    let (dimension, levels) = (2, 3);
    let drifting = if link == Link::Identity { vec![1] } else { Vec::new() };
    SurrogateSettings { dimension, levels, input, fidelity, mean, noise, earlier, drifting, link }
        .check()
        .unwrap()
}

/// Models that know earlier tasks, kept or compact, one of them with a link.
pub(crate) fn related_models() -> Vec<Surrogate> {
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

pub(crate) fn example_theta(surrogate: &Surrogate) -> Vec<f64> {
    let mut stream = stream(1);
    (0..surrogate.parameter_count()).map(|_| 0.6 * stream.normal()).collect()
}

pub(crate) fn example_history(count: usize, dimension: usize, levels: usize) -> History {
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
pub(crate) fn related_history(surrogate: &Surrogate, own: usize) -> History {
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

pub(crate) fn example_points(count: usize, dimension: usize) -> Mat<f64> {
    let mut stream = stream(3);
    Mat::from_fn(dimension, count, |_, _| stream.uniform())
}
