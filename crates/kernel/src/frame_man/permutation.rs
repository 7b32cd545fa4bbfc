//! Permutes the bits of a word, and turns a row, as a symmetry of the board moves the men.
//!
//! A permutation moves each bit by a number of places, and a mirror of a board moves many bits by the same
//! number: one of the ranks all those of a rank. So a word is permuted by one shift for each different
//! number, and that is done to eight words at once. Half a turn moves every bit by a number of its own, but
//! it is the word backwards; a turn by a quarter is an exchange of files and ranks, and then a mirror. Of
//! these ways the one with the fewest shifts is taken.
//!
//! In a row words and bits change places alike: `row[x][y]` is `kept[σ(x)][σ(y)]`. It is made in parts of
//! eight words, so that a caller who needs a part of a row makes no more. Words of 128 bits are also
//! permuted by windows, for instructions that move bytes and bits.

use crate::word::is_full;
use crate::{Pack, Word};

/// A permutation of the bits of a word.
#[derive(Clone, Debug)]
pub enum LanePermutation<W> {
    /// Every bit stays.
    Identity,
    /// A symmetry of the 8×8 board, by swaps of groups of bits: transpose, then mirror files, then mirror
    /// ranks.
    Square8 {
        /// Exchange files and ranks.
        transpose: bool,
        /// Exchange left and right.
        mirror_files: bool,
        /// Exchange near and far.
        mirror_ranks: bool,
    },
    /// Any other.
    Stages {
        /// One after the other.
        stages: Vec<Stage<W>>,
        /// Windows of words of 128 bits, for processors that have instructions for them.
        windows: Option<Windows>,
    },
}

/// One stage of a permutation.
#[derive(Clone, Debug)]
pub enum Stage<W> {
    /// The whole word backwards.
    Reversal,
    /// By how much bits are moved up, and which, as they are before.
    Shifts(Vec<(i32, W)>),
}

impl<W: Word> LanePermutation<W> {
    /// The permutation that takes bit `i` to bit `map[i]`.
    ///
    /// Shape: `map` has a row of `n` distinct numbers below `n`, `n` at most the bits of a word.
    #[must_use]
    pub fn from_map(map: &[u8]) -> Self {
        assert!(map.len() <= W::BITS && map.iter().all(|&to| (to as usize) < map.len()));
        if map.iter().enumerate().all(|(i, &to)| i == to as usize) {
            return LanePermutation::Identity;
        }
        if map.len() == 64 && W::BITS == 64 {
            for bits in 0..8 {
                let candidate = LanePermutation::Square8 {
                    transpose: bits & 4 != 0,
                    mirror_files: bits & 1 != 0,
                    mirror_ranks: bits & 2 != 0,
                };
                let same =
                    |(i, &to): (usize, &u8)| permute_word(W::bit(i), &candidate) == W::bit(to as usize);
                if map.iter().enumerate().all(same) {
                    return candidate;
                }
            }
        }
        let n = map.len();
        let side = n.isqrt();
        let exchanged: Vec<usize> = (0..n).map(|i| i % side.max(1) * side + i / side.max(1)).collect();
        let (as_it_is, backwards): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (0..n).rev().collect());
        let mut first = vec![(Vec::new(), as_it_is), (vec![Stage::Reversal], backwards)];
        if side * side == n {
            first.push((vec![Stage::Shifts(shifts(&exchanged))], exchanged));
        }
        let ways = first.into_iter().map(|(mut stages, places)| {
            // Bits that the first stage moves to the upper end of the word have that much further to go.
            let surplus = if matches!(stages.first(), Some(Stage::Reversal)) { W::BITS - n } else { 0 };
            let mut rest = vec![0; n + surplus];
            (0..n).for_each(|i| rest[places[i] + surplus] = usize::from(map[i]));
            stages.push(Stage::Shifts(shifts_from(&rest, surplus)));
            stages
        });
        let n_shifts = |stages: &Vec<Stage<W>>| -> usize {
            let of = |stage: &Stage<W>| if let Stage::Shifts(shifts) = stage { shifts.len() } else { 1 };
            stages.iter().map(of).sum()
        };
        LanePermutation::Stages {
            stages: ways.min_by_key(n_shifts).unwrap_or_default(),
            windows: (W::HALVES == 2).then(|| Windows::new(map)),
        }
    }
}

/// The shifts that take bit `i` to bit `map[i]`.
fn shifts<W: Word>(map: &[usize]) -> Vec<(i32, W)> {
    shifts_from(map, 0)
}

/// Like `shifts`, for the bits from `first` on.
fn shifts_from<W: Word>(map: &[usize], first: usize) -> Vec<(i32, W)> {
    let mut shifts: Vec<(i32, W)> = Vec::new();
    for (from, &to) in map.iter().enumerate().skip(first) {
        let by = to as i32 - from as i32;
        match shifts.iter_mut().find(|(own, _)| *own == by) {
            Some((_, bits)) => *bits |= W::bit(from),
            None => shifts.push((by, W::bit(from))),
        }
    }
    shifts
}

/// A word with its bits permuted.
#[must_use]
#[inline(always)]
pub fn permute_word<W: Word>(word: W, permutation: &LanePermutation<W>) -> W {
    match permutation {
        LanePermutation::Identity => word,
        LanePermutation::Square8 { transpose, mirror_files, mirror_ranks } => {
            let mut word = word.half(0);
            if *transpose {
                word = transposed(word);
            }
            if *mirror_files {
                word = mirrored_bytes(word);
            }
            if *mirror_ranks {
                word = word.swap_bytes();
            }
            W::from_half(0, word)
        }
        LanePermutation::Stages { stages, .. } => staged(word, stages),
    }
}

/// Words permuted stage by stage.
#[inline(always)]
fn staged<P: Pack>(words: P, stages: &[Stage<P::Word>]) -> P {
    let mut words = words;
    for stage in stages {
        words = match stage {
            Stage::Reversal => words.reversed(),
            Stage::Shifts(shifts) => {
                let mut sum = P::splat(P::Word::ZERO);
                for &(by, bits) in shifts {
                    sum = sum.or(words.and(P::splat(bits)).moved(by));
                }
                sum
            }
        };
    }
    words
}

/// The bits of `word` that differ from those `by` places above, under `mask`, exchanged with them.
#[inline(always)]
fn exchanged(word: u64, by: u32, mask: u64) -> u64 {
    let differ = (word ^ (word >> by)) & mask;
    word ^ differ ^ (differ << by)
}

/// An 8×8 matrix of bits transposed: 1×1 squares within 2×2, 2×2 within 4×4, 4×4 within 8×8.
#[inline(always)]
fn transposed(word: u64) -> u64 {
    let word = exchanged(word, 7, 0x00AA_00AA_00AA_00AA);
    let word = exchanged(word, 14, 0x0000_CCCC_0000_CCCC);
    exchanged(word, 28, 0x0000_0000_F0F0_F0F0)
}

/// Every byte with its bits in reverse order.
#[inline(always)]
fn mirrored_bytes(word: u64) -> u64 {
    let word = (word >> 1 & 0x5555_5555_5555_5555) | (word & 0x5555_5555_5555_5555) << 1;
    let word = (word >> 2 & 0x3333_3333_3333_3333) | (word & 0x3333_3333_3333_3333) << 2;
    (word >> 4 & 0x0F0F_0F0F_0F0F_0F0F) | (word & 0x0F0F_0F0F_0F0F_0F0F) << 4
}

/// A symmetry undone: how to read a block as it stands, that is kept under the symmetry.
#[derive(Clone, Debug)]
pub struct Image<W> {
    /// Nothing changes place.
    pub is_identity: bool,
    /// For each row of a block the row that it is kept in.
    pub rows: Vec<u32>,
    /// For each word of a row the word that it is kept in: where the symmetry takes a square.
    pub words: Vec<u8>,
    /// What becomes of the bits.
    pub lane: LanePermutation<W>,
}

/// Words of a part of a row.
pub(crate) const PART_WORDS: usize = 8;

/// Parts of a row: all of them, or those whose bit is set, bit `i` that of words `8 × i` to `8 × i + 8`. The
/// words that make up no part are always taken.
#[derive(Clone, Copy)]
pub(crate) struct RowParts(Option<u32>);

impl RowParts {
    pub(crate) const ALL: RowParts = RowParts(None);

    /// Those in which a row has any bits.
    #[inline(always)]
    pub(crate) fn of<W: Word>(row: &[W]) -> RowParts {
        let mut parts = 0;
        for (part, words) in row.as_chunks::<PART_WORDS>().0.iter().enumerate() {
            let mut any = 0;
            W::halves(words).iter().for_each(|&half| any |= half);
            parts |= u32::from(any != 0) << part;
        }
        RowParts(Some(parts))
    }

    /// The numbers of those among the first `n`.
    #[inline(always)]
    pub(crate) fn among(self, n: usize) -> impl Iterator<Item = usize> {
        (0..n).filter(move |part| self.0.is_none_or(|parts| parts >> part & 1 == 1))
    }
}

/// `dst |= ` some parts of a row that is kept under a symmetry.
#[inline(always)]
pub(crate) fn add_image<W: Word>(dst: &mut [W], kept: &[W], image: &Image<W>, parts: RowParts) {
    assert!(dst.len() == kept.len() && dst.len() == image.words.len());
    let (eights, rest) = dst.as_chunks_mut::<PART_WORDS>();
    let places = image.words.as_chunks::<PART_WORDS>().0;
    let first = eights.len() * PART_WORDS;
    for part in parts.among(eights.len()) {
        let (dst, places) = (&mut eights[part], &places[part]);
        let mut words = [W::ZERO; PART_WORDS];
        for (word, &place) in words.iter_mut().zip(places) {
            *word = kept[place as usize];
        }
        // Much of what is found late holds nothing.
        if !is_full(&words) {
            continue;
        }
        // The flags are resolved outside the loop, so that each loop is straight line code.
        macro_rules! run {
            ($t:expr, $f:expr, $r:expr) => {{
                let fixed = LanePermutation::Square8 { transpose: $t, mirror_files: $f, mirror_ranks: $r };
                // A loop: what is handed to a function need not get the instructions of the kernel.
                for word in &mut words {
                    *word = permute_word(*word, &fixed);
                }
            }};
        }
        match &image.lane {
            LanePermutation::Identity => {}
            LanePermutation::Square8 { transpose, mirror_files, mirror_ranks } => {
                match (transpose, mirror_files, mirror_ranks) {
                    (false, false, false) => run!(false, false, false),
                    (false, true, false) => run!(false, true, false),
                    (false, false, true) => run!(false, false, true),
                    (false, true, true) => run!(false, true, true),
                    (true, false, false) => run!(true, false, false),
                    (true, true, false) => run!(true, true, false),
                    (true, false, true) => run!(true, false, true),
                    (true, true, true) => run!(true, true, true),
                }
            }
            LanePermutation::Stages { stages, .. } => words = W::unpack(staged(W::pack(&words), stages)),
        }
        for (dst, &word) in W::halves_mut(dst).iter_mut().zip(W::halves(&words)) {
            *dst |= word;
        }
    }
    for (dst, &place) in rest.iter_mut().zip(&image.words[first..]) {
        *dst |= permute_word(kept[place as usize], &image.lane);
    }
}

/// A permutation of the bits of a word of 128 bits, seen from where they go.
///
/// Seen from where they go, the bits of each byte come in *runs*: bits that stand side by side before and
/// after. A mirror of the ranks of a board of ten files makes two runs of most bytes:
///
/// ```text
///   byte 1 = bits 8…15   from   78 79 | 60 61 62 63 64 65   the last files of one rank, the first of another
/// ```
///
/// So a *round* brings to every byte eight bits side by side, of which those of one run are kept: bytes are
/// shuffled, so that each half of the word has the eight bytes that its runs are in, and each byte cuts its
/// window of eight bits out of them. There are as many rounds as a byte has runs, or a few more if those of
/// a half lie further apart. A mirror of the files turns runs round, so the word may be taken backwards
/// first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Windows {
    /// Whether the word is first taken backwards.
    pub(crate) is_reversed: bool,
    pub(crate) rounds: Vec<Round>,
}

/// One window for each byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Round {
    /// For each byte of the shuffled word the byte of the word that it is.
    pub(crate) bytes: [u8; BYTES],
    /// For each byte the bit of its half of the shuffled word that its window begins at; at the half's end
    /// it comes round.
    pub(crate) starts: [u8; BYTES],
    /// The bits that are kept.
    pub(crate) kept: u128,
}

const BYTES: usize = 16;
/// Bits of a half.
const HALF: usize = 64;

/// Bits that stand side by side, and that a window brings to a byte.
#[derive(Clone, Copy)]
struct Run {
    to: usize,
    from: usize,
    len: usize,
}

impl Windows {
    /// The windows of the permutation that takes bit `i` to bit `map[i]`, of at most 128 bits. Other bits
    /// are lost.
    pub(crate) fn new(map: &[u8]) -> Windows {
        let of = |is_reversed: bool| {
            let mut from = [None; 128];
            for (i, &to) in map.iter().enumerate() {
                from[usize::from(to)] = Some(if is_reversed { 127 - i } else { i });
            }
            let halves = [0, 1].map(|half| rounds_of(&from, half));
            let n_rounds = halves[0].len().max(halves[1].len());
            let mut rounds = vec![Round { bytes: [0; BYTES], starts: [0; BYTES], kept: 0 }; n_rounds];
            for (half, own) in halves.iter().enumerate() {
                for (round, (first_byte, runs)) in rounds.iter_mut().zip(own) {
                    round.add(half, *first_byte, runs);
                }
            }
            Windows { is_reversed, rounds }
        };
        let (plain, reversed) = (of(false), of(true));
        if plain.rounds.len() <= reversed.rounds.len() { plain } else { reversed }
    }
}

impl Round {
    /// Takes these runs into one half of the word, out of the eight bytes from `first_byte` on.
    fn add(&mut self, half: usize, first_byte: usize, runs: &[Run]) {
        (0..8).for_each(|i| self.bytes[half * 8 + i] = (first_byte + i) as u8);
        for run in runs {
            // The window begins so far before the run as the run begins after its byte.
            let start = run.from + 2 * HALF - first_byte * 8 - run.to % 8;
            self.starts[run.to / 8] = (start % HALF) as u8;
            self.kept |= ((1u128 << run.len) - 1) << run.to;
        }
    }
}

/// The runs of a half of the word, parted into rounds: of each the first of the eight bytes that it is taken
/// out of, and the runs, one for a byte at most.
fn rounds_of(from: &[Option<usize>; 128], half: usize) -> Vec<(usize, Vec<Run>)> {
    let mut runs: Vec<Run> = Vec::new();
    for to in half * HALF..(half + 1) * HALF {
        let Some(from) = from[to] else { continue };
        match runs.last_mut() {
            Some(run) if run.to / 8 == to / 8 && run.to + run.len == to && run.from + run.len == from => {
                run.len += 1;
            }
            _ => runs.push(Run { to, from, len: 1 }),
        }
    }
    let fits = |run: &Run, first: usize| run.from >= first * 8 && run.from + run.len <= first * 8 + HALF;
    let n_choices = |run: &Run| (0..=BYTES / 2).filter(|&first| fits(run, first)).count();
    let mut rounds = Vec::new();
    while !runs.is_empty() {
        // Of each byte the run that fits in the fewest places, so that those that are left fit in many.
        let choices = (0..=BYTES / 2).map(|first| {
            let mut chosen: Vec<Run> = Vec::new();
            for run in runs.iter().filter(|run| fits(run, first)) {
                match chosen.last_mut() {
                    Some(last) if last.to / 8 == run.to / 8 => {
                        if n_choices(run) < n_choices(last) {
                            *last = *run;
                        }
                    }
                    _ => chosen.push(*run),
                }
            }
            (first, chosen)
        });
        // Every run fits somewhere: eight bits touch two bytes at most.
        let best = choices.max_by_key(|(first, chosen)| (chosen.len(), std::cmp::Reverse(*first)));
        let (first, chosen) = best.expect("nine places");
        runs.retain(|run| chosen.iter().all(|other| other.to != run.to));
        rounds.push((first, chosen));
    }
    rounds
}
