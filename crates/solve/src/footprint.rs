//! Estimates the memory that solving a material takes, from the figures by which its parts allocate.

use crate::Options;
use crate::job;
use crate::restore;
use crate::successor::{Captures, Exits};
use crate::sweep::Sink;
use crate::word::{SolverWord, has_small_words};
use index::Size;
use variant::{Man, Material, Side, Variant};

/// The memory that solving a material takes beside the tables that it reads.
///
/// Units: bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Footprint {
    /// The codes of the table, of both sides to move where it has them.
    pub codes: u64,
    /// The planes of the slices that are solved at a time.
    pub planes: u64,
    /// What captures and pawn moves out of these slices lead to, and when.
    pub exits: u64,
    /// What has been found in large blocks and is not written to the codes yet.
    pub batches: u64,
}

/// The memory that solving a material with so many threads takes; `size` is that of its table.
///
/// A table that turns out to need two bytes a value takes as much as if `options` asked for them.
#[must_use]
pub fn footprint(
    variant: &Variant,
    material: &Material,
    size: &Size,
    options: Options,
    n_threads: usize,
) -> Footprint {
    if has_small_words(size.n_squares as usize) {
        footprint_in_words::<u64>(variant, material, size, options, n_threads as u64)
    } else {
        footprint_in_words::<u128>(variant, material, size, options, n_threads as u64)
    }
}

fn footprint_in_words<W: SolverWord>(
    variant: &Variant,
    material: &Material,
    size: &Size,
    options: Options,
    n_threads: u64,
) -> Footprint {
    let n_values = size.n_placements() * if material.is_one_sided(variant) { 1 } else { 2 };
    let n_sides_with = |has: &dyn Fn(Man) -> bool| {
        let has_one = |side: &Side| material.men().any(|man| man.side == *side && has(man));
        Side::BOTH.iter().filter(|side| has_one(side)).count() as u64
    };
    let captures = Captures::<W>::WORD_BYTES * n_sides_with(&|man| !variant.is_royal(man));
    let pawn_moves = Exits::<W>::word_bytes(options.metric) * n_sides_with(&|man| variant.is_pawn(man));
    let n_slices = size.n_slices.min(n_threads);
    let n_words = n_slices * size.n_words();
    // The wins of one side and the losses of the other are written in turn, each through batches of its own.
    let n_sinks = 2;
    let (code_bytes, batches) = match options.wide {
        false => (1, Sink::<u8, W>::most_batch_bytes(size)),
        true => (2, Sink::<u16, W>::most_batch_bytes(size)),
    };
    Footprint {
        codes: n_values * code_bytes,
        planes: n_words * job::n_planes::<W>(&variant.rules) * size_of::<W>() as u64,
        exits: n_words * (captures + pawn_moves),
        batches: n_slices * n_sinks * batches,
    }
}

/// The memory that [`read_part`](crate::read_part) takes with so many threads beside the part; `size` is that
/// of the whole table.
///
/// Units: bytes.
#[must_use]
pub fn part_reading_bytes(size: &Size, n_threads: usize) -> u64 {
    if has_small_words(size.n_squares as usize) {
        restore::part_reading_bytes::<u64>(size, n_threads as u64)
    } else {
        restore::part_reading_bytes::<u128>(size, n_threads as u64)
    }
}
