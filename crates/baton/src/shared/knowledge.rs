//! What passes from task to task, can be saved, and handed to a colleague.
//!
//! Particles over `theta`, the units they are meant in, equivalent observations of the function that tasks share
//! and what others said of `theta`, the recommended points of earlier
//! tasks (places, no values), how these were described, and where their best values were. Where tasks are
//! described there is all of it twice: as learned from what was said of them, and as if nothing had been said.
//! As long as the equivalent observations are few, they are the observations themselves in model units; what is
//! given to others (`Campaign::shareable`) has none. What does not fit its schema or checksum is refused.

use super::described::{DescribedTask, MOST_DESCRIBED};
use super::past_optima::{self, PastOptimum};
use super::shared_function::SharedFunction;
use crate::Error;
use crate::error::Result;
use crate::model::{Belief, Surrogate};
use crate::problem::{
    Description, Descriptors, Fidelity, Goal, Parameter, Space, Units, Unseen, difference_of_spaces,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Recommended points kept; older ones are dropped.
const MOST_INCUMBENTS: usize = 32;
/// Log odds of drift before any task showed some; tasks that stay where they are say so quickly.
const DRIFT_AT_FIRST: f64 = 2.5;
/// Nats in favour of descriptions before any task: whoever describes tasks has a reason to.
const TOLD_AT_FIRST: f64 = 2.5;
/// So that no number of tasks makes a change of mind impossible.
pub(super) const MOST_ODDS: f64 = 20.0;
/// Before any verdict, two to one that the next task is related.
const RELATED_AT_FIRST: f64 = 2.0;
const UNRELATED_AT_FIRST: f64 = 1.0;

/// The problem that knowledge is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// the points
    pub space: Space,
    /// what is said of tasks
    #[serde(default, skip_serializing_if = "Descriptors::is_empty")]
    pub descriptors: Descriptors,
    /// names of the fidelities, cheapest first, truth last
    pub fidelities: Vec<String>,
    /// what is wanted
    pub goal: Goal,
}

impl Schema {
    /// The schema of a problem whose tasks are not described.
    pub fn new(space: Space, fidelities: &[Fidelity], goal: Goal) -> Self {
        let fidelities = fidelities.iter().map(|fidelity| fidelity.name.clone()).collect();
        Self { space, descriptors: Descriptors::default(), fidelities, goal }
    }

    /// Whether tasks are described there as they are here.
    ///
    /// # Errors
    /// Says how both are.
    pub(super) fn check_descriptors(&self, here: &Self) -> Result<()> {
        let [theirs, ours] = [self, here].map(|schema| &schema.descriptors);
        if theirs == ours {
            return Ok(());
        }
        let reason = format!("its {}; here {}", described_by(theirs), described_by(ours));
        Err(Error::Knowledge { reason })
    }
}

/// All that one task hands to the next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knowledge {
    schema: Schema,
    /// tasks it was learned from
    pub tasks: u32,
    /// the units of the surrogate, once set
    pub units: Option<Units>,
    /// what is believed of `theta`, where the method carries it
    pub belief: Option<Belief>,
    /// what is known of the function that tasks share, where the method carries it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared: Option<SharedFunction>,
    /// log odds that the shared function lies at another place in every task
    #[serde(default)]
    pub drift: f64,
    /// tasks that turned out to be related to those before, and tasks that did not
    #[serde(default)]
    pub verdicts: (u32, u32),
    /// what is believed of how closely tasks are related: mean and standard deviation of the
    /// parameter; `None` before a task has shown it
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relatedness: Option<(f64, f64)>,
    /// what observations that are not kept said of the surrogate's parameters: mean and standard
    /// deviation of each; `None` while all are kept
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<(f64, f64)>>,
    /// recommended points of earlier tasks as coordinates, newest last
    incumbents: Vec<Vec<f64>>,
    /// where earlier tasks had their best values, newest last
    #[serde(rename = "hills", default, skip_serializing_if = "Vec::is_empty")]
    past_optima: Vec<PastOptimum>,
    /// earlier tasks as they were described, newest last
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    described: Vec<DescribedTask>,
    /// coordinates that earlier tasks lack, and of which nobody said what they were: along them, all that
    /// was handed over lies where the next related task says
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) unstated: Vec<usize>,
    /// it was carried here from another space, in which no task was done yet
    #[serde(default, skip_serializing_if = "is_false")]
    pub(super) is_elsewhere: bool,
    /// what of the space no task has seen, as long as none was done in it
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub(super) unseen: Unseen,
    /// where it turned out to lie
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    found: Vec<(String, f64)>,
    /// where tasks are described: what is known if that is passed over
    #[serde(default, skip_serializing_if = "Option::is_none")]
    untold: Option<Box<Untold>>,
    /// what is known of each quantity that has to keep bounds, as of an objective
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    constraints: BTreeMap<String, Knowledge>,
}

/// What is known if descriptions are passed over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Untold {
    /// by how many nats descriptions have predicted tasks better, and those given in advance
    nats: f64,
    /// of tasks without descriptions
    knowledge: Knowledge,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_false(flag: &bool) -> bool {
    !flag
}

fn is_nothing(unseen: &Unseen) -> bool {
    *unseen == Unseen::Nothing
}

impl Knowledge {
    /// Nothing known yet.
    pub fn none(schema: Schema) -> Self {
        let untold = (!schema.descriptors.is_empty()).then(|| {
            let schema = Schema { descriptors: Descriptors::default(), ..schema.clone() };
            Box::new(Untold { nats: TOLD_AT_FIRST, knowledge: Self::none(schema) })
        });
        Self {
            schema,
            tasks: 0,
            units: None,
            belief: None,
            shared: None,
            drift: DRIFT_AT_FIRST,
            verdicts: (0, 0),
            relatedness: None,
            parameters: None,
            incumbents: Vec::new(),
            past_optima: Vec::new(),
            described: Vec::new(),
            unstated: Vec::new(),
            is_elsewhere: false,
            unseen: Unseen::Nothing,
            found: Vec::new(),
            untold,
            constraints: BTreeMap::new(),
        }
    }

    /// The problem it is about.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Recommended points of earlier tasks, newest last.
    pub fn incumbents(&self) -> &[Vec<f64>] {
        &self.incumbents
    }

    /// Nats that what is known is given in advance against a cold start: the log odds of being
    /// related, as far as earlier tasks were. Without a little of it, false alarms cost more than
    /// they save.
    pub fn benefit_of_doubt(&self) -> f64 {
        let (related, unrelated) = (f64::from(self.verdicts.0), f64::from(self.verdicts.1));
        ((related + RELATED_AT_FIRST) / (unrelated + UNRELATED_AT_FIRST)).ln()
    }

    /// Counts what a task showed of being related and of drift.
    pub fn judge(&mut self, related: Option<bool>, drift: Option<f64>) {
        match related {
            Some(true) => self.verdicts.0 = self.verdicts.0.saturating_add(1),
            Some(false) => self.verdicts.1 = self.verdicts.1.saturating_add(1),
            None => {}
        }
        self.drift = (self.drift + drift.unwrap_or(0.0)).clamp(-MOST_ODDS, MOST_ODDS);
    }

    /// What is known if descriptions are passed over; by how many nats they have predicted tasks better.
    /// Nothing where tasks are not described.
    pub fn untold(&self) -> Option<(&Self, f64)> {
        self.untold.as_ref().map(|untold| (&untold.knowledge, untold.nats))
    }

    /// The same, to be added to.
    pub(super) fn untold_mut(&mut self) -> Option<(&mut Self, &mut f64)> {
        self.untold.as_mut().map(|untold| (&mut untold.knowledge, &mut untold.nats))
    }

    /// What is known of each quantity that has to keep bounds.
    pub fn constraints(&self) -> &BTreeMap<String, Self> {
        &self.constraints
    }

    /// The same, to be added to.
    pub(crate) fn constraints_mut(&mut self) -> &mut BTreeMap<String, Self> {
        &mut self.constraints
    }

    /// Whether earlier tasks lack a coordinate that later ones have, and it is not known where they lie.
    pub(super) fn lacks(&self) -> bool {
        !self.unstated.is_empty() || !self.found.is_empty() || self.is_elsewhere
    }

    /// What of the space no task has seen: all of it was learned in another one.
    pub fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    /// A task was done in this space.
    pub(crate) fn is_here(&mut self) {
        (self.is_elsewhere, self.unseen) = (false, Unseen::Nothing);
        if let Some(untold) = &mut self.untold {
            untold.knowledge.is_here();
        }
        self.constraints.values_mut().for_each(Self::is_here);
    }

    /// What earlier tasks turned out to have had of parameters that they did not know: names, and numbers
    /// or places on a scale from 0 to 1.
    pub fn found(&self) -> &[(String, f64)] {
        &self.found
    }

    /// Moves what earlier tasks left to where it turned out to lie.
    pub(super) fn settle(&mut self, places: &[(usize, f64)]) {
        for (i, by) in places {
            let optima = self.past_optima.iter_mut().map(|optimum| &mut optimum.place);
            for point in optima.chain(&mut self.incumbents) {
                point[*i] = (point[*i] + by).clamp(0.0, 1.0);
            }
            self.unstated.retain(|unstated| unstated != i);
            self.found.extend(self.schema.space.scale_of(*i, 0.5 + by));
        }
    }

    /// Takes over what has no place: counts and odds.
    pub(super) fn take_counts(&mut self, known: &Self) {
        (self.tasks, self.units, self.drift) = (known.tasks, known.units, known.drift);
        (self.verdicts, self.relatedness) = (known.verdicts, known.relatedness);
        self.found.clone_from(&known.found);
    }

    /// Takes over points, as far as they have a place here.
    pub(super) fn take_places(
        &mut self,
        known: &Self,
        place: &impl Fn(&Vec<f64>) -> Option<Vec<f64>>,
    ) {
        self.incumbents = known.incumbents.iter().filter_map(place).collect();
        let optimum = |optimum: &PastOptimum| {
            Some(PastOptimum { place: place(&optimum.place)?, height: optimum.height })
        };
        self.past_optima = known.past_optima.iter().filter_map(optimum).collect();
        let task = |task: &DescribedTask| DescribedTask {
            best: task.best.as_ref().and_then(place),
            ..task.clone()
        };
        self.described = known.described.iter().map(task).collect();
    }

    /// Remembers a recommended point.
    pub fn add_incumbent(&mut self, coordinates: Vec<f64>) {
        if coordinates.iter().any(|u| !u.is_finite()) {
            return;
        }
        self.incumbents.retain(|known| *known != coordinates);
        self.incumbents.push(coordinates);
        let excess = self.incumbents.len().saturating_sub(MOST_INCUMBENTS);
        self.incumbents.drain(..excess);
    }

    /// Where earlier tasks had their best values, newest last.
    pub fn past_optima(&self) -> &[PastOptimum] {
        &self.past_optima
    }

    /// Remembers where a task had its best value.
    pub fn add_past_optimum(&mut self, optimum: PastOptimum) {
        past_optima::add(&mut self.past_optima, optimum);
    }

    /// Earlier tasks as they were described, newest last; none where tasks are not described.
    pub fn described(&self) -> &[DescribedTask] {
        &self.described
    }

    /// Remembers how a task was described, and the point that was recommended for it.
    pub fn add_described(&mut self, description: Description, best: Option<Vec<f64>>) {
        if self.schema.descriptors.is_empty() {
            return;
        }
        self.described.push(DescribedTask { number: self.tasks, description, best });
        let excess = self.described.len().saturating_sub(MOST_DESCRIBED);
        self.described.drain(..excess);
    }

    /// Coordinates of a description; what is missing in it is as in earlier tasks.
    ///
    /// # Errors
    /// If it names what is no descriptor, or a value is not one that the descriptor can take.
    pub fn place_of(&self, description: &Description) -> Result<Vec<f64>> {
        let earlier: Vec<&Description> =
            self.described.iter().map(|task| &task.description).collect();
        self.schema.descriptors.coordinates(description, &earlier)
    }

    /// Leaves of their heights only how large they are, so that none tells an observed value.
    pub fn round_past_optima(&mut self) {
        self.past_optima = self.past_optima.iter().map(past_optima::rounded).collect();
    }

    /// Whether it can be used for a problem with this surrogate.
    ///
    /// # Errors
    /// Says what differs.
    pub fn check_fits(&self, schema: &Schema, surrogate: &Surrogate) -> Result<()> {
        let refuse = |reason: String| Err(Error::Knowledge { reason });
        if self.schema.goal != schema.goal {
            let (theirs, ours) = (self.schema.goal.name(), schema.goal.name());
            return refuse(format!("it was learned to {theirs}, this problem is to {ours}"));
        }
        if self.schema.fidelities != schema.fidelities {
            let [theirs, ours] = [&self.schema, schema].map(|schema| schema.fidelities.join(", "));
            return refuse(format!("its fidelities are {theirs}; those here are {ours}"));
        }
        if let Some(difference) = difference_of_spaces(&self.schema.space, &schema.space) {
            return refuse(format!("it was learned in another space: {difference}"));
        }
        self.schema.check_descriptors(schema)?;
        self.check_contents(surrogate)
    }

    fn check_contents(&self, surrogate: &Surrogate) -> Result<()> {
        let refuse = |reason: String| Err(Error::Knowledge { reason });
        if let Some(units) = self.units.filter(|units| units.goal() != self.schema.goal) {
            return refuse(format!("its units are made to {}", units.goal().name()));
        }
        if self.tasks == u32::MAX {
            return refuse("it claims more tasks than can be counted".into());
        }
        let dimension = self.schema.space.dimension();
        let fits = |u: &Vec<f64>| u.len() == dimension && u.iter().all(|x| (0.0..=1.0).contains(x));
        if let Some(bad) = self.incumbents.iter().find(|u| !fits(u)) {
            return refuse(format!("the recommended point {} lies outside its space", listed(bad)));
        }
        if self.past_optima.len() > past_optima::MOST_PAST_OPTIMA {
            return refuse(format!("it claims {} best places", self.past_optima.len()));
        }
        let sound = |hill: &&PastOptimum| fits(&hill.place) && hill.height.is_finite();
        if let Some(bad) = self.past_optima.iter().find(|hill| !sound(hill)) {
            let (place, height) = (listed(&bad.place), bad.height);
            return refuse(format!(
                "the best place {place} of an earlier task, {height} high, makes no sense"
            ));
        }
        let Schema { space, descriptors, .. } = &self.schema;
        let sound = |task: &&DescribedTask| task.is_sound(space, descriptors);
        if let Some(bad) = self.described.iter().find(|task| !sound(task)) {
            let number = u64::from(bad.number) + 1;
            return refuse(format!("what it says of the earlier task {number} makes no sense"));
        }
        let believable =
            |(mean, deviation): (f64, f64)| mean.abs() < 50.0 && (1e-3..50.0).contains(&deviation);
        if let Some((mean, deviation)) = self.relatedness.filter(|related| !believable(*related)) {
            return refuse(format!(
                "what it believes of the relatedness of tasks, {mean} ± {deviation}, makes no sense"
            ));
        }
        let grains = self.schema.space.grains();
        let strange = |i: &usize| !grains.get(*i).is_some_and(Option::is_some);
        if !self.unstated.is_sorted_by(|a, b| a < b) || self.unstated.iter().any(strange) {
            return refuse(format!(
                "it lacks the coordinates {:?}, which cannot be",
                self.unstated
            ));
        }
        let parameters = self.parameters.as_deref().unwrap_or(&[]);
        if let Some((mean, deviation)) = parameters.iter().find(|known| !believable(**known)) {
            return refuse(format!(
                "what it believes of a parameter, {mean} ± {deviation}, makes no sense"
            ));
        }
        let expected = surrogate.parameter_count();
        if !parameters.is_empty() && parameters.len() != expected {
            let got = parameters.len();
            return refuse(format!("it knows {got} parameters of a surrogate with {expected}"));
        }
        if let Some(shared) = &self.shared {
            shared.check(dimension + descriptors.dimension(), self.schema.fidelities.len())?;
            if self.units.is_none() {
                return refuse("it has a shared function, but not the units it is meant in".into());
            }
        }
        let Some(belief) = &self.belief else { return Ok(()) };
        belief.misfit(surrogate).map_or(Ok(()), refuse)
    }
}

fn described_by(descriptors: &Descriptors) -> String {
    let one = |p: &Parameter| format!("{} ({})", p.name, p.domain);
    match descriptors.parameters() {
        [] => "tasks have no descriptors".to_owned(),
        all => {
            format!("tasks are described by {}", all.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    }
}

fn listed(coordinates: &[f64]) -> String {
    let numbers: Vec<String> = coordinates.iter().map(f64::to_string).collect();
    format!("({})", numbers.join(", "))
}
