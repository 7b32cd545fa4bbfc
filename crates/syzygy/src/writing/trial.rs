//! Tries every arrangement of the men on a sample, and chooses the one in which a side takes least room.
//!
//! How well a table packs depends on which men's squares change fastest from one number to the next, by a
//! factor of two or three. Only a trial shows which order is best. The number of runs in a few stretches
//! costs little and ranks the orders roughly; the first of them are packed, the best of these once more
//! in larger stretches, and the smallest is taken. Where the men stand at the numbers of an order is
//! found out once, and looked at for both sides to move, for WDL and for DTZ.

use super::finder::Numbering;
use super::input::Input;
use super::sheet::TRIED_FILE;
use super::side::{TableSide, slot_numbers};
use crate::family::Family;
use crate::material::code::{PAWN, PieceCode, has_pawns_on_both_sides, kind, leading_pawn};
use crate::numbering::arrangement::{Arrangement, NO_ORDER};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// How much of a table is looked at.
struct Sampling {
    /// How many values of every arrangement.
    n_glanced: u64,
    /// How many values are packed of the likeliest arrangements, and of the best of these.
    n_packed: [u64; 2],
    /// How many arrangements are packed, and how many of these once more.
    n_likeliest: [usize; 2],
    /// In how many stretches.
    n_stretches: u64,
}

/// For tables of two to four men.
const SMALL: Sampling =
    Sampling { n_glanced: 1 << 16, n_packed: [1 << 17, 1 << 19], n_likeliest: [6, 2], n_stretches: 16 };

/// For larger ones, in which what is rare stands in few places: fewer values or fewer stretches show nothing
/// of it, and then all arrangements look the same.
const LARGE: Sampling =
    Sampling { n_glanced: 1 << 16, n_packed: [1 << 20, 1 << 21], n_likeliest: [6, 2], n_stretches: 512 };

/// A table of more numbers is a large one.
const MANY_NUMBERS: u64 = 1 << 22;

/// Every arrangement of these men of a game, in a fixed order; `file` is that of the leading pawn.
pub(crate) fn arrangements(family: Family, men: &[PieceCode], file: usize) -> Vec<Arrangement> {
    let mut kinds: Vec<PieceCode> = men.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let mut lines = Vec::new();
    match leading_pawn(men) {
        Some(pawn) => {
            let others = kinds.iter().copied().filter(|&man| kind(man) == PAWN && man != pawn);
            let mut begin: Vec<PieceCode> = std::iter::once(pawn).chain(others).collect();
            permutations(&kinds, &mut begin, &mut lines);
        }
        None => permutations(&kinds, &mut Vec::new(), &mut lines),
    }
    let mut all = Vec::new();
    for line in lines {
        let n = |man: PieceCode| men.iter().filter(|&&other| other == man).count();
        let own: Vec<PieceCode> = line.iter().flat_map(|&man| std::iter::repeat_n(man, n(man))).collect();
        let seconds = if has_pawns_on_both_sides(men) { 0..own.len() as u8 } else { NO_ORDER..NO_ORDER + 1 };
        for order in 0..own.len() as u8 {
            all.extend(
                seconds.clone().filter_map(|second| Arrangement::new(family, &own, [order, second], file)),
            );
        }
    }
    all
}

/// Every order of the kinds of men that begins so.
fn permutations(kinds: &[PieceCode], begin: &mut Vec<PieceCode>, lines: &mut Vec<Vec<PieceCode>>) {
    if begin.len() == kinds.len() {
        return lines.push(begin.clone());
    }
    for &man in kinds {
        if !begin.contains(&man) {
            begin.push(man);
            permutations(kinds, begin, lines);
            begin.pop();
        }
    }
}

/// The order of the men chosen for a side.
pub(crate) struct BestArrangement {
    family: Family,
    men: Vec<PieceCode>,
    orders: [u8; 2],
    /// What the side takes in it, by a sample.
    pub(crate) size_bytes: u64,
}

impl BestArrangement {
    /// The arrangement for a file of the leading pawn; none if the men cannot stand so.
    pub(crate) fn of_file(&self, file: usize) -> Option<Arrangement> {
        Arrangement::new(self.family, &self.men, self.orders, file)
    }
}

/// For each of some sides of the same men the arrangement in which it takes least room, as far as a sample
/// tells; none if there is no arrangement. The files of the leading pawn are much alike, so one of them is
/// tried for all.
pub(crate) fn best(input: &Input, numbering: &Numbering, sides: &[&dyn TableSide]) -> Vec<BestArrangement> {
    let all = arrangements(input.family, input.codes(), TRIED_FILE.min(input.n_files() - 1));
    let is_large = all.iter().any(|arrangement| arrangement.size() > MANY_NUMBERS);
    let sampling = if is_large { LARGE } else { SMALL };
    let glanced = |arrangement: &Arrangement| -> Vec<usize> {
        let sample = sampling.stretches(arrangement.size(), sampling.n_glanced);
        let numbers = slot_numbers(numbering, arrangement, &sample);
        sides.iter().map(|side| side.n_runs(&numbers)).collect()
    };
    let n_runs: Vec<Vec<usize>> = all.par_iter().map(glanced).collect();
    let by_runs = |side: usize| {
        let mut ranked: Vec<usize> = (0..all.len()).collect();
        ranked.sort_by_key(|&number| (n_runs[number][side], number));
        ranked
    };
    let mut ranked: Vec<Vec<usize>> = (0..sides.len()).map(by_runs).collect();
    let mut sizes = Vec::new();
    for (n_likeliest, n_packed) in sampling.n_likeliest.into_iter().zip(sampling.n_packed) {
        ranked.iter_mut().for_each(|ranked| ranked.truncate(n_likeliest));
        let sample = |size: u64| sampling.stretches(size, n_packed);
        sizes = packed_sizes(numbering, sides, &all, &ranked, &sample);
        for (ranked, sizes) in ranked.iter_mut().zip(&sizes) {
            ranked.sort_by_key(|number| sizes[number]);
        }
        // Small tables have been packed whole.
        if all.iter().all(|arrangement| arrangement.size() <= n_packed) {
            break;
        }
    }
    let chosen = |side: usize| {
        let &number = ranked[side].first()?;
        let size_bytes = sizes[side][&number];
        let (men, orders) = (all[number].men().to_vec(), all[number].orders());
        Some(BestArrangement { family: input.family, men, orders, size_bytes })
    };
    (0..sides.len()).filter_map(chosen).collect()
}

/// What every side takes in its arrangements, by a sample of their numbers.
fn packed_sizes(
    numbering: &Numbering,
    sides: &[&dyn TableSide],
    all: &[Arrangement],
    ranked: &[Vec<usize>],
    sample: &(dyn Fn(u64) -> Vec<Range<u64>> + Sync),
) -> Vec<BTreeMap<usize, u64>> {
    // An arrangement that several sides want is read once.
    let wanted: BTreeSet<usize> = ranked.iter().flatten().copied().collect();
    let wanted: Vec<usize> = wanted.into_iter().collect();
    let sized = |&number: &usize| -> Vec<(usize, u64, usize)> {
        let arrangement = &all[number];
        let slots = slot_numbers(numbering, arrangement, &sample(arrangement.size()));
        let who = (0..sides.len()).filter(|&side| ranked[side].contains(&number));
        let size = |side: usize| {
            let packed = sides[side].pack_sample(&slots);
            packed.size_bytes_of(arrangement.size(), slots.len() as u64)
        };
        who.map(|side| (side, size(side), number)).collect()
    };
    let found: Vec<(usize, u64, usize)> = wanted.par_iter().flat_map_iter(sized).collect();
    let mut sizes = vec![BTreeMap::new(); sides.len()];
    for (side, size, number) in found {
        sizes[side].insert(number, size);
    }
    sizes
}

impl Sampling {
    /// Stretches of numbers, together so many, evenly spread; all numbers if they are no more.
    fn stretches(&self, size: u64, n: u64) -> Vec<Range<u64>> {
        if size <= n {
            return std::iter::once(0..size).collect();
        }
        let (length, n_gaps) = (n / self.n_stretches, self.n_stretches - 1);
        (0..=n_gaps).map(|i| (size - length) / n_gaps * i).map(|at| at..at + length).collect()
    }
}
