//! Encodes values as codes: indices into a palette, the list of the values that a side to move can have.
//!
//! ```text
//!   code  0 illegal   1 draw   2 stalemate   3 and more a decided position
//!   one byte, alternating  3 + ply; an odd ply is a win, an even one a loss  ply ≤ 252
//!   one byte, split        2 + ply for a win, 255 − ply for a loss           longest win + loss ≤ 252
//!   two bytes              3 + 2 × ply, plus 1 for a win                     win ≤ 32,765, loss one more
//! ```
//!
//! Codes have one byte or two, and that is all that tells them apart: [`Coded`] holds something of either
//! width. What a code means is asked of its [`Coding`], which computes the palette instead of storing it.
//!
//! An alternating [`Palette`] relies on mate being the only end: with mate at ply 0 for the side to move,
//! wins are odd and losses even. Metrics that count to a capture have wins and losses of both parities. Their
//! palettes are split: wins from below, losses from above, and between them lies what is not used.
//!
//! ```text
//!     0  1  2  3 ─── wins ──► 2 + longest win       255 − longest loss ◄── losses ─── 255
//! ```
//!
//! No code says where the wins of a side to move end: its palette does. A long win on one side of the table
//! goes with long losses on the other, so where wins are long, losses are mostly short. The code of a value
//! is the same in every split palette that has room for it.
//!
//! A value that does not fit has no code of one byte, and the table is widened.

use crate::spare::illegal_codes;
use crate::{Ply, Value};
use kernel::repeated;
use std::borrow::Cow;
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
    /// What codes of this width mean where no metric splits them.
    const CODING: Coding;

    /// The code of a value, not split; none if it does not fit.
    #[must_use]
    #[inline]
    fn from_value(value: Value) -> Option<Self> {
        Self::CODING.code_of(value).and_then(|code| Self::try_from(code).ok())
    }

    /// The code of a value in a table of this metric; none if it does not fit.
    #[must_use]
    #[inline]
    fn from_value_under(metric: Metric, value: Value) -> Option<Self> {
        Self::CODING.under(metric, Ply(0)).code_of(value).and_then(|code| Self::try_from(code).ok())
    }

    /// The most plies that the longest win and the longest loss of one side to move may have together in
    /// codes of this width, if they share codes.
    #[must_use]
    fn most_plies(metric: Metric) -> Option<u16> {
        Self::CODING.under(metric, Ply(0)).is_split().then_some(Palette::MOST_PLIES)
    }

    /// The value of a code that is not split.
    #[must_use]
    #[inline]
    fn value(self) -> Value {
        Self::CODING.value_of(self.into())
    }

    /// A row of codes of this width.
    #[must_use]
    fn borrowed(codes: &[Self]) -> CodesRef<'_>;

    /// The codes of such a row; none if they are of the other width.
    #[must_use]
    fn slice_of(codes: CodesRef<'_>) -> Option<&[Self]>;

    /// A row of codes of this width, to be written.
    #[must_use]
    fn borrowed_mut(codes: &mut [Self]) -> CodesMut<'_>;

    /// This many illegal codes; where they are large, in memory that others have given back.
    #[must_use]
    fn illegal(n_codes: usize) -> Vec<Self>;

    /// All codes of a table, of this width.
    #[must_use]
    fn owned(codes: Vec<Self>) -> Codes;
}

/// Something of codes of either width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Coded<Byte, Pair> {
    /// One byte each, as indices into this palette.
    OneByte(Byte, Palette),
    /// Two bytes each, which have room for all values.
    TwoBytes(Pair),
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
    #[inline]
    pub fn coding(&self) -> Coding {
        match self {
            Coded::OneByte(_, palette) => Coded::OneByte((), *palette),
            Coded::TwoBytes(_) => Coded::TwoBytes(()),
        }
    }

    /// What one of two functions makes of them, as codes of the same coding.
    #[inline]
    pub fn map<B, P>(self, bytes: impl FnOnce(Byte) -> B, pairs: impl FnOnce(Pair) -> P) -> Coded<B, P> {
        match self {
            Coded::OneByte(codes, palette) => Coded::OneByte(bytes(codes), palette),
            Coded::TwoBytes(codes) => Coded::TwoBytes(pairs(codes)),
        }
    }

    /// What one of two functions makes of them, whichever is for their width.
    #[inline]
    pub fn either<T>(self, bytes: impl FnOnce(Byte) -> T, pairs: impl FnOnce(Pair) -> T) -> T {
        match self {
            Coded::OneByte(codes, _) => bytes(codes),
            Coded::TwoBytes(codes) => pairs(codes),
        }
    }

    /// Whether they have two bytes each.
    #[must_use]
    pub fn is_wide(&self) -> bool {
        matches!(self, Coded::TwoBytes(_))
    }

    /// Whether a metric splits them.
    #[must_use]
    pub fn is_split(&self) -> bool {
        matches!(self, Coded::OneByte(_, palette) if palette.last_win().is_some())
    }

    /// The bytes, if the wins and losses among them alternate.
    #[must_use]
    #[inline]
    pub fn alternating(self) -> Option<Byte> {
        let Coded::OneByte(codes, Palette::ALTERNATING) = self else { return None };
        Some(codes)
    }

    /// These codes as those of a table of this metric, in which the longest win of the side to move has
    /// `longest_win` plies: bytes are split if the metric splits them.
    ///
    /// # Panics
    /// If there is no byte for such a win.
    #[must_use]
    #[inline]
    pub fn under(self, metric: Metric, longest_win: Ply) -> Self {
        let Coded::OneByte(codes, _) = self else { return self };
        let palette = Palette::of(metric, longest_win, Ply(0));
        Coded::OneByte(codes, palette.unwrap_or_else(|| panic!("a win in {longest_win} in one byte")))
    }
}

impl Coding {
    /// The narrowest codes of a metric for a side to move with these longest values.
    #[must_use]
    pub fn of(metric: Metric, longest_win: Ply, longest_loss: Ply) -> Coding {
        let palette = Palette::of(metric, longest_win, longest_loss);
        palette.map_or(Coding::TwoBytes(()), |palette| Coding::OneByte((), palette))
    }

    /// The value of a code.
    #[must_use]
    #[inline]
    pub fn value_of(self, code: u16) -> Value {
        let decided = match code {
            0 => return Value::Illegal,
            1 => return Value::Draw,
            2 => return Value::Stalemate,
            code => code - 3,
        };
        let (ply, is_win) = match self {
            Coding::OneByte((), Palette::ALTERNATING) => (decided, decided % 2 == 1),
            Coding::OneByte((), Palette { last_win }) if code <= last_win.into() => (code - 2, true),
            Coding::OneByte(..) => (u16::from(u8::MAX).saturating_sub(code), false),
            Coding::TwoBytes(()) => (decided / 2, decided % 2 == 1),
        };
        if is_win { Value::Win(Ply(ply)) } else { Value::Loss(Ply(ply)) }
    }

    /// The code of a value; none if it does not fit. That the longest win and the longest loss fit together
    /// is for the caller to see to.
    #[must_use]
    #[inline]
    pub fn code_of(self, value: Value) -> Option<u16> {
        let (ply, is_win) = match value {
            Value::Illegal => return Some(u16::ILLEGAL),
            Value::Draw => return Some(u16::DRAW),
            Value::Stalemate => return Some(u16::STALEMATE),
            Value::Loss(ply) => (ply.0, false),
            Value::Win(ply) => (ply.0, true),
        };
        let (fits, code) = match self {
            Coding::TwoBytes(()) => return ply.checked_mul(2)?.checked_add(3 + u16::from(is_win)),
            Coding::OneByte((), Palette::ALTERNATING) => ((ply % 2 == 1) == is_win, ply.wrapping_add(3)),
            // No position is won in no plies.
            Coding::OneByte(..) if is_win => (ply > 0, ply.wrapping_add(2)),
            Coding::OneByte(..) => (true, u16::from(u8::MAX).wrapping_sub(ply)),
        };
        (fits && ply <= Palette::MOST_PLIES).then_some(code)
    }

    /// How many bytes a code has.
    #[must_use]
    pub fn n_bytes(self) -> usize {
        if self.is_wide() { 2 } else { 1 }
    }

    /// How many codes there are.
    #[must_use]
    pub fn n_codes(self) -> usize {
        1 << (8 * self.n_bytes())
    }

    /// The values of all codes, in their order.
    pub fn values(self) -> impl Iterator<Item = Value> {
        (0..self.n_codes()).map(move |code| self.value_of(code as u16))
    }

    /// The coding as records of files have it: its kind and, of a split one, the last code that is a win.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 2] {
        match self {
            Coding::OneByte((), Palette { last_win }) => [u8::from(last_win > 0), last_win],
            Coding::TwoBytes(()) => [2, 0],
        }
    }

    /// The coding of a record; none if it has no such one.
    #[must_use]
    pub fn from_bytes([kind, last_win]: [u8; 2]) -> Option<Coding> {
        match kind {
            0 => Some(u8::CODING),
            1 => Palette::split(Ply(last_win.checked_sub(2)?.into()), Ply(0))
                .map(|own| Coding::OneByte((), own)),
            2 => Some(u16::CODING),
            _ => None,
        }
    }
}

/// The values of codes of one byte. It is not stored: where wins end says all of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Palette {
    /// The last code that is a win, where wins and losses are split; 0 where they alternate.
    last_win: u8,
}

impl Palette {
    /// The most plies of a value; where wins and losses are split, of the longest of both together.
    pub const MOST_PLIES: u16 = 252;

    /// Wins and losses alternate.
    pub const ALTERNATING: Palette = Palette { last_win: 0 };

    /// Wins from below and losses from above, with these longest ones, 0 if there is none; none if they do
    /// not fit together.
    #[must_use]
    #[inline]
    pub fn split(longest_win: Ply, longest_loss: Ply) -> Option<Palette> {
        let fits = longest_win.0.saturating_add(longest_loss.0) <= Palette::MOST_PLIES;
        fits.then(|| Palette { last_win: 2 + longest_win.0 as u8 })
    }

    /// The palette of a metric for a side to move with these longest values; none if one of them has no code
    /// of one byte. Wins and losses have both parities where a capture ends the count.
    #[must_use]
    #[inline]
    pub fn of(metric: Metric, longest_win: Ply, longest_loss: Ply) -> Option<Palette> {
        match metric {
            Metric::Dtc | Metric::Dtz | Metric::Dtz50 => Palette::split(longest_win, longest_loss),
            Metric::Wdl | Metric::Dtm | Metric::Dtm50 | Metric::Help => {
                (longest_win.max(longest_loss).0 <= Palette::MOST_PLIES).then_some(Palette::ALTERNATING)
            }
        }
    }

    /// The last code that is a win, if wins and losses are split.
    #[inline]
    pub(crate) fn last_win(self) -> Option<u8> {
        (self.last_win > 0).then_some(self.last_win)
    }
}

impl Default for Codes {
    /// No codes.
    fn default() -> Self {
        u8::owned(Vec::new())
    }
}

impl Codes {
    /// This many codes, all illegal.
    #[must_use]
    pub fn new(coding: Coding, n_codes: usize) -> Self {
        coding.map(|()| u8::illegal(n_codes), |()| u16::illegal(n_codes))
    }

    /// Makes room for this many codes, in the memory of those before if it is as wide.
    pub fn reset(&mut self, coding: Coding, n_codes: usize) -> CodesMut<'_> {
        match (&mut *self, coding) {
            (Coded::OneByte(codes, own), Coded::OneByte((), palette)) => {
                codes.resize(n_codes, 0);
                *own = palette;
            }
            (Coded::TwoBytes(codes), Coded::TwoBytes(())) => codes.resize(n_codes, 0),
            (codes, coding) => *codes = Codes::new(coding, n_codes),
        }
        self.as_mut()
    }

    /// Codes of their bytes, the lower one of two first.
    #[must_use]
    pub fn from_le_bytes(coding: Coding, bytes: Vec<u8>) -> Self {
        let pairs = |bytes: &[u8]| bytes.as_chunks().0.iter().map(|&pair| u16::from_le_bytes(pair)).collect();
        match coding {
            Coding::OneByte((), palette) => Codes::OneByte(bytes, palette),
            Coding::TwoBytes(()) => Codes::TwoBytes(pairs(&bytes)),
        }
    }

    /// The codes borrowed, to be written.
    #[must_use]
    pub fn as_mut(&mut self) -> CodesMut<'_> {
        match self {
            Coded::OneByte(codes, palette) => Coded::OneByte(codes, *palette),
            Coded::TwoBytes(codes) => Coded::TwoBytes(codes),
        }
    }

    /// The memory that they take.
    ///
    /// Units: bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.as_ref().either(size_of_val, size_of_val)
    }
}

impl From<CodesRef<'_>> for Codes {
    fn from(codes: CodesRef<'_>) -> Self {
        codes.map(<[u8]>::to_vec, <[u16]>::to_vec)
    }
}

impl<'a> CodesRef<'a> {
    /// Those of them with these numbers.
    ///
    /// # Panics
    /// If there are no such numbers.
    #[must_use]
    pub fn range(self, range: Range<usize>) -> CodesRef<'a> {
        self.map(|codes| &codes[range.clone()], |codes| &codes[range.clone()])
    }

    /// Their bytes, the lower one of two first.
    #[must_use]
    pub fn to_le_bytes(self) -> Cow<'a, [u8]> {
        self.either(Cow::Borrowed, |codes| codes.iter().flat_map(|code| code.to_le_bytes()).collect())
    }

    /// The longest win and the longest loss, 0 if there is none.
    #[must_use]
    pub fn longest(self) -> [Ply; 2] {
        let mut occurs = vec![false; self.coding().n_codes()];
        (0..self.len()).for_each(|index| occurs[usize::from(self.at(index))] = true);
        let mut longest = [Ply(0); 2];
        for (value, _) in self.coding().values().zip(occurs).filter(|&(_, occurs)| occurs) {
            match value {
                Value::Win(ply) => longest[0] = longest[0].max(ply),
                Value::Loss(ply) => longest[1] = longest[1].max(ply),
                _ => {}
            }
        }
        longest
    }

    /// Writes the values of these codes as codes of another row; whether each of them has one there.
    ///
    /// # Panics
    /// If the row is not as long.
    #[must_use]
    pub fn copy_to(self, to: CodesMut<'_>) -> bool {
        assert_eq!(self.len(), to.len(), "as many codes");
        let is_alike = self.is_split() == to.is_split();
        match (self, to) {
            (Coded::TwoBytes(from), Coded::TwoBytes(to)) => to.copy_from_slice(from),
            (Coded::OneByte(from, _), Coded::OneByte(to, _)) if is_alike => to.copy_from_slice(from),
            (from, mut to) => {
                let coding = to.coding();
                return (0..from.len())
                    .all(|i| coding.code_of(from.value(i)).map(|code| to.set(i, code)).is_some());
            }
        }
        true
    }

    /// The values of these codes in another coding; none if one of them has no code there.
    #[must_use]
    pub fn recoded(self, coding: Coding) -> Option<Codes> {
        let mut codes = Codes::new(coding, self.len());
        self.copy_to(codes.as_mut()).then_some(codes)
    }
}

impl<'a> CodesMut<'a> {
    /// The first `n` of them, and the others.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn split_at(self, n: usize) -> (CodesMut<'a>, CodesMut<'a>) {
        match self {
            Coded::OneByte(codes, palette) => {
                let (first, others) = codes.split_at_mut(n);
                (Coded::OneByte(first, palette), Coded::OneByte(others, palette))
            }
            Coded::TwoBytes(codes) => {
                let (first, others) = codes.split_at_mut(n);
                (Coded::TwoBytes(first), Coded::TwoBytes(others))
            }
        }
    }

    /// Writes the code with this number, which must have their width.
    ///
    /// # Panics
    /// If there is no such number.
    #[inline]
    pub fn set(&mut self, index: usize, code: u16) {
        match self {
            Coded::OneByte(codes, _) => codes[index] = code as u8,
            Coded::TwoBytes(codes) => codes[index] = code,
        }
    }
}

impl<Byte: AsRef<[u8]>, Pair: AsRef<[u16]>> Coded<Byte, Pair> {
    /// The codes borrowed.
    #[must_use]
    #[inline]
    pub fn as_ref(&self) -> CodesRef<'_> {
        match self {
            Coded::OneByte(codes, palette) => Coded::OneByte(codes.as_ref(), *palette),
            Coded::TwoBytes(codes) => Coded::TwoBytes(codes.as_ref()),
        }
    }

    /// How many there are.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.as_ref().either(<[u8]>::len, <[u16]>::len)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code with this number.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    #[inline]
    pub fn at(&self, index: usize) -> u16 {
        self.as_ref().either(|codes| codes[index].into(), |codes| codes[index])
    }

    /// The value with this number.
    ///
    /// # Panics
    /// If there is no such number.
    #[must_use]
    #[inline]
    pub fn value(&self, index: usize) -> Value {
        self.coding().value_of(self.at(index))
    }

    /// Codes that say who wins and nothing else: wins after a ply, losses after none.
    #[must_use]
    pub fn to_wdl(&self) -> Codes {
        let code = |value: Value| u8::from_value(value.without_distance()).expect("a byte has room for it");
        let of_bytes = |codes: &[u8]| {
            let book: Vec<u8> = self.coding().values().map(code).collect();
            codes.iter().map(|&byte| book[usize::from(byte)]).collect()
        };
        let of_pairs = |codes: &[u16]| codes.iter().map(|&pair| code(pair.value())).collect();
        u8::owned(self.as_ref().either(of_bytes, of_pairs))
    }
}

impl Code for u8 {
    const ILLEGAL: u8 = 0;
    const DRAW: u8 = 1;
    const STALEMATE: u8 = 2;
    const CODING: Coding = Coded::OneByte((), Palette::ALTERNATING);

    #[inline]
    fn borrowed(codes: &[u8]) -> CodesRef<'_> {
        Coded::OneByte(codes, Palette::ALTERNATING)
    }

    #[inline]
    fn slice_of(codes: CodesRef<'_>) -> Option<&[u8]> {
        codes.either(Some, |_| None)
    }

    #[inline]
    fn borrowed_mut(codes: &mut [u8]) -> CodesMut<'_> {
        Coded::OneByte(codes, Palette::ALTERNATING)
    }

    fn illegal(n_codes: usize) -> Vec<u8> {
        illegal_codes(n_codes)
    }

    fn owned(codes: Vec<u8>) -> Codes {
        Coded::OneByte(codes, Palette::ALTERNATING)
    }
}

impl Code for u16 {
    const ILLEGAL: u16 = 0;
    const DRAW: u16 = 1;
    const STALEMATE: u16 = 2;
    const CODING: Coding = Coded::TwoBytes(());

    #[inline]
    fn borrowed(codes: &[u16]) -> CodesRef<'_> {
        Coded::TwoBytes(codes)
    }

    #[inline]
    fn slice_of(codes: CodesRef<'_>) -> Option<&[u16]> {
        codes.either(|_| None, Some)
    }

    #[inline]
    fn borrowed_mut(codes: &mut [u16]) -> CodesMut<'_> {
        Coded::TwoBytes(codes)
    }

    fn illegal(n_codes: usize) -> Vec<u16> {
        repeated(0, n_codes)
    }

    fn owned(codes: Vec<u16>) -> Codes {
        Coded::TwoBytes(codes)
    }
}
