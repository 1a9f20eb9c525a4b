//! The function that tasks share, within the covariance of a surrogate: where it lies, its covariance, and
//! what a task's observations are off by as observations of it.

use super::earlier::share;
use super::gram::{Gram, mirror};
use super::model::Surrogate;
use crate::error::Result;
use crate::problem::History;
use baton_numerics::Mat;
use std::borrow::Cow;

impl Surrogate {
    /// The observations with those of earlier tasks where they would lie in this one.
    pub fn placed<'a>(&self, theta: &[f64], history: &'a History) -> Cow<'a, History> {
        match self.drift(theta) {
            None => Cow::Borrowed(history),
            Some(drift) => Cow::Owned(history.moved(self.levels(), &drift)),
        }
    }

    /// Observations of this task where they would lie in the shared function, by these coordinates of how
    /// far that lies from its place.
    pub fn placed_back(&self, own: &History, drift: &[f64]) -> History {
        let back: Vec<f64> = drift.iter().map(|by| -by).collect();
        own.moved(0, &back)
    }

    /// How far the shared function lies from its place, coordinate by coordinate; `None` if it cannot lie
    /// elsewhere.
    pub fn drift(&self, theta: &[f64]) -> Option<Vec<f64>> {
        let range = self.drift_range();
        let mut drift = vec![0.0; self.dimension()];
        for ((i, _), by) in self.settings().drifting.iter().zip(&theta[range.clone()]) {
            drift[*i] = *by;
        }
        (!range.is_empty()).then_some(drift)
    }

    /// Covariance of the shared function at the observations' points and levels.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn shared_covariance(&self, theta: &[f64], history: &History) -> Result<Mat<f64>> {
        let mut covariance = self.own_covariance(theta, history)?;
        covariance *= faer::Scale(self.shared_share(theta));
        Ok(covariance)
    }

    /// What observations of this task are off by, seen as observations of the shared function: the
    /// task's deviation and the noise.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn deviation_covariance(&self, theta: &[f64], history: &History) -> Result<Mat<f64>> {
        let mut covariance = self.own_covariance(theta, history)?;
        covariance *= faer::Scale(1.0 - self.shared_share(theta));
        let noise = self.unpack(theta)?.noise;
        for (i, level) in history.levels().iter().enumerate() {
            covariance[(i, i)] += history.noise_variance(i, noise[*level % self.levels()]);
        }
        if let Some(noise) = history.shared_noise() {
            let mut first = covariance.as_mut().submatrix_mut(0, 0, noise.nrows(), noise.ncols());
            first += noise;
        }
        Ok(covariance)
    }

    /// `w^2`: how much of the variance tasks share.
    pub fn shared_share(&self, theta: &[f64]) -> f64 {
        theta[self.relatedness_range()].first().map_or(0.0, |z| share(*z))
    }

    /// The prior mean.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn prior_mean(&self, theta: &[f64]) -> Result<f64> {
        Ok(self.unpack(theta)?.mean)
    }

    /// Variance of the noise of this task's observations at a level.
    ///
    /// # Errors
    /// If `theta` is not of this surrogate, or there is no such level.
    pub fn noise_variance(&self, theta: &[f64], level: usize) -> Result<f64> {
        self.check_level(level)?;
        Ok(self.unpack(theta)?.noise[level])
    }

    fn own_covariance(&self, theta: &[f64], history: &History) -> Result<Mat<f64>> {
        self.check_history(history)?;
        let parameters = self.unpack(theta)?;
        let levels: Vec<usize> =
            history.levels().iter().map(|level| level % self.levels()).collect();
        let mut gram = Gram::default();
        self.fill_gram(theta, &parameters, history.points(), &levels, &mut gram)?;
        mirror(&mut gram.covariance);
        Ok(gram.covariance)
    }
}
