//! Campaigns of users: run them, look at them, drive them from another program.

pub mod answer;
pub mod backup;
pub mod care;
pub mod exchange;
pub mod import;
pub mod init;
pub mod insight;
pub mod knowledge;
pub mod ledger;
mod lines;
mod live;
pub mod look;
pub mod predict;
pub mod report;
mod results;
pub mod run;
mod show;
pub mod target;
pub mod why;
pub mod worker;
