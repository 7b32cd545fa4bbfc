//! Turns numbers into placements, one after the other: what a writer goes through.

use super::arrangement::{Arrangement, Group};
use super::choice::choose;
use super::leading_group::MAX_PAWNS;
use crate::material::code::MAX_MEN;

impl Arrangement {
    /// A way to go from numbers to placements.
    pub(crate) fn placements(&self) -> Placements<'_> {
        Placements { arrangement: self, leads: self.lead.placements() }
    }
}

/// Numbers turned into placements.
pub(crate) struct Placements<'a> {
    arrangement: &'a Arrangement,
    leads: Vec<[u8; MAX_PAWNS]>,
}

/// The numbers in which one man walks over the board while the others stand still.
pub(crate) struct Row {
    /// The squares of the others, in the order of the men.
    pub(crate) squares: [u8; MAX_MEN],
    /// His place in that order.
    pub(crate) man: usize,
    /// Where he may stand, a bit each.
    pub(crate) free: u64,
    /// The number with him on the first of these squares, and how much each further one adds.
    pub(crate) first: u64,
    pub(crate) step: u64,
}

impl Placements<'_> {
    /// Calls `visit` with all rows of the man who is placed last, in an order of their own; false if two or
    /// more are placed last, and so there are none.
    pub(crate) fn rows(&self, mut visit: impl FnMut(&Row)) -> bool {
        let Some((walker, others)) = self.arrangement.groups.split_last() else { return false };
        if walker.n_men != 1 || others.is_empty() {
            return false;
        }
        let (mut digits, mut changed) = ([0; MAX_MEN], 0);
        let mut row =
            Row { squares: [0; MAX_MEN], man: walker.first, free: 0, first: 0, step: walker.factor };
        loop {
            for (group, &digit) in digits.iter().enumerate().take(others.len()).skip(changed) {
                self.place(group, digit, &mut row.squares);
            }
            let mut free = !occupied(&row.squares[..walker.first]);
            (0..walker.skipped).for_each(|_| free &= free.wrapping_sub(1));
            row.free = free;
            row.first = others.iter().zip(&digits).map(|(group, &digit)| group.factor * digit).sum();
            visit(&row);
            // Who is placed later changes faster, so that few have to be placed again.
            changed = others.len();
            loop {
                let Some(group) = changed.checked_sub(1) else { return true };
                changed = group;
                digits[group] += 1;
                if digits[group] < others[group].size {
                    break;
                }
                digits[group] = 0;
            }
        }
    }

    /// How many squares the man has who is placed last.
    pub(crate) fn row_len(&self) -> usize {
        self.arrangement.groups.last().map_or(0, |group| group.size as usize)
    }

    /// Calls `visit` with the squares of number after number, in the order of the men, until it answers
    /// false; behind the last comes the first. Men of a number that no position has may share a square.
    pub(crate) fn visit(&self, begin: u64, mut visit: impl FnMut(&[u8; MAX_MEN]) -> bool) {
        let groups = &self.arrangement.groups;
        let n = groups.len();
        // The digits, and the groups from the one whose digit changes fastest.
        let mut digits = [0; MAX_MEN];
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&group| (groups[group].factor, groups[group].size));
        groups.iter().zip(&mut digits).for_each(|(group, digit)| *digit = begin / group.factor % group.size);
        let mut squares = [0; MAX_MEN];
        // A lone man whose square depends on all others and changes fastest walks over the free squares.
        let walker = Some(n - 1).filter(|&last| last > 0 && order[0] == last && groups[last].n_men == 1);
        let n_placed = walker.unwrap_or(n);
        // Groups from this one on have to be placed again: where a man stands depends on those before him.
        let mut changed = 0;
        loop {
            for (group, &digit) in digits.iter().enumerate().take(n_placed).skip(changed) {
                self.place(group, digit, &mut squares);
            }
            match walker {
                None if !visit(&squares) => return,
                None => {}
                Some(last) => {
                    let Group { first, size, skipped, .. } = groups[last];
                    let occupied = occupied(&squares[..first]);
                    let mut square = free_square(occupied, digits[last] as u8 + skipped);
                    for _ in digits[last]..size {
                        squares[first] = square;
                        if !visit(&squares) {
                            return;
                        }
                        square = (square + 1) & 63;
                        while occupied >> square & 1 != 0 {
                            square = (square + 1) & 63;
                        }
                    }
                    digits[last] = size - 1;
                }
            }
            changed = n;
            for &group in &order {
                changed = changed.min(group);
                digits[group] += 1;
                if digits[group] < groups[group].size {
                    break;
                }
                digits[group] = 0;
            }
        }
    }

    /// Places a group, given the squares of those before it.
    #[inline]
    fn place(&self, group: usize, digit: u64, squares: &mut [u8; MAX_MEN]) {
        let own = &self.arrangement.groups[group];
        if group == 0 {
            squares[..own.n_men].copy_from_slice(&self.leads[digit as usize][..own.n_men]);
            return;
        }
        let occupied = occupied(&squares[..own.first]);
        if own.n_men == 1 {
            squares[own.first] = free_square(occupied, digit as u8 + own.skipped);
            return;
        }
        let mut rest = digit;
        for i in (0..own.n_men).rev() {
            let left = last_choice(rest, i as u64 + 1);
            rest -= choose(left, i as u64 + 1);
            squares[own.first + i] = free_square(occupied, left as u8 + own.skipped);
        }
    }
}

/// The set of these squares.
#[inline]
fn occupied(squares: &[u8]) -> u64 {
    squares.iter().fold(0, |set, &square| set | 1 << (square & 63))
}

/// The free square with this number, counted from 0.
#[inline]
fn free_square(occupied: u64, number: u8) -> u8 {
    let mut square = number;
    let mut taken = occupied;
    while taken != 0 {
        let lowest = taken.trailing_zeros() as u8;
        if lowest > square {
            break;
        }
        square += 1;
        taken &= taken - 1;
    }
    square & 63
}

/// The largest `n` of which no more than `rest` choices of `k` can be made.
fn last_choice(rest: u64, k: u64) -> u64 {
    let (mut fits, mut too_many) = (k - 1, 65);
    while too_many - fits > 1 {
        let middle = (fits + too_many) / 2;
        if choose(middle, k) <= rest {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    fits
}
