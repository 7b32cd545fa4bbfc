//! Takes moves of frame men back: adds neighbour blocks, turned by the symmetry that they are kept under.
//!
//! A frame man's move leads from one block to another. If that one is kept as it stands, its rows are taken
//! as they are, all such neighbours in one go; if it is kept under a symmetry, rows, words and bits change
//! places alike: `row[x][y]` is `src[σ(row)][σ(x)][σ(y)]`.

#[cfg(target_arch = "x86_64")]
mod matrix;
mod permutation;

pub use permutation::{Image, LanePermutation, Windows, permute_word};

use crate::Word;
use crate::dispatch::kernel;
use geometry::MAX_SQUARES;
use permutation::{PART_WORDS, RowParts, add_image};

/// A block that a move leads to, and how it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Neighbour {
    /// The block.
    pub block: u32,
    /// The place of its [`Image`] in a list.
    pub image: u8,
}

/// Where neighbours are read.
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a, W> {
    /// Blocks of rows of `row_len` words.
    pub words: &'a [W],
    /// By row of the plane: whether it may have any bits; none if all may.
    pub live: Option<&'a [bool]>,
    /// By block: where it stands among the words, counted in blocks; empty if blocks stand in order.
    pub slots: &'a [u32],
    /// Words in a row.
    pub row_len: usize,
    /// What neighbours' `image` refers to.
    pub images: &'a [Image<W>],
}

impl<'a, W: Word> Plane<'a, W> {
    /// A row of a neighbour block of `n_rows` rows, as it is kept, and how; none if it has no bits.
    #[inline(always)]
    fn row(self, neighbour: Neighbour, row: usize, n_rows: usize) -> Option<(&'a [W], &'a Image<W>)> {
        let image = &self.images[neighbour.image as usize];
        let kept = if image.is_identity { row } else { image.rows[row] as usize };
        let slot = self.slots.get(neighbour.block as usize).copied().unwrap_or(neighbour.block);
        let place = slot as usize * n_rows + kept;
        let is_live = self.live.is_none_or(|live| live[place]);
        is_live.then(|| (&self.words[place * self.row_len..(place + 1) * self.row_len], image))
    }
}

kernel! {
    /// `dst |= ` the neighbours' rows, as they stand; only into wanted rows, if wanted rows are given. Rows
    /// that may have got some are marked in `touched`.
    ///
    /// Shape: `dst` is a block: rows of `plane.row_len` words, one for each entry of `touched` and of
    /// `wanted`.
    pub fn frame_moves / frame_moves_at<W>(dst: &mut [W], touched: &mut [bool], wanted: Option<&[bool]>, plane: Plane<'_, W>, neighbours: &[Neighbour]) {
        gfni => add_body(dst, touched, wanted, plane, neighbours, |dst, kept, image, parts| {
            matrix::add_image(dst, kept, image, parts);
        }),
        others => add_body(dst, touched, wanted, plane, neighbours, |dst, kept, image, parts| {
            add_image(dst, kept, image, parts);
        }),
    }
}

kernel! {
    /// Takes the neighbours' rows, as they stand, out of live rows of `found`; rows in which nothing is left
    /// are live no more. Of a row that holds nothing no neighbour is read.
    ///
    /// Shape: `found` is a block: rows of `plane.row_len` words, one for each entry of `live`.
    pub fn cut_frame_moves / cut_frame_moves_at<W>(found: &mut [W], live: &mut [bool], plane: Plane<'_, W>, neighbours: &[Neighbour]) {
        gfni => cut_body(found, live, plane, neighbours, |dst, kept, image, parts| {
            matrix::add_image(dst, kept, image, parts);
        }),
        others => cut_body(found, live, plane, neighbours, |dst, kept, image, parts| {
            add_image(dst, kept, image, parts);
        }),
    }
}

/// How many rows are taken in one go.
const AT_ONCE: usize = 8;

#[inline(always)]
fn add_body<W: Word>(
    dst: &mut [W],
    touched: &mut [bool],
    wanted: Option<&[bool]>,
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
    add_image: impl Fn(&mut [W], &[W], &Image<W>, RowParts),
) {
    let (n_rows, row_len) = (touched.len(), plane.row_len);
    assert_eq!(dst.len(), n_rows * row_len, "rows");
    for (row, (dst, touched)) in dst.chunks_exact_mut(row_len).zip(touched).enumerate() {
        if wanted.is_none_or(|wanted| wanted[row]) {
            *touched |= add_row(dst, (row, n_rows), plane, neighbours, RowParts::ALL, &add_image);
        }
    }
}

#[inline(always)]
fn cut_body<W: Word>(
    found: &mut [W],
    live: &mut [bool],
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
    add_image: impl Fn(&mut [W], &[W], &Image<W>, RowParts),
) {
    let (n_rows, row_len) = (live.len(), plane.row_len);
    assert_eq!(found.len(), n_rows * row_len, "rows");
    let mut room = [W::ZERO; MAX_SQUARES];
    let gone = &mut room[..row_len];
    for (row, (found, live)) in found.chunks_exact_mut(row_len).zip(live).enumerate() {
        if !*live {
            continue;
        }
        gone.fill(W::ZERO);
        if !add_row(gone, (row, n_rows), plane, neighbours, RowParts::of(found), &add_image) {
            continue;
        }
        let mut any = 0;
        for (found, &gone) in W::halves_mut(found).iter_mut().zip(W::halves(gone)) {
            *found &= !gone;
            any |= *found;
        }
        *live = any != 0;
    }
}

/// Adds some parts of all neighbours' rows to a row; whether any of them may have had something.
#[inline(always)]
fn add_row<W: Word>(
    dst: &mut [W],
    (row, n_rows): (usize, usize),
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
    parts: RowParts,
    add_image: &impl Fn(&mut [W], &[W], &Image<W>, RowParts),
) -> bool {
    let mut same: [&[W]; AT_ONCE] = [&[]; AT_ONCE];
    let (mut n_same, mut any) = (0, false);
    for &neighbour in neighbours {
        let Some((kept, image)) = plane.row(neighbour, row, n_rows) else { continue };
        any = true;
        if !image.is_identity {
            add_image(dst, kept, image, parts);
            continue;
        }
        same[n_same] = kept;
        n_same += 1;
        if n_same == AT_ONCE {
            add_rows(dst, &same, parts);
            n_same = 0;
        }
    }
    add_rows(dst, &same[..n_same], parts);
    any
}

/// Adds some parts of these rows to a row; straight line code for each number of them.
#[inline(always)]
fn add_rows<W: Word>(dst: &mut [W], sources: &[&[W]], parts: RowParts) {
    match *sources {
        [] => {}
        [a] => add_each(dst, [a], parts),
        [a, b] => add_each(dst, [a, b], parts),
        [a, b, c] => add_each(dst, [a, b, c], parts),
        [a, b, c, d] => add_each(dst, [a, b, c, d], parts),
        [a, b, c, d, e] => add_each(dst, [a, b, c, d, e], parts),
        [a, b, c, d, e, f] => add_each(dst, [a, b, c, d, e, f], parts),
        [a, b, c, d, e, f, g] => add_each(dst, [a, b, c, d, e, f, g], parts),
        [a, b, c, d, e, f, g, h, ..] => add_each(dst, [a, b, c, d, e, f, g, h], parts),
    }
}

#[inline(always)]
fn add_each<W: Word, const N: usize>(dst: &mut [W], sources: [&[W]; N], parts: RowParts) {
    let n_parts = dst.len() / PART_WORDS;
    let dst = W::halves_mut(dst);
    let n_halves = dst.len();
    let mut halves: [&[u64]; N] = [&[]; N];
    for (halves, source) in halves.iter_mut().zip(sources) {
        *halves = &W::halves(source)[..n_halves];
    }
    for part in parts.among(n_parts) {
        // By halves, which become vectors.
        for half in 0..W::HALVES {
            let at = (part * W::HALVES + half) * PART_WORDS;
            let dst: &mut [u64; PART_WORDS] =
                dst[at..at + PART_WORDS].first_chunk_mut().expect("a part of the row");
            let mut sum = *dst;
            for src in &halves {
                let src: &[u64; PART_WORDS] =
                    src[at..at + PART_WORDS].first_chunk().expect("as long as the row");
                (0..PART_WORDS).for_each(|i| sum[i] |= src[i]);
            }
            *dst = sum;
        }
    }
    for at in n_parts * PART_WORDS * W::HALVES..n_halves {
        halves.iter().for_each(|src| dst[at] |= src[at]);
    }
}
