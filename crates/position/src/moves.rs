//! Finds the legal moves of a position, plays them, and counts the games of a given number of plies (perft).
//!
//! A move is what changes the position, so two ways of a man to one square with one result are one move; a
//! quiet step and an en-passant capture onto the same square are two.
//!
//! A legal move is one that leads to a legal position, one to which the last move was allowed to lead: this
//! is the whole difference between what men could do and what they may. Under compulsory capture a side with
//! a legal capture, en passant too, makes one. A capture that explodes takes away the captor and the men
//! around, but immune ones.

use crate::book::{DoubleStep, Hurdle, ManBook, PawnBook, Way};
use crate::{EnPassant, Position, RookStep, RuleBook};
use geometry::{Square, SquareSet};
#[cfg(debug_assertions)]
use std::cell::Cell;
use variant::{Man, Pass, PieceId, Side};

#[cfg(debug_assertions)]
thread_local! {
    static GENERATED: Cell<u64> = const { Cell::new(0) };
}

/// How often this thread has generated the moves of a position. Tests look whether work is done twice;
/// programs that are built without debug assertions do not count.
#[cfg(debug_assertions)]
#[must_use]
pub fn n_generated() -> u64 {
    GENERATED.get()
}

/// A move of one man.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// Where the man comes from.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// What it becomes, if it is promoted.
    pub promotion: Option<PieceId>,
    /// The square of the captured man: `to`, but en passant.
    pub captured: Option<Square>,
    /// The square passed over by a double step that allows an en-passant capture.
    pub passed: Option<Square>,
    /// Whether it is a capture or a pawn's move.
    pub zeroing: bool,
    /// The squares that an explosion clears, that of the capture among them; none without one.
    pub blown: SquareSet,
    /// The rook's part, if the man castles as king.
    pub castling: Option<RookStep>,
    /// Whether it gives a check that counts.
    pub is_counted_check: bool,
}

impl Move {
    /// A move that changes nothing but where a man stands.
    pub(crate) fn quiet(from: Square, to: Square) -> Self {
        Move {
            from,
            to,
            promotion: None,
            captured: None,
            passed: None,
            zeroing: false,
            blown: SquareSet::EMPTY,
            castling: None,
            is_counted_check: false,
        }
    }

    /// Whether it leaves other men behind than there were: a capture or a promotion. Every conversion is
    /// zeroing too.
    #[must_use]
    pub fn is_conversion(&self) -> bool {
        self.captured.is_some() || self.promotion.is_some()
    }

    /// Whether a pawn is captured that stands elsewhere than on the target square.
    #[must_use]
    pub fn is_en_passant(&self) -> bool {
        self.captured.is_some_and(|square| square != self.to)
    }
}

impl Position {
    /// The position after a move; does not check that the move is legal.
    #[must_use]
    pub fn play(&self, mv: Move) -> Self {
        let mut next = self.clone();
        // A side that passes has moved no man, so no right to castle is lost.
        if !mv.is_pass() {
            next.move_men(mv);
        }
        next.given_checks[self.stm().index()] += u8::from(mv.is_counted_check);
        next.set_stm(!self.stm());
        next.en_passant = mv.passed.map(|passed| EnPassant { passed, victim: mv.to });
        next.halfmove_clock = if mv.zeroing { 0 } else { self.halfmove_clock.saturating_add(1) };
        next.fullmove = self.fullmove.saturating_add(self.stm().index() as u32);
        next
    }

    /// Moves the men that a move moves, and takes those that it takes.
    fn move_men(&mut self, mv: Move) {
        let Some(man) = self.take(mv.from) else { return };
        if let Some(square) = mv.captured {
            self.take(square);
        }
        let rook = mv.castling.and_then(|rook| Some((self.take(rook.from)?, rook.to)));
        if let Some((rook, to)) = rook {
            self.put(rook, to);
        }
        self.put(Man { piece: mv.promotion.unwrap_or(man.piece), ..man }, mv.to);
        for square in mv.blown.iter() {
            self.take(square);
        }
    }

    /// The legal moves, in a fixed order.
    #[must_use]
    pub fn legal_moves(&self, book: &RuleBook) -> Vec<Move> {
        let mut moves = Vec::new();
        self.for_each_successor(book, |mv, _| moves.push(mv));
        moves
    }

    /// Whether the side to move has a legal move.
    #[must_use]
    pub fn has_legal_move(&self, book: &RuleBook) -> bool {
        let mut found = false;
        if self.adjudication(book).is_none() {
            self.for_each_allowed(book, |_, _| {
                found = true;
                false
            });
        }
        found
    }

    /// Calls `visit` with each legal move and the position it leads to; nothing is allocated. Where the game
    /// is over there is none.
    pub fn for_each_successor(&self, book: &RuleBook, mut visit: impl FnMut(Move, &Position)) {
        self.for_each_successor_while(book, |mv, next| {
            visit(mv, next);
            true
        });
    }

    /// Like [`Position::for_each_successor`], until `visit` answers false.
    pub fn for_each_successor_while(&self, book: &RuleBook, visit: impl FnMut(Move, &Position) -> bool) {
        #[cfg(debug_assertions)]
        GENERATED.set(GENERATED.get() + 1);
        if self.adjudication(book).is_none() {
            self.for_each_allowed(book, visit);
        }
    }

    /// Calls `visit` with each move that is legal unless the game is over, until it answers false.
    pub(crate) fn for_each_allowed(&self, book: &RuleBook, mut visit: impl FnMut(Move, &Position) -> bool) {
        let must_capture = self.must_capture(book);
        let (mut has_other, mut goes_on) = (false, true);
        self.for_each_pseudo_move(book, |mv| {
            if must_capture && mv.captured.is_none() {
                return true;
            }
            if let Some((mv, next)) = self.legally(book, mv) {
                has_other = true;
                goes_on = visit(mv, &next);
            }
            goes_on
        });
        if goes_on
            && !must_capture
            && let Some((mv, next)) = self.legal_pass(book, has_other)
        {
            visit(mv, &next);
        }
    }

    /// The move and the position after it, if that is legal; a check is counted if the game counts them.
    fn legally(&self, book: &RuleBook, mut mv: Move) -> Option<(Move, Position)> {
        let mut next = self.play(mv);
        if !next.is_legal(book) {
            return None;
        }
        if book.variant().rules.check_counting.is_some() && next.is_in_check(book) {
            mv.is_counted_check = true;
            next.given_checks[self.stm().index()] += 1;
        }
        Some((mv, next))
    }

    /// Calls `visit` with each legal capture, en passant too, and the position it leads to, until it answers
    /// false; whether it never did. Where the game is over there is none.
    pub fn for_each_capture(&self, book: &RuleBook, visit: impl FnMut(Move, &Position) -> bool) -> bool {
        self.adjudication(book).is_some() || self.for_each_allowed_capture(book, visit)
    }

    /// Calls `visit` with each capture that is legal unless the game is over, until it answers false; whether
    /// it never did.
    ///
    /// Most men attack no man, and their ways are not walked.
    fn for_each_allowed_capture(
        &self,
        book: &RuleBook,
        mut visit: impl FnMut(Move, &Position) -> bool,
    ) -> bool {
        let passed: SquareSet = self.en_passant().iter().map(|right| right.passed).collect();
        let targets = self.squares_of(!self.stm()).union(passed);
        let explodes = book.variant().rules.blast.is_some();
        let mut capture = |mv: Move| {
            if mv.captured.is_none() {
                return true;
            }
            let mv = if explodes { self.exploding(book, mv) } else { mv };
            self.legally(book, mv).is_none_or(|(mv, next)| visit(mv, &next))
        };
        self.men_of(self.stm()).all(|(man, from)| {
            let man = book.man(man);
            man.reach[from.index()].intersection(targets).is_empty()
                || self.moves_of_man(man, from, &mut capture)
        })
    }

    /// Calls `visit` with each move that the men can make but passing, also if the own royal man is then
    /// attacked, until it answers false.
    fn for_each_pseudo_move(&self, book: &RuleBook, mut visit: impl FnMut(Move) -> bool) {
        let explodes = book.variant().rules.blast.is_some();
        let mut visit = |mv| visit(if explodes { self.exploding(book, mv) } else { mv });
        for (man, from) in self.men_of(self.stm()) {
            if !self.moves_of_man(book.man(man), from, &mut visit) {
                return;
            }
        }
        self.for_each_castling(book, &mut visit);
    }

    /// One man's moves; whether to go on.
    fn moves_of_man(&self, man: &ManBook, from: Square, visit: &mut impl FnMut(Move) -> bool) -> bool {
        // Overlapping ways (a leap of two squares and a ride of two steps) reach a square twice.
        let mut seen = SquareSet::EMPTY;
        let mut seen_en_passant = false;
        let pawn = man.pawn.as_ref();
        let plain = Move { zeroing: pawn.is_some(), ..Move::quiet(from, from) };
        for way in &man.ways[from.index()] {
            for to in self.landings(way) {
                let occupant = self.man_on(to);
                if way.capture && pawn.is_some() && !seen_en_passant {
                    // The passed square is empty, so this is a capture beside whatever else goes there.
                    if let Some(right) = self.en_passant().filter(|right| right.passed == to) {
                        seen_en_passant = true;
                        let mv = Move { to, captured: Some(right.victim), ..plain };
                        if !promotions(pawn, mv, visit) {
                            return false;
                        }
                    }
                }
                let may = match occupant {
                    None => way.quiet,
                    Some(other) => way.capture && other.side != self.stm(),
                };
                if may && !seen.contains(to) {
                    seen.insert(to);
                    let captured = occupant.map(|_| to);
                    let mv = Move { to, captured, zeroing: plain.zeroing || captured.is_some(), ..plain };
                    if !promotions(pawn, mv, visit) {
                        return false;
                    }
                }
            }
        }
        let Some(pawn) = pawn else { return true };
        let is_free = |step: &DoubleStep| self.are_empty(step.between) && self.man_on(step.to).is_none();
        for step in pawn.double_steps.iter().filter(|step| step.from == from && is_free(step)) {
            let passed = pawn.en_passant.then_some(step.passed);
            // A double step that leaves no right behind may be the same as a plain one.
            let is_again = |mv: Move| mv.passed.is_none() && seen.contains(step.to);
            let mv = Move { to: step.to, passed, ..plain };
            if !promotions(Some(pawn), mv, &mut |mv| is_again(mv) || visit(mv)) {
                return false;
            }
        }
        true
    }

    /// The squares on which a way may end here, nearest first; a man may stand on one, of either side.
    pub(crate) fn landings(&self, way: &Way) -> impl Iterator<Item = Square> {
        let mut stages = way.stages.iter();
        let mut is_before_hurdle = way.hurdle != Hurdle::None;
        std::iter::from_fn(move || {
            loop {
                let stage = stages.next()?;
                let is_occupied = self.man_on(stage.square).is_some();
                if is_before_hurdle {
                    is_before_hurdle = !is_occupied;
                    continue;
                }
                if is_occupied || way.hurdle == Hurdle::JustBefore {
                    stages = [].iter();
                }
                if stage.is_landing {
                    return Some(stage.square);
                }
            }
        })
    }
}

/// Visits a move, or its choices if it ends on a promotion square; whether to go on.
fn promotions(pawn: Option<&PawnBook>, mv: Move, visit: &mut impl FnMut(Move) -> bool) -> bool {
    let promoted = |&piece: &PieceId| Move { promotion: Some(piece), passed: None, ..mv };
    let is_over = |pawn: &PawnBook| {
        pawn.promotion.contains(mv.to) && !pawn.promotes_to.iter().all(|piece| visit(promoted(piece)))
    };
    !pawn.is_some_and(is_over) && (pawn.is_some_and(|pawn| !pawn.zone.contains(mv.to)) || visit(mv))
}

/// It is written as a step of the first royal man to where he stands, as Fairy-Stockfish writes it, or of the
/// man on the first square where there is no royal one.
impl Move {
    /// Whether no man moves. (A king may castle to where he stands, with the rook moving alone.)
    #[must_use]
    pub fn is_pass(&self) -> bool {
        self.from == self.to && self.castling.is_none()
    }
}

impl Position {
    /// The pass of the side to move, if passing is ever a move and leads to a legal position.
    fn pass(&self, book: &RuleBook) -> Option<(Move, Position)> {
        let first = || self.men_of(self.stm()).next().map(|(_, square)| square);
        let at = self.royal_square(book, self.stm()).or_else(first)?;
        let mv = Move::quiet(at, at);
        let next = self.play(mv);
        next.is_legal(book).then_some((mv, next))
    }

    /// The pass of the side to move, if it is a legal move; `has_other` says whether there is another one.
    fn legal_pass(&self, book: &RuleBook, has_other: bool) -> Option<(Move, Position)> {
        match book.variant().rules.pass {
            Pass::Never => None,
            Pass::OnStalemate if has_other => None,
            Pass::Always | Pass::OnStalemate => self.pass(book),
        }
    }
}

impl Position {
    /// Whether the position could have arisen. The royal man of the side that has just moved is not
    /// attacked; where no checks are allowed, neither side's is; where captures explode, that side has its
    /// royal man, and need not fear for him if the other side's is gone; and a game that has been won, by a
    /// goal or by checks, is not played on.
    #[must_use]
    pub fn is_legal(&self, book: &RuleBook) -> bool {
        let is_past = || self.is_past_the_goal(book) || self.winner_by_checks(book) == Some(self.stm());
        self.is_safe(book) && !is_past()
    }

    /// Whether the last move has done right by the royal men.
    fn is_safe(&self, book: &RuleBook) -> bool {
        let rules = &book.variant().rules;
        if rules.blast.is_some() && book.variant().has_royals() {
            if !self.has_royal(book, !self.stm()) {
                return false;
            }
            if !self.has_royal(book, self.stm()) {
                return true;
            }
        }
        !self.is_attacked(book, !self.stm()) && (rules.checking || !self.is_attacked(book, self.stm()))
    }

    /// Whether the royal man of the side to move is attacked.
    #[must_use]
    pub fn is_in_check(&self, book: &RuleBook) -> bool {
        self.is_attacked(book, self.stm())
    }

    /// Whether a royal man of this side could be captured if the other side were to move, without that side's
    /// own royal man being lost by it; never, if it has none.
    #[must_use]
    pub fn is_attacked(&self, book: &RuleBook, side: Side) -> bool {
        let variant = book.variant();
        let own = || self.men_of(side).map(|(man, _)| man);
        self.men_of(side).any(|(man, square)| {
            variant.is_royal_among(man, own()) && self.is_attacked_on(book, side, square)
        })
    }

    /// Whether a royal man of this side on a square could be captured so.
    pub(crate) fn is_attacked_on(&self, book: &RuleBook, side: Side, square: Square) -> bool {
        let explodes = book.variant().rules.blast.is_some();
        !(explodes && self.is_shielded(book, side, square)) && self.could_capture_on(book, !side, square)
    }

    /// Where this side's first man of a royal piece stands, if it has one.
    fn royal_square(&self, book: &RuleBook, side: Side) -> Option<Square> {
        self.men_of(side).find(|&(man, _)| book.man(man).royal).map(|(_, square)| square)
    }

    fn has_royal(&self, book: &RuleBook, side: Side) -> bool {
        self.royal_square(book, side).is_some()
    }

    pub(crate) fn could_capture_on(&self, book: &RuleBook, by: Side, target: Square) -> bool {
        let is_occupied = |square| self.man_on(square).is_some();
        self.men_of(by).any(|(man, from)| {
            let book = book.man(man);
            book.reach[from.index()].contains(target)
                && book.ways[from.index()].iter().any(|way| way.capture && way.leads_to(target, is_occupied))
        })
    }
}

impl Position {
    /// Whether only captures are legal: they are compulsory, and there is one.
    pub(crate) fn must_capture(&self, book: &RuleBook) -> bool {
        book.variant().rules.must_capture && !self.for_each_allowed_capture(book, |_, _| false)
    }
}

/// A royal man captures no man, for he would not survive it (the rule book has no such ways for him); and
/// two royal men who stand side by side shield each other, because who captures one of them blows up both.
impl Position {
    /// Whether the other side's royal man stands beside that of this side, on `target`, so that no man
    /// dares.
    fn is_shielded(&self, book: &RuleBook, side: Side, target: Square) -> bool {
        let other = self.royal_square(book, !side);
        other.is_some_and(|other| book.around[target.index()].contains(other))
    }

    /// The move with the squares that its explosion clears, if it is a capture: for games in which captures
    /// explode.
    fn exploding(&self, book: &RuleBook, mv: Move) -> Move {
        if mv.captured.is_none() {
            return mv;
        }
        let is_blown = |square: &Square| {
            *square != mv.from && self.man_on(*square).is_some_and(|man| book.man(man).is_fragile)
        };
        let around: SquareSet = book.around[mv.to.index()].iter().filter(is_blown).collect();
        Move { blown: around.union([mv.to].into_iter().collect()), ..mv }
    }

    /// Whether the side to move has lost its royal man, and the game with him.
    pub(crate) fn is_blown_up(&self, book: &RuleBook) -> bool {
        let variant = book.variant();
        variant.rules.blast.is_some() && variant.has_royals() && !self.has_royal(book, self.stm())
    }
}

impl Position {
    /// The number of legal games of exactly `depth` plies.
    ///
    /// Complexity: one visit a game, but the last ply is only counted.
    #[must_use]
    pub fn perft(&self, book: &RuleBook, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut games = 0;
        self.for_each_successor(book, |_, next| {
            games += if depth == 1 { 1 } else { next.perft(book, depth - 1) }
        });
        games
    }
}
