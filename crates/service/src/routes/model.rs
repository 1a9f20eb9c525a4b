//! What the model of a task knows: slices of the posterior at every fidelity with what a trial there
//! would buy, the point to use, and the trial that would be asked for next.

use super::trials::completed;
use super::{Answer, Json, Path, Query, Shared, begun, described, enter};
use crate::belief::Slice;
use crate::office::{Office, Room, View, blocking};
use crate::problem::{Problem, Problems};
use crate::view::{Point, Recommended, point};
use baton::{Description, Space, Task, Value};
use baton_runner::desk::Expected;
use baton_runner::look::{kept_result, slices as seen_along};
use baton_runner::replay::Replay;
use baton_runner::{Records, RunnerError};
use baton_store::TaskState;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// The model of more observations takes too long for somebody who looks.
pub(super) const MOST_OBSERVATIONS: usize = 2_000;
/// Values along a slice.
const VALUES: u32 = 61;

/// Slices of the posterior.
#[derive(Debug, Serialize, ToSchema)]
pub struct Slices {
    /// the point they go through
    pub through: Option<Point>,
    /// one per parameter; none before anything is known
    pub slices: Vec<Slice>,
    /// trials whose values the model has seen
    pub told: usize,
}

/// Where slices go through.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SlicesQuery {
    /// a point as a JSON object, such as `{"x": 0.3}`; by default the point to use
    through: Option<String>,
}

/// What the model knows along each parameter: expected values with 90 % intervals at every fidelity,
/// and on the same axis what a trial there would buy.
#[utoipa::path(get, operation_id = "slices", path = "/api/campaigns/{campaign}/tasks/{task}/slices", tag = "model",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"), SlicesQuery),
    responses((status = 200, description = "as asked for", body = Slices), Problems))]
pub async fn slices(
    office: Shared,
    Path(place): Path<(String, String)>,
    Query(query): Query<SlicesQuery>,
) -> Answer<Slices> {
    const ATTEMPTED: &str = "compute the slices";
    let given = query.through.map(|text| serde_json::from_str::<Point>(&text)).transpose();
    let given = given.map_err(|error| {
        Problem::unusable(ATTEMPTED, format!("`through` is not a JSON object of values: {error}"))
    })?;
    viewed(office.0, place, ATTEMPTED, move |subject| {
        let space = subject.records.space_of(subject.view.number);
        let through = match given {
            Some(named) => Some(completed(space, named, ATTEMPTED)?),
            None => {
                subject.recommended(&Description::new(), ATTEMPTED)?.map(|expected| expected.point)
            }
        };
        let told = subject.told();
        let Some(through) = through else {
            return Ok(Json(Slices { through: None, slices: Vec::new(), told }));
        };
        let seen = seen_along(&mut subject.view.replay.task, space, &through, VALUES);
        let seen = seen.map_err(|error| Problem::of(ATTEMPTED, &error))?;
        let levels = subject.records.fidelities_of(subject.view.number);
        let mut slices: Vec<Slice> = seen.iter().map(|slice| Slice::new(slice, levels)).collect();
        if !subject.records.constraints_of(subject.view.number).is_empty() {
            for slice in &mut slices {
                let feasible = feasible(&mut subject.view.replay.task, space, &through, slice);
                slice.feasible = feasible.map_err(|error| Problem::of(ATTEMPTED, &error))?;
            }
        }
        Ok(Json(Slices { through: Some(point(space, &through)), slices, told }))
    })
    .await
}

/// How likely all constraints are to hold along a slice; nothing before their quantities were measured.
fn feasible(
    task: &mut Task,
    space: &Space,
    through: &[Value],
    slice: &Slice,
) -> Result<Option<Vec<f64>>, RunnerError> {
    let mut names = space.parameters().iter();
    let Some(i) = names.position(|parameter| parameter.name == slice.parameter) else {
        return Ok(None);
    };
    let points: Vec<Vec<Value>> =
        slice.at.iter().map(|value| space.varied(through, i, value)).collect();
    let expected = task.expectations(&points)?;
    let feasible: Option<Vec<f64>> = expected.iter().map(|expected| expected.feasible).collect();
    Ok(feasible.filter(|shares| !shares.is_empty()))
}

/// The point to use.
#[derive(Debug, Serialize, ToSchema)]
pub struct Recommendation {
    /// none before anything was told
    pub recommended: Option<Recommended>,
}

/// Where the point is to be used.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RecommendationQuery {
    /// what holds there, beyond what is said of the task or instead: a JSON object such as
    /// `{"reynolds": 3e6}`
    context: Option<String>,
}

/// The point to use, by what was told so far.
#[utoipa::path(get, operation_id = "recommendation", path = "/api/campaigns/{campaign}/tasks/{task}/recommendation", tag = "model",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"), RecommendationQuery),
    responses((status = 200, description = "as asked for", body = Recommendation), Problems))]
pub async fn recommendation(
    office: Shared,
    Path(place): Path<(String, String)>,
    Query(query): Query<RecommendationQuery>,
) -> Answer<Recommendation> {
    const ATTEMPTED: &str = "compute the recommendation";
    let context = described(query.context.as_deref(), "context", ATTEMPTED)?;
    viewed(office.0, place, ATTEMPTED, move |subject| {
        let expected = subject.recommended(&context, ATTEMPTED)?;
        let (records, task) = (subject.records, subject.view.number);
        let recommended = expected.map(|expected| Recommended::new(records, task, &expected));
        Ok(Json(Recommendation { recommended }))
    })
    .await
}

/// A trial that was not asked for yet.
#[derive(Debug, Serialize, ToSchema)]
pub struct NextTrial {
    /// its point
    pub point: Point,
    /// its fidelity
    pub fidelity: String,
    /// what it would cost
    pub cost: f64,
    /// nats that it would be expected to buy about this task's optimum
    pub nats_optimum: Option<f64>,
    /// nats that it would be expected to buy for later tasks
    pub nats_transfer: Option<f64>,
    /// why this point at this fidelity
    pub why: String,
}

/// What would be asked for next.
#[derive(Debug, Serialize, ToSchema)]
pub struct Next {
    /// none if the budget is spent or the task is finished
    pub next: Option<NextTrial>,
}

/// The trial that the next ask would give if nothing were told before it, and why. Asks for nothing.
#[utoipa::path(get, operation_id = "next", path = "/api/campaigns/{campaign}/tasks/{task}/next", tag = "model",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name")),
    responses((status = 200, description = "as asked for", body = Next), Problems))]
pub async fn next(office: Shared, Path(place): Path<(String, String)>) -> Answer<Next> {
    const ATTEMPTED: &str = "compute the next trial";
    viewed(office.0, place, ATTEMPTED, |subject| {
        let number = subject.view.number as usize;
        if subject.records.tasks[number].state == TaskState::Finished {
            return Ok(Json(Next { next: None }));
        }
        // A copy asks: the same trial that a real ask would append.
        let asked = subject.view.replay.task.clone().ask();
        let asked = asked.map_err(|error| Problem::of(ATTEMPTED, &RunnerError::from(error)))?;
        let space = subject.records.space_of(subject.view.number);
        let next = asked.map(|trial| NextTrial {
            point: point(space, &trial.point),
            fidelity: trial.fidelity.clone(),
            cost: trial.cost,
            nats_optimum: trial.nats.map(|nats| nats.optimum),
            nats_transfer: trial.nats.map(|nats| nats.transfer),
            why: trial.why(),
        });
        Ok(Json(Next { next }))
    })
    .await
}

/// A task that somebody looks at.
struct Subject<'a> {
    view: &'a mut View,
    records: &'a Records,
}

impl Subject<'_> {
    fn told(&self) -> usize {
        let trials = self.records.trials_of(self.view.number);
        trials.iter().filter(|record| record.trial.value().is_some()).count()
    }

    fn recommended(
        &mut self,
        context: &Description,
        attempted: &str,
    ) -> Result<Option<Expected>, Problem> {
        let kept = kept_result(&self.records.tasks[self.view.number as usize]);
        if kept.is_some() && context.is_empty() {
            return Ok(kept);
        }
        let computed = self.view.replay.task.recommendation_in(context);
        let computed = computed.map_err(|e| Problem::of(attempted, &RunnerError::from(e)))?;
        Ok(computed.map(Expected::from))
    }
}

/// Replays a task, unless it was looked at last, and shows it to `see`: one at a time per campaign and
/// on one of the benches, since this takes the machine's time as an ask does.
async fn viewed<T: Send + 'static>(
    office: Arc<Office>,
    (campaign, task): (String, String),
    attempted: &'static str,
    see: impl FnOnce(&mut Subject<'_>) -> Answer<T> + Send + 'static,
) -> Answer<T> {
    let room = enter(&office, campaign, attempted).await?;
    let mut seat = Arc::clone(&room.view).lock_owned().await;
    let bench = Arc::clone(&office.benches).acquire_owned().await;
    blocking(move || {
        let _bench = bench;
        let records = relevant(&office, &room, &task, attempted)?;
        let number = begun(&records, &task, attempted)?.number;
        let view = up_to_date(seat.take(), &records, number);
        let mut view = view.map_err(|error| Problem::of(attempted, &error))?;
        let mut subject = Subject { view: &mut view, records: &records };
        if subject.told() > MOST_OBSERVATIONS {
            let reason =
                format!("the model of more than {MOST_OBSERVATIONS} values takes too long");
            return Err(Problem::conflict(attempted, reason));
        }
        let answer = see(&mut subject);
        *seat = Some(view);
        answer
    })
    .await
}

/// The records as they are now: a copy, so that nobody waits for what is computed from them.
fn relevant(office: &Office, room: &Room, task: &str, attempted: &str) -> Result<Records, Problem> {
    let records = room.records(office, attempted)?;
    begun(&records, task, attempted)?;
    Ok(records.clone())
}

fn up_to_date(before: Option<View>, records: &Records, number: u32) -> baton_runner::Result<View> {
    match before {
        Some(mut view) if view.number == number => {
            view.replay.follow(records, &records.tasks[number as usize])?;
            Ok(view)
        }
        _ => Ok(View { number, replay: Replay::of(records, number)? }),
    }
}
