//! How likely all bounds are to be kept, as rules ask for it, and what follows for where to look.

use super::limit::Limit;
use super::view::View;
use crate::acquisition::{FeasibleMean, PosteriorMean};
use crate::error::Result;
use crate::model::Posterior;
use crate::problem::History;
use crate::shared::Fitted;
use baton_numerics::MatRef;

/// A nat of feasibility that is missing counts for so much of the objective, where it is decided around
/// which observations to look.
const BY_NAT: f64 = 2.0;
/// Where even the logarithm knows no difference.
const MOST_NATS: f64 = 1e100;

/// From this probability on, it is asked for that trials are feasible.
const SAFE: f64 = 0.5;

impl View<'_> {
    /// How likely the recommended point has to be feasible.
    pub(crate) fn enough(&self) -> f64 {
        self.settings.feasible.map_or(1.0, |share| *share)
    }

    /// How likely every point at the highest fidelity has to be; 0 if any may be asked for. Where it is only
    /// to waste less, earlier tasks have to say where limits lie: few trials make a model too sure of that.
    pub(crate) fn safe(&self) -> f64 {
        let safe = self.settings.safe.map_or(0.0, |share| *share);
        let applies = self.is_constrained && (safe >= SAFE || self.frame.carries());
        if applies { safe } else { 0.0 }
    }

    /// Whether it matters that no trial at the highest fidelity is infeasible; else it is only a waste.
    pub(crate) fn is_safe_mode(&self) -> bool {
        self.safe() >= SAFE
    }

    /// The bounds of all limits, as the surrogate sees them.
    pub(crate) fn bounds(&self) -> Vec<(f64, f64)> {
        self.limits.iter().map(|limit| limit.bounds).collect()
    }

    /// How likely each of some points is to keep all constraints.
    pub(crate) fn feasibility(&self, fitted: &Fitted, points: MatRef<'_, f64>) -> Result<Vec<f64>> {
        let logs = self.log_feasibility(fitted, points)?;
        Ok(logs.into_iter().map(f64::exp).collect())
    }

    fn log_feasibility(&self, fitted: &Fitted, points: MatRef<'_, f64>) -> Result<Vec<f64>> {
        let limits: Vec<&Posterior> = self.limits.iter().map(Limit::posterior).collect();
        self.feasible_mean(fitted, &limits, &self.bounds()).log_feasibility(points)
    }

    /// What the incumbent maximises.
    pub(crate) fn feasible_mean<'b>(
        &self,
        fitted: &'b Fitted,
        limits: &'b [&'b Posterior],
        bounds: &'b [(f64, f64)],
    ) -> FeasibleMean<'b> {
        let mean = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
        FeasibleMean { mean, limits, bounds, enough: self.enough() }
    }

    /// Whether a place may be asked for at a level: in safe mode a rule may not ask for what is not safe, else
    /// it may doubt what the model says of feasibility, too.
    pub(crate) fn may_ask(&self, fitted: &Fitted, place: &[f64], level: usize) -> Result<bool> {
        if !self.is_safe_mode() || level < self.top() {
            return Ok(true);
        }
        let column = MatRef::from_column_major_slice(place, place.len(), 1);
        Ok(self.feasibility(fitted, column)?[0] >= self.safe())
    }

    /// How good observations are, to look around them: what is not likely to be feasible counts less.
    pub(crate) fn merits(&self, fitted: &Fitted, history: &History) -> Result<Vec<f64>> {
        let mut merits = history.values().to_vec();
        if self.limits.is_empty() || history.is_empty() {
            return Ok(merits);
        }
        let dimension = self.space().dimension();
        let places: Vec<f64> =
            (0..history.len()).flat_map(|i| history.point(i)[..dimension].to_vec()).collect();
        let places = MatRef::from_column_major_slice(&places, dimension, history.len());
        for (merit, nats) in merits.iter_mut().zip(self.log_feasibility(fitted, places)?) {
            *merit += BY_NAT * nats.max(-MOST_NATS);
        }
        Ok(merits)
    }
}
