//! Numerical ground that Baton stands on.
//!
//! | module | what it knows |
//! |---|---|
//! | [`normal`] | tails of the standard normal, truncated variances and the entropies built from them |
//! | [`tails`] | the same for many numbers at once |
//! | [`cholesky`] | factors of positive-definite matrices: jitter ladder, growth by a row, solves |
//! | [`random`] | random streams keyed by what they are for |
//! | [`sobol`] | quasi-random points in the unit cube |
//! | [`tanh`], [`exp`], [`waves`] | elementary functions over whole slices |
//! | [`vector`] | fast loops over slices, with a fixed order of sums |
//! | [`table`], [`padded`] | tables of numbers, and matrices that products read in whole vectors |
//! | [`ascent`] | bounded quasi-Newton ascent from many starts in lockstep |
//! | [`importance`] | Sobol's indices: which inputs a variance is due to |
//! | [`quadrature`] | Gauss-Legendre nodes and weights |
//! | [`parallel`] | the one parallel map |
//!
//! Nothing here knows of Gaussian processes, tasks or campaigns. All arithmetic is `f64`, all
//! linear algebra inside one call is sequential, and no result depends on the number of threads.

pub mod ascent;
pub mod checksum;
pub mod cholesky;
pub mod exp;
pub mod importance;
pub mod normal;
pub mod padded;
pub mod parallel;
pub mod quadrature;
pub mod random;
pub mod sobol;
pub mod table;
pub mod tails;
pub mod tanh;
pub mod vector;
pub mod waves;

pub use faer::{Mat, MatMut, MatRef};
pub use table::Table;
