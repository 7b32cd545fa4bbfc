//! Draws random positions from however many are found, without keeping them all.
//!
//! Every position draws a lot: a number made of the seed, the table and its own number. Those with the
//! smallest lots are the sample. So it depends neither on threads nor on the order of the search.

use crate::hit::Hit;
use crate::record::Record;
use std::collections::BTreeMap;
use variant::Side;

/// A random choice of positions of several tables.
#[derive(Clone, Debug)]
pub struct Sample {
    size: usize,
    seed: u64,
    /// By lot, and what it was drawn for.
    drawn: BTreeMap<(u64, Side, usize), Record<'static>>,
}

/// The lots of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomDraws(u64);

impl Sample {
    /// A sample of so many positions, none drawn yet.
    #[must_use]
    pub fn new(size: usize, seed: u64) -> Self {
        Sample { size, seed, drawn: BTreeMap::new() }
    }

    /// The positions drawn, numbered, in the order of the lots: a smaller sample with the same seed is the
    /// beginning of a larger one.
    #[must_use]
    pub fn into_records(self) -> Vec<Record<'static>> {
        (1..).zip(self.drawn.into_values()).map(|(number, record)| record.numbered(number)).collect()
    }

    /// The lots of a table.
    pub(crate) fn of_table(&self, name: &str) -> RandomDraws {
        RandomDraws(mixed(name.bytes().fold(self.seed, |hash, byte| mixed(hash ^ u64::from(byte)))))
    }

    /// A lot must be below this to be drawn.
    pub(crate) fn limit(&self) -> u64 {
        match self.drawn.last_key_value() {
            _ if self.size == 0 => 0,
            Some(((last, ..), _)) if self.drawn.len() >= self.size => *last,
            _ => u64::MAX,
        }
    }

    pub(crate) fn offer(&mut self, lot: u64, hit: Hit, record: impl FnOnce() -> Record<'static>) {
        if lot < self.limit() {
            self.drawn.insert((lot, hit.stm, hit.index), record());
            while self.drawn.len() > self.size {
                self.drawn.pop_last();
            }
        }
    }
}

impl RandomDraws {
    pub(crate) fn lot(self, hit: Hit) -> u64 {
        mixed(self.0 ^ mixed((hit.index as u64) << 1 | hit.stm.index() as u64))
    }
}

/// A number in which every bit depends on every bit of another (the finalizer of splitmix64).
fn mixed(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
