//! The model of a task: a Gaussian process over all its fidelities, and what is believed of its
//! parameters `theta`.
//!
//! It knows kernels, evidence, posteriors, priors, particles and how they are fitted; it knows nothing
//! of acquisition, of tasks or of what passes between them.

mod belief;
mod draws;
mod fit;
mod laplace;
mod note;
mod priors;
mod settings;
mod surrogate;

pub use belief::{
    Bandwidth, Belief, GaussianPrior, LogDensity, LogPosterior, MapFit, MapSettings, MixturePrior,
    Particles, Prior, Step, Svgd, SvgdReport, fit_map,
};
pub(crate) use fit::{Fit, surrogate};
pub(crate) use laplace::{curvature, curvature_along, place_flexibility};
pub use note::Note;
pub(crate) use priors::{Normal, RELATED_AT_FIRST, at_first};
pub(crate) use settings::Source;
pub use settings::{Kernel, ModelSettings, Preset, Stein, StepRule};
#[cfg(test)]
pub(crate) use surrogate::testing;
pub use surrogate::{
    Block, Columns, Earlier, Evidence, EvidenceScratch, FidelityKernel, Foretold, FunctionValues,
    Functions, InputKernel, Layout, Mean, Noise, Posterior, Prediction, PredictionTrace,
    Sensitivity, Surrogate, SurrogateSettings,
};
