//! Takes moves of the row man back: words move within their row, one word a square.
//!
//! The words of a rank of the board go the same way, so a step takes the words of the rank that it leads to,
//! moved by its files; a ride goes through the ranks from the far end, and along a rank square by square. On
//! a board of 8 × 8 squares a rank is one vector. A hopper rides twice, as in the lane (see `lane_man`), and
//! uneven stages are taken back one by one.

#[cfg(target_arch = "x86_64")]
mod eight;
#[cfg(target_arch = "x86_64")]
mod wide;

use crate::Word;
use crate::dispatch::kernel;
use crate::single_word::{Landing, are_single, row_word_hits, row_word_moves};
use crate::walk::{Hurdle, Reach, Walk};
use crate::word::is_full;
use geometry::{MAX_SQUARES, Step};

kernel! {
    /// In every wanted row: `dst |= ` the placements from which a move of the row man leads into `src`.
    ///
    /// Shape: as for `lane_moves`. `files` is the width of the board.
    pub fn row_moves / row_moves_at<W>(dst: &mut [W], src: &[W], wanted: &[bool], taken: &[W], row_len: usize, files: usize, walks: &[Walk<W>]) {
        avx512 => by_vectors!(add_rows(dst, src, wanted, taken, row_len), files, walks),
        avx2 => by_words!(add_rows(dst, src, wanted, taken, row_len), files, walks),
        portable => by_words!(add_rows(dst, src, wanted, taken, row_len), files, walks),
    }
}

kernel! {
    /// Takes out of live rows of `found` the placements from which a move of the row man leads into `src`;
    /// rows in which nothing is left are live no more.
    ///
    /// Shape: as for `row_moves`; `live` has an entry a row.
    pub fn cut_row_moves / cut_row_moves_at<W>(found: &mut [W], live: &mut [bool], src: &[W], taken: &[W], row_len: usize, files: usize, walks: &[Walk<W>]) {
        avx512 => by_vectors!(cut_rows(found, src, live, taken, row_len), files, walks),
        avx2 => by_words!(cut_rows(found, src, live, taken, row_len), files, walks),
        portable => by_words!(cut_rows(found, src, live, taken, row_len), files, walks),
    }
}

/// Goes through rows a word at a time. The closure stands here, and is compiled for the kernel's level.
macro_rules! by_words {
    ($rows:ident($dst:expr, $src:expr, $flags:expr, $taken:expr, $row_len:expr), $files:expr, $walks:expr) => {
        $rows($dst, $src, $flags, $taken, $row_len, ($walks, FEW), |dst, src, taken| {
            add_moves(dst, src, taken, $files, $walks);
        })
    };
}
use by_words;

/// Goes through rows with the vectors that suit the board and the ways, if any do.
#[cfg(target_arch = "x86_64")]
macro_rules! by_vectors {
    ($rows:ident($dst:expr, $src:expr, $flags:expr, $taken:expr, $row_len:expr), $files:expr, $walks:expr) => {
        if eight::suits($row_len, $files, $walks) {
            $rows($dst, $src, $flags, $taken, $row_len, ($walks, FEW_FOR_VECTORS), |dst, src, taken| {
                eight::add_moves(dst, src, taken, $walks);
            })
        } else if wide::suits($row_len, $files, $walks) {
            $rows($dst, $src, $flags, $taken, $row_len, ($walks, FEW_FOR_VECTORS), |dst, src, taken| {
                wide::add_moves(dst, src, taken, $files, $walks);
            })
        } else {
            by_words!($rows($dst, $src, $flags, $taken, $row_len), $files, $walks)
        }
    };
}
#[cfg(target_arch = "x86_64")]
use by_vectors;

/// In a row with at most this number of words that hold something each of these is followed by itself.
const FEW: usize = 6;

/// As `FEW`, where a rank is a vector.
const FEW_FOR_VECTORS: usize = 2;

/// The words of a row that hold something, if they are at most `most`, of which there is room for [`FEW`]:
/// how many, their places being put into `places`.
#[inline(always)]
fn few_words<W: Word>(row: &[W], most: usize, places: &mut [u8; FEW]) -> Option<usize> {
    let mut n = 0;
    let (eights, rest) = row.as_chunks::<8>();
    let parts = eights.iter().map(|eight| eight.as_slice()).chain(std::iter::once(rest));
    for (part, words) in parts.enumerate().filter(|(_, words)| is_full(words)) {
        for (x, _) in words.iter().enumerate().filter(|(_, word)| **word != W::ZERO) {
            if n == most {
                return None;
            }
            places[n] = (part * 8 + x) as u8;
            n += 1;
        }
    }
    Some(n)
}

/// Calls `add` with each wanted row of `dst` and `src` and the squares of the men further out; rows with few
/// words are gone through without it.
#[inline(always)]
fn add_rows<W: Word>(
    dst: &mut [W],
    src: &[W],
    wanted: &[bool],
    taken: &[W],
    row_len: usize,
    (walks, few): (&[Walk<W>], usize),
    add: impl Fn(&mut [W], &[W], W),
) {
    let n_rows = wanted.len();
    assert!(dst.len() == n_rows * row_len && src.len() == dst.len() && taken.len() == n_rows);
    let few = if are_single(walks) { few } else { 0 };
    let mut places = [0; FEW];
    let rows = dst.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    for ((dst, src), (_, &taken)) in rows.zip(wanted.iter().zip(taken)).filter(|(_, (wanted, _))| **wanted) {
        match few_words(src, few, &mut places) {
            Some(n) => places[..n].iter().for_each(|&x| {
                let x = usize::from(x);
                row_word_moves(dst, (x, src[x]), taken, walks, Landing::Any);
            }),
            None => add(dst, src, taken),
        }
    }
}

/// Like `add_rows`, for the live rows of `found`, out of which is taken what `add` adds to a row that is
/// empty.
#[inline(always)]
fn cut_rows<W: Word>(
    found: &mut [W],
    src: &[W],
    live: &mut [bool],
    taken: &[W],
    row_len: usize,
    (walks, few): (&[Walk<W>], usize),
    add: impl Fn(&mut [W], &[W], W),
) {
    let n_rows = live.len();
    assert!(found.len() == n_rows * row_len && src.len() == found.len() && taken.len() == n_rows);
    let few = if are_single(walks) { few } else { 0 };
    let mut places = [0; FEW];
    let mut room = [W::ZERO; MAX_SQUARES];
    let gone = &mut room[..row_len];
    let rows = found.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    for ((found, src), (live, &taken)) in rows.zip(live.iter_mut().zip(taken)).filter(|(_, (live, _))| **live)
    {
        let mut any = 0;
        if let Some(n) = few_words(found, few, &mut places) {
            for &x in &places[..n] {
                let x = usize::from(x);
                found[x] &= !row_word_hits(src, (x, found[x]), taken, walks);
                any |= u64::from(found[x] != W::ZERO);
            }
        } else {
            gone.fill(W::ZERO);
            add(gone, src, taken);
            for (found, &gone) in W::halves_mut(found).iter_mut().zip(W::halves(gone)) {
                *found &= !gone;
                any |= *found;
            }
        }
        *live = any != 0;
    }
}

/// Adds the moves in one row; `taken` has the squares of all men but the two that make up the row.
#[inline(always)]
fn add_moves<W: Word>(dst: &mut [W], src: &[W], taken: W, files: usize, walks: &[Walk<W>]) {
    let n = dst.len();
    // All but the word's own square, and nothing where another man stands.
    let mut pass = [W::ONES; MAX_SQUARES];
    let pass = &mut pass[..n];
    let halves = W::halves_mut(pass);
    for square in 0..n {
        halves[square * W::HALVES + square / 64] ^= 1 << (square % 64);
    }
    taken.bits().filter(|&square| square < n).for_each(|square| pass[square] = W::ZERO);
    let mut room = [[W::ZERO; MAX_SQUARES]; 2];
    let [first, second] = room.each_mut().map(|room| &mut room[..n]);
    for walk in walks {
        match &walk.reach {
            Reach::Leap if walk.is_whole => step_back(dst, src, files, walk.step),
            Reach::Leap => {
                walk.order.iter().for_each(|&s| dst[s as usize] |= src[walk.next[s as usize] as usize])
            }
            Reach::Ride { .. } => {
                ride_back(first, src, pass, files, walk);
                or(dst, first);
            }
            Reach::Hop { is_short, .. } => {
                if *is_short {
                    first.fill(W::ZERO);
                    walk.order.iter().for_each(|&s| first[s as usize] = src[walk.next[s as usize] as usize]);
                } else {
                    ride_back(first, src, pass, files, walk);
                }
                first.iter_mut().zip(&*pass).for_each(|(behind, &pass)| *behind &= !pass);
                ride_back(second, first, pass, files, walk);
                or(dst, second);
            }
            Reach::Trail { hurdle, courses, .. } => {
                for (s, course) in courses {
                    dst[*s as usize] |= followed(src, pass, course, *hurdle);
                }
            }
        }
    }
}

#[inline(always)]
fn or<W: Word>(dst: &mut [W], src: &[W]) {
    W::halves_mut(dst).iter_mut().zip(W::halves(src)).for_each(|(dst, src)| *dst |= src);
}

/// `dst |= src` one step back, all files of a rank at once.
#[inline(always)]
fn step_back<W: Word>(dst: &mut [W], src: &[W], files: usize, step: Step) {
    let n_ranks = dst.len() / files;
    for rank in 0..n_ranks {
        if let Some((here, there)) = ranks_of(files, n_ranks, rank, step) {
            or(&mut dst[here], &src[there]);
        }
    }
}

/// The words of a rank from which a step stays on the board, and those that it leads to.
#[inline(always)]
fn ranks_of(
    files: usize,
    n_ranks: usize,
    rank: usize,
    step: Step,
) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let target = rank.checked_add_signed(isize::from(step.ranks)).filter(|&target| target < n_ranks)?;
    let by = usize::from(step.files.unsigned_abs());
    let (from, to) = if step.files < 0 { (by, 0) } else { (0, by) };
    let length = files.checked_sub(by)?;
    let (here, there) = (rank * files + from, target * files + to);
    Some((here..here + length, there..there + length))
}

/// Sets `reached` to what a ride into `src` comes from: `reached(s) = src(t) | (reached(t) & pass(t))`.
#[inline(always)]
fn ride_back<W: Word>(reached: &mut [W], src: &[W], pass: &[W], files: usize, walk: &Walk<W>) {
    reached.fill(W::ZERO);
    if walk.step.ranks == 0 || !walk.is_whole {
        for &s in &walk.order {
            let (s, t) = (s as usize, walk.next[s as usize] as usize);
            reached[s] = src[t] | reached[t] & pass[t];
        }
        return;
    }
    let n_ranks = reached.len() / files;
    for step in 0..n_ranks {
        // From the rank that the walk leaves the board at, backwards.
        let rank = if walk.step.ranks > 0 { n_ranks - 1 - step } else { step };
        let Some((here, there)) = ranks_of(files, n_ranks, rank, walk.step) else { continue };
        // The two ranks do not overlap.
        let (own, beyond) = if here.start < there.start {
            let (low, high) = reached.split_at_mut(there.start);
            (&mut low[here.clone()], &high[..there.len()])
        } else {
            let (low, high) = reached.split_at_mut(here.start);
            (&mut high[..here.len()], &low[there.clone()])
        };
        let (own, beyond) = (W::halves_mut(own), W::halves(beyond));
        let (src, pass) = (W::halves(&src[there.clone()]), W::halves(&pass[there]));
        let each = own.iter_mut().zip(beyond).zip(src.iter().zip(pass));
        each.for_each(|((own, beyond), (src, pass))| *own = src | beyond & pass);
    }
}

/// What arrives along a course of squares.
#[inline(always)]
fn followed<W: Word>(src: &[W], pass: &[W], course: &[(u8, bool)], hurdle: Hurdle) -> W {
    let (mut sum, mut way, mut behind) = (W::ZERO, W::ONES, W::ZERO);
    for &(t, is_landing) in course {
        let t = usize::from(t);
        if is_landing {
            sum |= src[t] & if hurdle == Hurdle::None { way } else { behind };
        }
        let further = if hurdle == Hurdle::OnTheWay { behind & pass[t] } else { W::ZERO };
        behind = further | way & !pass[t];
        way &= pass[t];
    }
    sum
}
