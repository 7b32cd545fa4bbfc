//! Describes a broken invariant: what it is about, what is wrong, and what to do.

use geometry::Square;

/// The part of a variant that breaks an invariant; a reader of files finds the place where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Subject {
    Name,
    /// A missing square.
    Hole(Square),
    Pieces,
    Letter(usize),
    Movement(usize),
    Royal(usize),
    Pawn(usize),
    Zone(usize),
    DoubleStep(usize),
    EnPassant(usize),
    Promotion(usize),
    PromotesTo(usize, Option<usize>),
    /// A rule, by its key.
    Rule(&'static str),
}

/// A broken invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Violation {
    pub(crate) subject: Subject,
    pub(crate) message: String,
    pub(crate) help: String,
}
