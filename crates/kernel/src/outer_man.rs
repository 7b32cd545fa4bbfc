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
//!
//! One square's row can also be taken by itself: its own ways, followed to their ends. That is how refuting
//! goes, where a row needs to know no more than whether anything is left, and how ways that are no rides are
//! added.

use crate::Word;
use crate::dispatch::kernel;
use crate::walk::{Hurdle, NOWHERE, Reach, Walk};
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

/// Where no more than one row in this number has anything, each of them is followed back by itself.
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

/// Like `arrived`, for a hop: what has arrived behind the man that is jumped over is in `room`, what arrives
/// before it is not kept there but in a room of its own.
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

kernel! {
    /// Takes out of live rows of `found` the placements from which a move of the outer man leads into
    /// `src`; rows in which nothing is left are live no more. Each row looks along its own ways, and no
    /// further than something is left.
    ///
    /// Shape: as for `outer_moves`.
    pub fn cut_outer_moves / cut_outer_moves_at<W>(found: &mut [W], live: &mut [bool], src: &[W], rows: OuterRows<'_>, walks: &[Walk<W>]) = cut_body;
}

/// The parts of the longest row.
const MAX_PARTS: usize = 2 * MAX_SQUARES / AT_ONCE;

#[inline(always)]
fn cut_body<W: Word>(found: &mut [W], live: &mut [bool], src: &[W], rows: OuterRows<'_>, walks: &[Walk<W>]) {
    let n = rows.row_len;
    for s in 0..n {
        let row = rows.row(s);
        if live[row] {
            live[row] = cut_row(&mut found[row * n..(row + 1) * n], src, rows, walks, s as u8);
        }
    }
}

/// Takes out of the row of square `s` what has a way into `src`; whether anything is left.
#[inline(always)]
fn cut_row<W: Word>(found: &mut [W], src: &[W], rows: OuterRows<'_>, walks: &[Walk<W>], s: u8) -> bool {
    let (found, src) = (W::halves_mut(found), W::halves(src));
    let is_full = |part: &[u64]| part.iter().any(|&half| half != 0);
    // The parts of the row in which something is left, and the halves that make up no part.
    let (mut parts, mut n_parts) = ([0; MAX_PARTS], 0);
    let (eights, rest) = found.as_chunks_mut::<AT_ONCE>();
    for (place, part) in eights.iter().enumerate() {
        parts[n_parts] = place as u8;
        n_parts += usize::from(is_full(part));
    }
    let first = eights.len() * AT_ONCE;
    let mut room = [(0, true); MAX_SQUARES];
    for walk in walks {
        let Some(course) = walk.course(s, &mut room) else { continue };
        let mut n_left = 0;
        for place in 0..n_parts {
            let part = parts[place];
            let halves = &mut eights[usize::from(part)];
            let gone = follow::<W, AT_ONCE>(src, rows, course, walk.hurdle(), usize::from(part) * AT_ONCE);
            let mut any = 0;
            for (half, gone) in halves.iter_mut().zip(gone) {
                *half &= !gone;
                any |= *half;
            }
            parts[n_left] = part;
            n_left += usize::from(any != 0);
        }
        n_parts = n_left;
        for (at, half) in (first..).zip(&mut *rest) {
            if *half != 0 {
                *half &= !follow::<W, 1>(src, rows, course, walk.hurdle(), at)[0];
            }
        }
        if n_parts == 0 && !is_full(rest) {
            return false;
        }
    }
    true
}

/// Adds to the row of square `s` all that arrives there along a course of squares.
#[inline(always)]
pub(crate) fn add_row<W: Word>(
    dst: &mut [W],
    src: &[W],
    rows: OuterRows<'_>,
    (course, hurdle): (&[(u8, bool)], Hurdle),
    s: u8,
) {
    let n = rows.row_len * W::HALVES;
    let (dst, src) = (W::halves_mut(dst), W::halves(src));
    let place = rows.row(s.into()) * n;
    let mut at = 0;
    while at + AT_ONCE <= n {
        let sum = follow::<W, AT_ONCE>(src, rows, course, hurdle, at);
        or(&mut dst[place + at..], sum);
        at += AT_ONCE;
    }
    while at < n {
        let sum = follow::<W, 1>(src, rows, course, hurdle, at);
        or(&mut dst[place + at..], sum);
        at += 1;
    }
}

/// What arrives along a course of squares in halves `at` to `at + N`.
#[inline(always)]
fn follow<W: Word, const N: usize>(
    src: &[u64],
    rows: OuterRows<'_>,
    course: &[(u8, bool)],
    hurdle: Hurdle,
    at: usize,
) -> [u64; N] {
    // The placements that come so far without anybody on the way, and those with the man to jump over
    // behind.
    let (mut sum, mut way, mut behind) = ([0; N], [u64::MAX; N], [0; N]);
    for &(t, is_landing) in course {
        let t = usize::from(t);
        let row = rows.row(t);
        if is_landing {
            let halves: &[u64; N] = halves_at(src, row * rows.row_len * W::HALVES + at);
            let lands = if hurdle == Hurdle::None { &way } else { &behind };
            (0..N).for_each(|i| sum[i] |= halves[i] & lands[i]);
        }
        if hurdle == Hurdle::None {
            if !rows.passable[row] {
                break;
            }
            way = passed::<W, N>(way, t, at);
            continue;
        }
        let free = free::<W, N>(rows.passable[row], t, at);
        let further = if hurdle == Hurdle::OnTheWay { behind } else { [0; N] };
        behind = std::array::from_fn(|i| further[i] & free[i] | way[i] & !free[i]);
        (0..N).for_each(|i| way[i] &= free[i]);
    }
    sum
}

/// The rows of an outer man: row `first + square × stride` for each square of the board.
#[derive(Clone, Copy, Debug)]
pub struct OuterRows<'a> {
    /// The row of square 0.
    pub first: usize,
    /// Rows from one square to the next.
    pub stride: usize,
    /// By row: whether the man's square is free of all men but those of the row and the lane.
    pub passable: &'a [bool],
    /// Words of a row, and squares of the board.
    pub row_len: usize,
}

impl OuterRows<'_> {
    #[inline(always)]
    pub(crate) fn row(&self, square: usize) -> usize {
        self.first + square * self.stride
    }
}

/// Halves of words that are taken through all lines together: a part of a row.
pub(crate) const AT_ONCE: usize = 8;

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
fn halves_at<const N: usize>(halves: &[u64], at: usize) -> &[u64; N] {
    halves[at..at + N].first_chunk().expect("as long as it was cut")
}
