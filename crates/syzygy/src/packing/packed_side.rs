//! Packs one side of a sub-table: symbols, their codes, blocks of these, and the index that leads to a block.
//!
//! ```text
//!   values ─ grammar ─► text of symbols ─ codes ─► bits, cut into blocks of 2^k bytes; no code lies in two
//!                                                  length of every block in values; a place every 2^m values
//! ```

use super::LEAF;
use super::grammar::{Grammar, Symbol, Worth};
use super::parse::{prices, read_whole, reread};
use super::run::{ANY, N_WDL, Place, PlaceText, Searches};
use crate::material::SINGLE;
use crate::packing::grammar::code_lengths;
use std::borrow::Cow;
use std::ops::RangeInclusive;
use table::threads;

/// The most values of a block.
const MAX_BLOCK_VALUES: usize = 1 << 16;

/// Pairs that occur less often than this do not pay for the three bytes of their symbol. In a short text one
/// that is left out later has kept a better one away.
const LEAST_COUNT: u32 = 5;
const LEAST_COUNT_SHORT: u32 = 8;

/// A text of no more values is a short one.
const SHORT: usize = 1 << 17;

/// Of a sample rarer pairs may pay: in all of the text they are more frequent.
const LEAST_COUNT_SAMPLED: u32 = 4;

/// Runs that occur less often are left to the pairs.
const LEAST_RUNS: u64 = 64;

/// How often symbols are chosen anew for the text that was read in those before. A second time takes an
/// eighth of the whole work and saves less than a thousandth.
const N_LEARNINGS: usize = 1;

/// In how many stretches values stand from which symbols are learnt.
const N_STRETCHES: usize = 32;

/// Of more values than this packing is a matter of seconds, so that they are searched less thoroughly.
const MANY: usize = 1 << 23;

/// Samples of more values than this are of large tables.
const MANY_SAMPLED: usize = 1 << 19;

/// How many values are looked at in turn for one that will do everywhere.
const STRETCH: usize = 1 << 16;

/// How much work is put into packing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// As much as it takes to compare.
    Sample,
    /// All.
    Whole,
}

/// One side of one sub-table.
pub(crate) enum Packed {
    /// One value throughout.
    Single(u8),
    /// Many.
    Blocks(Blocks),
}

pub(crate) struct Blocks {
    block_bits: u8,
    span_bits: u8,
    padding: u8,
    lengths: CodeLengths,
    symbols: Vec<Symbol>,
    /// The number of values of each block less one, the padding included.
    pub(crate) n_values: Vec<u16>,
    /// Where each span of values is: block and offset.
    pub(crate) places: Vec<(u32, u16)>,
    pub(crate) data: Vec<u8>,
}

/// The codes as the header has them.
#[derive(Clone)]
struct CodeLengths {
    min_bits: u8,
    max_bits: u8,
    /// The lowest symbol of each length, from the shortest.
    lowest: Vec<u16>,
}

/// Values ready to be cut into blocks.
struct Text {
    symbols: Vec<Symbol>,
    /// For each symbol the length of its code and the code.
    codes: Vec<(u8, u32)>,
    lengths: CodeLengths,
    text: Vec<u16>,
}

impl Packed {
    /// Packs sets of WDL values, a bit each, in blocks of 2^k bytes, k one of `block_bits`.
    pub(crate) fn of_sets(sets: &dyn PlaceText<u8>, block_bits: RangeInclusive<u8>, effort: Effort) -> Self {
        match common(sets) {
            0 => Packed::of_leaves(sets, N_WDL, block_bits, effort),
            common => Packed::Single(common.trailing_zeros() as u8),
        }
    }

    /// Packs what may stand in slots, of this many leaves.
    pub(crate) fn of_leaves<S: Place>(
        slots: &dyn PlaceText<S>,
        n_leaves: usize,
        block_bits: RangeInclusive<u8>,
        effort: Effort,
    ) -> Self {
        let n_values = slots.n_places();
        let grammar = |&worth: &Worth| match effort {
            Effort::Sample => first_grammar(&slots.read(0..n_values), n_leaves, least_count(n_values), worth),
            Effort::Whole => best_grammar(slots, n_leaves, worth),
        };
        let texts: Vec<Text> = worths(n_values, effort).iter().map(grammar).map(Text::new).collect();
        // Samples are compared with each other, so one size of blocks will do.
        let first = if effort == Effort::Whole { *block_bits.start() } else { *block_bits.end() };
        let sizes = first..=*block_bits.end();
        let of_text = |text| sizes.clone().map(move |bits| Blocks::new(text, n_values, bits));
        let best = texts.iter().flat_map(of_text).min_by_key(Blocks::size_bytes);
        Packed::Blocks(best.unwrap_or_else(|| Blocks::new(&texts[0], n_values, 6)))
    }

    /// What this many values would take, of which these are a sample.
    pub(crate) fn size_bytes_of(&self, n_values: u64, n_sampled: u64) -> u64 {
        match self {
            Packed::Single(_) => 2,
            Packed::Blocks(blocks) => {
                // Symbols are as many as of all values; what they are worth is not.
                let header = blocks.header(0).len();
                header as u64 + (blocks.size_bytes() - header) as u64 * n_values / n_sampled.max(1)
            }
        }
    }

    /// The blocks, if there are many values.
    pub(crate) fn blocks(&self) -> Option<&Blocks> {
        match self {
            Packed::Single(_) => None,
            Packed::Blocks(blocks) => Some(blocks),
        }
    }

    /// The header, with these flags.
    pub(crate) fn header(&self, flags: u8) -> Vec<u8> {
        match self {
            Packed::Single(value) => vec![flags | SINGLE, *value],
            Packed::Blocks(blocks) => blocks.header(flags),
        }
    }
}

/// The values that will do everywhere, a bit each. Most texts are read for a few places only.
fn common(sets: &dyn PlaceText<u8>) -> u8 {
    let n = sets.n_places();
    let mut common = ANY;
    for begin in (0..n).step_by(STRETCH) {
        if common == 0 {
            break;
        }
        common = sets.read(begin..n.min(begin + STRETCH)).iter().fold(common, |common, set| common & set);
    }
    common
}

/// The symbols that the runs of some slots and pairs of them make, with a leaf for every value.
fn first_grammar<S: Place>(slots: &[S], n_leaves: usize, least: u32, worth: Worth) -> Grammar {
    let leaves: Vec<u16> = (0..n_leaves.max(1) as u16).collect();
    let mut grammar = Grammar::of_leaves(S::fill(slots), &leaves);
    grammar.join_runs(LEAST_RUNS);
    grammar.pair(least, worth);
    grammar
}

/// How often a pair of a text of this many values has to occur.
fn least_count(n_values: usize) -> u32 {
    if n_values > SHORT { LEAST_COUNT } else { LEAST_COUNT_SHORT }
}

/// Which pairs become symbols first in a text of this many values. What saves most makes files of small
/// tables 1 % smaller, and most files of large ones 1 to 4 % larger. Of short texts both are tried.
fn worths(n_values: usize, effort: Effort) -> &'static [Worth] {
    match effort {
        Effort::Sample if n_values > MANY_SAMPLED => &[Worth::Frequency],
        Effort::Whole if n_values > MANY => &[Worth::Frequency],
        Effort::Whole if n_values <= SHORT => &[Worth::Frequency, Worth::Saving],
        _ => &[Worth::Saving],
    }
}

/// The symbols in which some slots take little room.
fn best_grammar<S: Place>(slots: &dyn PlaceText<S>, n_leaves: usize, worth: Worth) -> Grammar {
    let (n_values, (sample, is_whole)) = (slots.n_places(), sample(slots));
    let least = if is_whole { least_count(n_values) } else { LEAST_COUNT_SAMPLED };
    let Searches { learning, writing } = if n_values > MANY { S::OF_MANY } else { S::OF_FEW };
    let mut grammar = first_grammar(&sample, n_leaves, least, worth);
    for _ in 0..N_LEARNINGS {
        reread(&mut grammar, &sample, learning);
        // What the cheapest text has no use for makes room for other pairs.
        grammar.prune(&prices(&grammar), false);
        grammar.pair(least, worth);
    }
    if is_whole {
        reread(&mut grammar, &sample, writing);
    } else {
        drop(sample);
        read_whole(&mut grammar, slots, writing);
    }
    grammar.prune(&prices(&grammar), true);
    grammar
}

/// Some stretches of slots, or all if they are few; and whether these are all.
fn sample<S: Place>(slots: &dyn PlaceText<S>) -> (Cow<'_, [S]>, bool) {
    let n = slots.n_places();
    let n_learnt = (n / 4).clamp(*S::LEARNT.start(), *S::LEARNT.end());
    if n <= n_learnt {
        return (slots.read(0..n), true);
    }
    let length = n_learnt / N_STRETCHES;
    let begin = |stretch: usize| (n - length) / (N_STRETCHES - 1) * stretch;
    let read = |stretch: usize| slots.read(begin(stretch)..begin(stretch) + length);
    let stretches: Vec<Cow<'_, [S]>> = threads::map(0..N_STRETCHES, read);
    (Cow::Owned(stretches.concat()), false)
}

impl Text {
    /// Gives each symbol its code, the longest first.
    fn new(grammar: Grammar) -> Self {
        let counts = grammar.counts();
        let Grammar { symbols, mut text } = grammar;
        let lengths = code_lengths(&counts);
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        // Symbols without a code of their own come last.
        order.sort_by_key(|&i| (lengths[i] == 0, std::cmp::Reverse(lengths[i]), counts[i], i));
        let mut numbers = vec![0; symbols.len()];
        order.iter().zip(0..).for_each(|(&old, new)| numbers[old] = new);
        let renumbered = |symbol: &Symbol| match symbol.right {
            LEAF => *symbol,
            _ => {
                let [left, right] = [symbol.left, symbol.right].map(|side| numbers[usize::from(side)]);
                Symbol { left, right, ..*symbol }
            }
        };
        let symbols = order.iter().map(|&old| renumbered(&symbols[old])).collect();
        text.iter_mut().for_each(|symbol| *symbol = numbers[usize::from(*symbol)]);
        let sorted: Vec<u8> =
            order.iter().map(|&old| lengths[old]).take_while(|&length| length > 0).collect();
        let (lengths, codes) = canonical(&sorted);
        Text { symbols, codes, lengths, text }
    }
}

/// The codes of symbols with these lengths, which descend.
fn canonical(sorted: &[u8]) -> (CodeLengths, Vec<(u8, u32)>) {
    let max_bits = sorted.first().copied().unwrap_or(1);
    let min_bits = sorted.last().copied().unwrap_or(1);
    // For each length its first symbol and the code of that, from the longest.
    let mut firsts = vec![(0u16, 0u64); usize::from(max_bits) + 1];
    for bits in (min_bits..max_bits).rev() {
        let first = sorted.iter().take_while(|&&length| length > bits).count() as u16;
        let (longer_first, longer_code) = firsts[usize::from(bits) + 1];
        firsts[usize::from(bits)] = (first, (longer_code + u64::from(first - longer_first)) / 2);
    }
    let code = |(symbol, &bits): (usize, &u8)| {
        let (first, code) = firsts[usize::from(bits)];
        (bits, (code + (symbol as u64 - u64::from(first))) as u32)
    };
    let codes = sorted.iter().enumerate().map(code).collect();
    let lowest = (min_bits..=max_bits).map(|bits| firsts[usize::from(bits)].0).collect();
    (CodeLengths { min_bits, max_bits, lowest }, codes)
}

impl Blocks {
    fn new(text: &Text, n_values: usize, block_bits: u8) -> Self {
        let mut blocks = Blocks {
            block_bits,
            span_bits: 0,
            padding: 0,
            lengths: text.lengths.clone(),
            symbols: text.symbols.clone(),
            n_values: Vec::new(),
            places: Vec::new(),
            data: Vec::new(),
        };
        blocks.cut(text);
        blocks.set_places(n_values);
        blocks
    }

    /// Writes the text, a block after the other.
    fn cut(&mut self, text: &Text) {
        let block_bytes = 1usize << self.block_bits;
        let (mut bits, mut n_bits, mut used_bits, mut n_values) = (0u64, 0u32, 0usize, 0usize);
        let close = |data: &mut Vec<u8>, bits: u64, n_bits: u32| {
            if n_bits > 0 {
                let rest = (bits << (64 - n_bits)).to_be_bytes();
                data.extend(&rest[..n_bits.div_ceil(8) as usize]);
            }
            data.resize(data.len().next_multiple_of(block_bytes), 0);
        };
        for &symbol in &text.text {
            let (code_bits, code) = text.codes[usize::from(symbol)];
            let own_values = usize::from(text.symbols[usize::from(symbol)].n_values);
            let is_full = used_bits + usize::from(code_bits) > 8 * block_bytes
                || n_values + own_values > MAX_BLOCK_VALUES;
            if is_full {
                close(&mut self.data, bits, n_bits);
                self.n_values.push((n_values - 1) as u16);
                (bits, n_bits, used_bits, n_values) = (0, 0, 0, 0);
            }
            bits = bits << code_bits | u64::from(code);
            n_bits += u32::from(code_bits);
            used_bits += usize::from(code_bits);
            n_values += own_values;
            if n_bits >= 32 {
                n_bits -= 32;
                self.data.extend(((bits >> n_bits) as u32).to_be_bytes());
            }
        }
        if n_values > 0 {
            close(&mut self.data, bits, n_bits);
            self.n_values.push((n_values - 1) as u16);
        }
    }

    /// Notes where the middle of every span of values is.
    fn set_places(&mut self, n_values: usize) {
        let mut span_bits = bit_length(n_values / self.n_values.len().max(1)) + 4;
        while span_bits > 1 && 1usize << (span_bits - 1) > n_values {
            span_bits -= 1;
        }
        self.span_bits = span_bits as u8;
        let span = 1usize << span_bits;
        let (mut block, mut begin) = (0usize, 0usize);
        for k in 0..n_values.div_ceil(span) {
            let middle = k * span + span / 2;
            loop {
                if block == self.n_values.len() {
                    // The middle of the last span lies behind the end: blocks that there are not lead there.
                    self.n_values.push(u16::MAX);
                    self.padding += 1;
                }
                let end = begin + usize::from(self.n_values[block]) + 1;
                if middle < end {
                    break;
                }
                (block, begin) = (block + 1, end);
            }
            self.places.push((block as u32, (middle - begin) as u16));
        }
    }

    pub(crate) fn size_bytes(&self) -> usize {
        self.header(0).len() + 6 * self.places.len() + 2 * self.n_values.len() + self.data.len()
    }

    fn header(&self, flags: u8) -> Vec<u8> {
        let n_blocks = (self.n_values.len() - usize::from(self.padding)) as u32;
        let mut bytes = vec![flags, self.block_bits, self.span_bits, self.padding];
        bytes.extend(n_blocks.to_le_bytes());
        bytes.extend([self.lengths.max_bits, self.lengths.min_bits]);
        self.lengths.lowest.iter().for_each(|lowest| bytes.extend(lowest.to_le_bytes()));
        bytes.extend((self.symbols.len() as u16).to_le_bytes());
        for symbol in &self.symbols {
            let (left, right) = (symbol.left, symbol.right);
            bytes.extend([left as u8, (left >> 8 | (right & 15) << 4) as u8, (right >> 4) as u8]);
        }
        if self.symbols.len() % 2 == 1 {
            bytes.push(0);
        }
        bytes
    }
}

fn bit_length(n: usize) -> u32 {
    usize::BITS - n.leading_zeros()
}
