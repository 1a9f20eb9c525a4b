//! What is known of the function that the tasks share, as observations of it.
//!
//! Kept as observations and not as a posterior under one `theta`, so that it stays valid when
//! `theta` is learned better. Compact: equivalent observations, at most [`most_points`] of them, with
//! the covariance of their noise. Kept: the data of every task, as the reference.

use crate::error::{Error, Result};
use crate::model::Earlier;
use crate::problem::History;
use baton_numerics::{Mat, MatRef};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Equivalent observations that are handed on, at most. In many dimensions they are far apart and each
/// tells of its own neighbourhood only.
pub fn most_points(dimension: usize) -> usize {
    (20 * dimension).clamp(200, 400)
}

/// Sides of the cube that a point of the shared function may be away from it.
pub(super) const FARTHEST: f64 = 100.0;

/// Observations of the shared function, in the units of the knowledge they belong to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SharedFunction {
    /// coordinates of the points
    pub points: Vec<Vec<f64>>,
    /// their fidelity levels
    pub levels: Vec<usize>,
    /// values there
    pub values: Vec<f64>,
    /// by what the noise variance of their level is to be multiplied, where the data are kept
    pub noise_factors: Vec<f64>,
    /// their own noise variances where these are known and the data are kept; may be shorter
    #[serde(default, skip_serializing_if = "all_unknown")]
    pub own_noise: Vec<Option<f64>>,
    /// what the values are off by
    pub error: SharedError,
}

fn all_unknown(variances: &[Option<f64>]) -> bool {
    variances.iter().all(Option::is_none)
}

/// How the values of a [`SharedFunction`] deviate from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SharedError {
    /// by noise of this covariance, column by column
    Noise(Vec<f64>),
    /// by the deviation of the task they belong to, counted from 0, and by its noise
    Tasks(Vec<usize>),
}

impl SharedFunction {
    /// Number of observations.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The same at other places, by so much along some coordinates.
    pub(super) fn moved(&self, by: &[(usize, f64)]) -> Self {
        let mut moved = self.clone();
        for point in &mut moved.points {
            for (i, by) in by {
                point[*i] += by;
            }
        }
        moved
    }

    /// Those at these places, by their numbers, each with its point and level.
    pub(super) fn taken(&self, kept: Vec<(usize, Vec<f64>, usize)>) -> Self {
        let n = self.len();
        let rows: Vec<usize> = kept.iter().map(|(row, ..)| *row).collect();
        let pick = |all: &[f64]| rows.iter().map(|i| all[*i]).collect();
        let own_noise = rows.iter().map(|i| self.own_noise.get(*i).copied().flatten());
        let error = match &self.error {
            SharedError::Noise(entries) => {
                let pairs = rows.iter().flat_map(|j| rows.iter().map(move |i| (*i, *j)));
                SharedError::Noise(pairs.map(|(i, j)| entries[j * n + i]).collect())
            }
            SharedError::Tasks(tasks) => {
                SharedError::Tasks(rows.iter().map(|i| tasks[*i]).collect())
            }
        };
        Self {
            values: pick(&self.values),
            noise_factors: pick(&self.noise_factors),
            own_noise: if self.own_noise.is_empty() { Vec::new() } else { own_noise.collect() },
            error,
            levels: kept.iter().map(|(.., level)| *level).collect(),
            points: kept.into_iter().map(|(_, point, _)| point).collect(),
        }
    }

    /// How a surrogate has to see them.
    pub fn earlier(&self) -> Earlier {
        match &self.error {
            SharedError::Noise(_) => Earlier::Compact,
            SharedError::Tasks(tasks) => {
                Earlier::Tasks(tasks.iter().max().map_or(0, |most| most + 1))
            }
        }
    }

    /// The observations as the beginning of a task's history, with `levels` levels per task.
    ///
    /// # Errors
    /// If the numbers do not fit each other.
    pub fn history(&self, dimension: usize, levels: usize) -> Result<History> {
        let mut history = History::new(dimension);
        for (i, point) in self.points.iter().enumerate() {
            let source = match &self.error {
                SharedError::Noise(_) => 1,
                SharedError::Tasks(tasks) => 1 + tasks[i],
            };
            let own_noise = self.own_noise.get(i).copied().flatten();
            let level = source * levels + self.levels[i];
            history.push_measured(point, level, self.values[i], own_noise)?;
        }
        match &self.error {
            SharedError::Noise(entries) => {
                let n = self.len();
                let noise = MatRef::from_column_major_slice(entries, n, n).to_owned();
                history.with_shared_noise(Arc::new(noise))
            }
            SharedError::Tasks(_) => {
                history.revalued(self.values.clone(), self.noise_factors.clone())
            }
        }
    }

    /// The covariance of the noise, if it is known.
    pub fn noise(&self) -> Option<Mat<f64>> {
        let n = self.len();
        match &self.error {
            SharedError::Noise(entries) => {
                Some(MatRef::from_column_major_slice(entries, n, n).to_owned())
            }
            SharedError::Tasks(_) => None,
        }
    }

    /// Whether a file's claims can be true for points of this dimension and so many levels.
    pub(super) fn check(&self, dimension: usize, levels: usize) -> Result<()> {
        let refuse = |reason: &str| Err(Error::Knowledge { reason: reason.to_owned() });
        let n = self.len();
        let lengths = [self.points.len(), self.levels.len(), self.noise_factors.len()];
        if n > 100_000 || lengths != [n; 3] {
            return refuse("its shared function has lists of different or impossible lengths");
        }
        // Tasks drift, so points may lie outside the cube, but not anywhere.
        let inside = |u: &Vec<f64>| u.len() == dimension && u.iter().all(|x| x.abs() < FARTHEST);
        if !self.points.iter().all(inside) || self.levels.iter().any(|level| *level >= levels) {
            return refuse("its shared function has points or levels outside its space");
        }
        let errors = match &self.error {
            SharedError::Noise(entries) => {
                entries.len() == n * n && entries.iter().all(|x| x.is_finite())
            }
            SharedError::Tasks(tasks) => tasks.len() == n && tasks.iter().all(|t| *t < 10_000),
        };
        let positive = self.noise_factors.iter().all(|factor| *factor > 0.0 && *factor <= 1.0);
        let mut own_noise = self.own_noise.iter().flatten();
        let measured = own_noise.all(|variance| variance.is_finite() && *variance >= 0.0);
        if !errors || !positive || !measured || !self.values.iter().all(|value| value.is_finite()) {
            return refuse("its shared function has values or errors that cannot be");
        }
        Ok(())
    }
}
