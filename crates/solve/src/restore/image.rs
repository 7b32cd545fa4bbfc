//! Restores placements that are not canonical: images of others under a symmetry, and like men in another
//! order.

use geometry::{MAX_SQUARES, Square, Symmetry};
use index::{BlockId, BlockRange, Layout, MAX_PLACED, SliceBlock, has_repeated};
use std::ops::Range;
use table::Code;

/// Restores the images in a block, whole rows where the lane man is like no other.
pub(super) fn restore_block_images<C: Code>(
    layout: &Layout,
    place: SliceBlock,
    unit: &BlockRange,
    codes: &mut [C],
) {
    let lane = layout.free().len() - 1;
    if layout.like_free().iter().any(|run| run.contains(&lane)) {
        restore_places(layout, place, unit, codes);
    } else {
        restore_rows(layout, place, unit, codes);
    }
}

/// Restores the images in a block whose lane man is like no other.
///
/// The canonical number of a placement is the smallest of its images, like men in order. Numbers are first
/// compared by their rows, so the image of a row that comes first holds the canonical placements; where
/// several images are that row, the square in the lane decides.
fn restore_rows<C: Code>(layout: &Layout, place: SliceBlock, unit: &BlockRange, codes: &mut [C]) {
    let block = place.block;
    let n = layout.n_squares();
    let n_words = layout.words_per_block();
    let n_coordinates = layout.free().len() - 1;
    let residual = layout.residual(place);
    let image_block = |g: Symmetry| {
        let permutation = layout.permutation(g);
        let used = layout.frame().len();
        let mut frame = layout.frame_squares(block);
        frame[..used].iter_mut().for_each(|s| *s = Square::from_index(permutation[s.index()].into()));
        // Without pawns the block itself, whose frame the symmetry keeps; with pawns no frame is folded.
        if layout.pawns().is_empty() { Some(block) } else { layout.neighbour(frame).map(|found| found.block) }
    };
    let images: Vec<(&[u8; MAX_SQUARES], usize)> = residual
        .iter()
        .filter_map(|&g| Some((layout.permutation(g), place_in(unit, image_block(g)?))))
        .collect();
    for word in 0..n_words {
        // Like men in another order come last.
        let Some(squares) = ascending_squares(layout, word) else { continue };
        let row = place_in(unit, block) * n_words + word;
        let image_row = |permutation: &[u8; MAX_SQUARES], block: usize| {
            let mut image = squares;
            image[..n_coordinates].iter_mut().for_each(|s| *s = permutation[*s as usize]);
            block * n_words + row_number(layout, &mut image[..n_coordinates])
        };
        let first = images.iter().map(|&(g, block)| image_row(g, block)).min().map_or(row, |r| r.min(row));
        let mut lane = [u8::MAX; MAX_SQUARES];
        if first == row {
            lane.iter_mut().zip(0..).for_each(|(slot, s)| *slot = s);
        }
        for &(permutation, _) in images.iter().filter(|&&(g, block)| image_row(g, block) == first) {
            lane.iter_mut().zip(permutation).for_each(|(slot, &s)| *slot = (*slot).min(s));
        }
        for (square, &canonical) in lane[..n].iter().enumerate() {
            codes[row * n + square] = codes[first * n + canonical as usize];
        }
    }
}

/// The place of a block among those of a unit.
fn place_in(unit: &BlockRange, block: BlockId) -> usize {
    block.index() - unit.first().index()
}

/// The squares of all free men but the lane man in a word of a block; none if like men are not in order.
fn ascending_squares(layout: &Layout, word: usize) -> Option<[u8; MAX_PLACED]> {
    let n_coordinates = layout.free().len() - 1;
    let mut squares = [0u8; MAX_PLACED];
    let mut rest = word;
    for square in squares[..n_coordinates].iter_mut().rev() {
        *square = (rest % layout.n_squares()) as u8;
        rest /= layout.n_squares();
    }
    let mut sorted = squares;
    (row_number(layout, &mut sorted[..n_coordinates]) == word).then_some(squares)
}

/// The number of a block's word with the free men but the lane man on these squares, like men brought into
/// order.
fn row_number(layout: &Layout, squares: &mut [u8]) -> usize {
    let n_coordinates = squares.len();
    for run in layout.like_free() {
        // A run may end with the lane man, who is none of these.
        squares[run.start..run.end.min(n_coordinates)].sort_unstable();
    }
    squares.iter().fold(0, |number, &s| number * layout.n_squares() + s as usize)
}

/// Restores the images in a block whose lane man is like the row man, place by place.
fn restore_places<C: Code>(layout: &Layout, place: SliceBlock, unit: &BlockRange, codes: &mut [C]) {
    let (n, n_words) = (layout.n_squares(), layout.words_per_block());
    let n_coordinates = layout.free().len() - 1;
    let first = layout.unit(SliceBlock { block: unit.first(), ..place }) * layout.block_len();
    for word in 0..n_words {
        let Some(squares) = ascending_squares(layout, word) else { continue };
        let row = (place_in(unit, place.block) * n_words + word) * n;
        // In order, the lane man stands behind his like.
        for number in row + squares[n_coordinates - 1] as usize..row + n {
            // What stands there may be anything, also the code of what is illegal.
            let placement = layout.decode(first + number);
            if !has_repeated(&placement)
                && let Some(canonical) = layout.encode(&placement)
            {
                codes[number] = codes[canonical - first];
            }
        }
    }
}

/// A run of like men among the free men.
pub(super) struct LikeMen {
    /// How many codes lie between two places of the last of them.
    inner: usize,
    /// In how many ways they can stand, shared squares too.
    n_ways: usize,
    /// Which way of standing is the same as which one in ascending order.
    copies: Vec<(u32, u32)>,
}

impl LikeMen {
    pub(super) fn new(layout: &Layout, run: &Range<usize>) -> Self {
        let n = layout.n_squares();
        let n_ways = n.pow(run.len() as u32);
        let mut copies = Vec::new();
        for way in 0..n_ways {
            let mut squares = [0; MAX_PLACED];
            let mut rest = way;
            for square in squares[..run.len()].iter_mut().rev() {
                *square = rest % n;
                rest /= n;
            }
            squares[..run.len()].sort_unstable();
            let ascending = squares[..run.len()].iter().fold(0, |number, s| number * n + s);
            if ascending != way {
                copies.push((ascending as u32, way as u32));
            }
        }
        LikeMen { inner: n.pow((layout.free().len() - run.end) as u32), n_ways, copies }
    }

    /// Copies what stands in ascending order to every other order.
    pub(super) fn restore<C: Code>(&self, codes: &mut [C]) {
        let inner = self.inner;
        for codes in codes.chunks_exact_mut(self.n_ways * inner) {
            if inner == 1 {
                self.copies.iter().for_each(|&(from, to)| codes[to as usize] = codes[from as usize]);
                continue;
            }
            for &(from, to) in &self.copies {
                let from = from as usize * inner;
                codes.copy_within(from..from + inner, to as usize * inner);
            }
        }
    }
}
