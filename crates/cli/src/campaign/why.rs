//! `baton why`: why each trial was chosen, in the words that were recorded with it.

use super::answer::no_such_task;
use super::show::{outcome, point};
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use baton_store::TrialRecord;
use clap::Args;
use serde_json::{Value as Json, json};

/// Which trial.
#[derive(Args)]
pub struct Call {
    /// The trial's number; all of them without one.
    trial: Option<String>,
    #[command(flatten)]
    target: Target,
    /// The task, by its name; by default all, and for one trial the task under way or the last.
    #[arg(long)]
    task: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Says why.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let attempted = "say why a trial was chosen";
    let (trial, target) = call.meant();
    let desk = target.find()?.existing()?;
    let records = desk.records();
    let named = |name: &String| records.tasks.iter().find(|task| task.name == *name);
    let latest = || records.latest().filter(|_| trial.is_some());
    let only = match &call.task {
        None => latest(),
        Some(name) => {
            let missing = || no_such_task(attempted.to_owned(), Some(name), records);
            Some(named(name).ok_or_else(missing)?)
        }
    };
    let meant = |record: &&TrialRecord| {
        only.is_none_or(|task| task.number == record.task)
            && trial.is_none_or(|number| number == record.trial.id)
    };
    let found: Vec<&TrialRecord> = records.trials.iter().flatten().filter(meant).collect();
    if let Some(number) = trial.filter(|_| found.is_empty()) {
        let task =
            only.map_or_else(|| "the campaign".to_owned(), |task| format!("{:?}", task.name));
        let reason = format!("{task} has no trial {number}");
        return Err(Failure::new(attempted, reason).hint("`baton trials` lists them"));
    }
    let name = |record: &TrialRecord| {
        records.tasks.get(record.task as usize).map_or("", |task| task.name.as_str())
    };
    if call.json {
        let each = found.iter().map(|record| {
            json!({ "task": name(record), "trial": record.trial.id, "why": record.trial.why() })
        });
        let trials: Vec<Json> = each.collect();
        out!("{}", json!({ "campaign": records.campaign.name, "trials": trials }));
        return Ok(Outcome::Done);
    }
    for record in found {
        let at = point(records.space_of(record.task), &record.trial.point);
        out!("{}: trial {}, {at} -> {}", name(record), record.trial.id, outcome(&record.trial));
        out!("  {}", record.trial.why());
    }
    Ok(Outcome::Done)
}

impl Call {
    /// The trial and the campaign: what is no number is the campaign's file or name.
    fn meant(&self) -> (Option<usize>, Target) {
        let number = self.trial.as_ref().and_then(|text| text.parse().ok());
        let mut target = self.target.clone();
        if number.is_none() && self.trial.is_some() {
            target.campaign.clone_from(&self.trial);
        }
        (number, target)
    }
}
