//! Unmoves of a man on an outer axis: whole rows of words move.
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

use crate::Word;
use crate::course::add_row;
use crate::dispatch::kernel;
use crate::walk::{NOWHERE, Reach, Walk};
use geometry::MAX_SQUARES;

/// The rows of a man on an outer axis: row `first + square × stride` for each square of the board.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// The row of square 0.
    pub first: usize,
    /// Rows from one square to the next.
    pub stride: usize,
    /// By row: whether the man's square is free of all men but those of the row and the lane.
    pub passable: &'a [bool],
    /// Words of a row, and squares of the board.
    pub row_len: usize,
}

impl Axis<'_> {
    #[inline(always)]
    pub(crate) fn row(&self, square: usize) -> usize {
        self.first + square * self.stride
    }
}

kernel! {
    /// `dst |= ` the placements from which a move of the man on the axis leads into a live row of `src`; rows
    /// that may have got some are marked in `touched`.
    ///
    /// Shape: `dst` and `src` are rows of `axis.row_len` words; `live` and `touched` have an entry a row.
    /// Rows of `src` that are not live hold nothing.
    pub fn axis_moves / axis_moves_at<W>(dst: &mut [W], touched: &mut [bool], src: &[W], live: &[bool], axis: Axis<'_>, walks: &[Walk<W>]) = sweep_body;
}

/// Halves of words that are taken through all lines together: a part of a row.
pub(crate) const AT_ONCE: usize = 8;

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
    axis: Axis<'_>,
    walks: &[Walk<W>],
) {
    // The rooms are as large as boards with words of this size, so that little is cleared.
    if W::HALVES == 1 {
        sweep_in(&mut [[0; AT_ONCE]; 64], dst, touched, src, live, axis, walks);
    } else {
        sweep_in(&mut [[0; AT_ONCE]; MAX_SQUARES], dst, touched, src, live, axis, walks);
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
    axis: Axis<'_>,
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
                if course.iter().any(|&(t, _)| live[axis.row(t.into())]) {
                    touched[axis.row((*s).into())] = true;
                    add_row(dst, src, axis, (course, walk.hurdle()), *s);
                }
            }
        }
        if !others {
            continue;
        }
        let n_halves = axis.row_len * W::HALVES;
        let mut arrivals = None;
        let mut at = 0;
        while at + AT_ONCE <= n_halves {
            sweep_part(dst, touched, (src, live), &mut arrivals, axis, walks, at, room);
            at += AT_ONCE;
        }
        let mut narrow_room = [[0; 1]; MAX_SQUARES];
        while at < n_halves {
            sweep_part(dst, touched, (src, live), &mut arrivals, axis, walks, at, &mut narrow_room);
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
    axis: Axis<'_>,
    walks: &[Walk<W>],
    at: usize,
    room: &mut [[u64; N]],
) {
    // What is found at a late ply is thin: most parts of its rows hold nothing.
    let (full, n_full) = full_squares::<W, N>(src, live, axis, at);
    if n_full == 0 {
        return;
    }
    let is_thin = n_full * FEW <= axis.row_len;
    for (place, walk) in walks.iter().enumerate() {
        match walk.reach {
            Reach::Trail { .. } => {}
            Reach::Ride { .. } if !is_thin => {
                let arrivals = arrivals.get_or_insert_with(|| Arrivals::of_all(walks, touched, live, axis));
                sweep(dst, src, live, &arrivals[place], axis, walk, at, room);
            }
            Reach::Hop { is_short, .. } => {
                let arrivals = arrivals.get_or_insert_with(|| Arrivals::of_all(walks, touched, live, axis));
                hop(dst, src, live, &arrivals[place], axis, (walk, is_short), at, room);
            }
            Reach::Ride { .. } | Reach::Leap => {
                let goes_on = walk.reach != Reach::Leap;
                for &t in &full[..n_full] {
                    follow_back::<W, N>(dst, touched, src, axis, (walk, goes_on), t, at);
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
    axis: Axis<'_>,
    at: usize,
) -> ([u8; MAX_SQUARES], usize) {
    let (src, n) = (W::halves(src), axis.row_len * W::HALVES);
    let (mut full, mut n_full) = ([0; MAX_SQUARES], 0);
    for square in 0..axis.row_len {
        let row = axis.row(square);
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
    axis: Axis<'_>,
    (walk, goes_on): (&Walk<W>, bool),
    t: u8,
    at: usize,
) {
    let n = axis.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    let mut halves: [u64; N] = *halves_at(src, axis.row(t.into()) * n + at);
    let mut s = usize::from(walk.back[usize::from(t)]);
    while s != usize::from(NOWHERE) {
        let row = axis.row(s);
        touched[row] = true;
        or(&mut dst[row * n + at..], halves);
        if !goes_on || !axis.passable[row] {
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
        axis: Axis<'_>,
    ) -> [Arrivals; WALKS_AT_ONCE] {
        let mut all: [Arrivals; WALKS_AT_ONCE] = Default::default();
        for (walk, arrivals) in walks.iter().zip(&mut all) {
            if matches!(walk.reach, Reach::Ride { .. } | Reach::Hop { .. }) {
                arrivals.find(touched, live, axis, walk);
            }
        }
        all
    }

    #[inline(always)]
    fn find<W>(&mut self, touched: &mut [bool], live: &[bool], axis: Axis<'_>, walk: &Walk<W>) {
        let Arrivals { behind, before } = self;
        let hop = if let Reach::Hop { is_short, .. } = walk.reach { Some(is_short) } else { None };
        for &s in &walk.order {
            let (s, t) = (s as usize, walk.next[s as usize] as usize);
            let passable = axis.passable[axis.row(t)];
            behind[s] = live[axis.row(t)] || hop != Some(true) && behind[t] && passable;
            before[s] = hop.is_some() && (before[t] && passable || behind[t]);
            touched[axis.row(s)] |= if hop.is_some() { before[s] } else { behind[s] };
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
    axis: Axis<'_>,
    walk: &Walk<W>,
    at: usize,
    room: &mut [[u64; N]],
) {
    let n = axis.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    for &s in &walk.order {
        let (s, t) = (s as usize, walk.next[s as usize] as usize);
        if !arrivals.behind[s] {
            continue;
        }
        room[s] = arrived::<W, N>(src, live, arrivals.behind[t], axis, room, t, at);
        or(&mut dst[axis.row(s) * n + at..], room[s]);
    }
}

/// What arrives by a step to square `t`: what is there, and what arrived at `t` in its turn and may pass, if
/// it goes on.
#[inline(always)]
fn arrived<W: Word, const N: usize>(
    src: &[u64],
    live: &[bool],
    goes_on: bool,
    axis: Axis<'_>,
    room: &[[u64; N]],
    t: usize,
    at: usize,
) -> [u64; N] {
    let row = axis.row(t);
    let mut sum = [0; N];
    if goes_on && axis.passable[row] {
        sum = passed::<W, N>(room[t], t, at);
    }
    if live[row] {
        let src: &[u64; N] = halves_at(src, row * axis.row_len * W::HALVES + at);
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
    axis: Axis<'_>,
    (walk, is_short): (&Walk<W>, bool),
    at: usize,
    behind: &mut [[u64; N]],
) {
    let n = axis.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    let mut before = [[0; N]; MAX_SQUARES];
    for &s in &walk.order {
        let (s, t) = (s as usize, walk.next[s as usize] as usize);
        let (row_s, row_t) = (axis.row(s), axis.row(t));
        if arrivals.before[s] {
            let free = free::<W, N>(axis.passable[row_t], t, at);
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
            behind[s] = arrived::<W, N>(src, live, !is_short && arrivals.behind[t], axis, behind, t, at);
        }
    }
}

#[inline(always)]
pub(crate) fn or<const N: usize>(dst: &mut [u64], sum: [u64; N]) {
    let dst = &mut dst[..N];
    (0..N).for_each(|i| dst[i] |= sum[i]);
}

/// What of these halves may pass through a square: the placements whose men do not stand on it.
#[inline(always)]
pub(crate) fn passed<W: Word, const N: usize>(halves: [u64; N], square: usize, at: usize) -> [u64; N] {
    let mut halves = halves;
    let bit = 1u64 << (square % 64);
    // Half by half what is kept, and no writes into the middle: the halves stay in a register.
    for (i, half) in halves.iter_mut().enumerate() {
        // Of words of two halves the bit is in every second.
        let kept = if (at + i) % W::HALVES == square / 64 { !bit } else { u64::MAX };
        *half &= if (at + i) / W::HALVES == square { 0 } else { kept };
    }
    halves
}

/// The placements of some halves in which a square is free.
#[inline(always)]
pub(crate) fn free<W: Word, const N: usize>(is_passable: bool, square: usize, at: usize) -> [u64; N] {
    if is_passable { passed::<W, N>([u64::MAX; N], square, at) } else { [0; N] }
}

#[inline(always)]
pub(crate) fn halves_at<const N: usize>(halves: &[u64], at: usize) -> &[u64; N] {
    halves[at..at + N].first_chunk().expect("as long as it was cut")
}
