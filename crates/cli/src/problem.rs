//! `baton problem`: a built-in problem as an evaluator, one JSON line in, one out.

use crate::Outcome;
use crate::failure::Failure;
use baton::problem::Value;
use baton_problems::{
    Benchmark, Description, Family, MASTER, Score, families, family, fresh_master,
};
use clap::Args;
use serde_json::{Value as Json, json};
use std::io::BufRead;

/// Which problem and what of it.
#[derive(Args)]
pub struct Call {
    /// The problem.
    #[arg(required_unless_present = "list")]
    name: Option<String>,
    /// The task of the sequence, from 1.
    #[arg(long, default_value_t = 1)]
    task: u64,
    /// The sequence of tasks that --fresh-tasks draws for this seed; by default the common one.
    #[arg(long)]
    fresh: Option<u64>,
    /// Print domain, costs, noise, optimum and, where it has them, descriptors instead of evaluating.
    #[arg(long)]
    describe: bool,
    /// Name the problems.
    #[arg(long)]
    list: bool,
}

/// Answers every line of standard input.
pub fn run(call: &Call) -> Result<Outcome, Failure> {
    let names = || families().iter().map(|f| f.name()).collect::<Vec<_>>().join(", ");
    let Some(name) = call.name.as_ref().filter(|_| !call.list) else {
        for family in families() {
            out!("{}", family.name());
        }
        return Ok(Outcome::Done);
    };
    let Some(family) = family(name) else {
        let reason = format!("there is no problem {name:?}");
        return Err(Failure::new("evaluate the problem", reason)
            .hint(format!("the problems are {}", names())));
    };
    let master = call.fresh.map_or(MASTER, fresh_master);
    let benchmark = family.task(master, call.task);
    let description = family.description();
    if call.describe {
        out!("{}", describe(family.as_ref(), &description, benchmark.as_ref()));
        return Ok(Outcome::Done);
    }
    let mut outcome = Outcome::Done;
    for line in std::io::stdin().lock().lines() {
        let line = line.map_err(|error| Failure::new("read a point", error))?;
        if line.trim().is_empty() {
            continue;
        }
        match evaluate(&line, &description, benchmark.as_ref()) {
            Ok(value) => out!("{}", json!({ "value": value })),
            Err(reason) => {
                out!("{}", json!({ "error": reason }));
                outcome = Outcome::Failed;
            }
        }
    }
    Ok(outcome)
}

/// `{"point": {name: value, ..} or [value, ..], "fidelity": name or number from 1}`
fn evaluate(
    line: &str,
    description: &Description,
    benchmark: &dyn Benchmark,
) -> Result<f64, String> {
    let request: Json = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let parameters = description.space.parameters();
    let mut point: Vec<Value> = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let given = match &request["point"] {
            Json::Array(values) => values.get(index),
            Json::Object(values) => values.get(&parameter.name),
            _ => None,
        };
        let given =
            given.ok_or_else(|| format!("the point has no value for {}", parameter.name))?;
        point.push(serde_json::from_value(given.clone()).map_err(|error| error.to_string())?);
    }
    description.space.coordinates(&point).map_err(|error| error.to_string())?;
    let level = level(&request["fidelity"], description)?;
    let numbers: Vec<f64> = point.iter().map(|v| v.number().unwrap_or(f64::NAN)).collect();
    let value = benchmark.value(&numbers, level);
    if value.is_finite() { Ok(value) } else { Err(format!("the value is {value}")) }
}

fn level(given: &Json, description: &Description) -> Result<usize, String> {
    let fidelities = &description.fidelities;
    let by_name = given.as_str().and_then(|name| fidelities.iter().position(|f| f.name == name));
    let by_number = given.as_u64().and_then(|number| {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        (index < fidelities.len()).then_some(index)
    });
    let whole = given.is_null().then_some(fidelities.len() - 1);
    by_name.or(by_number).or(whole).ok_or_else(|| {
        let names: Vec<&str> = fidelities.iter().map(|f| f.name.as_str()).collect();
        format!("the fidelity {given} is neither one of {} nor a number from 1", names.join(", "))
    })
}

fn describe(family: &dyn Family, description: &Description, benchmark: &dyn Benchmark) -> Json {
    let optimum = benchmark.optimum();
    let mut all = json!({
        "problem": family.name(),
        "space": description.space,
        "fidelities": description.fidelities,
        "budget": description.budget,
        "initial": description.initial,
        "tasks": description.tasks,
        "goal": "maximize",
        "score": match description.score { Score::Regret => "regret", Score::Ratio => "ratio" },
        "optimum": { "point": optimum.point, "value": optimum.value },
    });
    let declared = family.descriptors();
    if !declared.is_empty() {
        let told = declared.iter().zip(benchmark.descriptors());
        all["describe"] = told.map(|(one, value)| (one.name.clone(), json!(value))).collect();
        all["descriptors"] = json!(declared);
    }
    all
}
