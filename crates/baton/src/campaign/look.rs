//! What people want to see of a task; `expectation` and `quality` work it out.

use super::expectation::{Recommendation, Sight, best_mean, expectations, seen};
use super::quality::{SearchQuality, compared};
use super::task::Task;
use crate::error::Result;
use crate::policy::Trial;
use crate::problem::{Description, Units, Value};

impl Task {
    /// The point to use, with a 90 % interval: of the posterior maximum and all that was tried at the highest
    /// fidelity, the one whose interval has the best lower end. `None` before anything was told, unless the task is described
    /// and earlier ones say what to expect.
    ///
    /// # Errors
    /// If the model cannot be built from these observations.
    pub fn recommendation(&mut self) -> Result<Option<Recommendation>> {
        self.recommendation_in(&Description::new())
    }

    /// The same where descriptors differ from ask to ask: the point to use in this context.
    ///
    /// # Errors
    /// As [`Task::recommendation`], and if the context names what is no descriptor, or a value that it
    /// cannot take.
    pub fn recommendation_in(&mut self, context: &Description) -> Result<Option<Recommendation>> {
        let place = self.place_of(context)?;
        let foretold = !place.is_empty() && self.frame().carries();
        if self.observations()?.is_empty() && !foretold {
            return Ok(None);
        }
        self.with_model_at(&place, best_mean)
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
        self.with_model(|view, fitted| expectations(view, fitted, points))
    }

    /// The told trial with the best value at the top level, of those that were seen to keep all constraints;
    /// of those that were added, none that is forbidden.
    pub fn best_observed(&self) -> Option<&Trial> {
        let top = self.shared.fidelities.len() - 1;
        let (space, constraints) = (&self.shared.schema.space, self.shared.constraints());
        self.best_of(|trial| {
            let allowed = trial.level == top && space.forbids(&trial.point).is_none();
            allowed && trial.is_feasible(&constraints) == Some(true)
        })
    }

    /// The best told trial among some.
    fn best_of(&self, counts: impl Fn(&Trial) -> bool) -> Option<&Trial> {
        let units = Units::of(self.shared.schema.goal, &[]);
        let told = self.trials().iter().filter(|trial| counts(trial));
        let valued = told.filter_map(|trial| trial.value().map(|value| (trial, value)));
        valued
            .reduce(|best, next| if units.better(next.1, best.1) { next } else { best })
            .map(|(trial, _)| trial)
    }

    /// Coordinates to remember for later tasks: the recommended point, or the best one seen.
    pub(super) fn incumbent(&mut self) -> Option<Vec<f64>> {
        if self.observations().ok()?.is_empty() {
            return None; // what was foretold was not seen
        }
        let recommended = self.recommendation().ok().flatten().map(|r| r.point);
        let seen = || {
            let best = self.best_observed().or_else(|| self.best_of(|_| true));
            best.map(|trial| trial.point.clone())
        };
        let point = recommended.or_else(seen)?;
        self.shared.schema.space.coordinates(&point).ok()
    }

    /// What the model sees at some points: a list per point, with one entry per fidelity. Nothing
    /// before anything was told, unless earlier tasks taught something.
    ///
    /// # Errors
    /// If a point is not legal, or the model cannot be built from these observations.
    pub fn sights(&mut self, points: &[Vec<Value>]) -> Result<Vec<Vec<Sight>>> {
        if self.observations()?.is_empty() && !self.frame().carries() {
            return Ok(Vec::new());
        }
        self.with_model(|view, fitted| seen(view, fitted, points))
    }

    /// Searches all affordable levels for the next trial as an ask does and, if `factor` is more than 1, once more for the
    /// same criterion (same max values) with `factor` times the candidates and starts. Asks for
    /// nothing. `None` if no level is affordable, nothing was told or everything is occupied.
    ///
    /// # Errors
    /// If the model cannot be built from these observations.
    pub fn search_quality(&mut self, factor: usize) -> Result<Option<SearchQuality>> {
        if self.observations()?.is_empty() {
            return Ok(None);
        }
        self.with_model(|view, fitted| compared(view, fitted, factor))
    }
}
