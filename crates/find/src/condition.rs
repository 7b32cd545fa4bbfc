//! Represents a condition once it has been read.

use crate::word::{Choice, MoveNumber, Results, Subject, Trait, Turn, ZugzwangKinds};
use geometry::SquareSet;
use variant::{Man, PieceId, Side};

/// What must hold of a position. Metrics are numbers among those of the query.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Condition {
    Not(Box<Condition>),
    And(Vec<Condition>),
    Or(Vec<Condition>),
    ToMove(Side),
    Result {
        subject: Subject,
        results: Results,
        metric: usize,
    },
    Stalemate,
    Mate {
        metric: usize,
    },
    Legal,
    Check,
    MutualZugzwang(ZugzwangKinds),
    Zugzwang,
    Turned(Turn, Box<Condition>),
    Compare {
        left: Number,
        relation: Relation,
        right: Number,
    },
    /// Some man of this kind, or each, stands on one of these squares.
    On {
        man: Man,
        all: bool,
        squares: SquareSet,
    },
    Moves(Choice, MoveTest),
    Underpromotion,
}

/// What is asked about all moves of a choice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum MoveTest {
    /// They all have it: a promotion, a capture, a check.
    Has(Trait),
    /// They all have (or none has) this piece in this place; no piece is none.
    Is { of: Trait, piece: Option<PieceId>, is_equal: bool },
    /// They all begin or end on one of these squares.
    On { of: Trait, squares: SquareSet },
}

/// A number; some positions have none.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Number {
    Constant(i64),
    Plies { metric: usize },
    Moves(MoveNumber),
    OnlyMoveLine,
    Distance(Man, Man),
    FileOf(Man),
    RankOf(Man),
    Negative(Box<Number>),
    Sum(Vec<Number>),
    Product(Vec<Number>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Relation {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Relation {
    pub(crate) fn holds(self, left: i64, right: i64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Unequal => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::Greater => left > right,
            Relation::AtLeast => left >= right,
        }
    }
}
