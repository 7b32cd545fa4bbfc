//! Takes moves of the row man back on boards of 8 × 8 squares: a rank is one vector.

use crate::Word;
use crate::vector::{load, store};
use crate::walk::{Hurdle, Reach, Stage, Walk};
use geometry::Step;
use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_andnot_si512, _mm512_cmplt_epu64_mask,
    _mm512_maskz_permutexvar_epi64, _mm512_or_si512, _mm512_set_epi64, _mm512_set1_epi64,
    _mm512_setzero_si512,
};

/// A word for each square, a vector for each rank.
type Ranks = [__m512i; 8];

/// Whether a rank is one vector on a board of these numbers of squares and files, and there are vectors for
/// these ways.
pub(super) fn suits<W: Word>(n_squares: usize, files: usize, walks: &[Walk<W>]) -> bool {
    W::HALVES == 1 && n_squares == 64 && files == 8 && walks.iter().all(|walk| walk.is_whole)
}

/// `dst |= ` the placements of a row from which a move leads into `src`, on a board and by ways that
/// [`suits`] allows.
///
/// Shape: `dst` and `src` have a word for each square; `taken` has the squares of all men but the two of the
/// row.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn add_moves<W: Word>(dst: &mut [W], src: &[W], taken: W, walks: &[Walk<W>]) {
    let (dst, src) = (W::halves_mut(dst).as_chunks_mut::<8>().0, W::halves(src).as_chunks::<8>().0);
    assert!(dst.len() == 8 && src.len() == 8, "eight ranks of eight words");
    let taken = taken.half(0);
    let zero = _mm512_setzero_si512();
    let mut sources = [zero; 8];
    let mut passes = [zero; 8];
    let mut sums = [zero; 8];
    for rank in 0..8 {
        sources[rank] = load(&src[rank]);
        sums[rank] = load(&dst[rank]);
        let way: [u64; 8] = std::array::from_fn(|file| pass(taken, rank * 8 + file));
        passes[rank] = load(&way);
    }
    for walk in walks {
        match &walk.reach {
            Reach::Leap => add(&mut sums, &back(&sources, walk.step)),
            Reach::Ride { .. } => add(&mut sums, &ridden(&sources, &passes, walk.step)),
            Reach::Hop { is_short, .. } => {
                let mut behind =
                    if *is_short { back(&sources, walk.step) } else { ridden(&sources, &passes, walk.step) };
                (0..8).for_each(|rank| behind[rank] = _mm512_andnot_si512(passes[rank], behind[rank]));
                add(&mut sums, &ridden(&behind, &passes, walk.step));
            }
            Reach::Trail { stages, hurdle, .. } => {
                add(&mut sums, &trailed(&sources, &passes, stages, *hurdle));
            }
        }
    }
    for (dst, sum) in dst.iter_mut().zip(sums) {
        store(dst, sum);
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

/// A way of uneven stages back: see `lane_man`.
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
