//! Priors over `theta` before the first task, block by block.
//!
//! Preset `paper`: `N(0, 0.5)` for every parameter (A4), or divided by the fan-in of a layer.
//!
//! Preset `default`, in units where the first design has standard deviation 1 and the cube side 1:
//!
//! | block | prior | why |
//! |---|---|---|
//! | length scales | log-normal, median 0.4, sd 0.6 | 0.7 doubles the regret of a single task |
//! | length scales of descriptors | log-normal, median 2, sd 1 | longer than their range (1): what tells tasks apart has to show that it does, and with long ones the model is the one without descriptors |
//! | output scale | log-normal, median 4 (2 with the sinh link), sd 0.8 | optima lie several deviations out |
//! | fidelity, linear | log-normal, median 0.2, sd 2 | levels mostly agree, but some mislead badly |
//! | fidelity, chain | links log-normal, median 0.007, sd 2, besides the linear part | a level may turn out worthless, and be found out |
//! | fidelity, RBF | `z ~ N(-2, 1)`: correlation 0.88 between neighbours | the same |
//! | fidelity, free | first column of `L` near 1, the rest near 0, sd 0.3 | the same |
//! | roughness | `z ~ N(0, 1.5)`: 0.18 to 0.82 of the variance is a Matern's | it is learned; all smooth trebles Branin's regret, all rough costs Hartmann's later tasks |
//! | mean | `N(0, 1)` | |
//! | noise, where it is learned | log-normal, median 0.001, sd 2 | most simulators have none, some have much; 0.01 and 1.5 took a tenth of a deviation for granted; with sd 3 few trials look too sure, and so do verdicts on what was handed over |
//!
//! What is learned from task to task takes their place (`shared/lost_evidence.rs`, `shared/relatedness.rs`).
//!
//! Where the shared function lies in a task: `N(0, drift)` in every coordinate along which it may drift, wider
//! where earlier tasks lack the coordinate (`shared/carried.rs`).
//! In preset `paper` learned noise is log-normal, median 0.01, sd 1.5.

use super::belief::GaussianPrior;
use super::settings::{ModelSettings, Preset};
use super::surrogate::{Block, DESCRIPTOR_LENGTHS, FidelityKernel, Surrogate};
use crate::error::Result;
use crate::problem::Link;

/// Mean and standard deviation of one parameter.
pub(crate) type Normal = (f64, f64);

/// Of the relatedness of tasks, before one has shown anything: they share 0.67 to 0.85 of their variance.
pub(crate) const RELATED_AT_FIRST: Normal = (2.0, 0.5);

/// Before the first task.
pub(crate) fn at_first(
    (settings, preset): (&ModelSettings, Preset),
    surrogate: &Surrogate,
) -> Vec<Normal> {
    let drifting = &surrogate.settings().drifting;
    let of = First { settings, preset, drifting, link: surrogate.settings().link };
    let blocks = surrogate.layout().blocks().iter();
    blocks.flat_map(|block| (0..block.size()).map(move |i| of.parameter(block, i))).collect()
}

/// The same as a density.
pub(crate) fn density(parameters: &[Normal]) -> Result<GaussianPrior> {
    let means = parameters.iter().map(|(mean, _)| *mean).collect();
    let variances = parameters.iter().map(|(_, deviation)| deviation * deviation).collect();
    GaussianPrior::new(means, variances)
}

/// What a first prior depends on.
#[derive(Clone, Copy)]
struct First<'a> {
    settings: &'a ModelSettings,
    preset: Preset,
    drifting: &'a [(usize, f64)],
    link: Link,
}

impl First<'_> {
    fn parameter(self, block: &Block, index: usize) -> Normal {
        match (self.preset, block.name.as_str()) {
            (Preset::Default, "log_noise") => (0.001_f64.ln(), 2.0),
            (_, "log_noise") => (0.01_f64.ln(), 1.5),
            (Preset::Default, "log_lengthscales") => (0.4_f64.ln(), 0.6),
            (_, DESCRIPTOR_LENGTHS) => (2.0_f64.ln(), 1.0),
            (Preset::Default, "log_outputscale") => match self.link {
                Link::Identity => (4.0_f64.ln(), 0.8),
                Link::Sinh => (2.0_f64.ln(), 0.8),
            },
            (Preset::Default, "mean") => (0.0, 1.0),
            (_, "roughness") => (0.0, 1.5),
            (_, "relatedness") => RELATED_AT_FIRST,
            (_, "drift") => (0.0, self.drifting[index].1),
            (_, "fidelity_links") => (-5.0, 2.0),
            (Preset::Default, "fidelity") => match self.settings.fidelity_kernel {
                FidelityKernel::Linear | FidelityKernel::Chain => (0.2_f64.ln(), 2.0),
                _ => (-2.0, 1.0),
            },
            (Preset::Default, "fidelity_factor") => {
                let first_column = index.is_multiple_of(block.shape[1]);
                (if first_column { 1.0 } else { 0.0 }, 0.3)
            }
            _ => (0.0, (*self.settings.prior_variance / self.fan_in(block)).sqrt()),
        }
    }

    /// Inputs of a layer's weights, where the scaling is asked for.
    fn fan_in(self, block: &Block) -> f64 {
        let is_weight = block.name.starts_with('w') && block.shape.len() == 2;
        if self.settings.fan_in_scaling && is_weight { block.shape[1] as f64 } else { 1.0 }
    }
}
