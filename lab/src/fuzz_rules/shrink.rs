//! Makes a case smaller as long as something stays wrong with it: fewer men, fewer pieces, fewer and plainer
//! rays, a plainer board, fewer rules.

use super::case::{Case, PANIC, Verdict};
use piece::{Movement, Ray, RayPath};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use variant::{Man, Material, Piece, PieceId, Rules, Variant};

/// How long to look for something smaller.
const PATIENCE: Duration = Duration::from_secs(60);

impl Case {
    /// The smallest case found that still has something wrong, and what.
    #[must_use]
    pub fn shrunk(mut self, mut wrong: String) -> (Self, String) {
        let start = Instant::now();
        'smaller: loop {
            for case in self.smaller() {
                if start.elapsed() > PATIENCE {
                    return (self, wrong);
                }
                if let Verdict::Different(text) = case.check()
                    && is_panic(&text) == is_panic(&wrong)
                {
                    (self, wrong) = (case, text);
                    continue 'smaller;
                }
            }
            return (self, wrong);
        }
    }

    /// Every case that is this one with one thing less, boldest first.
    fn smaller(&self) -> Vec<Case> {
        let variant = &self.variant;
        let mut found: Vec<Case> = Vec::new();
        let men: Vec<Man> = self.material.men().collect();
        for out in (0..men.len()).filter(|&i| !variant.is_royal(men[i])) {
            let left = men.iter().enumerate().filter(|&(i, _)| i != out).map(|(_, &man)| man);
            let material = Material::from_men(left).canonical(variant);
            if !variant.is_over(&material) {
                found.push(Case { material, ..self.clone() });
            }
        }
        let letters = self.letters();
        if letters.len() < variant.pieces.len() {
            found.extend(self.with_pieces(&letters, variant.pieces.clone()));
        }
        let mut with_board = |board| found.extend(self.remade(Variant { board, ..variant.clone() }));
        with_board(variant.board.without_holes());
        if variant.board.is_cylinder() {
            let plain = geometry::Board::new(variant.board.files(), variant.board.ranks());
            plain.and_then(|board| board.with_holes(variant.board.holes())).into_iter().for_each(with_board);
        }
        let plain = Rules { n_move_rule: variant.rules.n_move_rule, ..Rules::default() };
        for less in fewer_rules(&variant.rules, &plain) {
            found.extend(self.remade(Variant { rules: less, ..variant.clone() }));
        }
        for (i, piece) in variant.pieces.iter().enumerate() {
            for smaller in smaller_pieces(piece) {
                let mut pieces = variant.pieces.clone();
                pieces[i] = smaller;
                found.extend(self.remade(Variant { pieces, ..variant.clone() }));
            }
        }
        found.retain(|case| case.text() != self.text());
        found
    }

    /// This case with its men under other rules that have their letters, if these are rules.
    fn remade(&self, variant: Variant) -> Option<Case> {
        let made = Variant::from_parts(variant.name, variant.board, variant.pieces, variant.rules).ok()?;
        let material = Material::parse(&made, &self.material.name(&self.variant)).ok()?.canonical(&made);
        Some(Case { variant: made, material, ..self.clone() })
    }

    /// This case with the pieces of these letters only.
    fn with_pieces(&self, letters: &BTreeSet<char>, pieces: Vec<Piece>) -> Option<Case> {
        let kept: Vec<usize> = (0..pieces.len()).filter(|&i| letters.contains(&pieces[i].letter)).collect();
        let place = |id: PieceId| kept.iter().position(|&i| i == usize::from(id.0));
        let moved = |mut piece: Piece| {
            if let Some(rules) = &mut piece.pawn {
                rules.promotes_to.retain(|&id| place(id).is_some());
                rules.promotes_to.iter_mut().for_each(|id| *id = PieceId(place(*id).unwrap_or(0) as u8));
            }
            piece
        };
        let pieces = kept.iter().map(|&i| moved(pieces[i].clone())).collect();
        let mut rules = self.variant.rules.clone();
        let immune = rules.blast.as_mut().map(|blast| &mut blast.immune);
        let extinct = rules.extinction.as_mut().and_then(|extinction| extinction.kinds.as_mut());
        let goal = rules.goal.as_mut().and_then(|goal| goal.kinds.as_mut());
        for kinds in immune.into_iter().chain(extinct).chain(goal) {
            *kinds = kinds.iter().filter_map(|&id| place(id).map(|place| PieceId(place as u8))).collect();
        }
        self.remade(Variant { pieces, rules, ..self.variant.clone() })
    }
}

/// What stops the program is another matter than a wrong value: one must not lead to the other.
fn is_panic(wrong: &str) -> bool {
    wrong.starts_with(PANIC)
}

/// Rules that are these with one thing less.
fn fewer_rules(rules: &Rules, plain: &Rules) -> Vec<Rules> {
    let changes: [fn(&mut Rules, &Rules); 9] = [
        |rules, plain| rules.stalemate = plain.stalemate,
        |rules, plain| rules.checkmate = plain.checkmate,
        |rules, plain| rules.must_capture = plain.must_capture,
        |rules, plain| rules.checking = plain.checking,
        |rules, plain| rules.pass = plain.pass,
        |rules, _| rules.blast = None,
        |rules, _| rules.extinction = None,
        |rules, _| rules.goal = None,
        |rules, _| rules.goal.iter_mut().for_each(|goal| goal.is_answered = false),
    ];
    let with = |change: &fn(&mut Rules, &Rules)| {
        let mut less = rules.clone();
        change(&mut less, plain);
        less
    };
    changes.iter().map(with).filter(|less| less != rules).collect()
}

/// Pieces that are this one with one thing less.
fn smaller_pieces(piece: &Piece) -> Vec<Piece> {
    let rays = piece.movement.rays();
    let with = |rays: Vec<Ray>| Piece { movement: Movement::from_rays(rays), ..piece.clone() };
    let mut found = vec![with(rays[..rays.len() / 2].to_vec()), with(rays[rays.len() / 2..].to_vec())];
    for i in 0..rays.len() {
        let other = |change: fn(&mut Ray)| {
            let mut rays = rays.to_vec();
            change(&mut rays[i]);
            with(rays)
        };
        let mut fewer = rays.to_vec();
        fewer.remove(i);
        found.push(with(fewer));
        found.push(other(|ray| ray.path = RayPath::Plain));
        found.push(other(|ray| ray.limit = ray.limit.min(2)));
        found.push(other(|ray| ray.limit = 1));
    }
    if let Some(rules) = &piece.pawn {
        let mut other = |change: fn(&mut variant::PawnRules)| {
            let mut rules = rules.clone();
            change(&mut rules);
            found.push(Piece { pawn: Some(rules), ..piece.clone() });
        };
        other(|rules| rules.en_passant = false);
        other(|rules| {
            rules.en_passant = false;
            rules.double_step_from = geometry::SquareSet::EMPTY;
        });
        other(|rules| rules.promotes_to.truncate(1));
        other(|rules| drop(rules.promotes_to.drain(..rules.promotes_to.len() - 1)));
    }
    found
}
