//! Runs work that reads tables on a bounded number of threads of its own, and writes what it found.
//!
//! ```text
//!   a position  ─► reading  places ─┐
//!                                   ├─ needs solving ─► the only place for it
//!   a table, many positions         │
//!               ─► counting places ─┘
//! ```
//!
//! Requests wait in three queues, so that those that take seconds never hold the places of those that take
//! less than a millisecond. All work is done in haste first. What must be solved for it is noted, and the
//! request waits without a thread until its turn to solve has come; then the work is done again.
//!
//! Answers are written as JSON by the thread that has found them. One that is larger than [`FREE_BYTES`]
//! takes its bytes from an allowance that all of them share until its client has read it, or is gone; so
//! slow readers of large answers cannot fill the memory.

use crate::refusal::HttpRefusal;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use library::SolveBound;
use probe::in_haste;
use rayon::ThreadPoolBuilder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Answers up to this size take nothing from the allowance, nor do bodies of requests.
const FREE_BYTES: usize = 16 << 10;

/// The places at which tables are read. A request that finds none free waits; its time limit bounds that.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    /// For questions about a position.
    pub(crate) reading: Arc<Semaphore>,
    /// For questions about a table, or many positions.
    counting: Arc<Semaphore>,
    /// For questions for which something is solved. One at a time, since solving takes all cores but one.
    pub(crate) solving: Arc<Semaphore>,
    /// The bytes of large answers that are being sent.
    sending: Arc<Semaphore>,
    /// The bytes of requests that are being received or answered.
    receiving: Arc<Semaphore>,
    allowance_bytes: usize,
    answer_bytes: usize,
}

/// Which places a request waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Queue {
    /// Those for a position.
    Reading,
    /// Those for a table, or many positions.
    Counting,
}

/// Says to work whether a process waits for it still.
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
        let semaphore = |n| Arc::new(Semaphore::new(n));
        Desk {
            reading: semaphore(options.readers.max(1)),
            counting: semaphore(options.readers.max(1)),
            solving: semaphore(1),
            sending: semaphore(allowance_bytes),
            receiving: semaphore(allowance_bytes),
            allowance_bytes,
            answer_bytes: options.answer_bytes,
        }
    }

    /// Runs work at the next free place of a queue; once more where things are solved, if it needs something
    /// solved. Work that has begun keeps its place until it is done, or sees that no job waits for it any
    /// longer.
    ///
    /// # Errors
    /// The work's own, or that it has panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        queue: Queue,
        work: impl Fn(&Waiting) -> Result<T, HttpRefusal> + Send + Sync + 'static,
    ) -> Result<T, HttpRefusal> {
        let request = Request(Waiting::default());
        let work = Arc::new(work);
        let places = match queue {
            Queue::Reading => &self.reading,
            Queue::Counting => &self.counting,
        };
        let hasty = work.clone();
        let (answer, is_passed_over) =
            run_at(places, &request, move |waiting| in_haste(|| hasty(waiting))).await?;
        if !is_passed_over {
            return answer;
        }
        drop(answer);
        run_at(&self.solving, &request, move |waiting| on_fewer_threads(|| work(waiting))).await?
    }

    /// Like [`Self::run`], for work whose result is sent as JSON.
    ///
    /// # Errors
    /// As [`Desk::run`]; the answer is too large, or too many large ones are being sent.
    pub(crate) async fn answer<T: Serialize>(
        &self,
        queue: Queue,
        work: impl Fn(&Waiting) -> Result<T, HttpRefusal> + Send + Sync + 'static,
    ) -> Result<Written, HttpRefusal> {
        let desk = self.clone();
        self.run(queue, move |waiting| desk.written(desk.bytes_of(&work(waiting)?)?)).await
    }

    /// A value as JSON: an answer, or a part of one.
    ///
    /// # Errors
    /// It is too large for an answer.
    pub(crate) fn bytes_of(&self, value: &impl Serialize) -> Result<Vec<u8>, HttpRefusal> {
        let bytes = serde_json::to_vec(value).map_err(|_| lost())?;
        self.check_size(bytes.len()).map(|()| bytes)
    }

    /// # Errors
    /// This many bytes are too many for an answer.
    pub(crate) fn check_size(&self, n_bytes: usize) -> Result<(), HttpRefusal> {
        if n_bytes <= self.answer_bytes {
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
    /// It is too large, or too many large answers are being sent.
    pub(crate) fn written(&self, bytes: Vec<u8>) -> Result<Written, HttpRefusal> {
        self.check_size(bytes.len())?;
        let n = bytes.len().min(self.allowance_bytes);
        let allowance = match n > FREE_BYTES {
            true => Some(self.sending.clone().try_acquire_many_owned(n as u32).map_err(|_| busy())?),
            false => None,
        };
        Ok(Written { bytes, allowance })
    }

    /// Receives the body of a request, of this many bytes at most; those of the allowance are given back
    /// with the permit. They are taken as they arrive, so that what is announced and never sent takes none.
    ///
    /// # Errors
    /// The body is too large, or the connection breaks, or the bodies that are being received have no room
    /// for this one.
    pub(crate) async fn receive(
        &self,
        mut body: Body,
        most: usize,
    ) -> Result<(Vec<u8>, OwnedSemaphorePermit), HttpRefusal> {
        let take = |n: usize| self.receiving.clone().try_acquire_many_owned(n as u32).map_err(|_| busy());
        let (mut bytes, mut taken, mut n_taken) = (Vec::new(), take(0)?, 0);
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
            let frame = frame.map_err(|error| HttpRefusal::bad(format!("the body breaks off: {error}")))?;
            let Ok(part) = frame.into_data() else { continue };
            bytes.extend_from_slice(&part);
            if bytes.len() > most {
                return Err(too_large(most));
            }
            let n = bytes.len().min(self.allowance_bytes);
            if n > FREE_BYTES.max(n_taken) {
                taken.merge(take(n - n_taken)?);
                n_taken = n;
            }
        }
        Ok((bytes, taken))
    }
}

/// Runs work that solves, on all cores but one: that one answers others meanwhile.
fn on_fewer_threads<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let n_threads = rayon::current_num_threads().saturating_sub(1).max(1);
    match ThreadPoolBuilder::new().num_threads(n_threads).build() {
        Ok(threads) => threads.install(work),
        // A system without threads left solves nothing, and says so.
        Err(_) => work(),
    }
}

/// Runs work at one of these places, for as long as the request is there.
async fn run_at<T: Send + 'static>(
    places: &Arc<Semaphore>,
    request: &Request,
    work: impl FnOnce(&Waiting) -> T + Send + 'static,
) -> Result<T, HttpRefusal> {
    let waiting = request.0.clone();
    let place = places.clone().acquire_owned().await.map_err(|_| lost())?;
    let work = move || {
        let _place = place;
        waiting.check().map(|()| work(&waiting))
    };
    tokio::task::spawn_blocking(work).await.map_err(|_| lost())?
}

impl Waiting {
    /// Whether the client waits no longer.
    pub(crate) fn is_over(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// The client waits no longer, so it will not read this.
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

/// The refusal of bodies of more bytes than this.
pub(crate) fn too_large(most: usize) -> HttpRefusal {
    let message = format!("the body has more than {most} bytes, which are the most: ask for fewer positions");
    HttpRefusal::new(StatusCode::PAYLOAD_TOO_LARGE, "request", message)
}

fn lost() -> HttpRefusal {
    HttpRefusal::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the answer was lost")
}

/// The limits of a server; the defaults suit a small public one.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most connections at a time; others wait to be accepted.
    pub connections: usize,
    /// How many questions about positions are answered at a time, and once more how many about tables or
    /// many positions; others wait. Beside them things are solved for one request at a time.
    pub readers: usize,
    /// How long a request may take, waiting included, before it is refused.
    pub request_time: Duration,
    /// How long a client may take to send the head of a request, and once more its body.
    pub head_time: Duration,
    /// How long a connection may be silent, or a client read nothing of an answer, before it is closed.
    pub idle_time: Duration,
    /// How long a client may take to read an answer.
    pub write_time: Duration,
    /// The largest body of a request.
    ///
    /// Units: bytes.
    pub body_bytes: usize,
    /// The most positions of one request.
    pub positions: usize,
    /// The largest answer, before it is packed.
    ///
    /// Units: bytes.
    pub answer_bytes: usize,
    /// All bodies of requests that are being received or answered, and once more all large answers that are
    /// being sent.
    ///
    /// Units: bytes.
    pub flight_bytes: usize,
    /// Decompressed blocks that are kept, for all games together.
    ///
    /// Units: bytes.
    pub cache_bytes: usize,
    /// What may be solved for a question; none if nothing is. All games share the bytes that are kept.
    pub bound: Option<SolveBound>,
    /// How long clients and proxies may keep an answer, if the tables do not change.
    pub keep_time: Option<Duration>,
    /// The commands that make tables, by the names of their games, for those who may type them: they name
    /// folders of this machine.
    pub solve_commands: BTreeMap<String, String>,
    /// How long requests may go on after the server begins to stop.
    pub end_time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        Options {
            connections: 4096,
            readers: (2 * n_cores).max(4),
            request_time: Duration::from_secs(30),
            head_time: Duration::from_secs(10),
            idle_time: Duration::from_secs(60),
            write_time: Duration::from_secs(120),
            body_bytes: 1 << 20,
            positions: 1000,
            answer_bytes: 16 << 20,
            flight_bytes: 256 << 20,
            cache_bytes: 256 << 20,
            bound: Some(SolveBound::default()),
            keep_time: None,
            solve_commands: BTreeMap::new(),
            end_time: Duration::from_secs(10),
        }
    }
}
