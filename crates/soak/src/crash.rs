//! Faults at every storage call, and processes killed at random: what was acknowledged is there, the
//! budget is exact, no trial is doubled, and the results are those of an undisturbed run.
//!
//! A moment is before or after one statement of the store. Three things go wrong at each: the process
//! is killed (a real one, by SIGKILL), the connection is lost, the database refuses.

use crate::place::{Kind, Place};
use crate::small::{self, Ended};
use crate::tally::{Share, Tally};
use baton_numerics::random::{Key, Purpose};
use baton_store::{Moment, Store, StoreError};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What a victim says when its campaign is done.
const DONE: &str = "done";

/// Goes through the moments, commits first, until the time is over, then kills at random.
pub fn run(share: Share) -> Tally {
    let mut tally = Tally::default();
    let result = moments(share.part(0.7), &mut tally);
    tally.check(result);
    let result = at_random(share, &mut tally);
    tally.check(result);
    tally
}

/// The process that is killed: runs the small campaign, and at moment `at` ends by its own hand.
pub fn victim(url: &str, at: Option<usize>, pause: Duration) -> Result<(), String> {
    let count = AtomicUsize::new(0);
    let watcher = move |_: Moment<'_>| {
        if at == Some(count.fetch_add(1, Ordering::SeqCst)) {
            let _ = kill(Pid::this(), Signal::SIGKILL);
        }
        Ok(())
    };
    let store = Store::open_watched(url, Arc::new(watcher)).map_err(|error| error.to_string())?;
    // Whole lines or none: what the parent reads was acknowledged.
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.flush());
    };
    small::run(Arc::new(store), pause, &say).map_err(|error| error.to_string())?;
    say(DONE.to_owned());
    Ok(())
}

/// A victim's process.
pub fn start_victim(url: &str, more: &[String]) -> Result<Child, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    Command::new(program)
        .args(["victim", "--store", url])
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("a victim could not be started: {error}"))
}

/// An undisturbed run, and of each of its moments whether something is committed then.
fn undisturbed(kind: Kind) -> Result<(Ended, Vec<bool>), String> {
    let place = Place::new(kind)?;
    let moments = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&moments);
    let watcher = move |moment: Moment<'_>| {
        let (Moment::Before(statement) | Moment::After(statement)) = moment;
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(statement == "COMMIT");
        Ok(())
    };
    let store = Store::open_watched(&place.url, Arc::new(watcher)).map_err(|e| e.to_string())?;
    small::run(Arc::new(store), Duration::ZERO, &|_| ()).map_err(|error| error.to_string())?;
    let moments = std::mem::take(&mut *moments.lock().unwrap_or_else(PoisonError::into_inner));
    // What is read to see the results is no moment of a victim.
    Ok((small::finish(&place.open()?)?, moments))
}

/// All moments, those of commits first, otherwise in no order.
fn in_turn(moments: &[bool], seed: u64) -> Vec<usize> {
    let mut stream = Key { seed, ..Key::default() }.stream(Purpose::Trial, 8);
    let mut drawn: Vec<(bool, u64, usize)> =
        (0..moments.len()).map(|at| (!moments[at], stream.bits(), at)).collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|(.., at)| at).collect()
}

fn moments(share: Share, tally: &mut Tally) -> Result<(), String> {
    let kinds = Kind::all();
    for (i, kind) in kinds.iter().enumerate() {
        let share = share.part(1.0 / (kinds.len() - i) as f64);
        let (expected, moments) = undisturbed(*kind)?;
        let name = format!("moments of the campaign in {}", kind.name());
        tally.largest(name, moments.len() as f64);
        for (visit, at) in in_turn(&moments, share.seed).iter().flat_map(|at| [at; 3]).enumerate() {
            if share.is_over() {
                break;
            }
            let at = *at;
            let (what, result) = match visit % 3 {
                0 => ("killed", killed(*kind, at, &expected)),
                1 => ("connection lost", failing(*kind, at, &expected, true)),
                _ => ("database refused", failing(*kind, at, &expected, false)),
            };
            tally.tried(format!("{what} at a moment, {}", kind.name()));
            tally.check(result.map_err(|why| format!("{what} at {at} in {}: {why}", kind.name())));
        }
    }
    Ok(())
}

fn killed(kind: Kind, at: usize, expected: &Ended) -> Result<(), String> {
    let place = Place::new(kind)?;
    let victim = start_victim(&place.url, &["--at".into(), at.to_string()])?;
    let output = victim.wait_with_output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if said.lines().any(|line| line == DONE) {
        return Err("it was not killed".into());
    }
    survived(&place, &said, expected)
}

/// What was acknowledged is there; and the campaign goes on to the undisturbed results.
fn survived(place: &Place, said: &str, expected: &Ended) -> Result<(), String> {
    let store = place.open()?;
    // A line that was cut off was never finished.
    let whole = said.rfind('\n').map_or("", |end| &said[..end]);
    let acknowledged: Vec<&str> = whole.lines().filter(|line| *line != DONE).collect();
    if !acknowledged.is_empty() {
        let now = Ended::of(&store)?;
        if let Some(lost) = acknowledged.iter().find(|line| !now.has(line)) {
            return Err(format!("{lost:?} was acknowledged and is gone"));
        }
    }
    small::finish(&store)?.same_as(expected)
}

/// One statement fails, before it was made or after. A lost connection is survived by the store
/// itself; after a refusal the campaign is run again.
fn failing(kind: Kind, at: usize, expected: &Ended, lost: bool) -> Result<(), String> {
    let place = Place::new(kind)?;
    let count = AtomicUsize::new(0);
    let watcher = move |_: Moment<'_>| {
        let reason = "on purpose".to_owned();
        match count.fetch_add(1, Ordering::SeqCst) {
            now if now != at => Ok(()),
            _ if lost => Err(StoreError::Lost { reason }),
            _ => Err(StoreError::Database { reason }),
        }
    };
    let said = Mutex::new(String::new());
    let say = |line: String| {
        if let Ok(mut said) = said.lock() {
            said.push_str(&line);
            said.push('\n');
        }
    };
    // While the store is opened nothing can be lost yet: whoever opens it tries again.
    if let Ok(store) = Store::open_watched(&place.url, Arc::new(watcher)) {
        let ran = small::run(Arc::new(store), Duration::ZERO, &say);
        if lost && ran.is_err() {
            return Err(format!("a lost connection was not survived: {ran:?}"));
        }
    }
    let said = said.into_inner().unwrap_or_default();
    survived(&place, &said, expected)
}

/// A process is killed again and again at any moment, until its campaign is done.
fn at_random(share: Share, tally: &mut Tally) -> Result<(), String> {
    let mut stream = Key { seed: share.seed, ..Key::default() }.stream(Purpose::Trial, 1);
    let kinds = Kind::all();
    let mut round = 0;
    while round < kinds.len() || !share.is_over() {
        let kind = kinds[round % kinds.len()];
        let (expected, _) = undisturbed(kind)?;
        let place = Place::new(kind)?;
        let slow = ["--pause".to_owned(), "10".to_owned()];
        for attempt in 0.. {
            let mut victim = start_victim(&place.url, &slow)?;
            // Ever more time, so that it gets done on the slowest machine.
            let most = 0.4 + 0.1 * f64::from(attempt);
            let until = Instant::now() + Duration::from_secs_f64(0.02 + most * stream.uniform());
            while Instant::now() < until && matches!(victim.try_wait(), Ok(None)) {
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = victim.kill();
            let output = victim.wait_with_output().map_err(|error| error.to_string())?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let whole = said.rfind('\n').map_or("", |end| &said[..end]);
            let store = place.open()?;
            if let Ok(now) = Ended::of(&store) {
                let lost = whole.lines().find(|line| *line != DONE && !now.has(line));
                tally.expect(lost.is_none(), || format!("{lost:?} was acknowledged and is gone"));
            }
            tally.tried(format!("killed at random, {}", kind.name()));
            if said.lines().any(|line| line == DONE) {
                break;
            }
        }
        tally.check(small::finish(&place.open()?)?.same_as(&expected));
        round += 1;
    }
    Ok(())
}
