//! Selects the codes of a table that a file keeps; `fill.rs` fills the other places.
//!
//! A file keeps what is the number of a legal position: not illegal, and canonical. Asking the layout whether
//! each place is canonical would cost more than compressing it, so the answer is a word of a whole lane at a
//! time: all of them without like men; a ladder of like men's squares that is the same in every block; and
//! only where a symmetry maps a block onto itself, what its images leave of that.

use index::{BlockImages, Layout};
use rayon::prelude::*;
use table::Code;

/// The places of a layout that a file keeps if they are legal.
#[derive(Debug)]
pub struct Selection<'a> {
    layout: &'a Layout,
    /// Squares of the lane, 1 without a free man.
    n_lane: usize,
    /// For each word of a block the places in which like free men stand in ascending order; empty if there
    /// are none.
    ladder: Vec<u128>,
    /// The blocks with a symmetry of their own (slice × blocks + block), with their images; sorted.
    residual: Vec<(usize, BlockImages<'a>)>,
}

impl<'a> Selection<'a> {
    /// Prepares the answers for a layout.
    #[must_use]
    pub fn new(layout: &'a Layout) -> Self {
        let n_lane = if layout.free().is_empty() { 1 } else { layout.n_squares() };
        let residual = (0..layout.n_units())
            .into_par_iter()
            .filter(|unit| layout.has_residual(layout.slice_block(*unit)))
            .map(|unit| (unit, BlockImages::new(layout, unit)))
            .collect();
        Selection { layout, n_lane, ladder: ladder(layout), residual }
    }

    /// The layout.
    #[must_use]
    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// The codes of whole lanes, from the placement with the number `start` on, those that are not kept made
    /// illegal.
    pub fn select<C: Code>(&self, codes: &[C], start: usize, kept: &mut Vec<C>) {
        kept.clear();
        kept.extend_from_slice(codes);
        if self.ladder.is_empty() && self.residual.is_empty() {
            return;
        }
        let first = start / self.n_lane;
        for (word, lane) in (first..).zip(kept.chunks_mut(self.n_lane)) {
            match self.word(word) {
                u128::MAX => {}
                0 => lane.fill(C::ILLEGAL),
                places => {
                    for (place, code) in lane.iter_mut().enumerate() {
                        *code = if places >> place & 1 == 1 { *code } else { C::ILLEGAL };
                    }
                }
            }
        }
    }

    /// The places of a word that are kept if they are legal, one bit each.
    fn word(&self, word: usize) -> u128 {
        let words = self.layout.words_per_block();
        let (unit, inner) = (word / words, word % words);
        let ascending = self.ladder.get(inner).copied().unwrap_or(u128::MAX);
        match self.residual.binary_search_by_key(&unit, |(unit, _)| *unit) {
            Ok(found) if ascending != 0 => ascending & self.residual[found].1.word(inner),
            _ => ascending,
        }
    }
}

/// For each word of a block the places whose like free men stand in ascending order.
fn ladder(layout: &Layout) -> Vec<u128> {
    let men = layout.men();
    let free = layout.free();
    let is_like: Vec<bool> = free.windows(2).map(|pair| men[pair[0]] == men[pair[1]]).collect();
    if !is_like.contains(&true) {
        return Vec::new();
    }
    let n = layout.n_squares();
    let n_digits = free.len() - 1;
    let word = |word: usize| {
        let square = |digit: usize| word / n.pow((n_digits - 1 - digit) as u32) % n;
        let outer_ascend =
            (1..n_digits).all(|digit| !is_like[digit - 1] || square(digit - 1) < square(digit));
        if !outer_ascend {
            0
        } else if is_like[n_digits - 1] {
            // Two shifts: one by 128 would be none at all.
            u128::MAX << square(n_digits - 1) << 1
        } else {
            u128::MAX
        }
    };
    (0..layout.words_per_block()).map(word).collect()
}
