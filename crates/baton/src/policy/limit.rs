//! Quantities that have to keep bounds, as rules see them: each with a fitted model of its own.

use crate::model::Posterior;
use crate::problem::{Constraint, Goal};
use crate::shared::Fitted;

/// A constraint and the model of its quantity.
#[derive(Clone, Copy)]
pub(crate) struct Limit<'a> {
    pub constraint: &'a Constraint,
    pub fitted: &'a Fitted,
    /// between which values of the process it holds
    pub bounds: (f64, f64),
}

impl<'a> Limit<'a> {
    pub(crate) fn new(constraint: &'a Constraint, fitted: &'a Fitted) -> Self {
        let z = |bound: f64| fitted.units.link().invert(fitted.units.to_model(bound));
        // To minimise turns the ends around.
        let (least, most) = match fitted.units.goal() {
            Goal::Maximize => (constraint.min.map(z), constraint.max.map(z)),
            Goal::Minimize => (constraint.max.map(z), constraint.min.map(z)),
        };
        let bounds = (least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY));
        Self { constraint, fitted, bounds }
    }

    pub(crate) fn posterior(&self) -> &'a Posterior {
        &self.fitted.posteriors[0]
    }
}
