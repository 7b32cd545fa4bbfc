//! Serves endgame tables over HTTP: to clients of Lichess's tablebase, to programs, to people in a browser.
//!
//! ```text
//!   TcpListener ─ door (connections, timeouts) ─ router ─┬─ lichess   /standard, /atomic, /{game}
//!                                                        ├─ api       /api/v1/…
//!                                                        ├─ page      /, /page/…
//!                                                        └─ gauge     /healthz, /metrics
//!                                                             │
//!                                     desk (bounded threads) ─┴─ Game ─ library::AskedTables
//! ```
//!
//! [`Server::new`] opens the tables, [`Server::router`] is what answers requests, [`Server::run`] listens
//! until it is stopped. Nothing is printed; each request is an event of `tracing`.
//!
//! A request never waits for a file on the threads that talk to clients: whatever reads a table runs on the
//! threads of the `Desk`, a bounded number at a time, and a request that waits too long is refused. A
//! damaged table is a refusal with a sentence, and the other tables go on.

mod api;
mod desk;
mod game;
mod lichess;
mod refusal;
mod router;
mod state;

pub use desk::Options;
pub use state::{OpenError, Server};

#[cfg(test)]
mod tests;
