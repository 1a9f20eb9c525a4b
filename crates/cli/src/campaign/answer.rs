//! `baton ask`, `tell`, `fail`, `finish`: the campaign driven by another program.

use super::lines::task_line;
use super::predict::description;
use super::show::{counted, outcome, point, point_json, said, short};
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use baton::{Measured, Measurement};
use baton_runner::desk::Asker;
use baton_runner::{Desk, Records, Request, RunnerError, Step, process};
use baton_store::{Answer, Lease, Report, Settled, TrialRecord};
use clap::Args;
use serde_json::{Value as Json, json};
use std::time::Duration;

/// How often a turn that others have is waited for, and how long each time.
const TURNS: (u32, Duration) = (600, Duration::from_millis(100));

/// Asking.
#[derive(Args)]
pub struct AskCall {
    #[command(flatten)]
    target: Target,
    /// Who asks. Who asks again before answering gets the same trial.
    #[arg(long)]
    worker: Option<String>,
    /// Names this call: repeated with the same name, it asks for nothing new.
    #[arg(long)]
    request: Option<String>,
    /// What holds for this trial, beyond what is said of the task or instead; may be given several times.
    #[arg(long, value_name = "DESCRIPTOR=VALUE")]
    context: Vec<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Answering with a value.
#[derive(Args)]
pub struct TellCall {
    /// The trial's number.
    trial: usize,
    /// Its value.
    #[arg(allow_hyphen_values = true)]
    value: f64,
    /// Standard error of the value, if it is known.
    #[arg(long, value_name = "ERROR")]
    noise: Option<f64>,
    /// What the evaluation really cost, in the unit of the budget; by default its fidelity's cost.
    #[arg(long)]
    cost: Option<f64>,
    /// What was measured of a quantity that has to keep bounds, such as temperature=43.7; once for each.
    #[arg(long = "constraint", value_name = "NAME=VALUE")]
    constraints: Vec<String>,
    #[command(flatten)]
    about: About,
}

/// Answering that there is none.
#[derive(Args)]
pub struct FailCall {
    /// The trial's number.
    trial: usize,
    /// Why it could not be evaluated.
    reason: String,
    #[command(flatten)]
    about: About,
}

/// Which campaign and task, and in which form.
#[derive(Args)]
pub struct About {
    #[command(flatten)]
    target: Target,
    /// The task, by its name; by default the one under way.
    #[arg(long)]
    task: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Ending a task.
#[derive(Args)]
pub struct FinishCall {
    #[command(flatten)]
    target: Target,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

fn refused(attempted: &str) -> impl Fn(RunnerError) -> Failure + use<> {
    let attempted = attempted.to_owned();
    move |error| Failure::on_campaign(attempted.clone(), &error)
}

/// A name for one call: nobody else has it.
pub fn caller() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanoseconds = now.map_or(0, |now| now.as_nanos());
    format!("{}:{nanoseconds}", process::name("asked"))
}

/// Does a step when it is our turn.
pub fn in_turn(mut step: impl FnMut() -> Result<Step, RunnerError>) -> Result<Step, RunnerError> {
    for _ in 0..TURNS.0 {
        match step()? {
            Step::Busy => std::thread::sleep(TURNS.1),
            done => return Ok(done),
        }
    }
    Ok(Step::Busy)
}

/// `baton ask`
pub fn ask(call: &AskCall) -> Result<Ended, Failure> {
    let refused = refused("ask for a trial");
    let mut desk = call.target.find()?.desk()?;
    let holder = call.worker.clone().unwrap_or_else(caller);
    let lease = Lease { holder: &holder, seconds: None };
    let asker = Asker { lease, request: call.request.as_deref() };
    let descriptors = &desk.records().spec.descriptors;
    let context = description(descriptors, &call.context, "ask for a trial")?;
    let own = desk.given_before(asker).map_err(&refused)?;
    let step = match own {
        Some(record) => Step::Trial(Box::new(record)),
        None => in_turn(|| desk.ask_in(asker, &context)).map_err(&refused)?,
    };
    let json = match step {
        Step::Trial(record) => return Ok(show_trial(&record, &desk, call.json)),
        Step::Paused { task, reason } => {
            let reason = format!("the task {task:?} is paused: {reason}");
            return Err(Failure::new("ask for a trial", reason)
                .hint("`baton run` lets it go on, `baton finish` ends it"));
        }
        Step::Busy => {
            let failure = Failure::new("ask for a trial", "others have had the turn for a minute");
            return Err(failure.during_work());
        }
        Step::Done => {
            if !call.json {
                out!("all tasks of the campaign are finished");
            }
            json!({ "trial": null, "reason": "done" })
        }
        _ => {
            let records = desk.records();
            let pending = records.present().map_or(0, |task| pending(records, task.number));
            let reason = if pending == 0 { "spent" } else { "pending" };
            if !call.json && pending == 0 {
                out!("the task's budget is spent; `baton finish` hands on what it taught");
            } else if !call.json {
                out!("nothing to ask for until one of {pending} pending trials is answered");
            }
            json!({ "trial": null, "reason": reason, "pending": pending })
        }
    };
    if call.json {
        out!("{json}");
    }
    Ok(Ended::Done)
}

fn show_trial(record: &TrialRecord, desk: &Desk, as_json: bool) -> Ended {
    let records = desk.records();
    let name = records.tasks.get(record.task as usize).map_or("", |task| task.name.as_str());
    let (trial, request) = (&record.trial, Request::of(record, records));
    if as_json {
        let (why, cost) = (trial.why(), trial.cost);
        let mut json: Json = serde_json::from_str(&request.to_json()).unwrap_or_default();
        json["why"] = json!(why);
        json["cost"] = json!(cost);
        json["holder"] = json!(record.holder);
        out!("{json}");
    } else {
        out!("{name}: trial {} at {}", trial.id, trial.fidelity);
        out!("  {}", point(records.space_of(record.task), &trial.point));
        if !request.describe.is_empty() {
            out!("  where {}", said(&request.describe));
        }
        out!("  {}", trial.why());
        // Numbers begin anew in every task: without its name, a late answer would go to the next one.
        let task =
            if records.spec.tasks.len() > 1 { format!(" --task {name:?}") } else { String::new() };
        out!("answer with `baton tell{task} {0} VALUE` or `baton fail{task} {0} REASON`", trial.id);
    }
    Ended::Done
}

/// `baton tell`
pub fn tell(call: &TellCall) -> Result<Ended, Failure> {
    let TellCall { value, noise, cost, .. } = *call;
    let constraints = call.constraints.iter().map(|told| measured(call.trial, told));
    let constraints = constraints.collect::<Result<Measured, Failure>>()?;
    settle(call.trial, Some(Measurement { value, noise, cost, constraints }), "", &call.about)
}

fn measured(trial: usize, told: &str) -> Result<(String, f64), Failure> {
    let (name, value) = told.split_once('=').unwrap_or((told, ""));
    let number = value.trim().parse().map_err(|_| {
        let reason = format!("{told:?} is no NAME=VALUE with a number");
        Failure::new(format!("answer trial {trial}"), reason).hint("--constraint temperature=43.7")
    })?;
    Ok((name.trim().to_owned(), number))
}

/// `baton fail`
pub fn fail(call: &FailCall) -> Result<Ended, Failure> {
    settle(call.trial, None, &call.reason, &call.about)
}

fn settle(
    trial: usize,
    value: Option<Measurement>,
    reason: &str,
    about: &About,
) -> Result<Ended, Failure> {
    let attempted = format!("answer trial {trial}");
    let refused = refused(&attempted);
    let mut desk = about.target.find()?.existing()?;
    let records = desk.records();
    let task = match &about.task {
        Some(name) => records.tasks.iter().find(|task| task.name == *name),
        None => records.latest(),
    };
    let Some(task) = task.map(|task| task.number) else {
        return Err(no_such_task(attempted, about.task.as_deref(), records));
    };
    if records.trials_of(task).get(trial).is_none() {
        let reason = format!("{:?} has no such trial", records.tasks[task as usize].name);
        return Err(Failure::new(attempted, reason).hint("`baton trials` lists them"));
    }
    let answer = value.map_or_else(|| desk.failure(reason), Answer::Value);
    let report = Report { task, trial, holder: None, answer, attempts: 1, log: "" };
    let settled = desk.settle(&report).map_err(&refused)?;
    let records = desk.records();
    let Some(record) = records.trials_of(task).get(trial) else {
        return Err(Failure::new(attempted, "there is no such trial"));
    };
    if settled == Settled::Superseded {
        let part = |name: &str, part: Option<f64>| {
            part.map_or_else(String::new, |part| format!(", {name} {part}"))
        };
        let (noise, cost) = (part("noise", record.trial.noise), part("cost", record.trial.paid));
        let has = outcome(&record.trial);
        let reason = format!("it has its outcome already: {has}{noise}{cost}");
        return Err(Failure::new(attempted, reason));
    }
    let left = records.tasks[task as usize].budget - records.spent(task);
    if about.json {
        let json = json!({
            "trial": trial,
            "point": point_json(records.space_of(record.task), &record.trial.point),
            "value": record.trial.value(),
            "constraints": record.trial.constraints,
            "repeated": settled == Settled::Repeated,
            "left": left.max(0.0),
        });
        out!("{json}");
    } else {
        let name = &records.tasks[task as usize].name;
        out!("{name}: trial {trial}: {}; {} left", outcome(&record.trial), short(left));
    }
    Ok(Ended::Done)
}

/// A task that has not begun was named, or none has.
pub fn no_such_task(attempted: String, name: Option<&str>, records: &Records) -> Failure {
    let begun: Vec<String> = records.tasks.iter().map(|task| format!("{:?}", task.name)).collect();
    match name {
        Some(name) if !begun.is_empty() => {
            let hint = format!("begun so far: {}", begun.join(", "));
            Failure::new(attempted, format!("no task {name:?} has begun")).hint(hint)
        }
        _ => Failure::new(attempted, "no task has begun").hint("`baton ask` begins the first"),
    }
}

/// Trials of a task that have no answer yet.
fn pending(records: &Records, task: u32) -> usize {
    records.trials_of(task).iter().filter(|record| record.trial.is_pending()).count()
}

/// `baton finish`
pub fn finish(call: &FinishCall) -> Result<Ended, Failure> {
    let refused = refused("finish the task");
    let mut desk = call.target.find()?.existing()?;
    let Some(number) = desk.records().present().map(|task| task.number) else {
        return Err(Failure::new("finish the task", "no task is under way"));
    };
    let pending = pending(desk.records(), number);
    let holder = caller();
    let lease = Lease { holder: &holder, seconds: None };
    let step = in_turn(|| desk.finish(lease)).map_err(&refused)?;
    if step == Step::Busy {
        return Err(Failure::new("finish the task", "others are at it").during_work());
    }
    let records = desk.records();
    let Some(task) = records.tasks.get(number as usize) else { return Ok(Ended::Done) };
    if call.json {
        out!("{}", json!({ "task": task.name, "state": task.state.name(), "unanswered": pending }));
    } else {
        out!("{}", task_line(task, records));
        if pending > 0 {
            let trials = counted(pending, "trial");
            out!(
                "{trials} had no answer yet: counted as failed, and answers are refused from now on"
            );
        }
    }
    Ok(Ended::Done)
}
