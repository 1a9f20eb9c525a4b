//! The function of a task as it may be: its posterior mean, and draws of it, in the user's units.
//!
//! Draws differ in the parameters `theta` (by Laplace's approximation around the fitted ones; the particles,
//! for methods that have them) and in the function given these. The values are those that an evaluation
//! without noise is expected to have: the link is undone, so that peaks count as the user sees them. Since
//! that stretches what is far from all observations, no draw goes further beyond what the mean and the
//! observations span than by half of that.

use crate::error::Result;
use crate::model::{Functions, Posterior, Source};
use crate::policy::View;
use crate::problem::Units;
use crate::shared::Fitted;
use baton_numerics::random::{Key, Purpose};
use baton_numerics::{Mat, MatRef};

/// Draws of `theta`, and of the function for each.
const THETAS: u32 = 6;
const FUNCTIONS: usize = 10;
/// How far a draw may go beyond what is known, as a share of that.
const BEYOND: f64 = 0.5;
/// Points at which it is seen how far the mean reaches.
const SPREAD: usize = 512;

/// Models of a task, each with functions drawn from it.
pub(super) struct Draws<'a> {
    fitted: &'a Fitted,
    others: Vec<Posterior>,
    /// what draws stay within
    span: (f64, f64),
    key: Key,
}

/// Values at some points in the user's units, one column per function, the mean first.
pub(super) struct Drawn {
    /// of the task
    pub whole: Mat<f64>,
    /// what every task has, and what only this one has: less what every one has
    pub split: Option<(Mat<f64>, Mat<f64>)>,
}

impl<'a> Draws<'a> {
    pub(super) fn of(view: &View<'_>, fitted: &'a Fitted) -> Result<Self> {
        let units = &fitted.units;
        // What lies below the floor was seen as lying there.
        let seen = |y: f64| units.to_user(units.link().invert(units.to_model(y)));
        let mut known: Vec<f64> = view.observations.iter().map(|o| seen(o.value)).collect();
        let space = view.space();
        let key = Key { step: 0, ..view.key };
        let points = space.scattered(SPREAD, &mut key.stream(Purpose::Insight, u32::MAX));
        for posterior in &fitted.posteriors {
            let means = posterior.means(points.as_ref())?;
            known.extend(means.entries().iter().map(|z| units.to_user(*z)));
        }
        let low = known.iter().copied().fold(f64::INFINITY, f64::min);
        let high = known.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let reach = BEYOND * (high - low);
        let span = (low - reach, high + reach);
        Ok(Self { fitted, others: others(view, fitted), span, key })
    }

    /// How many models functions are drawn from.
    pub(super) fn models(&self) -> usize {
        self.posteriors().len()
    }

    /// A stream of the design of points for a model.
    pub(super) fn stream(&self, model: usize) -> baton_numerics::random::Stream {
        self.key.stream(Purpose::Insight, 2 * lane(model))
    }

    fn posteriors(&self) -> &[Posterior] {
        if self.others.is_empty() { &self.fitted.posteriors } else { &self.others }
    }

    /// Whether anything of earlier tasks is used.
    pub(super) fn is_related(&self) -> bool {
        self.fitted.posteriors.iter().all(Posterior::is_related)
    }

    /// The mean and the draws from one model, always the same ones, at some levels.
    pub(super) fn values(
        &self,
        model: usize,
        points: MatRef<'_, f64>,
        levels: &[usize],
    ) -> Result<Vec<Drawn>> {
        let mut stream = self.key.stream(Purpose::Insight, 2 * lane(model) + 1);
        let functions = self.posteriors()[model].functions(FUNCTIONS, &mut stream)?;
        let mut drawn = functions.values(points, levels)?;
        // The first column is to be the mean by all particles as they were fitted.
        for values in &mut drawn {
            values.whole.col_as_slice_mut(0).fill(0.0);
            values.shared.col_as_slice_mut(0).fill(0.0);
        }
        for (posterior, weight) in self.fitted.posteriors.iter().zip(&self.fitted.weights) {
            let mean: Functions<'_> = posterior.functions(0, &mut stream)?;
            for (values, mean) in drawn.iter_mut().zip(mean.values(points, levels)?) {
                let pairs = [(&mut values.whole, mean.whole), (&mut values.shared, mean.shared)];
                for (target, mean) in pairs {
                    let target = target.col_as_slice_mut(0).iter_mut();
                    target.zip(mean.col_as_slice(0)).for_each(|(t, m)| *t += weight * m);
                }
            }
        }
        Ok(drawn
            .into_iter()
            .map(|values| {
                let whole = self.to_user(&values.whole);
                let split = self.is_related().then(|| {
                    let shared = self.to_user(&values.shared);
                    let own = &whole - &shared;
                    (shared, own)
                });
                Drawn { whole, split }
            })
            .collect())
    }

    /// In the user's units, draws within reach of what is known.
    fn to_user(&self, values: &Mat<f64>) -> Mat<f64> {
        let units: &Units = &self.fitted.units;
        let mut user =
            Mat::from_fn(values.nrows(), values.ncols(), |i, k| units.to_user(values[(i, k)]));
        for k in 1..user.ncols() {
            let column = user.col_as_slice_mut(k).iter_mut();
            column.for_each(|y| *y = y.clamp(self.span.0, self.span.1));
        }
        user
    }
}

fn lane(model: usize) -> u32 {
    u32::try_from(model).unwrap_or(u32::MAX / 2 - 1)
}

/// The same model at other parameters that the observations allow, where one alone was fitted.
pub(in crate::campaign) fn others(view: &View<'_>, fitted: &Fitted) -> Vec<Posterior> {
    let untold = view.frame.untold().filter(|_| fitted.comparison.untold);
    let frame = untold.map_or(view.frame, |(frame, _)| frame);
    let [posterior] = &fitted.posteriors[..] else { return Vec::new() };
    if !matches!(frame.source, Source::Map) || posterior.history().is_empty() {
        return Vec::new();
    }
    let fit = frame.fit(posterior.surrogate());
    // Where the evidence has no curvature to go by, the fitted parameters alone are used.
    let thetas = fit.draws(posterior.theta(), posterior.history(), THETAS).unwrap_or_default();
    thetas.into_iter().filter_map(|theta| posterior.at(theta).ok()).collect()
}
