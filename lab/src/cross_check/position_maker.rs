//! Makes positions that are awkward for rules: kings side by side, castling past attackers, pins, double
//! checks, captures en passant along lines, promotions with capture, crowds that explode.
//!
//! A position begins with its difficulty, and other men are put around it at random. The same seed makes the
//! same positions.

use geometry::{Square, SquareSet, Step};
use position::{Position, RuleBook};
use proof::Dice;
use variant::{Man, PieceId, Side, Wing};

/// What a position begins with.
type Difficulty = fn(&mut PositionMaker<'_>, &mut Position) -> Option<()>;

/// All of them, one after the other.
const DIFFICULTIES: [Difficulty; 8] = [
    |maker, position| maker.kings(position),
    |maker, position| maker.castling(position),
    |maker, position| maker.pin(position),
    |maker, position| maker.double_check(position),
    |maker, position| maker.en_passant(position),
    |maker, position| maker.promotion(position),
    |maker, position| maker.crowd(position),
    |_, _| Some(()),
];

/// Makes the positions of one game.
pub(super) struct PositionMaker<'a> {
    book: &'a RuleBook,
    /// The kinds of men that either side may use, one that is there twice twice as often.
    officers: [Vec<PieceId>; 2],
    pawns: Vec<PieceId>,
    king: Option<PieceId>,
    dice: Dice,
    n_made: usize,
}

impl<'a> PositionMaker<'a> {
    /// Makes positions with men of these kinds, one of which White alone may have.
    pub(super) fn new(book: &'a RuleBook, pieces: &[PieceId], whites: Option<PieceId>, seed: u64) -> Self {
        let variant = book.variant();
        let king = variant.royal().or(variant.rules.castling.as_ref().map(|rule| rule.king));
        let is_pawn = |id: &PieceId| variant.piece(*id).pawn.is_some();
        let others = pieces.iter().copied().filter(|&id| Some(id) != variant.royal());
        let (pawns, officers): (Vec<PieceId>, Vec<PieceId>) = others.partition(is_pawn);
        let blacks = officers.iter().copied().filter(|&id| Some(id) != whites).collect();
        PositionMaker { book, officers: [officers, blacks], pawns, king, dice: Dice::new(seed), n_made: 0 }
    }

    /// The FEN of the next position, legal or not. Where no difficulty was made, the position has an
    /// en-passant field that is most often impossible.
    pub(super) fn fen(&mut self) -> String {
        loop {
            let number = self.n_made % DIFFICULTIES.len();
            self.n_made += 1;
            let stm = self.side();
            let mut position = Position::empty(stm).with_halfmove_clock(self.dice.below(30) as u32);
            let begun = DIFFICULTIES[number](self, &mut position);
            if begun.and_then(|()| self.complete(&mut position)).is_none() {
                continue;
            }
            let fen = position.to_fen(self.book);
            if number + 1 < DIFFICULTIES.len() {
                return fen;
            }
            let board = &self.book.variant().board;
            let squares: Vec<Square> = board.squares().collect();
            let field = board.name(*self.dice.pick(&squares));
            let fields: Vec<&str> = fen.split(' ').collect();
            return [fields[0], fields[1], fields[2], &field, fields[4], fields[5]].join(" ");
        }
    }

    fn side(&mut self) -> Side {
        Side::BOTH[self.dice.below(2)]
    }

    /// A man of a side: a pawn now and then.
    fn man(&mut self, side: Side) -> Man {
        let has_officers = !self.officers[side.index()].is_empty();
        let is_pawn = !self.pawns.is_empty() && self.dice.chance(30) || !has_officers;
        if is_pawn { self.pawn(side) } else { self.officer(side) }
    }

    fn officer(&mut self, side: Side) -> Man {
        Man { side, piece: *self.dice.pick(&self.officers[side.index()]) }
    }

    fn pawn(&mut self, side: Side) -> Man {
        Man { side, piece: *self.dice.pick(&self.pawns) }
    }

    /// The squares on which a man may be put.
    fn free(&self, position: &Position, man: Man) -> SquareSet {
        let taken = Side::BOTH.map(|side| position.squares_of(side));
        let passed = position.en_passant().map(|right| right.passed);
        self.book.variant().zone(man).without(taken[0].union(taken[1])).without(passed.into_iter().collect())
    }

    /// Puts a man on one of these squares that is free.
    fn put(&mut self, position: &mut Position, man: Man, squares: SquareSet) -> Option<Square> {
        let free: Vec<Square> = self.free(position, man).intersection(squares).iter().collect();
        if free.is_empty() {
            return None;
        }
        let square = *self.dice.pick(&free);
        position.put(man, square);
        Some(square)
    }

    fn put_anywhere(&mut self, position: &mut Position, man: Man) -> Option<Square> {
        self.put(position, man, self.book.variant().board.all())
    }

    /// Puts a side's king somewhere; in games without one any man.
    fn put_king(&mut self, position: &mut Position, side: Side, squares: SquareSet) -> Option<Square> {
        let king = self.king.map(|piece| Man { side, piece });
        let man = king.unwrap_or_else(|| self.man(side));
        self.put(position, man, squares)
    }

    /// The squares from one in a direction, one to `most` steps away.
    fn line(&self, from: Square, step: Step, most: i8) -> SquareSet {
        let board = &self.book.variant().board;
        (1..=most).map_while(|n| board.offset(from, step.times(n))).collect()
    }

    fn step(&mut self) -> Step {
        let steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
        let &(files, ranks) = self.dice.pick(&steps);
        Step::new(files, ranks)
    }

    fn around(&self, square: Square) -> SquareSet {
        let board = &self.book.variant().board;
        let steps = (-1..=1).flat_map(|files| (-1..=1).map(move |ranks| Step::new(files, ranks)));
        steps.filter_map(|step| board.offset(square, step)).filter(|&to| to != square).collect()
    }

    /// Kings beside each other, or on one line with at most one man between them.
    fn kings(&mut self, position: &mut Position) -> Option<()> {
        let all = self.book.variant().board.all();
        let side = self.side();
        let square = self.put_king(position, side, all)?;
        let step = self.step();
        let most = if self.dice.chance(60) { 1 } else { 7 };
        let line = self.line(square, step, most);
        let other = self.put_king(position, !side, line)?;
        if self.dice.chance(50) {
            let side = self.side();
            let man = self.man(side);
            let between = line.iter().filter(|&at| at != other).collect();
            self.put(position, man, between);
        }
        Some(())
    }

    /// Rights to castle, with an attacker on each square in turn.
    fn castling(&mut self, position: &mut Position) -> Option<()> {
        let variant = self.book.variant();
        let rule = variant.rules.castling.as_ref()?;
        let board = &variant.board;
        let (both, stm) = (self.dice.chance(40), position.stm());
        for side in Side::BOTH.into_iter().filter(|&side| both || side == stm) {
            let rank = rule.rank_of(board, side);
            let file = self.dice.below(board.files());
            let king = rule.king_square(board, side).unwrap_or_else(|| board.square(file, rank));
            position.put(Man { side, piece: rule.king }, king);
            let wings = 1 + self.dice.below(3);
            for wing in Wing::BOTH.into_iter().filter(|wing| wings & (1 << wing.index()) != 0) {
                let is_outward =
                    |square: &Square| (*square > king) == (wing == Wing::Kingside) && *square != king;
                let outward = board.rank(rank).iter().filter(is_outward).collect();
                let squares =
                    rule.rook_square(board, side, wing).map_or(outward, |s| [s].into_iter().collect());
                let piece = *self.dice.pick(&rule.rooks);
                self.put(position, Man { side, piece }, squares);
            }
            if !both && self.dice.chance(40) {
                let target = rule.king_target(board, side, *self.dice.pick(&Wing::BOTH));
                let near = self.around(target).union(self.around(king));
                self.put_king(position, !side, near)?;
            }
        }
        let attacker = self.man(!position.stm());
        let turn = Square::from_index(self.n_made / DIFFICULTIES.len() % board.n_squares());
        self.put(position, attacker, [turn].into_iter().collect());
        self.give_rights(position);
        Some(())
    }

    /// Gives rights to castle, if there can be some: all that go together, or some of them.
    fn give_rights(&mut self, position: &mut Position) {
        let choices = position.castling_choices(self.book);
        if !choices.is_empty() {
            *position = position.clone().with_castling(*self.dice.pick(&choices));
        }
    }

    /// Puts a man where he would attack a square if nobody stood between.
    fn put_attacker(&mut self, position: &mut Position, side: Side, target: Square) -> Option<(Man, Square)> {
        let man = self.man(side);
        let from = |&from: &Square| self.book.attacked(man, from, SquareSet::EMPTY).contains(target);
        let squares = self.book.variant().board.squares().filter(from).collect();
        Some((man, self.put(position, man, squares)?))
    }

    /// A man between his king and an attacker.
    fn pin(&mut self, position: &mut Position) -> Option<()> {
        let side = self.side();
        let king = self.put_king(position, side, self.book.variant().board.all())?;
        for _ in 0..1 + self.dice.below(2) {
            let (attacker, from) = self.put_attacker(position, !side, king)?;
            let is_between = |&at: &Square| {
                let occupied = [at].into_iter().collect();
                at != king && at != from && !self.book.attacked(attacker, from, occupied).contains(king)
            };
            let between = self.book.variant().board.squares().filter(is_between).collect();
            let pinned = self.man(side);
            self.put(position, pinned, between);
        }
        Some(())
    }

    /// Two attackers of one king.
    fn double_check(&mut self, position: &mut Position) -> Option<()> {
        let side = position.stm();
        let king = self.put_king(position, side, self.book.variant().board.all())?;
        self.put_attacker(position, !side, king)?;
        self.put_attacker(position, !side, king)?;
        Some(())
    }

    /// A right to capture en passant, with a king and an attacker on a line through one of the pawns.
    fn en_passant(&mut self, position: &mut Position) -> Option<()> {
        let (own, variant) = (position.stm(), self.book.variant());
        self.pawns.first()?;
        let victim = self.pawn(!own);
        let stands = |square: &Square| {
            let alone = Position::from_men([(victim, *square)], own);
            alone.is_some_and(|alone| !alone.en_passant_rights(self.book).is_empty())
        };
        let squares = variant.board.squares().filter(stands).collect();
        self.put(position, victim, squares)?;
        let rights = position.en_passant_rights(self.book);
        let right = *self.dice.pick(&rights);
        *position = position.clone().with_en_passant(Some(right));
        let mut on_line = vec![right.victim, right.passed];
        for _ in 0..1 + self.dice.below(2) {
            let pawn = self.pawn(own);
            let from =
                |&from: &Square| self.book.attacked(pawn, from, SquareSet::EMPTY).contains(right.passed);
            let squares = variant.board.squares().filter(from).collect();
            on_line.extend(self.put(position, pawn, squares));
        }
        if self.dice.chance(80) {
            let (through, step) = (*self.dice.pick(&on_line), self.step());
            let king = self.put_king(position, own, self.line(through, step, 7))?;
            let attacker = self.officer(!own);
            let beyond = self.line(through, step.reversed(), 7);
            let sees = |&at: &Square| self.book.attacked(attacker, at, SquareSet::EMPTY).contains(king);
            self.put(position, attacker, beyond.iter().filter(sees).collect());
        }
        Some(())
    }

    /// A pawn that promotes, also by a capture, also of a rook that might castle.
    fn promotion(&mut self, position: &mut Position) -> Option<()> {
        let (own, variant) = (position.stm(), self.book.variant());
        self.pawns.first()?;
        let pawn = self.pawn(own);
        let promotion = variant.pawn_rules(pawn)?.promotion;
        let targets = |from: Square| self.book.attacked(pawn, from, SquareSet::EMPTY).intersection(promotion);
        let squares = variant.board.squares().filter(|&from| !targets(from).is_empty()).collect();
        let from = self.put(position, pawn, squares)?;
        self.put(position, pawn, squares);
        if let Some(rule) = variant.rules.castling.as_ref().filter(|_| self.dice.chance(50)) {
            let file = self.dice.below(variant.board.files());
            let square = variant.board.square(file, rule.rank_of(&variant.board, !own));
            let king = rule.king_square(&variant.board, !own).unwrap_or(square);
            position.put(Man { side: !own, piece: rule.king }, king);
            let rook = Man { side: !own, piece: rule.rooks[0] };
            let begin = Wing::BOTH.map(|wing| rule.rook_square(&variant.board, !own, wing));
            let begin: SquareSet = begin.into_iter().flatten().collect();
            self.put(position, rook, if rule.any_files { targets(from) } else { begin });
            self.give_rights(position);
        }
        for square in targets(from).iter() {
            let man = self.officer(!own);
            if self.dice.chance(60) {
                self.put(position, man, [square].into_iter().collect());
            }
        }
        Some(())
    }

    /// Men of both sides around one square.
    fn crowd(&mut self, position: &mut Position) -> Option<()> {
        let squares: Vec<Square> = self.book.variant().board.squares().collect();
        let centre = *self.dice.pick(&squares);
        let around = self.around(centre);
        let man = self.officer(!position.stm());
        position.put(man, centre);
        for side in Side::BOTH {
            if self.dice.chance(35) {
                self.put_king(position, side, around);
            }
        }
        for _ in 0..2 + self.dice.below(4) {
            let side = self.side();
            let man = self.man(side);
            self.put(position, man, around);
        }
        self.put_attacker(position, position.stm(), centre);
        Some(())
    }

    /// Adds what is missing: kings, a man of each kind that a side must not lose, and a few others.
    fn complete(&mut self, position: &mut Position) -> Option<()> {
        let variant = self.book.variant();
        for side in Side::BOTH {
            let has = |piece: PieceId| position.men_of(side).any(|(man, _)| man.piece == piece);
            let kinds = variant.rules.extinction.as_ref().and_then(|extinction| extinction.kinds.clone());
            let mut missing: Vec<PieceId> = variant.royal().into_iter().filter(|&king| !has(king)).collect();
            // A king that has been blown up ends the game.
            if variant.rules.blast.is_some() && side == position.stm() && self.dice.chance(3) {
                missing.clear();
            }
            missing.extend(kinds.into_iter().flatten().filter(|&kind| !has(kind) && self.dice.chance(90)));
            if missing.is_empty() && position.squares_of(side).is_empty() {
                missing.push(self.man(side).piece);
            }
            for piece in missing {
                self.put_anywhere(position, Man { side, piece })?;
            }
        }
        for _ in 0..self.dice.below(5) {
            let side = self.side();
            let man = self.man(side);
            self.put_anywhere(position, man);
        }
        if position.castling().is_empty() && self.dice.chance(25) {
            self.give_rights(position);
        }
        // Somebody may have been put where the pawn came from.
        let right =
            position.en_passant().filter(|right| position.en_passant_rights(self.book).contains(right));
        *position = position.clone().with_en_passant(right);
        Some(())
    }
}
