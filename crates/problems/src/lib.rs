//! Families of related tasks with known optima, to measure Baton on.
//!
//! A [`Family`] says what its tasks have in common (space, fidelities, budget) and makes the task
//! of a given number; a [`Benchmark`] is one such task without noise. Everything is maximised, and
//! a task depends on nothing but its master seed and its number.
//!
//! | module | what it knows |
//! |---|---|
//! | `hartmann6`, `hartmann6_shifted`, `hartmann6_permuted` | sums of four Gaussian bumps in six dimensions |
//! | `radio` | uplink power control of two cells, on a grid of settings |
//! | `gas`, `gas_moving` | finding the source of a gas release from 18 sensors |
//! | `forrester`, `branin`, `rosenbrock`, `levy`, `styblinski` | classical functions in 1, 2, 4, 8 and 20 dimensions, moved about from task to task |
//! | `flight` | a wing trimmed for one flight condition after another, the condition known as descriptors |
//! | `benchmark` | what a family and its tasks are |
//! | `stream` | the random numbers that tasks are made of |
//! | `moved` | how a classical function becomes a sequence of tasks |
//! | `ascent` | the best point of a smooth function in a box |
//! | [`reference`](mod@reference) | comparison with values computed elsewhere |
//!
//! A new family is one file, its line in [`families`], and a number of its own in `stream`.

mod ascent;
mod benchmark;
mod branin;
mod flight;
mod forrester;
mod gas;
mod gas_moving;
mod hartmann6;
mod hartmann6_permuted;
mod hartmann6_shifted;
mod levy;
mod moved;
mod radio;
pub mod reference;
mod rosenbrock;
#[cfg(test)]
mod similarity;
mod stream;
mod styblinski;

pub use benchmark::{Benchmark, Description, Family, Optimum, Score};
pub use stream::{MASTER, fresh_master};

/// The families, in the order in which they are listed to a user.
pub fn families() -> Vec<Box<dyn Family>> {
    vec![
        Box::new(hartmann6::Hartmann6::printed()),
        Box::new(hartmann6_shifted::Hartmann6Shifted),
        Box::new(hartmann6_permuted::Hartmann6Permuted),
        Box::new(radio::Radio),
        Box::new(gas::Gas::logarithmic()),
        Box::new(gas_moving::GasMoving),
        Box::new(branin::Branin),
        Box::new(rosenbrock::Rosenbrock),
        Box::new(levy::Levy),
        Box::new(forrester::Forrester),
        Box::new(styblinski::Styblinski),
        Box::new(flight::Flight),
    ]
}

/// Other readings of a family: known by name, not listed.
fn variants() -> Vec<Box<dyn Family>> {
    vec![Box::new(hartmann6::Hartmann6::reference()), Box::new(gas::Gas::raw())]
}

/// The family or variant of that name.
pub fn family(name: &str) -> Option<Box<dyn Family>> {
    families().into_iter().chain(variants()).find(|family| family.name() == name)
}

#[cfg(test)]
mod tests;
