//! Feature maps `phi_theta`: the kernels are radial functions of distances between features.
//!
//! | map | `phi(x)` | parameters |
//! |---|---|---|
//! | scaled | `x_i / l_i` | `log l_i` |
//! | network, `psi` of (12) | `h_{k+1} = tanh(W_k h_k + b_k)`, `h_0 = x` | `W_k` (row by row), `b_k` |
//!
//! Points and features are stored one column each, so a layer over all points is one product.

use super::layout::Block;
use baton_numerics::padded::reshape;
use baton_numerics::tanh::{tanh_of_sums, tanh_pull_back};
use baton_numerics::vector::add_scaled;
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

/// Length scales of descriptors are a block of their own, since their prior is another.
pub(crate) const DESCRIPTOR_LENGTHS: &str = "log_descriptor_lengthscales";

/// How points become features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FeatureMap {
    /// each coordinate divided by its own length scale
    Scaled,
    /// a fully connected network; the widths of its layers
    Network { widths: Vec<usize> },
}

/// The outputs of every stage, the points first and the features last, or the derivatives of a loss
/// by them; its memory can be used again.
#[derive(Debug, Clone, Default)]
pub(super) struct FeatureTrace {
    stages: Vec<Mat<f64>>,
}

impl FeatureTrace {
    /// The features (`width` x `points`).
    pub(super) fn features(&self) -> &Mat<f64> {
        &self.stages[self.stages.len() - 1]
    }

    /// The last stage, in the shape of another trace's.
    pub(super) fn features_like(&mut self, other: &Self) -> &mut Mat<f64> {
        self.stages.resize_with(other.stages.len(), Mat::new);
        let last = other.stages.len() - 1;
        let features = &mut self.stages[last];
        reshape(features, other.stages[last].nrows(), other.stages[last].ncols());
        features
    }
}

/// Parameters of a feature map, for a pass over points.
#[derive(Debug, Clone, Copy)]
pub(super) enum Weights<'a> {
    /// as they lie in `theta`
    ByRow(&'a [f64]),
    /// from [`FeatureMap::by_column`]: quicker where many passes are made
    ByColumn(&'a [f64]),
}

impl FeatureMap {
    /// The same parameters with the matrices of a network column by column, the order in which
    /// products read them.
    pub(super) fn by_column(&self, theta: &[f64], dimension: usize) -> Vec<f64> {
        let mut turned = theta.to_vec();
        if let Self::Network { widths } = self {
            for layer in layers(dimension, widths) {
                let (rows, columns) = (layer.outputs, layer.inputs);
                for place in 0..rows * columns {
                    turned[layer.start + place] =
                        theta[layer.start + (place % rows) * columns + place / rows];
                }
            }
        }
        turned
    }

    /// Of points with so many coordinates to search, followed by so many that describe the task.
    pub(super) fn blocks(&self, searched: usize, descriptors: usize) -> Vec<Block> {
        let dimension = searched + descriptors;
        match self {
            Self::Scaled if descriptors == 0 => vec![Block::new("log_lengthscales", [dimension])],
            Self::Scaled => vec![
                Block::new("log_lengthscales", [searched]),
                Block::new(DESCRIPTOR_LENGTHS, [descriptors]),
            ],
            Self::Network { widths } => {
                let inputs = std::iter::once(&dimension).chain(widths);
                let layers = inputs.zip(widths).enumerate();
                layers
                    .flat_map(|(k, (inputs, outputs))| {
                        let weight = Block::new(format!("w{}", k + 1), [*outputs, *inputs]);
                        [weight, Block::new(format!("b{}", k + 1), [*outputs])]
                    })
                    .collect()
            }
        }
    }

    /// Features of all points (columns), with what the way back needs.
    pub(super) fn trace(&self, weights: Weights<'_>, points: MatRef<'_, f64>) -> FeatureTrace {
        let mut trace = FeatureTrace::default();
        self.trace_into(weights, points, &mut trace);
        trace
    }

    /// The same in the memory of an earlier trace.
    pub(super) fn trace_into(
        &self,
        weights: Weights<'_>,
        points: MatRef<'_, f64>,
        trace: &mut FeatureTrace,
    ) {
        let count = if let Self::Network { widths } = self { widths.len() + 1 } else { 2 };
        let stages = &mut trace.stages;
        stages.resize_with(count, Mat::new);
        reshape(&mut stages[0], points.nrows(), points.ncols());
        stages[0].copy_from(points);
        match self {
            Self::Scaled => {
                reshape(&mut stages[1], points.nrows(), points.ncols());
                stages[1].copy_from(points);
                let (Weights::ByRow(theta) | Weights::ByColumn(theta)) = weights;
                scale_rows(theta, &mut stages[1]);
            }
            Self::Network { widths } => {
                for (k, layer) in layers(points.nrows(), widths).enumerate() {
                    let (below, above) = stages.split_at_mut(k + 1);
                    layer.forward(weights, &below[k], &mut above[0]);
                }
            }
        }
    }

    /// From the derivatives of a loss by the features, the last stage of `derivatives`, to those by
    /// the parameters, which are written to `d_theta`.
    pub(super) fn pull_back_to_parameters(
        &self,
        theta: &[f64],
        trace: &FeatureTrace,
        derivatives: &mut FeatureTrace,
        d_theta: &mut [f64],
    ) {
        match self {
            Self::Scaled => {
                let (features, d_features) = (trace.features(), &derivatives.stages[1]);
                d_theta.fill(0.0);
                for j in 0..features.ncols() {
                    let columns = features.col_as_slice(j).iter().zip(d_features.col_as_slice(j));
                    for (slope, (x, d)) in d_theta.iter_mut().zip(columns) {
                        *slope -= d * x;
                    }
                }
            }
            Self::Network { widths } => {
                let order = layers(trace.stages[0].nrows(), widths).enumerate();
                for (k, layer) in order.collect::<Vec<_>>().into_iter().rev() {
                    let (d_below, d_above) = derivatives.stages.split_at_mut(k + 1);
                    tanh_pull_back(&mut d_above[0], &trace.stages[k + 1]);
                    layer.write_gradient(&trace.stages[k], &d_above[0], d_theta);
                    if k > 0 {
                        layer.to_inputs(theta, &d_above[0], &mut d_below[k]);
                    }
                }
            }
        }
    }

    /// The same to the points.
    pub(super) fn pull_back_to_points(
        &self,
        theta: &[f64],
        trace: &FeatureTrace,
        derivatives: &mut FeatureTrace,
    ) -> Mat<f64> {
        match self {
            Self::Scaled => {
                let mut d_points = derivatives.stages[1].clone();
                scale_rows(theta, &mut d_points);
                d_points
            }
            Self::Network { widths } => {
                let order = layers(trace.stages[0].nrows(), widths).enumerate();
                for (k, layer) in order.collect::<Vec<_>>().into_iter().rev() {
                    let (d_below, d_above) = derivatives.stages.split_at_mut(k + 1);
                    tanh_pull_back(&mut d_above[0], &trace.stages[k + 1]);
                    layer.to_inputs(theta, &d_above[0], &mut d_below[k]);
                }
                derivatives.stages[0].clone()
            }
        }
    }
}

/// Divides every row by its length scale.
fn scale_rows(theta: &[f64], rows: &mut Mat<f64>) {
    let scales: Vec<f64> = theta.iter().map(|log_length| (-log_length).exp()).collect();
    for j in 0..rows.ncols() {
        for (x, scale) in rows.col_as_slice_mut(j).iter_mut().zip(&scales) {
            *x *= scale;
        }
    }
}

/// Where one layer's parameters lie.
struct Layer {
    start: usize,
    inputs: usize,
    outputs: usize,
}

fn layers(dimension: usize, widths: &[usize]) -> impl Iterator<Item = Layer> {
    let mut start = 0;
    let mut inputs = dimension;
    widths.iter().map(move |outputs| {
        let layer = Layer { start, inputs, outputs: *outputs };
        start += outputs * (inputs + 1);
        inputs = *outputs;
        layer
    })
}

impl Layer {
    fn weight<'a>(&self, theta: &'a [f64]) -> MatRef<'a, f64> {
        let entries = &theta[self.start..self.bias_start()];
        MatRef::from_row_major_slice(entries, self.outputs, self.inputs)
    }

    fn bias_start(&self) -> usize {
        self.start + self.outputs * self.inputs
    }

    fn forward(&self, weights: Weights<'_>, below: &Mat<f64>, above: &mut Mat<f64>) {
        reshape(above, self.outputs, below.ncols());
        let (Weights::ByRow(theta) | Weights::ByColumn(theta)) = weights;
        let entries = &theta[self.start..self.bias_start()];
        let weight = match weights {
            Weights::ByColumn(_) => {
                MatRef::from_column_major_slice(entries, self.outputs, self.inputs)
            }
            Weights::ByRow(_) => self.weight(theta),
        };
        matmul(above.as_mut(), Accum::Replace, weight, below, 1.0, Par::Seq);
        let bias = &theta[self.bias_start()..self.bias_start() + self.outputs];
        tanh_of_sums(above, bias);
    }

    fn to_inputs(&self, theta: &[f64], d_sums: &Mat<f64>, d_below: &mut Mat<f64>) {
        reshape(d_below, self.inputs, d_sums.ncols());
        let weight = self.weight(theta).transpose();
        matmul(d_below.as_mut(), Accum::Replace, weight, d_sums, 1.0, Par::Seq);
    }

    fn write_gradient(&self, below: &Mat<f64>, d_sums: &Mat<f64>, gradient: &mut [f64]) {
        let (weights, bias) = gradient[self.start..].split_at_mut(self.outputs * self.inputs);
        let d_weight = faer::MatMut::from_row_major_slice_mut(weights, self.outputs, self.inputs);
        matmul(d_weight, Accum::Replace, d_sums, below.transpose(), 1.0, Par::Seq);
        let bias = &mut bias[..self.outputs];
        bias.fill(0.0);
        for j in 0..d_sums.ncols() {
            add_scaled(bias, d_sums.col_as_slice(j), 1.0);
        }
    }
}
