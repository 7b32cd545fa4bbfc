//! Unmoves of the man on the axis next to the lane: words move within their row, one word a square.
//!
//! The words of a rank of the board go the same way, so a step takes the words of the rank that it leads to,
//! moved by its files; a ride goes through the ranks from the far end, and along a rank square by square. On
//! a board of 8 × 8 squares a rank is one vector. A hopper rides twice, as in the lane (see `lane`), and
//! uneven stages are taken back one by one.

use crate::Word;
use crate::dispatch::{Level, kernel};
use crate::walk::{Hurdle, Reach, Walk};
#[cfg(target_arch = "x86_64")]
use crate::wide_rank;
use geometry::{MAX_SQUARES, Step};

/// In every wanted row: `dst |= ` the placements from which a move of the man next to the lane leads into
/// `src`.
///
/// Shape: as for `lane_moves`. `files` is the width of the board.
pub fn rank_moves<W: Word>(
    dst: &mut [W],
    src: &[W],
    wanted: &[bool],
    taken: &[W],
    row_len: usize,
    files: usize,
    walks: &[Walk<W>],
) {
    rank_moves_at(Level::detected(), dst, src, wanted, taken, row_len, (files, walks));
}

pub(crate) fn rank_moves_at<W: Word>(
    level: Level,
    dst: &mut [W],
    src: &[W],
    wanted: &[bool],
    taken: &[W],
    row_len: usize,
    (files, walks): (usize, &[Walk<W>]),
) {
    assert!(level <= Level::detected(), "{level:?} is not to be had here");
    let n_rows = wanted.len();
    assert!(dst.len() == n_rows * row_len && src.len() == dst.len() && taken.len() == n_rows);
    let rows = dst.chunks_exact_mut(row_len).zip(src.chunks_exact(row_len));
    let rows = rows.zip(wanted.iter().zip(taken)).filter(|(_, (wanted, _))| **wanted);
    #[cfg(target_arch = "x86_64")]
    let is_wide = level >= Level::Avx512 && wide_rank::suits(row_len, files, walks);
    #[cfg(target_arch = "x86_64")]
    let is_plain = walks.iter().all(|walk| walk.is_whole);
    for ((dst, src), (_, &taken)) in rows {
        #[cfg(target_arch = "x86_64")]
        if level >= Level::Avx512
            && is_plain
            && let (8, 1, Ok(dst), Ok(src)) = (
                files,
                W::HALVES,
                <&mut [u64; 64]>::try_from(W::halves_mut(dst)),
                <&[u64; 64]>::try_from(W::halves(src)),
            )
        {
            #[expect(unsafe_code, reason = "the processor has the instructions")]
            // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only where avx512f,
            // avx512vl and avx512bw were found.
            unsafe {
                vector::ranks_of_eight(dst, src, taken.half(0), walks);
            }
            continue;
        }
        #[cfg(target_arch = "x86_64")]
        if is_wide {
            #[expect(unsafe_code, reason = "the processor has the instructions")]
            // SAFETY: the level is not above `Level::detected`, which is `Avx512` or more only where avx512f,
            // avx512vl and avx512bw were found.
            unsafe {
                wide_rank::add_moves(dst, src, taken, files, walks);
            }
            continue;
        }
        row_moves_at(level, dst, src, Row { taken, files }, walks);
    }
}

/// What is known of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<W> {
    /// The squares of all men but the two that make up the row.
    taken: W,
    /// Words of a rank.
    files: usize,
}

kernel! {
    /// The moves in one row.
    pub(crate) fn row_moves_at<W>(dst: &mut [W], src: &[W], row: Row<W>, walks: &[Walk<W>]) = row_body;
}

#[inline(always)]
fn row_body<W: Word>(dst: &mut [W], src: &[W], row: Row<W>, walks: &[Walk<W>]) {
    let n = dst.len();
    // All but the word's own square, and nothing where somebody else stands.
    let mut pass = [W::ONES; MAX_SQUARES];
    let pass = &mut pass[..n];
    let halves = W::halves_mut(pass);
    for square in 0..n {
        halves[square * W::HALVES + square / 64] ^= 1 << (square % 64);
    }
    row.taken.bits().filter(|&square| square < n).for_each(|square| pass[square] = W::ZERO);
    let mut room = [[W::ZERO; MAX_SQUARES]; 2];
    let [first, second] = room.each_mut().map(|room| &mut room[..n]);
    for walk in walks {
        match &walk.reach {
            Reach::Leap if walk.is_whole => step_back(dst, src, row.files, walk.step),
            Reach::Leap => {
                walk.order.iter().for_each(|&s| dst[s as usize] |= src[walk.next[s as usize] as usize])
            }
            Reach::Ride { .. } => {
                ride_back(first, src, pass, row.files, walk);
                or(dst, first);
            }
            Reach::Hop { is_short, .. } => {
                if *is_short {
                    first.fill(W::ZERO);
                    walk.order.iter().for_each(|&s| first[s as usize] = src[walk.next[s as usize] as usize]);
                } else {
                    ride_back(first, src, pass, row.files, walk);
                }
                first.iter_mut().zip(&*pass).for_each(|(behind, &pass)| *behind &= !pass);
                ride_back(second, first, pass, row.files, walk);
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

#[cfg(target_arch = "x86_64")]
mod vector {
    //! A rank is one vector.

    use crate::Word;
    use crate::walk::{Hurdle, Reach, Stage, Walk};
    use geometry::Step;
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_cmplt_epu64_mask,
        _mm512_loadu_si512, _mm512_maskz_permutexvar_epi64, _mm512_or_si512, _mm512_set_epi64,
        _mm512_set1_epi64, _mm512_setzero_si512, _mm512_storeu_si512,
    };

    /// A word for each square, a vector for each rank.
    type Ranks = [__m512i; 8];

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn ranks_of_eight<W: Word>(
        dst: &mut [u64; 64],
        src: &[u64; 64],
        taken: u64,
        walks: &[Walk<W>],
    ) {
        let zero = _mm512_setzero_si512();
        let mut sources = [zero; 8];
        let mut passes = [zero; 8];
        let mut sums = [zero; 8];
        for rank in 0..8 {
            sources[rank] = load(src, rank);
            sums[rank] = load(dst, rank);
            let way: [u64; 8] = std::array::from_fn(|file| pass(taken, rank * 8 + file));
            passes[rank] = load(&way, 0);
        }
        for walk in walks {
            match &walk.reach {
                Reach::Leap => add(&mut sums, &back(&sources, walk.step)),
                Reach::Ride { .. } => add(&mut sums, &ridden(&sources, &passes, walk.step)),
                Reach::Hop { is_short, .. } => {
                    let mut behind = if *is_short {
                        back(&sources, walk.step)
                    } else {
                        ridden(&sources, &passes, walk.step)
                    };
                    (0..8).for_each(|rank| behind[rank] = _mm512_andnot_si512(passes[rank], behind[rank]));
                    add(&mut sums, &ridden(&behind, &passes, walk.step));
                }
                Reach::Trail { stages, hurdle, .. } => {
                    add(&mut sums, &trailed(&sources, &passes, stages, *hurdle));
                }
            }
        }
        for (rank, sum) in sums.into_iter().enumerate() {
            store(dst, rank, sum);
        }
    }
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn add(sums: &mut Ranks, others: &Ranks) {
        (0..8).for_each(|rank| sums[rank] = _mm512_or_si512(sums[rank], others[rank]));
    }

    /// One step back.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn back(targets: &Ranks, step: Step) -> Ranks {
        let mut sources = [_mm512_setzero_si512(); 8];
        for (rank, source) in sources.iter_mut().enumerate() {
            if let Some(target) = target_of(rank, step) {
                *source = shifted(targets[target], step.files.into());
            }
        }
        sources
    }

    fn target_of(rank: usize, step: Step) -> Option<usize> {
        rank.checked_add_signed(isize::from(step.ranks)).filter(|&target| target < 8)
    }

    /// A ride back.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn ridden(targets: &Ranks, passes: &Ranks, step: Step) -> Ranks {
        let files = i32::from(step.files);
        let mut arrived = [_mm512_setzero_si512(); 8];
        if step.ranks == 0 {
            for rank in 0..8 {
                let (mut reached, mut way, mut by) = (targets[rank], passes[rank], files);
                for _ in 0..3 {
                    reached = _mm512_or_si512(reached, _mm512_and_si512(way, shifted(reached, by)));
                    way = _mm512_and_si512(way, shifted(way, by));
                    by *= 2;
                }
                arrived[rank] = shifted(reached, files);
            }
            return arrived;
        }
        for place in 0..8 {
            // From the rank that the walk leaves the board at, backwards.
            let rank = if step.ranks > 0 { 7 - place } else { place };
            let Some(target) = target_of(rank, step) else { continue };
            let passed = _mm512_and_si512(arrived[target], passes[target]);
            arrived[rank] = shifted(_mm512_or_si512(targets[target], passed), files);
        }
        arrived
    }

    /// A way of uneven stages back: see `lane`.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn trailed<W: Word>(targets: &Ranks, passes: &Ranks, stages: &[Stage<W>], hurdle: Hurdle) -> Ranks {
        let zero = [_mm512_setzero_si512(); 8];
        let (mut before, mut behind) = (zero, zero);
        for stage in stages.iter().rev() {
            let landed = if stage.is_landing { targets } else { &zero };
            let (mut way, mut beyond) = (zero, *landed);
            for rank in 0..8 {
                if hurdle == Hurdle::None {
                    way[rank] = _mm512_or_si512(landed[rank], _mm512_and_si512(passes[rank], before[rank]));
                    continue;
                }
                let hopped = _mm512_andnot_si512(passes[rank], behind[rank]);
                way[rank] = _mm512_or_si512(_mm512_and_si512(passes[rank], before[rank]), hopped);
                if hurdle == Hurdle::OnTheWay {
                    let further = _mm512_and_si512(passes[rank], behind[rank]);
                    beyond[rank] = _mm512_or_si512(landed[rank], further);
                }
            }
            before = back(&way, stage.step);
            behind = back(&beyond, stage.step);
        }
        before
    }

    /// The placements in which no other man stands on the square.
    fn pass(taken: u64, square: usize) -> u64 {
        (taken >> square & 1).wrapping_sub(1) & !(1 << square)
    }

    /// Word `file + by` in the place of word `file`, nothing where there is none.
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn shifted(rank: __m512i, by: i32) -> __m512i {
        let files = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        let from = _mm512_add_epi64(files, _mm512_set1_epi64(i64::from(by)));
        // A negative file is a large one without its sign.
        let on_board = _mm512_cmplt_epu64_mask(from, _mm512_set1_epi64(8));
        _mm512_maskz_permutexvar_epi64(on_board, from, rank)
    }

    #[target_feature(enable = "avx512f")]
    fn load<const N: usize>(words: &[u64; N], rank: usize) -> __m512i {
        let words = &words[rank * 8..rank * 8 + 8];
        #[expect(unsafe_code, reason = "a load through a pointer")]
        // SAFETY: the pointer is to the 64 bytes of a slice of eight words; the load is unaligned and reads
        // no others.
        unsafe {
            _mm512_loadu_si512(words.as_ptr().cast())
        }
    }

    #[target_feature(enable = "avx512f")]
    fn store(words: &mut [u64; 64], rank: usize, vector: __m512i) {
        let words = &mut words[rank * 8..rank * 8 + 8];
        #[expect(unsafe_code, reason = "a store through a pointer")]
        // SAFETY: the pointer is to the 64 bytes of a slice of eight words that is borrowed mutably; the
        // store is unaligned and writes no others.
        unsafe {
            _mm512_storeu_si512(words.as_mut_ptr().cast(), vector);
        }
    }
}
