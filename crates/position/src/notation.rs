//! Writes moves as text: the coordinates of UCI (`e7e8q`) and the short form of books (`exd8=Q#`).

use crate::{Move, Position, RuleBook};
use geometry::Board;
use variant::{Man, Side, Wing};

/// A text that names no legal move.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{text}` is no legal move; there are {}", if .moves.is_empty() { "none".into() } else { .moves.join(" ") })]
pub struct UciError {
    /// The text as given.
    pub text: String,
    /// The legal moves.
    pub moves: Vec<String>,
}

impl Move {
    /// The move in coordinates, such as `e2e4` or `e7e8q`; a pass leads to the square it comes from, as
    /// `e1e1`. A king that castles goes to his square, as `e1g1`; or to that of the rook, as `f1h1`, where he
    /// may begin on any file or could go to his square by a step of his own.
    #[must_use]
    pub fn uci(&self, book: &RuleBook) -> String {
        let variant = book.variant();
        let takes_rook = variant.rules.castling.as_ref().is_some_and(|rule| rule.any_files);
        if let Some(rook) = self.castling.filter(|_| takes_rook || self.is_like_a_step(book)) {
            return variant.board.name(self.from) + &variant.board.name(rook.from);
        }
        let promotion = self.promotion.map(|piece| variant.piece(piece).letter.to_ascii_lowercase());
        let mut text = variant.board.name(self.from) + &variant.board.name(self.to);
        text.extend(promotion);
        text
    }

    /// Whether the king, castling, stays or comes to a square to which he could go without castling: the
    /// coordinates of that square are then those of the plain move.
    ///
    /// Source: Fairy-Stockfish, `UCI::move`.
    fn is_like_a_step(&self, book: &RuleBook) -> bool {
        let Some(rule) = &book.variant().rules.castling else { return false };
        // Along a rank both sides' men move alike.
        let king = Man { side: Side::White, piece: rule.king };
        self.from == self.to || book.may_step(king, self.from, self.to)
    }
}

impl Position {
    /// The legal move with these coordinates. Where two share them (a pawn that may step to the very square
    /// on which it may capture en passant), the capture is meant, and the step cannot be written. Castling
    /// may be written either way, to the king's square or to the rook's, unless the king could go to his
    /// square without castling: then that square is the plain move, legal or not.
    ///
    /// # Errors
    /// No legal move has these coordinates.
    pub fn parse_uci(&self, book: &RuleBook, text: &str) -> Result<Move, UciError> {
        let moves = self.legal_moves(book);
        let named = moves.iter().filter(|mv| mv.uci(book) == text);
        let board = &book.variant().board;
        let is_castling = |mv: &&Move| {
            let Some(rook) = mv.castling else { return false };
            let leads_to = |end| board.name(mv.from) + &board.name(end) == text;
            leads_to(rook.from) || (!mv.is_like_a_step(book) && leads_to(mv.to))
        };
        let named = named.max_by_key(|mv| mv.is_en_passant()).or_else(|| moves.iter().find(is_castling));
        named.copied().ok_or_else(|| UciError {
            text: text.into(),
            moves: moves.iter().map(|mv| mv.uci(book)).collect(),
        })
    }

    /// A legal move in short algebraic notation: a pawn's without letter, `x` for a capture, as much of the
    /// square it comes from as is needed, `=Q` for a promotion, `+` and `#` for check and for a move that
    /// wins the game; `O-O` and `O-O-O` for castling, `--` for a pass.
    #[must_use]
    pub fn san(&self, book: &RuleBook, mv: Move) -> String {
        self.san_among(book, mv, &self.legal_moves(book))
    }

    /// Like [`Position::san`], for a caller that has the legal moves, so that they are not listed again for
    /// each of them.
    #[must_use]
    pub fn san_among(&self, book: &RuleBook, mv: Move, legal_moves: &[Move]) -> String {
        let variant = book.variant();
        let board = &variant.board;
        let Some(man) = self.man_on(mv.from) else { return mv.uci(book) };
        if mv.is_pass() {
            return "--".into();
        }
        let mut text = String::new();
        match mv.castling.map(|rook| rook.wing) {
            Some(Wing::Kingside) => text.push_str("O-O"),
            Some(Wing::Queenside) => text.push_str("O-O-O"),
            None => {
                if !variant.is_pawn(man) {
                    text.push(variant.piece(man.piece).letter);
                }
                text += &self.origin(book, mv, legal_moves);
                if mv.captured.is_some() {
                    text.push('x');
                }
                text += &board.name(mv.to);
            }
        }
        if let Some(piece) = mv.promotion {
            text.push('=');
            text.push(variant.piece(piece).letter);
        }
        let next = self.play(mv);
        if next.winner(book) == Some(self.stm()) {
            text.push('#');
        } else if next.is_in_check(book) {
            text.push('+');
        }
        text
    }

    /// As much of the square a move comes from as its text needs.
    fn origin(&self, book: &RuleBook, mv: Move, legal_moves: &[Move]) -> String {
        let variant = book.variant();
        let board = &variant.board;
        // All pawns are written alike, so it is the text that must differ.
        let letter = |m: &Move| self.man_on(m.from).filter(|&man| !variant.is_pawn(man)).map(|man| man.piece);
        let kind = |m: &Move| (letter(m), m.to, m.promotion, m.captured.is_some());
        let own = kind(&mv);
        let rivals: Vec<&Move> =
            legal_moves.iter().filter(|other| other.from != mv.from && kind(other) == own).collect();
        let file = |m: &Move| board.file_of(m.from);
        let rank = |m: &Move| board.rank_of(m.from);
        let is_pawn_capture = letter(&mv).is_none() && mv.captured.is_some();
        if rivals.is_empty() && !is_pawn_capture {
            String::new()
        } else if rivals.iter().all(|other| file(other) != file(&mv)) {
            file_letter(board, mv)
        } else if rivals.iter().all(|other| rank(other) != rank(&mv)) && !is_pawn_capture {
            (rank(&mv) + 1).to_string()
        } else {
            board.name(mv.from)
        }
    }
}

fn file_letter(board: &Board, mv: Move) -> String {
    board.name(mv.from).chars().take(1).collect()
}
