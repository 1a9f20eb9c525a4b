//! Baton's campaigns over HTTP: one place to ask, tell and look, from any language, and a dashboard.
//!
//! ```text
//! HTTP -> guard (tokens, hosts, origins) -> routes -> Office: one room per campaign
//!                                                      ├─ desk     asks, one at a time per campaign
//!                                                      ├─ teller   answers of all campaigns, many per transaction
//!                                                      └─ records  what is read; never waits for an ask
//! store -> watch (numbers of changes) -> server-sent events -> dashboard
//! ```
//!
//! Nothing is executed here: evaluations come from workers and from clients. Nothing is kept here that
//! is not in the store: a server that is killed loses no answer that it acknowledged.
//!
//! | module | what it knows |
//! |---|---|
//! | `server` | the address, the start and the end |
//! | `api` | which routes there are, and what every request passes |
//! | `guard` | which requests are let in: tokens, hosts, origins, headers |
//! | `access` | who may do what, now |
//! | `tokens` | what each token is good for, and their file |
//! | `office` | campaigns at work: which lock, which connection |
//! | `teller` | answers, taken in together |
//! | `watch` | that something changed, whoever changed it |
//! | `wanted` | a campaign as a client describes it |
//! | `view`, `belief`, `prediction` | what is answered, as types |
//! | `routes` | one file per noun |
//! | `problem` | errors: what, why, and a hint |
//! | `metrics`, `journal` | numbers and lines for those who operate the service |

#![allow(clippy::struct_field_names)] // fields are named as clients read them

mod access;
mod api;
mod belief;
mod guard;
mod journal;
mod metrics;
mod office;
mod prediction;
mod problem;
mod routes;
mod server;
mod teller;
mod tokens;
mod unread;
mod view;
mod wanted;
mod watch;

pub use journal::{Form, Level};
pub use prediction::Prediction;
pub use routes::campaigns::Campaign;
pub use server::{Failure, Options, serve};
pub use tokens::{Day, Scope, Token, Tokens};
pub use view::{Trial, point};
