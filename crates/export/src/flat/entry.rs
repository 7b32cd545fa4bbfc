//! Encodes a value as an entry of two bytes, of four, or of two bits.
//!
//! ```text
//!   bits 0 and 1     0 not a position   1 draw   2 loss   3 win          (for the side to move)
//!   the next 13      how many plies; of a draw 1 if the side to move has no legal move     29 in four bytes
//!   the last         1 if they lead to mate or the next table, whichever comes first; 0 if to mate
//! ```

use table::{Ply, Value};

/// How many bits an entry has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Width {
    /// Two bits: who wins.
    Bits,
    /// Two bytes: distances of up to 8,191 plies.
    Two,
    /// Four bytes.
    Four,
}

const DRAW: u32 = 1;
const LOSS: u32 = 2;
const WIN: u32 = 3;

impl Width {
    /// All of them.
    pub(super) const ALL: [Width; 3] = [Width::Bits, Width::Two, Width::Four];

    /// Bits of an entry.
    #[must_use]
    pub const fn bits(self) -> u8 {
        match self {
            Width::Bits => 2,
            Width::Two => 16,
            Width::Four => 32,
        }
    }

    /// The most plies that there is room for.
    #[must_use]
    pub const fn most_plies(self) -> u32 {
        match self {
            Width::Bits => 0,
            Width::Two => (1 << 13) - 1,
            Width::Four => (1 << 29) - 1,
        }
    }

    /// How many bytes so many entries take.
    pub(super) const fn n_bytes(self, n_entries: u64) -> u64 {
        match self {
            Width::Bits => n_entries.div_ceil(4),
            Width::Two => n_entries * 2,
            Width::Four => n_entries * 4,
        }
    }

    /// The entry of a value that fits; `to_next_table` says what distances lead to.
    #[cfg(feature = "parallel")]
    pub(super) fn entry(self, value: Value, to_next_table: bool) -> u32 {
        let (result, count) = match value {
            Value::Illegal => return 0,
            Value::Draw => (DRAW, 0),
            Value::Stalemate => (DRAW, 1),
            Value::Loss(Ply(ply)) => (LOSS, u32::from(ply)),
            Value::Win(Ply(ply)) => (WIN, u32::from(ply)),
        };
        // Mate on the board is mate, whatever the metric stops at.
        let flag = u32::from(to_next_table && result != DRAW && count > 0);
        match self {
            Width::Bits => result,
            Width::Two | Width::Four => result | count << 2 | flag << (self.bits() - 1),
        }
    }

    /// The value of an entry; none if no entry can be so. Two bits hold neither the difference between a draw
    /// and stalemate nor how far an end is: a win is one after a ply then, a loss one after none.
    pub(super) fn value(self, entry: u32) -> Option<Value> {
        let result = entry & 3;
        if self == Width::Bits {
            return Some(match result {
                0 => Value::Illegal,
                DRAW => Value::Draw,
                LOSS => Value::Loss(Ply(0)),
                _ => Value::Win(Ply(1)),
            });
        }
        let count = entry >> 2 & self.most_plies();
        let is_flagged = entry >> (self.bits() - 1) != 0;
        let ply = Ply(u16::try_from(count).ok()?);
        match (result, count) {
            (0, 0) if !is_flagged => Some(Value::Illegal),
            (DRAW, 0) if !is_flagged => Some(Value::Draw),
            (DRAW, 1) if !is_flagged => Some(Value::Stalemate),
            (LOSS, _) if !is_flagged || count > 0 => Some(Value::Loss(ply)),
            (WIN, 1..) => Some(Value::Win(ply)),
            _ => None,
        }
    }

    /// The entry with this number; none if the array is shorter.
    #[inline]
    pub(super) fn read(self, array: &[u8], number: u64) -> Option<u32> {
        let at = |per: u64| usize::try_from(number * per).ok();
        match self {
            Width::Bits => {
                let byte = *array.get(usize::try_from(number / 4).ok()?)?;
                Some(u32::from(byte >> (2 * (number % 4))) & 3)
            }
            Width::Two => array.get(at(2)?..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes).into()),
            Width::Four => array.get(at(4)?..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)),
        }
    }

    /// Writes an entry into an array of zeros.
    #[cfg(feature = "parallel")]
    #[inline]
    pub(super) fn write(self, array: &mut [u8], number: usize, entry: u32) {
        match self {
            Width::Bits => array[number / 4] |= (entry << (2 * (number % 4))) as u8,
            Width::Two => array[2 * number..][..2].copy_from_slice(&(entry as u16).to_le_bytes()),
            Width::Four => array[4 * number..][..4].copy_from_slice(&entry.to_le_bytes()),
        }
    }
}
