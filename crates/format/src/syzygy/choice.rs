//! The choice of an arrangement: every order of the men is tried on a sample, the likeliest are packed.
//!
//! How well a table packs depends on which men's squares change fastest from one number to the next, by a factor of
//! two or three. Nothing tells which order is best but trying. The number of runs in a few stretches costs little and
//! ranks the orders roughly; the first of them are packed, in larger stretches, and the smallest is taken.

use super::arrangement::{Arrangement, NO_ORDER, has_pawns_on_both_sides, lead_of};
use super::chess::{Chessman, PAWN, kind};
use super::packed::Effort;
use super::table_side::TableSide;
use std::ops::Range;

/// How many values are looked at of every arrangement.
const N_GLANCED: u64 = 1 << 16;

/// How many values are packed of the likeliest arrangements.
const N_PACKED: u64 = 1 << 19;

/// In how many stretches.
const N_STRETCHES: u64 = 16;

/// How many arrangements are packed.
const N_LIKELIEST: usize = 6;

/// Every arrangement of these men, in a fixed order; `file` is that of the leading pawn.
pub(super) fn arrangements(men: &[Chessman], file: usize) -> Vec<Arrangement> {
    let mut kinds: Vec<Chessman> = men.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    let mut lines = Vec::new();
    match lead_of(men) {
        Some(pawn) => {
            let others = kinds.iter().copied().filter(|&man| kind(man) == PAWN && man != pawn);
            let mut begin: Vec<Chessman> = std::iter::once(pawn).chain(others).collect();
            permutations(&kinds, &mut begin, &mut lines);
        }
        None => permutations(&kinds, &mut Vec::new(), &mut lines),
    }
    let mut all = Vec::new();
    for line in lines {
        let n = |man: Chessman| men.iter().filter(|&&other| other == man).count();
        let own: Vec<Chessman> = line.iter().flat_map(|&man| std::iter::repeat_n(man, n(man))).collect();
        let seconds = if has_pawns_on_both_sides(men) { 0..own.len() as u8 } else { NO_ORDER..NO_ORDER + 1 };
        for order in 0..own.len() as u8 {
            all.extend(seconds.clone().filter_map(|second| Arrangement::new(&own, [order, second], file)));
        }
    }
    all
}

/// Every order of the kinds of men that begins so.
fn permutations(kinds: &[Chessman], begin: &mut Vec<Chessman>, lines: &mut Vec<Vec<Chessman>>) {
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

/// The arrangements in which the values of a side take least room, one for each file of the leading pawn (or one), as
/// far as a sample tells. The files are much alike, so one of them is tried for all.
pub(super) fn best<S: TableSide>(side: &S, men: &[Chessman]) -> Vec<Arrangement> {
    let n_files = if lead_of(men).is_some() { 4 } else { 1 };
    let Some(best) = best_of_file(side, men, n_files / 4) else { return Vec::new() };
    (0..n_files).filter_map(|file| Arrangement::new(best.men(), best.orders(), file)).collect()
}

fn best_of_file<S: TableSide>(side: &S, men: &[Chessman], file: usize) -> Option<Arrangement> {
    let mut ranked: Vec<(usize, usize, Arrangement)> = arrangements(men, file)
        .into_iter()
        .enumerate()
        .map(|(number, arrangement)| {
            let stretches = stretches(arrangement.size(), N_GLANCED);
            let runs = side.n_runs(&arrangement, &stretches);
            (runs, number, arrangement)
        })
        .collect();
    ranked.sort_by_key(|&(runs, number, _)| (runs, number));
    ranked.truncate(N_LIKELIEST);
    let sizes = ranked.into_iter().map(|(_, _, arrangement)| {
        let size = sampled_size(side, &arrangement, N_PACKED, Effort::Sample);
        (size, arrangement)
    });
    sizes.min_by_key(|(size, _)| *size).map(|(_, arrangement)| arrangement)
}

/// What the values of a side take, by so many of them.
pub(super) fn sampled_size<S: TableSide>(side: &S, arrangement: &Arrangement, n: u64, effort: Effort) -> u64 {
    let sample = stretches(arrangement.size(), n);
    let n_sampled = sample.iter().map(|stretch| stretch.end - stretch.start).sum();
    side.pack(arrangement, &sample, effort).size_bytes_of(arrangement.size(), n_sampled)
}

/// Stretches of numbers, together so many, evenly spread; all numbers if they are no more.
fn stretches(size: u64, n: u64) -> Vec<Range<u64>> {
    if size <= n {
        return std::iter::once(0..size).collect();
    }
    let length = n / N_STRETCHES;
    (0..N_STRETCHES).map(|i| (size - length) / (N_STRETCHES - 1) * i).map(|at| at..at + length).collect()
}
