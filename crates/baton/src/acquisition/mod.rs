//! What an evaluation is worth, in nats.
//!
//! It sees [`Prediction`](crate::model::Prediction)s and max values, and pulls sensitivities
//! back through posteriors; it knows no kernel. Cost enters once, in [`Search`].
//!
//! | notation | meaning |
//! |---|---|
//! | `mu_m, v_m, c_m` | mean, variance, covariance with the top level at level `m` |
//! | `n_m` | noise variance at level `m` |
//! | `f*` | a draw of the maximum of the top level |
//! | `w_v` | weight of particle `v` |

mod allowed;
mod batch;
mod candidates;
mod criterion;
mod feasible_gain;
mod feasible_mean;
mod max_values;
mod mixture;
mod optimum_gain;
mod posterior_mean;
mod search;
mod settings;
mod transfer_gain;
mod truncated;

pub use batch::{batch_gradient, batch_information, greedy_batch};
pub use candidates::{Candidates, SearchEffort, candidates};
pub(crate) use candidates::{LISTED, candidates_by};
pub use criterion::{Acquisition, Criterion, Limits, Nats, Objective};
pub(crate) use feasible_gain::log_feasibility;
pub use feasible_mean::FeasibleMean;
pub use max_values::Gumbel;
pub(crate) use max_values::largest_feasible;
pub use mixture::{MixtureInformation, mixture_information};
pub use optimum_gain::OptimumGain;
pub(crate) use posterior_mean::NINETY_PERCENT;
pub use posterior_mean::{Moments, PosteriorMean};
pub use search::{Found, Search};
pub use settings::SearchSettings;
pub use transfer_gain::TransferGain;
