//! Unmoves of frame men: neighbour blocks, turned by the symmetry that they are kept under.
//!
//! A frame man's move leads from one block to another. If that one is kept as it stands, its rows are taken
//! as they are, all such neighbours in one go; if it is kept under a symmetry, rows, words and bits change
//! places alike: `row[x][y]` is `src[σ(row)][σ(x)][σ(y)]`.

use crate::Word;
use crate::dispatch::Level;
use crate::image::{Image, PART, Parts, add_image};
use geometry::MAX_SQUARES;

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
        let place = neighbour.block as usize * n_rows + kept;
        let is_live = self.live.is_none_or(|live| live[place]);
        is_live.then(|| (&self.words[place * self.row_len..(place + 1) * self.row_len], image))
    }
}

/// Defines a kernel that turns rows: its body is compiled for each [`Level`], with the way to turn a row that
/// the level has.
macro_rules! turning_kernel {
    ($(#[$doc:meta])* pub fn $name:ident / $at:ident<$word:ident>($($arg:ident: $ty:ty),* $(,)?) = $body:path;) => {
        $(#[$doc])*
        pub fn $name<$word: Word>($($arg: $ty),*) {
            $at(Level::detected(), $($arg),*);
        }

        #[allow(clippy::too_many_arguments)]
        pub(crate) fn $at<$word: Word>(level: Level, $($arg: $ty),*) {
            assert!(level <= Level::detected(), "{level:?} is not to be had here");
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi,gfni")]
                fn gfni<$word: Word>($($arg: $ty),*) {
                    $body($($arg),*, |dst, kept, image, parts| {
                        crate::image::vector::add_image(dst, kept, image, parts);
                    });
                }
                #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
                fn avx512<$word: Word>($($arg: $ty),*) {
                    $body($($arg),*, add_image);
                }
                #[target_feature(enable = "avx2")]
                fn avx2<$word: Word>($($arg: $ty),*) {
                    $body($($arg),*, add_image);
                }
                match level {
                    Level::Gfni => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Gfni` only where gfni,
                        // avx512vbmi, avx512f, avx512vl and avx512bw were found.
                        return unsafe { gfni($($arg),*) };
                    }
                    Level::Avx512 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only
                        // where avx512f, avx512vl and avx512bw were found.
                        return unsafe { avx512($($arg),*) };
                    }
                    Level::Avx2 => {
                        #[expect(unsafe_code, reason = "the processor has the instructions")]
                        // SAFETY: the level is not above `Level::detected`, which is `Avx2` or more only
                        // where avx2 was found.
                        return unsafe { avx2($($arg),*) };
                    }
                    Level::Portable => {}
                }
            }
            $body($($arg),*, add_image);
        }
    };
}

turning_kernel! {
    /// `dst |= ` the neighbours' rows, as they stand; only into wanted rows, if wanted rows are given. Rows
    /// that may have got some are marked in `touched`.
    ///
    /// Shape: `dst` is a block: rows of `plane.row_len` words, one for each entry of `touched` and of
    /// `wanted`.
    pub fn neighbour_moves / neighbour_moves_at<W>(dst: &mut [W], touched: &mut [bool], wanted: Option<&[bool]>, plane: Plane<'_, W>, neighbours: &[Neighbour]) = add_body;
}

turning_kernel! {
    /// Takes the neighbours' rows, as they stand, out of live rows of `found`; rows in which nothing is left
    /// are live no more. What holds nothing of a row looks at no neighbour.
    ///
    /// Shape: `found` is a block: rows of `plane.row_len` words, one for each entry of `live`.
    pub fn cut_neighbour_moves / cut_neighbour_moves_at<W>(found: &mut [W], live: &mut [bool], plane: Plane<'_, W>, neighbours: &[Neighbour]) = cut_body;
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
    add_image: impl Fn(&mut [W], &[W], &Image<W>, Parts),
) {
    let (n_rows, row_len) = (touched.len(), plane.row_len);
    assert_eq!(dst.len(), n_rows * row_len, "rows");
    for (row, (dst, touched)) in dst.chunks_exact_mut(row_len).zip(touched).enumerate() {
        if wanted.is_none_or(|wanted| wanted[row]) {
            *touched |= add_row(dst, (row, n_rows), plane, neighbours, Parts::ALL, &add_image);
        }
    }
}

#[inline(always)]
fn cut_body<W: Word>(
    found: &mut [W],
    live: &mut [bool],
    plane: Plane<'_, W>,
    neighbours: &[Neighbour],
    add_image: impl Fn(&mut [W], &[W], &Image<W>, Parts),
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
        if !add_row(gone, (row, n_rows), plane, neighbours, Parts::of(found), &add_image) {
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
    parts: Parts,
    add_image: &impl Fn(&mut [W], &[W], &Image<W>, Parts),
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
fn add_rows<W: Word>(dst: &mut [W], sources: &[&[W]], parts: Parts) {
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
fn add_each<W: Word, const N: usize>(dst: &mut [W], sources: [&[W]; N], parts: Parts) {
    let n_parts = dst.len() / PART;
    let dst = W::halves_mut(dst);
    let n_halves = dst.len();
    let mut halves: [&[u64]; N] = [&[]; N];
    for (halves, source) in halves.iter_mut().zip(sources) {
        *halves = &W::halves(source)[..n_halves];
    }
    for part in parts.among(n_parts) {
        // By halves, which become vectors.
        for half in 0..W::HALVES {
            let at = (part * W::HALVES + half) * PART;
            let dst: &mut [u64; PART] = dst[at..at + PART].first_chunk_mut().expect("a part of the row");
            let mut sum = *dst;
            for src in &halves {
                let src: &[u64; PART] = src[at..at + PART].first_chunk().expect("as long as the row");
                (0..PART).for_each(|i| sum[i] |= src[i]);
            }
            *dst = sum;
        }
    }
    for at in n_parts * PART * W::HALVES..n_halves {
        halves.iter().for_each(|src| dst[at] |= src[at]);
    }
}
