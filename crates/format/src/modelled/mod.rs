//! Blocks of codes as bits with probabilities: small, and slow beside what Zstandard does.
//!
//! A code is most often that of a placement next to it, with one man one square away. So what is written of a
//! code is whether it is the likeliest of its neighbours, then whether it is another one, and only if not,
//! the code itself, bit by bit. What stands around it says how likely each answer is ([`Mixture`],
//! [`Surroundings`]), and a range coder makes bytes of that. Where a run of codes (a rank of the fastest
//! man's squares) is the run a row before, one bit says so for all.
//!
//! A reader goes the very same way, and learns the same from what it has read. A block knows nothing of
//! others, but of what a [`Lesson`] has found out about the squares of the men, once for a side to move
//! ([`Learned`]).
//!
//! Unit of work: a block. Must not know what a code means.

mod coder;
mod grid;
mod learned;
mod lesson;
mod mixture;
mod nearness;
mod outlook;
mod surroundings;

pub(crate) use grid::Grid;
pub(crate) use learned::Learned;
pub(crate) use lesson::Lesson;
pub(crate) use outlook::{Men, Outlook};

use coder::{Bits, Decoder, Encoder};
use mixture::{Mixture, N_INPUTS};
use nearness::Nearness;
use surroundings::{Run, Surroundings};

/// Which bit of a code it is: that it is the first guess, the second, or one of its own bits.
const FIRST: u32 = 1;
const SECOND: u32 = 2;
const OWN_BITS: u32 = 8;

/// The sets of weights: eight for the first guess, one for the second, one for each bit.
const SET_OF_SECOND: usize = 8;
const SET_OF_BITS: usize = 16;
const N_SETS: usize = SET_OF_BITS + u16::BITS as usize;

/// How the codes of a tile stand to each other, and what has been learned of them, if anything has.
pub(crate) type Scene<'a> = (&'a Grid, Option<Outlook<'a>>);

/// What is known of a run.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Known {
    Other,
    Repeated,
    Nothing,
}

/// What a coder has learned of a block; the memory is used again for the next one.
pub(crate) struct Model {
    mixture: Mixture,
    /// By the place where a run begins.
    runs: Vec<Known>,
    /// Whether the first guess was wrong, by place.
    misses: Vec<bool>,
    /// What the squares add to the scores of a run.
    of_squares: Vec<i32>,
}

impl Model {
    pub(crate) fn new() -> Self {
        Model {
            mixture: Mixture::new(N_SETS, Run::N_KINDS),
            runs: Vec::new(),
            misses: Vec::new(),
            of_squares: Vec::new(),
        }
    }

    /// Puts a block behind `bytes`; its first code has this place in a tile with this grid. Codes that are 0
    /// may be anything, and become what takes the least room.
    pub(crate) fn encode(
        &mut self,
        (grid, outlook): Scene<'_>,
        start: usize,
        codes: &mut [u16],
        bytes: &mut Vec<u8>,
    ) {
        let most = codes.iter().copied().max().unwrap_or_default().max(1);
        let n_bits = u16::BITS - most.leading_zeros();
        bytes.push(n_bits as u8);
        let mut encoder = Encoder::new(bytes);
        self.pass((grid, outlook), start, codes, n_bits, &mut encoder);
        encoder.finish();
    }

    /// The codes of a block, none of more than so many bits; `false` if the bytes are no block.
    #[must_use]
    pub(crate) fn decode(
        &mut self,
        scene: Scene<'_>,
        start: usize,
        bytes: &[u8],
        most_bits: u32,
        codes: &mut [u16],
    ) -> bool {
        let Some((&n_bits, bytes)) = bytes.split_first() else { return false };
        if !(1..=most_bits).contains(&n_bits.into()) {
            return false;
        }
        let mut decoder = Decoder::new(bytes);
        self.pass(scene, start, codes, n_bits.into(), &mut decoder);
        decoder.is_at_end()
    }

    /// Goes through a block, writing or reading.
    fn pass<B: Bits>(
        &mut self,
        (grid, outlook): Scene<'_>,
        start: usize,
        codes: &mut [u16],
        n_bits: u32,
        bits: &mut B,
    ) {
        self.mixture.clear();
        self.runs.clear();
        self.runs.resize(codes.len(), Known::Nothing);
        self.misses.clear();
        self.misses.resize(codes.len(), false);
        let mut next = 0;
        while next < codes.len() {
            let run = Run::new(grid, start, next, codes.len());
            next += run.len;
            if run.row > 0 {
                let is_repeated = self.pass_run(&run, codes, bits);
                self.runs[run.start] = if is_repeated { Known::Repeated } else { Known::Other };
                if is_repeated {
                    codes.copy_within(run.start - run.row..run.start - run.row + run.len, run.start);
                    continue;
                }
            }
            if let Some(outlook) = outlook {
                self.of_squares.resize(run.len, 0);
                outlook.of_run(start + run.start, &mut self.of_squares);
            }
            let learned = outlook.map(|outlook| outlook.learned);
            for place in run.start..next {
                self.pass_code(&run, place, learned, codes, n_bits, bits);
            }
        }
    }

    /// Whether a run is the one a row before.
    fn pass_run<B: Bits>(&mut self, run: &Run, codes: &[u16], bits: &mut B) -> bool {
        let above = run.start - run.row;
        let is_repeated = B::WRITES
            && (0..run.len).all(|i| codes[run.start + i] == 0 || codes[run.start + i] == codes[above + i]);
        let known = |back: usize| if back > 0 { self.runs[run.start - back] } else { Known::Nothing };
        let kind =
            run.kind(codes, [known(run.rank), known(run.row), known(run.plane)].map(|known| known as usize));
        self.mixture.pass_single(kind, is_repeated, bits)
    }

    #[inline]
    fn pass_code<B: Bits>(
        &mut self,
        run: &Run,
        place: usize,
        learned: Option<&Learned>,
        codes: &mut [u16],
        n_bits: u32,
        bits: &mut B,
    ) {
        let around = Surroundings::new(run, place, codes);
        let misses = run.misses_around(place, &self.misses);
        let circumstances = around.of_guesses(run, place, misses);
        let (first, second) = around.guesses();
        let score = learned.map_or(0, |learned| {
            learned.score(self.of_squares[place - run.start], around.alike(), misses, first)
        });
        if B::WRITES && codes[place] == 0 {
            codes[place] = first;
        }
        let code = codes[place];
        let mixture = &mut self.mixture;
        if mixture.pass(&circumstances, (FIRST, around.n_alike(), score), code == first, bits) {
            codes[place] = first;
            return;
        }
        self.misses[place] = true;
        if let Some(second) = second
            && mixture.pass(&circumstances, (SECOND, SET_OF_SECOND, 0), code == second, bits)
        {
            codes[place] = second;
            return;
        }
        let near = learned.and_then(|_| Nearness::new(first, second, n_bits));
        codes[place] = self.pass_bits(&around.of_bits(run, place), near, code, n_bits, bits);
    }

    /// A code that could not be guessed: its lowest bit, which tells who wins, then the others from the
    /// highest on.
    fn pass_bits<B: Bits>(
        &mut self,
        circumstances: &[u32; N_INPUTS],
        near: Option<Nearness>,
        code: u16,
        n_bits: u32,
        bits: &mut B,
    ) -> u16 {
        let (mut node, mut passed) = (1, 0);
        // The codes that it can still be: those of this range that are as the lowest bit says.
        let (mut parity, [mut start, mut end]) = (0, [0, 1u32 << n_bits]);
        for i in 0..n_bits {
            let at = (n_bits - i) % n_bits;
            let half = (start + end) / 2;
            let score = near.map_or(0, |near| match i {
                0 => near.score((0, [start, end]), (1, [start, end])),
                _ => near.score((parity, [start, half]), (parity, [half, end])),
            });
            let (set, bit) = (SET_OF_BITS + i as usize, code >> at & 1 == 1);
            let bit = self.mixture.pass(circumstances, (OWN_BITS + node, set, score), bit, bits);
            match (i, bit) {
                (0, _) => parity = u32::from(bit),
                (_, false) => end = half,
                (_, true) => start = half,
            }
            node = node << 1 | u32::from(bit);
            passed |= u16::from(bit) << at;
        }
        passed
    }
}

#[cfg(test)]
mod tests;
