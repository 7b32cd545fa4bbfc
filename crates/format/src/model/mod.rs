//! Packs blocks of codes by context mixing: small, and slow beside what Zstandard does.
//!
//! A code is most often that of a placement next to it, with one man one square away. So a block has of each
//! code whether it is the likeliest of its neighbours (the first guess), then whether it is another one (the
//! second guess), and only if not, the code itself, bit by bit (a literal). Counters of bits in several
//! contexts, made of the code's neighbours, say how likely each answer is; a mixer adds them up, and a range
//! coder makes bytes of that. Where a run of codes (a rank of the innermost man's squares) repeats the run a
//! row before, one bit says so for all.
//!
//! ```text
//!   Run ─ Neighbours ─ contexts ─► Counter ×8 ─► Mixer ─► coder ─► bytes
//!            guesses ─ GuessPredictor ── score ──┤
//!            literal ─ LiteralPredictor ─ score ─┘
//! ```
//!
//! A reader goes the very same way, and its counters and weights learn the same from what it has read. They
//! are cleared before each block; but a writer may train a [`Prior`] on a [`Sample`] of a side to move, whose
//! weights for the squares of the men stand in the file.
//!
//! Unit of work: a block. Must not know what a code means.

mod coder;
mod counter;
#[cfg(feature = "parallel")]
mod encoder;
mod guess;
mod literal;
mod logistic;
mod mixer;
mod neighbour;
mod prior;
mod run;
#[cfg(feature = "parallel")]
mod training;

pub(crate) use guess::{GuessPredictor, TileMen};
pub(crate) use prior::Prior;
#[cfg(feature = "parallel")]
pub(crate) use training::Sample;

use crate::tile::grid::Grid;
use coder::{Bits, Decoder};
#[cfg(feature = "parallel")]
use encoder::Recorder;
use kernel::N_INPUTS;
use literal::LiteralPredictor;
use mixer::Mixer;
use neighbour::Neighbours;
use run::{Repeat, Run};
use std::hint::select_unpredictable;

/// Which bit of a code it is: that it is the first guess, the second, or one of its own bits.
const FIRST: u32 = 1;
const SECOND: u32 = 2;
const OWN_BITS: u32 = 8;

/// The sets of weights: eight for the first guess, one for the second, one for each bit.
const SET_OF_SECOND: usize = 8;
const SET_OF_BITS: usize = 16;
const N_SETS: usize = SET_OF_BITS + u16::BITS as usize;

/// Where a block stands: the grid of its tile, the place of its first code there, and the predictor of the
/// tile's guesses if the side has a prior.
#[derive(Clone, Copy)]
pub(crate) struct Block<'a> {
    pub(crate) grid: &'a Grid,
    pub(crate) start: usize,
    pub(crate) predictor: Option<GuessPredictor<'a>>,
}

/// The counters and weights of a block; the memory is used again for the next one.
pub(crate) struct Model {
    mixer: Mixer,
    /// By the place where a run begins.
    repeats: Vec<Repeat>,
    /// Whether the first guess was wrong, by place.
    misses: Vec<bool>,
    /// What the squares add to the scores of a run.
    of_squares: Vec<i32>,
    #[cfg(feature = "parallel")]
    recorder: Recorder,
}

impl Model {
    /// The memory that its counters take, which is nearly all of it.
    ///
    /// Units: bytes.
    #[cfg(feature = "parallel")]
    pub(crate) const BYTES: usize = Mixer::COUNTER_BYTES;

    pub(crate) fn new() -> Self {
        Model {
            mixer: Mixer::new(N_SETS, Run::N_CONTEXTS),
            repeats: Vec::new(),
            misses: Vec::new(),
            of_squares: Vec::new(),
            #[cfg(feature = "parallel")]
            recorder: Recorder::default(),
        }
    }

    /// Puts a block behind `bytes`. Codes that are 0 may be anything, and become what takes the least room.
    #[cfg(feature = "parallel")]
    pub(crate) fn encode(&mut self, block: Block<'_>, codes: &mut [u16], bytes: &mut Vec<u8>) {
        let most = codes.iter().copied().max().unwrap_or_default().max(1);
        let n_bits = u16::BITS - most.leading_zeros();
        let mut recorder = std::mem::take(&mut self.recorder);
        recorder.begin(n_bits);
        self.pass(block, codes, n_bits, &mut recorder);
        recorder.write(bytes);
        self.recorder = recorder;
    }

    /// Whether these are the bytes of the block that was encoded last.
    ///
    /// The bits are decoded with the probabilities that they were encoded with, so this finds what is wrong
    /// with the bytes. That a reader's model has the same probabilities is for [`Model::decode`] to find.
    #[cfg(feature = "parallel")]
    #[must_use]
    pub(crate) fn has_written(&self, bytes: &[u8]) -> bool {
        self.recorder.is_in(bytes)
    }

    /// The codes of a block, none of more than so many bits; `false` if the bytes are no block.
    #[must_use]
    pub(crate) fn decode(
        &mut self,
        block: Block<'_>,
        bytes: &[u8],
        most_bits: u32,
        codes: &mut [u16],
    ) -> bool {
        let Some((n_bits, bytes)) = bits_of(bytes, most_bits) else { return false };
        let mut decoder = Decoder::new(bytes);
        self.pass(block, codes, n_bits, &mut decoder);
        decoder.is_at_end()
    }

    /// Passes a block through a recorder or a decoder.
    fn pass<B: Bits>(
        &mut self,
        Block { grid, start, predictor }: Block<'_>,
        codes: &mut [u16],
        n_bits: u32,
        bits: &mut B,
    ) {
        self.mixer.clear();
        self.repeats.clear();
        self.repeats.resize(codes.len(), Repeat::Unknown);
        self.misses.clear();
        self.misses.resize(codes.len(), false);
        let mut next = 0;
        while next < codes.len() {
            let run = Run::new(grid, start, next, codes.len());
            next += run.len;
            if run.row > 0 {
                let is_repeated = self.pass_run(&run, codes, bits);
                self.repeats[run.start] = if is_repeated { Repeat::Yes } else { Repeat::No };
                if is_repeated {
                    codes.copy_within(run.start - run.row..run.start - run.row + run.len, run.start);
                    continue;
                }
            }
            if let Some(predictor) = predictor {
                self.of_squares.resize(run.len, 0);
                predictor.of_run(start + run.start, &mut self.of_squares);
            }
            let prior = predictor.map(|predictor| predictor.prior);
            for place in run.start..next {
                self.pass_code(&run, place, prior, codes, n_bits, bits);
            }
        }
        self.mixer.flush(bits);
    }

    /// Whether a run repeats the one a row before.
    fn pass_run<B: Bits>(&mut self, run: &Run, codes: &[u16], bits: &mut B) -> bool {
        let above = run.start - run.row;
        let is_repeated = B::WRITES
            && (0..run.len).all(|i| codes[run.start + i] == 0 || codes[run.start + i] == codes[above + i]);
        let repeat = |back: usize| if back > 0 { self.repeats[run.start - back] } else { Repeat::Unknown };
        let context = run.context(codes, [run.rank, run.row, run.plane].map(repeat));
        self.mixer.pass_single(context, is_repeated, bits)
    }

    #[inline]
    fn pass_code<B: Bits>(
        &mut self,
        run: &Run,
        place: usize,
        prior: Option<&Prior>,
        codes: &mut [u16],
        n_bits: u32,
        bits: &mut B,
    ) {
        let around = Neighbours::new(run, place, codes);
        let misses = run.misses_around(place, &self.misses);
        let contexts = around.guess_contexts(run, place, misses);
        let (first, second) = around.guesses();
        let score = prior.map_or(0, |prior| {
            prior.score(self.of_squares[place - run.start], around.alike(), misses, first)
        });
        if B::WRITES && codes[place] == 0 {
            codes[place] = first;
        }
        let code = codes[place];
        let mixer = &mut self.mixer;
        if mixer.pass(&contexts, (FIRST, around.nearest_alike(), score), code == first, bits) {
            codes[place] = first;
            return;
        }
        self.misses[place] = true;
        if let Some(second) = second
            && mixer.pass(&contexts, (SECOND, SET_OF_SECOND, 0), code == second, bits)
        {
            codes[place] = second;
            return;
        }
        let predictor = prior.and_then(|_| LiteralPredictor::new(first, second, n_bits));
        let contexts = around.literal_contexts(run, place);
        codes[place] = self.pass_literal(&contexts, predictor, code, n_bits, bits);
    }

    /// A code that is neither guess: its lowest bit, which separates wins from losses, then the others from
    /// the highest on.
    fn pass_literal<B: Bits>(
        &mut self,
        contexts: &[u32; N_INPUTS],
        predictor: Option<LiteralPredictor>,
        code: u16,
        n_bits: u32,
        bits: &mut B,
    ) -> u16 {
        let (mut node, mut passed) = (1, 0);
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
            let (set, bit) = (SET_OF_BITS + i as usize, code >> at & 1 == 1);
            let bit = self.mixer.pass(contexts, (OWN_BITS + node, set, score), bit, bits);
            total = select_unpredictable(bit, sums[1], sums[0]);
            if i == 0 {
                parity = u32::from(bit);
            } else {
                start = select_unpredictable(bit, half, start);
                end = select_unpredictable(bit, end, half);
            }
            node = node << 1 | u32::from(bit);
            passed |= u16::from(bit) << at;
        }
        passed
    }
}

/// How many bits a code of a block has, at most `most_bits`, and the bytes behind that number; `None` if they
/// are no block.
fn bits_of(bytes: &[u8], most_bits: u32) -> Option<(u32, &[u8])> {
    let (&n_bits, bytes) = bytes.split_first()?;
    (1..=most_bits).contains(&n_bits.into()).then_some((n_bits.into(), bytes))
}

#[cfg(test)]
mod tests;
