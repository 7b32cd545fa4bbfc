//! Finds a position of a game to begin with.

use index::Layout;
use position::{Position, RuleBook};
use variant::{Man, Material, PieceId, Side, Variant};

/// How many placements are tried.
const N_TRIES: usize = 100_000;

/// A legal position in which a game begins to be interesting: the royal men, and White's first other man
/// that is no pawn; where nobody is royal, a man of each side.
#[must_use]
pub fn first_fen(book: &RuleBook) -> Option<String> {
    let variant = book.variant();
    let mut pieces = variant.piece_ids().filter(|&id| !variant.piece(id).royal);
    let first = pieces.next()?;
    let men = |side: Side, pieces: &[PieceId]| -> Vec<Man> {
        pieces.iter().map(|&piece| Man { side, piece }).collect()
    };
    let material = match variant.royal() {
        Some(royal) => [men(Side::White, &[royal, first]), men(Side::Black, &[royal])].concat(),
        None => [men(Side::White, &[first]), men(Side::Black, &[first])].concat(),
    };
    some_position(book, variant, &Material::from_men(material)).map(|position| position.to_fen(book))
}

/// The middle one of the legal positions of a material with White to move, as far as some tries find one.
fn some_position(book: &RuleBook, variant: &Variant, material: &Material) -> Option<Position> {
    let layout = Layout::new(variant, material);
    let indices = (layout.len() / 2..layout.len()).chain(0..layout.len() / 2).take(N_TRIES);
    let position = |index| {
        let squares = layout.decode(index);
        Position::from_men(layout.men().iter().copied().zip(squares.iter().copied()), Side::White)
    };
    let is_open = |position: &Position| position.is_legal(book) && position.has_legal_move(book);
    indices.filter_map(position).find(is_open)
}
