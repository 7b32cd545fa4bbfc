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
use crate::material::{Family, PAWN, PieceCode, has_pawns_on_both_sides, kind, leading_pawn};
use crate::numbering::{Arrangement, NO_ORDER};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use table::threads;

/// How much of a table is looked at.
struct Sampling {
    /// How many values of each arrangement are glanced at, turn by turn, and how many arrangements stay.
    glances: &'static [(u64, usize)],
    /// How many values are packed of the arrangements that are left, turn by turn, and how many these are.
    packings: [(u64, usize); 2],
    /// In how many stretches.
    n_stretches: u64,
}

/// For tables of two to four men.
const SMALL: Sampling = Sampling {
    glances: &[(1 << 15, 20), (1 << 16, 6)],
    packings: [(1 << 17, 6), (1 << 19, 2)],
    n_stretches: 16,
};

/// For larger ones, in which what is rare stands in few places: fewer values or fewer stretches show nothing
/// of it, and then all arrangements look the same.
const LARGE: Sampling =
    Sampling { glances: &[(1 << 16, 6)], packings: [(1 << 20, 6), (1 << 21, 2)], n_stretches: 512 };

/// A rival that has this many per cent of the best one's runs is tried no further, nor one that takes this
/// many per cent of its room.
const OUT_BY_RUNS: u64 = 200;
const OUT_BY_SIZE: u64 = 125;

/// An arrangement that takes this many per cent of the best one's room is not packed again.
const BEHIND_BY_SIZE: u64 = 115;

/// Fewer runs or bytes of the best one say nothing yet.
const TELLING: u64 = 1 << 8;

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
/// tells; none if there is no arrangement. Of the sides that are `rivals` one will be kept, so that those
/// that are far behind may get any. The files of the leading pawn are much alike, so one of them is tried
/// for all.
pub(crate) fn best(
    input: &Input,
    numbering: &Numbering,
    sides: &[TableSide<'_>],
    rivals: Range<usize>,
) -> Vec<BestArrangement> {
    let all = arrangements(input.family, &input.codes, TRIED_FILE.min(input.n_files() - 1));
    let is_large = all.iter().any(|arrangement| arrangement.size() > MANY_NUMBERS);
    let sampling = if is_large { LARGE } else { SMALL };
    let is_uniform: Vec<bool> = threads::map(sides, |side| side.is_uniform());
    let n_tried = |side: usize| if is_uniform[side] { 1 } else { all.len() };
    let mut ranked: Vec<Vec<usize>> = (0..sides.len()).map(|side| (0..n_tried(side)).collect()).collect();
    let mut is_out = vec![false; sides.len()];
    for &(n_glanced, n_kept) in sampling.glances {
        let sample = |size| sampling.stretches(size, n_glanced);
        let n_runs = measured(numbering, sides, &all, &ranked, &sample, n_runs);
        rank(&mut ranked, &n_runs);
        drop_rivals(&mut ranked, &n_runs, (rivals.clone(), OUT_BY_RUNS), &mut is_out);
        ranked.iter_mut().for_each(|ranked| ranked.truncate(n_kept));
    }
    let mut sizes = vec![BTreeMap::new(); sides.len()];
    for (n_packed, n_tried) in sampling.packings {
        ranked.iter_mut().for_each(|ranked| ranked.truncate(n_tried));
        // Rivals are compared with each other, so their sizes are of one sample.
        let is_rival = |side: usize| rivals.contains(&side);
        let open: Vec<Vec<usize>> = (0..sides.len())
            .map(|side| if is_rival(side) { ranked[side].clone() } else { near(&ranked[side], &sizes[side]) })
            .collect();
        let sample = |size| sampling.stretches(size, n_packed);
        let found = measured(numbering, sides, &all, &open, &sample, packed_size);
        for (side, (open, found)) in open.into_iter().zip(found).enumerate() {
            if is_rival(side) || !open.is_empty() {
                (ranked[side], sizes[side]) = (open, found);
            }
        }
        rank(&mut ranked, &sizes);
        drop_rivals(&mut ranked, &sizes, (rivals.clone(), OUT_BY_SIZE), &mut is_out);
        // Small tables have been packed whole.
        if all.iter().all(|arrangement| arrangement.size() <= n_packed) {
            break;
        }
    }
    let chosen = |side: usize| {
        // Who is out has none left, and is never the smallest.
        let number = ranked[side].first().copied().unwrap_or(0);
        let size_bytes = if is_out[side] { u64::MAX } else { *sizes[side].get(&number)? };
        let (men, orders) = (all[number].men().to_vec(), all[number].orders());
        Some(BestArrangement { family: input.family, men, orders, size_bytes })
    };
    (0..sides.len()).filter_map(chosen).collect()
}

/// Puts the arrangements of each side in the order of what was found of them, the least first.
fn rank(ranked: &mut [Vec<usize>], found: &[BTreeMap<usize, u64>]) {
    for (ranked, found) in ranked.iter_mut().zip(found) {
        ranked.sort_by_key(|number| found[number]);
    }
}

/// Which of the arrangements of a side, the best first, are to be packed once more, given the room that they
/// took: those that are not far behind the best one. None if it stands alone; all if nothing was packed yet.
pub(super) fn near(ranked: &[usize], sizes: &BTreeMap<usize, u64>) -> Vec<usize> {
    let Some(best) = ranked.first().and_then(|first| sizes.get(first)) else { return ranked.to_vec() };
    let most = best.max(&TELLING) * BEHIND_BY_SIZE;
    let near: Vec<usize> = ranked.iter().copied().filter(|at| sizes[at] * 100 <= most).collect();
    if near.len() > 1 { near } else { Vec::new() }
}

/// Leaves no arrangement to rivals who are out: the least that was found of them is too many per cent of the
/// least of all.
pub(super) fn drop_rivals(
    ranked: &mut [Vec<usize>],
    found: &[BTreeMap<usize, u64>],
    (rivals, out_percent): (Range<usize>, u64),
    is_out: &mut [bool],
) {
    let least = |side: usize| found[side].values().min().copied();
    let Some(best) = rivals.clone().filter_map(least).min() else { return };
    for side in rivals {
        is_out[side] |= least(side).is_none_or(|least| least * 100 > best.max(TELLING) * out_percent);
        if is_out[side] {
            ranked[side].clear();
        }
    }
}

/// In how many runs the values of a side stand at some numbers of its slots.
fn n_runs(side: &TableSide<'_>, _: &Arrangement, numbers: &[usize]) -> u64 {
    side.n_runs(numbers) as u64
}

/// What a side takes in an arrangement, by a sample of its slots' numbers.
fn packed_size(side: &TableSide<'_>, arrangement: &Arrangement, numbers: &[usize]) -> u64 {
    side.pack_sample(numbers).size_bytes_of(arrangement.size(), numbers.len() as u64)
}

/// What `measure` finds of every side in its arrangements, by a sample of their numbers.
fn measured(
    numbering: &Numbering,
    sides: &[TableSide<'_>],
    all: &[Arrangement],
    ranked: &[Vec<usize>],
    sample: &(dyn Fn(u64) -> Vec<Range<u64>> + Sync),
    measure: fn(&TableSide<'_>, &Arrangement, &[usize]) -> u64,
) -> Vec<BTreeMap<usize, u64>> {
    // An arrangement that several sides want is read once.
    let wanted: BTreeSet<usize> = ranked.iter().flatten().copied().collect();
    let wanted: Vec<usize> = wanted.into_iter().collect();
    let one = |&number: &usize| -> Vec<(usize, u64, usize)> {
        let arrangement = &all[number];
        let numbers = slot_numbers(numbering, arrangement, &sample(arrangement.size()));
        let who = (0..sides.len()).filter(|&side| ranked[side].contains(&number));
        who.map(|side| (side, measure(&sides[side], arrangement, &numbers), number)).collect()
    };
    let mut by_side = vec![BTreeMap::new(); sides.len()];
    for (side, n, number) in threads::map(&wanted, one).concat() {
        by_side[side].insert(number, n);
    }
    by_side
}

impl Sampling {
    /// Stretches of numbers, together this many, evenly spread; all numbers if they are no more.
    fn stretches(&self, size: u64, n: u64) -> Vec<Range<u64>> {
        if size <= n {
            return std::iter::once(0..size).collect();
        }
        let (length, n_gaps) = (n / self.n_stretches, self.n_stretches - 1);
        (0..=n_gaps).map(|i| (size - length) / n_gaps * i).map(|at| at..at + length).collect()
    }
}
