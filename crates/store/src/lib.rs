//! Records of campaigns, in a SQLite file or in a PostgreSQL database.
//!
//! A [`Store`] keeps what happened: campaigns, their tasks, the trials of each task and what became
//! of them, and who is evaluating what. It knows no algorithm: settings and knowledge are text to
//! it, a trial is appended as it was asked for, and the rules below are all it enforces. No command
//! to execute is ever kept here.
//!
//! # What a caller can rely on
//!
//! - **Acknowledged is kept.** A call that returned has been written to disk: a killed process or a
//!   power failure does not undo it. A call that failed has changed nothing.
//! - **Every call may be repeated.** If a connection breaks, nobody can know whether the last call
//!   arrived; it is made again, and a call that did arrive changes nothing the second time.
//! - **Appending is compare-and-append.** A trial's number is its place in the task. Whoever asked
//!   from records that are out of date gets [`StoreError::Stale`], so no budget is spent twice,
//!   whatever leases say. Leases only save work.
//! - **Damage is noticed.** A record carries a checksum of what must not change; one that does not
//!   fit is refused with [`StoreError::Damaged`].
//! - **A trial has one outcome.** See [`Store::settle`] for answers that come late.
//! - **Changes are numbered.** Each change of a campaign takes the next number, and what it touched
//!   carries that number: [`Store::changes`] gives all that happened since one.
//!
//! Times are those of the database's clock, so that machines need not agree on theirs.
//!
//! | module | what it knows |
//! |---|---|
//! | `record` | what is kept, as types |
//! | `campaigns`, `tasks`, `trials`, `leases`, `care` | the calls on each, and on whole campaigns |
//! | `backup`, `copies` | whole campaigns as text, out of a store and into another |
//! | `store` | the address, the connection, and transactions |
//! | `rows` | rows within a transaction: read, checked, written, sealed |
//! | `schema`, `seal` | tables and their versions; how damage is noticed |
//! | `database` | what a database must offer; `sqlite` and `postgres` (encrypted by `tls`) offer it, `watched` lets it fail |

mod backup;
mod campaigns;
mod care;
mod copies;
mod database;
mod error;
mod leases;
mod postgres;
mod record;
mod rows;
mod schema;
mod seal;
mod sqlite;
mod store;
mod tasks;
mod tls;
mod trials;
mod watched;

pub use backup::Backup;
pub use error::{Result, StoreError};
pub use record::{
    Answer, CampaignRecord, Changes, Lease, NewTask, Report, Settled, TaskRecord, TaskState,
    TrialRecord,
};
pub use store::{Store, without_password};
pub use watched::{Moment, Watcher};
