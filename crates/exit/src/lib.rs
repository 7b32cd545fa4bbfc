//! Lists the exits of a material: the ways in which one move leads from its table to another.
//!
//! A capture, a promotion, both at once or an explosion leaves other men on the board, and the value of such
//! a move stands in another table:
//!
//! ```text
//!   KPvKR ─┬─ xP ────► KRvK
//!          ├─ xr ────► KPvK
//!          ├─ P=Q ───► KQvKR, and of it only where the queen stands on a promotion square
//!          └─ Pxr=Q ─► KQvK
//! ```
//!
//! [`exits`] is the one place that decides which exits there are, and [`Target`] the one place that decides
//! which table, and which part of it, an exit leads to. Building is ordered by them and solving asks for
//! tables by them. Whoever judges the solver lists the exits in its own way.
//!
//! No move is made here and no position exists: an exit is listed if men of these kinds could stand so
//! anywhere. A [`Target`] names its table by the material alone. A table that is more than a material, with
//! men kept to certain squares or with rights, gets a key of its own there, and its exits stay a list of
//! [`Exit`]s.

mod change;
mod listing;
mod reason;
mod target;

pub use change::Change;
pub use listing::{Exit, exits};
pub use reason::Reason;
pub use target::{TablePart, Target, targets};

#[cfg(test)]
mod tests;
