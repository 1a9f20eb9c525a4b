//! All that passes from task to task.
//!
//! Knowledge and its form as text; equivalent observations of the function that tasks share; priors of
//! the surrogate's parameters, learned over tasks; the hypotheses that a task is related to those before
//! as it is, at another place, or not at all, with their evidence; where earlier tasks had their best. It
//! knows observations, not trials, and nothing of how a trial is chosen.

mod carried;
mod condensed;
mod described;
mod equivalent;
mod fitted;
mod format;
mod frame;
mod hand_over;
mod hypotheses;
mod kept;
mod knowledge;
mod lost_evidence;
mod observation;
mod past_optima;
mod relatedness;
mod settings;
mod shared_function;
mod verdict;

pub(crate) use carried::Carrier;
pub use described::DescribedTask;
pub(crate) use fitted::Fitted;
pub(crate) use frame::{Frame, LEAST_FOR_UNITS, NOTHING_SAID};
pub(crate) use hand_over::{hand_over, shareable};
pub use knowledge::{Knowledge, Schema};
pub(crate) use observation::Observation;
pub(crate) use past_optima::Plain;
pub use past_optima::{PastOptimum, Region};
pub use settings::{Function, TransferSettings};
pub use shared_function::{SharedError, SharedFunction, most_points};
pub use verdict::Verdict;
