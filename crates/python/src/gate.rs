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
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does the work and waits for it. If the user wants an end before that, what comes out of it is
/// handed to `abandoned`.
pub fn enter<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, RunnerError> + Send + 'static,
    abandoned: impl Fn(T) + Send + Sync + 'static,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    let abandoned = Arc::new(abandoned);
    let nobody_waits = Arc::clone(&abandoned);
    std::thread::Builder::new().name("baton".into()).spawn(move || {
        if let Err(unheard) = sender.send(work())
            && let Ok(result) = unheard.0
        {
            nobody_waits(result);
        }
    })?;
    loop {
        let heard;
        (heard, receiver) = py.detach(move || (receiver.recv_timeout(PATIENCE), receiver));
        match heard {
            Ok(result) => return result.map_err(|error| to_python(&error)),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the work ended without a result"));
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals() {
                    if let Ok(Ok(result)) = receiver.try_recv() {
                        abandoned(result);
                    }
                    return Err(interrupt);
                }
            }
        }
    }
}

/// Does work whose result nobody misses if the user wants an end.
pub fn pass<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, RunnerError> + Send + 'static,
) -> PyResult<T> {
    enter(py, work, |_| ())
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
