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

use super::finder::NOWHERE;
use super::slot::Slot;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use table::{Code, Coded, CodesRef, Coding, Value, worth};

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

/// The slots with a side to move, by the number that the layout has for a placement.
pub(crate) struct Slots<'a> {
    codes: CodesRef<'a>,
    states: Vec<States>,
    /// By code and state.
    book: Vec<[Slot; 4]>,
    is_tight: bool,
}

impl<'a> Slots<'a> {
    /// The slots of these codes under an n-move rule, `fill` saying what moves leave of each row; none if a
    /// distance has no room.
    pub(crate) fn new(
        codes: CodesRef<'a>,
        rule_plies: u16,
        fill: impl Fn(usize) -> FilledRow + Sync,
    ) -> Option<Self> {
        let mut states = vec![States::ANYTHING; codes.len().div_ceil(ROW)];
        let is_tight = AtomicBool::new(false);
        let fits = states.par_chunks_mut(N_ROWS).enumerate().all(|(stretch, states)| {
            states.iter_mut().zip(stretch * N_ROWS..).all(|(states, row)| {
                let filled = fill(row);
                *states = filled.states;
                if filled.is_tight {
                    is_tight.store(true, Ordering::Relaxed);
                }
                !filled.is_too_deep
            })
        });
        let n_codes = match codes {
            Coded::Narrow(_) | Coded::Split(..) => 1 << 8,
            Coded::Wide(codes) => codes.par_iter().max().map_or(0, |&code| usize::from(code) + 1),
        };
        let coding = codes.coding();
        let slots = |code: usize| State::ALL.map(|state| slot(rule_plies, value(coding, code), state));
        let book = (0..n_codes).map(slots).collect();
        fits.then(|| Slots { codes, states, book, is_tight: is_tight.into_inner() })
    }

    /// What may stand for the placement with a number.
    #[inline]
    pub(crate) fn at(&self, number: usize) -> Slot {
        if number == NOWHERE {
            return Slot::FREE;
        }
        let state = self.states[number / ROW].at(number % ROW);
        self.book[self.code(number)][state]
    }

    /// Calls `note` with every kind of slot that there is, and with how many are of that kind.
    pub(crate) fn each_kind(&self, mut note: impl FnMut(Slot, u64)) {
        let count = |begin: usize, states: &[States]| {
            let mut counts = vec![[0u64; 4]; self.book.len()];
            let mut number = begin * ROW;
            for states in states {
                for place in 0..ROW.min(self.codes.len() - number) {
                    counts[self.code(number + place)][states.at(place)] += 1;
                }
                number += ROW;
            }
            counts
        };
        let and = |mut counts: Vec<[u64; 4]>, others: Vec<[u64; 4]>| {
            counts.as_flattened_mut().iter_mut().zip(others.as_flattened()).for_each(|(n, m)| *n += m);
            counts
        };
        let stretches = self.states.par_chunks(N_COUNTED).enumerate();
        let counts = stretches.map(|(stretch, states)| count(stretch * N_COUNTED, states)).reduce_with(and);
        for (slots, counts) in self.book.iter().zip(counts.unwrap_or_default()) {
            let kinds = slots.iter().zip(counts).filter(|&(_, n)| n > 0);
            kinds.for_each(|(&slot, n)| note(slot, n));
        }
    }

    #[inline]
    fn code(&self, number: usize) -> usize {
        match self.codes {
            Coded::Narrow(codes) | Coded::Split(codes, _) => usize::from(codes[number]),
            Coded::Wide(codes) => usize::from(codes[number]),
        }
    }

    /// Whether a win or loss is just in time for the fifty-move rule.
    pub(crate) fn is_tight(&self) -> bool {
        self.is_tight
    }
}

/// The value of a code.
fn value(coding: Coding, code: usize) -> Value {
    match coding {
        Coded::Narrow(()) => (code as u8).value(),
        Coded::Split((), split) => split.value(code as u8),
        Coded::Wide(()) => (code as u16).value(),
    }
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
