//! Rows within a transaction that a call has begun: read and checked, written and sealed.
//!
//! What a call may do, and when, is not decided here.

pub(crate) mod campaign;
pub(crate) mod task;
pub(crate) mod trial;
pub(crate) mod whole;
