//! What the model says before the next trial is chosen: candidates, predictions, how high the maximum is.

use super::incumbent::Basin;
use super::trial::Aim;
use super::view::View;
use crate::acquisition::{
    Acquisition, Criterion, Gumbel, Limits, OptimumGain, candidates_by, largest_feasible,
    log_feasibility,
};
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
    limits: Cow<'a, [Posterior]>,
    bounds: Vec<(f64, f64)>,
    /// per particle, how likely it is that nothing is feasible
    nowhere: Vec<f64>,
    success: Option<usize>,
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
        let merits = view.merits(fitted, &history)?;
        let known = (&history, &merits[..]);
        let all = candidates_by(view.space(), known, view.search.effort(), &mut stream);
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
        let limits: Vec<Posterior> = view.limits.iter().map(|l| l.posterior().clone()).collect();
        let limits: Cow<'a, [Posterior]> =
            Cow::Owned(with_unknown_outcomes(view, &limits)?.into_owned());
        let (count, bounds) = (posteriors.len(), view.bounds());
        let all: Vec<&Posterior> =
            posteriors.iter().chain(draws.iter()).chain(limits.iter()).collect();
        let predictions = parallel::map(all.len(), |v| all[v].predict(points.as_ref()));
        let predictions = predictions.into_iter().collect::<Result<Vec<_>>>()?;
        let (max_values, nowhere) = if limits.is_empty() {
            (max_values(view, &predictions[..count])?, Vec::new())
        } else {
            let of_limits = &predictions[count + draws.len()..];
            best_feasible(view, &predictions[..count], of_limits, &bounds)?
        };
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
            limits,
            bounds,
            nowhere,
            success: view.limits.iter().position(|limit| limit.constraint.is_success()),
        };
        Ok(model)
    }

    pub(crate) fn acquisition(&self) -> Result<Acquisition<'_>> {
        self.acquisition_within(0.0)
    }

    /// The same for points that are so likely to be feasible, at the highest fidelity.
    pub(crate) fn acquisition_within(&self, safe: f64) -> Result<Acquisition<'_>> {
        let Self { bounds, nowhere, success, .. } = self;
        let success = *success;
        let limits = Limits { posteriors: &self.limits, bounds, nowhere, success, safe };
        Acquisition::new(self.criterion, &self.posteriors, self.weights, &self.max_values)?
            .with_draws(&self.draws, self.draw_weights)?
            .with_limits(limits)
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

/// The same of the best feasible value, and how likely it is that nothing is feasible.
fn best_feasible(
    view: &View<'_>,
    predictions: &[Prediction],
    limits: &[Prediction],
    bounds: &[(f64, f64)],
) -> Result<(Vec<Vec<f64>>, Vec<f64>)> {
    let limits: Vec<&Prediction> = limits.iter().collect();
    let points = predictions.first().map_or(0, Prediction::points);
    let feasible: Vec<f64> =
        (0..points).map(|j| log_feasibility(&limits, bounds, j).exp()).collect();
    let draws = parallel::map(predictions.len(), |v| {
        let prediction = &predictions[v];
        let top = prediction.levels() - 1;
        let row = |table: &Table| table.row(top).collect::<Vec<f64>>();
        let means = row(&prediction.mean);
        let (law, nowhere) = largest_feasible(&means, &row(&prediction.variance), &feasible)?;
        let likely = means.iter().zip(&feasible).filter(|(_, q)| **q >= view.enough());
        let floor = likely.map(|(mean, _)| *mean).fold(f64::NEG_INFINITY, f64::max);
        let lane = u32::try_from(v).unwrap_or(u32::MAX);
        let mut stream = view.key.stream(Purpose::MaxValues, lane);
        let count = law.map_or(0, |_| *view.search.max_values);
        let value = |law: &Gumbel, uniform: f64| law.at(uniform).max(floor);
        let values = (0..count).filter_map(|_| Some(value(&law?, stream.open_uniform())));
        Ok((values.collect(), if law.is_some() { nowhere } else { 1.0 }))
    });
    let draws: Vec<(Vec<f64>, f64)> = draws.into_iter().collect::<Result<_>>()?;
    Ok(draws.into_iter().unzip())
}
