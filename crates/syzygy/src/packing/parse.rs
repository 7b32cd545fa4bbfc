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
//!   them a bounded number of times, and from a place a bounded number of nodes is visited.
//! - *Places that are behind* are passed over, or few turns are taken from them: if one bit more leads many
//!   values farther, a text that goes on from here can hardly save more than that bit.

use crate::packing::LEAF;
use crate::packing::grammar::{Grammar, code_lengths};
use crate::packing::run::{Place, PlaceText, Search};
use std::ops::Range;
use table::threads;

/// A text is cut at multiples of this, and each piece is read by itself.
const PIECE: usize = 1 << 17;

/// This many pieces of a long text are read before they are put behind each other.
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
    let read = |places: &Range<usize>| {
        let piece = slots.read(places.clone());
        read(&tree, &piece, usize::MAX, search).unwrap_or_default()
    };
    let pieces: Vec<Range<usize>> = threads::stretches(0..slots.n_places(), PIECE).collect();
    grammar.text.clear();
    // The pieces of a few at a time are all that is in memory beside the text.
    for pieces in pieces.chunks(N_PIECES) {
        let texts: Vec<Vec<u16>> = threads::map(pieces, read);
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
    grammar.text = joined(threads::map(&pieces, read));
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

/// Opens nodes where a slot is free, this many and with this many turns at most, the most promising one
/// last.
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

/// How many prices are distinguished; what costs more bits counts as the dearest of them.
pub(crate) const N_PRICES: usize = 16;

/// The longest run of a node: how far a value goes on from a place is counted in a byte.
const MAX_RUN: u16 = 255;

/// The children with values below this are listed in their parent, so all of WDL.
const N_LISTED: u16 = 5;

/// The bits that a listed child takes.
const LISTED_BITS: u16 = 6;

/// Is listed where there is no such child, or it is so far behind the others.
const UNLISTED: u32 = (1 << LISTED_BITS) - 1;

/// Among this many children one is searched; more have places of their own.
const MAX_SEARCHED: usize = 8;

/// By the price of a symbol: all bits where a price is no lower, so that what it reaches counts.
const NO_LOWER: [[u8; N_PRICES]; 1 << u8::BITS] = {
    let mut masks = [[0; N_PRICES]; 1 << u8::BITS];
    let mut price = 1;
    while price <= N_PRICES {
        let mut at = price - 1;
        while at < N_PRICES {
            masks[price][at] = u8::MAX;
            at += 1;
        }
        price += 1;
    }
    masks
};

/// No node.
const NONE: u32 = u32::MAX;

/// The symbols by their values.
///
/// The children of a node stand in a row, the most promising first: a child is found by the list in its
/// parent, by running over a few values, or among many by its place.
///
/// A value that stands several times in a row, with no symbol that ends between, is one node: in the long
/// runs of which tables are full, hundreds of nodes become a dozen. Every node tells how far the symbols
/// below it lead, by price, so that a reader passes over those that lead nowhere.
///
/// ```text
///   symbols  44444444 (3 bits)   444444442222 (9 bits)   44444444442 (11 bits)
///
///   tree     4×8 (3 bits) ─┬─ 2×4 (9 bits)
///                          └─ 4×2 ─ 2×1 (11 bits)
/// ```
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// Each node's value.
    values: Vec<u16>,
    n_roots: usize,
    /// The roots by their values.
    root_of: Vec<u32>,
    /// The children of nodes that have many: the parent and the value, and the child. Who stands where
    /// another one should comes behind him.
    places: Vec<(u64, u32)>,
}

/// A run of a value. Two of them lie in a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Node {
    /// The longest symbols that end here or below.
    reach: Reach,
    first_child: u32,
    n_children: u16,
    /// Which child has each of the first values.
    listed: u32,
    /// The symbol that ends here.
    pub(crate) symbol: u16,
    pub(crate) value: u16,
    /// How often it stands here in a row.
    pub(crate) run: u8,
    /// Its price in bits; none ends here if it is 0.
    pub(crate) price: u8,
}

/// How many values one comes for how many bits, by price from 1 bit on: no fewer for a higher one. In nodes
/// the last price stands for all higher ones too. What is longer than a byte can tell counts as that.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reach([u8; N_PRICES]);

impl Reach {
    /// How far one comes by this many values for each price.
    pub(crate) fn of_lengths(lengths: impl Iterator<Item = usize>) -> Self {
        let mut reach = Reach::default();
        let mut so_far = 0;
        for (reach, length) in reach.0.iter_mut().zip(lengths) {
            so_far = length.max(so_far);
            *reach = so_far.min(u8::MAX.into()) as u8;
        }
        reach
    }

    /// Notes that one comes so far for a price.
    #[inline]
    pub(crate) fn note(&mut self, length: usize, price: u8) {
        let length = length.min(u8::MAX.into()) as u8;
        for (reach, mask) in self.0.iter_mut().zip(&NO_LOWER[usize::from(price)]) {
            *reach = (*reach).max(length & mask);
        }
    }

    /// Whether one comes farther than this for some price.
    #[inline]
    fn leads_beyond(&self, other: &Reach) -> bool {
        let mut leads = 0;
        for (own, other) in self.0.iter().zip(&other.0) {
            leads |= u8::from(own > other);
        }
        leads != 0
    }
}

impl Node {
    /// Whether a symbol that ends here or below leads farther than one has come for its price, in values.
    #[inline]
    pub(crate) fn leads_beyond(&self, reached: &Reach) -> bool {
        self.reach.leads_beyond(reached)
    }

    /// The numbers of the nodes that follow it.
    #[inline]
    pub(crate) fn children(&self) -> Range<usize> {
        let first = self.first_child as usize;
        first..first + usize::from(self.n_children)
    }
}

impl Tree {
    /// A tree of the symbols of a grammar, each of which costs this many bits, at least 1.
    pub(crate) fn new(grammar: &Grammar, prices: &[u32]) -> Self {
        let pace = pace(grammar, prices);
        let mut drafts = vec![Draft::new((0, 0))];
        for ((symbol, runs), &price) in (0u16..).zip(runs_of(grammar)).zip(prices) {
            insert(&mut drafts, &runs, symbol, price);
        }
        let n_values = drafts[0].children.iter().map(|&root| drafts[root as usize].run.0 + 1).max();
        let mut tree = Tree {
            nodes: Vec::with_capacity(drafts.len()),
            values: Vec::with_capacity(drafts.len()),
            n_roots: drafts[0].children.len(),
            root_of: vec![NONE; n_values.unwrap_or(0).into()],
            places: vec![(0, NONE); (2 * drafts.len()).next_power_of_two()],
        };
        // Level by level, so that what is near the root lies together.
        let (mut level, mut parents) = (vec![0u32], vec![NONE]);
        while !level.is_empty() {
            let (mut next, mut next_parents) = (Vec::new(), Vec::new());
            for (&draft, &parent) in level.iter().zip(&parents) {
                let mut children = std::mem::take(&mut drafts[draft as usize].children);
                children
                    .sort_by_key(|&child| (std::cmp::Reverse(drafts[child as usize].promise(pace)), child));
                let n_children = children.len();
                if let Some(node) = tree.nodes.get_mut(parent as usize) {
                    (node.first_child, node.n_children) = (tree.values.len() as u32, n_children as u16);
                }
                for (nth, child) in (0..).zip(children) {
                    let number = tree.nodes.len() as u32;
                    let Draft { run, reach, symbol, price, .. } = drafts[child as usize];
                    if parent == NONE {
                        tree.root_of[usize::from(run.0)] = number;
                    }
                    if run.0 < N_LISTED
                        && nth < UNLISTED
                        && let Some(node) = tree.nodes.get_mut(parent as usize)
                    {
                        node.listed ^= (nth ^ UNLISTED) << (LISTED_BITS * run.0);
                    } else if n_children > MAX_SEARCHED && parent != NONE {
                        let key = key(parent as usize, run.0);
                        let at = tree.place(key);
                        tree.places[at] = (key, number);
                    }
                    next_parents.push(number);
                    next.push(child);
                    tree.values.push(run.0);
                    tree.nodes.push(Node {
                        reach: Reach::of_lengths(reach.iter().map(|&length| length as usize)),
                        first_child: 0,
                        n_children: 0,
                        listed: u32::MAX,
                        symbol,
                        value: run.0,
                        run: run.1 as u8,
                        price,
                    });
                }
            }
            (level, parents) = (next, next_parents);
        }
        tree
    }

    /// The nodes with which symbols begin.
    #[inline]
    pub(crate) fn roots(&self) -> Range<usize> {
        0..self.n_roots
    }

    #[inline]
    pub(crate) fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    /// The node with which symbols begin that begin with a value.
    #[inline]
    pub(crate) fn root(&self, value: u16) -> Option<usize> {
        let root = self.root_of.get(usize::from(value)).copied();
        root.filter(|&root| root != NONE).map(|root| root as usize)
    }

    /// The child of a node that has a value.
    #[inline]
    pub(crate) fn child(&self, parent: usize, value: u16) -> Option<usize> {
        let node = &self.nodes[parent];
        let children = node.children();
        let begin = children.start;
        if value < N_LISTED {
            let nth = node.listed >> (LISTED_BITS * value) & UNLISTED;
            if nth != UNLISTED {
                return Some(begin + nth as usize);
            }
            if children.len() <= UNLISTED as usize {
                return None;
            }
        }
        if children.len() <= MAX_SEARCHED {
            return self.values[children].iter().position(|&own| own == value).map(|child| begin + child);
        }
        let child = self.places[self.place(key(parent, value))].1;
        (child != NONE).then_some(child as usize)
    }

    /// The place of a key, or where it would be.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.places[at].1 != NONE && self.places[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }
}

/// The key of a parent's child with a value.
fn key(parent: usize, value: u16) -> u64 {
    (parent as u64) << 16 | u64::from(value)
}

/// A value, and how often it stands in a row.
type Run = (u16, u16);

/// The runs of values of every symbol.
fn runs_of(grammar: &Grammar) -> Vec<Vec<Run>> {
    let mut all: Vec<Vec<Run>> = Vec::with_capacity(grammar.symbols.len());
    // Halves come before what they are halves of.
    for symbol in &grammar.symbols {
        let own = if symbol.right == LEAF {
            vec![(symbol.left, 1)]
        } else {
            let [left, right] = [symbol.left, symbol.right].map(|half| &all[usize::from(half)]);
            let mut own = Vec::with_capacity(left.len() + right.len());
            own.extend_from_slice(left);
            match (own.last_mut(), right.split_first()) {
                (Some(last), Some((first, rest))) if last.0 == first.0 => {
                    last.1 += first.1;
                    own.extend_from_slice(rest);
                }
                _ => own.extend_from_slice(right),
            }
            own
        };
        all.push(own);
    }
    all
}

/// A node while symbols are still inserted.
struct Draft {
    run: Run,
    symbol: u16,
    price: u8,
    /// The least price below, its own included.
    least: u32,
    reach: [i16; N_PRICES],
    children: Vec<u32>,
}

impl Draft {
    fn new(run: Run) -> Self {
        Draft { run, symbol: 0, price: 0, least: u32::MAX, reach: [0; N_PRICES], children: Vec::new() }
    }

    /// How much farther the best symbol that ends here or below leads than its price does on the average.
    fn promise(&self, pace: i64) -> i64 {
        let ahead = |(reach, price): (&i16, i64)| 16 * i64::from(*reach) - pace * price;
        self.reach.iter().zip(1..).filter(|(reach, _)| **reach > 0).map(ahead).max().unwrap_or(i64::MIN)
    }

    /// Notes that a symbol of this many values ends here or below.
    fn note(&mut self, length: i16, price: u32) {
        self.least = self.least.min(price);
        let first = (price as usize).clamp(1, N_PRICES) - 1;
        self.reach[first..].iter_mut().for_each(|reach| *reach = length.max(*reach));
    }
}

/// How many values a bit of the text stands for, times 16.
fn pace(grammar: &Grammar, prices: &[u32]) -> i64 {
    let (mut n_values, mut n_bits) = (0u64, 1u64);
    for &symbol in &grammar.text {
        n_values += u64::from(grammar.symbols[usize::from(symbol)].n_values);
        n_bits += u64::from(prices[usize::from(symbol)]);
    }
    (16 * n_values / n_bits) as i64
}

/// Puts a symbol with these runs in.
fn insert(drafts: &mut Vec<Draft>, runs: &[Run], symbol: u16, price: u32) {
    let length = runs.iter().map(|&(_, n)| n as i16).sum();
    let mut at = 0;
    for &(value, n) in runs {
        let mut left = n;
        while left > 0 {
            drafts[at].note(length, price);
            let is_same = |&child: &u32| drafts[child as usize].run.0 == value;
            let n_here = left.min(MAX_RUN);
            let Some(place) = drafts[at].children.iter().position(is_same) else {
                let child = drafts.len();
                drafts[at].children.push(child as u32);
                drafts.push(Draft::new((value, n_here)));
                (at, left) = (child, left - n_here);
                continue;
            };
            let child = drafts[at].children[place] as usize;
            let (_, n_there) = drafts[child].run;
            if n_there <= left {
                (at, left) = (child, left - n_there);
                continue;
            }
            // The run is split where this symbol leaves it.
            let upper = drafts.len();
            let mut split = Draft::new((value, left));
            (split.least, split.reach) = (drafts[child].least, drafts[child].reach);
            split.children.push(child as u32);
            drafts[child].run.1 -= left;
            drafts.push(split);
            drafts[at].children[place] = upper as u32;
            (at, left) = (upper, 0);
        }
    }
    let draft = &mut drafts[at];
    draft.note(length, price);
    // Two symbols may have the same values.
    if draft.price == 0 || price < u32::from(draft.price) {
        (draft.symbol, draft.price) = (symbol, price as u8);
    }
}
