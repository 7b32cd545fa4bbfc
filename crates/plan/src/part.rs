//! Parts of tables: what promotions lead to.
//!
//! Just after a promotion the new man stands on one of few squares, and the other side is to move. Where
//! nothing but promotions leads to a large table, that part of it is all that a job needs.

use crate::Reason;
use geometry::SquareSet;
use index::symmetry_group;
use variant::{Man, Material, Variant};

/// Tables of fewer men are read whole even where a part would do: they are small, and somebody else wants the
/// rest.
const MIN_MEN: usize = 5;

/// The part of a canonical material's table in which such a man stands on one of some squares and the other
/// side is to move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The man, in the colours of the table.
    pub man: Man,
    /// His squares, in the colours of the table.
    pub squares: SquareSet,
    /// On how many squares he stands in the part, those included that the table's symmetries take for his,
    /// and how many the board has.
    share: (u64, u64),
}

impl Part {
    /// The part of a table that moves out of another material lead to; none if they lead to all of it, or if
    /// the rest is not worth being left out.
    pub(crate) fn new(
        variant: &Variant,
        from: &Material,
        material: &Material,
        reasons: &[Reason],
    ) -> Option<Part> {
        // The table's outermost men must be the royal ones, so that the promoted man is none of them. A
        // symmetric table keeps one side to move only, and that may be the other one.
        let is_symmetric = variant.is_colour_symmetric() && material.is_symmetric();
        let n_royal = material.men().filter(|man| variant.is_royal(*man)).count();
        if material.n_men() < MIN_MEN || n_royal != 2 || is_symmetric {
            return None;
        }
        let board = &variant.board;
        let mut found: Option<(Man, SquareSet)> = None;
        for reason in reasons {
            let (Reason::Promotion { pawn, to } | Reason::CapturePromotion { pawn, to, .. }) = *reason else {
                return None;
            };
            let promotion = variant.pawn_rules(pawn)?.promotion;
            let promoted = Man { piece: to, ..pawn };
            let (man, squares) = match reason.lead(from) == *material {
                true => (promoted, promotion),
                false => (
                    Man { side: !promoted.side, ..promoted },
                    promotion.iter().map(|square| board.mirror_ranks(square)).collect(),
                ),
            };
            let (first, all) = found.get_or_insert((man, squares));
            if *first != man || variant.is_royal(man) {
                return None;
            }
            *all = all.union(squares);
        }
        let (man, squares) = found?;
        let group = symmetry_group(variant, material);
        let images: SquareSet =
            squares.iter().flat_map(|s| group.iter().map(move |g| g.square(board, s))).collect();
        Some(Part { man, squares, share: (images.n_squares() as u64, board.n_squares() as u64) })
    }

    /// How much of a table of so many bytes the part takes: some squares of a man, and one of two sides to
    /// move.
    pub(crate) fn share_of(&self, whole_bytes: u64) -> u64 {
        whole_bytes * self.share.0 / self.share.1 / 2
    }
}
