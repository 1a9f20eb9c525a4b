//! `baton knowledge`: what is handed from task to task.

use super::exchange::write_out;
use super::show::{counted, point, point_json, short};
use super::target::Target;
use crate::Outcome;
use crate::failure::Failure;
use baton::{Goal, Knowledge};
use clap::{Args, Subcommand};
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};

/// What is done with it.
#[derive(Subcommand)]
pub enum What {
    /// Write what a campaign has learned so far.
    Export {
        #[command(flatten)]
        target: Target,
        /// Write here instead of to standard output.
        #[arg(long, short)]
        out: Option<PathBuf>,
    },
    /// Let the next task of a campaign start from what was learned elsewhere.
    Import(ImportCall),
    /// Tell what a knowledge file, or a campaign, knows.
    Show(ShowCall),
}

/// Importing.
#[derive(Args)]
pub struct ImportCall {
    /// The knowledge file.
    file: PathBuf,
    #[command(flatten)]
    target: Target,
}

/// Showing.
#[derive(Args)]
pub struct ShowCall {
    /// A knowledge file, or what names a campaign elsewhere.
    #[command(flatten)]
    target: Target,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Does it.
pub fn run(what: &What) -> Result<Outcome, Failure> {
    match what {
        What::Export { target, out } => write_out(out.as_ref(), &(shareable(target)? + "\n")),
        What::Import(call) => import(call),
        What::Show(call) => show(call),
    }
}

/// The knowledge of a campaign as it may be given away, without observations.
fn shareable(target: &Target) -> Result<String, Failure> {
    let desk = target.find()?.existing()?;
    let given = desk.records().shareable_knowledge();
    given.map_err(|error| Failure::on_campaign("give out knowledge", &error))?.ok_or_else(nothing)
}

/// The knowledge of a campaign, as text.
fn learned(target: &Target) -> Result<String, Failure> {
    let desk = target.find()?.existing()?;
    desk.records().campaign.knowledge.clone().ok_or_else(nothing)
}

fn nothing() -> Failure {
    Failure::new("give out knowledge", "nothing was learned yet")
        .hint("a task teaches when it is finished; `baton status` shows how far it is")
}

fn read(path: &Path) -> Result<(String, Knowledge), Failure> {
    let refuse = |reason: &dyn std::fmt::Display| Failure::on_file("read knowledge", path, reason);
    let text = std::fs::read_to_string(path).map_err(|error| refuse(&error))?;
    let knowledge = Knowledge::from_json(text.trim()).map_err(|error| refuse(&error))?;
    Ok((text.trim().to_owned(), knowledge))
}

fn import(call: &ImportCall) -> Result<Outcome, Failure> {
    let (text, knowledge) = read(&call.file)?;
    let desk = call.target.find()?.desk()?;
    let attempted = format!("import {}", call.file.display());
    let refused = |error| Failure::on_campaign(attempted.clone(), &error);
    let (spec, problem) =
        (&desk.records().spec, desk.records().present_problem().map_err(&refused)?);
    spec.campaign_over(&problem, Some(&text)).map_err(&refused)?;
    let changes = problem.changes_from(knowledge.schema(), spec).map_err(&refused)?;
    desk.store().set_knowledge(desk.name(), &text).map_err(|error| refused(error.into()))?;
    out!("the next task starts from what {} tasks taught", knowledge.tasks);
    for change in &changes {
        out!("  {change}");
    }
    Ok(Outcome::Done)
}

fn show(call: &ShowCall) -> Result<Outcome, Failure> {
    let is_file = |path: &&Path| path.extension().is_some_and(|extension| extension == "json");
    let file = call.target.campaign.as_deref().map(Path::new).filter(is_file);
    let knowledge = match file {
        Some(path) => read(path)?.1,
        None => Knowledge::from_json(&learned(&call.target)?)
            .map_err(|error| Failure::new("read the knowledge", error))?,
    };
    let schema = knowledge.schema();
    let points: Vec<_> =
        knowledge.incumbents().iter().filter_map(|u| schema.space.point(u).ok()).collect();
    let particles = knowledge.belief.as_ref().map_or(0, |belief| belief.particles().count());
    if call.json {
        let recommended: Vec<Json> = points.iter().map(|p| point_json(&schema.space, p)).collect();
        out!(
            "{}",
            json!({
                "tasks": knowledge.tasks,
                "goal": schema.goal,
                "fidelities": schema.fidelities,
                "space": schema.space,
                "units": knowledge.units,
                "particles": particles,
                "recommended": recommended,
            })
        );
        return Ok(Outcome::Done);
    }
    let goal = match schema.goal {
        Goal::Minimize => "minimise",
        Goal::Maximize => "maximise",
    };
    out!("learned from {}, to {goal}", counted(knowledge.tasks as usize, "task"));
    let names: Vec<&str> = schema.space.parameters().iter().map(|p| p.name.as_str()).collect();
    out!("parameters   {}", names.join(", "));
    out!("fidelities   {}", schema.fidelities.join(", "));
    let centre = knowledge.units.map(|units| format!("centred at {}", short(units.to_user(0.0))));
    out!("values       {}", centre.as_deref().unwrap_or("no scale known yet"));
    out!("belief       {} over the model's parameters", counted(particles, "particle"));
    let shared = knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len);
    let shared = counted(shared, "equivalent observation");
    out!("shared       {shared} of what the tasks have in common");
    for recommended in &points {
        out!("recommended  {}", point(&schema.space, recommended));
    }
    Ok(Outcome::Done)
}
