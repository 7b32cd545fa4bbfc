//! Orders the tables to be built in a graph, and estimates what each costs.
//!
//! A table can be solved once every table is there that its exits lead to. So a [`Plan`] is a directed graph
//! without cycles. Its nodes are [`Job`]s, one canonical material each, and its edges lead from a table to
//! those that need it:
//!
//! ```text
//!   KPvK ─ P=Q ─► KQvK ─ xQ ─► (KvK: always drawn, no job)
//!      needs ──►       needs ──►
//! ```
//!
//! Every exit lowers (men, pawns), because nothing is promoted to a pawn. So there is no cycle, and sorting
//! by (men, pawns, declared order) gives a valid order of building. It also keeps tables in memory for a
//! short time only: whatever needs a small table comes soon after it.
//!
//! Costs are estimated from the numbers of placements, which are counted and not laid out, so that a plan of
//! all six-man tables takes no time. What the steps of a job take of memory is given as a [`Footprint`]:
//! `solve` and `format` estimate it from the figures by which they allocate. Nothing is solved, read or
//! written here.

mod job;
mod memory;
mod plan;

pub use job::{Job, JobId, Need};
pub use memory::{Footprint, Memory, Solving};
pub use plan::{Class, Plan, PlanError, Request, largest};

#[cfg(test)]
mod tests;
