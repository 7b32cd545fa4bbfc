//! Finds how a game that is won goes on where it is known who wins, and not how far that is.
//!
//! A winner who keeps to moves that win may circle for ever. What leads on is a mate, or a capture or a
//! pawn's move that wins still: none of these can be taken back. The *rank* of a position is the number of
//! plies to the next such move, the winner taking the shortest way and the loser the longest, so it is what
//! `dtz` would say. It is found by looking forward: all positions are listed that can come from one by
//! moves that win and by the loser's replies, ply by ply, until the ranks of those that are listed tell
//! that of the first.

use crate::answer::{Ask, Line, RatedMove};
use crate::{Between, ProbeError};
use position::{Move, Position, RuleBook};
use std::collections::HashMap;
use table::{Ply, Value};
use variant::Side;

/// The most positions that are listed: those of two kings beside pawns that stand still are fewer.
const MOST_POSITIONS: usize = 1 << 13;

/// After how many positions the caller is asked whether to go on.
const LOOK: usize = 1 << 8;

/// Says what a position is worth to the side to move, as far as it is known.
pub type WhoWins<'a> = dyn Fn(&Position) -> Result<Between, ProbeError> + 'a;

/// The positions that can come from a won or lost one, until the next move that cannot be taken back.
pub struct Ranks<'a> {
    book: &'a RuleBook,
    known: &'a WhoWins<'a>,
    winner: Side,
    numbers: HashMap<Box<[u8]>, u32>,
    nodes: Vec<Ranked>,
    /// All positions are listed that come up within this number of plies.
    depth: u16,
}

/// A position that is won for the winner.
struct Ranked {
    position: Position,
    /// The loser's moves, or those of the winner's that win; none until they were looked for.
    moves: Option<Vec<(Move, Onward)>>,
    /// Whether the winner to move has one move that wins, and all others are known not to.
    has_only_move: bool,
    /// Whether the game is over here.
    is_over: bool,
    rank: Option<u16>,
}

/// What a move leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onward {
    /// It cannot be taken back.
    Stop,
    /// The position with this number.
    To(u32),
}

impl<'a> Ranks<'a> {
    /// Looks forward from a legal position that this side wins, until its rank is known, `goes_on` says
    /// no or too many positions are listed.
    ///
    /// # Errors
    /// A file that is needed cannot be read.
    ///
    /// Complexity: the winner's moves of each position that is listed are asked for, 8,192 at most.
    pub fn new(
        book: &'a RuleBook,
        position: &Position,
        winner: Side,
        known: &'a WhoWins<'a>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Self, ProbeError> {
        let mut ranks = Ranks { book, known, winner, numbers: HashMap::new(), nodes: Vec::new(), depth: 0 };
        ranks.number(position);
        let (mut n_done, mut is_cut) = (0, false);
        while n_done < ranks.nodes.len() && !is_cut {
            let layer = n_done..ranks.nodes.len();
            n_done = layer.end;
            for at in layer {
                is_cut = ranks.nodes.len() >= MOST_POSITIONS || at % LOOK == 0 && !goes_on();
                if is_cut {
                    break;
                }
                ranks.follow(at)?;
            }
            if !is_cut {
                // Where nothing new came up nothing is missing, however long the way.
                ranks.depth = if n_done == ranks.nodes.len() { u16::MAX } else { ranks.depth + 1 };
            }
            ranks.rank_all();
            if ranks.is_shortest() {
                break;
            }
        }
        Ok(ranks)
    }

    /// Whether the rank of the first position is known, and no shorter way can be among what is not listed.
    fn is_shortest(&self) -> bool {
        self.nodes[0].rank.is_some_and(|rank| rank <= self.depth)
    }

    /// The number of a position, which is listed if it was not.
    fn number(&mut self, position: &Position) -> u32 {
        let number = self.nodes.len() as u32;
        let found = *self.numbers.entry(position.key(self.book)).or_insert(number);
        if found == number {
            let position = position.clone();
            self.nodes.push(Ranked {
                position,
                moves: None,
                has_only_move: false,
                is_over: false,
                rank: None,
            });
        }
        found
    }

    /// Lists what a position leads to.
    fn follow(&mut self, at: usize) -> Result<(), ProbeError> {
        let position = self.nodes[at].position.clone();
        let mut after = Vec::new();
        position.for_each_successor(self.book, |mv, next| after.push((mv, next.clone())));
        self.nodes[at].is_over = after.is_empty() && position.winner(self.book) == Some(self.winner);
        if position.stm() == self.winner {
            let (n_moves, mut open) = (after.len(), Vec::new());
            let mut winning = Vec::new();
            for (mv, next) in after {
                match (self.known)(&next)? {
                    known if known.wdl() == Some(-1) => winning.push((mv, next)),
                    known if known.tells_loss() => {}
                    _ => match next.ending(self.book) {
                        None => open.push((mv, next)),
                        Some(ending) if ending.winner == Some(self.winner) => winning.push((mv, next)),
                        Some(_) => {}
                    },
                }
            }
            self.nodes[at].has_only_move = winning.len() == 1 && open.is_empty() && n_moves > 1;
            // One of those has to win that are not known; it is known which if one man goes to one square.
            if winning.is_empty()
                && open.iter().all(|(mv, _)| mv.zeroing && (mv.from, mv.to) == (open[0].0.from, open[0].0.to))
            {
                winning = open;
                winning.truncate(1);
            }
            after = winning;
        }
        let numbered = |(mv, next): (Move, Position)| {
            (mv, if mv.zeroing { Onward::Stop } else { Onward::To(self.number(&next)) })
        };
        let moves = after.into_iter().map(numbered).collect();
        self.nodes[at].moves = Some(moves);
        Ok(())
    }

    /// Ranks all positions that can be ranked by what is listed.
    fn rank_all(&mut self) {
        let mut parents: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        let mut n_open = vec![0usize; self.nodes.len()];
        let mut layer = Vec::new();
        let mut soon = Vec::new();
        for (at, node) in self.nodes.iter_mut().enumerate() {
            node.rank = None;
            let Some(moves) = &node.moves else { continue };
            for (_, next) in moves {
                if let Onward::To(next) = next {
                    parents[*next as usize].push(at as u32);
                    n_open[at] += 1;
                }
            }
            let is_winner = node.position.stm() == self.winner;
            if node.is_over {
                layer.push(at as u32);
            } else if !moves.is_empty() && if is_winner { n_open[at] < moves.len() } else { n_open[at] == 0 }
            {
                soon.push(at as u32);
            }
        }
        for rank in 0.. {
            let mut next = std::mem::take(&mut soon);
            for at in std::mem::take(&mut layer) {
                let node = &mut self.nodes[at as usize];
                if node.rank.is_some() {
                    continue;
                }
                node.rank = Some(rank);
                for &parent in &parents[at as usize] {
                    n_open[parent as usize] -= 1;
                    let of_winner = self.nodes[parent as usize].position.stm() == self.winner;
                    if of_winner || n_open[parent as usize] == 0 {
                        next.push(parent);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
    }

    /// The rank of what a move leads to: none behind one that cannot be taken back.
    fn rank_of(&self, next: Onward) -> Option<u16> {
        match next {
            Onward::Stop => Some(0),
            Onward::To(next) => self.nodes[next as usize].rank,
        }
    }

    /// The moves of the position, those that win if the winner is to move, and the plies to the next move
    /// that cannot be taken back if this one is made; of those that are known.
    pub fn moves(&self) -> impl Iterator<Item = (Move, u16)> {
        let moves = self.nodes[0].moves.iter().flatten();
        moves.filter_map(|&(mv, next)| Some((mv, self.rank_of(next)? + 1)))
    }

    /// Adds the moves up to the first that cannot be taken back, or to the end of the game; none if it is
    /// not known which way is the shortest. Returns whether the last one cannot be taken back.
    fn add_to(&self, line: &mut Vec<RatedMove>) -> bool {
        if !self.is_shortest() {
            return false;
        }
        let mut at = 0;
        while let Some(rank) = self.nodes[at].rank.filter(|&rank| rank > 0) {
            let node = &self.nodes[at];
            let as_ranked = |&&(_, next): &&(Move, Onward)| self.rank_of(next) == Some(rank - 1);
            // What ends the game comes first, a capture or promotion before a pawn's step, and of steps
            // that of the pawn that is farthest.
            let board = &self.book.variant().board;
            let left = |mv: &Move| match node.position.stm() {
                Side::White => board.ranks() - board.rank_of(mv.to),
                Side::Black => board.rank_of(mv.to),
            };
            let ends = |mv: Move| node.position.play(mv).winner(self.book) == Some(self.winner);
            let order = |&&(mv, next): &&(Move, Onward)| match next {
                Onward::To(_) => None,
                Onward::Stop if ends(mv) => None,
                Onward::Stop => Some((!mv.is_conversion(), left(&mv))),
            };
            let moves = node.moves.iter().flatten().filter(as_ranked);
            let Some(&(mv, next)) = moves.min_by_key(order) else { break };
            let is_winner = node.position.stm() == self.winner;
            let value = if is_winner { Value::Win(Ply(1)) } else { Value::Loss(Ply(0)) };
            let rated = RatedMove::new(self.book, mv, Between::exactly(value));
            line.push(RatedMove { is_only: node.has_only_move, ..rated });
            match next {
                Onward::Stop => return true,
                Onward::To(next) => at = next as usize,
            }
        }
        false
    }
}

/// How a game goes on from a position that a side wins, by what is known of who wins; to the next move that
/// cannot be taken back, or as far as it is known.
///
/// # Errors
/// A file that is needed cannot be read.
pub fn line_by_results(
    book: &RuleBook,
    position: &Position,
    value: Between,
    ask: &Ask<'_>,
    known: &WhoWins<'_>,
) -> Result<Vec<RatedMove>, ProbeError> {
    let winner = match value.wdl() {
        Some(1) => position.stm(),
        Some(-1) => !position.stm(),
        _ => return Ok(Vec::new()),
    };
    let mut position = position.clone();
    let mut line = Vec::new();
    while (ask.goes_on)() {
        let n_before = line.len();
        let leads_on = Ranks::new(book, &position, winner, known, ask.goes_on)?.add_to(&mut line);
        if !leads_on || ask.line == Line::ToStop {
            break;
        }
        position = line[n_before..].iter().fold(position, |position, rated| position.play(rated.mv));
    }
    Ok(line)
}
