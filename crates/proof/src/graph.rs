//! Lists all positions of one material and where their moves lead, in flat arrays.
//!
//! A move leads to another position of the material, which has a node, or leaves the material. Of the moves
//! that leave it a position keeps one, that to the position which its mover likes best: under every metric
//! a sooner loss of the opponent is better than a later one, and a later win of his better than a sooner one.
//! Where both sides want the same, the nearest end is the best.
//!
//! A double step leads to a position with a right to capture en passant. It has no number, and no other move
//! leads to it, so each gets a node of its own behind the numbered ones.
//!
//! `fixpoint` computes the values.

use crate::derivation::{kind_of, may_matter, without_a_move};
use crate::numbering::Numbering;
use position::{Position, RuleBook};
use rayon::prelude::*;
use table::{Code, Scale, Value};

/// How many positions one task lists.
const CHUNK: usize = 1 << 13;

/// The positions of one material and their moves.
pub(crate) struct Graph {
    /// The value of each node without a move, as a code of two bytes; a draw for all others.
    ends: Vec<u16>,
    /// The value of the position to which the best move that leaves the material leads; illegal if there is
    /// none.
    exits: Vec<u16>,
    /// Where the successors of each node start among the targets; one more than there are nodes.
    starts: Vec<u32>,
    /// A node, with [`ZEROING`] if the move to it is.
    targets: Vec<u32>,
}

/// Where a move leads.
#[derive(Clone, Copy)]
pub(crate) enum Successor {
    /// To a node of the material.
    Inside {
        /// The node.
        node: usize,
        /// Whether the move sets back what is counted.
        is_zeroing: bool,
    },
    /// To a position of another material with this value to the side then to move. Wherever moves are
    /// zeroing, those that leave the material are: they are captures and promotions.
    Outside(Value),
}

/// What one task has listed.
#[derive(Default)]
struct Chunk {
    ends: Vec<u16>,
    exits: Vec<u16>,
    n_targets: Vec<u32>,
    /// A number, or [`EXTRA`] + a place in `extra`; either with [`ZEROING`] if the move is.
    targets: Vec<u32>,
    /// The positions after double steps, to be listed next.
    extra: Vec<Position>,
}

/// Marks a target to which a zeroing move leads.
const ZEROING: u32 = 1 << 31;

/// Marks a target that has its number yet to get.
const EXTRA: u32 = 1 << 30;

impl Graph {
    /// Lists all positions; `exit` gives the value of one of another material.
    ///
    /// # Panics
    /// If there are more than 2³⁰ positions or 2³² moves.
    pub(crate) fn new(
        book: &RuleBook,
        numbering: &Numbering,
        is_inside: impl Fn(&Position) -> bool + Sync,
        exit: impl Fn(&Position) -> Value + Sync,
        scale: &Scale,
    ) -> Self {
        let n_numbered = numbering.len();
        assert!(n_numbered <= EXTRA as usize, "{n_numbered} positions, at most 2^30");
        let mut graph = Graph { ends: Vec::new(), exits: Vec::new(), starts: vec![0], targets: Vec::new() };
        let list = |position: Option<&Position>, chunk: &mut Chunk| {
            chunk.list(book, numbering, position, &is_inside, &exit, scale);
        };
        let starts: Vec<usize> = (0..n_numbered).step_by(CHUNK).collect();
        let chunks: Vec<Chunk> = starts
            .into_par_iter()
            .map(|start| {
                let mut chunk = Chunk::default();
                for number in start..(start + CHUNK).min(n_numbered) {
                    list(numbering.position(book.variant(), number).as_ref(), &mut chunk);
                }
                chunk
            })
            .collect();
        let mut extra = graph.append(chunks, n_numbered);
        while !extra.is_empty() {
            let n_nodes = graph.len() + extra.len();
            let chunks: Vec<Chunk> = extra
                .par_chunks(CHUNK)
                .map(|positions| {
                    let mut chunk = Chunk::default();
                    positions.iter().for_each(|position| list(Some(position), &mut chunk));
                    chunk
                })
                .collect();
            extra = graph.append(chunks, n_nodes);
        }
        graph
    }

    /// The graph of positions that the caller numbers as they come up: `next` lists the moves of one after
    /// the other, each with the number of the position that it leads to and whether it is zeroing.
    ///
    /// # Panics
    /// If there are 2³¹ positions or 2³² moves.
    pub(crate) fn of_moves(
        book: &RuleBook,
        mut next: impl FnMut() -> Option<(Position, Vec<(u32, bool)>)>,
    ) -> Self {
        let mut graph = Graph { ends: Vec::new(), exits: Vec::new(), starts: vec![0], targets: Vec::new() };
        while let Some((position, targets)) = next() {
            graph.ends.push(if targets.is_empty() {
                code(without_a_move(book, &position))
            } else {
                u16::DRAW
            });
            graph.exits.push(u16::ILLEGAL);
            for (target, is_zeroing) in targets {
                assert!(target < ZEROING, "{target} positions, fewer than 2^31");
                graph.targets.push(target | if is_zeroing { ZEROING } else { 0 });
            }
            let end = u32::try_from(graph.targets.len());
            graph.starts.push(end.expect("more moves than 32 bits can number"));
        }
        graph
    }

    /// Appends what tasks have listed; the extra positions get the numbers from `next` on.
    fn append(&mut self, chunks: Vec<Chunk>, mut next: usize) -> Vec<Position> {
        let mut extra = Vec::new();
        self.targets.reserve_exact(chunks.iter().map(|chunk| chunk.targets.len()).sum());
        for chunk in chunks {
            for n in &chunk.n_targets {
                let end = self.starts[self.starts.len() - 1].checked_add(*n);
                self.starts.push(end.expect("more moves than 32 bits can number"));
            }
            assert!(next + chunk.extra.len() <= EXTRA as usize, "{next} positions, at most 2^30");
            let target = |&t: &u32| if t & EXTRA == 0 { t } else { t - EXTRA + next as u32 };
            self.targets.extend(chunk.targets.iter().map(target));
            self.ends.extend(chunk.ends);
            self.exits.extend(chunk.exits);
            next += chunk.extra.len();
            extra.extend(chunk.extra);
        }
        extra
    }

    /// How many nodes there are; those of the numbered positions come first.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The value of a node without a move; a draw if it has one.
    pub(crate) fn end(&self, node: usize) -> Value {
        self.ends[node].value()
    }

    /// Where the moves of a node lead.
    pub(crate) fn moves(&self, node: usize) -> impl Iterator<Item = Successor> + Clone + '_ {
        let targets = &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize];
        let inside = targets.iter().map(|&target| Successor::Inside {
            node: (target & !ZEROING) as usize,
            is_zeroing: target & ZEROING != 0,
        });
        let outside = Some(self.exits[node].value()).filter(|value| *value != Value::Illegal);
        inside.chain(outside.map(Successor::Outside))
    }
}

impl Chunk {
    /// Lists the moves of one position; none stands for a number without a position.
    fn list(
        &mut self,
        book: &RuleBook,
        numbering: &Numbering,
        position: Option<&Position>,
        is_inside: &impl Fn(&Position) -> bool,
        exit: &impl Fn(&Position) -> Value,
        scale: &Scale,
    ) {
        let Some(position) = position.filter(|position| position.is_legal(book)) else {
            self.ends.push(u16::ILLEGAL);
            self.exits.push(u16::ILLEGAL);
            self.n_targets.push(0);
            return;
        };
        let before = self.targets.len();
        let mut best_exit: Option<Value> = None;
        position.for_each_successor(book, |mv, next| {
            let mark = if scale.restarts(kind_of(&mv)) { ZEROING } else { 0 };
            if !is_inside(next) {
                let after = exit(next);
                let worth = |after: Value| after.before_move().unwrap_or(Value::Illegal);
                if best_exit.is_none_or(|best| scale.preference(&worth(after), &worth(best)).is_gt()) {
                    best_exit = Some(after);
                }
            } else if may_matter(book, next) {
                self.targets.push(mark | (EXTRA + self.extra.len() as u32));
                self.extra.push(next.clone());
            } else {
                let number = numbering.number(next).expect("a legal move leads to a position");
                self.targets.push(mark | number as u32);
            }
        });
        let n_targets = self.targets.len() - before;
        let is_over = n_targets == 0 && best_exit.is_none();
        self.ends.push(if is_over { code(without_a_move(book, position)) } else { u16::DRAW });
        self.exits.push(best_exit.map_or(u16::ILLEGAL, code));
        self.n_targets.push(n_targets as u32);
    }
}

/// The code in which a value is kept while a material is solved.
pub(crate) fn code(value: Value) -> u16 {
    u16::from_value(value).expect("a distance of fewer than 32,766 plies")
}
