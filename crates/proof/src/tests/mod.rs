//! The proofs, proved: published numbers, a plain search, one oracle against the other, faults put in and found.

mod oracle;
mod random;
mod verify;

use geometry::Board;
use piece::Movement;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::{Material, PawnRules, Piece, PieceId, Rules, Variant};

/// Chess on a board of any size; pawns start on the second rank and make double steps where there is room.
fn chess(files: usize, ranks: usize) -> Variant {
    let board = Board::new(files, ranks).unwrap();
    let piece = |letter: char, betza: &str| Piece {
        letter,
        name: format!("piece {letter}"),
        movement: Movement::parse(betza).unwrap(),
        royal: letter == 'K',
        pawn: None,
    };
    let last = board.rank(ranks - 1);
    let pawn = PawnRules {
        zone: board.all().without(last).without(board.rank(0)),
        double_step_from: board.rank(if ranks > 4 { 1 } else { ranks }),
        en_passant: ranks > 4,
        promotion: last,
        promotes_to: vec![PieceId(1), PieceId(2), PieceId(3), PieceId(4)],
    };
    let pieces = vec![
        piece('K', "K"),
        piece('Q', "Q"),
        piece('R', "R"),
        piece('B', "B"),
        piece('N', "N"),
        Piece { pawn: Some(pawn), ..piece('P', "fmWfcF") },
    ];
    Variant::from_parts(format!("chess-{files}x{ranks}"), board, pieces, Rules::default()).unwrap()
}

/// Tables in memory.
#[derive(Default)]
struct Tables(BTreeMap<Material, Arc<Table>>);

impl Lookup for Tables {
    fn table(&self, material: &Material) -> Option<Arc<Table>> {
        self.0.get(material).cloned()
    }
}

#[track_caller]
fn material(variant: &Variant, name: &str) -> Material {
    Material::parse(variant, name).unwrap()
}
