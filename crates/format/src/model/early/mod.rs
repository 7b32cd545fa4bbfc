//! Decodes blocks of versions 5 and 6: none is packed so any more.
//!
//! They go the same way as those of today, with other contexts and other arithmetic: a counter is a
//! probability and not its odds, a run has one counter, and a literal is coded bit by bit.

mod counter;
mod literal;
mod mixer;

use super::Block;
use super::coder::Decoder;
use super::misses::{Misses, RunMisses};
use super::neighbour::{Neighbours, Surroundings};
use super::prior::Prior;
use super::run::{Repeat, Run};
use literal::LiteralPredictor;
use mixer::{Mixer, N_INPUTS};
use std::hint::select_unpredictable;

/// Which bit of a code it is: that it is the first guess, the second, or one of its own bits.
const FIRST: u32 = 1;
const SECOND: u32 = 2;
const OWN_BITS: u32 = 8;

/// The sets of weights: eight for the first guess, one for the second, one for each bit.
const SET_OF_SECOND: usize = 8;
const SET_OF_BITS: usize = 16;
const N_SETS: usize = SET_OF_BITS + u16::BITS as usize;

/// How many contexts of runs there are, each with a counter of its own.
const N_RUN_CONTEXTS: usize = 3 * 3 * 3 * 5 * 2;

/// The counters and weights of a block; the memory is used again for the next one.
pub(crate) struct EarlyModel {
    mixer: Mixer,
    /// By the place where a run begins.
    repeats: Vec<Repeat>,
    misses: Misses,
    /// What the squares add to the scores of a run.
    of_squares: Vec<i32>,
}

impl EarlyModel {
    pub(crate) fn new() -> Self {
        EarlyModel {
            mixer: Mixer::new(N_SETS, N_RUN_CONTEXTS),
            repeats: Vec::new(),
            misses: Misses::default(),
            of_squares: Vec::new(),
        }
    }

    /// The codes of a block, none of more than so many bits; `false` if the bytes are no block.
    #[must_use]
    pub(crate) fn decode(
        &mut self,
        Block { grid, start, predictor }: Block<'_>,
        bytes: &[u8],
        most_bits: u32,
        codes: &mut [u16],
    ) -> bool {
        let Some((n_bits, bytes)) = bits_of(bytes, most_bits) else { return false };
        let mut decoder = Decoder::new(bytes);
        self.mixer.clear();
        self.repeats.clear();
        self.repeats.resize(codes.len(), Repeat::Unknown);
        self.misses.clear(codes.len());
        let prior = predictor.map(|predictor| predictor.prior);
        let mut squares = predictor.map(|predictor| predictor.squares());
        for run in Run::all(grid, start, codes.len()) {
            if run.row > 0 {
                let is_repeated = self.decode_run(&run, codes, &mut decoder);
                self.repeats[run.start] = if is_repeated { Repeat::Yes } else { Repeat::No };
                if is_repeated {
                    run.repeat(codes);
                    continue;
                }
            }
            if let Some(squares) = &mut squares {
                self.of_squares.resize(run.len, 0);
                squares.of_run(start + run.start, &mut self.of_squares);
            }
            let mut misses = self.misses.around(&run);
            let (before, rest) = codes.split_at_mut(run.start);
            let (around, of_run) = (Surroundings::new(&run, before), &mut rest[..run.len]);
            for at in 0..run.len {
                let neighbours = Neighbours::new(&around, of_run, at);
                let place = (at, run.values_at(run.start + at));
                of_run[at] = self.decode_code(&neighbours, place, &mut misses, (prior, n_bits), &mut decoder);
            }
            self.misses.keep(&run, misses);
        }
        decoder.is_at_end()
    }

    /// Whether a run repeats the one a row before.
    fn decode_run(&mut self, run: &Run, codes: &[u16], decoder: &mut Decoder<'_>) -> bool {
        let repeat = |back: usize| if back > 0 { self.repeats[run.start - back] } else { Repeat::Unknown };
        let same = run.same_behind(codes);
        let context = run.context(codes, same, [run.rank, run.row, run.plane].map(repeat));
        self.mixer.decode_single(context, decoder)
    }

    /// A code so many places into its run, with these values on the levels.
    fn decode_code(
        &mut self,
        around: &Neighbours,
        (at, values): (usize, [u16; 3]),
        misses: &mut RunMisses,
        (prior, n_bits): (Option<&Prior>, u32),
        decoder: &mut Decoder<'_>,
    ) -> u16 {
        let missed = misses.around(at);
        let contexts = guess_contexts(around, values, missed);
        let (first, second) = around.guesses();
        let score = prior.map_or(0, |prior| prior.score(self.of_squares[at], around.alike(), missed, first));
        if self.mixer.decode(&contexts, (FIRST, around.nearest_alike(), score), decoder) {
            return first;
        }
        misses.note(at);
        if let Some(second) = second
            && self.mixer.decode(&contexts, (SECOND, SET_OF_SECOND, 0), decoder)
        {
            return second;
        }
        let predictor = prior.and_then(|_| LiteralPredictor::new(first, second, n_bits));
        self.decode_literal(&literal_contexts(around, values), predictor, n_bits, decoder)
    }

    /// A code that is neither guess: its lowest bit, which separates wins from losses, then the others from
    /// the highest on.
    fn decode_literal(
        &mut self,
        contexts: &[u32; N_INPUTS],
        predictor: Option<LiteralPredictor>,
        n_bits: u32,
        decoder: &mut Decoder<'_>,
    ) -> u16 {
        let (mut node, mut code) = (1, 0);
        // The codes that it can still be: those of this range that are as the lowest bit says.
        let (mut parity, mut start, mut end) = (0, 0, 1u32 << n_bits);
        let mut total = 0;
        for i in 0..n_bits {
            let (at, half) = ((n_bits - i) % n_bits, (start + end) / 2);
            let (mut sums, mut score) = ([0; 2], 0);
            if let Some(predictor) = &predictor {
                sums = match i {
                    0 => [0, 1].map(|parity| predictor.sum(parity, [start, end])),
                    _ => {
                        let zero = predictor.sum(parity, [start, half]);
                        [zero, total - zero]
                    }
                };
                score = LiteralPredictor::score(sums);
            }
            let bit =
                self.mixer.decode(contexts, (OWN_BITS + node, SET_OF_BITS + i as usize, score), decoder);
            total = select_unpredictable(bit, sums[1], sums[0]);
            if i == 0 {
                parity = u32::from(bit);
            } else {
                start = select_unpredictable(bit, half, start);
                end = select_unpredictable(bit, end, half);
            }
            node = node << 1 | u32::from(bit);
            code |= u16::from(bit) << at;
        }
        code
    }
}

/// How many bits a code of a block has, at most `most_bits`, and the bytes behind that number; `None` if they
/// are no block.
fn bits_of(bytes: &[u8], most_bits: u32) -> Option<(u32, &[u8])> {
    let (&n_bits, bytes) = bytes.split_first()?;
    (1..=most_bits).contains(&n_bits.into()).then_some((n_bits.into(), bytes))
}

/// The contexts that predict whether a guess is right.
fn guess_contexts(around: &Neighbours, [v0, v1, v2]: [u16; 3], misses: u16) -> [u32; N_INPUTS] {
    let Neighbours { a, b, c, d, e, ae, ce, first, .. } = *around;
    let alike = around.alike();
    [
        hash(0, alike, first, 0),
        hash(1, a, c, e),
        hash(2, first, b, d),
        hash(3, first, v0, v1),
        hash(4, first, v0, v2),
        hash(5, alike, misses, 0),
        hash(6, first, ae, ce),
        hash(7, first, v1, v2),
    ]
}

/// The contexts that predict the bits of a code that is neither guess.
fn literal_contexts(around: &Neighbours, [v0, v1, v2]: [u16; 3]) -> [u32; N_INPUTS] {
    let Neighbours { a, c, e, first, .. } = *around;
    let second = around.guesses().1.unwrap_or_default();
    [
        hash(8, 0, 0, 0),
        hash(9, first, 0, 0),
        hash(10, c, 0, 0),
        hash(11, a, 0, 0),
        hash(12, e, 0, 0),
        hash(13, v0, 0, 0),
        hash(14, first, second, 0),
        hash(15, v1, v2, 0),
    ]
}

/// The hash of a context: its kind and three numbers.
fn hash(kind: u64, u: u16, v: u16, t: u16) -> u32 {
    let all = kind << 48 | u64::from(t) << 32 | u64::from(v) << 16 | u64::from(u);
    (all.wrapping_mul(0x9fb2_1c65_1e98_df25) >> 32) as u32
}
