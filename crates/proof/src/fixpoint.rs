//! Computes the values of a graph's positions: fixpoints by the definition, one sweep over all positions a
//! ply.
//!
//! **To mate**, for ply n = 1, 2, 3, … of every position that has no value yet:
//!
//! - it is won in n if a move leads to a position lost in n − 1;
//! - it is lost in n if every move leads to a won position, the longest of them won in n − 1.
//!
//! A position that is over without a move has its value from the rules: lost in 0, or won in 1, since the
//! winner claims it.
//!
//! **With help** both sides want White to win: a position ends in n plies if a move leads to one that ends
//! in n − 1.
//!
//! **Who wins** is that without the numbers, repeated until nothing changes. The rest is drawn.
//!
//! **To the next zeroing move** asks first who wins. Then each move counts something: a zeroing one 1, any
//! other 1 more than the position that it leads to; the winner takes the least, the loser the most of all.
//! That a zeroing move counts the same whatever is behind it is why who wins must be known before: a position
//! lost in a thousand plies may be won in one by a pawn move to it.
//!
//! **Under the n-move rule** who really wins, and how many plies that takes, comes from games that are
//! played against the clock. What is left are wins and losses that the rule turns into draws. They have
//! distances as well, beyond the rule: a zeroing move into another such position counts one ply more than
//! the rule has, and any other move 1 more than what it leads to, as before.
//!
//! Who wins against the clock is computed by brute force, for every position with every state of the clock.
//! The clock counts plies since the last zeroing move. A position in which it has reached the rule's plies
//! is a draw, but mate goes before the rule. For each position and each clock c, from the last to the first,
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
//! Nothing here relies on a win with the clock at c being one with any smaller clock too, and as soon. It is
//! only asserted, since otherwise one number could not say it all: a position is worth a win in p plies if
//! the last clock with which it is won is the rule's plies − p.
//!
//! **To mate under the n-move rule** is that with the plies kept: a value for every state of the clock.

use crate::graph::{Graph, Successor, code};
use rayon::prelude::*;
use table::{Code, Ply, Scale, Value};
use variant::Metric;

/// The value that a sweep finds of a node, if it finds one.
type NewValue = Option<Value>;

impl Graph {
    /// The values of all nodes, as codes of two bytes.
    pub(crate) fn solve(&self, scale: &Scale) -> Vec<u16> {
        match (scale.metric(), scale.rule_plies()) {
            (Metric::Dtm | Metric::Dtm50, _) => self.to_mate(),
            (Metric::Help, _) => self.helped(),
            (Metric::Wdl, _) => self.wdl(),
            (Metric::Dtz50, Some(rule_plies)) => self.under_the_rule(rule_plies),
            (Metric::Dtc | Metric::Dtz | Metric::Dtz50, _) => self.to_zeroing(),
        }
    }

    /// Wins and losses in plies to mate.
    ///
    /// Complexity: one look at each move of each undecided position a ply.
    fn to_mate(&self) -> Vec<u16> {
        self.by_plies(|codes, node, ply| {
            let mut values = self.moves(node).map(|after| value_in(codes, after));
            if values.clone().any(|value| value == Value::Loss(Ply(ply - 1))) {
                return Some(Value::Win(Ply(ply)));
            }
            let all_won = values.all(|value| matches!(value, Value::Win(before) if before < Ply(ply)));
            all_won.then_some(Value::Loss(Ply(ply)))
        })
    }

    /// Plies until White has won if both sides want it.
    ///
    /// Complexity: as that of wins and losses in plies to mate.
    fn helped(&self) -> Vec<u16> {
        self.by_plies(|codes, node, ply| {
            self.moves(node).find_map(|after| match value_in(codes, after) {
                Value::Loss(before) if before == Ply(ply - 1) => Some(Value::Win(Ply(ply))),
                Value::Win(before) if before == Ply(ply - 1) => Some(Value::Loss(Ply(ply))),
                _ => None,
            })
        })
    }

    /// The values that `value` finds of open nodes at ply 1, 2, 3, …, until nothing can come any more.
    fn by_plies(&self, value: impl Fn(&[u16], usize, u16) -> NewValue + Sync) -> Vec<u16> {
        let mut codes = self.end_codes();
        let mut open = undecided(&codes);
        // What is given: the values of other materials, and those of positions without a move.
        let given = |node| self.moves(node).filter_map(outside).chain([self.end(node)]);
        let plies = |node| given(node).filter_map(|value| value.ply());
        let last_given = (0..self.len()).into_par_iter().flat_map_iter(plies).max().unwrap_or(Ply(0));
        for ply in 1.. {
            let n_found = sweep(&mut codes, &mut open, |codes, node| value(codes, node, ply));
            if n_found == 0 && Ply(ply) > last_given {
                break;
            }
        }
        codes
    }

    /// Wins and losses without distances: 1 and 0 plies.
    fn wdl(&self) -> Vec<u16> {
        let mut codes = self.end_codes();
        let mut open = undecided(&codes);
        let decided = |codes: &[u16], node| {
            let mut values = self.moves(node).map(|after| value_in(codes, after));
            if values.clone().any(|value| matches!(value, Value::Loss(_))) {
                return Some(Value::Win(Ply(1)));
            }
            values.all(|value| matches!(value, Value::Win(_))).then_some(Value::Loss(Ply(0)))
        };
        while sweep(&mut codes, &mut open, decided) > 0 {}
        codes
    }

    /// Wins and losses in plies to mate or the next zeroing move.
    fn to_zeroing(&self) -> Vec<u16> {
        self.counted(&self.wdl(), self.end_codes(), 1, |_| 1)
    }

    /// Wins and losses under the n-move rule, and those that the rule turns into draws.
    fn under_the_rule(&self, rule_plies: u16) -> Vec<u16> {
        let real = self.against_the_clock(rule_plies);
        let is_real = |after: Successor| match after {
            Successor::Inside { node, .. } => real[node].value().ply().is_some(),
            Successor::Outside(value) => value.ply().is_some_and(|ply| ply <= Ply(rule_plies)),
        };
        let beyond = rule_plies + 1;
        self.counted(&self.wdl(), real.clone(), beyond, |after| if is_real(after) { 1 } else { beyond })
    }

    /// Adds to `codes` the distances of all positions that a side wins and that have none yet, from ply
    /// `first` on; `zeroing` is what a zeroing move counts.
    ///
    /// # Panics
    /// If the definition gives a won or lost position no distance: it always does.
    fn counted(
        &self,
        wdl: &[u16],
        mut codes: Vec<u16>,
        first: u16,
        zeroing: impl Fn(Successor) -> u16 + Sync,
    ) -> Vec<u16> {
        let mut open = undecided(&codes);
        open.retain(|&node| wdl[node as usize] != u16::DRAW);
        let mut ply = first;
        while !open.is_empty() {
            let n_found = sweep(&mut codes, &mut open, |codes, node| {
                let counts = |after: Successor| match after {
                    Successor::Inside { node, is_zeroing: false } => Some(codes[node].value().ply()?.0 + 1),
                    _ => Some(zeroing(after)),
                };
                let is_lost = |after: &Successor| matches!(value_in(wdl, *after), Value::Loss(_));
                let mut moves = self.moves(node);
                let is_due = match wdl[node].value() {
                    Value::Win(_) => moves.filter(is_lost).any(|after| counts(after) == Some(ply)),
                    _ => moves.all(|after| counts(after).is_some_and(|count| count <= ply)),
                };
                let value = if matches!(wdl[node].value(), Value::Win(_)) { Value::Win } else { Value::Loss };
                is_due.then_some(value(Ply(ply)))
            });
            assert!(
                n_found > 0 || ply == first,
                "{} decided positions without a distance at {ply}",
                open.len()
            );
            ply += 1;
        }
        codes
    }

    fn end_codes(&self) -> Vec<u16> {
        (0..self.len()).map(|node| code(self.end(node))).collect()
    }
}

/// The nodes that are neither decided nor without a move.
fn undecided(codes: &[u16]) -> Vec<u32> {
    (0..codes.len() as u32).filter(|&node| codes[node as usize] == u16::DRAW).collect()
}

/// The value of what a move leads to, as far as it is known.
fn value_in(codes: &[u16], after: Successor) -> Value {
    match after {
        Successor::Inside { node, .. } => codes[node].value(),
        Successor::Outside(value) => value,
    }
}

fn outside(after: Successor) -> Option<Value> {
    if let Successor::Outside(value) = after { Some(value) } else { None }
}

/// Asks for the value of each open node, everything being as it was before this sweep, and closes those that
/// have one; how many these are.
fn sweep(codes: &mut [u16], open: &mut Vec<u32>, value: impl Fn(&[u16], usize) -> NewValue + Sync) -> usize {
    let before: &[u16] = codes;
    let found: Vec<(u32, u16)> =
        open.par_iter().filter_map(|&node| Some((node, code(value(before, node as usize)?)))).collect();
    for &(node, code) in &found {
        codes[node as usize] = code;
    }
    if !found.is_empty() {
        open.retain(|&node| codes[node as usize] == u16::DRAW);
    }
    found.len()
}

impl Graph {
    /// The codes of all nodes that are won or lost with the clock at 0 under the rule, with the plies that
    /// the clock needs; everything else is drawn, stalemate or illegal.
    fn against_the_clock(&self, rule_plies: u16) -> Vec<u16> {
        // Behind a zeroing move it only matters who really wins.
        let outside = |value: Value| match value.ply() {
            Some(ply) if ply.0 > rule_plies => Value::Draw,
            _ => value.without_distance(),
        };
        let mut plies: Vec<Option<u16>> = Vec::new();
        let at_zero = self.by_clock(rule_plies, &outside, |clock, layer| {
            if clock == rule_plies {
                plies = vec![None; layer.len()];
            }
            for (plies, code) in plies.iter_mut().zip(layer) {
                *plies = plies.or(code.value().ply().map(|_| rule_plies - clock));
            }
        });
        let value = |(node, plies): (usize, Option<u16>)| match (at_zero[node].value(), plies) {
            (Value::Win(_), Some(plies)) => Value::Win(Ply(plies)),
            (Value::Loss(_), Some(plies)) => Value::Loss(Ply(plies)),
            _ => self.end(node),
        };
        plies.into_iter().enumerate().map(value).map(code).collect()
    }

    /// Wins and losses in plies to mate under the rule, at every clock from 0 on.
    pub(crate) fn to_mate_by_clock(&self, rule_plies: u16) -> Vec<Vec<u16>> {
        let mut layers = vec![Vec::new(); usize::from(rule_plies) + 1];
        self.by_clock(rule_plies, &|value| value, |clock, layer| layers[usize::from(clock)] = layer.to_vec());
        layers
    }

    /// Plays against the clock, until the values at clock 0, which are the result, follow from themselves.
    /// `outside` is what a value of another material counts, `visit` gets all values at each clock, those of
    /// the last clock first, each time anew.
    ///
    /// Complexity: one look at each move for each state of the clock, as many times as pawns can step.
    fn by_clock(
        &self,
        rule_plies: u16,
        outside: &(dyn Fn(Value) -> Value + Sync),
        mut visit: impl FnMut(u16, &[u16]),
    ) -> Vec<u16> {
        let at_the_end = |node| match self.end(node) {
            Value::Win(_) => Value::Draw,
            end => end,
        };
        let at_the_end: Vec<u16> = (0..self.len()).map(at_the_end).map(code).collect();
        let mut at_zero = at_the_end.clone();
        loop {
            let mut layer = at_the_end.clone();
            visit(rule_plies, &layer);
            for clock in (0..rule_plies).rev() {
                let next = self.layer(&at_zero, &layer, outside);
                for (node, (now, later)) in next.iter().zip(&layer).enumerate() {
                    let (now, later) = (now.value(), later.value());
                    assert!(
                        later.ply().is_none() || (now.wdl() == later.wdl() && now.ply() <= later.ply()),
                        "position {node} is {now:?} with the clock at {clock}, and {later:?} a ply later"
                    );
                }
                layer = next;
                visit(clock, &layer);
            }
            if layer == at_zero {
                return layer;
            }
            at_zero = layer;
        }
    }

    /// The values of all nodes with the same clock, from those a ply later and those at the clock 0.
    fn layer(&self, at_zero: &[u16], later: &[u16], outside: &(dyn Fn(Value) -> Value + Sync)) -> Vec<u16> {
        let value = |node: usize| {
            if self.end(node) != Value::Draw {
                return self.end(node);
            }
            let worth = |after: Successor| {
                let value = match after {
                    Successor::Inside { node, is_zeroing: true } => at_zero[node].value(),
                    Successor::Inside { node, is_zeroing: false } => later[node].value(),
                    Successor::Outside(value) => outside(value),
                };
                value.before_move().expect("moves are legal")
            };
            self.moves(node).map(worth).max_by(Value::preference).expect("a move")
        };
        (0..self.len()).into_par_iter().map(value).map(code).collect()
    }
}
