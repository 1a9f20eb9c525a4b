//! Covariance between this task and earlier ones.
//!
//! A task is a function that all tasks share plus a deviation of its own; the shared function has
//! the share `w^2`, `w = 1 / (1 + exp(-z))`, of the variance. So levels of different tasks have
//! `w^2` times the covariance they would have within one task:
//!
//! | earlier observations | of this task | of the same earlier task | of another one |
//! |---|---|---|---|
//! | kept, task by task | `w^2` | 1 | `w^2` |
//! | compact: of the shared function | `w^2` | `w^2` | |
//!
//! Compact ones come with the covariance of their own noise, deviations included.

use super::fidelity::sigmoid;
use baton_numerics::Mat;

/// Which observations of earlier tasks there may be, besides those of this one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// none; the tasks are not modelled as related
    None,
    /// those of so many tasks, kept as they were
    Tasks(usize),
    /// equivalent observations of the shared function
    Compact,
}

impl Earlier {
    /// This task and the earlier ones.
    pub(super) fn sources(self) -> usize {
        match self {
            Self::None => 1,
            Self::Tasks(count) => count.saturating_add(1),
            Self::Compact => 2,
        }
    }

    /// Whether the covariance between two sources is that of the shared function only.
    fn only_shared(self, source: usize, other: usize) -> bool {
        source != other || (self == Self::Compact && source == 1)
    }

    /// Whether the observations of a source, this task first, are those of a task and not of what all share.
    pub(super) fn deviates(self, source: usize) -> bool {
        self != Self::Compact || source == 0
    }

    /// `kappa` of all levels from that of one task's.
    pub(super) fn extend(self, within: &Mat<f64>, relatedness: Option<&f64>) -> Mat<f64> {
        let levels = within.nrows();
        let share = relatedness.map_or(1.0, |z| share(*z));
        let size = levels * self.sources();
        Mat::from_fn(size, size, |i, j| {
            let factor = if self.only_shared(i / levels, j / levels) { share } else { 1.0 };
            factor * within[(i % levels, j % levels)]
        })
    }

    /// Noise variances of all levels; that of compact observations is known otherwise.
    pub(super) fn extend_noise(self, within: Vec<f64>) -> Vec<f64> {
        match self {
            Self::None => within,
            Self::Tasks(_) => within.repeat(self.sources()),
            Self::Compact => {
                let levels = within.len();
                within.into_iter().chain(std::iter::repeat_n(0.0, levels)).collect()
            }
        }
    }

    /// From derivatives by the extended `kappa` to those by `within`, and by the parameter `z`.
    pub(super) fn pull_back(
        self,
        within: &Mat<f64>,
        relatedness: Option<&f64>,
        d_extended: &Mat<f64>,
    ) -> (Mat<f64>, f64) {
        let levels = within.nrows();
        let z = relatedness.copied().unwrap_or(f64::INFINITY);
        let share = share(z);
        let mut d_within = Mat::zeros(levels, levels);
        let mut d_share = 0.0;
        for j in 0..d_extended.ncols() {
            for i in 0..d_extended.nrows() {
                let (d, at) = (d_extended[(i, j)], (i % levels, j % levels));
                if self.only_shared(i / levels, j / levels) {
                    d_share += d * within[at];
                    d_within[at] += d * share;
                } else {
                    d_within[at] += d;
                }
            }
        }
        // d w^2 / d z = 2 w^2 (1 - w)
        (d_within, d_share * 2.0 * share * (1.0 - share.sqrt()))
    }
}

/// `w^2`.
pub(super) fn share(z: f64) -> f64 {
    sigmoid(z).powi(2)
}
