//! Computes who wins under the n-move rule: every position with every state of the clock, by brute force.
//!
//! The clock counts plies since the last zeroing move. A position in which it has reached the rule's plies is
//! a draw, but mate goes before the rule. For each position and each clock c, from the last to the first,
//!
//! - at the end of the clock only who has no legal move and loses is decided, as without the rule; who has
//!   won without a move claims it, which counts as a ply and comes too late;
//! - before, a position is won if a move leads to a lost one and lost if all lead to won ones, where a
//!   zeroing move leads to the clock 0 and any other to c + 1.
//!
//! Zeroing moves within a material (pawns that step) lead to the clock 0, which comes last; so all is done
//! again until the values at clock 0 do not change. That happens, because pawns cannot step for ever; and
//! then every value at every clock follows from its moves, which is the definition.
//!
//! Nothing here knows that a win with the clock at c is one with any smaller clock too. It is only asserted,
//! since otherwise one number could not say it all: a position is worth a win in p plies if the last clock
//! with which it is won is the rule's plies − p.

use crate::graph::{Graph, Successor, code};
use rayon::prelude::*;
use table::{Ply, Value};

/// A result under the rule, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ending {
    Drawn,
    Won,
    Lost,
}

impl Ending {
    /// The result of a position with the clock at 0 in another material.
    fn of(value: Value, rule_plies: u16) -> Ending {
        match value {
            Value::Win(ply) if ply.0 <= rule_plies => Ending::Won,
            Value::Loss(ply) if ply.0 <= rule_plies => Ending::Lost,
            _ => Ending::Drawn,
        }
    }
}

impl Graph {
    /// The codes of all nodes that are won or lost with the clock at 0 under the rule, with the plies that
    /// the clock needs; everything else is drawn, stalemate or illegal.
    ///
    /// Complexity: one look at each move for each state of the clock, as many times as pawns can step.
    pub(crate) fn against_the_clock(&self, rule_plies: u16) -> Vec<u16> {
        let at_the_end = |node| match self.end(node) {
            Value::Win(_) => Ending::Drawn,
            end => Ending::of(end, rule_plies),
        };
        let at_the_end: Vec<Ending> = (0..self.len()).map(at_the_end).collect();
        let mut at_zero = at_the_end.clone();
        loop {
            let mut plies: Vec<Option<u16>> = at_the_end.iter().map(|&ending| decided(ending, 0)).collect();
            let mut layer = at_the_end.clone();
            for clock in (0..rule_plies).rev() {
                let next = self.layer(&at_zero, &layer, rule_plies);
                for (node, (&ending, plies)) in next.iter().zip(&mut plies).enumerate() {
                    let before = layer[node];
                    assert!(
                        before == Ending::Drawn || before == ending,
                        "position {node} is {ending:?} with the clock at {clock}, and {before:?} a ply later"
                    );
                    *plies = plies.or(decided(ending, rule_plies - clock));
                }
                layer = next;
            }
            if layer == at_zero {
                let value = |(node, plies): (usize, Option<u16>)| match (layer[node], plies) {
                    (Ending::Won, Some(plies)) => Value::Win(Ply(plies)),
                    (Ending::Lost, Some(plies)) => Value::Loss(Ply(plies)),
                    _ => self.end(node),
                };
                return plies.into_iter().enumerate().map(value).map(code).collect();
            }
            at_zero = layer;
        }
    }

    /// The results of all nodes with the same clock, from those a ply later and those at the clock 0.
    fn layer(&self, at_zero: &[Ending], later: &[Ending], rule_plies: u16) -> Vec<Ending> {
        let ending = |node: usize| {
            if self.end(node) != Value::Draw {
                return Ending::of(self.end(node), rule_plies);
            }
            let mut endings = self.moves(node).map(|after| match after {
                Successor::Inside { node, is_zeroing: true } => at_zero[node],
                Successor::Inside { node, is_zeroing: false } => later[node],
                Successor::Outside(value) => Ending::of(value, rule_plies),
            });
            if endings.clone().any(|ending| ending == Ending::Lost) {
                Ending::Won
            } else if endings.all(|ending| ending == Ending::Won) {
                Ending::Lost
            } else {
                Ending::Drawn
            }
        };
        (0..self.len()).into_par_iter().map(ending).collect()
    }
}

fn decided(ending: Ending, plies: u16) -> Option<u16> {
    (ending != Ending::Drawn).then_some(plies)
}
