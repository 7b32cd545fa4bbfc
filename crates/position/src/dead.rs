//! Recognizes positions in which no sequence of moves ends with a win: bare kings, a knight, bishops that all
//! stand on squares of one colour.
//!
//! A knight, or such bishops, that give check attack squares of the colour on which the king stands. The
//! squares beside him along rank and file have the other colour and nobody on them, so the other king would
//! have to take them all from him, and only from a square next to him could he. So no mate exists on any
//! rectangle. Elsewhere (holes, a cylinder, kings that go another way, wins by more than mate) only what the
//! rules prove of the men counts.

use crate::{Position, RuleBook};
use variant::{Man, Material};

impl Position {
    /// Whether neither side can win, however both move. There may be other such positions; these are the ones
    /// that every player knows.
    #[must_use]
    pub fn is_dead(&self, book: &RuleBook) -> bool {
        let variant = book.variant();
        if self.n_men() == 2 {
            let material = Material::from_men(self.men().map(|(man, _)| man)).canonical(variant);
            return variant.is_always_drawn(&material);
        }
        let [bishops, knights] = &book.minors;
        let others = || self.men().filter(|(man, _)| !variant.is_royal(*man));
        if others().count() == 1 && others().all(|(man, _)| knights.contains(&man.piece)) {
            return true;
        }
        let colour = |square| (variant.board.file_of(square) + variant.board.rank_of(square)) % 2;
        let first = others().next().map(|(_, square)| colour(square));
        // Without other men one side has lost its king, as to an explosion.
        let are_alike =
            |(man, square): (Man, _)| bishops.contains(&man.piece) && Some(colour(square)) == first;
        first.is_some() && others().all(are_alike)
    }
}
