//! Covariance between fidelity levels, as an `M x M` matrix `kappa`.
//!
//! | kernel | `kappa(m, m')` | parameters |
//! |---|---|---|
//! | `Rbf`, (16) of the paper | `exp(-softplus(z) (m - m')^2)` | `z` |
//! | `Linear` | `1 + exp(z) u_m u_m'`, `u_m = (M-1-m)/(M-1)` | `z` |
//! | `Chain` | `exp(-sum_k exp(z_k)) + exp(z) u_m u_m'`, `k` from `m` to `m' - 1` | `z`, then `z_k` |
//! | `Free` | `(L L')(m, m')`, `L` lower triangular | the `M x M` block, upper part unused |
//!
//! Levels count from 0; the last is the truth. `Linear` reads every level as the truth plus one
//! bias function that shrinks linearly to nothing: two levels that are both wrong give the truth
//! away. `Chain` adds that each level may lose touch with the next by an amount of its own, so that
//! a level can turn out not to be worth asking. `Free` assumes no order of quality.

use super::layout::Block;
use baton_numerics::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// Which covariance between levels is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FidelityKernel {
    /// the paper's squared exponential over level numbers
    Rbf,
    /// truth plus a bias that fades linearly with the level
    Linear,
    /// the same, and each level correlates with the next by a number of its own
    Chain,
    /// any positive-semidefinite matrix
    Free,
}

impl FidelityKernel {
    pub(super) fn blocks(self, levels: usize) -> Vec<Block> {
        match self {
            Self::Rbf | Self::Linear => vec![Block::new("fidelity", [1])],
            Self::Chain => {
                let links = Block::new("fidelity_links", [levels - 1]);
                let bias = Self::Linear.blocks(levels);
                if levels == 1 { bias } else { bias.into_iter().chain([links]).collect() }
            }
            Self::Free => vec![Block::new("fidelity_factor", [levels, levels])],
        }
    }

    /// `kappa` (`levels` x `levels`).
    pub(super) fn matrix(self, theta: &[f64], levels: usize) -> Mat<f64> {
        match self {
            Self::Rbf => {
                let rate = softplus(theta[0]);
                let by_gap: Vec<f64> =
                    (0..levels).map(|gap| (-rate * squared_gap(gap, 0)).exp()).collect();
                Mat::from_fn(levels, levels, |i, j| by_gap[i.abs_diff(j)])
            }
            Self::Linear => {
                let scale = theta[0].exp();
                Mat::from_fn(levels, levels, |i, j| {
                    1.0 + scale * crude(i, levels) * crude(j, levels)
                })
            }
            Self::Chain => {
                Self::Linear.matrix(theta, levels)
                    + Mat::from_fn(levels, levels, |i, j| touch(&theta[1..], i, j) - 1.0)
            }
            Self::Free => Mat::from_fn(levels, levels, |i, j| {
                (0..=i.min(j)).map(|k| theta[i * levels + k] * theta[j * levels + k]).sum()
            }),
        }
    }

    /// Adds `sum_ij d_matrix(i, j) d kappa(i, j) / d theta` to `gradient`; `matrix` is `kappa`.
    pub(super) fn pull_back(
        self,
        theta: &[f64],
        matrix: MatRef<'_, f64>,
        d_matrix: MatRef<'_, f64>,
        gradient: &mut [f64],
    ) {
        let levels = d_matrix.nrows();
        let sum = |f: &dyn Fn(usize, usize) -> f64| -> f64 {
            let cells = (0..levels).flat_map(|i| (0..levels).map(move |j| (i, j)));
            cells.map(|(i, j)| d_matrix[(i, j)] * f(i, j)).sum()
        };
        match self {
            Self::Rbf => {
                let by_rate = sum(&|i, j| -squared_gap(i, j) * matrix[(i, j)]);
                gradient[0] += by_rate * sigmoid(theta[0]);
            }
            Self::Linear => {
                let scale = theta[0].exp();
                gradient[0] += sum(&|i, j| scale * crude(i, levels) * crude(j, levels));
            }
            Self::Chain => {
                Self::Linear.pull_back(theta, matrix, d_matrix, &mut gradient[..1]);
                for (k, slope) in gradient[1..].iter_mut().enumerate() {
                    let through = |i: usize, j: usize| i.min(j) <= k && k < i.max(j);
                    let lost = |i, j| if through(i, j) { touch(&theta[1..], i, j) } else { 0.0 };
                    *slope -= theta[k + 1].exp() * sum(&lost);
                }
            }
            Self::Free => {
                for i in 0..levels {
                    for k in 0..=i {
                        let through = |j: usize| d_matrix[(i, j)] + d_matrix[(j, i)];
                        let total: f64 =
                            (k..levels).map(|j| through(j) * theta[j * levels + k]).sum();
                        gradient[i * levels + k] += total;
                    }
                }
            }
        }
    }
}

/// How far a level is from the truth: 1 for the cheapest, 0 for the last.
fn crude(level: usize, levels: usize) -> f64 {
    if levels < 2 { 0.0 } else { (levels - 1 - level) as f64 / (levels - 1) as f64 }
}

/// What is left of the truth between two levels.
fn touch(links: &[f64], i: usize, j: usize) -> f64 {
    (-links[i.min(j)..i.max(j)].iter().map(|z| z.exp()).sum::<f64>()).exp()
}

fn squared_gap(i: usize, j: usize) -> f64 {
    let gap = i.abs_diff(j) as f64;
    gap * gap
}

/// `log(1 + e^z)` without overflow.
pub(super) fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

/// A share from any number.
pub(super) fn sigmoid(z: f64) -> f64 {
    if z >= 0.0 { 1.0 / (1.0 + (-z).exp()) } else { z.exp() / (1.0 + z.exp()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_agree_with_finite_differences() {
        let levels = 3;
        let weights = Mat::from_fn(levels, levels, |i, j| 0.3 + i as f64 - 0.7 * j as f64);
        let ordered = [FidelityKernel::Rbf, FidelityKernel::Linear, FidelityKernel::Chain];
        for kernel in ordered.into_iter().chain([FidelityKernel::Free]) {
            let size = kernel.blocks(levels).iter().map(Block::size).sum();
            let theta: Vec<f64> = (0..size).map(|i| 0.4 - 0.17 * i as f64).collect();
            let loss = |theta: &[f64]| -> f64 {
                let matrix = kernel.matrix(theta, levels);
                let cells = (0..9).map(|c| weights[(c / 3, c % 3)] * matrix[(c / 3, c % 3)]);
                cells.sum()
            };
            let mut gradient = vec![0.0; size];
            let matrix = kernel.matrix(&theta, levels);
            kernel.pull_back(&theta, matrix.as_ref(), weights.as_ref(), &mut gradient);
            for i in 0..size {
                let shifted = |step: f64| {
                    let mut moved = theta.clone();
                    moved[i] += step;
                    loss(&moved)
                };
                let numeric = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
                assert!((gradient[i] - numeric).abs() < 1e-8, "{kernel:?} {i}");
            }
        }
    }

    #[test]
    fn extremes_stay_finite() {
        assert_eq!(softplus(1e3), 1e3);
        assert_eq!(softplus(-1e3), 0.0);
        assert_eq!((sigmoid(-1e3), sigmoid(1e3)), (0.0, 1.0));
        assert_eq!(FidelityKernel::Linear.matrix(&[3.0], 1)[(0, 0)], 1.0);
    }
}
