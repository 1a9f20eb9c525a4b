//! `baton status` and `best`: how far each task is, and the points to use.

use super::predict::description as described;
use super::show::{age, outcome, point, point_json, said, short, span, table};
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use baton::{Constraint, Knowledge, Outcome, Stopped};
use baton_runner::desk::Expected;
use baton_runner::look::{kept_result, recommendation_in, stopped};
use baton_runner::replay::description;
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
    pub json: bool,
}

/// The same, where descriptors may differ from ask to ask.
#[derive(Args)]
pub struct BestCall {
    #[command(flatten)]
    call: Call,
    /// The point to use where this holds; may be given several times.
    #[arg(long, value_name = "DESCRIPTOR=VALUE")]
    context: Vec<String>,
}

impl Call {
    /// The name of the task that is meant, if only one is.
    pub fn task(&self) -> Option<&str> {
        self.task.as_deref()
    }

    /// The records, and the tasks that are meant.
    pub fn records(&self) -> Result<(Records, Vec<TaskRecord>), Failure> {
        let desk = self.target.find()?.existing()?;
        let records = desk.records().clone();
        let meant = |task: &&TaskRecord| self.task.as_ref().is_none_or(|name| *name == task.name);
        let tasks: Vec<TaskRecord> = records.tasks.iter().filter(meant).cloned().collect();
        if let Some(name) = self.task.as_ref().filter(|_| tasks.is_empty()) {
            let known: Vec<&str> = records.tasks.iter().map(|task| task.name.as_str()).collect();
            return Err(Failure::new("show the task", format!("no task {name:?} has begun"))
                .hint(format!("those that have are {}", known.join(", "))));
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
            row.extend(["0", "0", "0", "-", "-"].map(str::to_owned));
            rows.push(row);
        }
    }
    let heading =
        ["task", "state", "spent", "budget", "told", "failed", "pending", "best seen", "expected"];
    out!("{}", table(&heading, &rows).trim_end());
    show_ends(&records, &tasks);
    show_descriptions(&records, &tasks);
    show_changes(&records);
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

/// Which tasks ended early and what became of what they left, and when the one under way does.
fn show_ends(records: &Records, tasks: &[TaskRecord]) {
    for task in tasks {
        if let Some(Stopped { stop, chance, left, gained }) = stopped(task) {
            out!(
                "\n{} ended early: with {:.0} % probability less than {} % of what was gained was left \
                 ({} of {}); {} of its budget went to the next task",
                task.name,
                100.0 * chance,
                short(100.0 * *stop.gain),
                short(left),
                short(gained),
                short((task.budget - records.spent(task.number)).max(0.0))
            );
        } else if task.state != TaskState::Finished
            && let Some(stop) = records.stop_of(&task.name).filter(|stop| *stop.gain > 0.0)
        {
            out!(
                "\n{} ends early once, with {} % probability, less than {} % of what was gained is left; \
                 `baton insight` says how much is",
                task.name,
                short(100.0 * *stop.confidence),
                short(100.0 * *stop.gain)
            );
        }
    }
}

/// What is otherwise from a task on, where anything is.
fn show_changes(records: &Records) {
    for plan in records.spec.tasks.iter().filter(|plan| plan.changes()) {
        out!("\nfrom {} on:", plan.name);
        for change in records.changes_of(&plan.name) {
            out!("  {change}");
        }
    }
    let knowledge = records.campaign.knowledge.as_deref().map(Knowledge::from_json);
    let Some(Ok(knowledge)) = knowledge else { return };
    for (name, was) in knowledge.found() {
        out!("\nearlier tasks behave as if {name} were {}", short(*was));
    }
}

/// What is said of the tasks, where anything is.
fn show_descriptions(records: &Records, tasks: &[TaskRecord]) {
    let begun = tasks.iter().map(|task| (&task.name, description(task).unwrap_or_default()));
    let is_begun = |name: &str| records.tasks.iter().any(|task| task.name == name);
    let to_come = records.spec.tasks.iter().filter(|plan| !is_begun(&plan.name));
    let all = begun.chain(to_come.map(|plan| (&plan.name, plan.describe.clone())));
    let rows: Vec<Vec<String>> = all
        .filter(|(_, said)| !said.is_empty())
        .map(|(name, description)| vec![name.clone(), said(&description)])
        .collect();
    if !rows.is_empty() {
        out!("\n{}", table(&["task", "described as"], &rows).trim_end());
    }
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
    row.push(kept_result(task).map_or("-".into(), |expected| short(expected.mean)));
    row
}

fn pending_row(record: &TrialRecord, records: &Records) -> Vec<String> {
    vec![
        record.trial.id.to_string(),
        record.trial.fidelity.clone(),
        record.holder.clone().unwrap_or_else(|| "nobody".into()),
        span(age(record)),
        point(records.space_of(record.task), &record.trial.point),
    ]
}

fn status_json(records: &Records, tasks: &[TaskRecord]) -> Json {
    let task = |task: &TaskRecord| {
        let [told, failed, pending] = counts(task, records);
        json!({
            "task": task.name,
            "state": task.state.name(),
            "reason": task.reason,
            "stopped": stopped(task),
            "spent": records.spent(task.number),
            "budget": task.budget,
            "describe": description(task).unwrap_or_default(),
            "changes": records.changes_of(&task.name),
            "constraints": records.constraints_of(task.number),
            "told": told,
            "failed": failed,
            "pending": pending,
            "best_seen": records.best(task.number).and_then(|best| best.trial.value()),
            "expected": kept_result(task).map(|expected| expected.mean),
        })
    };
    let begun = |name: &str| records.tasks.iter().any(|task| task.name == name);
    let to_come = records.spec.tasks.iter().filter(|plan| !begun(&plan.name));
    json!({
        "campaign": records.campaign.name,
        "change": records.campaign.change,
        "tasks": tasks.iter().map(task).collect::<Vec<Json>>(),
        "to_come": to_come.map(|plan| json!({
            "task": plan.name, "budget": plan.budget, "describe": plan.describe,
            "changes": records.changes_of(&plan.name),
        })).collect::<Vec<Json>>(),
    })
}

/// What a model says, or why it cannot be used, which must not hide what other tasks say: it happens
/// to values at the ends of the floating-point range.
pub fn told_apart<T>(
    said: Result<Option<T>, RunnerError>,
) -> Result<(Option<T>, Option<String>), RunnerError> {
    match said {
        Ok(said) => Ok((said, None)),
        Err(RunnerError::Algorithm(error)) => {
            Ok((None, Some(format!("the model cannot be used: {error}"))))
        }
        Err(error) => Err(error),
    }
}

/// `baton best`
pub fn best(BestCall { call, context }: &BestCall) -> Result<Ended, Failure> {
    let (records, tasks) = call.records()?;
    let context = described(&records.spec.descriptors, context, "compute the recommendation")?;
    let mut documents = Vec::new();
    for task in &tasks {
        let space = records.space_of(task.number);
        let (expected, trouble) = told_apart(recommendation_in(task, &records, &context))
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
                    "evaluated": records.was_evaluated(task.number, &e.point),
                    "feasible": e.feasible,
                })),
                "trouble": trouble,
                "best_seen": seen.map(|record| json!({
                    "trial": record.trial.id,
                    "point": point_json(space, &record.trial.point),
                    "value": record.trial.value(),
                    "constraints": record.trial.constraints,
                })),
            }));
            continue;
        }
        out!("{} ({})", task.name, task.state.name());
        match &trouble {
            Some(trouble) => out!("  nothing is recommended: {trouble}"),
            None => show_recommended(expected.as_ref(), task.number, &records),
        }
        show_seen(seen, task.number, &records);
    }
    if call.json {
        out!("{}", json!({ "campaign": records.campaign.name, "tasks": documents }));
    } else if tasks.is_empty() {
        out!("no task has begun");
    }
    Ok(Ended::Done)
}

/// How likely a point is to keep all constraints, in words.
pub fn likely(feasible: Option<f64>, constraints: &[Constraint]) -> String {
    let all: Vec<String> = constraints.iter().map(Constraint::in_words).collect();
    let all = all.join(", ");
    match feasible {
        None => format!("not known: nothing was told of {all}"),
        Some(share) => {
            let doubt = if share < 0.5 { "; nothing is known to be" } else { "" };
            format!("{:.0} %: {all}{doubt}", 100.0 * share)
        }
    }
}

fn show_recommended(expected: Option<&Expected>, task: u32, records: &Records) {
    if let Some(Expected { point: at, mean, interval: (low, high), feasible }) = expected {
        out!("  recommended  {}", point(records.space_of(task), at));
        let (mean, low, high) = (short(*mean), short(*low), short(*high));
        out!("  expected     {mean}, 90 % between {low} and {high}");
        let constraints = records.constraints_of(task);
        if !constraints.is_empty() {
            out!("  feasible     {}", likely(*feasible, constraints));
        }
        if !records.was_evaluated(task, at) {
            out!("  note         not evaluated at the highest fidelity");
        }
    } else {
        out!("  nothing was told yet");
    }
}

fn show_seen(seen: Option<&TrialRecord>, task: u32, records: &Records) {
    let none = match records.constraints_of(task) {
        [] => "no value at the top fidelity yet",
        _ => "nothing at the top fidelity that is known to keep all constraints",
    };
    let none = none.to_owned();
    let seen = seen.map(|record| {
        let at = point(records.space_of(record.task), &record.trial.point);
        let value = outcome(&record.trial);
        format!("{value} at {at} (trial {})", record.trial.id)
    });
    out!("  best seen    {}", seen.unwrap_or(none));
}
