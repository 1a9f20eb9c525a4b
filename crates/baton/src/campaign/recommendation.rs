//! The answer of a task: the point to use, how good it should be, and the best value seen.

use super::task::Task;
use crate::acquisition::PosteriorMean;
use crate::error::Result;
use crate::policy::{Trial, View, posterior_maximum};
use crate::problem::{Goal, Units, Value};
use crate::shared::Fitted;
use serde::Serialize;

/// Half-width of a 90 % interval in standard deviations.
pub(super) const NINETY_PERCENT: f64 = 1.644_853_626_951_472_7;

/// The point with the best posterior mean of the truth.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recommendation {
    /// one value per parameter
    pub point: Vec<Value>,
    /// the value of the truth to expect there, in the user's units
    pub mean: f64,
    /// a 90 % interval for it
    pub interval: (f64, f64),
}

impl Task {
    /// The point with the best posterior mean at the top level, with a 90 % interval; `None` before
    /// anything was told.
    ///
    /// # Errors
    /// If the model cannot be built from these observations.
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        if self.observations()?.is_empty() {
            return Ok(None);
        }
        self.with_model(best_mean)
    }

    /// What is expected of the truth at some points, each with a 90 % interval; nothing before
    /// anything was told.
    ///
    /// # Errors
    /// If a point is not legal, or the model cannot be built from these observations.
    pub fn expectations(&mut self, points: &[Vec<Value>]) -> Result<Vec<Recommendation>> {
        if self.observations()?.is_empty() {
            return Ok(Vec::new());
        }
        self.with_model(|view, fitted| {
            let expectation = |point: &Vec<Value>| {
                let coordinates = view.space().coordinates(point)?;
                expectation(fitted, &coordinates, point.clone())
            };
            points.iter().map(expectation).collect()
        })
    }

    /// The told trial with the best value at the top level.
    pub fn best_observed(&self) -> Option<&Trial> {
        let top = self.shared.fidelities.len() - 1;
        self.best_of(|trial| trial.level == top)
    }

    /// The best told trial among some.
    fn best_of(&self, counts: impl Fn(&Trial) -> bool) -> Option<&Trial> {
        let goal: Goal = self.shared.schema.goal;
        let units = Units::of(goal, &[]);
        let told = self.trials().iter().filter(|trial| counts(trial));
        let valued = told.filter_map(|trial| trial.value().map(|value| (trial, value)));
        valued
            .reduce(|best, next| if units.better(next.1, best.1) { next } else { best })
            .map(|(trial, _)| trial)
    }

    /// Coordinates to remember for later tasks: the recommended point, or the best one seen.
    pub(super) fn incumbent(&mut self) -> Option<Vec<f64>> {
        let recommended = self.recommendation().ok().flatten().map(|r| r.point);
        let seen = || {
            let best = self.best_observed().or_else(|| self.best_of(|_| true));
            best.map(|trial| trial.point.clone())
        };
        let point = recommended.or_else(seen)?;
        self.shared.schema.space.coordinates(&point).ok()
    }
}

/// The posterior maximum, with what to expect there.
fn best_mean(view: &View<'_>, fitted: &Fitted) -> Result<Option<Recommendation>> {
    let Some(found) = posterior_maximum(view, fitted)? else { return Ok(None) };
    let point = view.space().point(&found.coordinates)?;
    // Of the point as it will be used: a value in the user's units is rounded once.
    let coordinates = view.space().coordinates(&point)?;
    expectation(fitted, &coordinates, point).map(Some)
}

/// The expected value at the highest fidelity at one point.
fn expectation(fitted: &Fitted, coordinates: &[f64], point: Vec<Value>) -> Result<Recommendation> {
    let objective = PosteriorMean { posteriors: &fitted.posteriors, weights: &fitted.weights };
    let moments = objective.moments(coordinates)?;
    let spread = NINETY_PERCENT * moments.variance.sqrt();
    let user = |z: f64| fitted.units.to_user(z);
    // To minimise turns the ends around.
    let ends = (user(moments.mean - spread), user(moments.mean + spread));
    let interval = (ends.0.min(ends.1), ends.0.max(ends.1));
    Ok(Recommendation { point, mean: user(moments.mean), interval })
}
