//! The posterior of the surrogate at one `theta`: built once, then extended row by row.
//!
//! Observations are sorted into groups, one per level, since all that depends on the level of a
//! query is how much each group counts. `U = L'^-1` whitens them; its rows are sorted in the same
//! way, so that whitening a group is a plain product.
//!
//! Points are asked about at one description of the task: what it takes to the last coordinates is kept
//! here and added to each of them. Observed and pending trials come with all coordinates.
//!
//! Pending trials enter as rows without a weight: that is what conditioning on the predicted value
//! gives, so variances shrink and means stay as they are.

use super::evidence::Fitted;
use super::features::{FeatureTrace, Weights};
use super::mixing::{Group, Mixing};
use super::model::{Parameters, Surrogate};
use super::profile::{Normed, Profile};
use super::whitening::Whitening;
use crate::error::{Error, Result, all_finite, same_size};
use crate::problem::{History, Link};
use baton_numerics::cholesky::pivot;
use baton_numerics::padded;
use baton_numerics::vector::{dot, squared_distance};
use baton_numerics::{Mat, MatRef};
use std::sync::Arc;

/// A Gaussian process conditioned on observations, (18).
#[derive(Debug, Clone)]
pub struct Posterior {
    pub(super) surrogate: Arc<Surrogate>,
    pub(super) theta: Arc<Vec<f64>>,
    /// its part for the features, [`Weights::ByColumn`]
    by_column: Arc<Vec<f64>>,
    pub(super) parameters: Parameters,
    history: History,
    /// of observed and pending trials, group by group
    pub(super) features: Normed,
    /// its rows group by group
    pub(super) whitening: Whitening,
    /// `K~^-1 (y - mean)`, 0 for the pending trials, group by group
    pub(super) weights: Vec<f64>,
    pub(super) groups: Vec<Group>,
    pub(super) mixing: Mixing,
    /// `U' (y - mean)`, 0 for the pending trials, in the order they came
    pub(super) white_residuals: Vec<f64>,
    jitter: f64,
    /// the last coordinates of all points that it is asked about
    place: Arc<[f64]>,
}

impl Posterior {
    /// Conditions the surrogate at `theta` on all observations.
    ///
    /// # Errors
    /// If sizes do not fit, a number is not finite, or the covariance has no factor.
    pub fn new(surrogate: Arc<Surrogate>, theta: Vec<f64>, history: History) -> Result<Self> {
        let mut fitted = Fitted::default();
        let parameters = surrogate.fit(&theta, &history, &mut fitted)?;
        let whitening = fitted.factor.whitening();
        let features = fitted.gram.trace.features();
        let mut order: Vec<usize> = (0..history.len()).collect();
        order.sort_by_key(|i| history.levels()[*i]);
        let sorted = padded::from_fn(features.nrows(), order.len(), |i, j| features[(i, order[j])]);
        let groups = groups(&order.iter().map(|i| history.levels()[*i]).collect::<Vec<_>>());
        let whitening = padded::from_fn(order.len(), order.len(), |i, j| whitening[(order[i], j)]);
        let trace = (0..history.len()).map(|i| fitted.gram.covariance[(i, i)]).sum();
        let posterior = Self {
            mixing: Mixing::new(&groups, &parameters.kappa, surrogate.levels()),
            by_column: Arc::new(
                surrogate
                    .features()
                    .by_column(&theta[surrogate.feature_range()], surrogate.dimension()),
            ),
            features: Normed::new(sorted)?,
            whitening: Whitening::new(whitening, trace),
            weights: Vec::new(),
            groups,
            white_residuals: fitted.white_residuals(),
            jitter: fitted.factor.jitter(),
            place: Arc::from([]),
            theta: Arc::new(theta),
            surrogate,
            parameters,
            history,
        };
        posterior.weighed()
    }

    /// The same observations at other parameters, asked about at the same description.
    ///
    /// # Errors
    /// As [`Posterior::new`].
    pub fn at(&self, theta: Vec<f64>) -> Result<Self> {
        let other = Self::new(Arc::clone(&self.surrogate), theta, self.history.clone())?;
        Ok(Self { place: Arc::clone(&self.place), ..other })
    }

    /// Other observations at the same parameters, asked about at the same description.
    ///
    /// # Errors
    /// As [`Posterior::new`].
    pub fn told(&self, history: History) -> Result<Self> {
        let other = Self::new(Arc::clone(&self.surrogate), self.theta.to_vec(), history)?;
        Ok(Self { place: Arc::clone(&self.place), ..other })
    }

    /// From now on points are asked about without their last coordinates, which are these.
    ///
    /// # Errors
    /// If there are more of them than a point has, or one is not finite.
    pub fn look_at(&mut self, place: &[f64]) -> Result<()> {
        all_finite("coordinate", place)?;
        if place.len() >= self.surrogate.dimension() {
            let (what, got) = ("coordinates of a description", place.len());
            return Err(Error::Shape {
                what,
                expected: self.surrogate.settings().descriptors,
                got,
            });
        }
        self.place = Arc::from(place);
        Ok(())
    }

    /// `K~^-1 (y - mean) = U U' (y - mean)`.
    fn weighed(mut self) -> Result<Self> {
        self.weights = self.whitening.times(&self.white_residuals);
        all_finite("posterior weight", &self.weights)?;
        Ok(self)
    }

    /// The observations it is conditioned on.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The parameters it was built with.
    pub fn theta(&self) -> &[f64] {
        &self.theta
    }

    /// The model it belongs to.
    pub fn surrogate(&self) -> &Surrogate {
        &self.surrogate
    }

    /// What had to be added to the diagonal of the covariance; 0 in sound cases.
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// The parameters of the features.
    pub(super) fn feature_weights(&self) -> Weights<'_> {
        Weights::ByColumn(&self.by_column)
    }

    /// Observed and pending trials.
    pub(super) fn rows(&self) -> usize {
        self.white_residuals.len()
    }

    /// Adds one observation, seen through the link, in `O(n^2)` unless the grown covariance needs more jitter.
    ///
    /// # Errors
    /// If the observation is not sound, or if trials are pending in this posterior: those belong
    /// into a copy made by [`Posterior::with_pending`]. The posterior is then unchanged.
    pub fn observe(&mut self, point: &[f64], level: usize, observed: f64) -> Result<()> {
        self.observe_measured(point, level, observed, None)
    }

    /// The same for an observation whose own noise variance may be known.
    ///
    /// # Errors
    /// As [`Posterior::observe`], and if the variance is negative or not finite.
    pub fn observe_measured(
        &mut self,
        point: &[f64],
        level: usize,
        observed: f64,
        noise: Option<f64>,
    ) -> Result<()> {
        same_size(
            "pending trials in a posterior that observes",
            0,
            self.rows() - self.history.len(),
        )?;
        let mut history = self.history.clone();
        history.push_measured(point, level, observed, noise)?;
        self.surrogate.check_level(level)?;
        let noise = noise.unwrap_or(self.parameters.noise[level]);
        let (value, factor) = self.as_process(point, level, (observed, noise))?;
        let values = [self.history.values(), &[value]].concat();
        let factors = [self.history.noise_factors(), &[factor]].concat();
        let history = history.revalued(values, factors)?;
        let residual = value - self.parameters.mean;
        let grown = self.with_row(point, level, factor * noise, Some(residual))?;
        let place = Arc::clone(&self.place);
        let anew = || Self::new(Arc::clone(&self.surrogate), self.theta.to_vec(), history.clone());
        let grown = grown.and_then(|grown| grown.weighed().ok()).map_or_else(anew, Ok)?;
        *self = Self { history, place, ..grown };
        Ok(())
    }

    /// An observation as one of the process: its value, and the factor of its noise variance.
    fn as_process(
        &self,
        point: &[f64],
        level: usize,
        (observed, noise): (f64, f64),
    ) -> Result<(f64, f64)> {
        if self.surrogate.settings().link == Link::Identity {
            return Ok((observed, 1.0));
        }
        let point = MatRef::from_column_major_slice(point, point.len(), 1);
        let prediction = self.predict_at(point, &[])?;
        let (mean, variance) = (prediction.mean[(level, 0)], prediction.variance[(level, 0)]);
        Ok(self.surrogate.linearised_once(observed, noise, mean, variance))
    }

    /// The factor of the noise variance where the mean is as predicted.
    fn noise_factor(&self, point: &[f64], level: usize) -> Result<f64> {
        let link = self.surrogate.settings().link;
        if link == Link::Identity {
            return Ok(1.0);
        }
        let point = MatRef::from_column_major_slice(point, point.len(), 1);
        let prediction = self.predict_at(point, &[])?;
        Ok(link.noise_factor(prediction.mean[(level, 0)]).0)
    }

    /// A copy in which the given trials count as under way: variances as if they were known, means
    /// as they are. A pending trial that repeats a noise-free observation adds nothing.
    ///
    /// # Errors
    /// If a trial has the wrong dimension, a level that does not exist or a coordinate that is not
    /// finite.
    pub fn with_pending(&self, trials: &[(Vec<f64>, usize)]) -> Result<Self> {
        let mut copy = self.clone();
        for (point, level) in trials {
            copy.surrogate.check_level(*level)?;
            let noise = self.noise_factor(point, *level)? * self.parameters.noise[*level];
            copy = copy.with_row(point, *level, noise, None)?.unwrap_or(copy);
        }
        copy.weighed()
    }

    /// A copy with one more point, with its residual or, if that is unknown, the predicted one, not
    /// weighed yet; `None` if the covariance would not be positive definite.
    fn with_row(
        &self,
        point: &[f64],
        level: usize,
        noise: f64,
        residual: Option<f64>,
    ) -> Result<Option<Self>> {
        let point = MatRef::from_column_major_slice(point, point.len(), 1);
        self.surrogate.check_points(point)?;
        let trace = self.surrogate.features().trace(self.feature_weights(), point);
        let new = trace.features();
        let Parameters { scale, kappa, .. } = &self.parameters;
        let mut profile = Profile::default();
        profile.fill(&self.parameters, &self.features, new)?;
        let cross = profile.base.col_as_slice_mut(0);
        for group in &self.groups {
            cross[group.rows.clone()].iter_mut().for_each(|k| *k *= kappa[(group.level, level)]);
        }
        let white = self.whitening.whiten(cross);
        let diagonal = scale * kappa[(level, level)] + noise + self.jitter;
        let Some(pivot) = pivot(diagonal, dot(&white, &white)) else { return Ok(None) };
        let white_residual =
            residual.map_or(0.0, |r| (r - dot(&white, &self.white_residuals)) / pivot);
        let mut levels: Vec<usize> = Vec::with_capacity(self.rows() + 1);
        for group in &self.groups {
            levels.resize(group.rows.end, group.level);
        }
        let place = levels.partition_point(|l| *l <= level);
        levels.insert(place, level);
        let groups = groups(&levels);
        Ok(Some(Self {
            surrogate: Arc::clone(&self.surrogate),
            theta: Arc::clone(&self.theta),
            by_column: Arc::clone(&self.by_column),
            parameters: self.parameters.clone(),
            history: self.history.clone(),
            features: self.features.with(place, new.col_as_slice(0))?,
            whitening: self.whitening.with(place, &white, pivot),
            weights: Vec::new(),
            mixing: Mixing::new(&groups, kappa, self.surrogate.levels()),
            groups,
            white_residuals: [&self.white_residuals[..], &[white_residual]].concat(),
            jitter: self.jitter,
            place: Arc::clone(&self.place),
        }))
    }

    /// Distances between the features of some points and those of one more: length scales, for
    /// kernels that have them.
    ///
    /// # Errors
    /// If the dimension does not fit or a coordinate is not finite.
    pub fn feature_distances(&self, points: MatRef<'_, f64>, other: &[f64]) -> Result<Vec<f64>> {
        let other = MatRef::from_column_major_slice(other, other.len(), 1);
        let [mut points_trace, mut other_trace] =
            [FeatureTrace::default(), FeatureTrace::default()];
        self.trace_features(points, &self.place, &mut points_trace)?;
        self.trace_features(other, &self.place, &mut other_trace)?;
        let (features, centre) = (points_trace.features(), other_trace.features().col_as_slice(0));
        let distance = |j: usize| squared_distance(features.col_as_slice(j), centre).sqrt();
        Ok((0..features.ncols()).map(distance).collect())
    }

    pub(super) fn top(&self) -> usize {
        self.surrogate.levels() - 1
    }

    /// Features of points at a place: where what is asked about meets the model.
    pub(super) fn trace_features(
        &self,
        points: MatRef<'_, f64>,
        place: &[f64],
        trace: &mut FeatureTrace,
    ) -> Result<()> {
        let (features, weights) = (self.surrogate.features(), self.feature_weights());
        if place.is_empty() {
            self.surrogate.check_points(points)?;
            features.trace_into(weights, points, trace);
            return Ok(());
        }
        let searched = points.nrows();
        let whole = Mat::from_fn(searched + place.len(), points.ncols(), |i, j| {
            if i < searched { points[(i, j)] } else { place[i - searched] }
        });
        self.surrogate.check_points(whole.as_ref())?;
        features.trace_into(weights, whole.as_ref(), trace);
        Ok(())
    }

    /// The last coordinates of all points that it is asked about.
    pub(super) fn place(&self) -> &[f64] {
        &self.place
    }
}

/// Stretches of equal levels.
fn groups(sorted_levels: &[usize]) -> Vec<Group> {
    let mut start = 0;
    sorted_levels
        .chunk_by(|a, b| a == b)
        .map(|chunk| {
            start += chunk.len();
            Group { level: chunk[0], rows: start - chunk.len()..start }
        })
        .collect()
}
