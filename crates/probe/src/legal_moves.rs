//! Keeps the legal moves of a position for all tables that rate them.

use position::{Move, Position, RuleBook};
use std::cell::OnceCell;
use std::fmt;

/// The legal moves of one position with what each leads to, generated when a table first rates them.
///
/// Invariant: one value is for one position.
#[derive(Default)]
pub struct LegalMoves(OnceCell<Vec<(Move, Position)>>);

impl LegalMoves {
    /// The moves of the position that this value is for.
    pub fn of(&self, book: &RuleBook, position: &Position) -> &[(Move, Position)] {
        self.0.get_or_init(|| {
            let mut moves = Vec::new();
            position.for_each_successor(book, |mv, next| moves.push((mv, next.clone())));
            moves
        })
    }
}

impl fmt::Debug for LegalMoves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.get().into_iter().flatten().map(|(mv, _)| mv)).finish()
    }
}
