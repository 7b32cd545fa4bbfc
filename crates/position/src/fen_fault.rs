//! Lists what can be wrong with a FEN.

use std::fmt;
use variant::Side;

/// Everything that is wrong with a FEN; never empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FenError {
    pub(crate) faults: Vec<FenFault>,
}

/// One thing that is wrong with a FEN.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FenFault {
    /// Too few or too many fields.
    #[error(
        "{got} field{}, expected 2 to 6: men and side to move, and perhaps castling, en passant and two clocks, \
         as in `{example}`",
        if *.got == 1 { "" } else { "s" }
    )]
    Fields {
        /// How many there are.
        got: usize,
        /// A FEN that would do.
        example: String,
    },
    /// A text longer than any FEN.
    #[error("the FEN has {got} bytes, and {most} are the most: give one position")]
    Length {
        /// How many it has.
        got: usize,
        /// How many it may have.
        most: usize,
    },
    /// Not as many ranks as the board has.
    #[error("the men stand on {got} ranks, expected {expected}, with `/` between them, the last rank first")]
    Ranks {
        /// How many there are.
        got: usize,
        /// How many the board has.
        expected: usize,
    },
    /// A rank that is too short or too long.
    #[error("rank {rank} (`{text}`) has {got} squares, expected {expected}: a digit counts empty squares")]
    RankLength {
        /// The rank, from 1.
        rank: usize,
        /// The rank as given.
        text: String,
        /// How many squares it has.
        got: usize,
        /// How many files the board has.
        expected: usize,
    },
    /// A number of empty squares that is not written so.
    #[error("rank {rank} (`{text}`) has `{number}`: {}", match is_joined {
        true => "empty squares in a row are one number",
        false => "a number of empty squares begins with 1 to 9",
    })]
    Number {
        /// The rank, from 1.
        rank: usize,
        /// The rank as given.
        text: String,
        /// The number.
        number: String,
        /// Whether it is one digit too many, and not a 0.
        is_joined: bool,
    },
    /// Squares that the board does not have, without a `*`.
    #[error("rank {rank} (`{text}`) needs `*` at {squares}: the board has no such square")]
    Hole {
        /// The rank, from 1.
        rank: usize,
        /// The rank as given.
        text: String,
        /// Where there is no `*`.
        squares: String,
    },
    /// A `*` where the board has a square.
    #[error(
        "rank {rank} (`{text}`) has `*` at {squares}: the board has that square, so give a man or a digit"
    )]
    NoHole {
        /// The rank, from 1.
        rank: usize,
        /// The rank as given.
        text: String,
        /// Where there should be no `*`.
        squares: String,
    },
    /// A letter that the variant does not know.
    #[error("rank {rank} has the letter `{letter}`, and {variant} has {known} (lower case for Black)")]
    Letter {
        /// The rank, from 1.
        rank: usize,
        /// The letter.
        letter: char,
        /// The variant's name.
        variant: String,
        /// The letters that there are.
        known: String,
    },
    /// A man where it may never stand.
    #[error("{side}'s {piece} cannot stand on {square}")]
    Zone {
        /// Whose man.
        side: Side,
        /// The piece's name.
        piece: String,
        /// The square.
        square: String,
    },
    /// Not as many royal men as a side must have.
    #[error("{side} has {got} royal men (`{letters}`), expected {expected}")]
    Royal {
        /// The side.
        side: Side,
        /// How many it has.
        got: usize,
        /// The letters to look for, such as `K` or `k or m`.
        letters: String,
        /// How many it must have.
        expected: usize,
    },
    /// A side without men, in a game in which that never comes up.
    #[error("{side} has no men")]
    Bare {
        /// The side.
        side: Side,
    },
    /// Neither `w` nor `b`.
    #[error("the side to move is `{got}`, expected `w` or `b`")]
    SideToMove {
        /// The field as given.
        got: String,
    },
    /// A side may still castle, and the reader is one of positions that tables hold.
    #[error(
        "castling rights `{got}` are not read here; `probe` answers positions with rights, and if nobody \
         will castle, write `-`"
    )]
    Castling {
        /// The field as given.
        got: String,
    },
    /// A castling field that is none.
    #[error("the castling field is `{got}`, expected `-`{}", if *.is_rule { " or rights such as `KQkq`" } else { "" })]
    CastlingField {
        /// The field as given.
        got: String,
        /// Whether rights may stand there.
        is_rule: bool,
    },
    /// Rights in a game without castling.
    #[error("castling rights `{got}`: {variant} has no castling; write `-`")]
    NoCastling {
        /// The field as given.
        got: String,
        /// The variant's name.
        variant: String,
    },
    /// A right of men that do not stand where they begin.
    #[error("castling right `{letter}`: {reason}")]
    CastlingRight {
        /// The letter of the right.
        letter: char,
        /// What is wrong with it.
        reason: String,
    },
    /// An en-passant square over which no double step can have come.
    #[error("the en-passant field is `{got}`, expected {expected}")]
    EnPassant {
        /// The field as given.
        got: String,
        /// What could stand there.
        expected: String,
    },
    /// Checks that are not counted so.
    #[error(
        "the checks are `{got}`, expected how many White and Black have left to give, as in `{most}+{most}`"
    )]
    Checks {
        /// The field as given.
        got: String,
        /// How many checks win.
        most: u8,
    },
    /// A clock that is no number.
    #[error("the {clock} is `{got}`, expected a number")]
    Clock {
        /// Which clock.
        clock: &'static str,
        /// The field as given.
        got: String,
    },
}

impl FenError {
    /// Everything that is wrong, in the order of the fields.
    #[must_use]
    pub fn faults(&self) -> &[FenFault] {
        &self.faults
    }

    /// Whether nothing is wrong but that a side may castle, where that is not read or no rule.
    #[must_use]
    pub fn is_castling(&self) -> bool {
        self.faults
            .iter()
            .all(|fault| matches!(fault, FenFault::Castling { .. } | FenFault::NoCastling { .. }))
    }
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.faults.iter().enumerate() {
            write!(f, "{}{fault}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl std::error::Error for FenError {}
