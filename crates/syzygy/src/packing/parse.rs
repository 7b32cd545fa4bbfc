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
//!   slot is free only the most promising nodes are looked at, and from a place only so many altogether.

use super::grammar::Grammar;
use super::huffman::code_lengths;
use super::run::{Place, PlaceText};
use super::tree::{N_PRICES, Node, Tree};
use rayon::prelude::*;
use std::ops::Range;

/// A text is cut at multiples of this, and each piece is read by itself.
const PIECE: usize = 1 << 17;

/// The most bits of a price.
const MAX_PRICE: usize = 33;

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
pub(crate) fn read_whole<S: Place>(grammar: &mut Grammar, slots: &dyn PlaceText<S>) {
    let tree = Tree::new(grammar, &prices(grammar));
    let n = slots.n_places();
    let read = |begin: usize| {
        let piece = slots.read(begin..n.min(begin + PIECE));
        read(&tree, &piece, usize::MAX).unwrap_or_default()
    };
    grammar.text = joined((0..n.div_ceil(PIECE)).into_par_iter().map(|piece| read(piece * PIECE)).collect());
}

/// Reads slots again in the symbols of a grammar, whose text is one of them.
pub(crate) fn reread<S: Place>(grammar: &mut Grammar, slots: &[S]) {
    let prices = prices(grammar);
    let tree = Tree::new(grammar, &prices);
    let pieces = pieces(grammar);
    let read = |(values, symbols): &(Range<usize>, Range<usize>)| {
        let known = &grammar.text[symbols.clone()];
        let known_cost: usize = known.iter().map(|&symbol| prices[usize::from(symbol)] as usize).sum();
        read(&tree, &slots[values.clone()], known_cost).unwrap_or_else(|| known.to_vec())
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
fn read<S: Place>(tree: &Tree, slots: &[S], known_cost: usize) -> Option<Vec<u16>> {
    let (n, runs) = (slots.len(), S::runs(slots));
    let mut levels = vec![Level::default(); MAX_PRICE + 1];
    let mut open = Vec::new();
    let (mut cost, mut farthest) = (0, 0);
    loop {
        let at = levels[cost].place as usize;
        if at == n {
            break;
        }
        if cost > 0 && at <= farthest {
            cost += 1;
            continue;
        }
        farthest = at;
        levels.resize(cost + MAX_PRICE + 1, Level::default());
        let ahead = &mut levels[cost..];
        // How far one comes already, by price.
        let mut reached = [0i16; N_PRICES];
        let mut so_far = at;
        for (reached, level) in reached.iter_mut().zip(&ahead[1..]) {
            so_far = so_far.max(level.place as usize);
            *reached = (so_far - at) as i16;
        }
        match slots[at].only() {
            Some(value) => open.extend(tree.root(value).map(|root| (root as u32, at as u32))),
            None => {
                let likely = S::likely(&runs, slots, at).and_then(|value| tree.root(value));
                branch::<S>(tree.roots(), likely, at, &mut open);
            }
        }
        let mut n_visited = 0;
        while let Some((number, place)) = open.pop() {
            let (number, place) = (number as usize, place as usize);
            let node: &Node = tree.node(number);
            let (value, run) = tree.run(number);
            if !node.leads_beyond(&reached) || S::run(&runs, slots, place, value) < run {
                continue;
            }
            let next = place + run;
            if node.price > 0 {
                let price = usize::from(node.price);
                let level = &mut ahead[price];
                if (level.place as usize) < next {
                    *level = Level { place: next as u32, from: cost as u32, symbol: node.symbol };
                }
                let length = (next - at) as i16;
                reached.iter_mut().skip(price - 1).for_each(|reached| *reached = length.max(*reached));
            }
            n_visited += 1;
            if next == n || n_visited >= S::MAX_VISITED {
                continue;
            }
            match slots[next].only() {
                Some(value) => {
                    open.extend(tree.child(number, value).map(|child| (child as u32, next as u32)))
                }
                None => {
                    let likely = S::likely(&runs, slots, next).and_then(|value| tree.child(number, value));
                    branch::<S>(node.children(), likely, next, &mut open);
                }
            }
        }
        open.clear();
        cost += 1;
    }
    (cost <= known_cost).then(|| text(&levels, cost))
}

/// Opens nodes where a slot is free: the most promising first, and the one that goes on with the value that
/// must stand next.
fn branch<S: Place>(nodes: Range<usize>, likely: Option<usize>, place: usize, open: &mut Vec<(u32, u32)>) {
    let few = nodes.start..nodes.end.min(nodes.start + S::MAX_BRANCHES);
    let likely = likely.filter(|child| !few.contains(child));
    open.extend(likely.into_iter().chain(few.rev()).map(|child| (child as u32, place as u32)));
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
