//! What is expected of a task before its first trial, as types: from its description alone.

use crate::view::{Point, point};
use baton::campaign::{Nearest, Prediction as Predicted, in_words};
use baton::{Description, Recommendation, Value};
use baton_runner::look::nearest_task;
use baton_runner::wanted::Setting;
use baton_runner::{Records, RunnerError};
use serde::Serialize;
use utoipa::ToSchema;

/// A point, and what to expect there.
#[derive(Debug, Serialize, ToSchema)]
pub struct ExpectedAt {
    /// the point
    pub point: Point,
    /// the expected value at the highest fidelity
    pub mean: f64,
    /// the lower end of a 90 % interval for it
    pub low: f64,
    /// the upper end
    pub high: f64,
}

/// The earlier task whose description is nearest, by the length scales that were learned.
#[derive(Debug, Serialize, ToSchema)]
pub struct NearestTask {
    /// its name
    pub task: Option<String>,
    /// what was said of it
    pub describe: Point,
    /// the point that was recommended for it, and what is expected of it here
    pub expected: ExpectedAt,
}

/// How much a descriptor has to do with how tasks differ.
#[derive(Debug, Serialize, ToSchema)]
pub struct DescriptorWeight {
    /// the descriptor
    pub name: String,
    /// from 0 to 1; all together are 1, or 0 if nothing tells tasks apart
    #[schema(minimum = 0.0, maximum = 1.0)]
    pub share: f64,
}

/// The best point and value at one value of a descriptor.
#[derive(Debug, Serialize, ToSchema)]
pub struct CurvePoint {
    /// the value of the descriptor
    #[schema(value_type = Setting)]
    pub value: Value,
    /// the point to use there
    pub expected: ExpectedAt,
}

/// The best point and value over one descriptor.
#[derive(Debug, Serialize, ToSchema)]
pub struct Curve {
    /// the descriptor that varies; the others are as described
    pub descriptor: String,
    /// its values in their order; none before a task is finished
    pub curve: Vec<CurvePoint>,
}

/// What is expected of a task that has had no trial.
#[derive(Debug, Serialize, ToSchema)]
pub struct Prediction {
    /// what is said of the task; what is missing is as in earlier tasks
    pub describe: Point,
    /// the point to use; none before a task is finished
    pub expected: Option<ExpectedAt>,
    /// the earlier task that is nearest to it
    pub nearest: Option<NearestTask>,
    /// which descriptors matter
    pub descriptors: Vec<DescriptorWeight>,
    /// the same in words
    pub in_words: String,
    /// the best point and value over one descriptor, if asked for
    pub over: Option<Curve>,
}

impl Prediction {
    /// By what finished tasks taught; `over` is a descriptor, and how many of its values.
    ///
    /// # Errors
    /// If the description or the descriptor cannot be used, or the model cannot be built.
    pub fn new(
        records: &Records,
        describe: &Description,
        over: Option<(&str, u32)>,
    ) -> Result<Self, RunnerError> {
        let (campaign, problem) = (records.present_campaign()?, records.present_problem()?);
        let described = records.spec.descriptors.canonical(describe)?;
        let expected = |of: &Recommendation| {
            let (low, high) = of.interval;
            ExpectedAt { point: point(&problem.space, &of.point), mean: of.mean, low, high }
        };
        let nearest = |of: &Nearest| NearestTask {
            task: nearest_task(of, records).map(|task| task.name.clone()),
            describe: Point(of.description.clone()),
            expected: expected(&of.expected),
        };
        let at = |(value, predicted): (Value, Predicted)| CurvePoint {
            value,
            expected: expected(&predicted.best),
        };
        let over = match over {
            Some((descriptor, count)) => {
                let curve = campaign.predict_over(&described, descriptor, count)?;
                let curve = curve.into_iter().map(at).collect();
                Some(Curve { descriptor: descriptor.to_owned(), curve })
            }
            None => None,
        };
        let predicted = campaign.predict(&described)?;
        let weights = campaign.descriptor_weights()?;
        let in_words = in_words(&weights);
        let weight =
            |of: baton::campaign::Weight| DescriptorWeight { name: of.name, share: of.share };
        Ok(Self {
            describe: Point(described),
            expected: predicted.as_ref().map(|predicted| expected(&predicted.best)),
            nearest: predicted.and_then(|predicted| predicted.nearest.as_ref().map(nearest)),
            descriptors: weights.into_iter().map(weight).collect(),
            in_words,
            over,
        })
    }
}
