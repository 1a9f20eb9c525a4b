//! Trials: the list, one in full, a point of one's own, a value, a failure.

use super::campaigns::{Effort, anonymous, at_desk, check_worker, prepare};
use super::{Answer, Json, Key, Path, Query, Shared, begun, enter, look};
use crate::office::{Office, blocking};
use crate::problem::{Problem, Problems};
use crate::teller::Answered;
use crate::view::{FullTrial, Point, Trial};
use axum::http::StatusCode;
use baton::{Fidelity, Measurement, Space, Value};
use baton_runner::desk::Asker;
use baton_runner::{Records, RunnerError, Step};
use baton_store::{Answer as Outcome, Lease, Settled};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use utoipa::{IntoParams, ToSchema};

/// Trials in one answer at the most.
const MOST: usize = 100_000;

/// Which trials.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct TrialsQuery {
    /// the number of the first one
    #[serde(default)]
    #[param(minimum = 0, default = 0)]
    from: usize,
    /// how many at the most
    #[param(minimum = 1, maximum = 100_000)]
    limit: Option<usize>,
}

/// Trials of a task.
#[derive(Debug, Serialize, ToSchema)]
pub struct Trials {
    /// in the order in which they were asked for
    pub trials: Vec<Trial>,
    /// how many the task has
    pub count: usize,
    /// the number of the campaign's last change that is seen here
    pub change: i64,
}

/// The trials of a task, in the order in which they were asked for.
#[utoipa::path(get, operation_id = "list_trials", path = "/api/campaigns/{campaign}/tasks/{task}/trials", tag = "trials",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"), TrialsQuery),
    responses((status = 200, description = "as asked for", body = Trials), Problems))]
pub async fn list(
    office: Shared,
    Path((campaign, task)): Path<(String, String)>,
    Query(query): Query<TrialsQuery>,
) -> Answer<Trials> {
    const ATTEMPTED: &str = "list the trials";
    let limit = query.limit.unwrap_or(MOST);
    if !(1..=MOST).contains(&limit) {
        return Err(Problem::unusable(ATTEMPTED, format!("the limit is not 1 to {MOST}")));
    }
    look(office.0, campaign, ATTEMPTED, move |records| {
        let all = records.trials_of(begun(records, &task, ATTEMPTED)?.number);
        let meant = all.iter().skip(query.from).take(limit);
        let trials = meant.map(|record| Trial::new(record, records)).collect();
        Ok(Json(Trials { trials, count: all.len(), change: records.campaign.change }))
    })
    .await
}

/// A trial with all that is known of it, and why it was chosen.
#[utoipa::path(get, operation_id = "show_trial", path = "/api/campaigns/{campaign}/tasks/{task}/trials/{trial}", tag = "trials",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"),
           ("trial" = usize, Path, description = "the trial's number, from 0")),
    responses((status = 200, description = "as asked for", body = FullTrial), Problems))]
pub async fn show(
    office: Shared,
    Path((campaign, task, trial)): Path<(String, String, usize)>,
) -> Answer<FullTrial> {
    look(office.0, campaign, "show the trial", move |records| {
        found(records, &task, trial, "show the trial").map(Json)
    })
    .await
}

fn found(
    records: &Records,
    task: &str,
    trial: usize,
    attempted: &str,
) -> Result<FullTrial, Problem> {
    let trials = records.trials_of(begun(records, task, attempted)?.number);
    let missing = || Problem::missing(attempted, format!("the task has no trial {trial}"));
    trials.get(trial).map(|record| FullTrial::new(record, records)).ok_or_else(missing)
}

/// A point of one's own.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    /// a value per parameter
    pub point: Point,
    /// the fidelity's name; by default the top one
    #[serde(default)]
    pub fidelity: Option<String>,
    /// who will evaluate it; none: whoever claims it
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub worker: Option<String>,
}

/// Makes a point of one's own a pending trial of the task under way. Repeated with the same
/// `Idempotency-Key` it proposes nothing new and gives the same trial.
#[utoipa::path(post, operation_id = "propose", path = "/api/campaigns/{campaign}/tasks/{task}/trials", tag = "trials",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"),
           ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 200,
            description = "names the call", pattern = "^[!-~]+$")),
    request_body = Proposed,
    responses((status = 201, description = "it waits to be evaluated", body = FullTrial), Problems))]
pub async fn propose(
    office: Shared,
    Path((campaign, task)): Path<(String, String)>,
    Key(key): Key,
    Json(proposed): Json<Proposed>,
) -> Result<(StatusCode, Json<FullTrial>), Problem> {
    const ATTEMPTED: &str = "propose a trial";
    check_worker(proposed.worker.as_deref(), None, ATTEMPTED)?;
    let room = enter(&office, campaign.clone(), ATTEMPTED).await?;
    let (number, point, level) = look(Arc::clone(&office.0), campaign, ATTEMPTED, {
        let fidelity = proposed.fidelity;
        move |records| {
            let number = begun(records, &task, ATTEMPTED)?.number;
            let values = values(records.space_of(number), proposed.point, ATTEMPTED)?;
            let levels = records.fidelities_of(number);
            Ok((number, values, level(levels, fidelity.as_deref(), ATTEMPTED)?))
        }
    })
    .await?;
    let request = key.map(|key| format!("propose:{key}"));
    let holder = proposed.worker.unwrap_or_else(anonymous);
    let (step, records) = at_desk(&office.0, &room, (ATTEMPTED, Effort::Little), move |desk| {
        let lease = Lease { holder: &holder, seconds: None };
        desk.refresh()?;
        if let Some(request) = request.as_deref()
            && let Some(served) = desk.store().served(desk.name(), request)?
            && let Some(record) = served.into_iter().next()
        {
            return Ok(Step::Trial(Box::new(record)));
        }
        if desk.records().present().is_none_or(|task| task.number != number) {
            return Err(RunnerError::Refused { reason: "the task is not under way".into() });
        }
        desk.suggest(&point, level, Asker { lease, request: request.as_deref() })
    })
    .await?;
    match step {
        Step::Trial(record) => Ok((StatusCode::CREATED, Json(FullTrial::new(&record, &records)))),
        _ => Err(Problem::later(ATTEMPTED, "the campaign did not take it")),
    }
}

/// The values of a point in the order of the parameters.
pub(super) fn values(space: &Space, named: Point, attempted: &str) -> Result<Vec<Value>, Problem> {
    let values = in_order(space, named, attempted)?;
    space.canonical(&values).map_err(|error| Problem::unusable(attempted, error))
}

/// The same of a point of which some parameter was changed: what is there no more is left out, and what is
/// there now is added.
pub(super) fn completed(
    space: &Space,
    named: Point,
    attempted: &str,
) -> Result<Vec<Value>, Problem> {
    let values = space.completed(&in_order(space, named, attempted)?);
    space.canonical(&values).map_err(|error| Problem::unusable(attempted, error))
}

fn in_order(
    space: &Space,
    Point(mut named): Point,
    attempted: &str,
) -> Result<Vec<Value>, Problem> {
    let mut values = Vec::new();
    for parameter in space.parameters() {
        let name = &parameter.name;
        let missing = || Problem::unusable(attempted, format!("the point has no {name:?}"));
        let may_lack = parameter.when.is_some() || parameter.fixed.is_some();
        let value = named.remove(name).or(may_lack.then_some(Value::Absent));
        values.push(value.ok_or_else(missing)?);
    }
    match named.pop_first() {
        Some((name, _)) => {
            Err(Problem::unusable(attempted, format!("there is no parameter {name:?}")))
        }
        None => Ok(values),
    }
}

fn level(levels: &[Fidelity], name: Option<&str>, attempted: &str) -> Result<usize, Problem> {
    let Some(name) = name else { return Ok(levels.len() - 1) };
    let known: Vec<&str> = levels.iter().map(|level| level.name.as_str()).collect();
    levels.iter().position(|level| level.name == name).ok_or_else(|| {
        Problem::unusable(attempted, format!("there is no fidelity {name:?}"))
            .hint(format!("there are {}", known.join(", ")))
    })
}

/// The value of a trial.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Tell {
    /// in the user's units
    pub value: f64,
    /// its standard error, if it is known
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// what it really cost, in the unit of the budget; by default its fidelity's cost
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// what was measured of the quantities that have to keep bounds, as far as it was
    #[serde(default)]
    #[schema(example = json!({"temperature": 43.7}))]
    pub constraints: BTreeMap<String, f64>,
    /// who evaluated it; none: a person
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub worker: Option<String>,
}

/// Reports the value of a trial. It is on disk when this is answered. The same told again gets the
/// same answer and changes nothing; another value, noise or cost for a trial that has its outcome is
/// refused.
#[utoipa::path(post, operation_id = "tell", path = "/api/campaigns/{campaign}/tasks/{task}/trials/{trial}/tell",
    tag = "trials",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"),
           ("trial" = usize, Path, description = "the trial's number, from 0"),
           ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 200,
            description = "may be given; a trial has one outcome, so that any call may be repeated",
            pattern = "^[!-~]+$")),
    request_body = Tell,
    responses((status = 200, description = "as asked for", body = Trial), Problems))]
pub async fn tell(
    office: Shared,
    Path(place): Path<(String, String, usize)>,
    _: Key,
    Json(Tell { value, noise, cost, constraints, worker }): Json<Tell>,
) -> Answer<Trial> {
    const ATTEMPTED: &str = "take in the value";
    check_worker(worker.as_deref(), None, ATTEMPTED)?;
    let measured = Measurement { value, noise, cost, constraints };
    settle(office.0, place, worker, ATTEMPTED, move |_| Outcome::Value(measured)).await
}

/// Why a trial could not be evaluated.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Fail {
    /// for people
    #[schema(max_length = 10_000)]
    pub reason: String,
    /// who tried; none: a person
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub worker: Option<String>,
}

/// Reports that a trial could not be evaluated. The same reason told again gets the same answer.
#[utoipa::path(post, operation_id = "fail", path = "/api/campaigns/{campaign}/tasks/{task}/trials/{trial}/fail",
    tag = "trials",
    params(("campaign" = String, Path, description = "the campaign's name"),
           ("task" = String, Path, description = "the task's name"),
           ("trial" = usize, Path, description = "the trial's number, from 0"),
           ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 200,
            description = "may be given; a trial has one outcome, so that any call may be repeated",
            pattern = "^[!-~]+$")),
    request_body = Fail,
    responses((status = 200, description = "as asked for", body = Trial), Problems))]
pub async fn fail(
    office: Shared,
    Path(place): Path<(String, String, usize)>,
    _: Key,
    Json(Fail { reason, worker }): Json<Fail>,
) -> Answer<Trial> {
    const ATTEMPTED: &str = "take in the failure";
    check_worker(worker.as_deref(), None, ATTEMPTED)?;
    if reason.chars().count() > 10_000 {
        return Err(Problem::unusable(ATTEMPTED, "the reason has more than 10000 characters"));
    }
    let campaign = place.0.clone();
    let settled = settle(Arc::clone(&office.0), place, worker, ATTEMPTED, move |charged| {
        Outcome::Failure { reason, charged }
    })
    .await?;
    pause_if_it_keeps_failing(office.0, campaign, ATTEMPTED).await?;
    Ok(settled)
}

async fn pause_if_it_keeps_failing(
    office: Arc<Office>,
    campaign: String,
    attempted: &'static str,
) -> Result<(), Problem> {
    blocking(move || {
        let room = office.room(&campaign, attempted)?;
        let failing = room.records(&office, attempted)?.keeps_failing();
        let Some((task, reason)) = failing else { return Ok(()) };
        let paused = office.noticed(office.writer.pause(&campaign, task, &reason));
        paused.map_err(|error| Problem::of_store(attempted, &error))
    })
    .await
}

async fn settle(
    office: Arc<Office>,
    (campaign, task, trial): (String, String, usize),
    worker: Option<String>,
    attempted: &'static str,
    answer: impl FnOnce(bool) -> Outcome + Send + 'static,
) -> Answer<Trial> {
    let (room, number, answer) = {
        let (office, campaign) = (Arc::clone(&office), campaign.clone());
        blocking(move || {
            let room = office.room(&campaign, attempted)?;
            let place = |records: &Records| {
                let task = records.tasks.iter().find(|known| known.name == task)?.number;
                (trial < records.trials_of(task).len()).then_some(task)
            };
            // A trial that was seen once is there for good.
            let about = |records: &Records, number: u32| {
                let constraints = records.constraints_of(number).to_vec();
                (number, records.spec.charges_failed(), constraints)
            };
            let seen = {
                let records = room.seen();
                place(&records).map(|number| about(&records, number))
            };
            let (number, charged, constraints) = if let Some(seen) = seen {
                seen
            } else {
                let records = room.records(&office, attempted)?;
                begun(&records, &task, attempted)?;
                let missing =
                    || Problem::missing(attempted, format!("the task has no trial {trial}"));
                about(&records, place(&records).ok_or_else(missing)?)
            };
            let answer = answer(charged);
            if let Outcome::Value(measured) = &answer {
                let checked = measured.check(trial, &constraints);
                checked.map_err(|error| Problem::unusable(attempted, error))?;
            }
            Ok((room, number, answer))
        })
        .await?
    };
    let answered = Answered { campaign, task: number, trial, worker, answer };
    let taken = office.noticed(office.teller.settle(answered).await);
    let (settled, record) = taken.map_err(|error| Problem::of_store(attempted, &error))?;
    let found = Trial::new(&record, &room.seen());
    match settled {
        Settled::Counted => {
            office.metrics.settled.fetch_add(1, Relaxed);
            prepare(&office, &room);
            Ok(Json(found))
        }
        Settled::Repeated => Ok(Json(found)),
        Settled::Superseded => Err(Problem::conflict(attempted, otherwise(&found))),
    }
}

/// Why an answer was not taken.
fn otherwise(Trial { trial, value, reason, noise, paid, constraints, .. }: &Trial) -> String {
    match (value, reason) {
        (Some(value), _) => {
            let part = |name: &str, part: &Option<f64>| {
                part.map_or_else(String::new, |part| format!(", {name} {part}"))
            };
            let (noise, cost) = (part("noise", noise), part("cost", paid));
            let told = constraints.iter().map(|(name, value)| format!(", {name} {value}"));
            let told: String = told.collect();
            format!("trial {trial} has its value already: {value}{noise}{cost}{told}")
        }
        (None, Some(reason)) => format!("trial {trial} is known to have failed: {reason}"),
        (None, None) => format!("another worker is at trial {trial}"),
    }
}
