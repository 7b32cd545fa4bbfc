//! Parses the slots into the symbols that there are, so that the text takes the fewest bits.
//!
//! Pairs are joined greedily, in values that were filled in before there were symbols. Once every symbol has
//! a code, its price is its bits, and the cheapest text is a shortest path: from each place a step leads over
//! every symbol whose values may stand there. A free slot fits any value of a symbol.
//!
//! ```text
//!   slots     4 4 ? ? 2 2 ? 4 …
//!   symbols   44 (3 bits)   4422 (5 bits)   224 (7 bits) …    price of a place = cheapest step + its start
//! ```
//!
//! Two wastes are removed. The symbols stand in a tree by their values, so that a common beginning is
//! compared once; where slots are free the tree branches, and only so many of its nodes are visited from a
//! place. And no step begins at a place that costs as much as one farther on.

use super::grammar::Grammar;
use super::huffman::code_lengths;
use super::run::ANY_DISTANCE;
use rayon::prelude::*;

/// A text is cut at multiples of this, and each piece is read by itself.
const PIECE: usize = 1 << 18;

/// How many nodes of the tree are visited from a place of a text, and of a long one.
const MAX_VISITED: [u32; 2] = [160, 24];

/// Texts of more values are long: those of tables of five men. Reading them again is most of what they cost.
const LONG: usize = 1 << 23;

/// Whether a text of so many values is read again once only, and not as thoroughly.
pub(crate) const fn is_long(n_values: usize) -> bool {
    n_values > LONG
}

/// No node.
const NONE: u32 = u32::MAX;

/// What may stand at a place of a text.
pub(crate) trait Place: Copy + Send + Sync {
    /// Whether a value may stand here.
    fn fits(self, value: u16) -> bool;

    /// The value that must stand here, if only one may.
    fn only(self) -> Option<u16>;
}

/// A set of WDL values, a bit each.
impl Place for u8 {
    #[inline]
    fn fits(self, value: u16) -> bool {
        self >> value & 1 != 0
    }

    #[inline]
    fn only(self) -> Option<u16> {
        self.is_power_of_two().then_some(self.trailing_zeros() as u16)
    }
}

/// A distance, or any.
impl Place for u16 {
    #[inline]
    fn fits(self, value: u16) -> bool {
        self == value || self == ANY_DISTANCE
    }

    #[inline]
    fn only(self) -> Option<u16> {
        (self != ANY_DISTANCE).then_some(self)
    }
}

/// The symbols by their values.
///
/// The children of a node stand in a row, the one with the cheapest symbol first, their values apart from the
/// rest: a child is found by running over a few values.
struct Tree {
    values: Vec<u16>,
    nodes: Vec<Node>,
    /// The first children of the root by their values.
    roots: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Node {
    /// The price of the symbol that ends here; none does if it is 0.
    price: u32,
    symbol: u16,
    n_children: u16,
    children: u32,
}

/// A node while symbols are still inserted.
struct DraftNode {
    value: u16,
    symbol: u16,
    price: u32,
    /// The least price in the tree below, its own included.
    least: u32,
    children: Vec<u32>,
}

impl DraftNode {
    fn new(value: u16) -> Self {
        DraftNode { value, symbol: 0, price: 0, least: u32::MAX, children: Vec::new() }
    }
}

impl Tree {
    /// A tree of all symbols that have a price.
    fn new(grammar: &Grammar, prices: &[u32]) -> Self {
        let mut drafts = vec![DraftNode::new(0)];
        let mut values = Vec::new();
        for (symbol, &price) in (0u16..).zip(prices) {
            values.clear();
            grammar.expand(symbol, &mut values);
            insert(&mut drafts, &values, symbol, price);
        }
        let n_roots = drafts[0].children.iter().map(|&root| drafts[root as usize].value + 1).max();
        let mut tree =
            Tree { values: Vec::new(), nodes: Vec::new(), roots: vec![NONE; n_roots.unwrap_or(0).into()] };
        // Level by level, so that what is near the root lies together.
        let (mut level, mut numbers) = (vec![0u32], vec![NONE]);
        while !level.is_empty() {
            let (mut next, mut next_numbers) = (Vec::new(), Vec::new());
            for (&draft, &number) in level.iter().zip(&numbers) {
                let mut children = std::mem::take(&mut drafts[draft as usize].children);
                children.sort_by_key(|&child| (drafts[child as usize].least, child));
                if let Some(node) = tree.nodes.get_mut(number as usize) {
                    (node.children, node.n_children) = (tree.values.len() as u32, children.len() as u16);
                }
                for child in children {
                    let DraftNode { value, symbol, price, .. } = drafts[child as usize];
                    if number == NONE {
                        tree.roots[usize::from(value)] = tree.nodes.len() as u32;
                    }
                    next_numbers.push(tree.nodes.len() as u32);
                    next.push(child);
                    tree.values.push(value);
                    tree.nodes.push(Node { price, symbol, n_children: 0, children: 0 });
                }
            }
            (level, numbers) = (next, next_numbers);
        }
        tree
    }

    /// The cheapest text of a piece.
    ///
    /// `known` is a text of it, whose steps are tried too: the longest symbols lie deeper in the tree than is
    /// looked.
    fn read<S: Place>(&self, slots: &[S], known: &[(u16, u16, u32)], max_visited: u32) -> Vec<u16> {
        let n = slots.len();
        let mut way = Way::new(n);
        let mut open = Vec::new();
        let (mut known, mut known_at) = (known.iter(), 0);
        for at in 0..n {
            let cost = way.costs[at];
            if at == known_at
                && let Some(&(symbol, length, price)) = known.next()
            {
                known_at += usize::from(length);
                if cost != u32::MAX && known_at <= n {
                    way.step(at, known_at, symbol, cost + price);
                }
            }
            if cost == u32::MAX || way.least_beyond(at) <= cost {
                continue;
            }
            let mut n_visited = 0;
            match slots[at].only() {
                Some(value) => open.extend(self.root(value).map(|root| (root, at))),
                None => {
                    let fits = (0u16..).zip(&self.roots).filter(|&(value, _)| slots[at].fits(value));
                    open.extend(fits.filter(|(_, root)| **root != NONE).map(|(_, &root)| (root, at)));
                }
            }
            while let Some((number, place)) = open.pop() {
                let node = self.nodes[number as usize];
                let next = place + 1;
                if node.price > 0 {
                    way.step(at, next, node.symbol, cost + node.price);
                }
                n_visited += 1;
                if next == n || n_visited > max_visited {
                    continue;
                }
                let begin = node.children as usize;
                let values = &self.values[begin..begin + usize::from(node.n_children)];
                let mut push = |child: usize| open.push(((begin + child) as u32, next));
                match slots[next].only() {
                    Some(value) => values.iter().position(|&own| own == value).into_iter().for_each(push),
                    // The cheapest is to be visited first.
                    None => {
                        let fitting =
                            values.iter().enumerate().rev().filter(|(_, value)| slots[next].fits(**value));
                        fitting.for_each(|(child, _)| push(child));
                    }
                }
            }
        }
        way.text()
    }

    /// The node of a symbol's first value.
    fn root(&self, value: u16) -> Option<u32> {
        self.roots.get(usize::from(value)).copied().filter(|&root| root != NONE)
    }
}

/// The cheapest ways to the places of a piece.
struct Way {
    /// What it costs to come to each place.
    costs: Vec<u32>,
    /// The symbol and the length of the last step.
    steps: Vec<(u16, u16)>,
    /// The least cost of each [`Way::STRETCH`] places, so that not each of them has to be looked at.
    least: Vec<u32>,
    /// The farthest place that there is a way to.
    reached: usize,
}

impl Way {
    const STRETCH: usize = 16;

    fn new(n: usize) -> Self {
        let (mut costs, mut least) = (vec![u32::MAX; n + 1], vec![u32::MAX; n / Way::STRETCH + 1]);
        (costs[0], least[0]) = (0, 0);
        Way { costs, steps: vec![(0, 0); n + 1], least, reached: 0 }
    }

    /// Takes a step if it makes a place cheaper.
    #[inline]
    fn step(&mut self, from: usize, to: usize, symbol: u16, cost: u32) {
        if cost < self.costs[to] {
            self.costs[to] = cost;
            self.steps[to] = (symbol, (to - from) as u16);
            let least = &mut self.least[to / Way::STRETCH];
            *least = cost.min(*least);
            self.reached = self.reached.max(to);
        }
    }

    /// The least cost of the places beyond one.
    #[inline]
    fn least_beyond(&self, at: usize) -> u32 {
        let whole = (at + 1).next_multiple_of(Way::STRETCH);
        let stretches =
            self.least.get(whole / Way::STRETCH..=self.reached / Way::STRETCH).unwrap_or_default();
        let near = self.costs.get(at + 1..whole.min(self.reached + 1)).unwrap_or_default();
        near.iter().chain(stretches).fold(u32::MAX, |least, &cost| least.min(cost))
    }

    /// The symbols of the cheapest way.
    fn text(&self) -> Vec<u16> {
        let (mut text, mut at) = (Vec::new(), self.costs.len() - 1);
        while at > 0 {
            let (symbol, length) = self.steps[at];
            text.push(symbol);
            at -= usize::from(length);
        }
        text.reverse();
        text
    }
}

/// Puts a symbol with these values in.
fn insert(drafts: &mut Vec<DraftNode>, values: &[u16], symbol: u16, price: u32) {
    let mut at = 0;
    for &value in values {
        drafts[at].least = drafts[at].least.min(price);
        let found = drafts[at].children.iter().find(|&&child| drafts[child as usize].value == value);
        at = match found {
            Some(&child) => child as usize,
            None => {
                let child = drafts.len();
                drafts[at].children.push(child as u32);
                drafts.push(DraftNode::new(value));
                child
            }
        };
    }
    let draft = &mut drafts[at];
    draft.least = draft.least.min(price);
    // Two symbols may have the same values.
    if draft.price == 0 || price < draft.price {
        (draft.symbol, draft.price) = (symbol, price);
    }
}

/// What each symbol of a grammar costs in its text.
///
/// Units: bits.
pub(crate) fn prices(grammar: &Grammar) -> Vec<u32> {
    let lengths = code_lengths(&grammar.counts());
    let longest = lengths.iter().copied().max().unwrap_or(1);
    // A symbol that does not occur would have a long code if it did.
    lengths.iter().map(|&bits| u32::from(if bits == 0 { longest + 1 } else { bits })).collect()
}

/// Reads slots again in the symbols of a grammar, whose text is one of them.
pub(crate) fn reread<S: Place>(grammar: &mut Grammar, slots: &[S]) {
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
    let max_visited = MAX_VISITED[usize::from(is_long(slots.len()))];
    let read = |(range, known): &(std::ops::Range<usize>, Vec<_>)| {
        tree.read(&slots[range.clone()], known, max_visited)
    };
    let texts: Vec<Vec<u16>> = pieces.par_iter().map(read).collect();
    grammar.text = texts.concat();
}
