//! Takes moves of an outer man back: whole rows of words move.
//!
//! The row of square `s` holds, for this man on `s`, all placements of the two men further in: a word for
//! each square of one, a bit for each square of the other. A leap from `s` to `t` is `row s |= row t`. A ride
//! looks along a line at one row after another: what arrives at `s` is the row of the next square `t`, and
//! what arrived at `t` in its turn, where `t` is free of the men further in:
//!
//! ```text
//!   arrive(s) = row t | (arrive(t) & free(t))          row s |= arrive(s)
//! ```
//!
//! A hopper carries a second set, of what arrives once the man that it jumps over is behind it:
//!
//! ```text
//!   behind(s) = row t | (behind(t) & free(t))    arrive(s) = (arrive(t) & free(t)) | (behind(t) & !free(t))
//! ```
//!
//! A row that has something among many that have not is followed back by itself, from `t` along its lines.
//!
//! Word `x` of a row is free of them on `t` if `x ≠ t`, and then in all bits but that of `t`. Eight halves of
//! words are taken through all lines before the next eight, so that everything a step touches stays in the
//! first cache.

use super::course::add_row;
use super::row::{AT_ONCE, OuterRows, free, halves_at, or, passed};
use crate::Word;
use crate::dispatch::kernel;
use crate::walk::{NOWHERE, Reach, Walk};
use geometry::MAX_SQUARES;

kernel! {
    /// `dst |= ` the placements from which a move of the outer man leads into a live row of `src`; rows
    /// that may have got some are marked in `touched`.
    ///
    /// Shape: `dst` and `src` are rows of `rows.row_len` words; `live` and `touched` have an entry a row.
    /// Rows of `src` that are not live hold nothing.
    pub fn outer_moves / outer_moves_at<W>(dst: &mut [W], touched: &mut [bool], src: &[W], live: &[bool], rows: OuterRows<'_>, walks: &[Walk<W>]) = sweep_body;
}

/// Which squares' rows a walk reaches; that does not depend on the words, so it is found once.
#[derive(Clone, Copy)]
struct Arrivals {
    /// Behind the man that is jumped over; what a ride reaches at all.
    behind: [bool; MAX_SQUARES],
    /// Before it.
    before: [bool; MAX_SQUARES],
}

#[inline(always)]
fn sweep_body<W: Word>(
    dst: &mut [W],
    touched: &mut [bool],
    src: &[W],
    live: &[bool],
    rows: OuterRows<'_>,
    walks: &[Walk<W>],
) {
    // The rooms are as large as boards with words of this size, so that little is cleared.
    if W::HALVES == 1 {
        sweep_in(&mut [[0; AT_ONCE]; 64], dst, touched, src, live, rows, walks);
    } else {
        sweep_in(&mut [[0; AT_ONCE]; MAX_SQUARES], dst, touched, src, live, rows, walks);
    }
}

/// Rides and hops whose arrivals are found before the first of them goes through the rows.
const WALKS_AT_ONCE: usize = 8;

/// Where no more than one row in so many has anything, each of them is followed back by itself.
const FEW: usize = 4;

#[inline(always)]
fn sweep_in<W: Word>(
    room: &mut [[u64; AT_ONCE]],
    dst: &mut [W],
    touched: &mut [bool],
    src: &[W],
    live: &[bool],
    rows: OuterRows<'_>,
    walks: &[Walk<W>],
) {
    for walks in walks.chunks(WALKS_AT_ONCE) {
        let mut others = false;
        for walk in walks {
            let Reach::Trail { courses, .. } = &walk.reach else {
                others = true;
                continue;
            };
            for (s, course) in courses {
                // Rows that are not live hold nothing, so what they would add is nothing.
                if course.iter().any(|&(t, _)| live[rows.row(t.into())]) {
                    touched[rows.row((*s).into())] = true;
                    add_row(dst, src, rows, (course, walk.hurdle()), *s);
                }
            }
        }
        if !others {
            continue;
        }
        let n_halves = rows.row_len * W::HALVES;
        let mut arrivals = None;
        let mut at = 0;
        while at + AT_ONCE <= n_halves {
            sweep_part(dst, touched, (src, live), &mut arrivals, rows, walks, at, room);
            at += AT_ONCE;
        }
        let mut narrow_room = [[0; 1]; MAX_SQUARES];
        while at < n_halves {
            sweep_part(dst, touched, (src, live), &mut arrivals, rows, walks, at, &mut narrow_room);
            at += 1;
        }
    }
}

/// All walks but trails through halves `at` to `at + N` of all rows.
#[expect(clippy::too_many_arguments, reason = "the arguments of the kernel, and where in it")]
#[inline(always)]
fn sweep_part<W: Word, const N: usize>(
    dst: &mut [W],
    touched: &mut [bool],
    (src, live): (&[W], &[bool]),
    arrivals: &mut Option<[Arrivals; WALKS_AT_ONCE]>,
    rows: OuterRows<'_>,
    walks: &[Walk<W>],
    at: usize,
    room: &mut [[u64; N]],
) {
    // What is found at a late ply is thin: most parts of its rows hold nothing.
    let (full, n_full) = full_squares::<W, N>(src, live, rows, at);
    if n_full == 0 {
        return;
    }
    let is_thin = n_full * FEW <= rows.row_len;
    for (place, walk) in walks.iter().enumerate() {
        match walk.reach {
            Reach::Trail { .. } => {}
            Reach::Ride { .. } if !is_thin => {
                let arrivals = arrivals.get_or_insert_with(|| Arrivals::of_all(walks, touched, live, rows));
                sweep(dst, src, live, &arrivals[place], rows, walk, at, room);
            }
            Reach::Hop { is_short, .. } => {
                let arrivals = arrivals.get_or_insert_with(|| Arrivals::of_all(walks, touched, live, rows));
                hop(dst, src, live, &arrivals[place], rows, (walk, is_short), at, room);
            }
            Reach::Ride { .. } | Reach::Leap => {
                let goes_on = walk.reach != Reach::Leap;
                for &t in &full[..n_full] {
                    follow_back::<W, N>(dst, touched, src, rows, (walk, goes_on), t, at);
                }
            }
        }
    }
}

/// The squares whose rows have something in halves `at` to `at + N`, and how many they are.
#[inline(always)]
fn full_squares<W: Word, const N: usize>(
    src: &[W],
    live: &[bool],
    rows: OuterRows<'_>,
    at: usize,
) -> ([u8; MAX_SQUARES], usize) {
    let (src, n) = (W::halves(src), rows.row_len * W::HALVES);
    let (mut full, mut n_full) = ([0; MAX_SQUARES], 0);
    for square in 0..rows.row_len {
        let row = rows.row(square);
        if live[row] {
            let halves: &[u64; N] = halves_at(src, row * n + at);
            let mut any = 0;
            (0..N).for_each(|i| any |= halves[i]);
            full[n_full] = square as u8;
            n_full += usize::from(any != 0);
        }
    }
    (full, n_full)
}

/// What is on square `t` goes back along a walk as far as it may.
#[inline(always)]
fn follow_back<W: Word, const N: usize>(
    dst: &mut [W],
    touched: &mut [bool],
    src: &[W],
    rows: OuterRows<'_>,
    (walk, goes_on): (&Walk<W>, bool),
    t: u8,
    at: usize,
) {
    let n = rows.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    let mut halves: [u64; N] = *halves_at(src, rows.row(t.into()) * n + at);
    let mut s = usize::from(walk.back[usize::from(t)]);
    while s != usize::from(NOWHERE) {
        let row = rows.row(s);
        touched[row] = true;
        or(&mut dst[row * n + at..], halves);
        if !goes_on || !rows.passable[row] {
            break;
        }
        halves = passed::<W, N>(halves, s, at);
        s = usize::from(walk.back[s]);
    }
}

impl Default for Arrivals {
    fn default() -> Self {
        Arrivals { behind: [false; MAX_SQUARES], before: [false; MAX_SQUARES] }
    }
}

impl Arrivals {
    /// Those of each walk.
    #[inline(always)]
    fn of_all<W>(
        walks: &[Walk<W>],
        touched: &mut [bool],
        live: &[bool],
        rows: OuterRows<'_>,
    ) -> [Arrivals; WALKS_AT_ONCE] {
        let mut all: [Arrivals; WALKS_AT_ONCE] = Default::default();
        for (walk, arrivals) in walks.iter().zip(&mut all) {
            if matches!(walk.reach, Reach::Ride { .. } | Reach::Hop { .. }) {
                arrivals.find(touched, live, rows, walk);
            }
        }
        all
    }

    #[inline(always)]
    fn find<W>(&mut self, touched: &mut [bool], live: &[bool], rows: OuterRows<'_>, walk: &Walk<W>) {
        let Arrivals { behind, before } = self;
        let hop = if let Reach::Hop { is_short, .. } = walk.reach { Some(is_short) } else { None };
        for &s in &walk.order {
            let (s, t) = (s as usize, walk.next[s as usize] as usize);
            let passable = rows.passable[rows.row(t)];
            behind[s] = live[rows.row(t)] || hop != Some(true) && behind[t] && passable;
            before[s] = hop.is_some() && (before[t] && passable || behind[t]);
            touched[rows.row(s)] |= if hop.is_some() { before[s] } else { behind[s] };
        }
    }
}

/// One ride through halves `at` to `at + N` of all rows.
///
/// `room` has a place for each square. Only what `Arrivals` says has arrived is written there, and nothing
/// else is read, so it need not be cleared.
#[expect(clippy::too_many_arguments, reason = "the arguments of the kernel, and where in it")]
#[inline(always)]
fn sweep<W: Word, const N: usize>(
    dst: &mut [W],
    src: &[W],
    live: &[bool],
    arrivals: &Arrivals,
    rows: OuterRows<'_>,
    walk: &Walk<W>,
    at: usize,
    room: &mut [[u64; N]],
) {
    let n = rows.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    for &s in &walk.order {
        let (s, t) = (s as usize, walk.next[s as usize] as usize);
        if !arrivals.behind[s] {
            continue;
        }
        room[s] = arrived::<W, N>(src, live, arrivals.behind[t], rows, room, t, at);
        or(&mut dst[rows.row(s) * n + at..], room[s]);
    }
}

/// What arrives by a step to square `t`: what is there, and what arrived at `t` in its turn and may pass, if
/// it goes on.
#[inline(always)]
fn arrived<W: Word, const N: usize>(
    src: &[u64],
    live: &[bool],
    goes_on: bool,
    rows: OuterRows<'_>,
    room: &[[u64; N]],
    t: usize,
    at: usize,
) -> [u64; N] {
    let row = rows.row(t);
    let mut sum = [0; N];
    if goes_on && rows.passable[row] {
        sum = passed::<W, N>(room[t], t, at);
    }
    if live[row] {
        let src: &[u64; N] = halves_at(src, row * rows.row_len * W::HALVES + at);
        (0..N).for_each(|i| sum[i] |= src[i]);
    }
    sum
}

/// The same for a hop: what has arrived behind the man that is jumped over is in `room`, what arrives before
/// it is not kept there but in a room of its own.
#[expect(clippy::too_many_arguments, reason = "the arguments of the kernel, and where in it")]
#[inline(always)]
fn hop<W: Word, const N: usize>(
    dst: &mut [W],
    src: &[W],
    live: &[bool],
    arrivals: &Arrivals,
    rows: OuterRows<'_>,
    (walk, is_short): (&Walk<W>, bool),
    at: usize,
    behind: &mut [[u64; N]],
) {
    let n = rows.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    let mut before = [[0; N]; MAX_SQUARES];
    for &s in &walk.order {
        let (s, t) = (s as usize, walk.next[s as usize] as usize);
        let (row_s, row_t) = (rows.row(s), rows.row(t));
        if arrivals.before[s] {
            let free = free::<W, N>(rows.passable[row_t], t, at);
            let mut sum = [0; N];
            if arrivals.before[t] {
                (0..N).for_each(|i| sum[i] = before[t][i] & free[i]);
            }
            if arrivals.behind[t] {
                (0..N).for_each(|i| sum[i] |= behind[t][i] & !free[i]);
            }
            before[s] = sum;
            or(&mut dst[row_s * n + at..], sum);
        }
        if arrivals.behind[s] {
            behind[s] = arrived::<W, N>(src, live, !is_short && arrivals.behind[t], rows, behind, t, at);
        }
    }
}
