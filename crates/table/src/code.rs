//! Encodes values as codes of one byte or of two.
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
//! No code says where the wins of a side to move end: a [`Split`] stands beside all of them. A long win on
//! one side of the table goes with long losses on the other, so where wins are long, losses are mostly short.
//!
//! A value that does not fit has no code of that kind, and the table is widened.
//!
//! [`Code`] is what both widths can do. [`Coded`] holds something of either; code that differs for the two
//! widths matches on it.

use crate::{Ply, Value};
use std::fmt::Debug;
use std::ops::Range;
use variant::Metric;

/// A code of one width: `u8` or `u16`.
pub trait Code: Copy + Eq + Send + Sync + Debug + From<u8> + Into<u16> + TryFrom<u16> + 'static {
    /// The code of a placement that is no position.
    const ILLEGAL: Self;
    /// The code of a draw.
    const DRAW: Self;
    /// The code of a draw without a legal move.
    const STALEMATE: Self;

    /// The code of a value, not split; none if it does not fit.
    #[must_use]
    fn from_value(value: Value) -> Option<Self>;

    /// The code of a value in a table of this metric; none if it does not fit.
    #[must_use]
    fn from_value_under(metric: Metric, value: Value) -> Option<Self> {
        if Self::is_split(metric) { Split::code(value).map(Self::from) } else { Self::from_value(value) }
    }

    /// Whether codes of this width are split in tables of this metric.
    #[must_use]
    fn is_split(metric: Metric) -> bool {
        size_of::<Self>() == 1 && Split::serves(metric)
    }

    /// The most plies that the longest win and the longest loss of one side to move may have together in
    /// codes of this width, if they share codes.
    #[must_use]
    fn most_plies(metric: Metric) -> Option<u16> {
        Self::is_split(metric).then_some(Split::MOST_PLIES)
    }

    /// The value of a code that is not split.
    #[must_use]
    fn value(self) -> Value;

    /// A row of codes of this width.
    #[must_use]
    fn borrowed(codes: &[Self]) -> CodesRef<'_>;

    /// The codes of such a row; none if they are of the other width.
    #[must_use]
    fn slice_of(codes: CodesRef<'_>) -> Option<&[Self]>;

    /// A row of codes of this width, to be written.
    #[must_use]
    fn borrowed_mut(codes: &mut [Self]) -> CodesMut<'_>;

    /// All codes of a table, of this width.
    #[must_use]
    fn owned(codes: Vec<Self>) -> Codes;
}

/// Something of codes: of one byte, of one byte and split, or of two bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coded<Byte, Pair> {
    /// One byte each, the parity telling wins from losses.
    Narrow(Byte),
    /// One byte each, wins from below and losses from above.
    Split(Byte, Split),
    /// Two bytes each.
    Wide(Pair),
}

/// The codes of every placement for one side to move.
pub type Codes = Coded<Vec<u8>, Vec<u16>>;

/// Borrowed codes; those of a table in the making may end early.
pub type CodesRef<'a> = Coded<&'a [u8], &'a [u16]>;

/// Borrowed codes, to be written.
pub type CodesMut<'a> = Coded<&'a mut [u8], &'a mut [u16]>;

/// The codes of a row of placements, one a square; those beyond the board are illegal.
pub type CodeRow<const N: usize> = Coded<[u8; N], [u16; N]>;

/// Which codes a side to move has.
pub type Coding = Coded<(), ()>;

impl<Byte, Pair> Coded<Byte, Pair> {
    /// Which codes they are.
    #[must_use]
    pub fn coding(&self) -> Coding {
        match self {
            Coded::Narrow(_) => Coded::Narrow(()),
            Coded::Split(_, split) => Coded::Split((), *split),
            Coded::Wide(_) => Coded::Wide(()),
        }
    }

    /// Whether they have two bytes each.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        matches!(self, Coded::Wide(_))
    }

    /// These codes as those of a table of this metric, in which the longest win of the side to move has
    /// `longest_win` plies: bytes are split if the metric splits them.
    #[must_use]
    pub fn under(self, metric: Metric, longest_win: Ply) -> Self {
        match self {
            Coded::Narrow(bytes) if Split::serves(metric) => Coded::Split(bytes, Split::new(longest_win)),
            other => other,
        }
    }
}

impl Codes {
    /// The memory that they take.
    ///
    /// Units: bytes.
    #[must_use]
    pub(crate) fn size_bytes(&self) -> usize {
        self.len() * if self.is_wide() { 2 } else { 1 }
    }
}

impl From<CodesRef<'_>> for Codes {
    fn from(codes: CodesRef<'_>) -> Self {
        match codes {
            Coded::Narrow(codes) => Coded::Narrow(codes.to_vec()),
            Coded::Split(codes, split) => Coded::Split(codes.to_vec(), split),
            Coded::Wide(codes) => Coded::Wide(codes.to_vec()),
        }
    }
}

impl<'a> CodesRef<'a> {
    /// Those of them with these numbers.
    ///
    /// # Panics
    /// If there are no such numbers.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> CodesRef<'a> {
        match self {
            Coded::Narrow(codes) => Coded::Narrow(&codes[range]),
            Coded::Split(codes, split) => Coded::Split(&codes[range], split),
            Coded::Wide(codes) => Coded::Wide(&codes[range]),
        }
    }
}

impl<Byte: AsRef<[u8]>, Pair: AsRef<[u16]>> Coded<Byte, Pair> {
    /// The codes borrowed.
    #[must_use]
    #[inline]
    pub fn as_ref(&self) -> CodesRef<'_> {
        match self {
            Coded::Narrow(codes) => Coded::Narrow(codes.as_ref()),
            Coded::Split(codes, split) => Coded::Split(codes.as_ref(), *split),
            Coded::Wide(codes) => Coded::Wide(codes.as_ref()),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.as_ref() {
            Coded::Narrow(codes) | Coded::Split(codes, _) => codes.len(),
            Coded::Wide(codes) => codes.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value with this number.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    #[inline]
    pub fn value(&self, index: usize) -> Value {
        match self.as_ref() {
            Coded::Narrow(codes) => codes[index].value(),
            Coded::Split(codes, split) => split.value(codes[index]),
            Coded::Wide(codes) => codes[index].value(),
        }
    }

    /// Codes that say who wins and nothing else, as narrow ones: wins after a ply, losses after none.
    #[must_use]
    pub fn to_wdl(&self) -> Codes {
        let simple = |value: Value| match value {
            Value::Win(_) => Value::Win(Ply(1)),
            Value::Loss(_) => Value::Loss(Ply(0)),
            other => other,
        };
        let code = |value: Value| u8::from_value(simple(value)).expect("three values fit into a byte");
        let of_bytes = |codes: &[u8], value: &dyn Fn(u8) -> Value| {
            let book: [u8; 256] = std::array::from_fn(|byte| code(value(byte as u8)));
            codes.iter().map(|&byte| book[byte as usize]).collect()
        };
        Coded::Narrow(match self.as_ref() {
            Coded::Narrow(codes) => of_bytes(codes, &|byte| byte.value()),
            Coded::Split(codes, split) => of_bytes(codes, &|byte| split.value(byte)),
            Coded::Wide(codes) => codes.iter().map(|&wide| code(wide.value())).collect(),
        })
    }
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
        (ply <= NARROW_PLIES && ply % 2 == parity).then(|| 3 + ply as u8)
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

    #[inline]
    fn borrowed(codes: &[u8]) -> CodesRef<'_> {
        CodesRef::Narrow(codes)
    }

    #[inline]
    fn slice_of(codes: CodesRef<'_>) -> Option<&[u8]> {
        match codes {
            CodesRef::Narrow(codes) | CodesRef::Split(codes, _) => Some(codes),
            CodesRef::Wide(_) => None,
        }
    }

    #[inline]
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

    #[inline]
    fn borrowed(codes: &[u16]) -> CodesRef<'_> {
        CodesRef::Wide(codes)
    }

    #[inline]
    fn slice_of(codes: CodesRef<'_>) -> Option<&[u16]> {
        match codes {
            CodesRef::Wide(codes) => Some(codes),
            CodesRef::Narrow(_) | CodesRef::Split(..) => None,
        }
    }

    #[inline]
    fn borrowed_mut(codes: &mut [u16]) -> CodesMut<'_> {
        CodesMut::Wide(codes)
    }

    fn owned(codes: Vec<u16>) -> Codes {
        Codes::Wide(codes)
    }
}

impl Coding {
    /// Codes of one byte under a metric for a side to move with these longest values; none if a value of that
    /// length has no code of one byte, beside the other one where both share it.
    #[must_use]
    pub fn of_one_byte(metric: Metric, longest_win: Ply, longest_loss: Ply) -> Option<Coding> {
        let fits = match u8::most_plies(metric) {
            Some(most) => longest_win.0.saturating_add(longest_loss.0) <= most,
            // All wins are odd and all losses even.
            None => longest_win.max(longest_loss).0 <= NARROW_PLIES,
        };
        fits.then(|| Coding::Narrow(()).under(metric, longest_win))
    }
}

/// The most plies of a narrow code.
const NARROW_PLIES: u16 = 252;

/// Tells wins from losses among split codes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Split {
    last_win: u8,
}

impl Split {
    /// The most that the longest win and the longest loss may have together.
    pub const MOST_PLIES: u16 = 252;

    /// Whether tables of a metric split codes of one byte: wins and losses have both parities where a capture
    /// ends the count.
    #[must_use]
    pub const fn serves(metric: Metric) -> bool {
        match metric {
            Metric::Dtc | Metric::Dtz | Metric::Dtz50 => true,
            Metric::Wdl | Metric::Dtm => false,
        }
    }

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
