//! Finds which placements of a block are canonical, a word of the lane at a time.
//!
//! Where a symmetry maps a block onto itself, a placement has an image there, and the smaller of the two
//! numbers stands for both. Numbers compare digit by digit: but for a few words the squares of the men
//! further out decide for the whole lane.

use crate::{Layout, MAX_PLACED};
use geometry::{Square, Symmetry};
use std::cmp::Ordering;

/// The symmetries that map a block onto itself (or with pawns a slice, its blocks exchanged).
#[derive(Debug)]
pub struct BlockImages<'a> {
    layout: &'a Layout,
    images: Vec<Image>,
}

/// What becomes of a block's placements under a symmetry.
#[derive(Debug)]
struct Image {
    /// The block that they come into, compared with their own.
    block: Ordering,
    /// Where each square goes.
    squares: Vec<u8>,
}

impl<'a> BlockImages<'a> {
    /// Those of a block, by its number among the blocks of all slices.
    #[must_use]
    pub fn new(layout: &'a Layout, unit: usize) -> Self {
        let place = layout.slice_block(unit);
        let first = layout.decode(unit * layout.block_len());
        let image = |&symmetry: &Symmetry| {
            let to = layout.permutation(symmetry);
            let squares: Vec<Square> =
                first.iter().map(|square| Square::from_index(to[square.index()].into())).collect();
            let (block, onwards) = layout.block_of(Symmetry::IDENTITY, &squares)?;
            let onwards = if layout.pawns().is_empty() { onwards } else { Symmetry::IDENTITY };
            let onwards = layout.permutation(onwards);
            let squares = to.iter().map(|&square| onwards[usize::from(square)]).collect();
            Some(Image { block: block.cmp(&place.block), squares })
        };
        BlockImages { layout, images: layout.residual(place).iter().filter_map(image).collect() }
    }

    /// Which placements of a word of the block no image comes before, as bits of the lane; like men's squares
    /// have to ascend for that. Where two men share a square the answer may be either.
    #[must_use]
    pub fn word(&self, word: usize) -> u128 {
        let (free, n) = (self.layout.free(), self.layout.n_squares());
        let Some(n_outer) = free.len().checked_sub(1) else {
            let is_first = self.images.iter().all(|image| image.block != Ordering::Less);
            return if is_first { u128::MAX } else { 0 };
        };
        let mut digits = [0; MAX_PLACED];
        let mut rest = word;
        for digit in digits[..n_outer].iter_mut().rev() {
            *digit = (rest % n) as u8;
            rest /= n;
        }
        // Like men of whom the last is in the lane.
        let runs = self.layout.like_free();
        let tail = runs.last().filter(|run| run.end == free.len()).map_or(n_outer, |run| run.start);
        let mut kept = u128::MAX;
        for image in &self.images {
            let mut moved = digits.map(|digit| image.squares.get(usize::from(digit)).copied().unwrap_or(0));
            runs.iter().filter(|run| run.end <= n_outer).for_each(|run| moved[run.clone()].sort_unstable());
            match image.block.then_with(|| moved[..tail].cmp(&digits[..tail])) {
                Ordering::Greater => {}
                Ordering::Less => return 0,
                Ordering::Equal => {
                    let is_kept = |lane: usize| {
                        let (mut own, mut other) = (digits, moved);
                        own[n_outer] = lane as u8;
                        other[n_outer] = image.squares[lane];
                        other[tail..=n_outer].sort_unstable();
                        other[tail..=n_outer] >= own[tail..=n_outer]
                    };
                    let places = (0..n).filter(|&lane| is_kept(lane));
                    kept &= places.fold(beyond(n), |places, lane| places | 1 << lane);
                }
            }
        }
        kept
    }
}

/// All bits from this one on.
fn beyond(lane: usize) -> u128 {
    u128::MAX.checked_shl(lane as u32).unwrap_or(0)
}
