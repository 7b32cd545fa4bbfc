//! All positions of one material and where their moves lead, listed once in flat arrays; and the fixpoint over them.
//!
//! The definition, said for ply n = 1, 2, 3, … of every position that has no value yet:
//!
//! - it is won in n if a move leads to a position lost in n − 1;
//! - it is lost in n if every move leads to a won position, the longest of them won in n − 1.
//!
//! One sweep over all positions a ply says just that. Moves that leave the material have known ends, of which a
//! position keeps only the one its mover likes best. What no sweep reaches is drawn.
//!
//! A double step leads to a position with a right to capture en passant. It has no number, and no other move leads
//! to it, so each gets a node of its own behind the numbered ones.

use crate::numbering::Numbering;
use crate::reading::{better, may_matter, without_a_move};
use position::{Position, RuleBook};
use rayon::prelude::*;
use table::{Code, Value};

/// How many positions one task lists.
const CHUNK: usize = 1 << 13;

/// The positions of one material and their moves.
pub(crate) struct Graph {
    /// The value of each node, as a code of two bytes; a draw for now where nothing is known.
    codes: Vec<u16>,
    /// The value of the best move that leaves the material, to the mover; illegal if there is none.
    exits: Vec<u16>,
    /// Where the successors of each node start among the targets; one more than there are nodes.
    starts: Vec<u32>,
    targets: Vec<u32>,
}

/// What one task has listed.
#[derive(Default)]
struct Chunk {
    codes: Vec<u16>,
    exits: Vec<u16>,
    n_targets: Vec<u32>,
    /// A number, or [`EXTRA`] + a place in `extra`.
    targets: Vec<u32>,
    /// The positions after double steps, to be listed next.
    extra: Vec<Position>,
}

/// Marks a target that has its number yet to get.
const EXTRA: u32 = 1 << 31;

impl Graph {
    /// Lists all positions; `exit` gives the value of one of another material.
    ///
    /// # Panics
    /// If there are more than 2³¹ positions or 2³² moves.
    pub(crate) fn new(
        book: &RuleBook,
        numbering: &Numbering,
        is_inside: impl Fn(&Position) -> bool + Sync,
        exit: impl Fn(&Position) -> Value + Sync,
    ) -> Self {
        let n_numbered = numbering.len();
        assert!(n_numbered <= EXTRA as usize, "{n_numbered} positions, at most 2^31");
        let mut graph = Graph { codes: Vec::new(), exits: Vec::new(), starts: vec![0], targets: Vec::new() };
        let list = |position: Option<&Position>, chunk: &mut Chunk| {
            chunk.list(book, numbering, position, &is_inside, &exit);
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
            let n_nodes = graph.codes.len() + extra.len();
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

    /// Appends what tasks have listed; the extra positions get the numbers from `next` on.
    fn append(&mut self, chunks: Vec<Chunk>, mut next: usize) -> Vec<Position> {
        let mut extra = Vec::new();
        self.targets.reserve_exact(chunks.iter().map(|chunk| chunk.targets.len()).sum());
        for chunk in chunks {
            for n in &chunk.n_targets {
                let end = self.starts[self.starts.len() - 1].checked_add(*n);
                self.starts.push(end.expect("more moves than 32 bits can number"));
            }
            assert!(next + chunk.extra.len() <= EXTRA as usize, "{next} positions, at most 2^31");
            let target = |&t: &u32| if t < EXTRA { t } else { t - EXTRA + next as u32 };
            self.targets.extend(chunk.targets.iter().map(target));
            self.codes.extend(chunk.codes);
            self.exits.extend(chunk.exits);
            next += chunk.extra.len();
            extra.extend(chunk.extra);
        }
        extra
    }

    /// Computes all values; those of the numbered positions come first.
    ///
    /// Complexity: one look at each move of each undecided position a ply.
    pub(crate) fn solve(mut self) -> Vec<u16> {
        let last_exit =
            self.exits.iter().filter_map(|exit| exit.value().ply()).map(|ply| ply.0).max().unwrap_or(0);
        let mut open: Vec<u32> =
            (0..self.codes.len() as u32).filter(|&i| self.codes[i as usize] == u16::DRAW).collect();
        for ply in 1.. {
            let found: Vec<(u32, u16)> =
                open.par_iter().filter_map(|&i| Some((i, self.decided_at(i as usize, ply)?))).collect();
            for &(i, code) in &found {
                self.codes[i as usize] = code;
            }
            if found.is_empty() && ply > last_exit {
                break;
            }
            if !found.is_empty() {
                open.retain(|&i| self.codes[i as usize] == u16::DRAW);
            }
        }
        self.codes
    }

    /// The code of an undecided position if this ply decides it, all earlier plies being done.
    fn decided_at(&self, node: usize, ply: u16) -> Option<u16> {
        let targets = &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize];
        let [win, loss, lost_before] =
            [Value::Win(table::Ply(ply)), Value::Loss(table::Ply(ply)), Value::Loss(table::Ply(ply - 1))]
                .map(code);
        let exit = self.exits[node];
        let mut all_won = match exit.value() {
            Value::Illegal => true,
            Value::Loss(due) => due.0 <= ply,
            _ => false,
        };
        if exit == win {
            return Some(win);
        }
        for &target in targets {
            let successor = self.codes[target as usize];
            if successor == lost_before {
                return Some(win);
            }
            all_won &= is_win(successor);
        }
        all_won.then_some(loss)
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
    ) {
        let Some(position) = position.filter(|position| position.is_legal(book)) else {
            self.codes.push(u16::ILLEGAL);
            self.exits.push(u16::ILLEGAL);
            self.n_targets.push(0);
            return;
        };
        let before = self.targets.len();
        let mut best_exit: Option<Value> = None;
        position.for_each_successor(book, |_, next| {
            if !is_inside(next) {
                if let Some(own) = exit(next).before_move() {
                    best_exit = better(best_exit, own);
                }
            } else if may_matter(book, next) {
                self.targets.push(EXTRA + self.extra.len() as u32);
                self.extra.push(next.clone());
            } else {
                let number = numbering.number(next).expect("a legal move leads to a position");
                self.targets.push(number as u32);
            }
        });
        let n_targets = self.targets.len() - before;
        let is_over = n_targets == 0 && best_exit.is_none();
        self.codes.push(if is_over { code(without_a_move(book, position)) } else { u16::DRAW });
        self.exits.push(best_exit.map_or(u16::ILLEGAL, code));
        self.n_targets.push(n_targets as u32);
    }
}

fn code(value: Value) -> u16 {
    u16::from_value(value).expect("a distance of fewer than 32,766 plies")
}

fn is_win(code: u16) -> bool {
    matches!(code.value(), Value::Win(_))
}
