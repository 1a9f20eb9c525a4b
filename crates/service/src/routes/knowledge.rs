//! Knowledge: what passed from task to task, and how the belief moved on the way.

use super::model::Slice;
use super::{Answer, Json, Path, Shared, enter, look};
use crate::office::{Room, blocking};
use crate::problem::Problem;
use crate::server::Problems;
use crate::view::{Point, point};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use baton::Knowledge;
use baton::model::Belief;
use baton_runner::Records;
use baton_runner::look::slices;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use utoipa::ToSchema;

/// Blocks of more parameters say nothing to people.
const MOST_ENTRIES: usize = 32;
/// Values along a slice.
const VALUES: u32 = 41;

/// A parameter of the model, as it is believed to be.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Entry {
    /// what it is about: a parameter of the space, a fidelity, or nothing in particular
    pub of: String,
    /// mean over particles
    pub mean: f64,
    /// the lowest of the particles
    pub low: f64,
    /// the highest
    pub high: f64,
}

/// Parameters of the model that belong together.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Block {
    /// such as `lengthscales`
    pub name: String,
    /// one per parameter, fidelity or task
    pub entries: Vec<Entry>,
}

/// What was known at one time.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Stage {
    /// tasks it was learned from
    pub tasks: u32,
    /// the task that began with it, if one has
    pub handed_to: Option<String>,
    /// its size as a file
    pub bytes: usize,
    /// particles over the model's parameters
    pub particles: usize,
    /// equivalent observations of what tasks share
    pub shared: usize,
    /// recommended points of earlier tasks, newest last
    pub recommended: Vec<Point>,
    /// what is believed of the model's parameters
    pub belief: Vec<Block>,
    /// what a task that starts from this expects before its first trial, at every fidelity, along each
    /// parameter through the newest recommended point
    pub expected: Vec<Slice>,
}

/// What passed from task to task.
#[derive(Debug, Serialize, ToSchema)]
pub struct Handed {
    /// from task to task
    pub stages: Vec<Stage>,
}

/// What passed from task to task: the belief over the model, the points that were recommended, and
/// what a task expects before its first trial.
#[utoipa::path(get, operation_id = "show_knowledge", path = "/api/campaigns/{campaign}/knowledge", tag = "knowledge",
    params(("campaign" = String, Path, description = "its name")),
    responses((status = 200, description = "as asked for", body = Handed), Problems))]
pub async fn show(office: Shared, Path(campaign): Path<String>) -> Answer<Handed> {
    const ATTEMPTED: &str = "show the knowledge";
    let room = enter(&office, campaign, ATTEMPTED).await?;
    // Slices are computed: this takes a bench, as an ask does.
    let bench = Arc::clone(&office.benches).acquire_owned().await;
    blocking(move || {
        let _bench = bench;
        let records = room.records(&office, ATTEMPTED)?.clone();
        let mut texts: Vec<(&str, Option<&str>)> = Vec::new();
        for task in &records.tasks {
            texts.extend(task.knowledge.as_deref().map(|text| (text, Some(task.name.as_str()))));
        }
        if let Some(text) = &records.campaign.knowledge
            && texts.last().is_none_or(|(last, _)| last != text)
        {
            texts.push((text, None));
        }
        let stage = |(text, to): (&str, Option<&str>)| remembered(&room, text, to, &records);
        let stages = texts.into_iter().map(stage).collect::<Result<_, _>>();
        let stages = stages.map_err(|error: baton::Error| Problem::internal(ATTEMPTED, error))?;
        Ok(Json(Handed { stages }))
    })
    .await
}

/// A stage never changes: it is computed once.
fn remembered(
    room: &Room,
    text: &str,
    to: Option<&str>,
    records: &Records,
) -> baton::Result<Stage> {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let key = (hasher.finish(), to.map(str::to_owned));
    if let Some(stage) = room.stages().get(&key) {
        return Ok(stage.clone());
    }
    let stage = stage(text, to, records)?;
    room.stages().insert(key, stage.clone());
    Ok(stage)
}

fn stage(text: &str, to: Option<&str>, records: &Records) -> baton::Result<Stage> {
    let knowledge = Knowledge::from_json(text)?;
    let space = &records.spec.space;
    let places = knowledge.incumbents().iter().map(|place| space.point(place));
    let recommended = places.collect::<baton::Result<Vec<_>>>()?;
    // What cannot be computed is left out: the rest is worth showing.
    let expected = recommended.last().and_then(|through| {
        let budget = records.spec.fidelities.iter().map(|level| level.cost).sum();
        let campaign = records.spec.campaign(Some(text)).ok()?;
        let mut task = campaign.start(budget).ok()?;
        slices(&mut task, space, through, VALUES).ok()
    });
    Ok(Stage {
        tasks: knowledge.tasks,
        handed_to: to.map(str::to_owned),
        bytes: text.len(),
        particles: knowledge.belief.as_ref().map_or(0, |belief| belief.particles().count()),
        shared: knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len),
        recommended: recommended.iter().map(|values| point(space, values)).collect(),
        belief: knowledge.belief.as_ref().map_or_else(Vec::new, |b| blocks(b, records)),
        expected: expected.iter().flatten().map(|seen| Slice::new(seen, records)).collect(),
    })
}

fn blocks(belief: &Belief, records: &Records) -> Vec<Block> {
    let particles = belief.particles();
    let mut start = 0;
    let mut blocks = Vec::new();
    for (name, shape) in belief.blocks() {
        let size: usize = shape.iter().product();
        let range = start..start + size;
        start = range.end;
        if size > MOST_ENTRIES {
            continue;
        }
        let entry = |(i, column): (usize, usize)| {
            let values = particles.thetas().iter().map(|theta| meaning(name, theta[column]));
            let values: Vec<f64> = values.collect();
            let weighted = values.iter().zip(particles.weights()).map(|(v, w)| v * w);
            Entry {
                of: label(name, i, size, records),
                mean: weighted.sum(),
                low: values.iter().copied().fold(f64::INFINITY, f64::min),
                high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            }
        };
        let entries = range.enumerate().map(entry).collect();
        let name = name.strip_prefix("log_").unwrap_or(name).to_owned();
        blocks.push(Block { name, entries });
    }
    blocks
}

/// A parameter of the model as people read it: logarithms as what they are of, relatedness as the
/// share of variance that tasks have in common, roughness as that of the rough part, links of fidelities as correlations with the next.
fn meaning(block: &str, value: f64) -> f64 {
    match block {
        "relatedness" => (1.0 + (-value).exp()).powi(-2),
        "roughness" => (1.0 + (-value).exp()).recip(),
        "fidelity_links" => (-value.exp()).exp(),
        _ if block.starts_with("log_") => value.exp().min(f64::MAX),
        _ => value,
    }
}

fn label(block: &str, i: usize, size: usize, records: &Records) -> String {
    let parameters = records.spec.space.parameters();
    let levels = &records.spec.fidelities;
    match block {
        "log_lengthscales" if size == parameters.len() => parameters[i].name.clone(),
        "log_noise" if size == levels.len() => levels[i].name.clone(),
        _ if size == 1 => String::new(),
        _ => (i + 1).to_string(),
    }
}

/// The knowledge itself, as `baton knowledge export` writes it.
#[utoipa::path(get, operation_id = "knowledge_file", path = "/api/campaigns/{campaign}/knowledge/file", tag = "knowledge",
    params(("campaign" = String, Path, description = "its name")),
    responses((status = 200, content_type = "application/json", body = Object,
               description = "a file for `baton knowledge import`"), Problems))]
pub async fn file(office: Shared, Path(campaign): Path<String>) -> Result<Response, Problem> {
    const ATTEMPTED: &str = "give out the knowledge";
    let text = look(office.0, campaign, ATTEMPTED, |records| {
        let nothing = || {
            Problem::missing(ATTEMPTED, "nothing was learned yet")
                .hint("a task teaches when it is finished")
        };
        let given = records.shareable_knowledge();
        given.map_err(|error| Problem::of(ATTEMPTED, &error))?.ok_or_else(nothing)
    })
    .await?;
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}
