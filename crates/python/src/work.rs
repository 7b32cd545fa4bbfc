//! Runs work on the threads of this process, without the interpreter's lock, until it is done or a signal
//! ends it.
//!
//! A fork copies a pool of threads and none of its threads: a child that asked its parent's pool would wait
//! for ever. So a process has a pool of its own, made when it first has work.
//!
//! Python runs the handlers of signals between its own instructions, and there are none while Rust works. So
//! the caller waits beside the pool and asks for signals several times a second. When a handler raises, the
//! work is asked to stop; it is left behind if it does not do so at once, and ends by itself at its next stop
//! or, where it has none, when it is done.

use crate::input;
use numpy::PyArray1;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a signal waits at most.
const TICK: Duration = Duration::from_millis(50);

/// How long work that is to stop is waited for.
const GRACE: Duration = Duration::from_millis(200);

/// What work ends with: what it has made, or what it has panicked with.
type Ended<T> = Result<T, Box<dyn Any + Send>>;

/// Makes what is made once for the process, before there are tables that threads use: a process that is
/// forked while a thread makes it would wait for that thread. The command needs none of it, and starts
/// sooner.
///
/// # Errors
/// Numpy is not there, or what interrupts its import, such as Ctrl-C.
pub(crate) fn prepare(py: Python<'_>) -> PyResult<()> {
    // Arrays take numpy for granted.
    numpy::array::get_array_module(py)?;
    drop(PyArray1::<i8>::from_slice(py, &[0]));
    input::fens(PyList::new(py, [""])?.as_any(), "").map(drop)
}

/// Does work on the threads of this process. The work is to stop once the flag that it gets is set.
///
/// # Errors
/// The handler of a signal has raised, as that of Ctrl-C does, or the work has panicked.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Arc<AtomicBool>) -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, mut ended) = channel::<Ended<T>>();
    let stop = Arc::new(AtomicBool::new(false));
    pool(py)?.spawn({
        let stop = stop.clone();
        // If the caller waits no more, what was made is dropped.
        move || drop(sender.send(catch_unwind(AssertUnwindSafe(|| work(&stop)))))
    });
    loop {
        let result;
        (result, ended) = wait(py, ended, TICK);
        match result {
            Ok(Ok(done)) => return Ok(done),
            Ok(Err(panic)) => return Err(panicked(&*panic)),
            Err(RecvTimeoutError::Disconnected) => return Err(panicked(&"its threads have ended")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(raised) = py.check_signals() {
            stop.store(true, Ordering::Relaxed);
            drop(wait(py, ended, GRACE));
            return Err(raised);
        }
    }
}

/// Waits for work without the interpreter's lock.
fn wait<T: Send>(
    py: Python<'_>,
    ended: Receiver<Ended<T>>,
    time: Duration,
) -> (Result<Ended<T>, RecvTimeoutError>, Receiver<Ended<T>>) {
    py.detach(move || (ended.recv_timeout(time), ended))
}

/// The exception of a mistake in this library.
fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("for no known reason");
    PyRuntimeError::new_err(format!("tablesmith has failed, please report it: {text}"))
}

/// The pool of this process.
fn pool(_: Python<'_>) -> PyResult<Arc<ThreadPool>> {
    /// Locked for a moment, and under the interpreter's lock, which a thread that forks holds: no child gets
    /// it locked.
    static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);
    let mut known = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, pool)) = &*known
        && *owner == process
    {
        return Ok(pool.clone());
    }
    let made = ThreadPoolBuilder::new().build();
    let made = Arc::new(made.map_err(|error| PyRuntimeError::new_err(error.to_string()))?);
    // All threads have begun before a child can be forked.
    made.broadcast(|_| ());
    // The parent's pool has no threads here that could be told to end.
    mem::forget(known.replace((process, made.clone())));
    Ok(made)
}
