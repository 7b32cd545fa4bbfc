//! Decides whether a part of a table is enough for a job, and how much of the table that is.
//!
//! Just after a promotion the new man stands on one of few squares, and the other side is to move. Where
//! nothing but promotions leads to a large table, that part of it is all that a job needs.

use geometry::SquareSet;
use index::Sizes;
use variant::exit::TablePart;
use variant::{Material, Variant};

/// Tables of fewer men are read whole even where a part would do: they are small, and somebody else wants the
/// rest.
const MIN_MEN: usize = 5;

/// The part of a canonical material's table that has all of these parts, each of which one link leads to;
/// none if a link leads to the whole table, or if the rest is not worth being left out.
pub(crate) fn joined(
    variant: &Variant,
    material: &Material,
    parts: impl IntoIterator<Item = Option<TablePart>>,
) -> Option<TablePart> {
    // The table's outermost men must be the royal ones, so that the promoted man is none of them. Of a
    // one-sided table the side to move that is kept may be the other one.
    let n_royal = material.men().filter(|man| variant.is_royal(*man)).count();
    if material.n_men() < MIN_MEN || n_royal != 2 || material.is_one_sided(variant) {
        return None;
    }
    let join = |all: TablePart, part: TablePart| {
        (all.man == part.man).then(|| TablePart { squares: all.squares.union(part.squares), ..all })
    };
    let mut parts = parts.into_iter();
    let first = parts.next()??;
    parts.try_fold(first, |all, part| join(all, part?))
}

/// The bytes of a part of a table that has so many: some squares of a man, those included that the table's
/// symmetries take for his, and one of two sides to move.
pub(crate) fn part_bytes(
    variant: &Variant,
    sizes: &mut Sizes<'_>,
    material: &Material,
    part: &TablePart,
    whole_bytes: u64,
) -> u64 {
    let (board, group) = (&variant.board, sizes.group(material));
    let images: SquareSet =
        part.squares.iter().flat_map(|s| group.iter().map(move |g| g.square(board, s))).collect();
    whole_bytes * images.n_squares() as u64 / board.n_squares() as u64 / 2
}
