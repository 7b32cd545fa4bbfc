//! Says why a position has no answer.

use crate::sentence::{bounds_in_words, n_men, too_many_men};
use index::MAX_MEN;
use position::{FenError, Position, RuleBook};
use probe::{Answer, Between, MissingTable, ProbeError};
use std::fmt;

/// Why a position has no value here.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no FEN of this variant, or has what no table holds.
    Text(FenError),
    /// The rules forbid the position.
    Illegal(String),
    /// The table is not there.
    NotBuilt(MissingTable),
    /// A side may castle, and there are too many men for that: the file that would have the position.
    Castling(MissingTable),
    /// It is known only what the value is at least or at most: a sentence.
    Open(String),
    /// A table is there and cannot be read.
    Damaged(ProbeError),
}

impl Refusal {
    /// The refusal of a position that the rules forbid.
    #[must_use]
    pub fn illegal(book: &RuleBook, position: &Position) -> Self {
        Refusal::Illegal(illegality(book, position))
    }

    /// An answer for a caller to whom moves alone say too little.
    ///
    /// # Errors
    /// Nothing is known of the value.
    pub fn of_unknown(answer: Answer) -> Result<Answer, Refusal> {
        match answer.missing {
            Some(missing) if answer.value == Between::ANYTHING => Err(ProbeError::Missing(missing).into()),
            _ => Ok(answer),
        }
    }

    /// The refusal of an answer whose value is not known, of a caller who has no place for bounds.
    #[must_use]
    pub fn of_bounds(answer: &Answer) -> Self {
        Refusal::Open(bounds_in_words(answer.scale.metric(), answer.value))
    }

    /// The kind of refusal, for machines.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Refusal::Castling(_) => "castling",
            Refusal::Text(error) if error.is_castling() => "castling",
            Refusal::Text(_) => "fen",
            Refusal::Illegal(_) => "illegal",
            Refusal::NotBuilt(_) => "not built",
            Refusal::Open(_) => "open",
            Refusal::Damaged(_) => "damaged",
        }
    }

    /// Whether this is the answer to a good question; otherwise something is wrong.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        matches!(self, Refusal::Illegal(_) | Refusal::NotBuilt(_) | Refusal::Castling(_) | Refusal::Open(_))
    }

    /// Why there is no answer, without what mends it.
    #[must_use]
    pub fn reason(&self) -> String {
        match self {
            Refusal::Text(error) if error.is_castling() => format!("refused: {error}"),
            Refusal::Text(error) => format!("not a position: {error}"),
            Refusal::Illegal(reason) => format!("illegal: {reason}"),
            Refusal::NotBuilt(missing) if n_men(missing) > MAX_MEN => {
                format!("no table: {}", too_many_men(missing))
            }
            Refusal::NotBuilt(missing) if missing.column.has_rights => {
                format!("{missing}; positions of {} with castling rights are not solved", missing.material)
            }
            Refusal::NotBuilt(missing) => format!("{missing}; {} is not built", missing.material),
            Refusal::Castling(missing) => missing.to_string(),
            Refusal::Open(known) => format!("not known for sure: the side to move {known}"),
            Refusal::Damaged(error) => error.to_string(),
        }
    }

    /// The table that would have to be built for an answer; none if no table can help.
    #[must_use]
    pub fn missing(&self) -> Option<&MissingTable> {
        match self {
            Refusal::NotBuilt(missing) if n_men(missing) <= MAX_MEN => Some(missing),
            _ => None,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let remedy = match self {
            Refusal::NotBuilt(missing) if missing.position.is_some() => missing.remedy(),
            _ => String::new(),
        };
        write!(f, "{}{remedy}", self.reason())
    }
}

impl std::error::Error for Refusal {}

impl From<ProbeError> for Refusal {
    fn from(error: ProbeError) -> Self {
        match error {
            ProbeError::Missing(missing) if missing.too_large.is_some() => Refusal::Castling(missing),
            ProbeError::Missing(missing) => Refusal::NotBuilt(missing),
            error => Refusal::Damaged(error),
        }
    }
}

impl From<FenError> for Refusal {
    fn from(error: FenError) -> Self {
        Refusal::Text(error)
    }
}

/// What the rules have against a position.
fn illegality(book: &RuleBook, position: &Position) -> String {
    let (stm, variant) = (position.stm(), book.variant());
    if position.is_legal(book) {
        return "the men cannot stand so".into();
    }
    if !variant.has_royals() {
        return format!("{stm} is to move, who has won before");
    }
    let royal = variant.royal_name();
    if position.is_attacked(book, !stm) {
        return format!("{stm} is to move and could capture {}'s {royal}", !stm);
    }
    if !variant.rules.checking && position.is_attacked(book, stm) {
        return format!("{stm}'s {royal} is attacked, and no move may give check");
    }
    "the game has ended before".into()
}
