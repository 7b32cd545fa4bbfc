//! Answers, by the rules and a tablebase, what the language asks.

use geometry::Square;
use position::{Move, Position};
use probe::Tablebase;
use table::{Ply, Value};
use variant::{PieceId, Side};

pub(super) struct Oracle<'a> {
    pub(super) tables: &'a Tablebase,
    pub(super) position: &'a Position,
}

impl Oracle<'_> {
    fn value(&self) -> Value {
        self.tables.value(self.position).unwrap()
    }

    fn turned(&self) -> Value {
        let mut turned = self.position.clone();
        turned.set_stm(!self.position.stm());
        self.tables.value(&turned).unwrap()
    }

    pub(super) fn is_white(&self) -> bool {
        self.position.stm() == Side::White
    }

    pub(super) fn wdl(&self) -> i8 {
        self.value().wdl().unwrap()
    }

    pub(super) fn white_wdl(&self) -> i8 {
        if self.is_white() { self.wdl() } else { -self.wdl() }
    }

    pub(super) fn turned_white_wdl(&self) -> Option<i8> {
        let wdl = self.turned().wdl()?;
        Some(if self.is_white() { -wdl } else { wdl })
    }

    pub(super) fn plies(&self) -> Option<u16> {
        self.value().ply().map(|Ply(ply)| ply)
    }

    pub(super) fn is_over(&self) -> bool {
        !self.position.has_legal_move(self.tables.book())
    }

    /// Whether the side to move would do better if it could pass.
    pub(super) fn is_zugzwang(&self) -> bool {
        self.turned().wdl().is_some_and(|other| self.wdl() < -other)
    }

    pub(super) fn is_mutual_zugzwang(&self) -> bool {
        // Each of both does worse with the move.
        self.is_zugzwang() && self.turned().wdl().is_some_and(|other| other < -self.wdl())
    }

    /// The results of White to move and of Black to move for White, if both could be to move.
    pub(super) fn wdl_of_both(&self) -> Option<[i8; 2]> {
        let (own, other) = (self.white_wdl(), self.turned_white_wdl()?);
        Some(if self.is_white() { [own, other] } else { [other, own] })
    }

    pub(super) fn is_check(&self) -> bool {
        self.position.is_in_check(self.tables.book())
    }

    /// The square of the only man with a FEN letter.
    pub(super) fn square(&self, letter: char) -> String {
        let variant = self.tables.variant();
        let mut men = self.position.men().filter(|&(man, _)| variant.fen_letter(man) == letter);
        variant.board.name(men.next().unwrap().1)
    }

    pub(super) fn has(&self, letter: char, square: &str) -> bool {
        self.square(letter) == square
    }

    pub(super) fn is_on_light(&self, letter: char) -> bool {
        let square = self.square(letter).into_bytes();
        (square[0] - b'a' + square[1] - b'1') % 2 == 1
    }

    /// How far two men are apart.
    pub(super) fn distance(&self, first: char, second: char) -> u8 {
        let (a, b) = (self.square(first).into_bytes(), self.square(second).into_bytes());
        let mut files = a[0].abs_diff(b[0]);
        if self.tables.variant().board.is_cylinder() {
            files = files.min(8 - files);
        }
        files.max(a[1].abs_diff(b[1]))
    }

    /// The name of a square.
    pub(super) fn name(&self, square: Square) -> String {
        self.tables.variant().board.name(square)
    }

    pub(super) fn letter(&self, piece: PieceId) -> char {
        self.tables.variant().piece(piece).letter
    }

    /// Of the moves that keep the result: how many are meant, and how many there are.
    pub(super) fn keeping(&self, is_meant: impl Fn(&Self, &Move) -> bool) -> (usize, usize) {
        let wdl = self.wdl();
        self.count(is_meant, |value| value.wdl() == Some(wdl))
    }

    /// Likewise those among them that are as quick, or as slow, as any.
    pub(super) fn best(&self, is_meant: impl Fn(&Self, &Move) -> bool) -> (usize, usize) {
        let own = self.value();
        self.count(is_meant, |value| value == own || (own.wdl() == Some(0) && value.wdl() == Some(0)))
    }

    fn count(
        &self,
        is_meant: impl Fn(&Self, &Move) -> bool,
        is_good: impl Fn(Value) -> bool,
    ) -> (usize, usize) {
        // A move counts a ply.
        let moves = self.tables.moves(self.position).unwrap();
        let good: Vec<_> = moves.iter().filter(|rated| is_good(rated.value.value().unwrap())).collect();
        (good.iter().filter(|rated| is_meant(self, &rated.mv)).count(), good.len())
    }

    pub(super) fn gives_check(&self, mv: &Move) -> bool {
        self.position.play(*mv).is_in_check(self.tables.book())
    }

    pub(super) fn n_moves(&self, is_meant: impl Fn(i8) -> bool) -> usize {
        let moves = self.tables.moves(self.position);
        // Where a table is missing the position is not one of those asked for.
        moves.map_or(0, |moves| moves.iter().filter(|rated| is_meant(rated.value.wdl().unwrap())).count())
    }

    pub(super) fn n_best(&self) -> usize {
        self.tables.best_moves(self.position).unwrap().len()
    }

    pub(super) fn n_of(&self, is_meant: impl Fn(&Move) -> bool) -> usize {
        self.position.legal_moves(self.tables.book()).iter().filter(|mv| is_meant(mv)).count()
    }

    pub(super) fn n_checks(&self) -> usize {
        self.n_of(|mv| self.gives_check(mv))
    }
}
