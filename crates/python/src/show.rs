//! Records as JSON, in the words of the command line.

use crate::parts::described;
use baton::campaign::{Nearest, Weight, in_words};
use baton::{Outcome, Prediction};
use baton_runner::desk::{Expected, attributes};
use baton_runner::look::{nearest_task, stopped};
use baton_runner::replay::description;
use baton_runner::{Problem, Records, Request, Step};
use baton_store::{TaskRecord, TrialRecord};
use serde_json::{Value as Json, json};

/// A trial with all that is known of it.
pub fn trial(record: &TrialRecord, records: &Records) -> Json {
    let trial = &record.trial;
    let (state, reason, order) = match &trial.outcome {
        Outcome::Pending => ("pending", None, None),
        Outcome::Told { order, .. } => ("told", None, Some(order)),
        Outcome::Failed { reason } => ("failed", Some(reason), None),
    };
    let request = Request::of(record, records);
    json!({
        "task": request.task_name,
        "task_number": record.task,
        "id": trial.id,
        "point": trial.point,
        "names": request.parameters,
        "allowed": records.space_of(record.task).forbids(&trial.point).is_none(),
        "describe": request.describe,
        "fidelity": trial.fidelity,
        "level": trial.level,
        "cost": trial.cost,
        "charged": trial.charged,
        "noise": trial.noise,
        "paid": trial.paid,
        "attributes": attributes(record.attributes.as_deref()),
        "aim": trial.aim,
        "nats_optimum": trial.nats.map(|nats| nats.optimum),
        "nats_transfer": trial.nats.map(|nats| nats.transfer),
        "nats_limits": trial.nats.map(|nats| nats.limits),
        "state": state,
        "value": trial.value(),
        "constraints": trial.constraints,
        "feasible": feasible(record, records),
        "order": order,
        "reason": reason,
        "holder": record.holder,
        "attempts": record.attempts,
        "lost": record.lost,
        "log": record.log,
        "asked": record.asked,
        "answered": record.answered,
        "why": trial.why(),
        "seed": request.seed,
    })
}

/// Whether a told trial keeps all constraints, as far as that is known and there are some.
fn feasible(record: &TrialRecord, records: &Records) -> Option<bool> {
    record.trial.value()?;
    let constraints = records.constraints_of(record.task);
    record.trial.is_feasible(constraints).filter(|_| !constraints.is_empty())
}

/// How far a task is.
fn task(task: &TaskRecord, records: &Records) -> Json {
    json!({
        "number": task.number,
        "name": task.name,
        "state": task.state.name(),
        "reason": task.reason,
        "budget": task.budget,
        "describe": description(task).unwrap_or_default(),
        "spent": records.spent(task.number),
        "started": task.started,
        "finished": task.finished,
        "attributes": attributes(task.attributes.as_deref()),
        "stopped": stopped(task),
    })
}

/// What the campaign is and how far it is, without its trials.
pub fn overview(records: &Records) -> Json {
    let spec = &records.spec;
    json!({
        "name": records.campaign.name,
        "change": records.campaign.change,
        "space": described(spec.space.parameters()),
        "forbid": spec.space.forbidden(),
        "descriptors": described(spec.descriptors.parameters()),
        "fidelities": spec.fidelities,
        "constraints": spec.constraints,
        "goal": spec.goal,
        "pause_after": spec.most_failures,
        "tasks": records.tasks.iter().map(|one| task(one, records)).collect::<Vec<Json>>(),
        "plan": spec.tasks,
    })
}

/// What is optimised in a task, and what is otherwise than in the one before.
pub fn problem(problem: &Problem, changes: &[String]) -> Json {
    json!({
        "space": described(problem.space.parameters()),
        "forbid": problem.space.forbidden(),
        "fidelities": problem.fidelities,
        "constraints": problem.constraints,
        "changes": changes,
    })
}

/// What is expected of a task before its first trial.
pub fn prediction(predicted: Prediction, records: &Records) -> Json {
    let nearest = |nearest: Nearest| {
        let task = nearest_task(&nearest, records).map(|task| task.name.clone());
        let Nearest { description, expected, .. } = nearest;
        json!({ "task": task, "describe": description, "expected": Expected::from(expected) })
    };
    let Prediction { best, nearest: closest } = predicted;
    json!({ "expected": Expected::from(best), "nearest": closest.map(nearest) })
}

/// Which descriptors matter.
pub fn weights(weights: &[Weight]) -> Json {
    json!({ "weights": weights, "in_words": in_words(weights) })
}

/// The trials of the task under way that have no answer.
pub fn pending(records: &Records) -> Vec<Json> {
    let Some(task) = records.present() else { return Vec::new() };
    let all = records.trials_of(task.number).iter().filter(|record| record.trial.is_pending());
    let each = |record: &TrialRecord| {
        json!({
            "task": task.name,
            "id": record.trial.id,
            "holder": record.holder,
            "asked": record.asked,
            "expires": record.expires,
        })
    };
    all.map(each).collect()
}

/// What a step of the campaign was.
pub fn step(step: &Step, records: &Records) -> Json {
    match step {
        Step::Trial(record) => json!({ "step": "trial", "trial": trial(record, records) }),
        Step::Busy => json!({ "step": "busy" }),
        Step::Wait => json!({ "step": "wait" }),
        Step::Paused { task, reason } => {
            json!({ "step": "paused", "task": task, "reason": reason })
        }
        Step::Finished(number) => json!({ "step": "finished", "task": number }),
        Step::Done => json!({ "step": "done" }),
    }
}
