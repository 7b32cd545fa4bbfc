//! Represents a condition once it has been read, and lists what has to be read of tables to judge it.

use crate::word::{Choice, LineNumber, MoveNumber, Results, Subject, Trait, Turn, ZugzwangKinds};
use geometry::SquareSet;
use variant::{Man, Metric, PieceId, Side};

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
    Line(LineNumber),
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

/// What has to be read to judge a query.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Needs {
    /// The metrics of the tables: the query's own first, each once.
    pub(crate) metrics: Vec<Metric>,
    /// The clock of the n-move rule at which values of `dtm50` are read, if the query says it.
    pub(crate) clock: Option<u32>,
    /// Whether moves are generated, and the tables looked up that they lead to.
    pub(crate) uses_moves: bool,
    /// Whether positions behind several moves are looked up.
    pub(crate) uses_line: bool,
    /// Whether moves are asked whether they give check.
    pub(crate) uses_checks: bool,
    /// Whether a placement is also judged with the other side to move.
    pub(crate) reads_other_side: bool,
}

impl Needs {
    /// Nothing but the code by one metric.
    pub(crate) fn new(metric: Metric) -> Self {
        Needs {
            metrics: vec![metric],
            clock: None,
            uses_moves: false,
            uses_line: false,
            uses_checks: false,
            reads_other_side: false,
        }
    }

    /// The number of a metric among those of the tables, which has them all from now on.
    pub(crate) fn metric_number(&mut self, metric: Metric) -> usize {
        self.metrics.iter().position(|&own| own == metric).unwrap_or_else(|| {
            self.metrics.push(metric);
            self.metrics.len() - 1
        })
    }
}
