//! The surrogate: one Gaussian process over all fidelities of a task, given parameters `theta`.
//!
//! It knows kernels, the evidence of observations and posteriors; it knows nothing of beliefs over
//! `theta`, of acquisition or of tasks.
//!
//! | notation | meaning |
//! |---|---|
//! | `d`, `M`, `n`, `N` | coordinates of a point, levels, observations, query points |
//! | `theta` | the flat parameter vector, divided by [`Layout`] |
//! | `k`, `kappa` | covariance between points, between levels; the product is (15) |
//! | `K~` | covariance of the observations with noise |
//!
//! Matrices of points have one column per point.

mod columns;
mod earlier;
mod evidence;
mod features;
mod fidelity;
mod functions;
mod gram;
mod layout;
mod left_out;
mod link;
mod mixing;
mod model;
mod posterior;
mod prediction;
mod profile;
mod radial;
mod shared;
#[cfg(test)]
#[path = "../../../tests/parts/testing.rs"]
pub(crate) mod testing;
mod trace;
mod whitening;

pub use columns::Columns;
pub use earlier::Earlier;
pub use evidence::{Evidence, EvidenceScratch};
pub(crate) use features::DESCRIPTOR_LENGTHS;
pub use fidelity::FidelityKernel;
pub use functions::{FunctionValues, Functions};
pub use layout::{Block, Layout};
pub use left_out::Foretold;
pub use model::{InputKernel, Mean, Noise, Surrogate, SurrogateSettings};
pub use posterior::Posterior;
pub use prediction::Prediction;
pub use trace::{PredictionTrace, Sensitivity};
