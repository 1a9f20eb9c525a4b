//! What happens to trials and tasks, in lines for people and in lines of JSON.

use super::show::{age, counted, first_line, outcome, point, point_json, short, span};
use baton::Outcome;
use baton_runner::look::kept_result;
use baton_runner::{Event, Records};
use baton_store::{Settled, TaskRecord, TrialRecord};
use serde_json::{Value as Json, json};

/// The outcome of a trial in one line.
pub fn trial_line(record: &TrialRecord, settled: Settled, records: &Records) -> String {
    let task = records.tasks.get(record.task as usize);
    let (name, left) = task.map_or(("", 0.0), |task| {
        (task.name.as_str(), (task.budget - records.spent(task.number)).max(0.0))
    });
    let trial = &record.trial;
    let late = match settled {
        Settled::Superseded => " (this answer came too late)",
        _ => "",
    };
    format!(
        "{name}: trial {} at {}, {} -> {}{late}; {} left",
        trial.id,
        trial.fidelity,
        point(records.space_of(record.task), &trial.point),
        outcome(trial),
        short(left)
    )
}

/// The end of a task in one line.
pub fn task_line(task: &TaskRecord, records: &Records) -> String {
    let space = records.space_of(task.number);
    let trials = records.trials_of(task.number).len();
    let spent = short(records.spent(task.number));
    let result = match (kept_result(task), records.best(task.number)) {
        (Some(expected), _) => {
            let tried = if records.was_evaluated(task.number, &expected.point) {
                String::new()
            } else {
                format!(" (not evaluated at the highest fidelity{})", best_seen(task, records))
            };
            let (at, mean) = (point(space, &expected.point), short(expected.mean));
            format!("use {at}, expected {mean}{tried}")
        }
        (None, Some(best)) => {
            format!("best seen {} at {}", outcome(&best.trial), point(space, &best.trial.point))
        }
        (None, None) => "no value at the top fidelity".to_owned(),
    };
    let trials = counted(trials, "trial");
    format!("{}: {}, {trials} for {spent}; {result}", task.name, task.state.name())
}

fn best_seen(task: &TaskRecord, records: &Records) -> String {
    let seen = records.best(task.number);
    seen.map_or_else(String::new, |best| format!("; best seen {}", outcome(&best.trial)))
}

/// For what is waited, since when, and what can be done.
pub fn waiting(trials: &[&TrialRecord], records: &Records) -> String {
    let task = records.present().map_or("", |task| task.name.as_str());
    let each = trials.iter().map(|record| {
        let holder = record.holder.as_deref().unwrap_or("nobody");
        format!("trial {} (with {holder} for {})", record.trial.id, span(age(record)))
    });
    let each: Vec<String> = each.collect();
    let id = trials.first().map_or(0, |record| record.trial.id);
    let way_on = if trials.iter().all(|record| record.expires.is_some()) {
        "or wait: what gives no sign of life is evaluated here once its lease ends"
    } else {
        "or start again with --take-over to evaluate here what nobody works on"
    };
    format!(
        "waiting for {} of {task:?}; answer with `baton tell --task {task:?} {id} VALUE` or \
         `baton fail --task {task:?} {id} REASON`, {way_on}",
        each.join(", ")
    )
}

/// The error output of the evaluation that broke last.
pub fn last_log(records: &Records) -> Option<&str> {
    let failed = records.trials.iter().flatten().filter(|record| !record.log.is_empty());
    failed.max_by_key(|record| record.change).map(|record| record.log.as_str())
}

/// An event as a JSON line.
pub fn event_json(event: &Event<'_>, records: &Records) -> Json {
    let of = |kind: &str, record: &TrialRecord| {
        let task = records.tasks.get(record.task as usize).map(|task| task.name.as_str());
        let trial = &record.trial;
        json!({
            "event": kind,
            "task": task,
            "trial": trial.id,
            "fidelity": trial.fidelity,
            "cost": trial.cost,
            "point": point_json(records.space_of(record.task), &trial.point),
            "value": trial.value(),
            "holder": record.holder,
        })
    };
    match event {
        Event::Began(record) => of("began", record),
        Event::TryingAgain(record, reason) => {
            let mut line = of("trying_again", record);
            line["reason"] = json!(reason);
            line
        }
        Event::Settled(record, settled) => {
            let mut line = of("settled", record);
            line["counted"] = json!(*settled == Settled::Counted);
            if let Outcome::Failed { reason } = &record.trial.outcome {
                line["failed"] = json!(first_line(reason));
            }
            line
        }
        Event::Waiting(trials) => {
            let ids: Vec<usize> = trials.iter().map(|record| record.trial.id).collect();
            let task = records.present().map(|task| task.name.as_str());
            json!({ "event": "waiting", "task": task, "trials": ids })
        }
        Event::Finished(number) => {
            let name = records.tasks.get(*number as usize).map(|task| task.name.as_str());
            json!({ "event": "finished", "task": name })
        }
    }
}
