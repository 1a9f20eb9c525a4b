//! What the model says before the next trial is chosen: candidates, predictions, how high the maximum is.

use super::agenda;
use super::epoch::Epoch;
use super::explore::Basin;
use super::task::Task;
use super::trial::{Aim, Outcome};
use crate::acquisition::{Acquisition, Criterion, Gumbel, OptimumGain, candidates};
use crate::error::Result;
use crate::problem::History;
use crate::surrogate::{Posterior, Prediction};
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, Table, parallel};
use std::borrow::Cow;

/// The criterion with all it needs, and the candidates with what is predicted there.
pub(super) struct Outlook<'a> {
    pub criterion: Criterion,
    pub history: History,
    pub points: Mat<f64>,
    pub predictions: Vec<Prediction>,
    posteriors: Cow<'a, [Posterior]>,
    weights: &'a [f64],
    max_values: Vec<Vec<f64>>,
}

impl Outlook<'_> {
    pub(super) fn acquisition(&self) -> Result<Acquisition<'_>> {
        Acquisition::new(self.criterion, &self.posteriors, self.weights, &self.max_values)
    }
}

impl Task {
    /// Over the candidates outside the basin, if one is given and they promise something, else over
    /// all of this step; and whether the basin was left out.
    pub(super) fn outlook<'a>(
        &self,
        epoch: &'a Epoch,
        aim: Aim,
        left_out: Option<&Basin<'_>>,
    ) -> Result<(Outlook<'a>, bool)> {
        let frame = self.frame();
        let first = &epoch.posteriors[0];
        let history = first.surrogate().placed(first.theta(), first.history()).into_owned();
        let mut stream = self.key().stream(Purpose::Candidates, 0);
        let all = candidates(frame.space, &history, frame.settings.search, &mut stream);
        let over = |points, history| self.outlook_over(epoch, aim, points, history);
        if let Some(basin) = left_out
            && let Some(outside) = basin.outside(&all)?
        {
            let outlook = over(outside, history.clone())?;
            if basin.is_rivalled(&outlook.max_values) {
                return Ok((outlook, true));
            }
        }
        Ok((over(all.points, history)?, false))
    }

    fn outlook_over<'a>(
        &self,
        epoch: &'a Epoch,
        aim: Aim,
        points: Mat<f64>,
        history: History,
    ) -> Result<Outlook<'a>> {
        let posteriors = self.with_unknown_outcomes(&epoch.posteriors)?;
        let predictions =
            parallel::map(posteriors.len(), |v| posteriors[v].predict(points.as_ref()));
        let predictions = predictions.into_iter().collect::<Result<Vec<_>>>()?;
        let max_values = self.max_values(self.key(), &predictions)?;
        let (criterion, weights) = (agenda::criterion(&self.frame(), aim), &epoch.weights[..]);
        Ok(Outlook { criterion, history, points, predictions, posteriors, weights, max_values })
    }

    /// Pending trials count as if their value were known to be the predicted one; so do failed
    /// ones, lest the same point be asked for again.
    fn with_unknown_outcomes<'a>(
        &self,
        posteriors: &'a [Posterior],
    ) -> Result<Cow<'a, [Posterior]>> {
        let space = &self.shared.schema.space;
        let unknown = self.trials().iter().filter(|t| !matches!(t.outcome, Outcome::Told { .. }));
        let trials = unknown
            .map(|trial| Ok((space.coordinates(&trial.point)?, trial.level)))
            .collect::<Result<Vec<_>>>()?;
        if trials.is_empty() {
            return Ok(Cow::Borrowed(posteriors));
        }
        let all = parallel::map(posteriors.len(), |v| posteriors[v].with_pending(&trials));
        all.into_iter().collect::<Result<Vec<_>>>().map(Cow::Owned)
    }

    /// Gumbel draws of the maximum for every particle, none below the best mean (A10); the expected
    /// maximum alone for the form that uses that, (42).
    fn max_values(&self, key: Key, predictions: &[Prediction]) -> Result<Vec<Vec<f64>>> {
        let count = self.shared.settings.max_values;
        let draws = parallel::map(predictions.len(), |v| {
            let prediction = &predictions[v];
            let top = prediction.levels() - 1;
            let row = |table: &Table| table.row(top).collect::<Vec<f64>>();
            let (means, variances) = (row(&prediction.mean), row(&prediction.variance));
            let law = Gumbel::of_largest(&means, &variances)?;
            let floor = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if self.shared.settings.optimum_gain == OptimumGain::Mes {
                return Ok(vec![law.mean().max(floor)]);
            }
            let lane = u32::try_from(v).unwrap_or(u32::MAX);
            let mut stream = key.stream(Purpose::MaxValues, lane);
            Ok((0..count).map(|_| law.at(stream.open_uniform()).max(floor)).collect())
        });
        draws.into_iter().collect()
    }
}
