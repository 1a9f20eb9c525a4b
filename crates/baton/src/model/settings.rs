//! Which surrogate is used, and how its parameters are learned.

use super::belief::{Bandwidth, Step, Svgd};
use super::surrogate::{FidelityKernel, InputKernel};
use crate::problem::{Count, Positive};
use serde::{Deserialize, Serialize};

/// Which model and inference are used unless single settings say otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preset {
    /// the paper as printed, made to run; what it leaves open as it works best
    Paper,
    /// the paper with the fewest departures under which its claims hold: docs/reproduction.md
    Calibrated,
    /// what a user gets who sets nothing
    Default,
}

/// Covariance between points, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kernel {
    /// the paper's, a tanh network
    Deep,
    /// squared exponential
    Rbf,
    /// Matern with smoothness 5/2
    Matern52,
    /// the sum of the last two, its shares learned
    Mixed,
}

/// The surrogate and its fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ModelSettings {
    /// covariance between points
    pub kernel: Kernel,
    /// layers of the deep kernel
    pub widths: Vec<Count<1, 4_096>>,
    /// covariance between fidelities
    pub fidelity_kernel: FidelityKernel,
    /// of the paper's prior over `theta`
    pub prior_variance: Positive,
    /// whether that is divided by the inputs of a layer
    pub fan_in_scaling: bool,
    /// tells between two fits of `theta`; 0: none within a task
    pub refit_every: Count<0>,
    /// own observations of a task that `theta` is fitted to, at most; of more, half as many again are kept as
    /// equivalent ones; 0: all are kept
    pub most_observations: Count<0>,
}

impl ModelSettings {
    pub(crate) fn paper() -> Self {
        Self {
            kernel: Kernel::Deep,
            widths: vec![Count::literal(64); 3],
            fidelity_kernel: FidelityKernel::Rbf,
            prior_variance: Positive::literal(0.5),
            fan_in_scaling: false,
            refit_every: Count::literal(0),
            most_observations: Count::literal(0),
        }
    }

    /// A kernel with ten parameters instead of 8,769: what fifty observations can say something of.
    pub(crate) fn calibrated() -> Self {
        Self { kernel: Kernel::Rbf, ..Self::paper() }
    }

    pub(crate) fn everyday() -> Self {
        Self {
            kernel: Kernel::Mixed,
            fidelity_kernel: FidelityKernel::Chain,
            refit_every: Count::literal(5),
            most_observations: Count::literal(400),
            ..Self::paper()
        }
    }

    pub(crate) fn input(&self) -> InputKernel {
        match self.kernel {
            Kernel::Deep => {
                InputKernel::Deep { widths: self.widths.iter().map(|width| **width).collect() }
            }
            Kernel::Rbf => InputKernel::Rbf,
            Kernel::Matern52 => InputKernel::Matern52,
            Kernel::Mixed => InputKernel::Mixed,
        }
    }
}

/// How a direction becomes a step, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepRule {
    /// the paper's
    Plain,
    /// Adam
    Adam,
}

/// Particles and the way they are moved, for the methods that have them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Stein {
    /// how many
    pub particles: Count<1, 10_000>,
    /// of Stein variational gradient descent
    pub svgd_steps: Count<0>,
    /// how a direction becomes a step
    pub svgd_step: StepRule,
    /// length of a step
    pub svgd_rate: Positive,
    /// of the interaction between particles
    pub svgd_bandwidth: Bandwidth,
    /// of the kernels around the particles that were handed over: the prior of the next task
    pub kde_variance: Positive,
}

impl Stein {
    pub(crate) fn paper() -> Self {
        Self {
            particles: Count::literal(10),
            svgd_steps: Count::literal(2000),
            svgd_step: StepRule::Plain,
            svgd_rate: Positive::literal(1e-3),
            svgd_bandwidth: Bandwidth::Fixed(1.0 / 1.326),
            kde_variance: Positive::literal(0.005),
        }
    }

    /// Few parameters may move from task to task as far as before the first. At the printed bandwidth
    /// particles do not feel each other, and the mean over `V` of them leaves each a `V`-th of its own
    /// step: what a task taught is hardly taken in. Longer plain steps run away on steep evidence; Adam's
    /// do neither.
    pub(crate) fn calibrated() -> Self {
        Self {
            svgd_steps: Count::literal(400),
            svgd_step: StepRule::Adam,
            svgd_rate: Positive::literal(0.02),
            svgd_bandwidth: Bandwidth::Median,
            kde_variance: Positive::literal(0.5),
            ..Self::paper()
        }
    }

    pub(crate) fn everyday() -> Self {
        Self {
            particles: Count::literal(6),
            svgd_steps: Count::literal(80),
            svgd_step: StepRule::Adam,
            svgd_rate: Positive::literal(0.05),
            svgd_bandwidth: Bandwidth::Median,
            kde_variance: Positive::literal(0.1),
        }
    }

    pub(crate) fn svgd(&self) -> Svgd {
        let rate = *self.svgd_rate;
        let step = match self.svgd_step {
            StepRule::Plain => Step::Plain { rate },
            StepRule::Adam => Step::Adam { rate },
        };
        let steps = u32::try_from(*self.svgd_steps).unwrap_or(u32::MAX);
        Svgd { bandwidth: self.svgd_bandwidth, step, steps }
    }
}

/// Where `theta` comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// one draw from the prior per task
    PriorDraw,
    /// the most probable value, refitted as data arrives
    Map,
    /// particles, carried from task to task
    Particles(Stein),
}
