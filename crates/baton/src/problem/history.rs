//! Observations, in the order in which they were told; those of earlier tasks come first.
//!
//! Points lie in the unit cube, levels count from 0 (the cheapest) and the last level is the truth,
//! values are in the surrogate's units and larger is better. What earlier tasks showed stands at
//! levels beyond those of this task, see [`crate::model::Earlier`].

use crate::Error;
use crate::error::{Result, all_finite, same_size};
use baton_numerics::{Mat, MatRef};
use std::sync::Arc;

/// `D_{n,t}` of (7): points, levels and values.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    dimension: usize,
    /// coordinates of all points, one point after the other
    coordinates: Vec<f64>,
    levels: Vec<usize>,
    values: Vec<f64>,
    /// by what the noise variance is to be multiplied
    noise_factors: Vec<f64>,
    /// noise variance of the observation itself, where it is known
    own_noise: Vec<Option<f64>>,
    /// covariance of the noise of the first observations, beyond that of their levels
    shared_noise: Option<Arc<Mat<f64>>>,
}

impl History {
    /// No observations yet.
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            coordinates: Vec::new(),
            levels: Vec::new(),
            values: Vec::new(),
            noise_factors: Vec::new(),
            own_noise: Vec::new(),
            shared_noise: None,
        }
    }

    /// Gives the observations so far noise of this covariance.
    ///
    /// # Errors
    /// If its size is not their number.
    pub fn with_shared_noise(mut self, covariance: Arc<Mat<f64>>) -> Result<Self> {
        same_size("rows of the noise covariance", self.len(), covariance.nrows())?;
        same_size("columns of the noise covariance", self.len(), covariance.ncols())?;
        self.shared_noise = Some(covariance);
        Ok(self)
    }

    /// Adds an observation with the noise of its level.
    ///
    /// # Errors
    /// If the point has another dimension, or a coordinate or the value is not finite.
    pub fn push(&mut self, point: &[f64], level: usize, value: f64) -> Result<()> {
        self.push_measured(point, level, value, None)
    }

    /// Adds an observation, whose own noise variance may be known.
    ///
    /// # Errors
    /// As [`History::push`], and if the variance is negative or not finite.
    pub fn push_measured(
        &mut self,
        point: &[f64],
        level: usize,
        value: f64,
        noise: Option<f64>,
    ) -> Result<()> {
        same_size("coordinates of the point", self.dimension, point.len())?;
        all_finite("coordinate", point)?;
        if !value.is_finite() {
            return Err(Error::NotFinite { what: "observation", index: self.len(), value });
        }
        if let Some(value) = noise.filter(|variance| !(variance.is_finite() && *variance >= 0.0)) {
            let must = "zero or more, and finite";
            return Err(Error::OutOfRange { what: "noise variance", value, must });
        }
        self.coordinates.extend_from_slice(point);
        self.levels.push(level);
        self.values.push(value);
        self.noise_factors.push(1.0);
        self.own_noise.push(noise);
        Ok(())
    }

    /// These and then others, each with the covariance of its own noise.
    ///
    /// # Errors
    /// If their points have another dimension.
    pub fn followed_by(&self, other: &Self) -> Result<Self> {
        same_size("coordinates of the point", self.dimension, other.dimension)?;
        let mut all = self.clone();
        all.coordinates.extend_from_slice(&other.coordinates);
        all.levels.extend_from_slice(&other.levels);
        all.values.extend_from_slice(&other.values);
        all.noise_factors.extend_from_slice(&other.noise_factors);
        all.own_noise.extend_from_slice(&other.own_noise);
        let Some(noise) = &other.shared_noise else { return Ok(all) };
        let (first, size) = (self.len(), self.len() + noise.nrows());
        let mut both = Mat::zeros(size, size);
        both.as_mut().submatrix_mut(first, first, noise.nrows(), noise.ncols()).copy_from(&**noise);
        if let Some(noise) = &self.shared_noise {
            both.as_mut().submatrix_mut(0, 0, noise.nrows(), noise.ncols()).copy_from(&**noise);
        }
        all.shared_noise = Some(Arc::new(both));
        Ok(all)
    }

    /// The same observations with other values and factors of their noise.
    ///
    /// # Errors
    /// If their number differs or one is not finite.
    pub fn revalued(&self, values: Vec<f64>, noise_factors: Vec<f64>) -> Result<Self> {
        same_size("values", self.len(), values.len())?;
        same_size("factors of the noise", self.len(), noise_factors.len())?;
        all_finite("value", &values)?;
        all_finite("factor of the noise", &noise_factors)?;
        Ok(Self { values, noise_factors, ..self.clone() })
    }

    /// The same with the points of the levels from `from_level` on moved.
    #[must_use]
    pub fn moved(&self, from_level: usize, by: &[f64]) -> Self {
        let mut moved = self.clone();
        let points = moved.coordinates.chunks_exact_mut(self.dimension.max(1)).zip(&self.levels);
        for (point, _) in points.filter(|(_, level)| **level >= from_level) {
            point.iter_mut().zip(by).for_each(|(x, by)| *x += by);
        }
        moved
    }

    /// The first observations, at least those with noise of their own.
    #[must_use]
    pub fn until(&self, end: usize) -> Self {
        let least = self.shared_noise.as_ref().map_or(0, |noise| noise.nrows());
        let end = end.clamp(least, self.len());
        let mut first = self.clone();
        first.coordinates.truncate(end * self.dimension);
        first.levels.truncate(end);
        first.values.truncate(end);
        first.noise_factors.truncate(end);
        first.own_noise.truncate(end);
        first
    }

    /// The observations from a given one on, without those before.
    ///
    /// # Errors
    /// Never for observations that were pushed.
    pub fn since(&self, start: usize) -> Result<Self> {
        let mut rest = Self::new(self.dimension);
        for i in start..self.len() {
            rest.push_measured(self.point(i), self.levels[i], self.values[i], self.own_noise[i])?;
            rest.noise_factors[i - start] = self.noise_factors[i];
        }
        if let Some(noise) = self.shared_noise.as_ref().filter(|noise| noise.nrows() > start) {
            let left = noise.nrows() - start;
            rest.shared_noise =
                Some(Arc::new(noise.submatrix(start, start, left, left).to_owned()));
        }
        Ok(rest)
    }

    /// Number of observations.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Number of coordinates of a point.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// All points, one column each (`dimension` x `len`).
    pub fn points(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.coordinates, self.dimension, self.len())
    }

    /// One point.
    pub fn point(&self, index: usize) -> &[f64] {
        &self.coordinates[index * self.dimension..(index + 1) * self.dimension]
    }

    /// The level of every observation.
    pub fn levels(&self) -> &[usize] {
        &self.levels
    }

    /// By what the noise variance of every observation is to be multiplied.
    pub fn noise_factors(&self) -> &[f64] {
        &self.noise_factors
    }

    /// The noise variance of every observation itself, where it is known.
    pub fn own_noise(&self) -> &[Option<f64>] {
        &self.own_noise
    }

    /// The noise variance of an observation: its own, or that of its level, times its factor.
    pub fn noise_variance(&self, index: usize, of_level: f64) -> f64 {
        self.noise_factors[index] * self.own_noise[index].unwrap_or(of_level)
    }

    /// Covariance of the noise of the first observations, where they have one of their own.
    pub fn shared_noise(&self) -> Option<&Mat<f64>> {
        self.shared_noise.as_deref()
    }

    /// The value of every observation.
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}
