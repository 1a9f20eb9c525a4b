//! What the model says before the next trial is chosen: candidates, predictions, how high the maximum is.

use super::incumbent::Basin;
use super::trial::Aim;
use super::view::View;
use crate::acquisition::{Acquisition, Criterion, Gumbel, OptimumGain, candidates};
use crate::error::Result;
use crate::model::{Posterior, Prediction};
use crate::problem::History;
use crate::shared::Fitted;
use baton_numerics::random::Purpose;
use baton_numerics::{Mat, Table, parallel};
use std::borrow::Cow;

/// The criterion with all it needs, and the candidates with what is predicted there.
pub(crate) struct Context<'a> {
    pub criterion: Criterion,
    pub history: History,
    pub points: Mat<f64>,
    pub predictions: Vec<Prediction>,
    posteriors: Cow<'a, [Posterior]>,
    weights: &'a [f64],
    draws: Cow<'a, [Posterior]>,
    draw_weights: &'a [f64],
    max_values: Vec<Vec<f64>>,
}

impl<'a> Context<'a> {
    /// Over all candidates of this step.
    pub(crate) fn of(view: &View<'_>, fitted: &'a Fitted, aim: &Aim) -> Result<Self> {
        Ok(Self::outside(view, fitted, aim, None)?.0)
    }

    /// Over the candidates outside the basin, if one is given and they promise something, else over
    /// all of this step; and whether the basin was left out.
    pub(crate) fn outside(
        view: &View<'_>,
        fitted: &'a Fitted,
        aim: &Aim,
        left_out: Option<&Basin<'_>>,
    ) -> Result<(Self, bool)> {
        let first = &fitted.posteriors[0];
        let history = first.surrogate().placed(first.theta(), first.history()).into_owned();
        let mut stream = view.key.stream(Purpose::Candidates, 0);
        let all = candidates(view.space(), &history, view.search.effort(), &mut stream);
        if let Some(basin) = left_out
            && let Some(outside) = basin.outside(&all)?
        {
            let context = Self::over(view, fitted, aim, outside, history.clone())?;
            if basin.is_rivalled(&context.max_values) {
                return Ok((context, true));
            }
        }
        Ok((Self::over(view, fitted, aim, all.points, history)?, false))
    }

    fn over(
        view: &View<'_>,
        fitted: &'a Fitted,
        aim: &Aim,
        points: Mat<f64>,
        history: History,
    ) -> Result<Self> {
        let posteriors = with_unknown_outcomes(view, &fitted.posteriors)?;
        let draws = with_unknown_outcomes(view, &fitted.draws)?;
        let count = posteriors.len();
        let all: Vec<&Posterior> = posteriors.iter().chain(draws.iter()).collect();
        let predictions = parallel::map(all.len(), |v| all[v].predict(points.as_ref()));
        let predictions = predictions.into_iter().collect::<Result<Vec<_>>>()?;
        let max_values = max_values(view, &predictions[..count])?;
        let (weights, draw_weights) = (&fitted.weights[..], &fitted.draw_weights[..]);
        let criterion = view.criterion(aim);
        let model = Self {
            criterion,
            history,
            points,
            predictions,
            posteriors,
            weights,
            draws,
            draw_weights,
            max_values,
        };
        Ok(model)
    }

    pub(crate) fn acquisition(&self) -> Result<Acquisition<'_>> {
        Acquisition::new(self.criterion, &self.posteriors, self.weights, &self.max_values)?
            .with_draws(&self.draws, self.draw_weights)
    }
}

/// Pending trials count as if their value were known to be the predicted one; so do failed
/// ones, lest the same point be asked for again.
fn with_unknown_outcomes<'a>(
    view: &View<'_>,
    posteriors: &'a [Posterior],
) -> Result<Cow<'a, [Posterior]>> {
    let trials = view.unknown_outcomes()?;
    if trials.is_empty() {
        return Ok(Cow::Borrowed(posteriors));
    }
    let all = parallel::map(posteriors.len(), |v| posteriors[v].with_pending(&trials));
    all.into_iter().collect::<Result<Vec<_>>>().map(Cow::Owned)
}

/// Gumbel draws of the maximum for every particle, none below the best mean (A10); the expected
/// maximum alone for the form that uses that, (42).
fn max_values(view: &View<'_>, predictions: &[Prediction]) -> Result<Vec<Vec<f64>>> {
    let draws = parallel::map(predictions.len(), |v| {
        let prediction = &predictions[v];
        let top = prediction.levels() - 1;
        let row = |table: &Table| table.row(top).collect::<Vec<f64>>();
        let (means, variances) = (row(&prediction.mean), row(&prediction.variance));
        let law = Gumbel::of_largest(&means, &variances)?;
        let floor = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if view.search.optimum_gain == OptimumGain::Mes {
            return Ok(vec![law.mean().max(floor)]);
        }
        let lane = u32::try_from(v).unwrap_or(u32::MAX);
        let mut stream = view.key.stream(Purpose::MaxValues, lane);
        let count = *view.search.max_values;
        Ok((0..count).map(|_| law.at(stream.open_uniform()).max(floor)).collect())
    });
    draws.into_iter().collect()
}
