//! What is still to be gained in a task: by how much the best point of its function is better than the
//! incumbent, the posterior maximum.
//!
//! Functions are drawn from the posterior, those of constraints too, at the parameters `theta` that the
//! observations allow. Each draw is a truth that may be: in it the incumbent has a value, the best point
//! has another one, and a point picked blindly has the median over the space. So what is left and what was gained
//! always belong to the same truth.

use super::insight::others;
use crate::acquisition::candidates_by;
use crate::error::Result;
use crate::model::Posterior;
use crate::policy::{View, posterior_maximum};
use crate::problem::reflect;
use crate::shared::Fitted;
use baton_numerics::Mat;
use baton_numerics::random::{Key, Purpose, Stream};

/// Functions drawn in all.
const DRAWS: f64 = 120.0;
/// Steps of the climb from the best candidate of each draw, and how many of each length.
const CLIMBS: [f64; 4] = [0.08, 0.03, 0.01, 0.003];
const PER_CLIMB: usize = 8;

/// What is left and what was gained, draw by draw, in the user's units; larger is better.
pub(super) struct Further {
    /// the posterior maximum
    pub incumbent: Vec<f64>,
    /// by how much the best point is better than that one
    pub left: Vec<f64>,
    /// by how much that one is better than a point picked blindly
    pub gained: Vec<f64>,
    /// what one more look at the highest fidelity gains, at the point where that is most on average
    pub next: Vec<f64>,
}

/// Values of a draw at some points; nothing where a constraint is not kept.
type Values = Vec<Vec<Option<f64>>>;

/// Functions of one model.
struct Drawn<'a> {
    objective: crate::model::Functions<'a>,
    limits: Vec<(crate::model::Functions<'a>, (f64, f64))>,
    draws: usize,
    top: usize,
}

impl<'a> Drawn<'a> {
    fn of(
        view: &'a View<'_>,
        posterior: &'a Posterior,
        draws: usize,
        stream: &mut Stream,
    ) -> Result<Self> {
        let objective = posterior.functions(draws, stream)?;
        let mut limits = Vec::new();
        for limit in view.limits {
            limits.push((limit.posterior().functions(draws, stream)?, limit.bounds));
        }
        Ok(Self { objective, limits, draws, top: view.top() })
    }

    /// One list per draw.
    fn at(&self, points: &Mat<f64>) -> Result<(Mat<f64>, Values)> {
        let values = self.objective.values(points.as_ref(), &[self.top])?.swap_remove(0).whole;
        let mut kept = vec![vec![true; points.ncols()]; self.draws];
        for (functions, (least, most)) in &self.limits {
            let measured = functions.values(points.as_ref(), &[self.top])?.swap_remove(0).whole;
            for (k, kept) in kept.iter_mut().enumerate() {
                for (j, keeps) in kept.iter_mut().enumerate() {
                    *keeps &= (*least..=*most).contains(&measured[(j, k + 1)]);
                }
            }
        }
        let of = |(k, kept): (usize, &Vec<bool>)| {
            let value = |(j, keeps): (usize, &bool)| keeps.then(|| values[(j, k + 1)]);
            kept.iter().enumerate().map(value).collect()
        };
        let all = kept.iter().enumerate().map(of).collect();
        Ok((values, all))
    }
}

impl Further {
    /// By the model; nothing if there is none, or as soon as it cannot be any more that, as `wanted`,
    /// less than a share of what was gained is left with some confidence.
    pub(super) fn of(
        view: &View<'_>,
        fitted: &Fitted,
        wanted: Option<(f64, f64)>,
    ) -> Result<Option<Self>> {
        let Some(found) = posterior_maximum(view, fitted)? else { return Ok(None) };
        let space = view.space();
        let incumbent = space.coordinates(&space.point(&found.coordinates)?)?;
        // The same draws in every step: what changes is due to what was told.
        let key = Key { step: 0, ..view.key };
        let first = &fitted.posteriors[0];
        let history = first.surrogate().placed(first.theta(), first.history()).into_owned();
        let known = (&history, &view.merits(fitted, &history)?[..]);
        let mut stream = key.stream(Purpose::Further, 0);
        let candidates = candidates_by(space, known, view.search.effort(), &mut stream);
        let listed = candidates.scattered == candidates.points.ncols();
        let others = others(view, fitted);
        let even = vec![1.0 / others.len().max(1) as f64; others.len()];
        let (posteriors, weights) = if others.is_empty() {
            (&fitted.posteriors, &fitted.weights)
        } else {
            (&others, &even)
        };
        let columns = candidates.points.ncols() + 1;
        let points = Mat::from_fn(incumbent.len(), columns, |i, j| match j {
            0 => incumbent[i],
            _ => candidates.points[(i, j - 1)],
        });
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a share of them
        let counts: Vec<usize> = weights.iter().map(|w| (w * DRAWS).ceil() as usize).collect();
        let total: usize = counts.iter().sum();
        let gain = |from: f64, to: f64| fitted.units.gain(from, to.max(from));
        let (mut left, mut gained, mut missed) = (Vec::new(), Vec::new(), 0);
        let mut better: Vec<Vec<f64>> = Vec::new();
        for (v, (posterior, draws)) in (1..).zip(posteriors.iter().zip(counts)) {
            let mut stream = key.stream(Purpose::Further, v);
            let drawn = Drawn::of(view, posterior, draws, &mut stream)?;
            let (values, allowed) = drawn.at(&points)?;
            let begun = left.len();
            for (k, allowed) in allowed.iter().enumerate() {
                let now = values[(0, k + 1)];
                let scattered = 1..=candidates.scattered;
                let blind = median(scattered.map(|j| values[(j, k + 1)]).collect());
                gained.push(fitted.units.gain(blind, now));
                better.push(allowed.iter().map(|to| to.map_or(0.0, |to| gain(now, to))).collect());
                left.push(better[begun + k].iter().copied().fold(0.0, f64::max));
            }
            // Of a climb there can only come more.
            if let Some((share, confidence)) = wanted {
                missed += (begun..left.len()).filter(|i| left[*i] >= share * gained[*i]).count();
                if ((total - missed) as f64) < confidence * total as f64 {
                    return Ok(None);
                }
            }
            let steps = if listed { &[][..] } else { &CLIMBS };
            let best = climb(view, &drawn, (&points, &allowed), steps, &mut stream)?;
            for (k, best) in best.into_iter().enumerate() {
                left[begun + k] = gain(values[(0, k + 1)], best);
            }
        }
        // What stretches without bounds where nothing is known must not decide where it is best to look.
        let most = quantile(left.clone(), 0.95);
        let worth = |j: usize| better.iter().map(|of| of[j].min(most)).sum::<f64>();
        let next = (0..columns).max_by(|a, b| worth(*a).total_cmp(&worth(*b)));
        let next =
            next.map_or_else(Vec::new, |j| better.iter().map(|of| of[j].min(most)).collect());
        Ok(Some(Self { incumbent, left, gained, next }))
    }

    /// How likely it is that less than a share of what was gained is left.
    pub(super) fn chance_below(&self, share: f64) -> f64 {
        let pairs = self.left.iter().zip(&self.gained);
        let below = pairs.filter(|(left, gained)| **left < share * **gained).count();
        below as f64 / self.left.len().max(1) as f64
    }
}

/// The best value of each draw: that of the best point, and of points around it.
fn climb(
    view: &View<'_>,
    drawn: &Drawn<'_>,
    (points, values): (&Mat<f64>, &Values),
    steps: &[f64],
    stream: &mut Stream,
) -> Result<Vec<f64>> {
    let mut best: Vec<(f64, Vec<f64>)> = Vec::new();
    for values in values {
        let mut reached = (f64::NEG_INFINITY, points.col_as_slice(0).to_vec());
        improve(&mut reached, points, values);
        best.push(reached);
    }
    for step in steps {
        let mut columns: Vec<Vec<f64>> = Vec::new();
        for (_, centre) in &best {
            for _ in 0..PER_CLIMB {
                let mut moved: Vec<f64> =
                    centre.iter().map(|u| reflect(u + step * stream.normal())).collect();
                view.space().snap(&mut moved);
                columns.push(moved);
            }
        }
        let around = Mat::from_fn(points.nrows(), columns.len(), |i, j| columns[j][i]);
        let (_, values) = drawn.at(&around)?;
        for (reached, values) in best.iter_mut().zip(&values) {
            improve(reached, &around, values);
        }
    }
    Ok(best.into_iter().map(|(value, _)| value).collect())
}

fn improve(reached: &mut (f64, Vec<f64>), points: &Mat<f64>, values: &[Option<f64>]) {
    for (j, value) in values.iter().enumerate() {
        if let Some(value) = value.filter(|value| *value > reached.0) {
            *reached = (value, points.col_as_slice(j).to_vec());
        }
    }
}

/// Of a list that is not empty; 0 of an empty one.
pub(super) fn median(values: Vec<f64>) -> f64 {
    quantile(values, 0.5)
}

fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within the list
    let place = (share * values.len() as f64) as usize;
    values.get(place.min(values.len().saturating_sub(1))).copied().unwrap_or_default()
}
