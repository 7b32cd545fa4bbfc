//! Runs work that reads tables on threads of its own, so many at a time, and writes what it found.
//!
//! Answers are written as JSON by the thread that has found them. One that is larger than [`FREE_BYTES`]
//! takes its bytes from an allowance that all of them share until its client has read it, or is gone; so
//! slow readers of large answers cannot fill the memory.

use crate::options::Options;
use crate::refusal::HttpRefusal;
use axum::body::{Body, Bytes};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Answers up to this size take nothing from the allowance.
const FREE_BYTES: usize = 16 << 10;

/// The places at which tables are read. Whoever finds none free waits; the time limit of requests bounds
/// that.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    places: Arc<Semaphore>,
    /// The bytes of large answers that are being sent.
    sending: Arc<Semaphore>,
    /// The bytes of requests that are being received or answered.
    receiving: Arc<Semaphore>,
    allowance_bytes: usize,
    answer_bytes: usize,
}

/// Says to work whether somebody waits for it still.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting(Arc<AtomicBool>);

/// Is dropped with the request: its answer is there, its time is over, or its client is gone.
struct Request(Waiting);

/// An answer as it is sent.
#[derive(Debug)]
pub(crate) struct Written {
    bytes: Vec<u8>,
    allowance: Option<OwnedSemaphorePermit>,
}

impl Desk {
    pub(crate) fn new(options: &Options) -> Self {
        let allowance_bytes = options.flight_bytes.clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        let allowance = || Arc::new(Semaphore::new(allowance_bytes));
        Desk {
            places: Arc::new(Semaphore::new(options.readers.max(1))),
            sending: allowance(),
            receiving: allowance(),
            allowance_bytes,
            answer_bytes: options.answer_bytes,
        }
    }

    /// Runs work at the next free place. Work that has begun keeps its place until it is done, or sees that
    /// nobody waits for it any longer.
    ///
    /// # Errors
    /// The work's own, or that it has panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Waiting) -> Result<T, HttpRefusal> + Send + 'static,
    ) -> Result<T, HttpRefusal> {
        let request = Request(Waiting::default());
        let waiting = request.0.clone();
        let place = self.places.clone().acquire_owned().await.map_err(|_| lost())?;
        let work = move || {
            let _place = place;
            waiting.check()?;
            work(&waiting)
        };
        tokio::task::spawn_blocking(work).await.map_err(|_| lost())?
    }

    /// The same for work whose result is sent as JSON.
    ///
    /// # Errors
    /// As [`Desk::run`]; the answer is too large, or too many large ones are being sent.
    pub(crate) async fn answer<T: Serialize>(
        &self,
        work: impl FnOnce(&Waiting) -> Result<T, HttpRefusal> + Send + 'static,
    ) -> Result<Written, HttpRefusal> {
        let desk = self.clone();
        self.run(move |waiting| {
            let mut bytes = Vec::new();
            desk.write(&mut bytes, &work(waiting)?)?;
            desk.written(bytes)
        })
        .await
    }

    /// Appends a value to an answer.
    ///
    /// # Errors
    /// The answer is too large.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>, value: &impl Serialize) -> Result<(), HttpRefusal> {
        serde_json::to_writer(&mut *bytes, value).map_err(|_| lost())?;
        if bytes.len() <= self.answer_bytes {
            return Ok(());
        }
        let most = self.answer_bytes;
        Err(HttpRefusal::bad(format!(
            "the answer has more than {most} bytes, which are the most: ask for fewer positions, moves or lines at a \
             time"
        )))
    }

    /// An answer that is complete.
    ///
    /// # Errors
    /// Too many large answers are being sent.
    pub(crate) fn written(&self, bytes: Vec<u8>) -> Result<Written, HttpRefusal> {
        let n = bytes.len().min(self.allowance_bytes);
        let allowance = match n > FREE_BYTES {
            true => Some(self.sending.clone().try_acquire_many_owned(n as u32).map_err(|_| busy())?),
            false => None,
        };
        Ok(Written { bytes, allowance })
    }

    /// Waits until so many bytes of a request may be received; they are given back with the result.
    ///
    /// # Errors
    /// The server ends.
    pub(crate) async fn receive(&self, n_bytes: usize) -> Result<OwnedSemaphorePermit, HttpRefusal> {
        let n = n_bytes.clamp(1, self.allowance_bytes) as u32;
        self.receiving.clone().acquire_many_owned(n).await.map_err(|_| lost())
    }
}

impl Waiting {
    /// Whether nobody waits any longer.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// Nobody waits any longer, so nobody will read this.
    pub(crate) fn check(&self) -> Result<(), HttpRefusal> {
        if self.is_over() { Err(busy()) } else { Ok(()) }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

impl AsRef<[u8]> for Written {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl IntoResponse for Written {
    fn into_response(self) -> Response {
        let headers = [(header::CONTENT_TYPE, "application/json")];
        // The bytes are given back to the allowance when the last of them is sent.
        let body = match self.allowance {
            Some(_) => Bytes::from_owner(self),
            None => Bytes::from(self.bytes),
        };
        (headers, Body::from(body)).into_response()
    }
}

/// The refusal of requests that the server has no time or room for.
pub(crate) fn busy() -> HttpRefusal {
    HttpRefusal::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "busy",
        "the server is busy, and the answer took too long; ask again later",
    )
}

fn lost() -> HttpRefusal {
    HttpRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the answer was lost")
}
