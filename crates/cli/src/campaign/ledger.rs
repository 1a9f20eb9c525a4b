//! `baton ledger` and `trials`: every trial, with what it was expected to buy or with its point.

use super::look::Call;
use super::show::{csv, first_line, nats_per_cost, outcome, point_json, short, table, value};
use crate::Outcome as Ended;
use crate::failure::Failure;
use baton::{Outcome, Value};
use baton_runner::desk::attributes;
use baton_runner::look::verdict;
use baton_runner::{Records, Request};
use baton_store::{TaskRecord, TrialRecord};
use clap::Args;
use serde_json::{Value as Json, json};

/// The same with one form more.
#[derive(Args)]
pub struct TrialsCall {
    #[command(flatten)]
    call: Call,
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
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
        let limited = !records.constraints_of(task.number).is_empty();
        let rows: Vec<Vec<String>> =
            trials.iter().map(|record| ledger_row(record, limited)).collect();
        out!("{}", task.name);
        let mut heading = vec![
            "trial",
            "fidelity",
            "cost",
            "aim",
            "nats here",
            "nats later",
            "per cost",
            "value",
        ];
        if limited {
            heading.insert(OF_LIMITS, "by limits");
        }
        out!("{}", table(&heading, &rows).trim_end());
        let sum = |of: fn(&baton::policy::Bought) -> f64| -> f64 {
            trials.iter().filter_map(|record| record.trial.nats.as_ref()).map(of).sum()
        };
        out!(
            "cost {}; expected to buy {} nats about this task's optimum and {} nats for later tasks",
            short(records.spent(task.number)),
            short(sum(|nats| nats.optimum)),
            short(sum(|nats| nats.transfer))
        );
        if let Some(verdict) = verdict(task) {
            out!("what earlier tasks taught: {verdict}");
        }
        out!();
    }
    if call.json {
        let verdicts: Vec<Json> = tasks.iter().filter_map(verdict_json).collect();
        let name = &records.campaign.name;
        out!("{}", json!({ "campaign": name, "ledger": documents, "verdicts": verdicts }));
    }
    Ok(Ended::Done)
}

fn verdict_json(task: &TaskRecord) -> Option<Json> {
    let found = verdict(task)?;
    Some(json!({
        "task": task.name, "nats": found.nats, "trusted": found.trusted, "words": found.to_string(),
    }))
}

/// Where, in a row, the nats stand that measuring the limited quantities alone would buy.
const OF_LIMITS: usize = 5;

fn ledger_row(record: &TrialRecord, limited: bool) -> Vec<String> {
    let trial = &record.trial;
    let nats = |of: fn(&baton::policy::Bought) -> f64| {
        trial.nats.as_ref().map_or("-".into(), |nats| short(of(nats)))
    };
    let mut row = vec![
        trial.id.to_string(),
        trial.fidelity.clone(),
        short(trial.charge()),
        aim(record),
        nats(|nats| nats.optimum),
        nats(|nats| nats.transfer),
        nats_per_cost(trial).map_or("-".into(), short),
        outcome(trial),
    ];
    if limited {
        row.insert(OF_LIMITS, nats(|nats| nats.limits));
    }
    row
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
        "nats_limits": trial.nats.map(|nats| nats.limits),
        "nats_per_cost": nats_per_cost(trial),
        "value": trial.value(),
        "constraints": trial.constraints,
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
        let parameters = records.parameters();
        let parameters = parameters.iter().map(|parameter| parameter.name.as_str());
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
                row.extend(in_columns(record, &records).map(|at| at.map_or(String::new(), value)));
                let cost = short(trial.charge());
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
            "point": point_json(records.space_of(record.task), &trial.point),
            "describe": Request::of(record, records).describe,
            "fidelity": trial.fidelity,
            "cost": trial.cost,
            "paid": trial.paid,
            "noise": trial.noise,
            "charged": trial.charged,
            "attributes": attributes(record.attributes.as_deref()),
            "state": state,
            "value": trial.value(),
            "constraints": trial.constraints,
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

/// The values of a trial in the order of all parameters that there are in some task; none where it has none.
fn in_columns<'a>(
    record: &'a TrialRecord,
    records: &'a Records,
) -> impl Iterator<Item = Option<&'a Value>> {
    let known = records.space_of(record.task).parameters();
    records.parameters().into_iter().map(move |parameter| {
        let place = known.iter().position(|known| known.name == parameter.name)?;
        record.trial.point.get(place).filter(|value| !value.is_absent())
    })
}

/// A line per trial, with a heading; values with all their digits.
pub fn trials_csv(tasks: &[TaskRecord], records: &Records) -> String {
    let mut heading: Vec<String> = ["task", "trial", "fidelity"].map(str::to_owned).to_vec();
    heading.extend(records.parameters().iter().map(|parameter| parameter.name.clone()));
    let descriptors = records.spec.descriptors.parameters();
    heading.extend(descriptors.iter().map(|descriptor| descriptor.name.clone()));
    let quantities = records.quantities();
    heading.push("value".into());
    heading.extend(quantities.iter().cloned());
    heading.extend(["cost", "charged", "state", "reason", "holder"].map(str::to_owned));
    let mut text = csv(&heading);
    for task in tasks {
        for record in records.trials_of(task.number) {
            let trial = &record.trial;
            let mut row = vec![task.name.clone(), trial.id.to_string(), trial.fidelity.clone()];
            let exact = |value: Option<&Value>| value.map(ToString::to_string).unwrap_or_default();
            row.extend(in_columns(record, records).map(exact));
            let said = Request::of(record, records).describe;
            let said = descriptors.iter().map(|descriptor| said.get(&descriptor.name));
            row.extend(said.map(|value| value.map(ToString::to_string).unwrap_or_default()));
            let (state, reason) = match &trial.outcome {
                Outcome::Pending => ("pending", ""),
                Outcome::Told { .. } => ("told", ""),
                Outcome::Failed { reason } => ("failed", first_line(reason)),
            };
            row.push(trial.value().map_or(String::new(), |value| value.to_string()));
            let measured = quantities.iter().map(|name| trial.constraints.get(name));
            row.extend(measured.map(|value| value.map(f64::to_string).unwrap_or_default()));
            row.extend([trial.cost.to_string(), trial.charged.to_string()]);
            row.extend([state.to_owned(), reason.to_owned()]);
            row.push(record.holder.clone().unwrap_or_default());
            text.push_str(&csv(&row));
        }
    }
    text
}
