//! Makes positions that are awkward for rules: kings side by side, castling past attackers, pins, double
//! checks, captures en passant along lines, promotions with capture, crowds that explode.
//!
//! A position begins with its difficulty, and other men are put around it at random. The same seed makes the
//! same positions.

use geometry::{Square, SquareSet, Step};
use position::{Position, RuleBook};
use proof::Dice;
use variant::{Man, PieceId, Side, Variant, Wing};

/// A difficulty that a position begins with.
type Difficulty = fn(&mut PositionMaker<'_>) -> Option<()>;

/// All of them, one after the other.
const DIFFICULTIES: [Difficulty; 8] = [
    |maker| maker.kings(),
    |maker| maker.castling(),
    |maker| maker.pin(),
    |maker| maker.double_check(),
    |maker| maker.en_passant(),
    |maker| maker.promotion(),
    |maker| maker.crowd(),
    |_| Some(()),
];

/// The most steps of a line.
const FAR: i8 = 7;

/// Makes the positions of one game.
pub(super) struct PositionMaker<'a> {
    book: &'a RuleBook,
    variant: &'a Variant,
    /// The kinds of men that either side may use, one that is there twice twice as often.
    officers: [Vec<PieceId>; 2],
    pawns: [Vec<PieceId>; 2],
    /// The kinds of kings.
    kings: Vec<PieceId>,
    dice: Dice,
    n_made: usize,
    /// The position that is being made.
    position: Position,
}

impl<'a> PositionMaker<'a> {
    /// Makes positions with men of these kinds, some of which one side alone may have.
    pub(super) fn new(book: &'a RuleBook, pieces: &[PieceId], one_sided: &[Man], seed: u64) -> Self {
        let variant = book.variant();
        let castles = variant.rules.castling.as_ref().map(|rule| rule.king);
        let royals: Vec<PieceId> = variant.royals().collect();
        let kings = if royals.is_empty() { castles.into_iter().collect() } else { royals };
        let is_pawn = |id: &PieceId| variant.piece(*id).pawn.is_some();
        let others = pieces.iter().copied().filter(|&id| !variant.piece(id).royal);
        let (pawns, officers): (Vec<PieceId>, Vec<PieceId>) = others.partition(is_pawn);
        let of_sides = |kinds: &[PieceId]| {
            Side::BOTH.map(|side| {
                let is_its = |id: &PieceId| !one_sided.contains(&Man { side: !side, piece: *id });
                kinds.iter().copied().filter(is_its).collect::<Vec<_>>()
            })
        };
        let (pawns, officers) = (of_sides(&pawns), of_sides(&officers));
        let (dice, position) = (Dice::new(seed), Position::empty(Side::White));
        PositionMaker { book, variant, officers, pawns, kings, dice, n_made: 0, position }
    }

    /// The FEN of the next position, legal or not. Where no difficulty was made, the position has an
    /// en-passant field that is most often impossible.
    pub(super) fn fen(&mut self) -> String {
        loop {
            let number = self.n_made % DIFFICULTIES.len();
            self.n_made += 1;
            self.position = Position::empty(self.side()).with_halfmove_clock(self.dice.below(30) as u32);
            let begun = DIFFICULTIES[number](self);
            if begun.and_then(|()| self.complete()).is_none() {
                continue;
            }
            let fen = self.position.to_fen(self.book);
            if number + 1 < DIFFICULTIES.len() {
                return fen;
            }
            let field = self.variant.board.name(self.square(self.variant.board.all()));
            let fields: Vec<&str> = fen.split(' ').collect();
            return [fields[0], fields[1], fields[2], &field, fields[4], fields[5]].join(" ");
        }
    }

    fn side(&mut self) -> Side {
        Side::BOTH[self.dice.below(2)]
    }

    /// One of some squares.
    fn square(&mut self, squares: SquareSet) -> Square {
        let squares: Vec<Square> = squares.iter().collect();
        *self.dice.pick(&squares)
    }

    fn officer(&mut self, side: Side) -> Man {
        Man { side, piece: *self.dice.pick(&self.officers[side.index()]) }
    }

    fn pawn(&mut self, side: Side) -> Option<Man> {
        let pawns = &self.pawns[side.index()];
        (!pawns.is_empty()).then(|| Man { side, piece: *self.dice.pick(pawns) })
    }

    /// A man of a side: a pawn now and then.
    fn man(&mut self, side: Side) -> Man {
        let has_officers = !self.officers[side.index()].is_empty();
        let pawn = if self.dice.chance(30) || !has_officers { self.pawn(side) } else { None };
        pawn.unwrap_or_else(|| self.officer(side))
    }

    /// A man of either side.
    fn any_man(&mut self) -> Man {
        let side = self.side();
        self.man(side)
    }

    /// Puts a man on one of these squares that is free.
    fn put(&mut self, man: Man, squares: SquareSet) -> Option<Square> {
        let taken = Side::BOTH.map(|side| self.position.squares_of(side));
        let passed = self.position.en_passant().map(|right| right.passed);
        let taken = taken[0].union(taken[1]).union(passed.into_iter().collect());
        let free = self.variant.zone(man).without(taken).intersection(squares);
        let square = (!free.is_empty()).then(|| self.square(free))?;
        self.position.put(man, square);
        Some(square)
    }

    /// Puts a man on a free square that fits.
    fn put_where(&mut self, man: Man, fits: impl Fn(Square) -> bool) -> Option<Square> {
        self.put(man, self.variant.board.squares().filter(|&square| fits(square)).collect())
    }

    /// Puts a side's king somewhere; in games without one any man.
    fn put_king(&mut self, side: Side, squares: SquareSet) -> Option<Square> {
        let man = match self.kings[..] {
            _ if self.variant.n_royals(side) == 0 => self.man(side),
            [piece] => Man { side, piece },
            _ => Man { side, piece: *self.dice.pick(&self.kings) },
        };
        self.put(man, squares)
    }

    /// Puts a man where he would attack a square if no man stood between.
    fn put_attacker(&mut self, side: Side, target: Square) -> Option<(Man, Square)> {
        let (book, man) = (self.book, self.man(side));
        let square = self.put_where(man, |from| reach(book, man, from).contains(target))?;
        Some((man, square))
    }

    /// The squares from one in a direction, one to `most` steps away.
    fn line(&self, from: Square, step: Step, most: i8) -> SquareSet {
        let board = &self.variant.board;
        (1..=most).map_while(|n| board.offset(from, step.times(n))).collect()
    }

    fn step(&mut self) -> Step {
        let steps = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
        let &(files, ranks) = self.dice.pick(&steps);
        Step::new(files, ranks)
    }

    fn around(&self, square: Square) -> SquareSet {
        let board = &self.variant.board;
        let steps = (-1..=1).flat_map(|files| (-1..=1).map(move |ranks| Step::new(files, ranks)));
        steps.filter_map(|step| board.offset(square, step)).filter(|&to| to != square).collect()
    }

    /// Kings beside each other, or on one line with at most one man between them.
    fn kings(&mut self) -> Option<()> {
        let side = self.side();
        let square = self.put_king(side, self.variant.board.all())?;
        let (step, most) = (self.step(), if self.dice.chance(60) { 1 } else { FAR });
        let line = self.line(square, step, most);
        let other = self.put_king(!side, line)?;
        if self.dice.chance(50) {
            let man = self.any_man();
            self.put(man, line.without([other].into_iter().collect()));
        }
        Some(())
    }

    /// Rights to castle, with an attacker on each square in turn.
    fn castling(&mut self) -> Option<()> {
        let (rule, board) = (self.variant.rules.castling.as_ref()?, &self.variant.board);
        let (both, stm) = (self.dice.chance(40), self.position.stm());
        for side in Side::BOTH.into_iter().filter(|&side| both || side == stm) {
            let rank = board.rank(rule.rank_of(board, side));
            let anywhere = self.square(rank);
            let king = rule.king_square(board, side).unwrap_or(anywhere);
            self.position.put(Man { side, piece: rule.king }, king);
            let wings = 1 + self.dice.below(3);
            for wing in Wing::BOTH.into_iter().filter(|wing| wings & (1 << wing.index()) != 0) {
                let is_outward =
                    |square: &Square| (*square > king) == (wing == Wing::Kingside) && *square != king;
                let outward = rank.iter().filter(is_outward).collect();
                let own = rule.rook_square(board, side, wing);
                let piece = *self.dice.pick(&rule.rooks);
                self.put(Man { side, piece }, own.map_or(outward, |own| [own].into_iter().collect()));
            }
            if !both && self.dice.chance(40) {
                let target = rule.king_target(board, side, *self.dice.pick(&Wing::BOTH));
                self.put_king(!side, self.around(target).union(self.around(king)));
            }
        }
        let attacker = self.man(!stm);
        let turn = Square::from_index(self.n_made / DIFFICULTIES.len() % board.n_squares());
        self.put(attacker, [turn].into_iter().collect());
        self.give_rights();
        Some(())
    }

    /// Gives rights to castle, if there can be some: all that go together, or some of them.
    fn give_rights(&mut self) {
        let choices = self.position.castling_choices(self.book);
        if !choices.is_empty() {
            self.position = self.position.clone().with_castling(*self.dice.pick(&choices));
        }
    }

    /// A man between his king and an attacker.
    fn pin(&mut self) -> Option<()> {
        let (book, side) = (self.book, self.side());
        let king = self.put_king(side, self.variant.board.all())?;
        for _ in 0..1 + self.dice.below(2) {
            let (attacker, from) = self.put_attacker(!side, king)?;
            let pinned = self.man(side);
            self.put_where(pinned, |at| {
                let occupied = [at].into_iter().collect();
                at != king && at != from && !book.attacked(attacker, from, occupied).contains(king)
            });
        }
        Some(())
    }

    /// Two attackers of one king.
    fn double_check(&mut self) -> Option<()> {
        let side = self.position.stm();
        let king = self.put_king(side, self.variant.board.all())?;
        self.put_attacker(!side, king)?;
        self.put_attacker(!side, king).map(drop)
    }

    /// A right to capture en passant, with a king and an attacker on a line through one of the pawns.
    fn en_passant(&mut self) -> Option<()> {
        let (own, book) = (self.position.stm(), self.book);
        let victim = self.pawn(!own)?;
        self.put_where(victim, |square| {
            let alone = Position::from_men([(victim, square)], own);
            alone.is_some_and(|alone| !alone.en_passant_rights(book).is_empty())
        })?;
        let right = *self.dice.pick(&self.position.en_passant_rights(book));
        self.position = self.position.clone().with_en_passant(Some(right));
        let mut on_line = vec![right.victim, right.passed];
        for _ in 0..1 + self.dice.below(2) {
            let pawn = self.pawn(own)?;
            on_line.extend(self.put_where(pawn, |from| reach(book, pawn, from).contains(right.passed)));
        }
        if self.dice.chance(80) {
            let (through, step) = (*self.dice.pick(&on_line), self.step());
            let king = self.put_king(own, self.line(through, step, FAR))?;
            let (attacker, beyond) = (self.officer(!own), self.line(through, step.reversed(), FAR));
            self.put_where(attacker, |at| beyond.contains(at) && reach(book, attacker, at).contains(king));
        }
        Some(())
    }

    /// A pawn that promotes, also by a capture, also of a rook that might castle.
    fn promotion(&mut self) -> Option<()> {
        let (own, book, board) = (self.position.stm(), self.book, &self.variant.board);
        let pawn = self.pawn(own)?;
        let promotion = self.variant.pawn_rules(pawn)?.promotion;
        let targets = |from: Square| reach(book, pawn, from).intersection(promotion);
        let from = self.put_where(pawn, |from| !targets(from).is_empty())?;
        self.put_where(pawn, |from| !targets(from).is_empty());
        if let Some(rule) = self.variant.rules.castling.as_ref().filter(|_| self.dice.chance(50)) {
            let anywhere = self.square(board.rank(rule.rank_of(board, !own)));
            let king = rule.king_square(board, !own).unwrap_or(anywhere);
            self.position.put(Man { side: !own, piece: rule.king }, king);
            let begin =
                Wing::BOTH.into_iter().filter_map(|wing| rule.rook_square(board, !own, wing)).collect();
            let rook = Man { side: !own, piece: rule.rooks[0] };
            self.put(rook, if rule.any_files { targets(from) } else { begin });
            self.give_rights();
        }
        for square in targets(from).iter() {
            let man = self.officer(!own);
            if self.dice.chance(60) {
                self.put(man, [square].into_iter().collect());
            }
        }
        Some(())
    }

    /// Men of both sides around one square.
    fn crowd(&mut self) -> Option<()> {
        let (stm, man) = (self.position.stm(), self.officer(!self.position.stm()));
        let centre = self.square(self.variant.board.all());
        let around = self.around(centre);
        self.position.put(man, centre);
        for side in Side::BOTH {
            if self.dice.chance(35) {
                self.put_king(side, around);
            }
        }
        for _ in 0..2 + self.dice.below(4) {
            let man = self.any_man();
            self.put(man, around);
        }
        self.put_attacker(stm, centre);
        Some(())
    }

    /// Adds what is missing: kings, a man of each kind that a side must not lose, and a few others.
    fn complete(&mut self) -> Option<()> {
        let (rules, royals): (_, Vec<PieceId>) = (&self.variant.rules, self.variant.royals().collect());
        for side in Side::BOTH {
            let own: Vec<PieceId> = self.position.men_of(side).map(|(man, _)| man.piece).collect();
            let kinds = rules.extinction.iter().flat_map(|extinction| extinction.kinds.iter().flatten());
            let n_there = own.iter().filter(|man| royals.contains(man)).count();
            let n_missing = self.variant.n_royals(side).saturating_sub(n_there);
            let royal = |_| if let [only] = royals[..] { only } else { *self.dice.pick(&royals) };
            let mut missing: Vec<PieceId> = (0..n_missing).map(royal).collect();
            // A king that has been blown up ends the game.
            if rules.blast.is_some() && side == self.position.stm() && self.dice.chance(3) {
                missing.clear();
            }
            missing.extend(kinds.filter(|kind| !own.contains(kind) && self.dice.chance(90)));
            if missing.is_empty() && own.is_empty() {
                missing.push(self.man(side).piece);
            }
            for piece in missing {
                self.put(Man { side, piece }, self.variant.board.all())?;
            }
        }
        for _ in 0..self.dice.below(5) {
            let man = self.any_man();
            self.put(man, self.variant.board.all());
        }
        if self.position.castling().is_empty() && self.dice.chance(25) {
            self.give_rights();
        }
        // A man may have been put where the pawn came from.
        let rights = self.position.en_passant_rights(self.book);
        let right = self.position.en_passant().filter(|right| rights.contains(right));
        self.position = self.position.clone().with_en_passant(right);
        Some(())
    }
}

/// The squares that a man attacks from one if no man stands between.
fn reach(book: &RuleBook, man: Man, from: Square) -> SquareSet {
    book.attacked(man, from, SquareSet::EMPTY)
}
