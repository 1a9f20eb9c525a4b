//! The driver: evaluates the trials of a campaign, several at a time, until there is nothing left.
//!
//! Each worker is a thread with a name of its own. It takes the trial it had, or one that somebody
//! lost, or asks for a new one; evaluates it; reports; and begins again. Asking is serialised (one
//! desk per process, one turn per campaign), evaluating is not. A thread beside them gives signs of
//! life, so that leases end only when the process does.

use crate::desk::{Asker, Desk, Step};
use crate::error::{Result, RunnerError};
use crate::evaluator::{Evaluation, Evaluator, Request, Trouble};
use crate::records::Records;
use crate::stop::Stop;
use baton_store::{Answer, Lease, Report, Settled, Store, TrialRecord};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A trial that this many workers lost is not given to another: it may be what ends them.
const MOST_LOST: u32 = 3;
/// How long one who has nothing to do waits before looking again.
const NAP: Duration = Duration::from_millis(100);
/// Who waits for others says so after this long, and again and again.
const PATIENCE: Duration = Duration::from_secs(3);
const REMINDER: Duration = Duration::from_mins(1);

/// How a campaign is driven.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// name of this process among all that work on the campaign; keep it when starting again
    pub name: String,
    /// evaluations at a time; none to watch others
    pub workers: usize,
    /// how often an evaluation that broke is tried again
    pub retries: u32,
    /// how long a trial stays with a worker that gives no sign of life
    pub lease_seconds: f64,
    /// whether trials that others asked for without a lease, and did not answer, are evaluated here
    pub take_over: bool,
}

/// Something worth telling the user.
#[derive(Debug)]
pub enum Event<'a> {
    /// a trial is being evaluated
    Began(&'a TrialRecord),
    /// an evaluation broke and is tried again
    TryingAgain(&'a TrialRecord, &'a str),
    /// a trial has an outcome, or its answer came too late
    Settled(&'a TrialRecord, Settled),
    /// nothing can be done until these trials, which others have, are answered
    Waiting(Vec<&'a TrialRecord>),
    /// a task was finished
    Finished(u32),
}

/// Why driving ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// all tasks are finished
    Done,
    /// the task under way is paused
    Paused {
        /// its name
        task: String,
        /// why
        reason: String,
    },
    /// the user wished it
    Stopped,
}

/// Hears what happens, with the records as they are then.
pub type Observer<'a> = dyn Fn(&Event<'_>, &Records) + Sync + 'a;

/// Works on a campaign until it is done, paused, or the user wishes to stop.
///
/// # Errors
/// If the store or the algorithm fails. Evaluations that fail are outcomes, not errors.
pub fn drive(
    desk: Desk,
    evaluator: &dyn Evaluator,
    options: &Options,
    stop: &Stop,
    observer: &Observer<'_>,
) -> Result<Ending> {
    desk.end_leases_of_the_gone()?;
    let (store, name) = (Arc::clone(desk.store()), desk.name().to_owned());
    let holders: Vec<String> =
        (1..=options.workers).map(|i| format!("{}/{i}", options.name)).collect();
    let shared = Shared {
        desk: Mutex::new(desk),
        store: &store,
        name: &name,
        evaluator,
        options,
        stop,
        observer,
        over: AtomicBool::new(false),
        waiting: Mutex::new(None),
    };
    std::thread::scope(|scope| {
        scope.spawn(|| shared.give_signs_of_life(&holders));
        let workers: Vec<_> =
            holders.iter().map(|holder| scope.spawn(|| shared.work(holder))).collect();
        let endings: Vec<Result<Ending>> = if workers.is_empty() {
            vec![shared.watch()]
        } else {
            let lost = |_| Err(RunnerError::refused("a worker's thread was lost"));
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost)).collect()
        };
        shared.over.store(true, Ordering::SeqCst);
        // What was not answered is free for others at once. If that fails, leases end by themselves.
        let held: Vec<&str> = holders.iter().map(String::as_str).collect();
        let _ = store.release(&name, &held);
        first_of(endings)
    })
}

/// An error if there is one, else the first ending.
fn first_of(endings: Vec<Result<Ending>>) -> Result<Ending> {
    let mut ending = Ending::Done;
    for (i, result) in endings.into_iter().enumerate() {
        let result = result?;
        if i == 0 {
            ending = result;
        }
    }
    Ok(ending)
}

struct Shared<'a> {
    desk: Mutex<Desk>,
    store: &'a Store,
    name: &'a str,
    evaluator: &'a dyn Evaluator,
    options: &'a Options,
    stop: &'a Stop,
    observer: &'a Observer<'a>,
    /// all workers have ended, or one has failed
    over: AtomicBool,
    /// when it is to be said that others are waited for
    waiting: Mutex<Option<Instant>>,
}

impl Shared<'_> {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lease<'b>(&self, holder: &'b str) -> Lease<'b> {
        Lease { holder, seconds: Some(self.options.lease_seconds) }
    }

    fn give_signs_of_life(&self, holders: &[String]) {
        let leases: Vec<Lease<'_>> = holders.iter().map(|holder| self.lease(holder)).collect();
        let period = Duration::from_secs_f64(self.options.lease_seconds / 3.0);
        let mut since = Duration::ZERO;
        while !self.over.load(Ordering::SeqCst) {
            std::thread::sleep(NAP / 2);
            since += NAP / 2;
            if since >= period && !leases.is_empty() {
                since = Duration::ZERO;
                // A store that cannot be reached is noticed by the workers.
                let _ = self.store.renew(self.name, &leases);
            }
        }
    }

    /// One worker, until there is nothing left for it.
    fn work(&self, holder: &str) -> Result<Ending> {
        let result = self.work_on(holder);
        if result.is_err() {
            self.over.store(true, Ordering::SeqCst); // the others end after what they are at
        }
        result
    }

    fn work_on(&self, holder: &str) -> Result<Ending> {
        loop {
            if self.stop.wished() || self.over.load(Ordering::SeqCst) {
                return Ok(Ending::Stopped);
            }
            if let Some(record) = self.to_do(holder)? {
                self.evaluate(&record, holder)?;
                continue;
            }
            let step = self.desk().step(Asker { lease: self.lease(holder), request: None })?;
            match step {
                Step::Trial(record) => self.evaluate(&record, holder)?,
                Step::Wait => {
                    self.say_what_is_waited_for();
                    std::thread::sleep(NAP);
                }
                Step::Busy => std::thread::sleep(NAP),
                Step::Finished(task) => self.tell(&Event::Finished(task)),
                Step::Paused { task, reason } => return Ok(Ending::Paused { task, reason }),
                Step::Done => return Ok(Ending::Done),
            }
        }
    }

    /// A trial that is there to be evaluated: the holder's own, one that somebody lost, or one that
    /// was forgotten.
    fn to_do(&self, holder: &str) -> Result<Option<TrialRecord>> {
        let lease = self.lease(holder);
        let found = self.store.claim(self.name, lease)?;
        if found.is_some() || !self.options.take_over {
            return Ok(found);
        }
        Ok(self.store.take_over(self.name, None, lease)?)
    }

    /// If only others can go on, the user is told after a while, and again and again.
    fn say_what_is_waited_for(&self) {
        let desk = self.desk();
        let others = desk.records().held_by_others(&self.options.name);
        let mut due = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if others.is_empty() {
            *due = None;
            return;
        }
        let now = Instant::now();
        if now >= *due.get_or_insert(now + PATIENCE) {
            *due = Some(now + REMINDER);
            (self.observer)(&Event::Waiting(others), desk.records());
        }
    }

    /// Evaluates nothing, and ends when others are done.
    fn watch(&self) -> Result<Ending> {
        let mut known: Option<i64> = None;
        loop {
            if self.stop.wished() {
                return Ok(Ending::Stopped);
            }
            let mut desk = self.desk();
            desk.refresh()?;
            let records = desk.records();
            for record in records.trials.iter().flatten() {
                if known.is_some_and(|known| record.change > known) {
                    let event = match (record.trial.is_pending(), &record.holder) {
                        (true, None) => continue, // given back
                        (true, Some(_)) => Event::Began(record),
                        (false, _) => Event::Settled(record, Settled::Counted),
                    };
                    (self.observer)(&event, records);
                }
            }
            known = Some(records.campaign.change);
            match records.present() {
                Some(task) if task.state == baton_store::TaskState::Paused => {
                    let reason = task.reason.clone().unwrap_or_default();
                    return Ok(Ending::Paused { task: task.name.clone(), reason });
                }
                None if records.next().is_none() => return Ok(Ending::Done),
                _ => {}
            }
            drop(desk);
            std::thread::sleep(NAP);
        }
    }

    fn evaluate(&self, record: &TrialRecord, holder: &str) -> Result<()> {
        let request = {
            let mut desk = self.desk();
            desk.refresh()?;
            (self.observer)(&Event::Began(record), desk.records());
            Request::of(record, desk.records())
        };
        let (evaluation, attempts) = if record.lost >= MOST_LOST {
            let reason = format!("{} workers were lost while they evaluated it", record.lost);
            (Evaluation::from(Err(Trouble::Reported(reason))), 0)
        } else {
            self.attempt(record, request)
        };
        let mut desk = self.desk();
        let answer = match evaluation.result {
            Ok(measured) => Answer::Value(measured),
            Err(Trouble::Stopped) => return Ok(()), // it is given back and done again later
            Err(Trouble::NotStarted(reason)) => return Err(RunnerError::NotStarted { reason }),
            Err(Trouble::Reported(reason) | Trouble::Broken(reason)) => desk.failure(reason),
        };
        let report = Report {
            task: record.task,
            trial: record.trial.id,
            holder: Some(holder),
            answer,
            attempts,
            log: &evaluation.log,
        };
        let settled = desk.settle(&report)?;
        let records = desk.records();
        let now = records.trials_of(record.task).get(record.trial.id).unwrap_or(record);
        (self.observer)(&Event::Settled(now, settled), records);
        Ok(())
    }

    /// Tries until there is an answer, or the attempts are used up.
    fn attempt(&self, record: &TrialRecord, mut request: Request) -> (Evaluation, u32) {
        loop {
            let evaluation = self.evaluator.evaluate(&request, self.stop);
            let attempts = request.attempt;
            let again = attempts <= self.options.retries;
            match &evaluation.result {
                Err(Trouble::Broken(_) | Trouble::NotStarted(_)) if again && self.stop.wished() => {
                    return (Err(Trouble::Stopped).into(), attempts);
                }
                Err(Trouble::Broken(reason) | Trouble::NotStarted(reason)) if again => {
                    self.tell(&Event::TryingAgain(record, reason));
                    request.attempt += 1;
                }
                _ => return (evaluation, attempts),
            }
        }
    }

    fn tell(&self, event: &Event<'_>) {
        (self.observer)(event, self.desk().records());
    }
}
