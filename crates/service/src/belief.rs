//! What a model believes, as types: along slices of a task, and at each stage of knowledge.

use crate::view::{Point, point};
use baton::campaign::Sight;
use baton::model::Belief;
use baton::shared::Schema;
use baton::{Fidelity, Knowledge, Value};
use baton_runner::Records;
use baton_runner::look::{Slice as Seen, slices};
use baton_runner::wanted::Setting;
use serde::Serialize;
use utoipa::ToSchema;

/// Blocks of more parameters say nothing to people.
const MOST_ENTRIES: usize = 32;
/// Values along a slice.
const VALUES: u32 = 41;

/// What the model sees along a slice at one fidelity.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Band {
    /// the fidelity's name
    pub fidelity: String,
    /// the expected values
    pub mean: Vec<f64>,
    /// lower ends of 90 % intervals
    pub low: Vec<f64>,
    /// upper ends
    pub high: Vec<f64>,
    /// nats about this task's optimum that a trial would buy there, per unit of cost
    pub nats_optimum: Vec<f64>,
    /// nats for later tasks that a trial would buy there, per unit of cost
    pub nats_transfer: Vec<f64>,
    /// the acquisition: what both are worth to the next ask, per unit of cost
    pub acquisition: Vec<f64>,
}

/// One parameter varies, the others stay.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Slice {
    /// the parameter's name
    pub parameter: String,
    /// its values
    #[schema(value_type = Vec<Setting>)]
    pub at: Vec<Value>,
    /// what is seen there, a band per fidelity
    pub bands: Vec<Band>,
    /// how likely all constraints are to hold there, where that can be said
    #[serde(skip_serializing_if = "Option::is_none")]
    pub feasible: Option<Vec<f64>>,
}

impl Slice {
    /// As it is shown.
    pub fn new(seen: &Seen, fidelities: &[Fidelity]) -> Self {
        let band = |(level, fidelity): (usize, &Fidelity)| {
            let all = |of: &dyn Fn(&Sight) -> f64| -> Vec<f64> {
                seen.sights.iter().filter_map(|s| s.get(level)).map(of).collect()
            };
            Band {
                fidelity: fidelity.name.clone(),
                mean: all(&|sight| sight.mean),
                low: all(&|sight| sight.interval.0),
                high: all(&|sight| sight.interval.1),
                nats_optimum: all(&|sight| sight.nats.optimum / fidelity.cost),
                nats_transfer: all(&|sight| sight.nats.transfer / fidelity.cost),
                acquisition: all(&|sight| sight.rate),
            }
        };
        Self {
            parameter: seen.parameter.clone(),
            at: seen.at.clone(),
            bands: fidelities.iter().enumerate().map(band).collect(),
            feasible: None,
        }
    }
}

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

impl Stage {
    /// What a file of knowledge says, and the task that began with it.
    ///
    /// # Errors
    /// If the file cannot be understood.
    pub fn read(text: &str, to: Option<&str>, records: &Records) -> baton::Result<Self> {
        let knowledge = Knowledge::from_json(text)?;
        let about = knowledge.schema();
        let space = &about.space;
        let problem = records.problem_about(about);
        let levels = problem.as_ref().map_or(&[][..], |problem| &problem.fidelities);
        let places = knowledge.incumbents().iter().map(|place| space.point(place));
        let recommended = places.collect::<baton::Result<Vec<_>>>()?;
        // What cannot be computed is left out: the rest is worth showing.
        let expected = recommended.last().and_then(|through| {
            let budget = levels.iter().map(|level| level.cost).sum();
            let campaign = records.spec.campaign_over(problem.as_ref()?, Some(text)).ok()?;
            let mut task = campaign.start(budget).ok()?;
            slices(&mut task, space, through, VALUES).ok()
        });
        Ok(Self {
            tasks: knowledge.tasks,
            handed_to: to.map(str::to_owned),
            bytes: text.len(),
            particles: knowledge.belief.as_ref().map_or(0, |belief| belief.particles().count()),
            shared: knowledge.shared.as_ref().map_or(0, baton::shared::SharedFunction::len),
            recommended: recommended.iter().map(|values| point(space, values)).collect(),
            belief: knowledge.belief.as_ref().map_or_else(Vec::new, |b| blocks(b, about)),
            expected: expected.iter().flatten().map(|seen| Slice::new(seen, levels)).collect(),
        })
    }
}

fn blocks(belief: &Belief, about: &Schema) -> Vec<Block> {
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
                of: label(name, i, size, about),
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

fn label(block: &str, i: usize, size: usize, about: &Schema) -> String {
    let Schema { space, descriptors, fidelities: levels, .. } = about;
    let parameters = space.parameters();
    match block {
        "log_lengthscales" if size == parameters.len() => parameters[i].name.clone(),
        "log_descriptor_lengthscales" => {
            let owner = descriptors.owners().get(i).copied().unwrap_or_default();
            descriptors.parameters().get(owner).map_or(String::new(), |of| of.name.clone())
        }
        "log_noise" if size == levels.len() => levels[i].clone(),
        _ if size == 1 => String::new(),
        _ => (i + 1).to_string(),
    }
}
