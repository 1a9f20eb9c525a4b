//! Many at a time on one store: whatever the order of their calls, nothing is given or counted twice.

use super::model::Call;
use super::real::{self, NAME, call};
use crate::place::Place;
use crate::tally::Tally;
use baton::Outcome;
use baton_numerics::random::{Key, Purpose};
use baton_store::{Changes, Store, TrialRecord};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

const WORKERS: u32 = 4;
const CALLS: usize = 60;

/// Opening is not tried again by a store, since the address may be wrong; here it is right.
fn opened(place: &Place) -> Result<Arc<Store>, String> {
    let mut result = place.open();
    for _ in 0..100 {
        if result.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(20));
        result = place.open();
    }
    result
}

/// What one worker did.
#[derive(Default)]
struct Done {
    appended: BTreeSet<String>,
    claimed: Vec<String>,
    counted: Vec<(usize, f64)>,
    errors: Vec<String>,
    calls: u64,
}

/// A crowd at work on a fresh store, and what must hold afterwards.
///
/// `progress` counts the calls that were answered.
pub fn run(
    place: &Place,
    seed: u64,
    progress: &AtomicUsize,
    tally: &mut Tally,
) -> Result<(), String> {
    let store = opened(place)?;
    store.create(NAME, "spec").map_err(|error| error.to_string())?;
    call(&store, &Call::Start { holder: None, live: true });
    let over = AtomicBool::new(false);
    let done: Vec<Done> = std::thread::scope(|scope| {
        let follower = scope.spawn(|| follow(place, &over));
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| scope.spawn(move || work(place, worker, seed, progress)))
            .collect();
        let done = workers.into_iter().map(|w| w.join().unwrap_or_default()).collect();
        over.store(true, Ordering::SeqCst);
        tally.check(follower.join().unwrap_or_else(|_| Err("the follower was lost".into())));
        done
    });
    for worker in &done {
        tally.expect(worker.errors.is_empty(), || format!("{:?}", worker.errors));
    }
    tally.tried("calls of a crowd");
    for _ in 1..done.iter().map(|worker| worker.calls).sum::<u64>() {
        tally.tried("calls of a crowd");
    }
    check(&store, &done)
}

fn work(place: &Place, worker: u32, seed: u64, progress: &AtomicUsize) -> Done {
    let mut done = Done::default();
    let store = match opened(place) {
        Ok(store) => store,
        Err(error) => {
            done.errors.push(error);
            return done;
        }
    };
    let key = Key { seed, campaign: u64::from(worker), ..Key::default() };
    let mut stream = key.stream(Purpose::Trial, 5);
    for _ in 0..CALLS {
        done.calls += 1;
        progress.fetch_add(1, Ordering::SeqCst);
        let answer = match stream.below(10) {
            0..=3 => {
                let number = store.changes(NAME, 0).map_or(0, |changes| changes.trials.len());
                let append =
                    Call::Append { task: 0, number, holder: None, live: true, request: None };
                let answer = call(&store, &append);
                if answer.starts_with("0.") && !done.appended.insert(answer.clone()) {
                    done.errors.push(format!("{answer} was given twice"));
                }
                answer
            }
            4..=8 => one_trial(&store, worker, &mut stream, &mut done),
            _ => call(&store, &Call::Renew { holder: worker, live: true }),
        };
        if answer.starts_with("error") {
            done.errors.push(answer);
        }
    }
    done
}

/// Claims a trial and settles it.
fn one_trial(
    store: &Store,
    worker: u32,
    stream: &mut baton_numerics::random::Stream,
    done: &mut Done,
) -> String {
    let answer = call(store, &Call::Claim { holder: worker, live: true });
    let Some(number) = answer.strip_prefix("0.").and_then(|a| a.split(' ').next()) else {
        return answer;
    };
    let Ok(trial) = number.parse::<usize>() else { return answer };
    done.claimed.push(number.to_owned());
    let value = stream.uniform();
    let settle = Call::Settle { task: 0, trial, holder: Some(worker), value: Some(value) };
    let settled = call(store, &settle);
    match settled.as_str() {
        // Repeated: the first answer was not acknowledged, since the connection was lost.
        "counted" | "repeated" => done.counted.push((trial, value)),
        _ => done.errors.push(format!("trial {trial}, which nobody else had: {settled}")),
    }
    settled
}

fn check(store: &Store, done: &[Done]) -> Result<(), String> {
    let records = store.changes(NAME, 0).map_err(|error| error.to_string())?.trials;
    let appended: usize = done.iter().map(|worker| worker.appended.len()).sum();
    if records.len() != appended + 1 {
        return Err(format!("{appended} trials were acknowledged, {} are there", records.len()));
    }
    let mut claims: Vec<&String> = done.iter().flat_map(|worker| &worker.claimed).collect();
    claims.sort();
    if let Some([twice, _]) = claims.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(format!("trial {twice} was given to two"));
    }
    let counted: BTreeMap<usize, f64> =
        done.iter().flat_map(|worker| worker.counted.iter().copied()).collect();
    let mut orders = Vec::new();
    for (place, record) in records.iter().enumerate() {
        if record.trial.id != place || record.lost != 0 {
            return Err(format!("trial {place} is {record:?}"));
        }
        match (&record.trial.outcome, counted.get(&place)) {
            (Outcome::Told { value, order }, Some(said)) if value == said => orders.push(*order),
            (Outcome::Pending, None) => {}
            (outcome, said) => return Err(format!("trial {place}: {outcome:?}, said {said:?}")),
        }
    }
    orders.sort_unstable();
    if orders != (0..orders.len()).collect::<Vec<_>>() {
        return Err(format!("tells are numbered {orders:?}"));
    }
    Ok(())
}

/// Keeps up with the changes, and knows everything in the end.
fn follow(place: &Place, over: &AtomicBool) -> Result<(), String> {
    let store = opened(place)?;
    let mut known: BTreeMap<usize, TrialRecord> = BTreeMap::new();
    let mut seen = 0;
    loop {
        let last = over.load(Ordering::SeqCst);
        let Changes { campaign, trials, .. } =
            store.changes(NAME, seen).map_err(|error| error.to_string())?;
        seen = campaign.change;
        known.extend(trials.into_iter().map(|record| (record.trial.id, record)));
        if last {
            break;
        }
    }
    let all = real::lines(&store).map_err(|error| error.to_string())?;
    let shown = |record: &TrialRecord| match &record.trial.outcome {
        Outcome::Told { value, order } => format!("told {value} as {order}"),
        _ => "pending".to_owned(),
    };
    for (line, record) in all.iter().skip(1).zip(known.values()) {
        if !line.contains(&shown(record)) {
            return Err(format!("who followed the changes knows {record:?}, there is {line}"));
        }
    }
    if all.len() == known.len() + 1 { Ok(()) } else { Err("changes were missed".into()) }
}
