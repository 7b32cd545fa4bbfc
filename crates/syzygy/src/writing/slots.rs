//! Holds what a file may hold for every placement with a side to move.
//!
//! The values are in the table already. What moves leave of them takes two bits a placement, so that an
//! export needs little more memory than its table:
//!
//! ```text
//!   table   codes, one byte (or two) a placement ──┐
//!                                                  ├─► slot, by a book of all codes in all states
//!   states  two bits a placement ──────────────────┘
//! ```

use crate::packing::run::{ANY, ANY_DISTANCE};
use crate::score::RULE_PLIES;
use crate::writing::finder::NOWHERE;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};
use table::{Coded, Codes, CodesRef, Value, threads, worth};

/// How many numbers a row has.
pub(crate) const ROW: usize = 64;

/// How many rows a thread takes at a time.
const N_ROWS: usize = 256;

/// How many rows are counted in a stretch.
const N_COUNTED: usize = 1 << 14;

/// What moves leave of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// All of it.
    Exact,
    /// Its distance, if it is a loss, and that it is not better: any lower result will do.
    LowerToo,
    /// The result: any distance will do.
    AnyDistance,
    /// Nothing.
    Anything,
}

impl State {
    const ALL: [State; 4] = [State::Exact, State::LowerToo, State::AnyDistance, State::Anything];
}

/// The states of a row of numbers, two bits each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct States([u64; 2]);

impl States {
    /// Anything will do everywhere.
    pub(crate) const ANYTHING: States = States([!0; 2]);

    #[inline]
    pub(crate) fn set(&mut self, place: usize, state: State) {
        for (bit, states) in self.0.iter_mut().enumerate() {
            *states = *states & !(1 << place) | (state as u64 >> bit & 1) << place;
        }
    }

    #[inline]
    fn at(self, place: usize) -> usize {
        (self.0[0] >> place & 1 | (self.0[1] >> place & 1) << 1) as usize
    }
}

/// What was found in a row.
pub(crate) struct FilledRow {
    pub(crate) states: States,
    /// Whether a distance has no room in a file.
    pub(crate) is_too_deep: bool,
    /// Whether a win or loss is just in time for the fifty-move rule.
    pub(crate) is_tight: bool,
}

impl FilledRow {
    /// A row in which anything will do.
    pub(crate) const FREE: FilledRow =
        FilledRow { states: States::ANYTHING, is_too_deep: false, is_tight: false };

    /// Notes what will do at a place; nothing that has room if there is none.
    #[inline]
    pub(crate) fn set(&mut self, place: usize, state: State, slot: Option<Slot>) {
        self.states.set(place, state);
        self.is_too_deep |= slot.is_none();
        self.is_tight |= slot.is_some_and(Slot::is_tight);
    }
}

/// What moves leave of all values with a side to move.
pub(crate) struct Filled {
    states: Vec<States>,
    is_tight: bool,
}

impl Filled {
    /// `fill` says what moves leave of each row of this many numbers; none if a distance has no room.
    pub(crate) fn new(n_numbers: usize, fill: impl Fn(usize) -> FilledRow + Sync) -> Option<Self> {
        let mut states = vec![States::ANYTHING; n_numbers.div_ceil(ROW)];
        let is_tight = AtomicBool::new(false);
        let fits = threads::try_for_each(states.chunks_mut(N_ROWS).enumerate(), |(stretch, states)| {
            for (states, row) in states.iter_mut().zip(stretch * N_ROWS..) {
                let filled = fill(row);
                *states = filled.states;
                if filled.is_tight {
                    is_tight.store(true, Ordering::Relaxed);
                }
                if filled.is_too_deep {
                    return Err(());
                }
            }
            Ok(())
        });
        fits.is_ok().then(|| Filled { states, is_tight: is_tight.into_inner() })
    }

    /// Whether a win or loss is just in time for the fifty-move rule.
    pub(crate) fn is_tight(&self) -> bool {
        self.is_tight
    }
}

/// The slots with a side to move, by the number that the layout has for a placement.
pub(crate) struct Slots<'a>(Kept<'a>);

enum Kept<'a> {
    /// The codes of a table with their states. By code and state: the slot.
    Coded { codes: KeptCodes<'a>, states: Vec<States>, book: Vec<[Slot; 4]> },
    /// Codes and states in one byte, the number of a slot: of most tables there are no more slots.
    Numbered { numbers: Vec<u8>, slots: Vec<Slot> },
}

/// Codes of a table that others have, too, or own ones.
type KeptCodes<'a> = Coded<Cow<'a, [u8]>, Cow<'a, [u16]>>;

impl<'a> Slots<'a> {
    /// The slots of these codes under an n-move rule.
    pub(crate) fn new(codes: CodesRef<'a>, filled: Filled, rule_plies: u16) -> Self {
        let book = book(codes, rule_plies);
        Slots(Kept::Coded { codes: codes.map(Cow::Borrowed, Cow::Borrowed), states: filled.states, book })
    }

    /// Like [`Self::new`], as numbers of slots in the place of the codes if there are no more slots than a
    /// byte has numbers.
    pub(crate) fn of_own(codes: Codes, filled: Filled, rule_plies: u16) -> Self {
        let book = book(codes.as_ref(), rule_plies);
        let counts = counts(codes.as_ref(), &filled.states, book.len());
        let (mut slots, mut numbers) = (Vec::new(), vec![[0u8; 4]; book.len()]);
        for ((numbers, own), counts) in numbers.iter_mut().zip(&book).zip(&counts) {
            for ((number, slot), _) in numbers.iter_mut().zip(own).zip(counts).filter(|&(_, &n)| n > 0) {
                let found = slots.iter().position(|other| other == slot).unwrap_or(slots.len());
                if found == slots.len() {
                    slots.push(*slot);
                }
                let Ok(found) = u8::try_from(found) else {
                    let codes = codes.map(Cow::Owned, Cow::Owned);
                    return Slots(Kept::Coded { codes, states: filled.states, book });
                };
                *number = found;
            }
        }
        let number = |at: usize, code: u16| numbers[usize::from(code)][filled.states[at / ROW].at(at % ROW)];
        let in_place = |mut codes: Vec<u8>| {
            threads::for_each_element(&mut codes, |at, code| *code = number(at, (*code).into()));
            codes
        };
        let numbers = codes.either(in_place, |codes| {
            let mut numbers = vec![0; codes.len()];
            threads::for_each_element(&mut numbers, |at, own| *own = number(at, codes[at]));
            numbers
        });
        Slots(Kept::Numbered { numbers, slots })
    }

    /// Whether they are numbers of slots.
    #[cfg(test)]
    pub(crate) fn is_numbered(&self) -> bool {
        matches!(self.0, Kept::Numbered { .. })
    }

    /// What may stand for the placement with a number.
    #[inline]
    pub(crate) fn at(&self, number: usize) -> Slot {
        if number == NOWHERE {
            return Slot::FREE;
        }
        match &self.0 {
            Kept::Numbered { numbers, slots } => slots[usize::from(numbers[number])],
            Kept::Coded { codes, states, book } => {
                book[usize::from(codes.as_ref().at(number))][states[number / ROW].at(number % ROW)]
            }
        }
    }

    /// Calls `note` with every kind of slot that there is, and with how many are of that kind.
    pub(crate) fn each_kind(&self, mut note: impl FnMut(Slot, u64)) {
        match &self.0 {
            Kept::Coded { codes, states, book } => {
                let counts = counts(codes.as_ref(), states, book.len());
                for (slots, counts) in book.iter().zip(counts) {
                    let kinds = slots.iter().zip(counts).filter(|&(_, n)| n > 0);
                    kinds.for_each(|(&slot, n)| note(slot, n));
                }
            }
            Kept::Numbered { numbers, slots } => {
                let counts = threads::fold(
                    numbers.chunks(N_COUNTED * ROW),
                    || vec![0u64; 1 << 8],
                    |counts, numbers| {
                        numbers.iter().for_each(|&number| counts[usize::from(number)] += 1);
                    },
                );
                let counts = counts.into_iter().reduce(sum).unwrap_or_default();
                slots.iter().zip(counts).for_each(|(&slot, n)| note(slot, n));
            }
        }
    }
}

/// How often each code occurs in each state.
fn counts(codes: CodesRef<'_>, states: &[States], n_codes: usize) -> Vec<[u64; 4]> {
    let count = |counts: &mut Vec<[u64; 4]>, (stretch, states): (usize, &[States])| {
        let mut number = stretch * N_COUNTED * ROW;
        for states in states {
            for place in 0..ROW.min(codes.len() - number) {
                counts[usize::from(codes.at(number + place))][states.at(place)] += 1;
            }
            number += ROW;
        }
    };
    let and = |mut counts: Vec<[u64; 4]>, others: Vec<[u64; 4]>| {
        counts.as_flattened_mut().iter_mut().zip(others.as_flattened()).for_each(|(n, m)| *n += m);
        counts
    };
    let counts = threads::fold(states.chunks(N_COUNTED).enumerate(), || vec![[0u64; 4]; n_codes], count);
    counts.into_iter().reduce(and).unwrap_or_default()
}

fn sum(mut counts: Vec<u64>, others: Vec<u64>) -> Vec<u64> {
    counts.iter_mut().zip(others).for_each(|(n, m)| *n += m);
    counts
}

/// What may stand for each code in each state.
fn book(codes: CodesRef<'_>, rule_plies: u16) -> Vec<[Slot; 4]> {
    let most_of = |codes: &[u16]| codes.iter().max().copied();
    let most = codes
        .either(
            |_| None,
            |codes| threads::map(codes.chunks(ROW * N_ROWS), most_of).into_iter().max().flatten(),
        )
        .map_or(usize::from(u8::MAX), usize::from);
    let slots = |value| State::ALL.map(|state| slot(rule_plies, value, state));
    codes.coding().values().take(most + 1).map(slots).collect()
}

/// What may stand for a value in a state; anything if it has no room, because then no file is written.
fn slot(rule_plies: u16, value: Value, state: State) -> Slot {
    let under = |is_hidden| Slot::under(rule_plies, worth(value), is_hidden).unwrap_or(Slot::FREE);
    match state {
        _ if value == Value::Illegal => Slot::FREE,
        State::Exact => under(false),
        State::LowerToo => under(true),
        State::AnyDistance => under(false).with_any_distance(),
        State::Anything => Slot::FREE,
    }
}

/// Where the class of a distance stands; below it are the plies.
pub(crate) const CLASS_SHIFT: u32 = 14;

/// What a file may hold at a place.
///
/// ```text
///   bits 0–11   the plies less one (less 101 beyond the fifty-move rule); all set if any distance will do
///        12–14  the WDL value, 0 loss to 4 win; 5 if any will do
///        15     any lower value will do too
/// ```
///
/// Readers look at captures before they believe a file, and many a value need not be in it:
///
/// ```text
///   WDL   the best capture is worth as much as the position      that value or any lower one
///         otherwise                                              the value
///   DTZ   a draw                                                 anything
///         a win that a capture or a pawn move keeps              anything
///         otherwise                                              the distance
///   both  no position                                            anything
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

    /// What may stand for a position that is worth so much to the side that moves there, so to the other
    /// side; none if its distance has no room. It is hidden if a capture is worth as much.
    #[inline]
    pub(crate) fn new(worth: i16, is_hidden: bool) -> Option<Self> {
        Slot::under(RULE_PLIES, worth, is_hidden)
    }

    /// Under an n-move rule of this many plies.
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

    /// This slot, with any distance.
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

/// Under an n-move rule of this many plies.
#[inline]
fn class_under(rule_plies: u16, worth: i16) -> u8 {
    let in_time = i16::MAX - rule_plies as i16;
    u8::from(worth > -in_time) + u8::from(worth >= 0) + u8::from(worth > 0) + u8::from(worth >= in_time)
}
