//! Codes: a value in one byte, or in two.
//!
//! ```text
//!   code  0 illegal   1 draw   2 stalemate   3 + n a decided position
//!   one byte : n is the ply; an odd ply is a win, an even one a loss        n ≤ 252
//!   two bytes: n is 2 × ply, plus 1 for a win                               win ≤ 32,765, loss ≤ 32,766
//! ```
//!
//! One byte relies on mate being the only end: with mate at ply 0 for the side to move, wins are odd and losses even.
//! A value that does not fit has no code of that width, and the table is widened.

use crate::{Codes, CodesMut, CodesRef, Ply, Value};

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
