//! Takes moves of the lane man back on boards of more than 64 squares, with shifts that take bits from two
//! halves at once.
//!
//! Eight words are two vectors, their lower halves and their upper ones, as in [`crate::Pack`]; a shift of
//! all of them is two instructions.

use crate::Word;
use crate::vector::{load, store};
use crate::walk::{Reach, Shift, Walk};
use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_and_si512, _mm512_andnot_si512, _mm512_or_si512,
    _mm512_permutex2var_epi64, _mm512_set_epi64, _mm512_set1_epi64, _mm512_setzero_si512, _mm512_shldv_epi64,
    _mm512_shrdv_epi64, _mm512_sll_epi64, _mm512_srl_epi64,
};

/// The lower halves of eight words, and the upper ones.
#[derive(Clone, Copy)]
struct Pair {
    low: __m512i,
    high: __m512i,
}

/// Whether there are vectors for these ways.
pub(crate) fn suits<W: Word>(walks: &[Walk<W>]) -> bool {
    let is_simple = |walk: &Walk<W>| match walk.reach {
        Reach::Leap => walk.shift.round.is_none(),
        Reach::Ride { .. } => true,
        Reach::Hop { .. } | Reach::Trail { .. } => false,
    };
    W::HALVES == 2 && walks.iter().all(is_simple)
}

/// What eight words of a row, from word `first` on, are reached from by ways that [`suits`] allows.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi2")]
pub(crate) fn eight_reached<W: Word>(src: &[W; 8], taken: W, first: usize, walks: &[Walk<W>]) -> [W; 8] {
    let src = pair(W::halves(src));
    let own = pair(&W::own_bits()[2 * first..]);
    let taken = splat(taken);
    let none = _mm512_set1_epi64(-1);
    let free = Pair {
        low: _mm512_andnot_si512(_mm512_or_si512(own.low, taken.low), none),
        high: _mm512_andnot_si512(_mm512_or_si512(own.high, taken.high), none),
    };
    let zero = _mm512_setzero_si512();
    let mut sum = Pair { low: zero, high: zero };
    for walk in walks {
        let reached = match walk.reach {
            Reach::Ride { rounds } => ridden(src, free, &walk.shift, rounds),
            _ => src,
        };
        sum = either(sum, both(moved(reached, walk.shift.by), splat(walk.shift.sources)));
    }
    let mut words = [W::ZERO; 8];
    let [low, high] = W::halves_mut(&mut words).as_chunks_mut::<8>().0 else {
        unreachable!("sixteen halves")
    };
    let order = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    store(low, _mm512_permutex2var_epi64(sum.low, order, sum.high));
    let order = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
    store(high, _mm512_permutex2var_epi64(sum.low, order, sum.high));
    words
}

/// What a ride has reached before its last step back: see `lane`.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
fn ridden<W: Word>(src: Pair, free: Pair, shift: &Shift<W>, rounds: u32) -> Pair {
    let (mut reached, mut pass, mut by) = (src, both(free, splat(shift.sources)), shift.by);
    for round in 0..rounds {
        reached = either(reached, both(pass, moved(reached, by)));
        if round + 1 < rounds {
            pass = both(pass, moved(pass, by));
        }
        by *= 2;
    }
    reached
}

/// Moves every word's bits up by `by` places, or down if it is negative.
#[inline]
#[target_feature(enable = "avx512f,avx512vbmi2")]
fn moved(pair: Pair, by: i32) -> Pair {
    let Pair { low, high } = pair;
    let zero = _mm512_setzero_si512();
    let places = by.unsigned_abs();
    if places >= 128 {
        return Pair { low: zero, high: zero };
    }
    // A shift by 64 or more is one by a half and one by what is left.
    let (low, high) = match (by < 0, places >= 64) {
        (_, false) => (low, high),
        (true, true) => (high, zero),
        (false, true) => (zero, low),
    };
    let places = (places % 64) as i32;
    let (count, counts) = (_mm_cvtsi32_si128(places), _mm512_set1_epi64(places.into()));
    if by < 0 {
        Pair { low: _mm512_shrdv_epi64(low, high, counts), high: _mm512_srl_epi64(high, count) }
    } else {
        Pair { low: _mm512_sll_epi64(low, count), high: _mm512_shldv_epi64(high, low, counts) }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn both(a: Pair, b: Pair) -> Pair {
    Pair { low: _mm512_and_si512(a.low, b.low), high: _mm512_and_si512(a.high, b.high) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn either(a: Pair, b: Pair) -> Pair {
    Pair { low: _mm512_or_si512(a.low, b.low), high: _mm512_or_si512(a.high, b.high) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn splat<W: Word>(word: W) -> Pair {
    let half = |half: usize| _mm512_set1_epi64(word.half(half).cast_signed());
    Pair { low: half(0), high: half(1) }
}

/// Eight words, whose halves are the first sixteen of these.
#[inline]
#[target_feature(enable = "avx512f")]
fn pair(halves: &[u64]) -> Pair {
    let eights = halves.as_chunks::<8>().0;
    let (first, second) = (load(&eights[0]), load(&eights[1]));
    let order = _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    let low = _mm512_permutex2var_epi64(first, order, second);
    let order = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    Pair { low, high: _mm512_permutex2var_epi64(first, order, second) }
}
