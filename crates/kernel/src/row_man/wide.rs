//! Takes moves of the row man back on boards of more than 64 squares, in vectors: a rank is up to three of
//! them.
//!
//! The words of a rank are a row of halves, two for each file, and a step by files is a shift of that row by
//! whole halves. Ranks without anything are passed over, and so is a ride before the first rank that has
//! something.

use crate::Word;
use crate::vector::{load_some, store_some};
use crate::walk::{Reach, Walk};
use std::arch::x86_64::{
    __m512i, _mm512_add_epi64, _mm512_and_si512, _mm512_maskz_andnot_epi64, _mm512_or_si512,
    _mm512_permutex2var_epi64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_setzero_si512,
    _mm512_test_epi64_mask,
};

/// The halves of a rank, eight a vector; those beyond its last file are zero, or are never looked at.
type Rank = [__m512i; VECTORS];

const VECTORS: usize = 3;
/// The files of a rank that fills the vectors.
const MAX_FILES: usize = 12;
const MAX_RANKS: usize = 16;
/// The files by which a step moves halves to the next vector and no further.
const MAX_STEP: u8 = 3;

/// Whether there are vectors for these ways on a board of `n_squares` squares.
pub(crate) fn suits<W: Word>(n_squares: usize, files: usize, walks: &[Walk<W>]) -> bool {
    let is_simple = |walk: &Walk<W>| {
        walk.is_whole
            && matches!(walk.reach, Reach::Leap | Reach::Ride { .. })
            && walk.step.files.unsigned_abs() <= MAX_STEP
    };
    W::HALVES == 2
        && files <= MAX_FILES
        && n_squares.is_multiple_of(files)
        && n_squares / files <= MAX_RANKS
        && walks.iter().all(is_simple)
}

/// `dst |= ` the placements of a row from which a move leads into `src`, on a board and by ways that
/// [`suits`] allows.
///
/// Shape: `dst` and `src` have a word for each square; `taken` has the squares of all men but the two of the
/// row.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(crate) fn add_moves<W: Word>(dst: &mut [W], src: &[W], taken: W, files: usize, walks: &[Walk<W>]) {
    assert!(dst.len() == src.len() && suits(src.len(), files, walks));
    // As few sums as the board has ranks, so that little is cleared.
    if src.len() / files <= 8 {
        add_in::<W, 8>(dst, src, taken, files, walks);
    } else {
        add_in::<W, MAX_RANKS>(dst, src, taken, files, walks);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn add_in<W: Word, const N: usize>(dst: &mut [W], src: &[W], taken: W, files: usize, walks: &[Walk<W>]) {
    let row = Row::<N>::new(src, taken, files);
    if row.full == 0 {
        return;
    }
    let mut sums = [[_mm512_setzero_si512(); VECTORS]; N];
    for walk in walks {
        match walk.step.files {
            0 => row.add::<W, 0>(&mut sums, walk),
            1.. => row.add::<W, 1>(&mut sums, walk),
            _ => row.add::<W, -1>(&mut sums, walk),
        }
    }
    for (dst, sum) in W::halves_mut(dst).chunks_exact_mut(2 * files).zip(sums) {
        store(dst, either(load(dst, u32::MAX), sum));
    }
}

/// A row as a man moves on it.
struct Row<'a, const N: usize> {
    src: &'a [u64],
    own: &'static [u64],
    /// Halves of a rank.
    n_halves: usize,
    n_ranks: usize,
    /// By rank: the halves in whose file no man but the two of the row stands.
    free: [u32; N],
    /// The ranks that have something.
    full: u32,
}

impl<'a, const N: usize> Row<'a, N> {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn new<W: Word>(src: &'a [W], taken: W, files: usize) -> Self {
        let n_ranks = src.len() / files;
        let mut free = [u32::MAX; N];
        for square in taken.bits().take_while(|&square| square < src.len()) {
            free[square / files] &= !(3 << (2 * (square % files)));
        }
        let mut row =
            Row { src: W::halves(src), own: W::own_bits(), n_halves: 2 * files, n_ranks, free, full: 0 };
        for rank in 0..n_ranks {
            let [a, b, c] = row.source(rank);
            let any = _mm512_or_si512(_mm512_or_si512(a, b), c);
            row.full |= u32::from(_mm512_test_epi64_mask(any, any) != 0) << rank;
        }
        row
    }

    /// Adds what comes by a walk, whose step goes by files as the sign of `FILES` says.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn add<W: Word, const FILES: i32>(&self, sums: &mut [Rank; N], walk: &Walk<W>) {
        let goes_on = walk.reach != Reach::Leap;
        let by = 2 * i64::from(walk.step.files);
        let halves = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        // From the lower of the two vectors that a half may come from.
        let from = _mm512_add_epi64(halves, _mm512_set1_epi64(by.rem_euclid(8)));
        let ranks = isize::from(walk.step.ranks);
        if ranks == 0 {
            let n_steps = if goes_on {
                (self.n_halves / 2 - 1) / usize::from(walk.step.files.unsigned_abs())
            } else {
                1
            };
            for rank in (0..self.n_ranks).filter(|rank| self.full >> rank & 1 == 1) {
                let (source, way) = (self.source(rank), self.way(rank));
                let mut arrived = shifted::<FILES>(source, from);
                for _ in 1..n_steps {
                    arrived = shifted::<FILES>(joined(source, arrived, way), from);
                }
                sums[rank] = either(sums[rank], arrived);
            }
            return;
        }
        // From the ranks that the walk leaves the board at, backwards.
        for first in 0..ranks.unsigned_abs().min(self.n_ranks) {
            let mut target = if ranks > 0 { self.n_ranks - 1 - first } else { first };
            let mut arrived = [_mm512_setzero_si512(); VECTORS];
            let mut has_arrived = false;
            while let Some(rank) = target.checked_add_signed(-ranks).filter(|&rank| rank < self.n_ranks) {
                let is_full = self.full >> target & 1 == 1;
                if has_arrived || is_full {
                    let source = self.source(target);
                    let reached =
                        if has_arrived { joined(source, arrived, self.way(target)) } else { source };
                    arrived = shifted::<FILES>(reached, from);
                    sums[rank] = either(sums[rank], arrived);
                    has_arrived = goes_on;
                }
                target = rank;
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn source(&self, rank: usize) -> Rank {
        load(&self.src[rank * self.n_halves..(rank + 1) * self.n_halves], u32::MAX)
    }

    /// What may pass through the squares of a rank.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    fn way(&self, rank: usize) -> Rank {
        let free = self.free[rank] & ((1 << self.n_halves) - 1);
        let own = load(&self.own[rank * self.n_halves..(rank + 1) * self.n_halves], free);
        let mut way = own;
        for (i, way) in way.iter_mut().enumerate() {
            *way = _mm512_maskz_andnot_epi64((free >> (8 * i)) as u8, *way, _mm512_set1_epi64(-1));
        }
        way
    }
}

/// Half `i + by` in the place of half `i`, nothing where there is none; `by` has the sign of `FILES`, and
/// `from` has what it is beyond a multiple of eight, added to the numbers of a vector's halves.
#[inline]
#[target_feature(enable = "avx512f")]
fn shifted<const FILES: i32>(rank: Rank, from: __m512i) -> Rank {
    let zero = _mm512_setzero_si512();
    let [a, b, c] = rank;
    let both = |low, high| _mm512_permutex2var_epi64(low, from, high);
    match FILES {
        0 => rank,
        1.. => [both(a, b), both(b, c), both(c, zero)],
        _ => [both(zero, a), both(a, b), both(b, c)],
    }
}

/// What is there, and what has arrived and may pass.
#[inline]
#[target_feature(enable = "avx512f")]
fn joined(source: Rank, arrived: Rank, way: Rank) -> Rank {
    let mut sum = source;
    for i in 0..VECTORS {
        sum[i] = _mm512_or_si512(sum[i], _mm512_and_si512(arrived[i], way[i]));
    }
    sum
}

#[inline]
#[target_feature(enable = "avx512f")]
fn either(a: Rank, b: Rank) -> Rank {
    [_mm512_or_si512(a[0], b[0]), _mm512_or_si512(a[1], b[1]), _mm512_or_si512(a[2], b[2])]
}

/// Of the halves of a rank those whose bit is in `which`, nothing else.
#[inline]
#[target_feature(enable = "avx512f")]
fn load(halves: &[u64], which: u32) -> Rank {
    assert!(halves.len() <= 8 * VECTORS);
    let mut rank = [_mm512_setzero_si512(); VECTORS];
    for (i, vector) in rank.iter_mut().enumerate() {
        *vector = load_some(halves, 8 * i, which);
    }
    rank
}

/// Writes the halves of a rank, as many as there are.
#[inline]
#[target_feature(enable = "avx512f")]
fn store(halves: &mut [u64], rank: Rank) {
    assert!(halves.len() <= 8 * VECTORS);
    for (i, vector) in rank.into_iter().enumerate() {
        store_some(halves, 8 * i, vector);
    }
}
