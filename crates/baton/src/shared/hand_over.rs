//! What a finished task becomes for the next.

use super::equivalent::{absorb, without_data};
use super::frame::Frame;
use super::hypotheses::{Hypothesis, TIE};
use super::knowledge::{Knowledge, MOST_ODDS};
use super::observation::Observation;
use super::past_optima::{PastOptimum, Plain};
use super::shared_function::SharedFunction;
use super::verdict::Verdict;
use super::{lost_evidence, relatedness};
use crate::error::Result;
use crate::model::{Belief, Earlier, Normal, Note, Particles};
use crate::problem::Units;

/// What a task taught.
pub(crate) struct Learned {
    units: Units,
    belief: Option<Belief>,
    shared: Option<SharedFunction>,
    pub verdict: Option<Verdict>,
    drift: Option<f64>,
    relatedness: Option<Normal>,
    parameters: Option<Vec<Normal>>,
    optimum: Option<PastOptimum>,
    foretold: Option<f64>,
    /// where earlier tasks turned out to lie along what they lack
    places: Vec<(usize, f64)>,
    /// the same if what was said of tasks is passed over
    untold: Option<Box<Learned>>,
}

impl Learned {
    /// Nothing but the scale of its values.
    fn only(units: Units) -> Self {
        Self {
            units,
            belief: None,
            shared: None,
            verdict: None,
            drift: None,
            relatedness: None,
            parameters: None,
            optimum: None,
            foretold: None,
            places: Vec::new(),
            untold: None,
        }
    }
}

impl Knowledge {
    /// Takes in what a task taught.
    pub(crate) fn learn(&mut self, learned: Learned) {
        let tasks = self.tasks;
        if let (Some((untold, nats)), Some(other)) = (self.untold_mut(), learned.untold) {
            let better = learned.foretold.zip(other.foretold).map_or(0.0, |(told, not)| told - not);
            *nats = (*nats + better).clamp(-MOST_ODDS, MOST_ODDS);
            untold.tasks = tasks;
            untold.learn(*other);
        }
        self.units = Some(learned.units.without_floor());
        self.settle(&learned.places);
        if let Some(optimum) = learned.optimum {
            self.add_past_optimum(optimum);
        }
        self.judge(learned.verdict.map(|v| v.trusted), learned.drift);
        self.relatedness = learned.relatedness.or(self.relatedness);
        self.parameters = learned.parameters.or(self.parameters.take());
        self.belief = learned.belief.or(self.belief.take());
        self.shared = learned.shared.or(self.shared.take());
    }
}

/// What is known after a task of these observations; `None` if it showed too little to set a scale by.
pub(crate) fn hand_over(
    frame: &Frame<'_>,
    observations: &[Observation],
    notes: &mut Vec<Note>,
) -> Result<Option<Learned>> {
    let Some(mut learned) = learned(frame, observations, notes)? else { return Ok(None) };
    if let Some((frame, _)) = frame.untold() {
        let unsaid: Vec<Observation> = observations.iter().map(Observation::untold).collect();
        let untold = self::learned(&frame, &unsaid, &mut Vec::new())?;
        learned.untold = untold.map(Box::new);
    }
    Ok(Some(learned))
}

/// The same by what the frame knows.
fn learned(
    frame: &Frame<'_>,
    observations: &[Observation],
    notes: &mut Vec<Note>,
) -> Result<Option<Learned>> {
    if observations.is_empty() || !frame.knows_units(observations) {
        return Ok(None);
    }
    let units = frame.units(observations)?;
    if frame.transfer.carries_function() {
        return share(frame, units, observations, notes).map(Some);
    }
    let surrogate = frame.surrogate(&units, Earlier::None, false)?;
    let history = frame.history(&units, observations)?;
    let particles = frame.fit(&surrogate).hand_over(&history, notes)?;
    let belief = particles.map(|particles| Belief::new(&surrogate, particles));
    Ok(Some(Learned { belief, ..Learned::only(units) }))
}

/// What was learned beside the shared function; where that failed, what was known before.
fn or_before<T>(learned: Result<T>, before: T, notes: &mut Vec<Note>) -> T {
    learned.unwrap_or_else(|error| {
        notes.push(Note::FellBack(error.to_string()));
        before
    })
}

/// Adds the task to what is known of the shared function, unless it turned out to be unrelated.
fn share(
    frame: &Frame<'_>,
    units: Units,
    observations: &[Observation],
    notes: &mut Vec<Note>,
) -> Result<Learned> {
    // While a task runs, doubt costs little; at its end it costs all that the task has shown.
    let sample = frame.sample(&units, observations);
    let (model, comparison) = Hypothesis::of(frame, &units, &sample, TIE)?;
    notes.extend(model.notes.iter().cloned());
    let verdict = Verdict::of(&comparison);
    let (drift, foretold) = (comparison.drift, comparison.foretold);
    let known = frame.knowledge;
    let plain = Plain::of(&units, &model.surrogate, model.theta())?;
    let optimum = plain.highest(observations, frame.fidelities.len() - 1);
    if comparison.is_cold() {
        return Ok(Learned { verdict, optimum, foretold, ..Learned::only(units) });
    }
    let relatedness = relatedness::after(&model, known.relatedness);
    let relatedness = or_before(relatedness, known.relatedness, notes);
    let fitted_to = model.history.clone();
    let model = model.told_all(frame, &units, observations)?;
    let theta = model.theta();
    let before = known.shared.as_ref();
    let own = model.own_history()?;
    // Descriptions that differ are what the place is to be learned from.
    let (places, moved_by) = places(&model, &known.unstated);
    let own = match moved_by {
        Some(drift) if !are_told_apart(before, frame) => model.surrogate.placed_back(&own, &drift),
        _ => own,
    };
    let found = before.filter(|_| !places.is_empty()).map(|before| before.moved(&places));
    let before = found.as_ref().or(before);
    let staying = model.surrogate.without_drift();
    let common = |theta: &Vec<f64>| theta[..staying.parameter_count()].to_vec();
    let thetas: Vec<Vec<f64>> = model.particles.thetas().iter().map(common).collect();
    let (shared, lost) = absorb(before, frame.transfer.function, &staying, &thetas[0], &own)?;
    let fitted = (&*model.surrogate, theta);
    let parameters = lost_evidence::after_losing(lost, &fitted_to, fitted, frame);
    let parameters = or_before(parameters, known.parameters.clone(), notes);
    let belief = Belief::new(&staying, Particles::weighted(thetas, model.particles.weights())?);
    let (belief, shared) = (Some(belief), Some(shared));
    let said = Learned { verdict, drift, foretold, places, ..Learned::only(units) };
    Ok(Learned { belief, shared, relatedness, parameters, optimum, ..said })
}

/// Where earlier tasks turned out to lie along what they lack, and how far this one lies from the function
/// that all share.
fn places(model: &Hypothesis, unstated: &[usize]) -> (Vec<(usize, f64)>, Option<Vec<f64>>) {
    let Some(mut drift) = model.surrogate.drift(model.theta()) else { return (Vec::new(), None) };
    let found = unstated.iter().map(|i| (*i, std::mem::take(&mut drift[*i])));
    (found.collect(), Some(drift))
}

/// Whether a task is described otherwise than all before it.
fn are_told_apart(before: Option<&SharedFunction>, frame: &Frame<'_>) -> bool {
    let (points, searched) = (before.map_or(&[][..], |b| &b.points), frame.space.dimension());
    points.iter().any(|point| point[searched..] != *frame.place)
}

/// What is known, to be given to others: no value in it was observed.
pub(crate) fn shareable(frame: &Frame<'_>) -> Result<Knowledge> {
    let mut knowledge = frame.knowledge.clone();
    if let (Some((untold, _)), Some((frame, _))) = (knowledge.untold_mut(), frame.untold()) {
        *untold = shareable(&frame)?;
    }
    knowledge.round_past_optima();
    let Some(shared) = &knowledge.shared else { return Ok(knowledge) };
    let (Some(units), Some(belief)) = (&knowledge.units, &knowledge.belief) else {
        knowledge.shared = None;
        return Ok(knowledge);
    };
    let surrogate = frame.surrogate(units, shared.earlier(), false)?;
    let theta = &belief.particles().thetas()[0];
    let Some((given, lost)) = without_data(shared, &surrogate, theta)? else {
        knowledge.shared = None;
        return Ok(knowledge);
    };
    let history = shared.history(surrogate.dimension(), surrogate.levels())?;
    let model = (&surrogate, theta.as_slice());
    let parameters = lost_evidence::after_losing(lost, &history, model, frame)?;
    (knowledge.shared, knowledge.parameters) = (Some(given), parameters);
    Ok(knowledge)
}
