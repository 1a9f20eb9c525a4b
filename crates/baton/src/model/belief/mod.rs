//! The belief over `theta`: a prior, weighted particles, and the ways to move them.
//!
//! It knows log densities and particles. Of Gaussian processes it knows one thing: that their
//! evidence and a prior add up to a log density ([`LogPosterior`]).

mod density;
mod interaction;
mod particles;
mod prior;
mod svgd;

pub(crate) use density::summits;
pub use density::{LogDensity, LogPosterior, MapFit, MapSettings, fit_map};
pub use interaction::Bandwidth;
pub use particles::{Belief, Particles};
pub use prior::{GaussianPrior, MixturePrior, Prior};
pub use svgd::{Step, Svgd, SvgdReport};
