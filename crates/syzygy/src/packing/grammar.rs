//! Replaces pairs of symbols by new symbols, so that what repeats is written once: Re-Pair (Larsson and
//! Moffat, 1999).
//!
//! The naive form replaces the most frequent pair of neighbours by a new symbol, counts again, and so on.
//! Counting anew for each symbol is its waste: most of the frequent pairs have nothing to do with each other.
//! So a round replaces many pairs, as long as no symbol ends one of them and begins another; and pairs that
//! save much less than the best one wait for the next round, when they may save less still.
//! Only the pairs beside a new symbol are counted anew.
//!
//! The most frequent pair is not the one that saves most: a symbol has a code as long as it is rare, so that
//! two common symbols side by side cost little, and may stand there by chance. A text of `N` symbols that
//! occur `a`, `b`, … times takes
//!
//! ```text
//!   h(N) − h(a) − h(b) − …   bits,   h(n) = n × log2 n
//! ```
//!
//! at least. If `n` pairs of `a` and `b` become one symbol, the text has `N − n` symbols, `a` and `b` occur
//! `n` times less, and the new one `n` times. Large texts go by frequency all the same ([`Worth`]).

use crate::packing::{LEAF, MAX_LENGTH};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most symbols of a grammar: twelve bits, of which one number is the mark of a leaf.
const MAX_SYMBOLS: usize = 4095;

/// How deep pairs may lie inside each other; a reader goes no deeper than sixteen.
const MAX_DEPTH: u8 = 14;

/// How often a leaf can be doubled until a symbol stands for as many values as it may.
const N_DOUBLINGS: usize = 8;

/// What a symbol takes in a file.
const SYMBOL_BITS: u64 = 24;

/// A symbol: a leaf or a pair of others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Symbol {
    /// The value of a leaf, else the symbol on the left.
    pub(crate) left: u16,
    /// [`LEAF`], or the symbol on the right.
    pub(crate) right: u16,
    /// How many values it stands for.
    pub(crate) n_values: u16,
    pub(crate) depth: u8,
}

/// Which pairs become symbols first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Worth {
    /// Those that occur most often.
    Frequency,
    /// Those that save most bits.
    Saving,
}

/// Symbols, and a text in them.
#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    pub(crate) symbols: Vec<Symbol>,
    pub(crate) text: Vec<u16>,
}

impl Grammar {
    /// A grammar of leaves, ascending, with a text of some of them.
    pub(crate) fn of_leaves(mut values: Vec<u16>, leaves: &[u16]) -> Self {
        let mut numbers = vec![u16::MAX; leaves.last().map_or(0, |&max| usize::from(max) + 1)];
        leaves.iter().zip(0..).for_each(|(&leaf, number)| numbers[usize::from(leaf)] = number);
        let leaf = |&value: &u16| Symbol { left: value, right: LEAF, n_values: 1, depth: 0 };
        values.iter_mut().for_each(|value| *value = numbers[usize::from(*value)]);
        Grammar { symbols: leaves.iter().map(leaf).collect(), text: values }
    }

    /// Makes symbols for runs of a leaf, each twice as long as the one before it, where they occur so often,
    /// and writes runs in them. The text must be of leaves.
    ///
    /// Counting pairs would come to the same after eight rounds over a text that is still long.
    pub(crate) fn join_runs(&mut self, least: u64) {
        let n_leaves = self.symbols.len();
        let mut n_occurring = vec![[0u64; N_DOUBLINGS]; n_leaves];
        for run in self.text.chunk_by(|a, b| a == b) {
            let counts = &mut n_occurring[usize::from(run[0])];
            (1..).zip(counts).for_each(|(doubling, count)| *count += (run.len() >> doubling) as u64);
        }
        let mut doubled = vec![Vec::new(); n_leaves];
        for leaf in 0..n_leaves {
            let mut half = leaf as u16;
            for _ in n_occurring[leaf].iter().take_while(|&&n| n >= least) {
                if self.symbols.len() == MAX_SYMBOLS {
                    break;
                }
                let Symbol { n_values, depth, .. } = self.symbols[usize::from(half)];
                let whole = Symbol { left: half, right: half, n_values: 2 * n_values, depth: depth + 1 };
                half = self.symbols.len() as u16;
                self.symbols.push(whole);
                doubled[leaf].push(half);
            }
        }
        let (mut from, mut to) = (0, 0);
        while from < self.text.len() {
            let leaf = self.text[from];
            let mut left = self.text[from..].iter().take_while(|&&other| other == leaf).count();
            from += left;
            let doubled = doubled[usize::from(leaf)].iter().enumerate().rev();
            for (length, symbol) in doubled.map(|(i, &symbol)| (2 << i, symbol)).chain([(1, leaf)]) {
                // What is written is never longer than what was read.
                while left >= length {
                    self.text[to] = symbol;
                    to += 1;
                    left -= length;
                }
            }
        }
        self.text.truncate(to);
    }

    /// Appends the values of a symbol.
    #[cfg(test)]
    pub(crate) fn expand(&self, symbol: u16, values: &mut Vec<u16>) {
        let Symbol { left, right, .. } = self.symbols[usize::from(symbol)];
        if right == LEAF {
            return values.push(left);
        }
        self.expand(left, values);
        self.expand(right, values);
    }

    /// How often each symbol occurs in the text.
    pub(crate) fn counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.symbols.len()];
        self.text.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
        counts
    }

    /// Drops symbols that no other symbol needs and that do not save the three bytes that they take, and
    /// maybe leaves that nothing needs; `prices` are the bits of each. Those of the text are written as
    /// their halves.
    pub(crate) fn prune(&mut self, prices: &[u32], leaves_too: bool) {
        let counts = self.counts();
        let mut n_parents = vec![0u32; self.symbols.len()];
        let is_pair = |symbol: &Symbol| symbol.right != LEAF;
        for symbol in self.symbols.iter().filter(|symbol| is_pair(symbol)) {
            n_parents[usize::from(symbol.left)] += 1;
            n_parents[usize::from(symbol.right)] += 1;
        }
        let mut is_dropped = vec![false; self.symbols.len()];
        // What stands in the text because something that was dropped is written as its halves.
        let mut is_split = vec![false; self.symbols.len()];
        // Parents come behind their children.
        for at in (0..self.symbols.len()).rev() {
            let Symbol { left, right, .. } = self.symbols[at];
            if n_parents[at] > 0 {
                continue;
            }
            if right == LEAF {
                is_dropped[at] = leaves_too && counts[at] == 0 && !is_split[at];
                continue;
            }
            let halves = prices[usize::from(left)] + prices[usize::from(right)];
            let saved_bits = u64::from(counts[at]) * u64::from(halves.saturating_sub(prices[at]));
            if saved_bits < SYMBOL_BITS {
                is_dropped[at] = true;
                is_split[usize::from(left)] = true;
                is_split[usize::from(right)] = true;
                n_parents[usize::from(left)] -= 1;
                n_parents[usize::from(right)] -= 1;
            }
        }
        let mut numbers = vec![0u16; self.symbols.len()];
        let kept = (0..self.symbols.len()).filter(|&at| !is_dropped[at]);
        kept.clone().zip(0..).for_each(|(at, number)| numbers[at] = number);
        let renumbered = |at: usize| match self.symbols[at] {
            leaf if leaf.right == LEAF => leaf,
            pair => Symbol {
                left: numbers[usize::from(pair.left)],
                right: numbers[usize::from(pair.right)],
                ..pair
            },
        };
        let mut halves = vec![Vec::new(); self.symbols.len()];
        for at in 0..self.symbols.len() {
            halves[at] = match (is_dropped[at], self.symbols[at]) {
                // Children come before their parents.
                (true, Symbol { left, right, .. }) if right != LEAF => {
                    [&halves[usize::from(left)][..], &halves[usize::from(right)][..]].concat()
                }
                _ => vec![numbers[at]],
            };
        }
        self.symbols = kept.map(renumbered).collect();
        replace_symbols(&mut self.text, &halves);
    }

    /// Replaces pairs as long as there are some that occur so often.
    ///
    /// Complexity: a few dozen passes over a text that becomes shorter each time, and a few look-ups for
    /// each pair that is replaced.
    pub(crate) fn pair(&mut self, least: u32, worth: Worth) {
        let mut counts = Counts::of_text(&self.text, least);
        loop {
            let pairs = self.choice(&mut counts, worth);
            if pairs.is_empty() {
                return;
            }
            let mut numbers = PairMap::with_room_for(pairs.len());
            for &(left, right) in &pairs {
                *numbers.number(left, right) = self.symbols.len() as u32;
                let [a, b] = [left, right].map(|side| self.symbols[usize::from(side)]);
                let depth = 1 + a.depth.max(b.depth);
                self.symbols.push(Symbol { left, right, n_values: a.n_values + b.n_values, depth });
            }
            replace(&mut self.text, &pairs, &numbers, &mut counts);
        }
    }

    /// The pairs of this round, those that are worth most first.
    fn choice(&self, counts: &mut Counts, worth: Worth) -> Vec<(u16, u16)> {
        let n = self.symbols.len();
        let may = |&(_, left, right): &(u32, u16, u16)| {
            let [a, b] = [left, right].map(|side| self.symbols[usize::from(side)]);
            a.n_values + b.n_values <= MAX_LENGTH && a.depth.max(b.depth) < MAX_DEPTH
        };
        let mut pairs = counts.frequent();
        pairs.retain(may);
        counts.keep(&pairs);
        let mut pairs = match worth {
            Worth::Frequency => pairs.into_iter().map(|(n, left, right)| (n.into(), left, right)).collect(),
            Worth::Saving => self.savings(pairs),
        };
        let most = pairs.iter().map(|&(own, ..)| own).max().unwrap_or(0);
        pairs.retain(|&(own, ..)| own * 3 >= most);
        pairs.sort_unstable_by_key(|&(own, left, right)| (std::cmp::Reverse(own), left, right));
        let (mut begins, mut ends) = (vec![false; n], vec![false; n]);
        let mut chosen = Vec::new();
        for (_, left, right) in pairs {
            if chosen.len() == (MAX_SYMBOLS - n).min(n / 4 + 1) {
                break;
            }
            let (left_at, right_at) = (usize::from(left), usize::from(right));
            let is_apart = match left == right {
                true => !begins[left_at] && !ends[left_at],
                false => !ends[left_at] && !begins[right_at],
            };
            if is_apart {
                begins[left_at] = true;
                ends[right_at] = true;
                chosen.push((left, right));
            }
        }
        chosen
    }

    /// How many bits each of these pairs saves, which occur so often; without those that do not pay for their
    /// symbol.
    fn savings(&self, pairs: Vec<(u32, u16, u16)>) -> Vec<(u64, u16, u16)> {
        let (occurring, total) = (self.counts(), self.text.len() as u32);
        // How much less it takes if this many of these are gone.
        let gone = |n: u32, of: u32| h(of) - h(of.saturating_sub(n));
        let saved = |(n, left, right): (u32, u16, u16)| {
            let [a, b] = [left, right].map(|side| occurring[usize::from(side)]);
            let of_symbols = if left == right { gone(2 * n, a) } else { gone(n, a) + gone(n, b) };
            let saved = (h(n) + gone(n, total) - of_symbols) >> FRACTION_BITS;
            Some((u64::try_from(saved).ok().filter(|&saved| saved >= SYMBOL_BITS)?, left, right))
        };
        pairs.into_iter().filter_map(saved).collect()
    }
}

/// A number times its binary logarithm.
///
/// Units: parts of 2²⁴.
#[inline]
fn h(number: u32) -> i64 {
    i64::from(number) * log2(number)
}

/// Puts one or more symbols in the place of each, from the end, so that nothing is written over what is still
/// to be read: a long text is not in memory twice.
fn replace_symbols(text: &mut Vec<u16>, others: &[Vec<u16>]) {
    let n_old = text.len();
    let n_new = text.iter().map(|&symbol| others[usize::from(symbol)].len()).sum();
    text.resize(n_new, 0);
    let mut to = n_new;
    for from in (0..n_old).rev() {
        let others = &others[usize::from(text[from])];
        to -= others.len();
        text[to..to + others.len()].copy_from_slice(others);
    }
}

/// Puts the new symbols in place of the pairs, and counts anew what stands beside them.
fn replace(text: &mut Vec<u16>, pairs: &[(u16, u16)], numbers: &PairMap, counts: &mut Counts) {
    let mut begins = vec![false; MAX_SYMBOLS + 1];
    pairs.iter().for_each(|&(left, _)| begins[usize::from(left)] = true);
    let (mut from, mut to) = (0, 0);
    while from < text.len() {
        let left = text[from];
        let mut symbol = left;
        if begins[usize::from(left)]
            && let Some(&right) = text.get(from + 1)
        {
            let number = numbers.get(left, right);
            if number != 0 {
                symbol = number as u16;
                counts.remove(left, right);
                if to > 0 {
                    counts.remove(text[to - 1], left);
                    counts.add(text[to - 1], symbol);
                }
                if let Some(&next) = text.get(from + 2) {
                    counts.remove(right, next);
                    counts.add(symbol, next);
                }
                from += 1;
            }
        }
        text[to] = symbol;
        to += 1;
        from += 1;
    }
    text.truncate(to);
}

/// How often each pair of neighbours occurs in a text.
struct Counts {
    map: PairMap,
    /// Fewer do not count.
    least: u32,
    /// The pairs that have come to occur so often.
    frequent: Vec<(u16, u16)>,
}

impl Counts {
    fn of_text(text: &[u16], least: u32) -> Self {
        let mut counts = Counts { map: PairMap::with_room_for(1 << 11), least, frequent: Vec::new() };
        text.windows(2).for_each(|pair| counts.add(pair[0], pair[1]));
        counts
    }

    #[inline]
    fn add(&mut self, left: u16, right: u16) {
        let count = self.map.number(left, right);
        *count += 1;
        // Of like symbols only half of them count.
        if *count == self.least || *count == 2 * self.least {
            self.frequent.push((left, right));
        }
    }

    #[inline]
    fn remove(&mut self, left: u16, right: u16) {
        let count = self.map.number(left, right);
        *count = count.saturating_sub(1);
    }

    /// The pairs that occur often, with how often. Of like symbols in a row every other pair counts, so of
    /// pairs of them about half.
    fn frequent(&mut self) -> Vec<(u32, u16, u16)> {
        self.frequent.sort_unstable();
        self.frequent.dedup();
        let counted = self.frequent.iter().map(|&(left, right)| {
            let count = self.map.get(left, right);
            (if left == right { count.div_ceil(2) } else { count }, left, right)
        });
        counted.filter(|&(count, ..)| count >= self.least).collect()
    }

    /// Forgets the frequent pairs but these, unless they become frequent again.
    fn keep(&mut self, pairs: &[(u32, u16, u16)]) {
        self.frequent.clear();
        self.frequent.extend(pairs.iter().map(|&(_, left, right)| (left, right)));
    }
}

/// A number for each pair of symbols, 0 if nothing else was said.
struct PairMap {
    /// Pairs (and one, so that 0 is none) with their numbers, at the place that the pair gives or behind it.
    places: Vec<(u32, u32)>,
    n_used: usize,
}

impl PairMap {
    fn with_room_for(n_pairs: usize) -> Self {
        PairMap { places: vec![(0, 0); (4 * n_pairs).next_power_of_two()], n_used: 0 }
    }

    /// The number of a pair, to be changed.
    #[inline]
    fn number(&mut self, left: u16, right: u16) -> &mut u32 {
        let key = PairMap::key(left, right);
        let mut at = self.find(key);
        if self.places[at].0 == 0 {
            if self.n_used * 2 > self.places.len() {
                self.grow();
                at = self.find(key);
            }
            self.n_used += 1;
            self.places[at].0 = key;
        }
        &mut self.places[at].1
    }

    #[inline]
    fn get(&self, left: u16, right: u16) -> u32 {
        self.places[self.find(PairMap::key(left, right))].1
    }

    #[inline]
    fn key(left: u16, right: u16) -> u32 {
        (u32::from(left) << 12 | u32::from(right)) + 1
    }

    /// The place of a pair, or where it would be.
    #[inline]
    fn find(&self, key: u32) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (u64::from(key).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.places[at].0 != 0 && self.places[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let doubled = vec![(0, 0); self.places.len() * 2];
        for (key, number) in std::mem::replace(&mut self.places, doubled) {
            if key != 0 {
                let at = self.find(key);
                self.places[at] = (key, number);
            }
        }
    }
}

/// The bits behind the point of a logarithm.
pub(super) const FRACTION_BITS: u32 = 24;

/// The logarithm of numbers from 1 to 2 is known in this many steps, as a power of two, and lies on straight
/// lines between them.
const STEP_BITS: u32 = 10;

static LOGARITHMS: [u32; (1 << STEP_BITS) + 1] = logarithms();

/// The binary logarithm of a number, of 1 if it is 0; a few of its last bits may be wrong.
///
/// Units: parts of 2²⁴.
#[inline]
pub(super) fn log2(number: u32) -> i64 {
    let number = number.max(1);
    let whole = number.ilog2();
    // The number without its first bit, from the 31st on.
    let behind = number << (u32::BITS - 1 - whole) & (u32::MAX >> 1);
    let rest_bits = u32::BITS - 1 - STEP_BITS;
    let (step, rest) = ((behind >> rest_bits) as usize, u64::from(behind & ((1 << rest_bits) - 1)));
    let [low, high] = [LOGARITHMS[step], LOGARITHMS[step + 1]];
    let between = ((u64::from(high - low) * rest) >> rest_bits) as u32;
    i64::from(whole << FRACTION_BITS | low) + i64::from(between)
}

/// Squaring doubles a logarithm: whether the square is 2 or more is its next bit.
const fn logarithms() -> [u32; (1 << STEP_BITS) + 1] {
    const POINT: u32 = 40;
    let mut logarithms = [0; (1 << STEP_BITS) + 1];
    let mut step = 0;
    while step < 1 << STEP_BITS {
        let mut number = (1u128 << POINT) + ((step as u128) << (POINT - STEP_BITS));
        let mut logarithm = 0;
        // One bit more, to be rounded.
        let mut bit = 0;
        while bit <= FRACTION_BITS {
            number = (number * number) >> POINT;
            logarithm = logarithm << 1 | (number >> (POINT + 1)) as u32;
            if number >> (POINT + 1) == 1 {
                number /= 2;
            }
            bit += 1;
        }
        logarithms[step] = (logarithm + 1) >> 1;
        step += 1;
    }
    logarithms[1 << STEP_BITS] = 1 << FRACTION_BITS;
    logarithms
}

/// The most bits of a code.
const MAX_BITS: u8 = 32;

/// How many bits the code of each symbol takes, given how often it occurs; 0 for one that does not.
///
/// If a code comes out longer than readers can take, rare symbols are counted as less rare and it is tried
/// again.
pub(crate) fn code_lengths(counts: &[u32]) -> Vec<u8> {
    let mut weights: Vec<u64> = counts.iter().map(|&count| count.into()).collect();
    loop {
        let lengths = lengths_of(&weights);
        if lengths.iter().all(|&length| length <= MAX_BITS) {
            return lengths;
        }
        weights.iter_mut().filter(|weight| **weight > 0).for_each(|weight| *weight = *weight / 2 + 1);
    }
}

fn lengths_of(weights: &[u64]) -> Vec<u8> {
    let mut lengths = vec![0; weights.len()];
    let used: Vec<usize> = (0..weights.len()).filter(|&i| weights[i] > 0).collect();
    if let [only] = used[..] {
        lengths[only] = 1;
        return lengths;
    }
    // Nodes of the tree: the symbols used, then those that join two.
    let mut parents = vec![0; (2 * used.len()).saturating_sub(1)];
    let mut open: BinaryHeap<Reverse<(u64, usize)>> =
        used.iter().enumerate().map(|(node, &symbol)| Reverse((weights[symbol], node))).collect();
    for node in used.len()..parents.len() {
        let mut weight = 0;
        for _ in 0..2 {
            if let Some(Reverse((own, child))) = open.pop() {
                weight += own;
                parents[child] = node;
            }
        }
        open.push(Reverse((weight, node)));
    }
    let mut depths = vec![0u8; parents.len()];
    for node in (0..parents.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    used.iter().zip(&depths).for_each(|(&symbol, &depth)| lengths[symbol] = depth);
    lengths
}

#[cfg(test)]
mod tests {
    use crate::packing::grammar::*;

    #[test]
    fn logarithms_are_those_of_floating_point() {
        for number in (1..5_000).chain((1..400).map(|i| i * 10_007_003)).chain([u32::MAX]) {
            let expected = f64::from(number).log2() * f64::from(1 << FRACTION_BITS);
            assert!((log2(number) as f64 - expected).abs() < 4.0, "{number}: {}", log2(number));
        }
        assert_eq!((log2(0), log2(1), log2(1 << 20)), (0, 0, 20 << FRACTION_BITS));
    }
}
