//! The same calls to a real store, with answers as text.

use super::model::{BUDGET, Call};
use baton::{Aim, Outcome};
use baton::{Trial, Value};
use baton_store::{
    Answer, Lease, NewTask, Report, Result, Settled, Store, StoreError, TrialRecord,
};

/// The campaign of the test.
pub const NAME: &str = "protocol";

/// A trial as it is asked for.
pub fn trial(id: usize) -> Trial {
    Trial {
        id,
        point: vec![Value::Real(0.1 + 0.2), Value::Text("ä\"b".into())],
        level: 1,
        fidelity: "fine".into(),
        cost: 1.0 / 3.0,
        charged: true,
        aim: Aim::BOTH,
        reason: String::new(),
        nats: None,
        runner_up: None,
        notes: Vec::new(),
        outcome: Outcome::Pending,
        noise: None,
        paid: None,
        constraints: baton::Measured::new(),
        context: baton::Description::new(),
    }
}

fn lease(holder: &str, live: bool) -> Lease<'_> {
    Lease { holder, seconds: Some(if live { 3_600.0 } else { -1.0 }) }
}

fn name(holder: u32) -> String {
    format!("w{holder}")
}

/// Makes a call.
pub fn call(store: &Store, call: &Call) -> String {
    shown(try_call(store, call))
}

fn shown(result: Result<String>) -> String {
    match result {
        Ok(text) => text,
        Err(StoreError::Stale) => "stale".into(),
        Err(StoreError::Refused { .. }) => "refused".into(),
        Err(error) => format!("error: {error}"),
    }
}

fn try_call(store: &Store, call: &Call) -> Result<String> {
    let done = |()| "ok".to_owned();
    match call {
        Call::Start { holder, live } => {
            let holder = holder.map(name);
            let lease = holder.as_deref().map(|holder| lease(holder, *live));
            let number = store.changes(NAME, 0)?.tasks.len();
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            let label = format!("task {number}");
            let task =
                NewTask { number, name: &label, budget: BUDGET, knowledge: None, described: None };
            Ok(given(&store.start(NAME, task, &[trial(0)], lease, None)?))
        }
        Call::Append { task, number, holder, live, request } => {
            let holder = holder.map(name);
            let lease = holder.as_deref().map(|holder| lease(holder, *live));
            let request = request.map(|request| format!("r{request}"));
            let trials = [trial(*number)];
            Ok(given(&store.append(NAME, *task, &trials, lease, request.as_deref())?))
        }
        Call::Claim { holder, live } => {
            let holder = name(*holder);
            let claimed = store.claim(NAME, lease(&holder, *live))?;
            Ok(claimed.map_or("none".into(), |record| {
                format!("{}.{} lost {}", record.task, record.trial.id, record.lost)
            }))
        }
        Call::Renew { holder, live } => {
            let holder = name(*holder);
            store.renew(NAME, &[lease(&holder, *live)]).map(done)
        }
        Call::Release { holder } => store.release(NAME, &[&name(*holder)]).map(done),
        Call::Settle { task, trial, holder, value } => {
            let holder = holder.map(name);
            let answer = match value {
                Some(value) => Answer::Value((*value).into()),
                None => Answer::Failure { reason: "boom".into(), charged: true },
            };
            let report = Report {
                task: *task,
                trial: *trial,
                holder: holder.as_deref(),
                answer,
                attempts: 1,
                log: "",
            };
            Ok(match store.settle(NAME, &report)? {
                Settled::Counted => "counted",
                Settled::Repeated => "repeated",
                Settled::Superseded => "superseded",
            }
            .to_owned())
        }
        Call::Pause { task } => store.pause(NAME, *task, "because").map(done),
        Call::GoOn { task } => store.go_on(NAME, *task).map(done),
        Call::Raise { task, total } => store.raise_budget(NAME, *task, *total).map(done),
        Call::Finish { task, stale } => finish(store, *task, *stale).map(done),
        Call::TakeTurn { holder, live } => {
            let holder = name(*holder);
            store.take_turn(NAME, lease(&holder, *live)).map(|taken| taken.to_string())
        }
        Call::EndTurn { holder } => store.end_turn(NAME, &name(*holder)).map(done),
    }
}

fn given(records: &[TrialRecord]) -> String {
    let names: Vec<String> =
        records.iter().map(|record| format!("{}.{}", record.task, record.trial.id)).collect();
    names.join(" ")
}

fn finish(store: &Store, task: u32, stale: bool) -> Result<()> {
    let changes = store.changes(NAME, 0)?;
    let own = changes.trials.into_iter().filter(|record| record.task == task);
    let trials: Vec<Trial> = own
        .map(|record| match record.trial.outcome {
            Outcome::Pending => {
                Trial { outcome: Outcome::Failed { reason: "boom".into() }, ..record.trial }
            }
            _ => record.trial,
        })
        .collect();
    let seen = if stale { 0 } else { changes.campaign.change };
    store.finish(NAME, task, seen, &trials, ("knowledge", "result"))
}

/// All records, a line each.
pub fn lines(store: &Store) -> Result<Vec<String>> {
    let changes = store.changes(NAME, 0)?;
    let mut lines = Vec::new();
    for task in &changes.tasks {
        lines.push(format!("task {} {} {}", task.number, task.state.name(), task.budget));
        for record in changes.trials.iter().filter(|record| record.task == task.number) {
            let end = match &record.trial.outcome {
                Outcome::Pending => "pending".to_owned(),
                Outcome::Told { value, order } => format!("told {value} as {order}"),
                Outcome::Failed { .. } => "failed".to_owned(),
            };
            let holder = record.holder.as_deref().unwrap_or("nobody");
            let (number, lost) = (record.trial.id, record.lost);
            lines.push(format!("trial {}.{number} {end} by {holder} lost {lost}", task.number));
        }
    }
    Ok(lines)
}
