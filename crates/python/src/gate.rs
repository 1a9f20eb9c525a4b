//! The one gate between Python and the work: without the interpreter lock, and open to Ctrl-C.
//!
//! The work runs on a thread of its own and never touches Python. The caller's thread waits for it
//! and looks for signals meanwhile, so that Ctrl-C is heard at once, however long an ask or a finish
//! may take. Work that was given up in this way still runs to its end: what it changed is whole.

use crate::errors::to_python;
use baton_runner::RunnerError;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rayon::ThreadPool;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

type Result<T> = std::result::Result<T, RunnerError>;

enum State<T> {
    Waiting,
    Answered(Result<T>),
    /// the caller is gone
    Abandoned,
}

/// Where work puts its result, and where the caller waits for it.
pub struct Reply<T> {
    state: Mutex<State<T>>,
    bell: Condvar,
    /// of what is abandoned
    taker: Box<dyn Fn(T) + Send + Sync>,
}

impl<T> Reply<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the result to the caller, or to who takes what is abandoned.
    pub fn give(&self, result: Result<T>) {
        let mut state = self.lock();
        if matches!(*state, State::Waiting) {
            *state = State::Answered(result);
            self.bell.notify_all();
        } else {
            self.abandoned(result);
        }
    }

    fn abandoned(&self, result: Result<T>) {
        if let Ok(value) = result {
            (self.taker)(value);
        }
    }

    /// The result if it comes soon.
    fn wait(&self) -> Option<Result<T>> {
        let waiting = |state: &mut State<T>| matches!(state, State::Waiting);
        let waited = self.bell.wait_timeout_while(self.lock(), PATIENCE, waiting);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match std::mem::replace(&mut *state, State::Waiting) {
            State::Answered(result) => Some(result),
            other => {
                *state = other;
                None
            }
        }
    }

    fn abandon(&self) {
        let before = std::mem::replace(&mut *self.lock(), State::Abandoned);
        if let State::Answered(result) = before {
            self.abandoned(result);
        }
    }
}

/// Does the work, which gives its reply, and waits for that. If the user wants an end before, the
/// reply is handed to `abandoned` instead: in the moment in which the work gives it.
pub fn enter<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Reply<T>) + Send + 'static,
    abandoned: impl Fn(T) + Send + Sync + 'static,
) -> PyResult<T> {
    let (state, bell) = (Mutex::new(State::Waiting), Condvar::new());
    let reply = Arc::new(Reply { state, bell, taker: Box::new(abandoned) });
    let theirs = Arc::clone(&reply);
    let thread = std::thread::Builder::new().name("baton".into()).spawn(move || work(&theirs))?;
    loop {
        let over = thread.is_finished();
        let result = py.detach(|| reply.wait());
        // Also if there is a result: it would be lost, since Python raises before it is looked at.
        if let Err(interrupt) = py.check_signals() {
            match result {
                Some(result) => reply.abandoned(result),
                None => reply.abandon(),
            }
            return Err(interrupt);
        }
        match result {
            Some(result) => {
                // Also what the work lets go of: a fork in the midst of it would copy its locks, locked.
                let _ = py.detach(|| thread.join());
                return result.map_err(|error| to_python(&error));
            }
            None if over => {
                return Err(PyRuntimeError::new_err("the work ended without a reply"));
            }
            None => {}
        }
    }
}

/// Does work whose result nobody misses if the user wants an end.
pub fn pass<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> PyResult<T> {
    enter(py, |reply| reply.give(work()), |_| ())
}

static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Computes on the threads of this process. A process that was forked has none of its parent's
/// threads and would wait for them for ever: it gets a pool of its own.
pub fn compute<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

fn pool() -> Option<Arc<ThreadPool>> {
    let own = std::process::id();
    let mut slot = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, forked)) = slot.take_if(|(process, _)| *process != own) {
        std::mem::forget(forked); // its threads are elsewhere and cannot be told to end
    }
    if slot.is_none() {
        let made = rayon::ThreadPoolBuilder::new().build().ok()?;
        *slot = Some((own, Arc::new(made)));
    }
    slot.as_ref().map(|(_, pool)| Arc::clone(pool))
}
