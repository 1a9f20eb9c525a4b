//! The problem as the algorithm sees it: observations in the unit cube, to be maximised.

mod history;

pub use history::History;
