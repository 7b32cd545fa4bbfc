//! In which order tables are built: the graph of materials.
//!
//! A table can be solved once every table is there that a capture or a promotion leads to. So a [`Plan`] is a
//! directed graph without cycles whose nodes are [`Job`]s, one canonical material each, and whose edges lead
//! from a table to those that need it:
//!
//! ```text
//!   KPvK ─ P=Q ─► KQvK ─ xQ ─► (KvK: always drawn, no job)
//!      needs ──►       needs ──►
//! ```
//!
//! Every move along an edge lowers (men, pawns), because nothing is promoted to a pawn; so there is no cycle,
//! and sorting by (men, pawns, declared order) is a valid order of building. It also keeps tables short in
//! memory: what needs a small table comes soon after it.
//!
//! What a job costs is estimated from the numbers of its placements, which are counted, not laid out, so that
//! a plan of all six-man tables takes no time. Nothing is solved, read or written here.

mod dot;
mod job;
mod link;
mod memory;
mod part;
mod plan;

pub use job::{Job, JobId, Need};
pub use memory::{Footprint, Memory, Solving};
pub use plan::{Plan, PlanError, Request};

#[cfg(test)]
mod tests;
