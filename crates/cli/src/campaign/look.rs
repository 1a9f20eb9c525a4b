//! `baton status`, `best`, `ledger`, `trials`: what was done, without changing anything.

use super::show::{
    csv, first_line, nats_per_cost, outcome, point, point_json, short, span, table, value,
};
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use baton::campaign::Outcome;
use baton_runner::desk::{Expected, TaskResult};
use baton_runner::replay::Replay;
use baton_runner::{Records, RunnerError};
use baton_store::{TaskRecord, TaskState, TrialRecord};
use clap::Args;
use serde_json::{Value as Json, json};

/// Which campaign, and in which form.
#[derive(Args)]
pub struct Call {
    #[command(flatten)]
    target: Target,
    /// Only this task, by its name.
    #[arg(long)]
    task: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// The same with one form more.
#[derive(Args)]
pub struct TrialsCall {
    #[command(flatten)]
    call: Call,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
}

impl Call {
    /// The records, and the tasks that are meant.
    fn records(&self) -> Result<(Records, Vec<TaskRecord>), Failure> {
        let desk = self.target.find()?.existing()?;
        let records = desk.records().clone();
        let meant = |task: &&TaskRecord| self.task.as_ref().is_none_or(|name| *name == task.name);
        let tasks: Vec<TaskRecord> = records.tasks.iter().filter(meant).cloned().collect();
        if let Some(name) = self.task.as_ref().filter(|_| tasks.is_empty()) {
            let known: Vec<&String> = records.tasks.iter().map(|task| &task.name).collect();
            return Err(Failure::new("show the task", format!("no task {name:?} has begun"))
                .hint(format!("those that have are {known:?}")));
        }
        Ok((records, tasks))
    }
}

/// `baton status`
pub fn status(call: &Call) -> Result<Ended, Failure> {
    let (records, tasks) = call.records()?;
    if call.json {
        out!("{}", status_json(&records, &tasks));
        return Ok(Ended::Done);
    }
    out!("{}", records.campaign.name);
    let mut rows: Vec<Vec<String>> = tasks.iter().map(|task| status_row(task, &records)).collect();
    if call.task.is_none() {
        let begun = |name: &str| records.tasks.iter().any(|task| task.name == name);
        for plan in records.spec.tasks.iter().filter(|plan| !begun(&plan.name)) {
            let mut row = vec![plan.name.clone(), "to come".into(), "0".into(), short(plan.budget)];
            row.extend(["0", "0", "0", "-"].map(str::to_owned));
            rows.push(row);
        }
    }
    let heading = ["task", "state", "spent", "budget", "told", "failed", "pending", "best"];
    out!("{}", table(&heading, &rows).trim_end());
    for task in tasks.iter().filter(|task| task.state == TaskState::Paused) {
        out!("\n{} is paused: {}", task.name, task.reason.as_deref().unwrap_or(""));
        out!("hint: once that is put right, `baton run` goes on");
    }
    let pending: Vec<&TrialRecord> =
        records.trials.iter().flatten().filter(|record| record.trial.is_pending()).collect();
    if !pending.is_empty() {
        out!("\nbeing evaluated:");
        let rows: Vec<Vec<String>> =
            pending.iter().map(|record| pending_row(record, &records)).collect();
        out!("{}", table(&["trial", "fidelity", "by", "for", "point"], &rows).trim_end());
    }
    Ok(Ended::Done)
}

fn counts(task: &TaskRecord, records: &Records) -> [usize; 3] {
    let mut counts = [0; 3];
    for record in records.trials_of(task.number) {
        let slot = match record.trial.outcome {
            Outcome::Told { .. } => 0,
            Outcome::Failed { .. } => 1,
            Outcome::Pending => 2,
        };
        counts[slot] += 1;
    }
    counts
}

fn status_row(task: &TaskRecord, records: &Records) -> Vec<String> {
    let mut row = vec![task.name.clone(), task.state.name().to_owned()];
    row.extend([short(records.spent(task.number)), short(task.budget)]);
    row.extend(counts(task, records).map(|count| count.to_string()));
    row.push(records.best(task.number).map_or("-".into(), |best| outcome(&best.trial)));
    row
}

fn pending_row(record: &TrialRecord, records: &Records) -> Vec<String> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let since = now.map_or(0.0, |now| now.as_secs_f64() - record.asked);
    vec![
        record.trial.id.to_string(),
        record.trial.fidelity.clone(),
        record.holder.clone().unwrap_or_else(|| "nobody".into()),
        span(since),
        point(&records.spec.space, &record.trial.point),
    ]
}

fn status_json(records: &Records, tasks: &[TaskRecord]) -> Json {
    let task = |task: &TaskRecord| {
        let [told, failed, pending] = counts(task, records);
        json!({
            "task": task.name,
            "state": task.state.name(),
            "reason": task.reason,
            "spent": records.spent(task.number),
            "budget": task.budget,
            "told": told,
            "failed": failed,
            "pending": pending,
            "best": records.best(task.number).and_then(|best| best.trial.value()),
        })
    };
    let begun = |name: &str| records.tasks.iter().any(|task| task.name == name);
    let to_come = records.spec.tasks.iter().filter(|plan| !begun(&plan.name));
    json!({
        "campaign": records.campaign.name,
        "change": records.campaign.change,
        "tasks": tasks.iter().map(task).collect::<Vec<Json>>(),
        "to_come": to_come.map(|plan| json!({ "task": plan.name, "budget": plan.budget }))
            .collect::<Vec<Json>>(),
    })
}

/// The recommendation of a task: as it was when it was finished, or from its trials so far.
pub fn recommendation(
    task: &TaskRecord,
    records: &Records,
) -> Result<Option<Expected>, RunnerError> {
    let kept =
        task.result.as_deref().and_then(|text| serde_json::from_str::<TaskResult>(text).ok());
    if let Some(result) = kept {
        return Ok(result.recommendation);
    }
    let mut replay = Replay::of(records, task.number)?;
    Ok(replay.task.recommendation()?.map(Expected::from))
}

/// `baton best`
pub fn best(call: &Call) -> Result<Ended, Failure> {
    let (records, tasks) = call.records()?;
    let space = &records.spec.space;
    let mut documents = Vec::new();
    for task in &tasks {
        let expected = recommendation(task, &records)
            .map_err(|error| Failure::on_campaign("compute the recommendation", &error))?;
        let seen = records.best(task.number);
        if call.json {
            documents.push(json!({
                "task": task.name,
                "state": task.state.name(),
                "recommended": expected.as_ref().map(|e| json!({
                    "point": point_json(space, &e.point),
                    "mean": e.mean,
                    "interval": [e.interval.0, e.interval.1],
                })),
                "best_seen": seen.map(|record| json!({
                    "trial": record.trial.id,
                    "point": point_json(space, &record.trial.point),
                    "value": record.trial.value(),
                })),
            }));
            continue;
        }
        out!("{} ({})", task.name, task.state.name());
        match expected {
            Some(Expected { point: at, mean, interval: (low, high) }) => {
                out!("  recommended  {}", point(space, &at));
                out!(
                    "  expected     {}, 90 % between {} and {}",
                    short(mean),
                    short(low),
                    short(high)
                );
            }
            None => out!("  nothing was told yet"),
        }
        match seen {
            Some(record) => out!(
                "  best seen    {} at {} (trial {})",
                outcome(&record.trial),
                point(space, &record.trial.point),
                record.trial.id
            ),
            None => out!("  best seen    no value at the top fidelity yet"),
        }
    }
    if call.json {
        out!("{}", json!({ "campaign": records.campaign.name, "tasks": documents }));
    } else if tasks.is_empty() {
        out!("no task has begun");
    }
    Ok(Ended::Done)
}

/// `baton ledger`
pub fn ledger(call: &Call) -> Result<Ended, Failure> {
    let (records, tasks) = call.records()?;
    let mut documents = Vec::new();
    for task in &tasks {
        let trials = records.trials_of(task.number);
        if call.json {
            documents.extend(trials.iter().map(|record| ledger_json(task, record)));
            continue;
        }
        let rows: Vec<Vec<String>> = trials.iter().map(ledger_row).collect();
        out!("{}", task.name);
        let heading =
            ["trial", "fidelity", "cost", "aim", "nats here", "nats later", "per cost", "value"];
        out!("{}", table(&heading, &rows).trim_end());
        let sum = |of: fn(&baton::campaign::Bought) -> f64| -> f64 {
            trials.iter().filter_map(|record| record.trial.nats.as_ref()).map(of).sum()
        };
        out!(
            "cost {}; expected to buy {} nats about this task's optimum and {} nats for later tasks\n",
            short(records.spent(task.number)),
            short(sum(|nats| nats.optimum)),
            short(sum(|nats| nats.transfer))
        );
    }
    if call.json {
        out!("{}", json!({ "campaign": records.campaign.name, "ledger": documents }));
    }
    Ok(Ended::Done)
}

fn ledger_row(record: &TrialRecord) -> Vec<String> {
    let trial = &record.trial;
    let nats = |of: fn(&baton::campaign::Bought) -> f64| {
        trial.nats.as_ref().map_or("-".into(), |nats| short(of(nats)))
    };
    vec![
        trial.id.to_string(),
        trial.fidelity.clone(),
        if trial.charged { short(trial.cost) } else { "0".into() },
        aim(record),
        nats(|nats| nats.optimum),
        nats(|nats| nats.transfer),
        nats_per_cost(trial).map_or("-".into(), short),
        outcome(trial),
    ]
}

fn aim(record: &TrialRecord) -> String {
    json!(record.trial.aim).as_str().unwrap_or("").replace('_', " ")
}

fn ledger_json(task: &TaskRecord, record: &TrialRecord) -> Json {
    let trial = &record.trial;
    json!({
        "task": task.name,
        "trial": trial.id,
        "fidelity": trial.fidelity,
        "cost": trial.cost,
        "charged": trial.charged,
        "aim": trial.aim,
        "nats_optimum": trial.nats.map(|nats| nats.optimum),
        "nats_transfer": trial.nats.map(|nats| nats.transfer),
        "nats_per_cost": nats_per_cost(trial),
        "value": trial.value(),
        "why": trial.why(),
    })
}

/// `baton trials`
pub fn trials(call: &TrialsCall) -> Result<Ended, Failure> {
    let (records, tasks) = call.call.records()?;
    if call.call.json {
        let all: Vec<Json> = tasks.iter().flat_map(|task| trials_json(task, &records)).collect();
        out!("{}", json!({ "campaign": records.campaign.name, "trials": all }));
    } else if call.csv {
        out!("{}", trials_csv(&tasks, &records).trim_end());
    } else {
        let parameters = records.spec.space.parameters().iter().map(|p| p.name.as_str());
        let heading: Vec<&str> = ["task", "trial", "fidelity"]
            .into_iter()
            .chain(parameters)
            .chain(["value", "cost", "by"])
            .collect();
        let mut rows = Vec::new();
        for task in &tasks {
            for record in records.trials_of(task.number) {
                let trial = &record.trial;
                let mut row = vec![task.name.clone(), trial.id.to_string(), trial.fidelity.clone()];
                row.extend(trial.point.iter().map(value));
                let cost = if trial.charged { short(trial.cost) } else { "0".into() };
                row.extend([outcome(trial), cost, record.holder.clone().unwrap_or_default()]);
                rows.push(row);
            }
        }
        out!("{}", table(&heading, &rows).trim_end());
    }
    Ok(Ended::Done)
}

/// One object per trial of a task.
pub fn trials_json(task: &TaskRecord, records: &Records) -> Vec<Json> {
    let one = |record: &TrialRecord| {
        let trial = &record.trial;
        let (state, reason) = match &trial.outcome {
            Outcome::Pending => ("pending", None),
            Outcome::Told { .. } => ("told", None),
            Outcome::Failed { reason } => ("failed", Some(reason)),
        };
        json!({
            "task": task.name,
            "trial": trial.id,
            "point": point_json(&records.spec.space, &trial.point),
            "fidelity": trial.fidelity,
            "cost": trial.cost,
            "charged": trial.charged,
            "state": state,
            "value": trial.value(),
            "order": match trial.outcome { Outcome::Told { order, .. } => Some(order), _ => None },
            "reason": reason,
            "holder": record.holder,
            "attempts": record.attempts,
            "lost": record.lost,
            "log": record.log,
            "asked": record.asked,
            "answered": record.answered,
        })
    };
    records.trials_of(task.number).iter().map(one).collect()
}

/// A line per trial, with a heading; values with all their digits.
pub fn trials_csv(tasks: &[TaskRecord], records: &Records) -> String {
    let mut heading: Vec<String> = ["task", "trial", "fidelity"].map(str::to_owned).to_vec();
    heading.extend(records.spec.space.parameters().iter().map(|p| p.name.clone()));
    heading.extend(["value", "cost", "charged", "state", "reason", "holder"].map(str::to_owned));
    let mut text = csv(&heading);
    for task in tasks {
        for record in records.trials_of(task.number) {
            let trial = &record.trial;
            let mut row = vec![task.name.clone(), trial.id.to_string(), trial.fidelity.clone()];
            row.extend(trial.point.iter().map(ToString::to_string));
            let (state, reason) = match &trial.outcome {
                Outcome::Pending => ("pending", ""),
                Outcome::Told { .. } => ("told", ""),
                Outcome::Failed { reason } => ("failed", first_line(reason)),
            };
            row.push(trial.value().map_or(String::new(), |value| value.to_string()));
            row.extend([trial.cost.to_string(), trial.charged.to_string()]);
            row.extend([state.to_owned(), reason.to_owned()]);
            row.push(record.holder.clone().unwrap_or_default());
            text.push_str(&csv(&row));
        }
    }
    text
}
