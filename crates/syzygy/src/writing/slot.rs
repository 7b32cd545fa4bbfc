//! Packs into two bytes what a file may hold for a position.
//!
//! Readers look at captures before they believe a file, so many a value need not be in it:
//!
//! ```text
//!   WDL   the best capture is worth as much as the position      that value or any lower one
//!         otherwise                                              the value
//!   DTZ   a draw                                                 anything
//!         a win that a capture or a pawn move keeps              anything
//!         otherwise                                              the distance
//!   both  no position                                            anything
//! ```

use crate::packing::run::{ANY, ANY_DISTANCE};
use crate::score::RULE_PLIES;

/// Where the class of a distance stands; below it are the plies.
pub(crate) const CLASS_SHIFT: u32 = 14;

/// What a file may hold at a place.
///
/// ```text
///   bits 0–11   the plies less one (less 101 beyond the fifty-move rule); all set if any distance will do
///        12–14  the WDL value, 0 loss to 4 win; 5 if any will do
///        15     any lower value will do too
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot(u16);

impl Slot {
    /// Anything will do.
    pub(crate) const FREE: Slot = Slot(5 << 12 | Slot::ANY_PLIES);
    const ANY_PLIES: u16 = 0xfff;
    /// The most plies that there is room for.
    pub(crate) const MAX_PLIES: u16 = Slot::ANY_PLIES - 1;
    const LOWER_TOO: u16 = 1 << 15;

    /// What may stand for a position that is worth so much to whoever moves there, so to the other side; none
    /// if its distance has no room. It is hidden if a capture is worth as much.
    #[inline]
    pub(crate) fn new(worth: i16, is_hidden: bool) -> Option<Self> {
        Slot::under(RULE_PLIES, worth, is_hidden)
    }

    /// The same under an n-move rule of so many plies.
    #[inline]
    pub(crate) fn under(rule_plies: u16, worth: i16, is_hidden: bool) -> Option<Self> {
        let wdl = 4 - class_under(rule_plies, worth);
        let ply = i16::MAX.abs_diff(worth.saturating_abs());
        let least = if matches!(wdl, 1 | 3) { rule_plies + 1 } else { 1 };
        let plies = match wdl {
            2 => Slot::ANY_PLIES,
            3 | 4 if is_hidden => Slot::ANY_PLIES,
            _ => Some(ply.saturating_sub(least)).filter(|&plies| plies <= Slot::MAX_PLIES)?,
        };
        let lower_too = if is_hidden { Slot::LOWER_TOO } else { 0 };
        Some(Slot(lower_too | u16::from(wdl) << 12 | plies))
    }

    /// The plies less one, less 101 beyond the fifty-move rule; none if any distance will do.
    #[inline]
    pub(crate) fn plies(self) -> Option<u16> {
        Some(self.0 & Slot::ANY_PLIES).filter(|&plies| plies != Slot::ANY_PLIES)
    }

    /// The same, but any distance will do.
    #[inline]
    pub(crate) fn with_any_distance(self) -> Self {
        Slot(self.0 | Slot::ANY_PLIES)
    }

    /// The WDL values that will do, a bit each.
    #[inline]
    pub(crate) fn wdl(self) -> u8 {
        const SETS: [u8; 16] =
            [1, 2, 4, 8, 16, ANY, ANY, ANY, 1, 0b11, 0b111, 0b1111, 0b1_1111, ANY, ANY, ANY];
        SETS[usize::from(self.0 >> 12)]
    }

    /// The class of the distance (0 win, 1 loss, 2 cursed win, 3 blessed loss) and the plies;
    /// [`ANY_DISTANCE`] where anything will do.
    #[inline]
    pub(crate) fn distance(self) -> u16 {
        const CLASSES: [u16; 8] = [1, 3, 0, 2, 0, 0, 0, 0];
        match self.0 & Slot::ANY_PLIES {
            Slot::ANY_PLIES => ANY_DISTANCE,
            plies => CLASSES[usize::from(self.0 >> 12 & 7)] << CLASS_SHIFT | plies,
        }
    }

    /// Whether it is a win or loss that is just in time for the fifty-move rule: a ply more or less matters
    /// then.
    pub(crate) fn is_tight(self) -> bool {
        self.0 & Slot::ANY_PLIES == RULE_PLIES - 1 && matches!(self.0 >> 12 & 7, 0 | 4)
    }
}

/// What a move of this worth leads to for its mover, the fifty-move rule counted: 0 loss to 4 win, 0 for no
/// move.
#[inline]
pub(crate) fn class(worth: i16) -> u8 {
    class_under(RULE_PLIES, worth)
}

/// The same under an n-move rule of so many plies.
#[inline]
fn class_under(rule_plies: u16, worth: i16) -> u8 {
    let in_time = i16::MAX - rule_plies as i16;
    u8::from(worth > -in_time) + u8::from(worth >= 0) + u8::from(worth > 0) + u8::from(worth >= in_time)
}
