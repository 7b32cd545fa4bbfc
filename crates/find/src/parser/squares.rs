//! Reads sets of squares: `d4..e5`, `rank 7`, `{a1, light}`.

use super::{Parsed, Parser};
use crate::token::TokenKind;
use crate::word::{Term, Zone};
use geometry::{Square, SquareSet};

impl Parser<'_> {
    pub(super) fn on(&mut self) -> Parsed<SquareSet> {
        match self.term() {
            Some(Term::On) => self.advance(),
            _ => return Err(self.unexpected("`on` with a set of squares, as in `K on d4..e5`,")),
        }
        self.squares()
    }

    pub(super) fn squares(&mut self) -> Parsed<SquareSet> {
        if !self.take_sign("{") {
            return self.square_set();
        }
        let mut squares = self.square_set()?;
        while self.take_sign(",") {
            squares = squares.union(self.square_set()?);
        }
        self.expect_sign("}")?;
        Ok(squares)
    }

    pub(super) fn square_set(&mut self) -> Parsed<SquareSet> {
        let board = self.variant.board;
        let (files, ranks) = (board.files(), board.ranks());
        let holding = |holds: &dyn Fn(usize, usize) -> bool| -> SquareSet {
            board.squares().filter(|&s| holds(board.file_of(s), board.rank_of(s))).collect()
        };
        match self.term() {
            Some(Term::Rank) => {
                self.advance();
                let first = self.rank(ranks)?;
                let last = if self.take_sign("..") { self.rank(ranks)? } else { first };
                let range = first.min(last)..=first.max(last);
                Ok(holding(&|_, rank| range.contains(&rank)))
            }
            Some(Term::File) => {
                self.advance();
                let first = self.file(files)?;
                let last = if self.take_sign("..") { self.file(files)? } else { first };
                let range = first.min(last)..=first.max(last);
                Ok(holding(&|file, _| range.contains(&file)))
            }
            Some(Term::Zone(zone)) => {
                self.advance();
                let is_end = |file: usize, rank: usize| {
                    [file == 0 || file + 1 == files, rank == 0 || rank + 1 == ranks]
                };
                Ok(holding(&|file, rank| match zone {
                    Zone::Dark => (file + rank) % 2 == 0,
                    Zone::Light => (file + rank) % 2 == 1,
                    Zone::Edge => is_end(file, rank).contains(&true),
                    Zone::Corner => is_end(file, rank) == [true; 2],
                }))
            }
            _ => {
                let first = self.square()?;
                if !self.take_sign("..") {
                    return Ok([first].into_iter().collect());
                }
                let last = self.square()?;
                let range = |a: usize, b: usize| a.min(b)..=a.max(b);
                let own_files = range(board.file_of(first), board.file_of(last));
                let own_ranks = range(board.rank_of(first), board.rank_of(last));
                Ok(holding(&|file, rank| own_files.contains(&file) && own_ranks.contains(&rank)))
            }
        }
    }

    pub(super) fn square(&mut self) -> Parsed<Square> {
        let TokenKind::Word(word) = self.kind() else {
            return Err(self.unexpected(
                "a square, a rectangle (`d4..e5`), `rank 7`, `file a..c`, `light`, `dark`, `edge`, `corner` or {…}",
            ));
        };
        let board = &self.variant.board;
        let square = board.square_named(word).ok_or_else(|| {
            let last = (b'a' + board.files() as u8 - 1) as char;
            let help = format!("squares are a1 to {last}{}", board.ranks());
            self.fault(format!("the board has no square `{word}`; {help}"))
        })?;
        self.advance();
        Ok(square)
    }

    /// A rank as people number it; from 0.
    pub(super) fn rank(&mut self, n_ranks: usize) -> Parsed<usize> {
        let &TokenKind::Number(number) = self.kind() else {
            return Err(self.unexpected("the number of a rank"));
        };
        let rank = usize::try_from(number).ok().filter(|rank| (1..=n_ranks).contains(rank));
        let rank = rank.ok_or_else(|| self.fault(format!("ranks are 1 to {n_ranks}, not {number}")))?;
        self.advance();
        Ok(rank - 1)
    }

    pub(super) fn file(&mut self, n_files: usize) -> Parsed<usize> {
        let TokenKind::Word(word) = self.kind() else { return Err(self.unexpected("the letter of a file")) };
        let mut chars = word.chars();
        let file = match (chars.next(), chars.next()) {
            (Some(letter @ 'a'..='p'), None) => Some(letter as usize - 'a' as usize),
            _ => None,
        };
        let last = (b'a' + n_files as u8 - 1) as char;
        let file = file.filter(|&file| file < n_files);
        let file = file.ok_or_else(|| self.fault(format!("files are a to {last}, not `{word}`")))?;
        self.advance();
        Ok(file)
    }
}
