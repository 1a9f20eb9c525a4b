//! Campaigns: the list, one in full, making and amending one, asking for a trial, the ledger.

use super::{Answer, Json, Key, Path, Query, Shared, begun, enter, look};
use crate::access::Visitor;
use crate::office::{Office, Room, blocking};
use crate::problem::{Problem, Problems};
use crate::tokens::Scope;
use crate::view::{FullTrial, Point, Summary, Task, Trial, limits_of};
use crate::wanted::{check_name, spec_of};
use axum::Extension;
use axum::http::StatusCode;
use baton_runner::desk::Asker;
use baton_runner::wanted::{WantedConstraint, WantedFidelity, WantedParameter};
use baton_runner::{Desk, Plan, Records, Step, Wanted, united};
use baton_store::Lease;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tokio::sync::OwnedMutexGuard;
use utoipa::{IntoParams, ToSchema};

/// How long a turn that other processes have is waited for.
const TURN: Duration = Duration::from_secs(30);
/// How long each time.
const NAP: Duration = Duration::from_millis(50);

/// All campaigns of the store.
#[derive(Debug, Serialize, ToSchema)]
pub struct Campaigns {
    /// by their names
    pub campaigns: Vec<Summary>,
}

/// A campaign in full.
#[derive(Debug, Serialize, ToSchema)]
pub struct Campaign {
    /// how far it is
    #[serde(flatten)]
    pub summary: Summary,
    /// of all random numbers
    pub seed: u64,
    /// what may be varied; where that changes, all that may be in some task
    pub space: Vec<WantedParameter>,
    /// combinations of parameters that must not be, in the present task
    pub forbid: Vec<String>,
    /// what is said of tasks
    pub descriptors: Vec<WantedParameter>,
    /// ways to evaluate, the highest fidelity last; where they change, all that there are in some task
    pub fidelities: Vec<WantedFidelity>,
    /// what is measured besides the objective, and has to keep bounds: those of the present task
    pub constraints: Vec<WantedConstraint>,
    /// the tasks that have begun, then those to come
    #[serde(rename = "task_list")]
    pub tasks: Vec<Task>,
}

impl Campaign {
    /// As clients see it.
    pub fn new(records: &Records) -> Self {
        let spec = &records.spec;
        let changes = spec.tasks.iter().any(Plan::changes);
        let problems = if changes { records.all_problems() } else { vec![spec.problem()] };
        let (parameters, fidelities) = united(&problems);
        let present = records.present_problem().unwrap_or_else(|_| spec.problem());
        Self {
            summary: Summary::new(records),
            seed: spec.setting("seed").and_then(|seed| seed.parse().ok()).unwrap_or(0),
            space: parameters.iter().map(WantedParameter::of).collect(),
            forbid: present.space.forbidden().iter().map(ToString::to_string).collect(),
            descriptors: spec.descriptors.parameters().iter().map(WantedParameter::of).collect(),
            fidelities: fidelities.iter().map(WantedFidelity::from).collect(),
            constraints: limits_of(&present.constraints),
            tasks: Task::all(records),
        }
    }
}

/// Which campaigns are listed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CampaignsQuery {
    /// archived ones, too
    #[serde(default)]
    archived: bool,
}

/// All campaigns, and how far each is. Those that are archived are left out unless asked for.
#[utoipa::path(get, operation_id = "list_campaigns", path = "/api/campaigns", tag = "campaigns",
    params(CampaignsQuery),
    responses((status = 200, description = "as asked for", body = Campaigns), Problems))]
pub async fn list(
    office: Shared,
    Extension(visitor): Extension<Visitor>,
    Query(query): Query<CampaignsQuery>,
) -> Answer<Campaigns> {
    const ATTEMPTED: &str = "list the campaigns";
    blocking(move || {
        let names = office.reader.campaigns();
        let names = names.map_err(|error| Problem::of_store(ATTEMPTED, &error))?;
        let summary = |name: String| {
            let room = office.room(&name, ATTEMPTED)?;
            Ok(Summary::new(&*room.records(&office, ATTEMPTED)?))
        };
        let seen = |name: &String| office.access.allows(&visitor, Scope::Read, Some(name)).is_ok();
        let all = names
            .into_iter()
            .filter(seen)
            .map(summary)
            .collect::<Result<Vec<Summary>, Problem>>()?;
        let listed = |summary: &Summary| query.archived || !summary.archived;
        let campaigns = all.into_iter().filter(listed).collect();
        Ok(Json(Campaigns { campaigns }))
    })
    .await
}

/// A campaign in full: its problem, and its tasks with what each was spent and found.
#[utoipa::path(get, operation_id = "show_campaign", path = "/api/campaigns/{campaign}", tag = "campaigns",
    params(("campaign" = String, Path, description = "its name")),
    responses((status = 200, description = "as asked for", body = Campaign), Problems))]
pub async fn show(office: Shared, Path(campaign): Path<String>) -> Answer<Campaign> {
    look(office.0, campaign, "show the campaign", |records| Ok(Json(Campaign::new(records)))).await
}

/// Makes a campaign, or brings it to what is wanted now: tasks may be added and budgets raised. A
/// campaign that has begun keeps its space, descriptors, fidelities, goal, seed and method.
#[utoipa::path(put, operation_id = "put_campaign", path = "/api/campaigns/{campaign}", tag = "campaigns",
    params(("campaign" = String, Path, description = "its name")),
    request_body = Wanted,
    responses((status = 201, description = "it was made", body = Campaign),
              (status = 200, description = "it was there", body = Campaign), Problems))]
pub async fn put(
    office: Shared,
    Path(campaign): Path<String>,
    Json(wanted): Json<Wanted>,
) -> Result<(StatusCode, Json<Campaign>), Problem> {
    const ATTEMPTED: &str = "make the campaign";
    blocking(move || {
        check_name("campaign", &campaign)?;
        let spec = spec_of(&wanted)?;
        let known = office.writer.last_change(&campaign).is_ok();
        let desk = Desk::create(Arc::clone(&office.writer), &campaign, &spec);
        let desk = office.noticed(desk).map_err(|error| Problem::of(ATTEMPTED, &error))?;
        let status = if known { StatusCode::OK } else { StatusCode::CREATED };
        Ok((status, Json(Campaign::new(desk.records()))))
    })
    .await
}

/// Who asks, and how.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// who will evaluate the trial; who asks again before answering gets the same trial
    #[serde(default)]
    #[schema(min_length = 1, max_length = 200)]
    pub worker: Option<String>,
    /// after so many seconds without an answer the trial may be given to a worker; none: never
    #[serde(default)]
    #[schema(minimum = 1.0, maximum = 1e9)]
    pub lease_seconds: Option<f64>,
    /// whether a task that has spent its budget is finished and the next one begun; with a worker, a
    /// trial that another lost or gave back comes first
    #[serde(default)]
    pub advance: bool,
    /// what holds for this trial, beyond what is said of the task or instead: values of descriptors
    #[serde(default)]
    pub context: Point,
}

/// Why there is no trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Nothing {
    /// nothing can be asked for until a pending trial is answered
    Pending,
    /// the task's budget is spent: finish it
    Spent,
    /// the task is paused
    Paused,
    /// all tasks are finished
    Done,
}

/// A trial to evaluate, or why there is none.
#[derive(Debug, Serialize, ToSchema)]
pub struct Asked {
    /// the trial
    pub trial: Option<FullTrial>,
    /// why there is none
    pub reason: Option<Nothing>,
}

/// Asks for a trial of the task under way, or of the next one. Repeated with the same
/// `Idempotency-Key` it asks for nothing new and gives the same trial.
#[utoipa::path(post, operation_id = "ask", path = "/api/campaigns/{campaign}/ask", tag = "trials",
    params(("campaign" = String, Path, description = "its name"),
           ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 200,
            description = "names the call", pattern = "^[!-~]+$")),
    request_body = Ask,
    responses((status = 200, description = "as asked for", body = Asked), Problems))]
pub async fn ask(
    office: Shared,
    Path(campaign): Path<String>,
    Key(key): Key,
    Json(ask): Json<Ask>,
) -> Answer<Asked> {
    const ATTEMPTED: &str = "ask for a trial";
    check_worker(ask.worker.as_deref(), ask.lease_seconds, ATTEMPTED)?;
    if ask.advance && !ask.context.0.is_empty() {
        let reason = "context: it is about one task, and `advance` may begin another";
        return Err(Problem::unusable(ATTEMPTED, reason).hint("ask without `advance`"));
    }
    let drives = ask.advance && ask.worker.is_some();
    let holder = ask.worker.unwrap_or_else(anonymous);
    let request = key.map(|key| format!("ask:{key}"));
    let room = enter(&office, campaign, ATTEMPTED).await?;
    at_desk(&office.0, &room, (ATTEMPTED, Effort::Bench), move |desk| {
        let lease = Lease { holder: &holder, seconds: ask.lease_seconds };
        let asker = Asker { lease, request: request.as_deref() };
        desk.refresh()?;
        if let Some(record) = desk.given_before(asker)? {
            return Ok(Step::Trial(Box::new(record)));
        }
        if drives && let Some(record) = desk.store().claim(desk.name(), lease)? {
            desk.refresh()?;
            return Ok(Step::Trial(Box::new(record)));
        }
        loop {
            let step =
                if ask.advance { desk.step(asker)? } else { desk.ask_in(asker, &ask.context.0)? };
            if !matches!(step, Step::Finished(_)) {
                return Ok(step);
            }
        }
    })
    .await
    .map(|(step, records)| Json(asked(&step, &records, &office)))
}

fn asked(step: &Step, records: &Records, office: &Office) -> Asked {
    let reason = match step {
        Step::Trial(record) => {
            office.metrics.asked.fetch_add(1, Relaxed);
            return Asked { trial: Some(FullTrial::new(record, records)), reason: None };
        }
        Step::Paused { .. } => Nothing::Paused,
        Step::Done => Nothing::Done,
        Step::Wait | Step::Busy | Step::Finished(_) => {
            let pending = records.present().is_some_and(|task| records.has_pending(task.number));
            if pending { Nothing::Pending } else { Nothing::Spent }
        }
    };
    Asked { trial: None, reason: Some(reason) }
}

/// A name for a client that gives none: nobody else has it.
pub(super) fn anonymous() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    format!("client:{}", now.map_or(0, |now| now.as_nanos()))
}

pub(super) fn check_worker(
    worker: Option<&str>,
    lease: Option<f64>,
    attempted: &str,
) -> Result<(), Problem> {
    if worker.is_some_and(|name| name.is_empty() || name.chars().count() > 200) {
        return Err(Problem::unusable(attempted, "the worker's name is not 1 to 200 characters"));
    }
    if lease.is_some_and(|seconds| !(1.0..=1e9).contains(&seconds)) {
        return Err(Problem::unusable(attempted, "the lease is not 1 to 1e9 seconds"));
    }
    Ok(())
}

/// How much a step takes of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// it computes, and waits for a bench
    Bench,
    /// it is done at once
    Little,
}

/// Does a step of a campaign: one at a time per campaign, on one of the benches if it computes, when it
/// is this process' turn. Returns the step with the records after it.
pub(super) async fn at_desk(
    office: &Arc<Office>,
    room: &Arc<Room>,
    (attempted, effort): (&'static str, Effort),
    step: impl Fn(&mut Desk) -> baton_runner::Result<Step> + Send + Sync + 'static,
) -> Result<(Step, Records), Problem> {
    let began = Instant::now();
    let step = Arc::new(step);
    // Who waits in line takes no bench from other campaigns, and who waits for a bench keeps nobody from this one.
    let _line = match effort {
        Effort::Bench => Some(room.line.lock().await),
        Effort::Little => None,
    };
    loop {
        let places = match effort {
            Effort::Bench => &office.benches,
            Effort::Little => &office.counters,
        };
        let place = Arc::clone(places).acquire_owned().await;
        let mut seat = Arc::clone(&room.desk).lock_owned().await;
        let (office_, room_, step_) = (Arc::clone(office), Arc::clone(room), Arc::clone(&step));
        let result = blocking(move || {
            let _place = place;
            Ok(seated(&mut seat, &office_, &room_, step_.as_ref()))
        })
        .await?;
        match result.map_err(|error| Problem::of(attempted, &error))? {
            (Step::Busy, _) if began.elapsed() < TURN => tokio::time::sleep(NAP).await,
            (Step::Busy, _) => {
                return Err(Problem::later(attempted, "other processes have the turn")
                    .hint("repeat the call with the same Idempotency-Key"));
            }
            done => return Ok(office.noticed(done)),
        }
    }
}

fn seated(
    seat: &mut OwnedMutexGuard<Option<Desk>>,
    office: &Office,
    room: &Room,
    step: &(dyn Fn(&mut Desk) -> baton_runner::Result<Step> + Send + Sync),
) -> baton_runner::Result<(Step, Records)> {
    if seat.is_none() {
        **seat = Some(Desk::open(Arc::clone(&office.writer), &room.name)?);
    }
    match seat.as_mut() {
        Some(desk) => {
            let step = step(desk)?;
            Ok((step, desk.records().clone()))
        }
        None => {
            Ok((Step::Busy, Desk::open(Arc::clone(&office.writer), &room.name)?.records().clone()))
        }
    }
}

/// Computes the next ask in advance, where nobody asks at present and a bench stays free for who does.
pub(super) fn prepare(office: &Arc<Office>, room: &Arc<Room>) {
    if office.benches.available_permits() < 2 {
        return;
    }
    let Ok(line) = Arc::clone(&room.line).try_lock_owned() else { return };
    let Ok(bench) = Arc::clone(&office.benches).try_acquire_owned() else { return };
    let Ok(mut seat) = Arc::clone(&room.desk).try_lock_owned() else { return };
    tokio::task::spawn_blocking(move || {
        let _places = (line, bench);
        if let Some(desk) = seat.as_mut() {
            let _ = desk.prepare(); // who asks then is told
        }
    });
}

/// Which lines of the ledger.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct LedgerQuery {
    /// only this task
    task: Option<String>,
}

/// What a task's trials cost and were expected to buy.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ledger {
    /// every trial, with its cost and nats
    pub lines: Vec<LedgerLine>,
    /// all costs that count against budgets
    pub cost: f64,
    /// all nats about the tasks' own optima
    pub nats_optimum: f64,
    /// all nats for later tasks
    pub nats_transfer: f64,
}

/// A trial with what it was expected to buy.
#[derive(Debug, Serialize, ToSchema)]
pub struct LedgerLine {
    /// the trial
    #[serde(flatten)]
    pub trial: Trial,
    /// nats per unit of cost
    pub nats_per_cost: Option<f64>,
    /// why this point at this fidelity
    pub why: String,
}

/// The ledger: what each trial cost and was expected to buy, for its task and for later ones.
#[utoipa::path(get, operation_id = "ledger", path = "/api/campaigns/{campaign}/ledger", tag = "campaigns",
    params(("campaign" = String, Path, description = "its name"), LedgerQuery),
    responses((status = 200, description = "as asked for", body = Ledger), Problems))]
pub async fn ledger(
    office: Shared,
    Path(campaign): Path<String>,
    Query(query): Query<LedgerQuery>,
) -> Answer<Ledger> {
    const ATTEMPTED: &str = "show the ledger";
    look(office.0, campaign, ATTEMPTED, move |records| {
        let only = query.task.map(|name| begun(records, &name, ATTEMPTED).map(|task| task.number));
        let only = only.transpose()?;
        let meant = records.trials.iter().flatten();
        let meant: Vec<_> = meant.filter(|record| only.is_none_or(|n| n == record.task)).collect();
        let nats = |of: fn(&baton::policy::Bought) -> f64| -> f64 {
            meant.iter().filter_map(|record| record.trial.nats.as_ref()).map(of).sum()
        };
        let charged = meant.iter().filter(|record| record.trial.charged);
        Ok(Json(Ledger {
            cost: charged.map(|record| record.trial.cost).sum(),
            nats_optimum: nats(|nats| nats.optimum),
            nats_transfer: nats(|nats| nats.transfer),
            lines: meant
                .into_iter()
                .map(|record| LedgerLine {
                    trial: Trial::new(record, records),
                    nats_per_cost: record
                        .trial
                        .nats
                        .map(|nats| (nats.optimum + nats.transfer) / record.trial.cost),
                    why: record.trial.why(),
                })
                .collect(),
        }))
    })
    .await
}
