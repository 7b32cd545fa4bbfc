//! Turns numbers into placements, one after the other: what a writer goes through.

use super::leading_group::{LeadingGroup, MAX_PAWNS};
use crate::material::MAX_MEN;
use crate::numbering::leading_group::choose;
use crate::numbering::{Arrangement, Group};
use std::borrow::Cow;
use std::sync::LazyLock;

impl Arrangement {
    /// A way to go from numbers to placements.
    pub(crate) fn placements(&self) -> Placements<'_> {
        Placements { arrangement: self, leads: leads(self.lead) }
    }
}

/// The squares of leading men.
type Lead = [u8; MAX_PAWNS];

/// The placements of leading men by their numbers. Those of three men are found once: a writer tries dozens
/// of arrangements, and looking for their placements would take longer than the look at some.
fn leads(lead: LeadingGroup) -> Cow<'static, [Lead]> {
    static THREE: LazyLock<Vec<Lead>> = LazyLock::new(|| LeadingGroup::Three.placements());
    match lead {
        LeadingGroup::Three => Cow::Borrowed(&THREE),
        _ => Cow::Owned(lead.placements()),
    }
}

/// Numbers turned into placements.
pub(crate) struct Placements<'a> {
    arrangement: &'a Arrangement,
    leads: Cow<'static, [Lead]>,
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
        let (mut choices, mut changed) = ([Choice::default(); MAX_MEN], 0);
        others.iter().zip(&mut choices).for_each(|(group, choice)| *choice = Choice::new(0, group.n_men));
        let mut row =
            Row { squares: [0; MAX_MEN], man: walker.first, free: 0, first: 0, step: walker.factor };
        loop {
            for (group, choice) in choices.iter().enumerate().take(others.len()).skip(changed) {
                self.place(group, choice, &mut row.squares);
            }
            let mut free = !occupied(&row.squares[..walker.first]);
            (0..walker.skipped).for_each(|_| free &= free.wrapping_sub(1));
            row.free = free;
            row.first = others.iter().zip(&choices).map(|(group, choice)| group.factor * choice.digit).sum();
            visit(&row);
            // Who is placed later changes faster, so that few have to be placed again.
            changed = others.len();
            loop {
                let Some(group) = changed.checked_sub(1) else { return true };
                changed = group;
                if choices[group].advance(others[group].size, others[group].n_men) {
                    break;
                }
            }
        }
    }

    /// How many squares the man has who is placed last.
    pub(crate) fn row_len(&self) -> usize {
        self.arrangement.groups.last().map_or(0, |group| group.size as usize)
    }

    /// Calls `visit` with the squares of number after number, in the order of the men, until it answers
    /// false; behind the last comes the first. Men of a number that no position has may share a square.
    ///
    /// Complexity: a digit that does not change keeps its choice, and one that grows by one takes the next,
    /// so only the first number is divided and searched for.
    pub(crate) fn visit(&self, begin: u64, mut visit: impl FnMut(&[u8; MAX_MEN]) -> bool) {
        let groups = &self.arrangement.groups;
        let n = groups.len();
        // The choices, and the groups from the one whose digit changes fastest.
        let mut choices = [Choice::default(); MAX_MEN];
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|&group| (groups[group].factor, groups[group].size));
        for (group, choice) in groups.iter().zip(&mut choices) {
            *choice = Choice::new(begin / group.factor % group.size, group.n_men);
        }
        let mut squares = [0; MAX_MEN];
        // A lone man whose square depends on all others and changes fastest walks over the free squares.
        let walker = Some(n - 1).filter(|&last| last > 0 && order[0] == last && groups[last].n_men == 1);
        let n_placed = walker.unwrap_or(n);
        // Groups from this one on have to be placed again: where a man stands depends on those before him.
        let mut changed = 0;
        loop {
            for (group, choice) in choices.iter().enumerate().take(n_placed).skip(changed) {
                self.place(group, choice, &mut squares);
            }
            match walker {
                None if !visit(&squares) => return,
                None => {}
                Some(last) => {
                    let Group { first, size, skipped, .. } = groups[last];
                    let occupied = occupied(&squares[..first]);
                    let mut square = free_square(occupied, choices[last].digit as u8 + skipped);
                    for _ in choices[last].digit..size {
                        squares[first] = square;
                        if !visit(&squares) {
                            return;
                        }
                        square = (square + 1) & 63;
                        while occupied >> square & 1 != 0 {
                            square = (square + 1) & 63;
                        }
                    }
                    choices[last].digit = size - 1;
                }
            }
            changed = n;
            for &group in &order {
                changed = changed.min(group);
                if choices[group].advance(groups[group].size, groups[group].n_men) {
                    break;
                }
            }
        }
    }

    /// Places a group, given the squares of those before it.
    #[inline]
    fn place(&self, group: usize, choice: &Choice, squares: &mut [u8; MAX_MEN]) {
        let own = &self.arrangement.groups[group];
        if group == 0 {
            squares[..own.n_men].copy_from_slice(&self.leads[choice.digit as usize][..own.n_men]);
            return;
        }
        let occupied = occupied(&squares[..own.first]);
        for (square, &left) in squares[own.first..][..own.n_men].iter_mut().zip(&choice.left) {
            *square = free_square(occupied, left + own.skipped);
        }
    }
}

/// A digit, and what it chooses.
#[derive(Clone, Copy, Default)]
struct Choice {
    digit: u64,
    /// For each man of the group, ascending, how many free squares are left before his. Leading men have
    /// places of their own.
    left: [u8; MAX_MEN],
}

impl Choice {
    fn new(digit: u64, n_men: usize) -> Self {
        let mut choice = Choice { digit, left: [0; MAX_MEN] };
        let mut rest = digit;
        for i in (0..n_men).rev() {
            let left = if i == 0 { rest } else { last_choice(rest, i as u64 + 1) };
            rest -= choose(left, i as u64 + 1);
            choice.left[i] = left as u8;
        }
        choice
    }

    /// Takes the next one; false if it is the first again.
    #[inline]
    fn advance(&mut self, size: u64, n_men: usize) -> bool {
        self.digit += 1;
        if self.digit == size {
            *self = Choice { digit: 0, left: FIRST };
            return false;
        }
        // The lowest man who has room goes up by one, and those below him go back.
        let up = (0..n_men - 1).find(|&i| self.left[i] + 1 < self.left[i + 1]).unwrap_or(n_men - 1);
        self.left[up] += 1;
        self.left[..up].copy_from_slice(&FIRST[..up]);
        true
    }
}

/// The first choice of this many men.
const FIRST: [u8; MAX_MEN] = {
    let mut first = [0; MAX_MEN];
    let mut i = 0;
    while i < MAX_MEN {
        first[i] = i as u8;
        i += 1;
    }
    first
};

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
