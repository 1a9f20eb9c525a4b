//! `baton predict`: the point to use for a task that has had no trial, from its description.

use super::show::{point, point_json, said, short, table, value};
use super::target::Target;
use crate::Outcome as Ended;
use crate::failure::Failure;
use baton::campaign::{Nearest, in_words};
use baton::problem::Domain;
use baton::{Description, Descriptors, Prediction, Recommendation, Space, Value};
use baton_runner::look::nearest_task;
use baton_runner::{Records, RunnerError};
use clap::Args;
use serde_json::{Value as Json, json};

const ATTEMPTED: &str = "predict";

/// Which task is meant.
#[derive(Args)]
pub struct Call {
    #[command(flatten)]
    target: Target,
    /// What is said of the task; may be given several times. What is missing is as in earlier tasks.
    #[arg(long, value_name = "DESCRIPTOR=VALUE")]
    describe: Vec<String>,
    /// Also the best point and value over the values of this descriptor.
    #[arg(long, value_name = "DESCRIPTOR")]
    over: Option<String>,
    /// Values of that descriptor.
    #[arg(long, value_name = "COUNT", default_value_t = 11, value_parser = clap::value_parser!(u32).range(2..=1000))]
    points: u32,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// What is predicted.
struct Answer {
    description: Description,
    predicted: Option<Prediction>,
    curve: Vec<(Value, Prediction)>,
    weights: Vec<baton::campaign::Weight>,
    /// where the points lie
    space: Space,
}

/// `baton predict`
pub fn run(call: &Call) -> Result<Ended, Failure> {
    let desk = call.target.find()?.existing()?;
    let records = desk.records();
    if records.spec.descriptors.is_empty() {
        let reason = format!("tasks of the campaign {:?} are not described", records.campaign.name);
        return Err(Failure::new(ATTEMPTED, reason).hint(
            "[descriptors] in the campaign file declares what is known of tasks, and describe = { .. } \
             in [[task]] says it",
        ));
    }
    let answer = answer(call, records)?;
    if call.json {
        out!("{}", document(&answer, call, records));
    } else {
        show(&answer, call, records);
    }
    Ok(Ended::Done)
}

fn answer(call: &Call, records: &Records) -> Result<Answer, Failure> {
    let refused = |error: RunnerError| Failure::on_campaign(ATTEMPTED, &error);
    let description = description(&records.spec.descriptors, &call.describe, ATTEMPTED)?;
    let campaign = records.present_campaign().map_err(refused)?;
    let work = || -> baton::Result<Answer> {
        let curve = match &call.over {
            Some(descriptor) => campaign.predict_over(&description, descriptor, call.points)?,
            None => Vec::new(),
        };
        let (predicted, weights) =
            (campaign.predict(&description)?, campaign.descriptor_weights()?);
        let space = campaign.knowledge().schema().space.clone();
        Ok(Answer { description: description.clone(), predicted, curve, weights, space })
    };
    work().map_err(|error| refused(error.into()))
}

/// What is said in words of the form `DESCRIPTOR=VALUE`.
pub fn description(
    descriptors: &Descriptors,
    words: &[String],
    attempted: &str,
) -> Result<Description, Failure> {
    let given = words.iter().map(|text| read(descriptors, text, attempted));
    let given = given.collect::<Result<Description, Failure>>()?;
    descriptors.canonical(&given).map_err(|error| Failure::new(attempted, error))
}

fn read(
    descriptors: &Descriptors,
    text: &str,
    attempted: &str,
) -> Result<(String, Value), Failure> {
    let Some((name, value)) = text.split_once('=') else {
        let reason = format!("{text:?} is not of the form DESCRIPTOR=VALUE");
        return Err(Failure::new(attempted, reason).hint("such as reynolds=3e6"));
    };
    let (name, value) = (name.trim(), value.trim());
    let descriptor = descriptors.find(name).map_err(|error| Failure::new(attempted, error))?;
    let listed = match &descriptor.domain {
        Domain::Ordered { choices } | Domain::Choice { choices } => {
            choices.iter().find(|choice| choice.to_string() == value).cloned()
        }
        _ => None,
    };
    let number = || value.parse::<i64>().map(Value::Integer).or(value.parse().map(Value::Real));
    let meant = listed.unwrap_or_else(|| number().unwrap_or_else(|_| value.into()));
    Ok((name.to_owned(), meant))
}

fn name_of(nearest: &Nearest, records: &Records) -> String {
    let known = nearest_task(nearest, records).map(|task| format!("the task {:?}", task.name));
    known.unwrap_or_else(|| "a task of other records".to_owned())
}

fn expected(of: &Recommendation) -> String {
    let [mean, low, high] = [of.mean, of.interval.0, of.interval.1].map(short);
    format!("{mean}, 90 % between {low} and {high}")
}

fn show(answer: &Answer, call: &Call, records: &Records) {
    let Answer { description, predicted, curve, weights, space } = answer;
    let about = if description.is_empty() { "a usual task".to_owned() } else { said(description) };
    out!("{about}");
    let Some(Prediction { best, nearest }) = predicted else {
        out!("  nothing is known yet: no task has been finished");
        return;
    };
    out!("  point to use  {}", point(space, &best.point));
    out!("  expected      {}", expected(best));
    if let Some(nearest) = nearest {
        let Nearest { description, expected: there, .. } = nearest;
        out!("  nearest       {} ({})", name_of(nearest, records), said(description));
        out!("                its point {}", point(space, &there.point));
        out!("                is expected to give {} here", expected(there));
    }
    out!("  descriptors   {}", in_words(weights));
    let Some(over) = &call.over else { return };
    let row = |(at, Prediction { best, .. }): &(Value, Prediction)| {
        let [mean, low, high] = [best.mean, best.interval.0, best.interval.1].map(short);
        vec![value(at), mean, low, high, point(space, &best.point)]
    };
    let rows: Vec<Vec<String>> = curve.iter().map(row).collect();
    out!("\n{}", table(&[over, "expected", "from", "to", "point to use"], &rows).trim_end());
}

fn document(answer: &Answer, call: &Call, records: &Records) -> Json {
    let space = &answer.space;
    let one = |of: &Recommendation| {
        let (low, high) = of.interval;
        json!({ "point": point_json(space, &of.point), "mean": of.mean, "interval": [low, high] })
    };
    let nearest = |of: &Nearest| {
        let name = nearest_task(of, records).map(|task| &task.name);
        json!({ "task": name, "describe": of.description, "expected": one(&of.expected) })
    };
    let predicted = answer.predicted.as_ref();
    let curve = answer
        .curve
        .iter()
        .map(|(at, Prediction { best, .. })| json!({ "value": at, "expected": one(best) }));
    json!({
        "campaign": records.campaign.name,
        "describe": answer.description,
        "expected": predicted.map(|predicted| one(&predicted.best)),
        "nearest": predicted.and_then(|predicted| predicted.nearest.as_ref()).map(nearest),
        "descriptors": answer.weights,
        "in_words": in_words(&answer.weights),
        "over": call.over.as_ref().map(|over| json!({
            "descriptor": over, "curve": curve.collect::<Vec<Json>>(),
        })),
    })
}
