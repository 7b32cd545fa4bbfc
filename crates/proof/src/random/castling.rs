//! Makes random rules of castling for a game that is there.

use super::dice::Dice;
use variant::{Castling, PieceId, Rules, Variant};

/// The same game with castling that belongs to this seed; none if its board or its men have no place for it.
///
/// King and rooks begin and end on any files that make sense; in some games they begin anywhere.
#[must_use]
pub fn random_castling(variant: &Variant, seed: u64) -> Option<Variant> {
    let mut dice = Dice::new(seed ^ 0xCA57);
    let board = &variant.board;
    let files = board.files();
    let officers = variant.piece_ids().skip(1).filter(|&id| variant.piece(id).pawn.is_none());
    let officers: Vec<PieceId> = officers.collect();
    let castling = |dice: &mut Dice| {
        let king_file = 1 + dice.below(files - 2);
        let rook_files = [king_file + 1 + dice.below(files - 1 - king_file), dice.below(king_file)];
        let king_targets = [
            king_file + 1 + dice.below(rook_files[0] - king_file),
            rook_files[1] + dice.below(king_file - rook_files[1]),
        ];
        let mut rooks: Vec<PieceId> = officers.iter().copied().filter(|_| dice.chance(60)).collect();
        rooks.truncate(2);
        Castling {
            king: PieceId(0),
            rooks,
            rank: 0,
            king_file,
            rook_files,
            king_targets,
            any_files: files <= 10 && dice.chance(30),
        }
    };
    (0..20).find_map(|_| {
        let rules = Rules { castling: Some(castling(&mut dice)), ..variant.rules.clone() };
        let name = format!("{}-castling", variant.name);
        Variant::from_parts(name, *board, variant.pieces.clone(), rules).ok()
    })
}
