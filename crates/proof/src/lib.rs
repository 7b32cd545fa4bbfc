//! Checks tables by means of `position`'s rules alone.
//!
//! Three independent doubts about a solved table live here. The [`Oracle`] computes every value again,
//! naively, by a fixpoint over all positions; under the n-move rule it plays every position with every state
//! of the clock. [`Reached`] does so for what some positions with many men lead to. [`verify`] re-derives
//! each value of a finished table from its successors. And [`random_variant`] makes up games that were not
//! thought of when the solver was written, [`random_ruled_variant`] with rules that chess does not have,
//! [`random_castling`] with castling.
//!
//! Why `verify` is a proof: if every value follows from its successors' values by the definition, all are
//! right. A mate is recognised without successors; by induction on n a position that is truly won or lost in
//! n plies cannot be called anything else, because the successor that decides it is called rightly; and what
//! is called won or lost in n points to a successor called lost or won in n − 1, down to a mate. Where
//! captures or pawn moves stop the count the same holds from one of them to the next, and they come to an end
//! as well. Without distances nothing leads down, so wdl values alone are compared with a table that has
//! some: [`verify_wdl`].
//!
//! Nothing here shares move code with the solver, and nothing is printed or written.

mod derivation;
mod fixpoint;
mod graph;
mod numbering;
mod oracle;
mod random;
mod reading;
mod verify;

pub use derivation::{derived, exits};
pub use oracle::{Oracle, Reached};
pub use random::{
    Dice, Rule, random_castling, random_material, random_plain_variant, random_position,
    random_ruled_variant, random_variant, random_variant_on,
};
pub use reading::{Find, Values};
pub use verify::{Difference, Report, Sample, VerifyError, VerifyOptions, verify, verify_wdl};

#[cfg(test)]
mod tests;
