//! Hostile histories through all methods and presets: every ask legal and finite, every degradation
//! in the ledger, none fatal.
//!
//! History number `i` of a seed is always the same one, so that a failure can be looked at again:
//! `baton-soak hostile --seed SEED --first I --histories 1`.

mod history;

use crate::tally::{Share, Tally};
use baton::{Aim, model::Note};
use baton::{Campaign, Knowledge, Task, Trial};
use baton_numerics::parallel;
use history::{Hostile, size_class};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Histories that are gone through however little time there is.
const LEAST: usize = 24;
/// What each task of a hostile campaign may spend.
const BUDGET: f64 = 1e6;

/// As many histories as the time allows.
pub fn run(share: Share) -> Tally {
    side_by_side(share.seed, share.largest, 0, |i| i < LEAST || !share.is_over())
}

/// So many histories, from one of them on.
pub fn some(seed: u64, first: usize, count: usize, largest: usize) -> Tally {
    side_by_side(seed, largest, first, |i| i < first + count)
}

/// One lane per processor; each takes the next history, so that a large one keeps nobody waiting.
fn side_by_side(
    seed: u64,
    largest: usize,
    first: usize,
    goes_on: impl Fn(usize) -> bool + Sync + Send,
) -> Tally {
    let lanes = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(first);
    let parts = parallel::map(lanes, |_| {
        let mut tally = Tally::default();
        loop {
            let index = next.fetch_add(1, Ordering::SeqCst);
            if !goes_on(index) {
                return tally;
            }
            tally.add(one(seed, index, largest));
        }
    });
    let mut tally = Tally::default();
    for part in parts {
        tally.add(part);
    }
    tally
}

fn one(seed: u64, index: usize, largest: usize) -> Tally {
    let hostile = Hostile::new(seed, index, largest);
    let mut tally = Tally::default();
    tally.tried(format!("histories of {}", size_class(hostile.size)));
    let begun = Instant::now();
    let result = catch_unwind(AssertUnwindSafe(|| go_through(&hostile, &mut tally)));
    tally.largest(format!("seconds, {}", size_class(hostile.size)), begun.elapsed().as_secs_f64());
    let outcome = match result {
        Ok(outcome) => outcome,
        Err(_) => Err("it panicked".to_owned()),
    };
    let described =
        |reason| format!("seed {seed}, history {index} ({}): {reason}", hostile.words());
    tally.check(outcome.map_err(described));
    tally
}

/// A task with the first part of the history, and where there is a second part, a task that starts
/// from what the first taught.
fn go_through(hostile: &Hostile, tally: &mut Tally) -> Result<(), String> {
    let mut campaign = hostile.campaign()?;
    for part in 0..hostile.tasks {
        let mut task = campaign.start(BUDGET).map_err(|e| format!("start: {e}"))?;
        for (i, (point, level, value)) in hostile.rows(part).into_iter().enumerate() {
            task.add_free(&point, level, hostile.measured(value, i))
                .map_err(|e| format!("add: {e}"))?;
        }
        asks(hostile, &mut task, tally)?;
        match task.recommendation() {
            Ok(Some(best)) => {
                let (low, high) = best.interval;
                let sound = best.mean.is_finite() && low.is_finite() && high.is_finite();
                let inside = low <= best.mean && best.mean <= high;
                let likely = best.feasible.is_none_or(|share| (0.0..=1.0).contains(&share));
                legal(hostile, &best.point)?;
                if !(sound && inside && likely) {
                    return Err(format!("recommended {} in [{low}, {high}]", best.mean));
                }
            }
            Ok(None) => return Err("nothing was recommended".into()),
            Err(_) => tally.noted("a recommendation could not be made by the model"),
        }
        let finished = campaign.finish(task).map_err(|e| format!("finish: {e}"))?;
        count(&finished.notes, "on finishing", tally);
        campaign = handed_on(&campaign, hostile)?;
    }
    Ok(())
}

/// A few asks, told hostile values, one of them failed and one left pending.
fn asks(hostile: &Hostile, task: &mut Task, tally: &mut Tally) -> Result<(), String> {
    for turn in 0..hostile.asks {
        let asked = task.ask().map_err(|error| format!("ask {turn}: {error}"))?;
        let Some(trial) = asked else { return Err(format!("ask {turn}: nothing")) };
        tally.noted(format!("asked by {}/{}", hostile.method, hostile.preset));
        check(hostile, &trial)?;
        count(&trial.notes, "on asking", tally);
        let told = match turn % 3 {
            0 => task.tell(trial.id, hostile.measured(hostile.value(&trial), trial.id)),
            1 => Ok(()), // it stays pending
            _ => task.fail(trial.id, "it crashed"),
        };
        told.map_err(|error| format!("tell {turn}: {error}"))?;
    }
    Ok(())
}

fn check(hostile: &Hostile, trial: &Trial) -> Result<(), String> {
    legal(hostile, &trial.point)?;
    if trial.level >= hostile.levels() {
        return Err(format!("level {} was asked for", trial.level));
    }
    let sound = |nats: f64| nats.is_finite();
    let nats = trial.nats.is_none_or(|nats| sound(nats.optimum) && sound(nats.transfer));
    if !nats || !trial.runner_up.as_ref().is_none_or(|(_, rate)| sound(*rate)) {
        return Err(format!("it is worth {:?}, {:?}", trial.nats, trial.runner_up));
    }
    let said = trial.notes.iter().any(|note| matches!(note, Note::FellBack(_)));
    if (trial.aim == Aim::FALLBACK) != said {
        return Err(format!("aim {:?} with the notes {:?}", trial.aim, trial.notes));
    }
    Ok(())
}

/// Every value is one that its parameter can take, as it is written, and nothing forbids them together.
fn legal(hostile: &Hostile, point: &[baton::Value]) -> Result<(), String> {
    let same = hostile.space().canonical(point).map_err(|error| format!("illegal: {error}"))?;
    hostile.space().check_allowed(point).map_err(|error| error.to_string())?;
    if same == point { Ok(()) } else { Err(format!("{point:?} is not written as {same:?}")) }
}

fn count(notes: &[Note], when: &str, tally: &mut Tally) {
    for note in notes {
        let kind = match note {
            Note::Jitter(_) => "jitter".to_owned(),
            Note::DroppedParticles(_) => "particles dropped".to_owned(),
            Note::FailedScores(_) => "particle steps failed".to_owned(),
            Note::FellBack(reason) => format!("fell back, {}", kind_of(reason)),
            Note::Unrelated(_) => "earlier tasks left out".to_owned(),
            other => kind_of(&other.to_string()),
        };
        tally.noted(format!("{kind}, {when}"));
    }
}

/// A reason without its numbers.
fn kind_of(reason: &str) -> String {
    let words: String =
        reason.chars().map(|c| if c.is_ascii_digit() { '#' } else { c }).take(60).collect();
    words
}

/// The campaign that goes on from what this one knows, through text and back.
fn handed_on(campaign: &Campaign, hostile: &Hostile) -> Result<Campaign, String> {
    let text = campaign.knowledge().to_json().map_err(|error| format!("knowledge: {error}"))?;
    let again = Knowledge::from_json(&text).map_err(|error| format!("knowledge: {error}"))?;
    if again != *campaign.knowledge() {
        return Err("knowledge changed on its way through text".into());
    }
    hostile.campaign()?.with_knowledge(again).map_err(|error| format!("knowledge: {error}"))
}
