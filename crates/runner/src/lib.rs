//! Campaigns at work: from records in a store to the next trial, to its evaluation, and back.
//!
//! One driver serves the command line, workers on other machines, and whoever embeds Baton:
//!
//! ```text
//! Spec (what the campaign is)  ─┐
//! Store (what happened so far) ─┴─> Desk: replays the task under way, does the next step
//!                                     └─> drive: evaluates trials with an Evaluator, several at a time
//! ```
//!
//! Nothing is kept here that is not in the store: a process that is killed at any moment and started
//! again goes on where it was, bit for bit. What is to be executed comes from whoever starts a
//! driver and is never written to the store.
//!
//! | module | what it knows |
//! |---|---|
//! | [`wanted`] | a campaign as somebody describes it, and what is wrong with it |
//! | [`spec`] | what a campaign is, as it is kept; what may be changed later |
//! | [`records`] | all records of a campaign, kept up to date |
//! | [`replay`] | a task as it was, from its records |
//! | [`desk`] | the next step of a campaign: ask, tell, finish |
//! | [`insight`] | what a campaign taught: which parameters matter, how far intervals are to be trusted |
//! | [`look`] | what people want to see of a task: its recommendation, slices of its posterior |
//! | [`evaluator`] | the user's command, a built-in problem, a function |
//! | [`process`] | names of processes, and which are gone |
//! | [`drive`](mod@drive) | workers, signs of life, attempts, pauses |

pub mod desk;
pub mod drive;
mod ended;
mod error;
pub mod evaluator;
pub mod insight;
pub mod look;
mod problem;
pub mod process;
pub mod records;
pub mod replay;
pub mod spec;
pub mod stop;
pub mod wanted;

pub use desk::{Desk, Step};
pub use drive::{Ending, Event, Options, drive};
pub use error::{Mistake, Result, RunnerError};
pub use evaluator::{Evaluation, Evaluator, Request, Trouble};
pub use problem::{Problem, united};
pub use records::Records;
pub use spec::Spec;
pub use stop::Stop;
pub use wanted::{Plan, Wanted};
