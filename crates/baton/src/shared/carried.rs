//! What was learned in one space and at some fidelities, carried to others.
//!
//! Everything that is handed on is a place, a level or a parameter of the surrogate: places go the way that
//! `problem/passage.rs` knows, levels go by their names, and parameters by the coordinate or the level that
//! they speak of. A length scale grows as the range shrinks. What nothing came before begins as in a first
//! task.
//!
//! What was seen at a fidelity that is gone, and in values of a parameter that is gone, is replaced by what
//! that says of those that are left: the posterior there, as equivalent observations.

use super::equivalent::seen_from;
use super::frame::Frame;
use super::knowledge::{Knowledge, Schema};
use super::shared_function::{FARTHEST, SharedError, SharedFunction};
use crate::Error;
use crate::error::Result;
use crate::model::{Belief, Earlier, Normal, Particles, Surrogate};
use crate::problem::{Descriptors, Goal, Passage, Unseen, Was};
use std::collections::BTreeSet;

/// The way of knowledge from one problem to another.
pub(crate) struct Carrier {
    passage: Passage,
    to: Schema,
    /// the earlier level of each new one
    levels: Vec<Option<usize>>,
}

/// Where each parameter of a surrogate comes from, and what is to be added to it.
type Origins = Vec<Option<(usize, f64)>>;

impl Schema {
    /// What changes from this problem to another one, in words; nothing if nothing does.
    ///
    /// # Errors
    /// If what was learned of this one cannot be carried there: says what, and what would do.
    pub fn changes(&self, to: &Self, was: &Was) -> Result<Vec<String>> {
        if self == to { Ok(Vec::new()) } else { Ok(Carrier::new(self, to, was)?.in_words(self)) }
    }
}

impl Carrier {
    /// From the problem of some knowledge to another one.
    ///
    /// # Errors
    /// Says what cannot be carried.
    pub(crate) fn new(from: &Schema, to: &Schema, was: &Was) -> Result<Self> {
        let refuse = |reason: String| Err(Error::Knowledge { reason });
        if from.goal != to.goal {
            let (theirs, ours) = (from.goal.name(), to.goal.name());
            return refuse(format!(
                "earlier tasks were to {theirs}, this one is to {ours}: what was good is bad now, and what \
                 was avoided was not looked at; begin another campaign"
            ));
        }
        from.check_descriptors(to)?;
        let passage = Passage::between(&from.space, &to.space, was)?;
        let level = |name: &String| from.fidelities.iter().position(|earlier| earlier == name);
        let mut levels: Vec<Option<usize>> = to.fidelities.iter().map(level).collect();
        if let ([only], [_]) = (&mut levels[..], &from.fidelities[..]) {
            *only = Some(0); // a single one may have any name
        }
        let known: Vec<usize> = levels.iter().flatten().copied().collect();
        if known.is_empty() {
            return refuse("none of its fidelities is there any more".into());
        }
        if !known.is_sorted() {
            return refuse("its fidelities stand in another order".into());
        }
        Ok(Self { passage, to: to.clone(), levels })
    }

    /// The same way for what is known of a quantity that has to keep bounds.
    pub(crate) fn of_quantity(&self, goal: Goal) -> Self {
        let to = Schema { goal, ..self.to.clone() };
        Self { passage: self.passage.clone(), to, levels: self.levels.clone() }
    }

    /// What changes, in words.
    pub(crate) fn in_words(&self, from: &Schema) -> Vec<String> {
        let mut words = self.passage.in_words();
        let new = self.to.fidelities.iter().zip(&self.levels).filter(|(_, level)| level.is_none());
        words.extend(new.map(|(name, _)| format!("the fidelity {name} is new")));
        let gone = from.fidelities.iter().enumerate();
        let gone = gone.filter(|(i, _)| !self.levels.contains(&Some(*i)));
        words.extend(gone.map(|(_, name)| format!("the fidelity {name} is gone")));
        words
    }

    /// What is known in one frame, for the other, in which nothing is known.
    pub(crate) fn carry(&self, from: &Frame<'_>, to: &Frame<'_>) -> Result<Knowledge> {
        let mut carried = self.carried(from, to)?;
        if let (Some((from, known)), Some((to, _)), Some((untold, nats))) =
            (from.untold(), to.untold(), carried.untold_mut())
        {
            (*untold, *nats) = (self.untold().carried(&from, &to)?, known);
        }
        Ok(carried)
    }

    fn carried(&self, from: &Frame<'_>, to: &Frame<'_>) -> Result<Knowledge> {
        let known = from.knowledge;
        let mut carried = Knowledge::none(self.to.clone());
        carried.take_counts(known);
        carried.unstated = self.unstated(&known.unstated);
        carried.is_elsewhere = known.is_elsewhere || !self.passage.in_words().is_empty();
        carried.unseen = self.unseen(known);
        let inside = |u: &Vec<f64>| {
            let place = self.passage.point(u)?;
            let is_inside = place.iter().all(|x| (-1e-9..=1.0 + 1e-9).contains(x));
            is_inside
                .then(|| self.to.space.settled(place.iter().map(|x| x.clamp(0.0, 1.0)).collect()))
        };
        carried.take_places(known, &inside);
        let Some(units) = known.units else { return Ok(carried) };
        let earlier = known.shared.as_ref().map_or(Earlier::None, SharedFunction::earlier);
        let of = |frame: &Frame<'_>| frame.surrogate_without_places(&units, earlier);
        let (before, after) = (of(from)?, of(to)?);
        let origins = self.origins(&before, &after);
        let first = to.first_prior(&after);
        // What begins anew is fitted from several starts, as in a first task.
        let all_known = origins.as_ref().is_some_and(|origins| origins.iter().all(Option::is_some));
        if let (Some(origins), Some(belief), true) = (&origins, &known.belief, all_known) {
            let theta = |old: &Vec<f64>| taken(origins, old, |z, by| z + by, |i| first[i].0);
            let thetas: Vec<Vec<f64>> = belief.particles().thetas().iter().map(theta).collect();
            let particles = Particles::weighted(thetas, belief.particles().weights())?;
            carried.belief = Some(Belief::new(&after, particles));
        }
        if let (Some(origins), Some(known)) = (&origins, &known.parameters) {
            let shift = |(mean, deviation): Normal, by: f64| (mean + by, deviation);
            carried.parameters = Some(taken(origins, known, shift, |i| first[i]));
        }
        if let Some(shared) = &known.shared {
            let believed =
                known.belief.as_ref().map(|belief| belief.particles().thetas()[0].clone());
            let usual = || from.first_prior(&before).iter().map(|(mean, _)| *mean).collect();
            carried.shared = self.shared(shared, (&before, &believed.unwrap_or_else(usual)))?;
        }
        if carried.shared.is_none() {
            // Without the function, what was learned with it would speak of nothing.
            (carried.parameters, carried.relatedness) = (None, None);
        }
        Ok(carried)
    }

    /// The same of what is known if descriptions are passed over.
    fn untold(&self) -> Self {
        let to = Schema { descriptors: Descriptors::default(), ..self.to.clone() };
        Self { passage: self.passage.clone(), to, levels: self.levels.clone() }
    }

    /// What no task has seen; all that may be new if something already was.
    fn unseen(&self, known: &Knowledge) -> Unseen {
        match (known.unseen(), self.passage.unseen()) {
            (Unseen::Nothing, unseen) => unseen,
            _ => Unseen::Beyond,
        }
    }

    /// Coordinates that earlier tasks lack, those that they lacked before included.
    fn unstated(&self, before: &[usize]) -> Vec<usize> {
        let scales = self.passage.scales();
        let now = |old: &usize| scales.iter().position(|s| s.is_some_and(|(from, _)| from == *old));
        let grains = self.to.space.grains();
        let is_graded = |i: &usize| grains.get(*i).is_some_and(Option::is_some);
        let all = before.iter().filter_map(now).chain(self.passage.unstated());
        let all: BTreeSet<usize> = all.filter(is_graded).collect();
        all.into_iter().collect()
    }

    /// The equivalent observations; `None` if none is left.
    fn shared(
        &self,
        shared: &SharedFunction,
        (surrogate, theta): (&Surrogate, &[f64]),
    ) -> Result<Option<SharedFunction>> {
        let new_level = |old: usize| self.levels.iter().position(|level| *level == Some(old));
        let lost = shared.levels.iter().any(|level| new_level(*level).is_none());
        let moved = if lost && matches!(shared.error, SharedError::Noise(_)) {
            let left: Vec<usize> = self.levels.iter().flatten().copied().collect();
            let nearest = |old: usize| left.iter().copied().min_by_key(|level| level.abs_diff(old));
            let place =
                |(point, level): (&Vec<f64>, &usize)| Some((point.clone(), nearest(*level)?));
            let places: Vec<(Vec<f64>, usize)> =
                shared.points.iter().zip(&shared.levels).filter_map(place).collect();
            Some(seen_from(shared, &places, surrogate, theta)?)
        } else {
            None
        };
        let shared = moved.as_ref().unwrap_or(shared);
        let searched = self.passage.dimension_before();
        let kept = |row: usize| {
            let (own, description) = shared.points[row].split_at(searched);
            let point = [self.passage.point(own)?, description.to_vec()].concat();
            if point.iter().any(|x| x.abs() >= FARTHEST) {
                return None; // nothing of it is felt here
            }
            Some((row, point, new_level(shared.levels[row])?))
        };
        let kept: Vec<_> = (0..shared.len()).filter_map(kept).collect();
        Ok(if kept.is_empty() { None } else { Some(shared.taken(kept)) })
    }

    /// Where the parameters of a surrogate come from; `None` if nothing of it can be told.
    fn origins(&self, before: &Surrogate, after: &Surrogate) -> Option<Origins> {
        let mut starts = Vec::new();
        let mut start = 0;
        for block in before.layout().blocks() {
            starts.push((block, start));
            start += block.size();
        }
        let same_levels = self.levels.iter().copied().eq((0..self.levels.len()).map(Some));
        let mut origins = Origins::new();
        for block in after.layout().blocks() {
            let found = starts.iter().find(|(known, _)| known.name == block.name);
            let within: Origins = match (block.name.as_str(), found) {
                ("log_lengthscales", _) => self.passage.scales(),
                ("fidelity_links", _) => (1..self.levels.len()).map(|k| self.link(k)).collect(),
                ("log_noise", _) => self.levels.iter().map(|l| l.map(|l| (l, 0.0))).collect(),
                ("fidelity_factor", _) if !same_levels => vec![None; block.size()],
                (_, Some((known, _))) if known.shape == block.shape => {
                    (0..block.size()).map(|i| Some((i, 0.0))).collect()
                }
                (_, None) => vec![None; block.size()],
                (_, Some(_)) => return None, // a network's first layer
            };
            let start = found.map(|(_, start)| *start);
            let place = |from: Option<(usize, f64)>| Some((start? + from?.0, from?.1));
            origins.extend(within.into_iter().map(place));
        }
        Some(origins)
    }

    /// The link between a new level and the one below it: that of the same level, if both were there.
    fn link(&self, level: usize) -> Option<(usize, f64)> {
        let (below, here) = (self.levels[level - 1]?, self.levels[level]?);
        (below < here).then(|| (here - 1, 0.0))
    }
}

fn taken<T: Copy>(
    origins: &Origins,
    old: &[T],
    shifted: impl Fn(T, f64) -> T,
    fresh: impl Fn(usize) -> T,
) -> Vec<T> {
    let one = |(i, origin): (usize, &Option<(usize, f64)>)| match origin {
        Some((from, by)) => old.get(*from).map_or_else(|| fresh(i), |old| shifted(*old, *by)),
        None => fresh(i),
    };
    origins.iter().enumerate().map(one).collect()
}
