//! The store's protocol against a model: random calls by several hands, on SQLite and PostgreSQL,
//! with connections that drop and a database that restarts in the middle.

mod crowd;
mod model;
mod proxy;
mod real;

use crate::place::{Kind, Place, postgres_url};
use crate::tally::{Share, Tally};
use baton_numerics::random::{Key, Purpose, Stream};
use baton_store::Store;
use model::{Call, Model};
use proxy::Proxy;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Connections that take turns in a round, and calls of a round.
const HANDS: usize = 3;
const CALLS: usize = 120;
/// Calls of a crowd between two cuts of all connections.
const CUT_EVERY: usize = 10;
/// Where `scripts/with-postgres` puts the command that restarts its database.
const RESTART: &str = "BATON_TEST_POSTGRES_RESTART";

pub fn run(share: Share) -> Tally {
    let mut tally = Tally::default();
    let mut round = 0;
    while round < 1 || !share.is_over() {
        let seed = share.seed.wrapping_add(round);
        for kind in Kind::all() {
            let result = undisturbed(kind, seed, &mut tally);
            tally.check(result.map_err(|why| format!("{}, seed {seed}: {why}", kind.name())));
        }
        if postgres_url().is_some() {
            // A restart takes seconds; connections are cut every time.
            let restart = round % 4 == 0;
            let result = disturbed(seed, restart, &mut tally);
            tally.check(result.map_err(|why| format!("disturbed, seed {seed}: {why}")));
        } else {
            tally.noted("no PostgreSQL: BATON_TEST_POSTGRES is not set");
        }
        round += 1;
    }
    tally
}

fn undisturbed(kind: Kind, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let place = Place::new(kind)?;
    against_model(&place, seed, &mut |_| (), tally)?;
    tally.tried(format!("rounds against the model, {}", kind.name()));
    let place = Place::new(kind)?;
    crowd::run(&place, seed, &AtomicUsize::new(0), tally)?;
    tally.tried(format!("rounds of a crowd, {}", kind.name()));
    Ok(())
}

/// The same through a proxy that cuts connections, and with a database that is stopped hard and
/// started again.
fn disturbed(seed: u64, restart: bool, tally: &mut Tally) -> Result<(), String> {
    let server = postgres_url().ok_or("no PostgreSQL")?;
    let (port, through) = port(&server)?;
    let proxy = Proxy::new(port)?;
    let place = Place::in_postgres(&server, &through(proxy.port()))?;
    let mut cuts = Key { seed, ..Key::default() }.stream(Purpose::Trial, 6);
    let mut restarted = Ok(());
    let mut disturb = |call: usize| {
        if cuts.below(6) == 0 {
            proxy.cut();
        }
        if restart && call == CALLS / 2 {
            restarted = restart_database();
        }
    };
    against_model(&place, seed, &mut disturb, tally)?;
    restarted?;
    tally.tried("rounds against the model, PostgreSQL with connections cut");
    let place = Place::in_postgres(&server, &through(proxy.port()))?;
    let (over, progress) = (AtomicBool::new(false), AtomicUsize::new(0));
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            // In the middle of whatever is under way, once something was done since the last time.
            let mut next = CUT_EVERY;
            while !over.load(Ordering::SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
                if progress.load(Ordering::SeqCst) >= next {
                    proxy.cut();
                    next += CUT_EVERY;
                }
            }
        });
        let result = crowd::run(&place, seed, &progress, tally);
        over.store(true, Ordering::SeqCst);
        result
    });
    tally.tried("rounds of a crowd, PostgreSQL with connections cut");
    tally.largest("connections cut in a round", proxy.cuts() as f64);
    if restart {
        tally.tried("restarts of the database");
    }
    result
}

/// The port of an address, and the address with another port.
fn port(url: &str) -> Result<(u16, impl Fn(u16) -> String), String> {
    let start = url.rfind(':').map(|colon| colon + 1).ok_or("the address has no port")?;
    let end = url[start..].find('/').map_or(url.len(), |slash| start + slash);
    let port = url[start..end].parse().map_err(|_| format!("no port in {url}"))?;
    let (before, after) = (url[..start].to_owned(), url[end..].to_owned());
    Ok((port, move |other: u16| format!("{before}{other}{after}")))
}

fn restart_database() -> Result<(), String> {
    let Ok(command) = std::env::var(RESTART) else {
        return Err(format!("{RESTART} is not set\nhint: scripts/with-postgres sets it"));
    };
    let done = std::process::Command::new("sh").args(["-c", &command]).status();
    if done.is_ok_and(|status| status.success()) {
        Ok(())
    } else {
        Err("the database could not be restarted".into())
    }
}

/// Random calls by several hands in turn, each answered by the store as by the model.
fn against_model(
    place: &Place,
    seed: u64,
    disturb: &mut dyn FnMut(usize),
    tally: &mut Tally,
) -> Result<(), String> {
    let mut stream = Key { seed, ..Key::default() }.stream(Purpose::Trial, 4);
    let hands: Vec<Arc<Store>> = (0..HANDS).map(|_| place.open()).collect::<Result<_, _>>()?;
    hands[0].create(real::NAME, "spec").map_err(|error| error.to_string())?;
    let mut model = Model::default();
    for number in 0..CALLS {
        disturb(number);
        let call = random_call(&mut stream, &model);
        let expected = model.call(&call);
        let answer = real::call(&hands[stream.below(HANDS)], &call);
        tally.tried("calls against the model");
        // A call that arrived and was not acknowledged is made again, and finds itself done.
        let repeated = expected == "counted" && answer == "repeated";
        if answer != expected && !repeated {
            return Err(format!("call {number}, {call:?}: {answer} instead of {expected}"));
        }
        if number % 20 == 0 || number + 1 == CALLS {
            let found = real::lines(&hands[0]).map_err(|error| error.to_string())?;
            if found != model.lines() {
                let wrong = found.iter().zip(model.lines()).find(|(a, b)| *a != b);
                return Err(format!("after call {number}, {call:?}: {wrong:?}"));
            }
        }
    }
    Ok(())
}

fn random_call(stream: &mut Stream, model: &Model) -> Call {
    let holder = u32::try_from(stream.below(3)).unwrap_or(0);
    let some_holder = Some(holder).filter(|_| stream.uniform() < 0.8);
    let live = stream.uniform() < 0.6;
    let task = match model.tasks() {
        0 => 0,
        // Mostly the last one; now and then an earlier one, or one that is not there.
        count if stream.uniform() < 0.85 => count - 1,
        count => u32::try_from(stream.below(count as usize + 1)).unwrap_or(0),
    };
    let count = model.trials(task);
    match stream.below(25) {
        0 | 1 => Call::Start { holder: some_holder, live },
        2..=6 => {
            let number = if stream.uniform() < 0.8 { count } else { stream.below(count + 2) };
            let request =
                (stream.uniform() < 0.3).then(|| u32::try_from(stream.below(8)).unwrap_or(0));
            Call::Append { task, number, holder: some_holder, live, request }
        }
        7..=10 => Call::Claim { holder, live },
        11 => Call::Renew { holder, live },
        12..=17 => {
            let value = (stream.uniform() < 0.7).then(|| stream.below(3) as f64 / 3.0);
            Call::Settle { task, trial: stream.below(count + 1), holder: some_holder, value }
        }
        18 => Call::Pause { task },
        19 => Call::GoOn { task },
        20 => Call::Raise { task, total: model::BUDGET + stream.below(5) as f64 },
        21 => Call::Finish { task, stale: stream.uniform() < 0.6 },
        22 => Call::TakeTurn { holder, live },
        23 => Call::EndTurn { holder },
        _ => Call::Release { holder },
    }
}
