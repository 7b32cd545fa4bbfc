//! Lists unmoves: every position from which a legal move leads here.
//!
//! Written from the rules a second time, backwards: a man of the side that has just moved goes back along one
//! of its ways; a captured man may reappear where it stood; a promoted man may become a pawn again. Two
//! positions `a` and `b` belong together if and only if `b` is among `a`'s successors and `a` among `b`'s
//! predecessors, which is tested.
//!
//! A predecessor has a right to capture en passant only if that capture is the move. (Every other predecessor
//! may have had one as well: it was lost without a trace.) A right to castle that the move has lost, because
//! it is the king's or the rook's or takes the rook, may have been there or not, so both are listed. Clocks
//! are unknown and start anew. Captures that explode are not taken back: nothing is left of who made them and
//! who stood around.
//!
//! Nothing that judges values uses unmoves; they prove the moves. By a part of them,
//! [`Position::for_each_quiet_unmove`], the crate `rights` goes back from position to position.

use crate::book::{DoubleStep, ManBook, Way};
use crate::castling::between;
use crate::{CastlingRight, EnPassant, Position, RuleBook};
use geometry::{Square, SquareSet};
use variant::{Man, Pass, PieceId, Side, Wing};

impl Position {
    /// Every legal position from which one legal move leads to this one, in a fixed order and each once;
    /// `captured` lists the pieces of the side to move that a capture may have taken.
    #[must_use]
    pub fn unmoves(&self, book: &RuleBook, captured: &[PieceId]) -> Vec<Position> {
        let mut found = EarlierPositions::default();
        if !self.is_legal(book) {
            return Vec::new();
        }
        // Who may still castle has not moved.
        let unmoved = self.castling().squares();
        for (man, to) in self.men_of(!self.stm()).filter(|&(_, square)| !unmoved.contains(square)) {
            if self.en_passant().is_none() {
                for before in before_last_move(book, man, to) {
                    self.unmove_man(book, (before, to), captured, &mut found);
                }
            }
            self.unmove_double_step(book, man, to, &mut found);
        }
        if self.en_passant().is_none() {
            self.uncastle(book, &mut found);
            found.quiet.extend(self.unpassed(book));
        }
        let EarlierPositions { mut quiet, captures } = found;
        quiet.retain(|position| !position.must_capture(book));
        quiet.extend(captures);
        if book.variant().rules.check_counting.is_some() && self.is_in_check(book) {
            // The last move has given a check.
            let mover = (!self.stm()).index();
            quiet.retain(|position| position.given_checks[mover] > 0);
            quiet.iter_mut().for_each(|position| position.given_checks[mover] -= 1);
        }
        quiet.retain(|position| position.is_legal(book) && position.adjudication(book).is_none());
        let mut kept: Vec<Position> = Vec::new();
        for position in quiet {
            if !kept.contains(&position) {
                kept.push(position);
            }
        }
        kept
    }

    /// Calls `visit` with each position from which a quiet move of a man that is no pawn and holds no
    /// right to castle, or a pass, leads here, each once.
    ///
    /// The caller knows which positions are legal, and in which of them quiet moves are allowed: the game
    /// may be over there, or a capture compulsory.
    pub fn for_each_quiet_unmove(&self, book: &RuleBook, visit: &mut dyn FnMut(&Position)) {
        let unmoved = self.castling().squares();
        let mut before = self.clone();
        before.set_stm(!self.stm());
        for (man, to) in self.men_of(!self.stm()).filter(|&(_, square)| !unmoved.contains(square)) {
            let ManBook { ways, pawn: None, .. } = book.man(man) else { continue };
            before.take(to);
            for from in book.variant().board.squares().filter(|&s| self.man_on(s).is_none()) {
                let mut ways = ways[from.index()].iter().filter(|way| way.quiet);
                let leads_here = |way: &Way| way.leads_to(to, |s| s == from || before.man_on(s).is_some());
                if ways.any(leads_here) {
                    before.put(man, from);
                    visit(&before);
                    before.take(from);
                }
            }
            before.put(man, to);
        }
        if let Some(before) = self.unpassed(book) {
            visit(&before);
        }
    }

    /// Takes back every plain move, capture and en-passant capture to `to` of the man that stands there,
    /// which was `man` before.
    fn unmove_man(
        &self,
        book: &RuleBook,
        (man, to): (Man, Square),
        captured: &[PieceId],
        found: &mut EarlierPositions,
    ) {
        let may_capture = book.variant().rules.blast.is_none();
        for from in book.variant().board.squares().filter(|&s| self.man_on(s).is_none()) {
            let ways = book.man(man).ways[from.index()].iter();
            for way in ways.filter(|way| way.stages.iter().any(|stage| stage.square == to)) {
                let back = self.taken_back(man, from, to);
                // Before a quiet move no man stood on the target, before a capture one did.
                if way.quiet && way.leads_to(to, |s| back.man_on(s).is_some()) {
                    found.quiet.extend(with_lost_rights(book, back.clone(), &[from]));
                }
                if !way.capture || !may_capture {
                    continue;
                }
                let is_open = way.leads_to(to, |s| s == to || back.man_on(s).is_some());
                for &piece in captured {
                    let victim = Man { side: self.stm(), piece };
                    if is_open && book.variant().zone(victim).contains(to) {
                        let mut position = back.clone();
                        position.put(victim, to);
                        found.captures.extend(with_lost_rights(book, position, &[from, to]));
                    }
                    if book.man(man).pawn.is_some() {
                        en_passant_taken_back(book, &back, (victim, to), way, &mut found.captures);
                    }
                }
            }
        }
    }

    fn taken_back(&self, man: Man, from: Square, to: Square) -> Position {
        let mut position = self.clone();
        position.take(to);
        position.put(man, from);
        position.set_stm(!self.stm());
        (position.halfmove_clock, position.fullmove) = (0, 1);
        position
    }

    /// A double step leaves its right behind, so it was the last move if and only if the right is there (or
    /// the rules give none).
    fn unmove_double_step(&self, book: &RuleBook, man: Man, to: Square, found: &mut EarlierPositions) {
        let Some(pawn) = &book.man(man).pawn else { return };
        for step in pawn.double_steps.iter().filter(|step| step.to == to) {
            let right = pawn.en_passant.then_some(EnPassant { passed: step.passed, victim: to });
            let is_free = self.man_on(step.from).is_none() && self.are_empty(step.between);
            if is_free && right == self.en_passant() {
                found.quiet.push(self.taken_back(man, step.from, to));
            }
        }
    }

    /// Takes back castling, if king and rook stand where it leads and can have begun elsewhere.
    fn uncastle(&self, book: &RuleBook, found: &mut EarlierPositions) {
        let (side, board) = (!self.stm(), &book.variant().board);
        let Some(rule) = &book.variant().rules.castling else { return };
        if self.castling().king(side).is_some() {
            return;
        }
        let king = Man { side, piece: rule.king };
        let rank = rule.rank_of(board, side);
        let on_rank = || (0..board.files()).map(|file| board.square(file, rank));
        for wing in Wing::BOTH {
            let (to, rook_to) = (rule.king_target(board, side, wing), rule.rook_target(board, side, wing));
            let rook = self.man_on(rook_to).filter(|_| self.has_rook(rule, side, rook_to));
            let Some(rook) = rook.filter(|_| self.man_on(to) == Some(king)) else { continue };
            let mut before = self.clone();
            before.take(to);
            before.take(rook_to);
            before.set_stm(side);
            (before.halfmove_clock, before.fullmove) = (0, 1);
            let kings = on_rank().filter(|&s| rule.king_square(board, side).is_none_or(|square| square == s));
            for from in kings {
                let rooks = on_rank()
                    .filter(|&s| rule.rook_square(board, side, wing).is_none_or(|square| square == s));
                let outer =
                    rooks.filter(|&rook| if wing == Wing::Kingside { rook > from } else { rook < from });
                for rook_from in outer {
                    // King and rook are off the board, and no other man is in the way.
                    let crossed = between(from, to).union(between(rook_from, rook_to));
                    if !before.are_empty(crossed) {
                        continue;
                    }
                    let mut position = before.clone();
                    position.put(king, from);
                    position.put(rook, rook_from);
                    if position.is_watched(book, from, to) {
                        continue;
                    }
                    let right = CastlingRight { side, wing, king: from, rook: rook_from };
                    let position = position.clone().with_castling(position.castling().with(right));
                    found.quiet.extend(with_lost_rights(book, position, &[from]));
                }
            }
        }
    }

    /// The position before a pass, if the side that has just moved could have passed.
    fn unpassed(&self, book: &RuleBook) -> Option<Position> {
        if book.variant().rules.pass == Pass::Never {
            return None;
        }
        let mut before = self.clone();
        before.set_stm(!self.stm());
        (before.halfmove_clock, before.fullmove) = (0, 1);
        let mut can_pass = false;
        before.for_each_successor(book, |mv, _| can_pass |= mv.is_pass());
        can_pass.then_some(before)
    }
}

/// A position before a move under which men leave these squares, for good or not: once with every choice of
/// rights to castle that are lost with them.
fn with_lost_rights(book: &RuleBook, position: Position, left: &[Square]) -> Vec<Position> {
    let rights = position.castling_rights(book);
    if rights.is_empty() {
        return vec![position];
    }
    let mut all = vec![position.clone()];
    let left: SquareSet = left.iter().copied().collect();
    let is_lost = |right: &&CastlingRight| {
        (left.contains(right.king) || left.contains(right.rook))
            && position.castling().rook(right.side, right.wing).is_none()
    };
    let lost: Vec<&CastlingRight> = rights.iter().filter(is_lost).collect();
    for (side, wing) in Side::BOTH.into_iter().flat_map(|side| Wing::BOTH.map(|wing| (side, wing))) {
        let of_wing = lost.iter().filter(|right| (right.side, right.wing) == (side, wing));
        let more: Vec<Position> = of_wing
            .flat_map(|right| {
                let with = |p: &Position| p.clone().with_castling(p.castling().with(**right));
                all.iter().map(with).collect::<Vec<_>>()
            })
            .collect();
        all.extend(more);
    }
    all
}

/// The positions before this one that unmoves lead to.
#[derive(Default)]
struct EarlierPositions {
    /// Those from which nothing is captured.
    quiet: Vec<Position>,
    captures: Vec<Position>,
}

/// What the man on `to` may have been before the last move: itself, or a pawn that was promoted there.
fn before_last_move(book: &RuleBook, man: Man, to: Square) -> Vec<Man> {
    let mut all = Vec::new();
    if book.man(man).pawn.as_ref().is_none_or(|pawn| pawn.zone.contains(to)) {
        all.push(man);
    }
    for piece in book.variant().piece_ids() {
        let before = Man { piece, ..man };
        let pawn = book.man(before).pawn.as_ref();
        if pawn.is_some_and(|pawn| pawn.promotion.contains(to) && pawn.promotes_to.contains(&man.piece)) {
            all.push(before);
        }
    }
    all
}

/// Puts back a pawn that was captured on `passed` just after its double step over that square.
fn en_passant_taken_back(
    book: &RuleBook,
    back: &Position,
    (victim, passed): (Man, Square),
    way: &Way,
    found: &mut Vec<Position>,
) {
    let Some(pawn) = book.man(victim).pawn.as_ref().filter(|pawn| pawn.en_passant) else { return };
    let leads_here = |step: &&DoubleStep| step.passed == passed && pawn.zone.contains(step.to);
    for step in pawn.double_steps.iter().filter(leads_here) {
        let is_free = back.man_on(step.from).is_none() && back.man_on(step.to).is_none();
        if !is_free || !back.are_empty(step.between) {
            continue;
        }
        let mut position = back.clone();
        position.put(victim, step.to);
        if way.leads_to(passed, |s| position.man_on(s).is_some()) {
            found.push(position.with_en_passant(Some(EnPassant { passed, victim: step.to })));
        }
    }
}
