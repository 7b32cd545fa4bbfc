//! Checks that moves and unmoves of random games are inverse.

use super::placements;
use crate::numbering::with_rights;
use crate::{Rule, random_castling, random_material, random_ruled_variant, random_variant};
use position::{Position, RuleBook};
use rayon::prelude::*;
use variant::{PieceId, Variant};

/// The men, the side to move and the right, whatever the clocks.
fn without_clocks(book: &RuleBook, position: &Position) -> String {
    let fen = position.to_fen(book);
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// Some positions of a game, from each of which all moves are taken back, and all unmoves played; how many
/// there were.
#[track_caller]
fn check_inverse(variant: &Variant, seed: u64, n_men: usize, every: usize) -> [usize; 2] {
    let book = RuleBook::new(variant);
    let material = random_material(variant, n_men, seed);
    let pieces: Vec<PieceId> = variant.piece_ids().filter(|&piece| !variant.piece(piece).royal).collect();
    let text = |position: &Position| without_clocks(&book, position);
    let (mut n_moves, mut n_unmoves) = (0, 0);
    let some = placements(variant, &material).into_iter().step_by(every);
    for plain in some.filter(|position| position.is_legal(&book)) {
        let rights = plain.en_passant_rights(&book).into_iter().map(Some).chain([None]);
        let with_en_passant = rights.map(|right| plain.clone().with_en_passant(right));
        let with_castling = with_rights(&book, &plain);
        for a in with_en_passant.chain(with_castling) {
            a.for_each_successor(&book, |mv, b| {
                // Explosions leave nothing that could be taken back.
                if !mv.blown.is_empty() {
                    return;
                }
                // A right to capture en passant that is not used is lost without a trace.
                let kept = a.en_passant().filter(|_| mv.is_en_passant());
                let back = a.clone().with_en_passant(kept);
                let unmoves = b.unmoves(&book, &pieces);
                assert!(
                    unmoves.iter().any(|position| text(position) == text(&back)),
                    "seed {seed}: {} -> {} has no unmove",
                    text(&a),
                    text(b)
                );
                n_moves += 1;
            });
            for before in a.unmoves(&book, &pieces) {
                let mut leads_here = false;
                before.for_each_successor(&book, |_, b| leads_here |= text(b) == text(&a));
                assert!(leads_here, "seed {seed}: {} does not lead to {}", text(&before), text(&a));
                n_unmoves += 1;
            }
        }
    }
    [n_moves, n_unmoves]
}

#[test]
fn moves_and_unmoves_of_random_games_are_inverse() {
    let seeds = (600_000..600_120).into_par_iter();
    let found = seeds.map(|seed| {
        let n_men = 2 + (seed % 3) as usize;
        // Some hundred positions a game, less of two men.
        let variant = random_variant(seed);
        check_inverse(&variant, seed, n_men, [23, 997, 30_011][n_men - 2])
    });
    let seen = found.reduce(|| [0, 0], |[a, b], [c, d]| [a + c, b + d]);
    assert!(seen.iter().all(|&n| n > 7_000), "{seen:?}");
}

#[test]
fn moves_and_unmoves_are_inverse_under_any_rules() {
    let mut seen = [0, 0];
    for seed in 610_000..610_060 {
        let n_men = 2 + (seed % 3) as usize;
        let variant = random_ruled_variant(seed, &Rule::ALL);
        let found = check_inverse(&variant, seed, n_men, [23, 997, 30_011][n_men - 2]);
        seen = [seen[0] + found[0], seen[1] + found[1]];
    }
    assert!(seen.iter().all(|&n| n > 2_500), "{seen:?}");
}

/// Every position of so few men in which a side may castle, and every hundredth other one.
#[test]
fn moves_and_unmoves_with_castling_are_inverse() {
    let games =
        (620_000..620_400).filter_map(|seed| Some((seed, random_castling(&random_variant(seed), seed)?)));
    let mut n_castlings = 0;
    for (seed, variant) in games.take(60) {
        let book = RuleBook::new(&variant);
        let material = random_material(&variant, 3, seed);
        let pieces: Vec<PieceId> = variant.piece_ids().filter(|&piece| !variant.piece(piece).royal).collect();
        let text = |position: &Position| without_clocks(&book, position);
        let positions =
            placements(&variant, &material).into_iter().step_by(1 + variant.board.n_squares() / 8);
        for a in positions.flat_map(|position| with_rights(&book, &position)) {
            a.for_each_successor(&book, |mv, b| {
                n_castlings += usize::from(mv.castling.is_some());
                let unmoves = b.unmoves(&book, &pieces);
                let is_back = unmoves.iter().any(|position| text(position) == text(&a));
                assert!(is_back, "seed {seed}: {} -> {} has no unmove", text(&a), text(b));
            });
            for before in a.unmoves(&book, &pieces) {
                let mut leads_here = false;
                before.for_each_successor(&book, |_, b| leads_here |= text(b) == text(&a));
                assert!(leads_here, "seed {seed}: {} does not lead to {}", text(&before), text(&a));
            }
        }
    }
    assert!(n_castlings > 200, "{n_castlings} castlings");
}
