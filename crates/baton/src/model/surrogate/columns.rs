//! Covariances of observations with single ones of them, where the matrix of all would be too large.

use super::features::Weights;
use super::model::{Parameters, Surrogate};
use super::profile::{Normed, Profile};
use crate::error::Result;
use crate::problem::History;
use baton_numerics::Mat;

/// The covariance of this task's function between its observations, column by column.
#[derive(Debug)]
pub struct Columns<'a> {
    levels: &'a [usize],
    parameters: Parameters,
    features: Normed,
    profile: Profile,
}

impl Surrogate {
    /// The columns of the covariance at these observations of this task, without noise.
    ///
    /// # Errors
    /// If sizes do not fit or a number is not finite.
    pub fn own_columns<'a>(&self, theta: &[f64], history: &'a History) -> Result<Columns<'a>> {
        self.check_history(history)?;
        let parameters = self.unpack(theta)?;
        let weights = Weights::ByRow(&theta[self.feature_range()]);
        let trace = self.features().trace(weights, history.points());
        let features = Normed::new(trace.features().clone())?;
        let (levels, profile) = (history.levels(), Profile::default());
        Ok(Columns { levels, parameters, features, profile })
    }
}

impl Columns<'_> {
    /// The diagonal.
    pub fn variances(&self) -> Vec<f64> {
        let Parameters { scale, kappa, .. } = &self.parameters;
        self.levels.iter().map(|level| scale * kappa[(*level, *level)]).collect()
    }

    /// One column.
    ///
    /// # Errors
    /// If a distance is not finite.
    pub fn column(&mut self, index: usize) -> Result<Vec<f64>> {
        let one = self.features.features.col_as_slice(index);
        let one = Mat::from_fn(one.len(), 1, |i, _| one[i]);
        self.profile.fill(&self.parameters, &self.features, &one)?;
        let (kappa, level) = (&self.parameters.kappa, self.levels[index]);
        let base = self.profile.base.col_as_slice(0).iter().zip(self.levels);
        Ok(base.map(|(k, other)| k * kappa[(*other, level)]).collect())
    }

    /// The noise variance of every observation.
    pub fn noise(&self, history: &History) -> Vec<f64> {
        let of_level = &self.parameters.noise;
        let variance = |i: usize| history.noise_variance(i, of_level[self.levels[i]]);
        (0..self.levels.len()).map(variance).collect()
    }
}
