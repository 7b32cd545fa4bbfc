//! Codes: a value in one byte, or in two.
//!
//! ```text
//!   code  0 illegal   1 draw   2 stalemate   3 and more a decided position
//!   narrow: 3 + ply; an odd ply is a win, an even one a loss                ply ≤ 252
//!   split : 2 + ply for a win, 255 − ply for a loss                         longest win + longest loss ≤ 252
//!   wide  : 3 + 2 × ply, plus 1 for a win; two bytes                        win ≤ 32,765, loss ≤ 32,766
//! ```
//!
//! Narrow codes rely on mate being the only end: with mate at ply 0 for the side to move, wins are odd and
//! losses even. Metrics that count to a capture have wins and losses of both parities. Their codes are split:
//! wins from below, losses from above, and between them lies what is not used.
//!
//! ```text
//!     0  1  2  3 ─── wins ──► 2 + longest win       255 − longest loss ◄── losses ─── 255
//! ```
//!
//! Where the wins of a side to move end is not in the codes: it is known of them all together, see [`Split`].
//! A long win on one side of the table goes with long losses on the other, so where wins are long, losses are
//! mostly short.
//!
//! A value that does not fit has no code of that kind, and the table is widened.

use crate::{Codes, CodesMut, CodesRef, Ply, Value};

/// What tells wins from losses among split codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Split {
    last_win: u8,
}

impl Split {
    /// The most that the longest win and the longest loss may have together.
    pub const MOST_PLIES: u16 = 252;

    /// Codes of which the longest win has this many plies; 0 if there is none.
    ///
    /// # Panics
    /// If there is no code for such a win.
    #[must_use]
    pub fn new(longest_win: Ply) -> Self {
        assert!(longest_win.0 <= Split::MOST_PLIES, "a win in {} plies in one byte", longest_win.0);
        Split { last_win: 2 + longest_win.0 as u8 }
    }

    /// The longest win, 0 if there is none.
    #[must_use]
    pub const fn longest_win(self) -> Ply {
        Ply((self.last_win - 2) as u16)
    }

    /// The code of a value, the same for every split; none if there is none in any. That the longest win and
    /// the longest loss fit together is for the caller to see to.
    #[must_use]
    pub const fn code(value: Value) -> Option<u8> {
        match value {
            Value::Illegal => Some(u8::ILLEGAL),
            Value::Draw => Some(u8::DRAW),
            Value::Stalemate => Some(u8::STALEMATE),
            Value::Win(Ply(ply)) if ply >= 1 && ply <= Split::MOST_PLIES => Some(2 + ply as u8),
            Value::Loss(Ply(ply)) if ply <= Split::MOST_PLIES => Some(255 - ply as u8),
            Value::Win(_) | Value::Loss(_) => None,
        }
    }

    /// The value of a code.
    #[must_use]
    #[inline]
    pub const fn value(self, code: u8) -> Value {
        match code {
            u8::ILLEGAL => Value::Illegal,
            u8::DRAW => Value::Draw,
            u8::STALEMATE => Value::Stalemate,
            win if win <= self.last_win => Value::Win(Ply((win - 2) as u16)),
            loss => Value::Loss(Ply((255 - loss) as u16)),
        }
    }

    /// The last code that is a win; those after it are losses.
    #[must_use]
    pub const fn last_win_code(self) -> u8 {
        self.last_win
    }
}

/// Which codes a side to move has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coding {
    /// One byte, the parity telling wins from losses.
    Narrow,
    /// One byte, wins from below and losses from above.
    Split(Split),
    /// Two bytes.
    Wide,
}

/// A value in one or two bytes.
pub trait Code: Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// The code of a placement that is no position.
    const ILLEGAL: Self;
    /// The code of a draw.
    const DRAW: Self;
    /// The code of a draw without a legal move.
    const STALEMATE: Self;

    /// The code of a value; none if it does not fit.
    #[must_use]
    fn from_value(value: Value) -> Option<Self>;

    /// The value of a code.
    #[must_use]
    fn value(self) -> Value;

    /// A row of codes of this width.
    #[must_use]
    fn borrowed(codes: &[Self]) -> CodesRef<'_>;

    /// A row of codes of this width, to be written.
    #[must_use]
    fn borrowed_mut(codes: &mut [Self]) -> CodesMut<'_>;

    /// All codes of a table, of this width.
    #[must_use]
    fn owned(codes: Vec<Self>) -> Codes;
}

impl Code for u8 {
    const ILLEGAL: u8 = 0;
    const DRAW: u8 = 1;
    const STALEMATE: u8 = 2;

    fn from_value(value: Value) -> Option<u8> {
        let (ply, parity) = match value {
            Value::Illegal => return Some(Self::ILLEGAL),
            Value::Draw => return Some(Self::DRAW),
            Value::Stalemate => return Some(Self::STALEMATE),
            Value::Loss(ply) => (ply.0, 0),
            Value::Win(ply) => (ply.0, 1),
        };
        (ply <= 252 && ply % 2 == parity).then(|| 3 + ply as u8)
    }

    #[inline]
    fn value(self) -> Value {
        match self {
            0 => Value::Illegal,
            1 => Value::Draw,
            2 => Value::Stalemate,
            code => {
                let ply = u16::from(code - 3);
                if ply % 2 == 1 { Value::Win(Ply(ply)) } else { Value::Loss(Ply(ply)) }
            }
        }
    }

    fn borrowed(codes: &[u8]) -> CodesRef<'_> {
        CodesRef::Narrow(codes)
    }

    fn borrowed_mut(codes: &mut [u8]) -> CodesMut<'_> {
        CodesMut::Narrow(codes)
    }

    fn owned(codes: Vec<u8>) -> Codes {
        Codes::Narrow(codes)
    }
}

impl Code for u16 {
    const ILLEGAL: u16 = 0;
    const DRAW: u16 = 1;
    const STALEMATE: u16 = 2;

    fn from_value(value: Value) -> Option<u16> {
        let (ply, win) = match value {
            Value::Illegal => return Some(Self::ILLEGAL),
            Value::Draw => return Some(Self::DRAW),
            Value::Stalemate => return Some(Self::STALEMATE),
            Value::Loss(ply) => (ply.0, 0),
            Value::Win(ply) => (ply.0, 1),
        };
        ply.checked_mul(2)?.checked_add(3 + win)
    }

    #[inline]
    fn value(self) -> Value {
        match self {
            0 => Value::Illegal,
            1 => Value::Draw,
            2 => Value::Stalemate,
            code => {
                let ply = Ply((code - 3) / 2);
                if (code - 3) % 2 == 1 { Value::Win(ply) } else { Value::Loss(ply) }
            }
        }
    }

    fn borrowed(codes: &[u16]) -> CodesRef<'_> {
        CodesRef::Wide(codes)
    }

    fn borrowed_mut(codes: &mut [u16]) -> CodesMut<'_> {
        CodesMut::Wide(codes)
    }

    fn owned(codes: Vec<u16>) -> Codes {
        Codes::Wide(codes)
    }
}
