//! Parts a permutation of the bits of a word of 128 bits into windows, for instructions that move bytes and
//! bits.
//!
//! Seen from where they go, the bits of each byte come in *runs*: bits that stand side by side before and
//! after. A mirror of the ranks of a board of ten files makes two runs of most bytes:
//!
//! ```text
//!   byte 1 = bits 8…15   from   78 79 | 60 61 62 63 64 65   the last files of one rank, the first of another
//! ```
//!
//! So a *round* brings to every byte eight bits side by side, of which those of one run are kept: bytes are
//! shuffled, so that each half of the word has the eight bytes that its runs are in, and each byte cuts its
//! window of eight bits out of them. There are as many rounds as a byte has runs, or a few more if those of a
//! half lie further apart. A mirror of the files turns runs round, so the word may be taken backwards first.

/// A permutation of the bits of a word of 128 bits, seen from where they go.
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
    /// For each byte the bit of its half of the shuffled word that its window begins at; at the half's end it
    /// comes round.
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
    /// The windows of the permutation that takes bit `i` to bit `map[i]`, of at most 128 bits. Other bits are
    /// lost.
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
