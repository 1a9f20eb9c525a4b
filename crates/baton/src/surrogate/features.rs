//! Feature maps `phi_theta`: the kernels are radial functions of distances between features.
//!
//! | map | `phi(x)` | parameters |
//! |---|---|---|
//! | scaled | `x_i / l_i` | `log l_i` |
//! | network, `psi` of (12) | `h_{k+1} = tanh(W_k h_k + b_k)`, `h_0 = x` | `W_k` (row by row), `b_k` |
//!
//! Points and features are stored one column each, so a layer over all points is one product.

use super::layout::Block;
use baton_numerics::tanh::tanh_in_place;
use baton_numerics::{Mat, MatRef};
use faer::linalg::matmul::matmul;
use faer::{Accum, Par};

/// How points become features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FeatureMap {
    /// each coordinate divided by its own length scale
    Scaled,
    /// a fully connected network; the widths of its layers
    Network { widths: Vec<usize> },
}

/// The outputs of every stage: the points first, the features last.
#[derive(Debug, Clone)]
pub(super) struct FeatureTrace {
    stages: Vec<Mat<f64>>,
}

impl FeatureTrace {
    /// The features (`width` x `points`).
    pub(super) fn features(&self) -> &Mat<f64> {
        &self.stages[self.stages.len() - 1]
    }
}

impl FeatureMap {
    pub(super) fn blocks(&self, dimension: usize) -> Vec<Block> {
        match self {
            Self::Scaled => vec![Block::new("log_lengthscales", [dimension])],
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
    pub(super) fn trace(&self, theta: &[f64], points: MatRef<'_, f64>) -> FeatureTrace {
        let mut stages = vec![points.to_owned()];
        match self {
            Self::Scaled => stages.push(Mat::from_fn(points.nrows(), points.ncols(), |i, j| {
                points[(i, j)] * (-theta[i]).exp()
            })),
            Self::Network { widths } => {
                for layer in layers(points.nrows(), widths) {
                    let below = &stages[stages.len() - 1];
                    stages.push(layer.forward(theta, below));
                }
            }
        }
        FeatureTrace { stages }
    }

    /// From the derivatives of a loss by the features to those by the parameters (added to
    /// `d_theta`, where given) and by the points (returned).
    pub(super) fn pull_back(
        &self,
        theta: &[f64],
        trace: &FeatureTrace,
        d_features: Mat<f64>,
        mut d_theta: Option<&mut [f64]>,
    ) -> Mat<f64> {
        let mut d_stage = d_features;
        match self {
            Self::Scaled => {
                let features = trace.features();
                for j in 0..d_stage.ncols() {
                    for i in 0..d_stage.nrows() {
                        if let Some(gradient) = d_theta.as_deref_mut() {
                            gradient[i] -= d_stage[(i, j)] * features[(i, j)];
                        }
                        d_stage[(i, j)] *= (-theta[i]).exp();
                    }
                }
            }
            Self::Network { widths } => {
                let layers = layers(trace.stages[0].nrows(), widths);
                for (k, layer) in layers.iter().enumerate().rev() {
                    let (below, above) = (&trace.stages[k], &trace.stages[k + 1]);
                    d_stage = layer.backward(theta, below, above, d_stage, d_theta.as_deref_mut());
                }
            }
        }
        d_stage
    }
}

/// Where one layer's parameters lie.
struct Layer {
    start: usize,
    inputs: usize,
    outputs: usize,
}

fn layers(dimension: usize, widths: &[usize]) -> Vec<Layer> {
    let mut start = 0;
    let mut inputs = dimension;
    let place = |outputs: &usize| {
        let layer = Layer { start, inputs, outputs: *outputs };
        start += outputs * (inputs + 1);
        inputs = *outputs;
        layer
    };
    widths.iter().map(place).collect()
}

impl Layer {
    fn weight<'a>(&self, theta: &'a [f64]) -> MatRef<'a, f64> {
        let end = self.start + self.outputs * self.inputs;
        MatRef::from_row_major_slice(&theta[self.start..end], self.outputs, self.inputs)
    }

    fn bias_start(&self) -> usize {
        self.start + self.outputs * self.inputs
    }

    fn forward(&self, theta: &[f64], below: &Mat<f64>) -> Mat<f64> {
        let bias = &theta[self.bias_start()..self.bias_start() + self.outputs];
        let mut above = Mat::from_fn(self.outputs, below.ncols(), |i, _| bias[i]);
        matmul(above.as_mut(), Accum::Add, self.weight(theta), below.as_ref(), 1.0, Par::Seq);
        for j in 0..above.ncols() {
            tanh_in_place(above.col_as_slice_mut(j));
        }
        above
    }

    fn backward(
        &self,
        theta: &[f64],
        below: &Mat<f64>,
        above: &Mat<f64>,
        mut d_above: Mat<f64>,
        d_theta: Option<&mut [f64]>,
    ) -> Mat<f64> {
        for j in 0..above.ncols() {
            let outputs = above.col_as_slice(j);
            for (d, h) in d_above.col_as_slice_mut(j).iter_mut().zip(outputs) {
                *d *= 1.0 - h * h;
            }
        }
        if let Some(gradient) = d_theta {
            self.add_gradient(gradient, below, &d_above);
        }
        let mut d_below = Mat::zeros(self.inputs, below.ncols());
        let weight = self.weight(theta).transpose();
        matmul(d_below.as_mut(), Accum::Replace, weight, d_above.as_ref(), 1.0, Par::Seq);
        d_below
    }

    fn add_gradient(&self, gradient: &mut [f64], below: &Mat<f64>, d_sums: &Mat<f64>) {
        let (weights, bias) = gradient[self.start..].split_at_mut(self.outputs * self.inputs);
        let d_weight = faer::MatMut::from_row_major_slice_mut(weights, self.outputs, self.inputs);
        matmul(d_weight, Accum::Add, d_sums.as_ref(), below.transpose(), 1.0, Par::Seq);
        for j in 0..d_sums.ncols() {
            for (b, d) in bias.iter_mut().zip(d_sums.col_as_slice(j)) {
                *b += d;
            }
        }
    }
}
