//! Bayesian optimisation of *sequences* of related, expensive tasks at several fidelities.
//!
//! You have a simulator with coarse and fine settings, and you optimise it again and again: for new
//! users, new data, new weather. Baton proposes which point to evaluate at which fidelity so that
//! this task ends well for little cost, and so that the next tasks start ahead.
//!
//! # A whole program
//!
//! Five related tasks, each with a budget of 40; a coarse evaluation costs 1, a fine one 4.
//!
//! ```
//! use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space};
//!
//! // The valley moves a little from task to task; the coarse simulator is slightly off.
//! fn simulate(task: u32, x: f64, y: f64, fine: bool) -> f64 {
//!     let centre = 0.6 + 0.02 * f64::from(task);
//!     let bias = if fine { 0.0 } else { 0.1 * (3.0 * x).sin() };
//!     (x - centre).powi(2) + (y - 0.3).powi(2) + bias
//! }
//!
//! fn main() -> baton::Result<()> {
//!     let space = Space::new([Parameter::real("x", 0.0, 1.0), Parameter::real("y", 0.0, 1.0)])?;
//!     let fidelities = [Fidelity::new("coarse", 1.0), Fidelity::new("fine", 4.0)];
//!     let mut campaign = Campaign::new(space, fidelities, Goal::Minimize, Settings::default())?;
//!     for _ in 0..5 {
//!         let mut task = campaign.start(40.0)?;
//!         while let Some(trial) = task.ask()? {
//!             let (x, y) = (trial.number(0)?, trial.number(1)?);
//!             let value = simulate(task.number(), x, y, trial.fidelity == "fine");
//!             task.tell(trial.id, value)?;
//!         }
//!         let best = task.recommendation()?.expect("something was told");
//!         println!("task {}: {:?}, {:.4}", task.number(), best.point, best.mean);
//! #       assert!(simulate(task.number(), best.point[0].number().unwrap(),
//! #           best.point[1].number().unwrap(), true) < 0.02, "{best:?}");
//!         campaign.finish(task)?;
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # One snippet per option
//!
//! **Parameters** may be real, real on a log scale, integer, stepped, or chosen from ordered or
//! unordered values. A proposal is always a legal value.
//!
//! ```
//! use baton::{Parameter, Space};
//! let space = Space::new([
//!     Parameter::log("learning rate", 1e-5, 0.1),
//!     Parameter::integer("layers", 1, 12),
//!     Parameter::stepped("power in dBm", -202.0, 24.0, 2.0),
//!     Parameter::ordered("alpha", [0.0, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0]),
//!     Parameter::choice("optimiser", ["adam", "sgd", "lion"]),
//! ])?;
//! assert_eq!(space.parameters().len(), 5);
//! # Ok::<(), baton::Error>(())
//! ```
//!
//! A parameter may be there **under a condition** only, and combinations may be **forbidden**. Where a
//! parameter is not there, a point has [`Value::Absent`]; nothing forbidden is proposed.
//!
//! ```
//! use baton::{Parameter, Space};
//! let space = Space::new([
//!     Parameter::choice("optimiser", ["adam", "sgd"]),
//!     Parameter::log("rate", 1e-5, 1.0),
//!     Parameter::real("momentum", 0.0, 1.0).when("optimiser = sgd")?,
//! ])?
//! .forbid(["optimiser = adam and rate > 0.1", "momentum + rate > 1.5"])?;
//! let point = space.point(&[0.0, 0.9, 0.5])?;   // of the unit cube
//! let there: Vec<&str> = space.present(&point).map(|(parameter, _)| parameter.name.as_str()).collect();
//! assert_eq!(there, ["optimiser", "rate"]);
//! assert!(point[1].number().is_some_and(|rate| rate <= 0.1));
//! # Ok::<(), baton::Error>(())
//! ```
//!
//! **Noise** is learned unless you know its variance.
//!
//! ```
//! use baton::Fidelity;
//! let fidelities = [
//!     Fidelity::new("10 samples", 10.0).with_noise(0.09),
//!     Fidelity::new("100 samples", 100.0).with_noise(0.009),
//! ];
//! # assert_eq!(fidelities[1].noise_variance, Some(0.009));
//! ```
//!
//! **Several at a time**: ask for more before telling. Pending trials are taken into account.
//! A trial that cannot be evaluated is reported as failed.
//!
//! ```
//! # use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space};
//! # let space = Space::new([Parameter::real("x", 0.0, 1.0)])?;
//! # let campaign = Campaign::new(space, [Fidelity::new("only", 1.0)], Goal::Maximize, Settings::default())?;
//! let mut task = campaign.start(10.0)?;
//! let trials = task.ask_many(3)?;
//! task.tell(trials[1].id, 0.7)?;
//! task.fail(trials[0].id, "the simulator diverged")?;
//! assert_eq!(task.pending().count(), 1);
//! assert_eq!(task.cost_left(), 7.0);
//! # Ok::<(), baton::Error>(())
//! ```
//!
//! **Why this point?** Every trial says so, and the list of trials is the ledger.
//!
//! ```
//! # use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space};
//! # let space = Space::new([Parameter::real("x", 0.0, 1.0)])?;
//! # let campaign = Campaign::new(space, [Fidelity::new("only", 1.0)], Goal::Maximize, Settings::default())?;
//! # let mut task = campaign.start(10.0)?;
//! while let Some(trial) = task.ask()? {
//!     println!("{}", trial.why());
//!     task.tell(trial.id, trial.number(0)?.sin())?;
//! }
//! let spent: f64 = task.trials().iter().map(|trial| trial.cost).sum();
//! # assert_eq!(spent, 10.0);
//! # Ok::<(), baton::Error>(())
//! ```
//!
//! **Methods and settings.** Settings are groups of typed fields. Files and the command line name them
//! by `group.key`, or by the key alone. A method has only the keys it can use.
//!
//! ```
//! use baton::{Method, Settings};
//! let mut settings = Settings::default();
//! settings.policy.explore = Some(0.3.try_into()?);
//! settings.set("policy.gap", "false")?;
//!
//! let mut paper = Settings::new(Method::MftMes).seed(7); // the paper's method, as printed
//! paper.set("beta", "0.8")?;
//! paper.set("particles", "5")?;
//! assert!(paper.set("beta", "minus one").is_err());
//! assert!(settings.set("particles", "5").is_err(), "the default method has none");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Knowledge** can be saved, read elsewhere, and handed to a colleague. It holds equivalent
//! observations of the function that tasks share: as long as these are few, they are the
//! observations themselves in the model's units; `transfer.function = none` leaves them out.
//!
//! ```
//! # use baton::{Campaign, Fidelity, Goal, Knowledge, Parameter, Settings, Space};
//! # let space = || Space::new([Parameter::real("x", 0.0, 1.0)]).unwrap();
//! # let only = || [Fidelity::new("only", 1.0)];
//! # let mut campaign = Campaign::new(space(), only(), Goal::Maximize, Settings::default())?;
//! # let mut task = campaign.start(8.0)?;
//! # while let Some(trial) = task.ask()? { task.tell(trial.id, trial.number(0)?)?; }
//! campaign.finish(task)?;
//! let text = campaign.knowledge().to_json()?;
//!
//! let knowledge = Knowledge::from_json(&text)?;
//! let next = Campaign::new(space(), only(), Goal::Maximize, Settings::default())?
//!     .with_knowledge(knowledge)?;
//! assert_eq!(next.start(8.0)?.number(), 1);
//! # Ok::<(), baton::Error>(())
//! ```
//!
//! **Continue after a crash**: the recorded trials are the whole state. The next ask is the one an
//! undisturbed run would have made, bit for bit.
//!
//! ```
//! # use baton::{Campaign, Fidelity, Goal, Parameter, Settings, Space};
//! # let space = Space::new([Parameter::real("x", 0.0, 1.0)])?;
//! # let campaign = Campaign::new(space, [Fidelity::new("only", 1.0)], Goal::Maximize, Settings::default())?;
//! # let mut task = campaign.start(9.0)?;
//! # for _ in 0..6 { let trial = task.ask()?.unwrap(); task.tell(trial.id, trial.number(0)?)?; }
//! let mut again = campaign.resume(9.0, task.trials())?;
//! assert_eq!(again.ask()?, task.ask()?);
//! # Ok::<(), baton::Error>(())
//! ```
//!
//! # Inside
//!
//! Knowledge of one another goes one way: [`problem`] `<-` [`model`] `<-` [`acquisition`], [`shared`]
//! `<-` [`policy`] `<-` [`campaign`]. Each module's page opens with what it knows. The mathematics is that of MFT-MES (Zhang, Park, Simeone, arXiv 2403.09570) with its
//! errata; `docs/paper-to-code.md` leads from every equation to its function.

#[cfg(test)]
extern crate self as baton; // what the tests inside and outside share names it so

pub mod acquisition;
pub mod campaign;
pub mod error;
pub mod model;
pub mod policy;
pub mod problem;
pub mod shared;
pub mod words;

pub use campaign::{
    Campaign, Expected, Finished, Measurement, Method, Prediction, Recommendation, Settings, Stop,
    Stopped, Task,
};
pub use error::{Error, Result};
pub use model::Preset;
pub use policy::{Aim, Outcome, Trial};
pub use problem::{
    Condition, Constraint, Description, Descriptors, Fidelity, Goal, Guess, Measured, Parameter,
    Space, Value, Was,
};
pub use shared::Knowledge;

/// The program that the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
