//! What the user says of a task: points to be evaluated, evaluations that were made elsewhere, guesses of where
//! good points lie, when it ends.

use super::measurement::Measurement;
use super::stop::{Says, Stop, Stopped, says};
use super::task::Task;
use crate::Error;
use crate::error::Result;
use crate::policy::{Aim, Opened, Trial};
use crate::problem::{Description, Guess, Value};

impl Task {
    /// What somebody believes of where good points lie, to be said before the first trial: those points are
    /// tried first, and count in the model until what is told speaks against them.
    ///
    /// # Errors
    /// If a guess names what is no parameter or a value that it cannot take, or if the task has begun. Nothing is
    /// changed then.
    pub fn guess(&mut self, guesses: &[Guess]) -> Result<()> {
        let space = &self.shared.schema.space;
        let placed = guesses.iter().map(|guess| guess.placed(space)).collect::<Result<Vec<_>>>()?;
        if let Some(trial) = self.trials.first().filter(|_| placed != self.guesses) {
            let reason =
                "it was asked for before anything was guessed; say it before the first trial";
            return Err(Error::Trial { id: trial.id, reason: reason.to_owned() });
        }
        (self.guesses, self.cache, self.ready) = (placed, None, None);
        Ok(())
    }

    /// Makes a point of the user's own choice pending.
    ///
    /// # Errors
    /// If the point is not legal or forbidden, the level does not exist, the budget does not allow it or the
    /// point is pending already.
    pub fn suggest(&mut self, point: &[Value], level: usize) -> Result<Trial> {
        let point = self.shared.schema.space.canonical(point)?;
        self.shared.schema.space.check_allowed(&point)?;
        self.shared.check_level(level)?;
        let cost = self.shared.fidelities[level].cost;
        if !self.purse().affords(cost) {
            let (value, must) = (cost, "at most what is left of the budget");
            return Err(Error::OutOfRange { what: "cost of the suggested trial", value, must });
        }
        if let Some(pending) = self.pending().find(|trial| trial.point == point) {
            let reason = "it is pending at the suggested point already".to_owned();
            return Err(Error::Trial { id: pending.id, reason });
        }
        let trial = self.blank(point, level, Aim::GIVEN);
        self.trials.push(trial.clone());
        Ok(trial)
    }

    /// Adds an evaluation that was made elsewhere, even of what is forbidden here, and costs nothing.
    ///
    /// # Errors
    /// If the point is not legal, the level does not exist or the value is not finite.
    pub fn add_free(
        &mut self,
        point: &[Value],
        level: usize,
        measured: impl Into<Measurement>,
    ) -> Result<Trial> {
        self.add_free_in(point, level, measured, &Description::new())
    }

    /// The same where descriptors differ from trial to trial.
    ///
    /// # Errors
    /// As [`Task::add_free`], and if the context names no descriptor, or a value that it cannot take.
    pub fn add_free_in(
        &mut self,
        point: &[Value],
        level: usize,
        measured: impl Into<Measurement>,
        context: &Description,
    ) -> Result<Trial> {
        let measured = measured.into();
        let context = self.shared.schema.descriptors.canonical(context)?;
        let point = self.shared.schema.space.canonical(point)?;
        self.shared.check_level(level)?;
        let id = self.trials.len();
        measured.check(id, &self.shared.constraints())?;
        let mut trial = self.blank(point, level, Aim::GIVEN);
        (trial.charged, trial.context) = (false, context);
        self.trials.push(trial);
        self.tell(id, measured)?;
        Ok(self.trials[id].clone())
    }

    /// It ends early by this rule, or only when its budget is spent. May be said at any time.
    pub fn stop_when(&mut self, stop: Option<Stop>) {
        if self.stop != stop {
            (self.stop, self.ready) = (stop, None);
        }
    }

    /// Why nothing more is asked for although something is left of the budget, if that is so.
    ///
    /// # Errors
    /// If the model cannot be built from these observations.
    pub fn stopped(&mut self) -> Result<Option<Stopped>> {
        let Some(stop) = self.stop else { return Ok(None) };
        let policy = self.shared.settings.method().policy();
        let is_open = self.with_view(|view| {
            let open = policy.open(view)?;
            let affords = view.costs().iter().any(Option::is_some);
            Ok::<bool, crate::Error>(affords && matches!(open, Opened::ByModel))
        })?;
        if !is_open? {
            return Ok(None);
        }
        self.with_model(|view, fitted| match says(Some(stop), view, fitted) {
            Says::Stop(stopped) => Ok(Some(stopped)),
            _ => Ok(None),
        })
    }
}
