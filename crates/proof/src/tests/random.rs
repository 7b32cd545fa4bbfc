//! Checks that random rules are valid, repeatable, and cover what they should.

use crate::{random_material, random_plain_variant, random_variant};
use piece::{RIDE, Ray, RayPath};
use variant::{PawnRules, Stalemate, Variant};

fn pawns(variant: &Variant) -> Vec<&PawnRules> {
    variant.pieces.iter().filter_map(|piece| piece.pawn.as_ref()).collect()
}

fn rays(variant: &Variant) -> Vec<Ray> {
    let officers = variant.pieces.iter().filter(|piece| piece.pawn.is_none());
    officers.flat_map(|piece| piece.movement.rays().to_vec()).collect()
}

/// That at least this many of these games have it.
#[track_caller]
fn check_many(all: &[Variant], least: usize, has: impl Fn(&Variant) -> bool) {
    let n = all.iter().filter(|variant| has(variant)).count();
    assert!(n >= least, "{n} of {}", all.len());
}

#[track_caller]
fn check_common(all: &[Variant]) {
    check_many(all, 300, |v| v.rules.stalemate == Stalemate::Loss);
    check_many(all, 300, |v| v.rules.n_move_rule == Some(1));
    check_many(all, 100, |v| v.rules.n_move_rule.is_none());
    check_many(all, 500, |v| pawns(v).iter().any(|p| p.en_passant));
    check_many(all, 100, |v| pawns(v).iter().any(|p| !p.en_passant && !p.double_step_from.is_empty()));
    check_many(all, 500, |v| pawns(v).iter().any(|p| p.promotes_to.len() > 1));
    check_many(all, 300, |v| pawns(v).len() == 2);
    check_many(all, 500, |v| rays(v).iter().any(|r| r.limit == RIDE));
    check_many(all, 500, |v| rays(v).iter().any(|r| (2..=3).contains(&r.limit)));
    check_many(all, 500, |v| rays(v).iter().any(|r| r.quiet != r.capture));
}

#[test]
fn every_seed_makes_plain_rules() {
    let all: Vec<Variant> = (0..2000).map(random_plain_variant).collect();
    check_common(&all);
    assert!(all.iter().all(|v| (15..=30).contains(&v.board.n_squares())));
    assert!(all.iter().all(|v| rays(v).iter().all(|ray| ray.path == RayPath::Plain)));
    assert!(all.iter().all(|v| !v.board.is_cylinder() && v.board.holes().is_empty()));
    assert_eq!(all[7], random_plain_variant(7));
}

#[test]
fn every_seed_makes_rules() {
    let all: Vec<Variant> = (0..2000).map(random_variant).collect();
    check_common(&all);
    assert!(all.iter().all(|v| (9..=30).contains(&v.board.n_squares())));
    check_many(&all, 50, |v| v.board.n_squares() == 9);
    check_many(&all, 300, |v| v.board.is_cylinder());
    check_many(&all, 300, |v| !v.board.holes().is_empty());
    check_many(&all, 100, |v| v.board.is_cylinder() && !v.board.holes().is_empty());
    let special = [
        (RayPath::Lame, 1),
        (RayPath::Lame, RIDE),
        (RayPath::Cannon, 3),
        (RayPath::Cannon, RIDE),
        (RayPath::Grasshopper, 2),
        (RayPath::Grasshopper, RIDE),
        (RayPath::CircularLeft, 3),
        (RayPath::CircularLeft, RIDE),
        (RayPath::CircularRight, RIDE),
    ];
    for (path, limit) in special {
        check_many(&all, 100, |v| rays(v).iter().any(|ray| ray.path == path && ray.limit == limit));
        let royal = |v: &Variant| v.pieces[0].movement.rays().to_vec();
        check_many(&all, 10, |v| royal(v).iter().any(|ray| ray.path == path && ray.limit == limit));
    }
    let last_rank = |v: &Variant| v.board.rank(v.board.ranks() - 1);
    check_many(&all, 50, |v| pawns(v).iter().any(|p| !p.zone.intersection(last_rank(v)).is_empty()));
    assert_eq!(all[7], random_variant(7));
    assert_eq!(random_material(&all[7], 4, 1), random_material(&all[7], 4, 1));
}
