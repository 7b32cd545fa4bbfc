//! Looks for the helpmates of a position forward, move by move, where it has too many men for tables.
//!
//! All positions that can arise are listed, those after one ply, after two, and so on. The first in which a
//! side has won ends the shortest helpmate for it. If no new position arises, a side that has not won by
//! then never can: so blocked positions are proved dead. Positions are compared man for man, and castling
//! and the right to capture en passant count; repetitions and the n-move rule do not.

use crate::Helpmates;
use foldhash::HashSet;
use position::{Move, Position, RuleBook};
use probe::{Answer, Between, By, RatedMove};
use std::ops::ControlFlow;
use table::{Ply, Scale, Value};
use variant::{Metric, Side};

/// A line after which a side has won.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WonLine {
    /// The moves.
    pub moves: Vec<Move>,
    /// How many plies they count: one more than the moves where the winner is to move, who claims his win.
    pub plies: u16,
}

/// What a search has found.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct HelpmateSearch {
    /// By side: a shortest line after which it has won; none if none was found.
    pub lines: [Option<WonLine>; 2],
    /// Whether all positions that can arise were looked at, or both sides have won: then a side without a
    /// line can never win.
    pub is_whole: bool,
    /// How many positions were looked at.
    pub n_positions: usize,
    /// How many plies all lines were followed.
    pub plies: usize,
}

impl HelpmateSearch {
    /// Whether it is known that this side can never win.
    #[must_use]
    pub fn is_never(&self, winner: Side) -> bool {
        self.is_whole && self.lines[winner.index()].is_none()
    }
}

impl HelpmateSearch {
    /// What it says of the position that was searched; a side of which it says nothing can win or not.
    #[must_use]
    pub fn helpmates(&self, book: &RuleBook, position: &Position) -> Helpmates {
        let of = |winner: Side| self.answer(book, position, winner);
        Helpmates { white: of(Side::White), black: Some(of(Side::Black)) }
    }

    fn answer(&self, book: &RuleBook, position: &Position, winner: Side) -> Answer {
        let scale = Scale::new(Metric::Help, &book.variant().rules);
        let line = self.lines[winner.index()].as_ref();
        let n_plies = |at: usize| Ply(line.map_or(0, |line| line.plies.saturating_sub(at as u16)));
        let value = match line {
            Some(_) => Between::exactly(Value::Win(n_plies(0))),
            None if self.is_never(winner) => Between::exactly(Value::Draw),
            None => Between::ANYTHING,
        };
        let rated = |(at, mv): (usize, &Move)| RatedMove {
            next_value: Some(Value::Win(n_plies(at + 1))),
            ..RatedMove::new(book, *mv, Between::exactly(Value::Win(n_plies(at))))
        };
        Answer {
            value,
            winner: Some(winner),
            outcome: position.outcome(book),
            line: Some(line.iter().flat_map(|line| line.moves.iter().enumerate()).map(rated).collect()),
            by: By::Rules,
            ..Answer::unknown(position.clone(), scale, Vec::new())
        }
    }
}

/// A position that was found: the move that led to it, and from which.
struct Node {
    mv: Option<Move>,
    parent: u32,
}

/// Looks forward from a legal position until both sides have won, no new position arises, or about `most`
/// positions are known. `watch` gets the plies and the positions so far, now and then, and says whether to
/// go on.
///
/// Complexity: one look at each move of each position; some 60 bytes a position, and 300 one of the last
/// ply.
pub fn search_helpmates(
    book: &RuleBook,
    position: &Position,
    most: usize,
    watch: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> HelpmateSearch {
    let most = most.min(u32::MAX as usize);
    let mut found = HelpmateSearch::default();
    let mut nodes = vec![Node { mv: None, parent: 0 }];
    let mut known: HashSet<Box<[u8]>> = HashSet::default();
    known.insert(position.key(book));
    let (mut frontier, mut n_looked_at) = (vec![(position.clone(), 0)], 0);
    while !frontier.is_empty() {
        let mut next = Vec::new();
        for (position, node) in std::mem::take(&mut frontier) {
            let mut has_move = false;
            position.for_each_successor(book, |mv, after| {
                has_move = true;
                if known.insert(after.key(book)) {
                    next.push((after.clone(), nodes.len() as u32));
                    nodes.push(Node { mv: Some(mv), parent: node });
                }
            });
            let ending = if has_move { None } else { position.ending(book) };
            if let Some(winner) = ending.and_then(|ending| ending.winner) {
                let plies = found.plies + usize::from(winner == position.stm());
                let plies = u16::try_from(plies).unwrap_or(u16::MAX);
                let own = &mut found.lines[winner.index()];
                if own.as_ref().is_none_or(|line| plies < line.plies) {
                    *own = Some(WonLine { moves: line_to(&nodes, node), plies });
                }
            }
            // A win that is claimed counts a ply more, so another one of this ply may be sooner.
            let is_soonest = |line: &WonLine| usize::from(line.plies) <= found.plies;
            let is_enough = found.lines.iter().all(|line| line.as_ref().is_some_and(is_soonest));
            n_looked_at += 1;
            let is_asked = n_looked_at % LOOK == 0 && watch(found.plies, nodes.len()).is_break();
            if is_enough || is_asked || nodes.len() >= most {
                found.is_whole = is_enough;
                found.n_positions = nodes.len();
                return found;
            }
        }
        found.plies += 1;
        if found.lines.iter().all(Option::is_some) {
            break;
        }
        frontier = next;
    }
    found.is_whole = true;
    found.n_positions = nodes.len();
    found
}

/// After how many positions the watcher is asked.
const LOOK: usize = 1 << 8;

/// The moves that led to a position.
fn line_to(nodes: &[Node], mut node: u32) -> Vec<Move> {
    let mut line = Vec::new();
    while let Some(mv) = nodes[node as usize].mv {
        line.push(mv);
        node = nodes[node as usize].parent;
    }
    line.reverse();
    line
}
