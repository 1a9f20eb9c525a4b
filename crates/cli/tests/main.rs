//! All tests of the command line in one program: it is linked once, and what waits for a process runs beside
//! what computes.

#![allow(clippy::unwrap_used, clippy::panic)] // a test that unwraps fails with the reason at hand

mod architecture;
mod backups;
mod campaigns;
mod changing;
mod circles;
mod closed;
mod command_line;
mod constraints;
mod described;
mod documents;
mod experiment_killed;
mod insight;
mod killed;
mod secrets;
mod serving;
mod support;
mod traps;
mod workers;
