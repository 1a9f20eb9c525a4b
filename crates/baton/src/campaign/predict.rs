//! What is expected of a task that has had no trial, from its description alone.

use super::campaign::Campaign;
use super::expectation::{Recommendation, best_mean, expectations};
use super::task::Task;
use crate::error::Result;
use crate::policy::View;
use crate::problem::{Description, Value};
use crate::shared::{DescribedTask, Fitted};
use serde::Serialize;

/// Sums of squared distances below this tell no tasks apart.
const TELLS_APART: f64 = 0.1;
/// A descriptor with more than this share of what tells tasks apart explains most of it.
const MOST: f64 = 0.5;
/// One with less than this does not matter.
const HARDLY: f64 = 0.1;

/// The point to use for a task that has had no trial.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Prediction {
    /// the point with the best expected value at the highest fidelity, and that value
    #[serde(flatten)]
    pub best: Recommendation,
    /// the earlier task that is nearest to it, of those in which anything was told
    pub nearest: Option<Nearest>,
}

/// The earlier task whose description is nearest, by the length scales that were learned.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// its place in the sequence, from 0
    pub task: u32,
    /// what was said of it
    pub description: Description,
    /// the point that was recommended for it, and what is expected of it here
    pub expected: Recommendation,
}

/// How much of what tells earlier tasks apart is due to one descriptor.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Weight {
    /// the descriptor
    pub name: String,
    /// from 0 to 1; all together are 1, or 0 if nothing tells tasks apart
    pub share: f64,
}

impl Campaign {
    /// The point to use for a task of this description before it has had any trial; `None` before
    /// earlier tasks have taught anything.
    ///
    /// # Errors
    /// If the description names what is no descriptor, or a value that the descriptor cannot take; or if
    /// the model cannot be built from what is known.
    pub fn predict(&self, description: &Description) -> Result<Option<Prediction>> {
        let Some(mut task) = self.untried(description)? else { return Ok(None) };
        task.predicted(&Description::new())
    }

    /// The same at up to `count` values of one descriptor, evenly spread, the others as described.
    ///
    /// # Errors
    /// As [`Campaign::predict`], and if there is no such descriptor.
    pub fn predict_over(
        &self,
        description: &Description,
        descriptor: &str,
        count: u32,
    ) -> Result<Vec<(Value, Prediction)>> {
        let along = self.knowledge().schema().descriptors.find(descriptor)?;
        let Some(mut task) = self.untried(description)? else { return Ok(Vec::new()) };
        let mut curve = Vec::new();
        for value in along.domain.spread(count) {
            let said = Description::from([(descriptor.to_owned(), value.clone())]);
            curve.extend(task.predicted(&said)?.map(|predicted| (value, predicted)));
        }
        Ok(curve)
    }

    /// How much each descriptor has to do with how earlier tasks differ, by the length scales that were
    /// learned; nothing before anything was.
    ///
    /// # Errors
    /// If the model cannot be built from what is known.
    pub fn descriptor_weights(&self) -> Result<Vec<Weight>> {
        let Some(mut task) = self.untried(&Description::new())? else { return Ok(Vec::new()) };
        let place = task.place_of(&Description::new())?;
        task.with_model_at(&place, weights)
    }

    /// A task of this description that nothing is asked of, if anything is known of such tasks.
    fn untried(&self, description: &Description) -> Result<Option<Task>> {
        let costs = self.fidelities().iter().map(|fidelity| fidelity.cost);
        let task = self.start_described(costs.fold(f64::INFINITY, f64::min), description)?;
        let known = task.frame().carries() && !task.frame().descriptors.is_empty();
        Ok(known.then_some(task))
    }
}

impl Task {
    fn predicted(&mut self, said: &Description) -> Result<Option<Prediction>> {
        let place = self.place_of(said)?;
        self.with_model_at(&place, |view, fitted| {
            let Some(best) = best_mean(view, fitted)? else { return Ok(None) };
            Ok(Some(Prediction { best, nearest: nearest(view, fitted)? }))
        })
    }
}

fn nearest(view: &View<'_>, fitted: &Fitted) -> Result<Option<Nearest>> {
    let precisions = precisions(view, fitted);
    let mut closest: Option<(f64, &DescribedTask, &Vec<f64>)> = None;
    for task in view.frame.knowledge.described() {
        let Some(best) = &task.best else { continue };
        let theirs = view.frame.knowledge.place_of(&task.description)?;
        let coordinates = theirs.iter().zip(view.frame.place).zip(&precisions);
        let gap = coordinates.map(|((a, b), precision)| precision * (a - b) * (a - b)).sum::<f64>();
        if closest.is_none_or(|(least, ..)| gap <= least) {
            closest = Some((gap, task, best));
        }
    }
    let Some((_, task, best)) = closest else { return Ok(None) };
    let point = view.space().point(best)?;
    let expected = expectations(view, fitted, &[point])?.into_iter().next();
    let (number, description) = (task.number, task.description.clone());
    Ok(expected.map(|expected| Nearest { task: number, description, expected }))
}

/// One over the squared length scale of each coordinate of descriptions; 1 where there are none.
fn precisions(view: &View<'_>, fitted: &Fitted) -> Vec<f64> {
    let posterior = &fitted.posteriors[0];
    let surrogate = posterior.surrogate();
    let lengths = &posterior.theta()[surrogate.descriptor_range()];
    let mut precisions: Vec<f64> = lengths.iter().map(|log| (-2.0 * log).exp()).collect();
    precisions.resize(view.frame.descriptors.dimension(), 1.0);
    precisions
}

/// By squared distances between earlier tasks, in length scales.
fn weights(view: &View<'_>, fitted: &Fitted) -> Result<Vec<Weight>> {
    let (frame, precisions) = (view.frame, precisions(view, fitted));
    let known = frame.knowledge.described().iter();
    let places = known.map(|task| frame.knowledge.place_of(&task.description));
    let places = places.collect::<Result<Vec<_>>>()?;
    let owners = frame.descriptors.owners();
    let mut squares = vec![0.0; frame.descriptors.parameters().len()];
    let mut pairs = 0.0;
    for (i, a) in places.iter().enumerate() {
        for b in &places[..i] {
            pairs += 1.0;
            for (k, owner) in owners.iter().enumerate() {
                squares[*owner] += precisions[k] * (a[k] - b[k]) * (a[k] - b[k]);
            }
        }
    }
    let total: f64 = squares.iter().sum();
    let tells = total > TELLS_APART * pairs && !fitted.comparison.untold;
    let share = |square: f64| if tells { square / total } else { 0.0 };
    let names = frame.descriptors.parameters().iter().map(|parameter| parameter.name.clone());
    Ok(names.zip(squares).map(|(name, square)| Weight { name, share: share(square) }).collect())
}

/// Which descriptors matter, in words.
#[must_use]
pub fn in_words(weights: &[Weight]) -> String {
    let list = |chosen: Vec<&str>| match chosen[..] {
        [] => String::new(),
        [only] => only.to_owned(),
        [ref others @ .., last] => format!("{} and {last}", others.join(", ")),
    };
    let named = |which: &dyn Fn(f64) -> bool| -> Vec<&str> {
        weights.iter().filter(|w| which(w.share)).map(|w| w.name.as_str()).collect()
    };
    let (most, hardly) = (named(&|share| share > MOST), named(&|share| share < HARDLY));
    if weights.is_empty() {
        return "Nothing is known yet of how descriptors tell tasks apart".to_owned();
    }
    if hardly.len() == weights.len() {
        return "As far as it shows, no descriptor tells tasks apart".to_owned();
    }
    let first = match most[..] {
        [] => {
            let some = named(&|share| share >= HARDLY);
            format!("{} explain together how tasks differ", list(some))
        }
        _ => format!("{} explains most of how tasks differ", list(most)),
    };
    match hardly.len() {
        0 => first,
        1 => format!("{first}; {} does not", list(hardly)),
        _ => format!("{first}; {} do not", list(hardly)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_follow_the_shares() {
        let words = |shares: &[f64]| {
            let names = ["reynolds", "altitude", "load"].into_iter();
            let all = names.zip(shares);
            let weights = all.map(|(name, share)| Weight { name: name.into(), share: *share });
            in_words(&weights.collect::<Vec<_>>())
        };
        assert_eq!(
            words(&[0.95, 0.05]),
            "reynolds explains most of how tasks differ; altitude does not"
        );
        assert_eq!(
            words(&[0.5, 0.45, 0.05]),
            "reynolds and altitude explain together how tasks differ; load does not"
        );
        assert!(words(&[0.9, 0.05, 0.05]).ends_with("altitude and load do not"));
        assert_eq!(words(&[0.7, 0.3]), "reynolds explains most of how tasks differ");
        assert!(words(&[0.0, 0.0]).contains("no descriptor"));
        assert!(words(&[]).contains("Nothing is known"));
    }
}
