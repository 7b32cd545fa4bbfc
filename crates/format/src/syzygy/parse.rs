//! A text read again: of all ways to write the slots in the symbols that there are, the one that takes fewest bits.
//!
//! Pairs are found in values that were filled in without knowing the symbols, and are joined greedily. Once every
//! symbol has a code its price is known, and the cheapest text is a shortest path: from each place a step leads over
//! every symbol whose values may stand there, and free slots take part, since they fit whatever a symbol has.
//!
//! ```text
//!   slots     4 4 ? ? 2 2 ? 4 …
//!   symbols   44 (3 bits)   4422 (5 bits)   224 (7 bits) …        price of a place = least price of a step + its start
//! ```
//!
//! Two wastes are removed. The symbols stand in a tree by their values, so that a common beginning is compared once;
//! where slots are free the tree branches, and only so many of its nodes are visited from a place. And no step begins
//! at a place that costs as much as one farther on.

use super::grammar::{Grammar, LEAF, MAX_LENGTH};
use super::huffman::code_lengths;
use super::slot::ANY_DISTANCE;
use rayon::prelude::*;

/// A text is cut at multiples of this, and each piece is read by itself.
const PIECE: usize = 1 << 18;

/// How many nodes of the tree are visited from a place.
const MAX_VISITED: u32 = 160;

/// No node, no symbol.
const NONE: u32 = u32::MAX;

/// What may stand at a place.
pub(super) trait Slot: Copy + Send + Sync {
    /// Whether a value may stand here.
    fn fits(self, value: u16) -> bool;
}

/// A set of WDL values, a bit each.
impl Slot for u8 {
    #[inline]
    fn fits(self, value: u16) -> bool {
        self >> value & 1 != 0
    }
}

/// A distance, or any.
impl Slot for u16 {
    #[inline]
    fn fits(self, value: u16) -> bool {
        self == value || self == ANY_DISTANCE
    }
}

/// The symbols by their values.
struct Tree {
    nodes: Vec<Node>,
    /// The children of the root by their values.
    roots: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    value: u16,
    /// The symbol that ends here, and its price; none if its price is 0.
    symbol: u16,
    price: u32,
    child: u32,
    sibling: u32,
}

impl Tree {
    /// A tree of all symbols that have a price.
    fn new(grammar: &Grammar, prices: &[u32]) -> Self {
        let n_values = grammar.symbols.iter().filter(|symbol| symbol.right == LEAF).map(|leaf| leaf.left + 1);
        let mut tree = Tree { nodes: Vec::new(), roots: vec![NONE; n_values.max().unwrap_or(0).into()] };
        let mut values = Vec::new();
        for (symbol, &price) in (0u16..).zip(prices) {
            values.clear();
            grammar.expand(symbol, &mut values);
            tree.insert(&values, symbol, price);
        }
        tree
    }

    fn insert(&mut self, values: &[u16], symbol: u16, price: u32) {
        let mut at = NONE;
        for &value in values {
            let first =
                if at == NONE { self.roots[usize::from(value)] } else { self.nodes[at as usize].child };
            let mut child = first;
            while child != NONE && self.nodes[child as usize].value != value {
                child = self.nodes[child as usize].sibling;
            }
            if child == NONE {
                child = self.nodes.len() as u32;
                self.nodes.push(Node {
                    value,
                    symbol: 0,
                    price: 0,
                    child: NONE,
                    sibling: if at == NONE { NONE } else { first },
                });
                match at {
                    NONE => self.roots[usize::from(value)] = child,
                    _ => self.nodes[at as usize].child = child,
                }
            }
            at = child;
        }
        let node = &mut self.nodes[at as usize];
        // Two symbols may have the same values.
        if node.price == 0 || price < node.price {
            (node.symbol, node.price) = (symbol, price);
        }
    }

    /// The cheapest text of a piece.
    ///
    /// `known` is a text of it, whose steps are tried too: the longest symbols lie deeper in the tree than is looked.
    fn read<S: Slot>(&self, slots: &[S], known: &[(u16, u16, u32)]) -> Vec<u16> {
        let n = slots.len();
        // What it costs to come to a place, and the symbol and the length of the last step.
        let mut costs = vec![u32::MAX; n + 1];
        let mut steps = vec![(0u16, 0u16); n + 1];
        costs[0] = 0;
        let mut open = Vec::new();
        let (mut known, mut known_at) = (known.iter(), 0);
        for at in 0..n {
            let cost = costs[at];
            if at == known_at
                && let Some(&(symbol, length, price)) = known.next()
            {
                known_at += usize::from(length);
                if cost != u32::MAX && known_at <= n && cost + price < costs[known_at] {
                    costs[known_at] = cost + price;
                    steps[known_at] = (symbol, length);
                }
            }
            let ahead = &costs[at + 1..n.min(at + usize::from(MAX_LENGTH)) + 1];
            if cost == u32::MAX || ahead.iter().any(|&other| other <= cost) {
                continue;
            }
            let mut n_visited = 0;
            let slot = slots[at];
            for (_, &root) in
                (0u16..).zip(&self.roots).filter(|&(value, &root)| root != NONE && slot.fits(value))
            {
                open.push((root, at));
            }
            while let Some((node, place)) = open.pop() {
                let node = &self.nodes[node as usize];
                let next = place + 1;
                if node.price > 0 && cost + node.price < costs[next] {
                    costs[next] = cost + node.price;
                    steps[next] = (node.symbol, (next - at) as u16);
                }
                n_visited += 1;
                if next == n || n_visited > MAX_VISITED {
                    continue;
                }
                let slot = slots[next];
                let mut child = node.child;
                while child != NONE {
                    let node = &self.nodes[child as usize];
                    if slot.fits(node.value) {
                        open.push((child, next));
                    }
                    child = node.sibling;
                }
            }
        }
        let (mut text, mut at) = (Vec::new(), n);
        while at > 0 {
            let (symbol, length) = steps[at];
            text.push(symbol);
            at -= usize::from(length);
        }
        text.reverse();
        text
    }
}

/// What each symbol of a grammar costs in its text.
///
/// Units: bits.
pub(super) fn prices(grammar: &Grammar) -> Vec<u32> {
    let lengths = code_lengths(&grammar.counts());
    let longest = lengths.iter().copied().max().unwrap_or(1);
    // A symbol that does not occur would have a long code if it did.
    lengths.iter().map(|&bits| u32::from(if bits == 0 { longest + 1 } else { bits })).collect()
}

/// Reads slots again in the symbols of a grammar, whose text is one of them.
pub(super) fn reread<S: Slot>(grammar: &mut Grammar, slots: &[S]) {
    let prices = prices(grammar);
    let tree = Tree::new(grammar, &prices);
    // The text as it is, cut into pieces: symbols, their lengths and prices.
    let steps = grammar.text.iter().map(|&symbol| {
        let n_values = grammar.symbols[usize::from(symbol)].n_values;
        (symbol, n_values, prices[usize::from(symbol)])
    });
    let mut pieces = Vec::new();
    let (mut begin, mut length, mut own) = (0, 0, Vec::new());
    for step in steps {
        length += usize::from(step.1);
        own.push(step);
        if length >= PIECE {
            pieces.push((begin..begin + length, std::mem::take(&mut own)));
            (begin, length) = (begin + length, 0);
        }
    }
    pieces.push((begin..begin + length, own));
    let read = |(range, known): &(std::ops::Range<usize>, Vec<_>)| tree.read(&slots[range.clone()], known);
    let texts: Vec<Vec<u16>> = pieces.par_iter().map(read).collect();
    grammar.text = texts.concat();
}
