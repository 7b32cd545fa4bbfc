//! Predicts many known bits by eight adaptive counters each and a score, mixed by weights that learn.
//!
//! What a counter says of a bit and what it learns from it depends on the bits before and on nothing else;
//! so first the counters of all bits are read and moved, and then the weights go through the same bits. The
//! bits of one loop hardly wait for each other.
//!
//! ```text
//!   sum = Σ weight × odds        p = squash(sum)        weight += rate × odds × (bit − p)
//! ```
//!
//! Everything is an integer, so that no level has other results than another.

use crate::Level;

/// How many counters predict a bit.
pub const N_INPUTS: usize = 8;

/// Counters of each input: 2 to this.
pub const SLOT_BITS: u32 = 15;

/// All counters.
const N_COUNTERS: usize = N_INPUTS << SLOT_BITS;

/// The lower bits of a counter hold how many bits it has seen, the upper 22 the probability of a 1.
const SEEN_BITS: u32 = 10;

/// The probability of a bit that is certain.
const CERTAIN: i32 = (1 << (u32::BITS - SEEN_BITS)) - 1;

/// Weights of 1.0.
const WEIGHT_BITS: u32 = 16;

/// A weight moves by the product of odds and miss, 2 to this less.
const RATE_BITS: u32 = 11;

/// Weights stay below 16.0, so that no product overflows whatever comes.
const MOST_WEIGHT: i32 = 1 << 20;

/// The sum of a mixture ends at this.
const MOST_ODDS: i64 = 2047;

/// A bit that is known, and what predicts it.
#[derive(Clone, Copy, Debug)]
pub struct KnownBit {
    /// Where the counter of each input stands among those of the input.
    pub slots: [u16; N_INPUTS],
    /// One more logarithm of odds, of at most 2,047 either way.
    pub score: i16,
    /// Which weights are for it; if there is none of this number, the first slot is its probability.
    pub set: u8,
    /// What it is.
    pub bit: bool,
}

/// The tables that say what counters mean and how they move.
#[derive(Debug)]
pub struct Curves {
    /// The logarithm of odds by the upper twelve bits of a probability; the last is never looked up.
    pub stretch: [i16; (1 << 12) + 1],
    /// The probability of a 1 in 65,536ths by the logarithm of odds, from −2,047 on.
    pub squash: [u16; 2 * MOST_ODDS as usize + 1],
    /// How far a counter moves towards a bit, in 65,536ths, by how many it has seen.
    pub rates: [u32; 32],
    /// After so many bits a counter goes on as if it had seen no more; less than there are rates.
    pub most_seen: u32,
}

/// Counters and weights.
#[derive(Debug)]
pub struct Mixture {
    /// Those of the first input, then those of the second, and so on.
    counters: Box<[u32; N_COUNTERS]>,
    weights: Vec<[i32; N_INPUTS]>,
    /// The weights of scores.
    score_weights: Vec<i32>,
    /// The logarithms of odds of the counters of some bits.
    odds: Vec<[i16; N_INPUTS]>,
}

/// What the counters of one bit say.
#[derive(Clone, Copy, Debug)]
pub struct Prediction {
    slots: [u16; N_INPUTS],
    odds: [i32; N_INPUTS],
    score: i16,
    set: usize,
    /// The probability of a 1 in 65,536ths.
    pub p: u32,
}

impl Mixture {
    /// The memory that the counters take.
    ///
    /// Units: bytes.
    pub const COUNTER_BYTES: usize = N_COUNTERS * size_of::<u32>();

    /// With so many sets of weights.
    ///
    /// # Panics
    /// Never: there are as many counters as there are.
    #[must_use]
    pub fn new(n_sets: usize) -> Self {
        Mixture {
            counters: vec![0; N_COUNTERS].try_into().expect("so many counters"),
            weights: vec![[0; N_INPUTS]; n_sets],
            score_weights: vec![0; n_sets],
            odds: Vec::new(),
        }
    }

    /// Begins anew with these weights of counters and scores; of both bits each counter thinks the same.
    pub fn clear(&mut self, weight: i32, score_weight: i32) {
        self.counters.fill(1 << (u32::BITS - 1));
        self.weights.fill([weight; N_INPUTS]);
        self.score_weights.fill(score_weight);
    }

    /// Predicts one bit that is not known.
    ///
    /// # Panics
    /// If there are no weights of this number.
    #[inline]
    #[must_use]
    pub fn predict(&self, curves: &Curves, slots: [u16; N_INPUTS], score: i16, set: usize) -> Prediction {
        let (mut odds, mut sum) = ([0; N_INPUTS], i64::from(self.score_weights[set] * i32::from(score)));
        for input in 0..N_INPUTS {
            let counter = self.counters[place(input, slots[input])];
            odds[input] = curves.stretch[(counter >> 20) as usize].into();
            sum += i64::from(self.weights[set][input] * odds[input]);
        }
        Prediction { slots, odds, score, set, p: probability(curves, sum) }
    }

    /// Learns from that bit.
    #[inline]
    pub fn learn(
        &mut self,
        curves: &Curves,
        Prediction { slots, odds, score, set, p }: Prediction,
        bit: bool,
    ) {
        let miss = missed(p, bit);
        for input in 0..N_INPUTS {
            let weight = &mut self.weights[set][input];
            *weight = moved(*weight, odds[input], miss);
            let counter = &mut self.counters[place(input, slots[input])];
            *counter = after(curves, *counter, bit);
        }
        let weight = &mut self.score_weights[set];
        *weight = moved(*weight, score.into(), miss);
    }

    /// The probabilities of a 1 of bits that are known, in 65,536ths, put behind `probabilities`; learns from
    /// each bit before the next one.
    pub fn pass(&mut self, curves: &Curves, bits: &[KnownBit], probabilities: &mut Vec<u32>) {
        self.pass_at(Level::detected(), curves, bits, probabilities);
    }

    /// The same at a level, which must not be above the detected one.
    pub(crate) fn pass_at(
        &mut self,
        level: Level,
        curves: &Curves,
        bits: &[KnownBit],
        probabilities: &mut Vec<u32>,
    ) {
        assert!(level <= Level::detected(), "this processor does not have {level:?}");
        assert!((curves.most_seen as usize) < curves.rates.len(), "{} rates", curves.most_seen);
        self.odds.resize(self.odds.len().max(bits.len()), [0; N_INPUTS]);
        probabilities.reserve(bits.len());
        #[cfg(target_arch = "x86_64")]
        if level >= Level::Avx512 {
            #[expect(unsafe_code, reason = "the processor has the instructions")]
            // SAFETY: the level is not above `Level::detected`, so `Level::of_processor` has found them.
            unsafe {
                wide::count(self, curves, bits);
                wide::mix(self, curves, bits, probabilities);
            }
            return;
        }
        self.count(curves, bits);
        self.mix(curves, bits, probabilities);
    }

    /// Reads and moves the counters of all bits.
    fn count(&mut self, curves: &Curves, bits: &[KnownBit]) {
        for (known, odds) in bits.iter().zip(&mut self.odds) {
            if usize::from(known.set) >= self.weights.len() {
                continue;
            }
            for (input, (odds, &slot)) in odds.iter_mut().zip(&known.slots).enumerate() {
                let counter = &mut self.counters[place(input, slot)];
                *odds = curves.stretch[(*counter >> 20) as usize];
                *counter = after(curves, *counter, known.bit);
            }
        }
    }

    /// Mixes what they have said.
    fn mix(&mut self, curves: &Curves, bits: &[KnownBit], probabilities: &mut Vec<u32>) {
        for (known, odds) in bits.iter().zip(&self.odds) {
            let set = usize::from(known.set);
            let Some(weights) = self.weights.get_mut(set) else {
                probabilities.push(known.slots[0].into());
                continue;
            };
            let (score, score_weight) = (i32::from(known.score), &mut self.score_weights[set]);
            let products =
                weights.iter().zip(odds).map(|(&weight, &odds)| i64::from(weight * i32::from(odds)));
            let p = probability(curves, products.sum::<i64>() + i64::from(*score_weight * score));
            probabilities.push(p);
            let miss = missed(p, known.bit);
            for (weight, &odds) in weights.iter_mut().zip(odds) {
                *weight = moved(*weight, odds.into(), miss);
            }
            *score_weight = moved(*score_weight, score, miss);
        }
    }
}

/// Where a counter of an input stands.
#[inline(always)]
fn place(input: usize, slot: u16) -> usize {
    input << SLOT_BITS | (usize::from(slot) % (1 << SLOT_BITS))
}

/// A counter after a bit, towards which it moves.
#[inline(always)]
fn after(curves: &Curves, counter: u32, bit: bool) -> u32 {
    let (p, n_seen) = ((counter >> SEEN_BITS) as i32, counter & ((1 << SEEN_BITS) - 1));
    let (rate, way) = (curves.rates[n_seen as usize % 32] as i32, (CERTAIN & -i32::from(bit)) - p);
    // way × rate >> 16 in two halves, because the product has 39 bits.
    let p = p + (((way >> 8) * rate + (((way & 0xff) * rate) >> 8)) >> 8);
    (p as u32) << SEEN_BITS | (n_seen + 1).min(curves.most_seen)
}

/// The probability of a 1 by the sum of all logarithms of odds, each times its weight.
#[inline(always)]
fn probability(curves: &Curves, sum: i64) -> u32 {
    let odds = (sum >> WEIGHT_BITS).clamp(-MOST_ODDS, MOST_ODDS);
    curves.squash[(MOST_ODDS + odds) as usize].into()
}

/// By how much a bit has been missed.
#[inline(always)]
fn missed(p: u32, bit: bool) -> i32 {
    ((i32::from(bit) << 16) - p as i32) >> 2
}

/// A weight after the input that it weighs has been right or wrong.
#[inline(always)]
fn moved(weight: i32, odds: i32, miss: i32) -> i32 {
    (weight + ((odds * miss + (1 << (RATE_BITS - 1))) >> RATE_BITS)).clamp(-MOST_WEIGHT, MOST_WEIGHT)
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! All eight inputs in one vector. Counters are read and written one by one: a gather would wait for the
    //! stores of the bit before.

    use super::{
        CERTAIN, Curves, KnownBit, MOST_WEIGHT, Mixture, N_INPUTS, RATE_BITS, SEEN_BITS, missed, moved,
        place, probability,
    };
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_epi32, _mm256_and_si256,
        _mm256_cvtepi16_epi32, _mm256_cvtepi32_epi16, _mm256_i32gather_epi32, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_max_epi32, _mm256_min_epi32, _mm256_or_si256, _mm256_set1_epi32,
        _mm256_slli_epi32, _mm256_srai_epi32, _mm256_srli_epi32, _mm256_storeu_si256, _mm256_sub_epi32,
        _mm512_castsi256_si512, _mm512_castsi512_si256, _mm512_cvtepi32_epi64, _mm512_cvtepi64_epi32,
        _mm512_loadu_si512, _mm512_mul_epi32, _mm512_permutex2var_epi32, _mm512_reduce_add_epi64,
        _mm512_srai_epi64,
    };

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn count(mixture: &mut Mixture, curves: &Curves, bits: &[KnownBit]) {
        let (low, high) = curves.rates.split_at(16);
        #[expect(unsafe_code, reason = "loads through a pointer")]
        // SAFETY: each pointer is to 64 bytes that are borrowed; the loads are unaligned and read no others.
        let (low, high) =
            unsafe { (_mm512_loadu_si512(low.as_ptr().cast()), _mm512_loadu_si512(high.as_ptr().cast())) };
        let (one, most_seen) = (_mm256_set1_epi32(1), _mm256_set1_epi32(curves.most_seen as i32));
        let seen_bits = _mm256_set1_epi32((1 << SEEN_BITS) - 1);
        let n_sets = mixture.weights.len();
        for (known, odds) in bits.iter().zip(&mut mixture.odds) {
            if usize::from(known.set) >= n_sets {
                continue;
            }
            let places: [usize; N_INPUTS] = std::array::from_fn(|input| place(input, known.slots[input]));
            let found = load(&places.map(|place| mixture.counters[place]));
            #[expect(unsafe_code, reason = "loads through a pointer")]
            // SAFETY: twelve bits count up to 4,095 numbers of two bytes, and one more follows them, so that
            // four bytes can be loaded at each.
            let two = unsafe {
                _mm256_i32gather_epi32::<2>(curves.stretch.as_ptr().cast(), _mm256_srli_epi32::<20>(found))
            };
            #[expect(unsafe_code, reason = "a store through a pointer")]
            // SAFETY: the pointer is to 16 bytes that are borrowed mutably; the store is unaligned and writes
            // no others.
            unsafe {
                _mm_storeu_si128(odds.as_mut_ptr().cast(), _mm256_cvtepi32_epi16(two));
            }
            let (p, n_seen) =
                (_mm256_srli_epi32::<{ SEEN_BITS as i32 }>(found), _mm256_and_si256(found, seen_bits));
            let rates = _mm512_permutex2var_epi32(low, _mm512_castsi256_si512(n_seen), high);
            let way = _mm256_sub_epi32(_mm256_set1_epi32(CERTAIN & -i32::from(known.bit)), p);
            let rates = _mm512_cvtepi32_epi64(_mm512_castsi512_si256(rates));
            let steps = _mm512_srai_epi64::<16>(_mm512_mul_epi32(_mm512_cvtepi32_epi64(way), rates));
            let p = _mm256_add_epi32(p, _mm512_cvtepi64_epi32(steps));
            let n_seen = _mm256_min_epi32(_mm256_add_epi32(n_seen, one), most_seen);
            let mut after = [0u32; N_INPUTS];
            store(&mut after, _mm256_or_si256(_mm256_slli_epi32::<{ SEEN_BITS as i32 }>(p), n_seen));
            for (place, after) in places.into_iter().zip(after) {
                mixture.counters[place] = after;
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512vl,avx512bw")]
    pub(super) fn mix(
        mixture: &mut Mixture,
        curves: &Curves,
        bits: &[KnownBit],
        probabilities: &mut Vec<u32>,
    ) {
        let (most, least) = (_mm256_set1_epi32(MOST_WEIGHT), _mm256_set1_epi32(-MOST_WEIGHT));
        let half = _mm256_set1_epi32(1 << (RATE_BITS - 1));
        for (known, odds) in bits.iter().zip(&mixture.odds) {
            let set = usize::from(known.set);
            let Some(weights) = mixture.weights.get_mut(set) else {
                probabilities.push(known.slots[0].into());
                continue;
            };
            #[expect(unsafe_code, reason = "a load through a pointer")]
            // SAFETY: the pointer is to 16 bytes that are borrowed; the load is unaligned and reads no
            // others.
            let odds = _mm256_cvtepi16_epi32(unsafe { _mm_loadu_si128(odds.as_ptr().cast()) });
            let (score, score_weight) = (i32::from(known.score), &mut mixture.score_weights[set]);
            let all = load(weights);
            let products = _mm512_mul_epi32(_mm512_cvtepi32_epi64(all), _mm512_cvtepi32_epi64(odds));
            let sum = _mm512_reduce_add_epi64(products) + i64::from(*score_weight * score);
            let p = probability(curves, sum);
            probabilities.push(p);
            let miss = missed(p, known.bit);
            *score_weight = moved(*score_weight, score, miss);
            // The lower halves of the odds times the miss, the upper ones times nothing.
            let changes = _mm256_madd_epi16(odds, _mm256_set1_epi32(miss & 0xffff));
            let changes = _mm256_srai_epi32::<{ RATE_BITS as i32 }>(_mm256_add_epi32(changes, half));
            let moved = _mm256_min_epi32(_mm256_add_epi32(all, changes), most);
            store(weights, _mm256_max_epi32(moved, least));
        }
    }

    /// The vector of these numbers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn load<T: Number>(numbers: &[T; N_INPUTS]) -> __m256i {
        #[expect(unsafe_code, reason = "a load through a pointer")]
        // SAFETY: the pointer is to 32 bytes that are borrowed; the load is unaligned and reads no others.
        unsafe {
            _mm256_loadu_si256(numbers.as_ptr().cast())
        }
    }

    /// Writes a vector to these numbers.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn store<T: Number>(numbers: &mut [T; N_INPUTS], vector: __m256i) {
        #[expect(unsafe_code, reason = "a store through a pointer")]
        // SAFETY: the pointer is to 32 bytes that are borrowed mutably; the store is unaligned and writes no
        // others, and any bits are a number.
        unsafe {
            _mm256_storeu_si256(numbers.as_mut_ptr().cast(), vector);
        }
    }

    /// Numbers of 32 bits.
    trait Number {}
    impl Number for u32 {}
    impl Number for i32 {}
}
