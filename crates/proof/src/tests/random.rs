//! Random rules are rules, the same ones every time, and cover what they should.

use crate::{random_material, random_variant};
use variant::{Stalemate, Variant};

#[test]
fn every_seed_makes_rules() {
    let all: Vec<Variant> = (0..2000).map(random_variant).collect();
    let pawns = |v: &Variant| v.pieces.iter().filter_map(|p| p.pawn.clone()).collect::<Vec<_>>();
    let n_with = |has: &dyn Fn(&Variant) -> bool| all.iter().filter(|v| has(v)).count();
    assert!(n_with(&|v| v.rules.stalemate == Stalemate::Loss) > 300);
    assert!(n_with(&|v| v.rules.n_move_rule == Some(1)) > 300);
    assert!(n_with(&|v| v.rules.n_move_rule.is_none()) > 100);
    assert!(n_with(&|v| pawns(v).iter().any(|p| p.en_passant)) > 500);
    assert!(n_with(&|v| pawns(v).iter().any(|p| !p.en_passant && !p.double_step_from.is_empty())) > 100);
    assert!(n_with(&|v| pawns(v).iter().any(|p| p.promotes_to.len() > 1)) > 500);
    let rays = |v: &Variant| {
        v.pieces
            .iter()
            .filter(|p| p.pawn.is_none())
            .flat_map(|p| p.movement.rays().to_vec())
            .collect::<Vec<_>>()
    };
    assert!(n_with(&|v| rays(v).iter().any(|r| r.limit == piece::RIDE)) > 500);
    assert!(n_with(&|v| rays(v).iter().any(|r| (2..=3).contains(&r.limit))) > 500);
    assert!(n_with(&|v| rays(v).iter().any(|r| r.quiet != r.capture)) > 500);
    assert!(all.iter().all(|v| (15..=30).contains(&v.board.n_squares())));
    assert_eq!(all[7], random_variant(7));
    assert_eq!(random_material(&all[7], 4, 1), random_material(&all[7], 4, 1));
}
