//! Holds the limits of a server.

use library::SolveBound;
use std::collections::BTreeMap;
use std::time::Duration;

/// The limits of a server; the defaults suit a small public one.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most connections at a time; others wait to be accepted.
    pub connections: usize,
    /// How many questions about positions are answered at a time, and once more how many about tables or many
    /// positions; others wait. Beside them things are solved for one request at a time.
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
