//! Checks the oracle and `verify` by published numbers, a plain search and faults put in.

mod clock;
mod metric;
mod oracle;
mod random;
mod retro;
mod rule;
mod verify;

use geometry::Board;
use piece::Movement;
use position::Position;
use std::collections::BTreeMap;
use std::sync::Arc;
use table::{Lookup, Table};
use variant::exit::TablePart;
use variant::{Material, PawnRules, Piece, PieceId, Rules, Side, Variant};

/// Chess on a board of any size; pawns start on the second rank and make double steps where there is room.
fn chess(files: usize, ranks: usize) -> Variant {
    let board = Board::new(files, ranks).unwrap();
    let piece = |letter: char, betza: &str| Piece {
        letter,
        name: format!("piece {letter}"),
        movement: Movement::parse(betza).unwrap(),
        royal: letter == 'K',
        pawn: None,
        regions: [None; 2],
    };
    let last = board.rank(ranks - 1);
    let pawn = PawnRules {
        zone: board.all().without(last).without(board.rank(0)),
        double_step_from: board.rank(if ranks > 4 { 1 } else { ranks }),
        en_passant: ranks > 4,
        promotion: last,
        promotes_to: vec![PieceId(1), PieceId(2), PieceId(3), PieceId(4)],
        black: None,
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

/// The game with pawns that become only the first two of the men: each pair of men that two pawns become is
/// one material more.
fn with_two_promotions(mut variant: Variant) -> Variant {
    let pawns = variant.pieces.iter_mut().filter_map(|piece| piece.pawn.as_mut());
    pawns.for_each(|pawn| pawn.promotes_to.truncate(2));
    variant
}

/// Tables in memory.
#[derive(Default)]
struct Tables(BTreeMap<Material, Arc<Table>>);

impl Lookup for Tables {
    fn table(&self, material: &Material, _: Option<&TablePart>) -> Option<Arc<Table>> {
        self.0.get(material).cloned()
    }
}

#[track_caller]
fn material(variant: &Variant, name: &str) -> Material {
    Material::parse(variant, name).unwrap()
}

/// Every placement, both sides to move, legal or not.
fn placements(variant: &Variant, material: &Material) -> Vec<Position> {
    let mut all = Side::BOTH.map(Position::empty).to_vec();
    for man in material.men() {
        let mut more = Vec::new();
        for position in &all {
            for square in variant.zone(man).iter().filter(|&s| position.man_on(s).is_none()) {
                let mut position = position.clone();
                position.put(man, square);
                more.push(position);
            }
        }
        all = more;
    }
    all
}
