//! `baton insight`: which parameters matter, how far intervals are to be trusted, what fidelities tell.

use super::look::Call;
use super::show::{short, table};
use crate::Outcome as Ended;
use crate::failure::Failure;
use baton::campaign::{Coverage, Effect, Estimate, Importance, Matters, Trust, Width};
use baton_runner::insight::{CampaignInsight, TaskTrust, insight};
use serde_json::json;

/// `baton insight`
pub fn run(call: &Call) -> Result<Ended, Failure> {
    let (records, _) = call.records()?;
    let found = insight(&records, call.task())
        .map_err(|error| Failure::on_campaign("find what the campaign taught", &error))?;
    if call.json {
        out!("{}", json!(found));
        return Ok(Ended::Done);
    }
    out!("{}", found.campaign);
    let Some(task) = &found.task else {
        out!("no task has begun");
        return Ok(Ended::Done);
    };
    match &found.importance {
        None => out!("\nnothing is known yet of what matters in {task}"),
        Some(importance) => show_importance(importance, task, &found.importance_in_words),
    }
    show_fidelities(&found, task);
    if !found.still_to_gain_in_words.is_empty() {
        out!("\n{task}: {}", found.still_to_gain_in_words);
    }
    show_trust(&found);
    Ok(Ended::Done)
}

/// A share in percent, with its interval.
fn percent(of: &Estimate) -> String {
    // Adding zero takes the sign off what is rounded to zero.
    let whole = |share: f64| format!("{}", (100.0 * share).round() + 0.0);
    let [value, low, high] = [of.value, of.interval.0, of.interval.1].map(whole);
    format!("{value} % ({low} to {high})")
}

/// A number with its interval.
fn number(of: &Estimate) -> String {
    let [value, low, high] = [of.value, of.interval.0, of.interval.1].map(short);
    format!("{value} ({low} to {high})")
}

fn show_importance(importance: &Importance, task: &str, words: &[String]) {
    let Importance { fidelities, split, interactions, fixing, fixing_all } = importance;
    let Some(highest) = fidelities.last() else { return };
    out!("\nwhat matters in {task}, as shares of the variance, 90 % intervals in brackets:");
    let mut heading = vec!["parameter", "alone", "with others"];
    if split.is_some() {
        heading.extend(["in every task", "only in this"]);
    }
    heading.extend(["its worst value loses", "matters"]);
    let matters = |effect: &Effect| match effect.matters {
        Matters::Yes => "yes",
        Matters::No => "no",
        Matters::Open => "not known yet",
    };
    let row = |(i, effect): (usize, &Effect)| {
        let mut row =
            vec![effect.parameter.clone(), percent(&effect.first), percent(&effect.total)];
        if let Some(split) = split {
            row.push(percent(&split.in_every_task[i].total));
            row.push(percent(&split.only_in_this[i].total));
        }
        row.push(fixing.get(i).map_or_else(String::new, |fixing| number(&fixing.loss)));
        row.push(matters(effect).to_owned());
        row
    };
    let rows: Vec<Vec<String>> = highest.parameters.iter().enumerate().map(row).collect();
    out!("{}", table(&heading, &rows).trim_end());
    for sentence in words {
        out!("{sentence}");
    }
    if let Some(all) = fixing_all {
        let them = if all.parameters.len() == 1 {
            "it in the middle of its range"
        } else {
            "them in the middle of their ranges"
        };
        out!("Fixing {them} is expected to lose {}.", number(&all.loss));
    }
    if let Some(split) = split {
        let share = percent(&split.share_of_this);
        out!("What only this task has is {share} of the variance of both.");
    }
    for interaction in interactions {
        let (a, b) = &interaction.parameters;
        out!("{a} and {b} interact: {} of the variance.", percent(&interaction.share));
    }
    if fidelities.len() > 1 {
        let names = fidelities.iter().map(|of| of.fidelity.as_str());
        let heading: Vec<&str> = std::iter::once("with others").chain(names).collect();
        let totals = |(i, effect): (usize, &Effect)| {
            let of = fidelities.iter().map(|of| percent(&of.parameters[i].total));
            std::iter::once(effect.parameter.clone()).chain(of).collect()
        };
        let rows: Vec<Vec<String>> = highest.parameters.iter().enumerate().map(totals).collect();
        out!("\n{}", table(&heading, &rows).trim_end());
    }
}

fn show_fidelities(found: &CampaignInsight, task: &str) {
    out!("\nfidelities in {task}, and how much of the highest each explains:");
    let heading = ["fidelity", "cost", "told", "failed", "spent", "correlation", "explains"];
    let row = |of: &baton::campaign::FidelityInsight| {
        let mut row = vec![of.fidelity.clone(), short(of.cost)];
        row.extend([of.told, of.failed].map(|count| count.to_string()));
        row.push(short(of.spent));
        row.push(of.correlation.map_or("-".into(), |of| format!("{of:.3}")));
        row.push(of.explains.as_ref().map_or("-".into(), percent));
        row
    };
    let rows: Vec<Vec<String>> = found.fidelities.iter().map(row).collect();
    out!("{}", table(&heading, &rows).trim_end());
}

fn show_trust(found: &CampaignInsight) {
    out!(
        "\nobservations within their 90 % intervals, as expected from all others and from those before:"
    );
    let heading = ["task", "fidelity", "told", "from others", "from before", "intervals"];
    let rows: Vec<Vec<String>> = found.trust.iter().flat_map(trust_rows).collect();
    out!("{}", table(&heading, &rows).trim_end());
    out!("{}", found.trust_in_words);
    if !found.calibration.is_empty() {
        let heading = ["intervals of", "hold, from others", "from before"];
        let share = |share: f64| format!("{:.0} %", 100.0 * share);
        let rows = found.calibration.iter();
        let row = |of: &baton::campaign::Calibration| {
            vec![share(of.nominal), share(of.left_out), share(of.one_ahead)]
        };
        out!("\n{}", table(&heading, &rows.map(row).collect::<Vec<_>>()).trim_end());
    }
}

fn trust_rows(of: &TaskTrust) -> Vec<Vec<String>> {
    let Some(trust) = &of.trust else {
        let why = of.trouble.clone().unwrap_or_else(|| "not known".into());
        return vec![vec![of.task.clone(), String::new(), "-".into(), "-".into(), "-".into(), why]];
    };
    // With one fidelity, that of all says the same.
    let lines = if trust.coverage.len() == 2 { &trust.coverage[1..] } else { &trust.coverage[..] };
    let line = |coverage: &Coverage| trust_row(&of.task, trust, coverage);
    lines.iter().map(line).collect()
}

fn trust_row(task: &str, trust: &Trust, of: &Coverage) -> Vec<String> {
    let share = |inside: usize| {
        format!("{inside} ({:.0} %)", 100.0 * inside as f64 / of.observations as f64)
    };
    let verdict = match trust.width {
        _ if of.fidelity.is_some() => "",
        Width::TooNarrow => "too narrow",
        Width::Right => "right",
        Width::TooWide => "too wide",
        Width::Unknown => "too few to tell",
    };
    let sampled = trust.seen.len() < trust.told && of.fidelity.is_none();
    let verdict = if sampled {
        format!("{verdict}, by a sample of {}", trust.told)
    } else {
        verdict.to_owned()
    };
    vec![
        task.to_owned(),
        of.fidelity.clone().unwrap_or_else(|| "all".into()),
        of.observations.to_string(),
        share(of.left_out),
        share(of.one_ahead),
        verdict,
    ]
}
