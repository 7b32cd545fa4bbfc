//! Packs blocks of codes by context mixing: small, and slow beside what Zstandard does.
//!
//! A code is most often that of a placement next to it, with one man one square away. So a block has of each
//! code whether it is the likeliest of its neighbours (the first guess), then whether it is another one (the
//! second guess), and only if not, the answers that lead to it in a tree (a literal). Counters of bits in
//! several contexts, made of the code's neighbours, say how likely each answer is; a mixer adds them up, and
//! a range coder makes bytes of that. Where a run of codes (a rank of the innermost man's squares) repeats
//! the run a row before, one bit says so for all.
//!
//! ```text
//!   Run ─ Neighbours ─ contexts ─► Counter ×8 ─► Mixer ─► coder ─► bytes
//!            guesses ─ GuessPredictor ── score ──┤
//!            literal ─── LiteralTree ── score ───┘
//! ```
//!
//! A reader goes the very same way, and its counters and weights learn the same from what it has read. They
//! are cleared before each block. But a writer trains a [`LiteralTree`] on [`Sample`]s of a side to move, and
//! a [`Prior`] where that pays; both stand in the file.
//!
//! Unit of work: a block. Must not know what a code means.

mod coder;
mod context;
mod mixer;
mod prior;
#[cfg(feature = "parallel")]
mod training;
mod tree;

pub(crate) use prior::{GuessPredictor, Prior, TileMen};
#[cfg(feature = "parallel")]
pub(crate) use training::Sample;
pub(crate) use tree::LiteralTree;

#[cfg(feature = "parallel")]
use crate::model::coder::Recorder;
use crate::tile::Grid;
use coder::{Bits, Decoder};
use context::{Misses, Neighbours, Repeat, Run, RunMisses, Surroundings, ValueParts};
use mixer::{Contexts, Mixer};
use tree::Next;

/// The sets of weights: eight for the first guess, one for the second, one for runs, and one for each
/// question of a literal, as far from the root as that.
const SET_OF_SECOND: usize = 8;
const SET_OF_RUNS: usize = 9;
const SET_OF_LITERALS: usize = 10;
const N_LITERAL_SETS: usize = 16;
const N_SETS: usize = SET_OF_LITERALS + N_LITERAL_SETS;

/// The nodes of the first guess and of the second, which have the same contexts.
const FIRST: u16 = 0;
const SECOND: u16 = 1;

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
    misses: Misses,
    /// What the squares add to the scores of a run.
    of_squares: Vec<i32>,
    #[cfg(feature = "parallel")]
    recorder: Recorder,
}

/// What all codes of a block have in common.
struct Side<'a> {
    prior: Option<&'a Prior>,
    tree: &'a LiteralTree,
    /// The bits of a code that the tree does not have.
    n_bits: u32,
}

impl Model {
    /// The memory that its counters take, which is nearly all of it.
    ///
    /// Units: bytes.
    #[cfg(feature = "parallel")]
    pub(crate) const BYTES: usize = Mixer::COUNTER_BYTES;

    pub(crate) fn new() -> Self {
        Model {
            mixer: Mixer::new(N_SETS),
            repeats: Vec::new(),
            misses: Misses::default(),
            of_squares: Vec::new(),
            #[cfg(feature = "parallel")]
            recorder: Recorder::default(),
        }
    }

    /// Puts a block behind `bytes`, whose codes have this many bits. Codes that are 0 may be anything, and
    /// become what takes the least room.
    #[cfg(feature = "parallel")]
    pub(crate) fn encode(
        &mut self,
        block: Block<'_>,
        tree: &LiteralTree,
        n_bits: u32,
        codes: &mut [u16],
        bytes: &mut Vec<u8>,
    ) {
        let mut recorder = std::mem::take(&mut self.recorder);
        recorder.begin();
        self.pass(block, tree, n_bits, codes, &mut recorder);
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

    /// The codes of a block, of this many bits; `false` if the bytes are no block.
    #[must_use]
    pub(crate) fn decode(
        &mut self,
        block: Block<'_>,
        tree: &LiteralTree,
        n_bits: u32,
        bytes: &[u8],
        codes: &mut [u16],
    ) -> bool {
        let mut decoder = Decoder::new(bytes);
        self.pass(block, tree, n_bits, codes, &mut decoder);
        decoder.is_at_end()
    }

    /// Passes a block through a recorder or a decoder.
    fn pass<B: Bits>(
        &mut self,
        Block { grid, start, predictor }: Block<'_>,
        tree: &LiteralTree,
        n_bits: u32,
        codes: &mut [u16],
        bits: &mut B,
    ) {
        self.mixer.clear();
        self.repeats.clear();
        self.repeats.resize(codes.len(), Repeat::Unknown);
        self.misses.clear(codes.len());
        let side = Side { prior: predictor.map(|predictor| predictor.prior), tree, n_bits };
        let mut squares = predictor.map(|predictor| predictor.squares());
        for run in Run::all(grid, start, codes.len()) {
            if run.row > 0 {
                let is_repeated = self.pass_run(&run, codes, bits);
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
                let values = run.value_parts(at);
                of_run[at] = self.pass_code(&neighbours, (at, values), &side, &mut misses, of_run[at], bits);
            }
            self.misses.keep(&run, misses);
        }
    }

    /// Whether a run repeats the one a row before.
    fn pass_run<B: Bits>(&mut self, run: &Run, codes: &[u16], bits: &mut B) -> bool {
        let above = run.start - run.row;
        let is_repeated = B::WRITES
            && (0..run.len).all(|i| codes[run.start + i] == 0 || codes[run.start + i] == codes[above + i]);
        let repeat = |back: usize| if back > 0 { self.repeats[run.start - back] } else { Repeat::Unknown };
        let contexts = run.contexts(codes, &self.misses, [run.rank, run.row, run.plane].map(repeat));
        self.mixer.pass(contexts, (0, SET_OF_RUNS, 0), is_repeated, bits)
    }

    /// A code this many places into its run.
    #[inline(always)]
    fn pass_code<B: Bits>(
        &mut self,
        around: &Neighbours,
        (at, values): (usize, ValueParts),
        side: &Side<'_>,
        misses: &mut RunMisses,
        code: u16,
        bits: &mut B,
    ) -> u16 {
        let ((first, second), alike) = (around.guesses(), around.alike());
        let (second_or_none, missed) = (second.unwrap_or_default(), misses.around(at));
        let contexts = around.guess_contexts(values, (second_or_none, alike, missed));
        let score = side.prior.map_or(0, |prior| prior.score(self.of_squares[at], alike, missed, first));
        let code = if B::WRITES && code == 0 { first } else { code };
        let mixer = &mut self.mixer;
        if mixer.pass(contexts, (FIRST, around.nearest_alike(), score), code == first, bits) {
            return first;
        }
        misses.note(at);
        if let Some(second) = second
            && mixer.pass(contexts, (SECOND, SET_OF_SECOND, 0), code == second, bits)
        {
            return second;
        }
        let guess = if side.tree.is_decided(first) { first } else { second_or_none };
        let contexts = around.literal_contexts(values, (second_or_none, alike));
        self.pass_literal(contexts, guess, side, code, bits)
    }

    /// A code that is neither guess.
    #[inline(always)]
    fn pass_literal<B: Bits>(
        &mut self,
        contexts: Contexts,
        guess: u16,
        &Side { tree, n_bits, .. }: &Side<'_>,
        code: u16,
        bits: &mut B,
    ) -> u16 {
        let (scores, place) = (tree.scores(guess), tree.place(code));
        let (mut at, mut n_passed) = (0, 0);
        loop {
            let node = tree.node(at);
            let set = SET_OF_LITERALS + n_passed.min(N_LITERAL_SETS - 1);
            let score = i32::from(scores[usize::from(at)]);
            let is_behind = self.mixer.pass(contexts, (at, set, score), place >= node.split, bits);
            n_passed += 1;
            match node.next[usize::from(is_behind)] {
                Next::Node(next) => at = next,
                Next::Code(code) => return code,
                Next::Another => return pass_bits(code, n_bits, bits),
            }
        }
    }
}

/// A code bit by bit, the highest first, of which nothing is known.
#[cold]
fn pass_bits<B: Bits>(code: u16, n_bits: u32, bits: &mut B) -> u16 {
    let bit = |at: u32| bits.pass(code >> at & 1 == 1, 1 << (coder::PROBABILITY_BITS - 1));
    (0..n_bits).rev().map(bit).fold(0, |code, bit| code << 1 | u16::from(bit))
}

#[cfg(test)]
mod tests;
