//! Takes moves back from a single word, or looks where a single word's moves lead.
//!
//! What a late ply finds is thin: of the words of a block one in a hundred holds something, and vectors would
//! mostly carry nothing. These functions follow each word that does along its own lines.

use crate::Word;
use crate::outer_man::OuterRows;
use crate::walk::{NOWHERE, Reach, Walk};

/// What a move may find on the square that it leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Landing {
    /// Anything.
    Any,
    /// No man.
    Quiet,
    /// A man.
    Capture,
}

impl Landing {
    /// The placements of `bits` that suit it, where the square is free in those of `free`.
    #[inline(always)]
    #[must_use]
    pub fn of<W: Word>(self, bits: W, free: W) -> W {
        match self {
            Landing::Any => bits,
            Landing::Quiet => bits & free,
            Landing::Capture => bits & !free,
        }
    }
}

/// Whether these walks can be followed word by word: leaps and rides can.
#[must_use]
pub fn are_single<W: Word>(walks: &[Walk<W>]) -> bool {
    walks.iter().all(|walk| matches!(walk.reach, Reach::Leap | Reach::Ride { .. }))
}

/// By square of the row man: the placements in which no other man stands there; `taken` has the squares of
/// all men but the two of the row.
#[inline(always)]
fn free_in_row<W: Word>(taken: W) -> impl Fn(usize) -> W {
    move |square| if taken.has(square) { W::ZERO } else { !W::bit(square) }
}

/// Calls `add` with each square from which a move leads to `t` in some of the placements `bits`, and those;
/// `free` has by square the placements in which no other man stands there.
#[inline(always)]
fn follow_back<W: Word>(
    free: impl Fn(usize) -> W,
    (t, bits): (usize, W),
    walks: &[Walk<W>],
    landing: Landing,
    mut add: impl FnMut(usize, W),
) {
    let bits = landing.of(bits, free(t));
    if bits == W::ZERO {
        return;
    }
    for walk in walks {
        let (mut left, mut s) = (bits, usize::from(walk.back[t]));
        while s != usize::from(NOWHERE) {
            add(s, left);
            if walk.reach == Reach::Leap {
                break;
            }
            left &= free(s);
            if left == W::ZERO {
                break;
            }
            s = usize::from(walk.back[s]);
        }
    }
}

/// Which of the placements `bits` of square `s` have a move into targets; `free` is as for `follow_back`.
#[inline(always)]
fn hits<W: Word>(
    free: impl Fn(usize) -> W,
    (s, bits): (usize, W),
    walks: &[Walk<W>],
    targets: impl Fn(usize) -> W,
) -> W {
    let mut hit = W::ZERO;
    for walk in walks {
        let (mut way, mut t) = (bits & !hit, usize::from(walk.next[s]));
        while way != W::ZERO && t != usize::from(NOWHERE) {
            hit |= way & targets(t);
            if walk.reach == Reach::Leap {
                break;
            }
            way &= free(t);
            t = usize::from(walk.next[t]);
        }
    }
    hit
}

/// `row |= ` the placements from which a move of the row man leads into `bits` of word `x`, by walks that
/// [`are_single`].
///
/// Shape: `row` has a word for each square; `taken` has the squares of all men but the two of the row.
#[inline]
pub fn row_word_moves<W: Word>(
    row: &mut [W],
    (x, bits): (usize, W),
    taken: W,
    walks: &[Walk<W>],
    landing: Landing,
) {
    follow_back(free_in_row(taken), (x, bits), walks, landing, |s, bits| row[s] |= bits);
}

/// `dst |= ` the placements from which a move of the outer man leads into `bits` of word `x` of the row of
/// square `t`, by walks that [`are_single`]; rows that get some are marked in `touched`.
///
/// Shape: `dst` are rows of `rows.row_len` words, `touched` has an entry a row.
#[inline]
pub fn outer_word_moves<W: Word>(
    dst: &mut [W],
    touched: &mut [bool],
    (t, x, bits): (usize, usize, W),
    rows: OuterRows<'_>,
    walks: &[Walk<W>],
    landing: Landing,
) {
    let free = |square: usize| {
        let is_passable = rows.passable[rows.row(square)] && square != x;
        if is_passable { !W::bit(square) } else { W::ZERO }
    };
    follow_back(free, (t, bits), walks, landing, |s, bits| {
        let row = rows.row(s);
        dst[row * rows.row_len + x] |= bits;
        touched[row] = true;
    });
}

/// Which of the placements `bits` of word `x` have a move of the row man into `row`, by walks that
/// [`are_single`].
///
/// Shape: as for [`row_word_moves`].
#[inline]
#[must_use]
pub(crate) fn row_word_hits<W: Word>(row: &[W], x: usize, bits: W, taken: W, walks: &[Walk<W>]) -> W {
    hits(free_in_row(taken), (x, bits), walks, |t| row[t])
}
