//! Parses the slots into the symbols that there are, so that the text takes the fewest bits.
//!
//! Pairs are joined greedily, in values that were filled in before there were symbols. Once every symbol has
//! a code, its price is its bits, and the cheapest text is a shortest path: from each place a step leads over
//! every symbol whose values may stand there. A free slot fits any value of a symbol.
//!
//! ```text
//!   slots     4 4 ? ? 2 2 ? 4 …
//!   symbols   44 (3 bits)   4422 (5 bits)   224 (7 bits) …
//! ```
//!
//! The naive way looks at every place and at every symbol. Three wastes are removed:
//!
//! - *Costs, and not places, are gone through.* Prices are whole bits, and who has come farther for the same
//!   bits needs hardly ever more for the rest. So for each number of bits only the farthest place counts, and
//!   there are as many steps to look at as the text will have bits, however many values it has.
//! - *The symbols stand in a tree* by their values, a run of a value as one node ([`super::tree`]).
//! - *A node is passed over* if no symbol below it, for its price, leads farther than one is already. Where a
//!   slot is free only the most promising nodes are looked at, a way turns to other ones than the first of
//!   them only so many times, and from a place only so many nodes are visited altogether.
//! - *Places that are behind* are passed over, or few turns are taken from them: if one bit more leads many
//!   values farther, a text that goes on from here can hardly save more than that bit.

use super::grammar::Grammar;
use super::huffman::code_lengths;
use super::run::{Place, PlaceText, Search};
use super::tree::{Reach, Tree};
use rayon::prelude::*;
use std::ops::Range;

/// A text is cut at multiples of this, and each piece is read by itself.
const PIECE: usize = 1 << 17;

/// So many pieces of a long text are read before they are put behind each other.
const N_PIECES: usize = 1 << 6;

/// The most bits of a price.
const MAX_PRICE: usize = 33;

/// By how many values a bit a place is behind, so that few turns are taken from it.
const BEHIND: usize = 2;

/// With how many bits more places are compared.
const N_COMPARED: usize = 3;

/// What each symbol of a grammar costs in its text.
///
/// Units: bits.
pub(crate) fn prices(grammar: &Grammar) -> Vec<u32> {
    let lengths = code_lengths(&grammar.counts());
    let longest = lengths.iter().copied().max().unwrap_or(1);
    // A symbol that does not occur would have a long code if it did.
    lengths.iter().map(|&bits| u32::from(if bits == 0 { longest + 1 } else { bits })).collect()
}

/// Reads slots in the symbols of a grammar, whatever its text.
pub(crate) fn read_whole<S: Place>(grammar: &mut Grammar, slots: &dyn PlaceText<S>, search: Search) {
    let tree = Tree::new(grammar, &prices(grammar));
    let n = slots.n_places();
    let read = |begin: usize| {
        let piece = slots.read(begin..n.min(begin + PIECE));
        read(&tree, &piece, usize::MAX, search).unwrap_or_default()
    };
    let begins: Vec<usize> = (0..n).step_by(PIECE).collect();
    grammar.text.clear();
    // The pieces of a few at a time are all that is in memory beside the text.
    for begins in begins.chunks(N_PIECES) {
        let texts: Vec<Vec<u16>> = begins.par_iter().map(|&begin| read(begin)).collect();
        texts.iter().for_each(|text| grammar.text.extend(text));
    }
}

/// Reads slots again in the symbols of a grammar, whose text is one of them.
pub(crate) fn reread<S: Place>(grammar: &mut Grammar, slots: &[S], search: Search) {
    let prices = prices(grammar);
    let tree = Tree::new(grammar, &prices);
    let pieces = pieces(grammar);
    let read = |(values, symbols): &(Range<usize>, Range<usize>)| {
        let known = &grammar.text[symbols.clone()];
        let known_cost: usize = known.iter().map(|&symbol| prices[usize::from(symbol)] as usize).sum();
        read(&tree, &slots[values.clone()], known_cost, search).unwrap_or_else(|| known.to_vec())
    };
    grammar.text = joined(pieces.par_iter().map(read).collect());
}

/// The texts of all pieces, each of which is dropped when it has been copied.
fn joined(texts: Vec<Vec<u16>>) -> Vec<u16> {
    let mut all = Vec::with_capacity(texts.iter().map(Vec::len).sum());
    texts.into_iter().for_each(|text| all.extend(text));
    all
}

/// The pieces of a text: their values, and their symbols.
fn pieces(grammar: &Grammar) -> Vec<(Range<usize>, Range<usize>)> {
    let mut pieces = Vec::new();
    let (mut values, mut symbols) = (0..0, 0..0);
    for &symbol in &grammar.text {
        values.end += usize::from(grammar.symbols[usize::from(symbol)].n_values);
        symbols.end += 1;
        if values.len() >= PIECE {
            pieces.push((values.clone(), symbols.clone()));
            (values, symbols) = (values.end..values.end, symbols.end..symbols.end);
        }
    }
    pieces.push((values, symbols));
    pieces
}

/// The farthest place that is reached for a number of bits.
#[derive(Clone, Copy, Default)]
struct Level {
    place: u32,
    /// The level from which it is reached, and by which symbol.
    from: u32,
    symbol: u16,
}

/// The cheapest text of a piece; none if it costs more than the one that is known.
fn read<S: Place>(tree: &Tree, slots: &[S], known_cost: usize, search: Search) -> Option<Vec<u16>> {
    let (n, runs) = (slots.len(), S::runs(slots));
    let mut levels = vec![Level::default(); MAX_PRICE + 1];
    let mut open = Vec::new();
    let (mut cost, mut farthest) = (0, 0);
    let is_behind = |ahead: &[Level], at: usize, pace: usize| {
        (1..=N_COMPARED).any(|bits| ahead[bits].place as usize >= at + bits * pace)
    };
    loop {
        let at = levels[cost].place as usize;
        if at == n {
            break;
        }
        if cost > 0 && at <= farthest {
            cost += 1;
            continue;
        }
        if cost > known_cost {
            return None;
        }
        farthest = at;
        levels.resize(cost + MAX_PRICE + 1, Level::default());
        let ahead = &mut levels[cost..][..=MAX_PRICE];
        if is_behind(ahead, at, search.skipped_behind) {
            cost += 1;
            continue;
        }
        let max_turns = if is_behind(ahead, at, BEHIND) { search.max_turns_behind } else { search.max_turns };
        // How far one comes already, by price.
        let mut reached =
            Reach::of_lengths(ahead[1..].iter().map(|level| (level.place as usize).saturating_sub(at)));
        let likely = match slots[at].only() {
            Some(value) => tree.root(value),
            None => {
                let from = Open { number: 0, place: at as u32, n_turns: 0 };
                branch(tree, tree.roots(), slots[at], from, (search.max_branches, max_turns), &mut open);
                S::likely(&runs, slots, at).and_then(|value| tree.root(value))
            }
        };
        open.extend(likely.map(|root| Open { number: root as u32, place: at as u32, n_turns: 0 }));
        let mut n_visited = 0;
        while let Some(Open { number, place, n_turns }) = open.pop() {
            let (mut number, mut place) = (number as usize, place as usize);
            // As long as only one node may follow it is gone to at once.
            loop {
                let node = tree.node(number);
                let run = usize::from(node.run);
                if !node.leads_beyond(&reached) || S::run(&runs, slots, place, node.value) < run {
                    break;
                }
                place += run;
                if node.price > 0 {
                    let level = &mut ahead[usize::from(node.price)];
                    if (level.place as usize) < place {
                        *level = Level { place: place as u32, from: cost as u32, symbol: node.symbol };
                    }
                    reached.note(place - at, node.price);
                }
                n_visited += 1;
                if place == n || n_visited >= search.max_visited {
                    break;
                }
                let next = match slots[place].only() {
                    Some(value) => tree.child(number, value),
                    None => {
                        let from = Open { number: 0, place: place as u32, n_turns };
                        let most = (search.max_branches, max_turns);
                        branch(tree, node.children(), slots[place], from, most, &mut open);
                        S::likely(&runs, slots, place).and_then(|value| tree.child(number, value))
                    }
                };
                let Some(next) = next else { break };
                number = next;
            }
        }
        cost += 1;
    }
    (cost <= known_cost).then(|| text(&levels, cost))
}

/// A node that is to be visited.
#[derive(Clone, Copy)]
struct Open {
    number: u32,
    place: u32,
    /// How many turns were taken on the way.
    n_turns: u32,
}

/// Opens nodes where a slot is free, so many and with so many turns at most, the most promising one last.
#[inline]
fn branch<S: Place>(
    tree: &Tree,
    nodes: Range<usize>,
    slot: S,
    from: Open,
    (max_branches, max_turns): (usize, u32),
    open: &mut Vec<Open>,
) {
    let begin = open.len();
    for number in nodes.filter(|&number| slot.fits(tree.node(number).value)).take(max_branches) {
        let n_turns = from.n_turns + u32::from(open.len() > begin);
        if n_turns > max_turns {
            break;
        }
        open.push(Open { number: number as u32, n_turns, ..from });
    }
    open[begin..].reverse();
}

/// The symbols of the way to a level.
fn text(levels: &[Level], mut cost: usize) -> Vec<u16> {
    let mut text = Vec::new();
    while cost > 0 {
        let Level { from, symbol, .. } = levels[cost];
        text.push(symbol);
        cost = from as usize;
    }
    text.reverse();
    text
}
