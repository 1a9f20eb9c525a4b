//! Answers to trials, taken in together: one thread writes all that wait in one transaction, so that
//! many clients share the price of one sync to disk. An answer is acknowledged once it is there.

use baton_store::{Answer, Report, Settled, Store, StoreError, TrialRecord};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// Answers in one transaction at the most.
const MOST: usize = 128;

/// What a client reports.
pub struct Answered {
    /// the campaign's name
    pub campaign: String,
    /// number of the task
    pub task: u32,
    /// number of the trial
    pub trial: usize,
    /// the worker that answers; `None` if it is a person
    pub worker: Option<String>,
    /// the answer
    pub answer: Answer,
}

impl Answered {
    fn report(&self) -> (&str, Report<'_>) {
        let Self { campaign, task, trial, worker, answer } = self;
        let (holder, answer) = (worker.as_deref(), answer.clone());
        let report = Report { task: *task, trial: *trial, holder, answer, attempts: 1, log: "" };
        (campaign, report)
    }
}

/// What became of an answer, with the trial as it is then.
pub type Taken = Result<(Settled, TrialRecord), StoreError>;

type Reply = oneshot::Sender<Taken>;

/// Takes in answers until it is closed.
pub struct Teller {
    queue: Mutex<Option<Sender<(Answered, Reply)>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Teller {
    /// A teller that writes to a store.
    ///
    /// # Errors
    /// If there can be no further thread.
    pub fn new(store: Arc<Store>) -> std::io::Result<Self> {
        let (sender, receiver) = channel();
        let work = move || work(&store, &receiver);
        let thread = std::thread::Builder::new().name("teller".into()).spawn(work)?;
        Ok(Self { queue: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    /// Takes in an answer; returns once it is on disk or was refused.
    ///
    /// # Errors
    /// Those of [`Store::settle`].
    pub async fn settle(&self, answered: Answered) -> Taken {
        let closed = || StoreError::Refused { reason: "the service is shutting down".into() };
        let (reply, answer) = oneshot::channel();
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner).clone();
        queue.ok_or_else(closed)?.send((answered, reply)).map_err(|_| closed())?;
        answer.await.map_err(|_| closed())?
    }

    /// Writes what waits, and takes in nothing more.
    pub fn close(&self) {
        drop(self.queue.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join(); // a thread that was lost has told those who waited
        }
    }
}

fn work(store: &Store, queue: &Receiver<(Answered, Reply)>) {
    while let Ok(first) = queue.recv() {
        let waiting = std::iter::once(first).chain(queue.try_iter());
        let (answers, replies): (Vec<Answered>, Vec<Reply>) = waiting.take(MOST).unzip();
        let reports: Vec<(&str, Report<'_>)> = answers.iter().map(Answered::report).collect();
        let settled = match store.settle_all(&reports) {
            Ok(settled) => settled,
            Err(error) => vec![Err(error); replies.len()],
        };
        for (reply, settled) in replies.into_iter().zip(settled) {
            let _ = reply.send(settled); // a client that went away asks again
        }
    }
}
