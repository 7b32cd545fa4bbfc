//! Warns of what is allowed in a variant and yet likely a mistake: a sentence each, for the author of the
//! file.

use crate::{Extinction, Man, Metric, Pass, PawnRules, Piece, PieceId, Side, Stalemate, Variant, Wing};
use geometry::{Square, SquareSet};
use piece::{Ray, RayPath};

impl Variant {
    /// What is likely a mistake, one sentence each, in the order of the pieces; nothing here is a fault.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        self.warn_of_royal(&mut warnings);
        self.warn_of_rules(&mut warnings);
        self.warn_of_castling(&mut warnings);
        for id in self.piece_ids() {
            let piece = self.piece(id);
            self.warn_of_moves(id, piece, &mut warnings);
            if let Some(rules) = &piece.pawn {
                self.warn_of_pawn(id, piece, rules, &mut warnings);
            }
        }
        self.warn_of_doubles(&mut warnings);
        if self.default_metric == Metric::Dtz50 && self.rules.rule_plies().is_none() {
            warnings.push("without an n-move rule `metric = \"dtz50\"` is `\"dtz\"`".into());
        }
        warnings
    }

    fn warn_of_royal(&self, warnings: &mut Vec<String>) {
        let name = self.royal_name();
        if name.is_empty() {
            return;
        }
        let attacks = |id: PieceId| !self.anywhere(id, |ray| ray.capture).is_empty();
        if !self.piece_ids().any(attacks) {
            warnings.push(format!("nothing captures, so {name} is never attacked and nobody is mated"));
        } else if !self.piece_ids().any(|id| !self.piece(id).royal && attacks(id)) {
            warnings.push(format!(
                "nothing attacks {name} but the other {name}: there is no other man that captures"
            ));
        }
    }

    /// Rules that never decide anything.
    fn warn_of_rules(&self, warnings: &mut Vec<String>) {
        let rules = &self.rules;
        if rules.pass != Pass::Never && rules.stalemate != Stalemate::Draw {
            let key = if rules.pass == Pass::Always { "pass" } else { "pass-on-stalemate" };
            warnings
                .push(format!("with `{key}` nobody is stalemated, so what stalemate is worth says nothing"));
        }
        let captures = |id: PieceId| !self.anywhere(id, |ray| ray.capture).is_empty();
        if rules.must_capture && !self.piece_ids().any(captures) {
            warnings.push("captures are compulsory, but nothing captures".into());
        }
        let explodes = |id: PieceId| !self.piece(id).royal && captures(id);
        if rules.blast.is_some() && !self.piece_ids().any(explodes) {
            warnings.push("captures explode, but no man that may capture can".into());
        }
        let is_bare = |rule: &Extinction| rule.kinds.is_none() && rule.most_men == 0;
        if !self.has_side_without_royals() && rules.extinction.as_ref().is_some_and(is_bare) {
            let name = self.royal_name();
            warnings.push(format!(
                "no side ever loses all its men, because each side has a {name} that is never captured: where \
                 White has no {name}, as in horde, write `royal-men-white = 0`"
            ));
        }
        let [white, black] = Side::BOTH.map(|side| self.n_royals(side));
        if white + black > self.men_limit {
            let (n, limit) = (white + black, self.men_limit);
            warnings.push(format!(
                "there are {n} royal men, so there is no table of up to {limit} men: `men-limit` asks \
                 for more, or `--men` does"
            ));
        }
        let Some(goal) = &rules.goal else { return };
        for side in Side::BOTH {
            let man = |piece: PieceId| Man { side, piece };
            let reached = self.piece_ids().filter(|&id| goal.is_for(id)).map(|id| {
                let targets = self.anywhere(id, |_| true);
                let seen = |square| self.view_of(side).square(&self.board, square);
                let targets: SquareSet = targets.iter().map(seen).collect();
                // A pawn that comes to where it promotes stands there as another man.
                let standing = self.zone(man(id)).intersection(self.region(man(id)));
                targets.intersection(standing).union(self.promoted_to(man(id)))
            });
            let reached = reached.fold(SquareSet::EMPTY, SquareSet::union);
            let squares = goal.squares(side);
            if !squares.is_empty() && squares.intersection(reached).is_empty() {
                warnings.push(format!("no man of {side} that wins on the goal ever comes there"));
            }
        }
    }

    /// Castling to a square to which the king may step: two moves with the same coordinates.
    fn warn_of_castling(&self, warnings: &mut Vec<String>) {
        let Some(rule) = self.rules.castling.as_ref().filter(|rule| !rule.any_files) else { return };
        let square = |file| self.board.square(file, rule.rank);
        let (from, king) = (square(rule.king_file), &self.piece(rule.king).name);
        let steps = self.targets(rule.king, from, |ray| ray.quiet && !ray.is_hopper());
        for wing in Wing::BOTH.map(Wing::index) {
            let [to, rook] = [rule.king_targets[wing], rule.rook_files[wing]].map(square);
            if steps.contains(to) {
                let [from, to, rook] = [from, to, rook].map(|square| self.board.name(square));
                warnings.push(format!(
                    "{king} may step to {to}, where castling leads too: in coordinates the step is \
                     `{from}{to}`, and castling `{from}{rook}`"
                ));
            }
        }
    }

    /// The squares on which a pawn can become this man.
    fn promoted_to(&self, man: Man) -> SquareSet {
        let pawns = self.piece_ids().filter_map(|piece| self.pawn_rules(Man { piece, ..man }));
        let pawns = pawns.filter(|rules| rules.promotes_to.contains(&man.piece));
        pawns.map(|rules| rules.promotion).fold(SquareSet::EMPTY, SquareSet::union)
    }

    fn warn_of_moves(&self, id: PieceId, piece: &Piece, warnings: &mut Vec<String>) {
        let name = &piece.name;
        if self.is_stuck(id) {
            let why = if piece.movement.rays().is_empty() { "" } else { " on a board of this size" };
            warnings.push(format!("{name} cannot move{why}"));
        } else if piece.pawn.is_none() && piece.movement.rays().iter().all(|ray| ray.step.ranks > 0) {
            // On a circle a man turns back.
            if piece.movement.rays().iter().all(|ray| !is_circular(ray)) {
                warnings.push(format!(
                    "{name} never moves back and is stuck at the end of the board: is it a pawn, with a \
                     [piece.pawn] table?"
                ));
            }
        }
    }

    fn warn_of_pawn(&self, id: PieceId, piece: &Piece, rules: &PawnRules, warnings: &mut Vec<String>) {
        let name = &piece.name;
        if !self.can_promote(id, rules) {
            warnings.push(format!("{name} can never promote: no step of it leads to a promotion square"));
        }
        let has_double = !rules.double_step_from.is_empty();
        if has_double && piece.movement.rays().iter().all(|ray| !ray.quiet) {
            warnings.push(format!("{name} has a double step but no step without capture"));
        } else if let Some(to) = self.promoting_double_step(id, rules) {
            let to = self.board.name(to);
            warnings.push(format!("a double step of {name} ends on {to}, where it promotes at once"));
        } else if rules.en_passant && !self.is_taken_en_passant(id) {
            warnings.push(format!(
                "no pawn can capture {name} en passant: none reaches a square that it passes over"
            ));
        }
        if self.has_doubtful_en_passant(id) {
            warnings.push(format!(
                "{name} may step to a square on which it may capture en passant: in coordinates the capture is \
                 meant, and the step cannot be written"
            ));
        }
        let may_stay = !rules.zone.intersection(rules.promotion).is_empty();
        if rules.all_promotions().next().is_none() && !may_stay {
            warnings.push(format!("{name} becomes nothing, so it never steps on its promotion squares"));
        }
        for to in rules.all_promotions().filter(|to| self.is_stuck(*to)) {
            warnings.push(format!("{name} may become {}, which cannot move", self.piece(to).name));
        }
    }

    /// Pieces that move alike; royal and common ones are not alike, nor are pawns with other rules.
    fn warn_of_doubles(&self, warnings: &mut Vec<String>) {
        for (i, id) in self.piece_ids().enumerate() {
            let lines = self.moves_lines(id);
            let alike = |other: &PieceId| {
                self.piece(*other).royal == self.piece(id).royal && self.moves_lines(*other) == lines
            };
            // A piece that cannot move has been named already.
            if let Some(first) = self.piece_ids().take(i).find(alike).filter(|_| !self.is_stuck(id)) {
                let (first, second) = (&self.piece(first).name, &self.piece(id).name);
                warnings.push(format!("{first} and {second} move alike on this board"));
            }
        }
    }

    /// Whether the piece has no move from any square, whatever stands where.
    fn is_stuck(&self, id: PieceId) -> bool {
        self.anywhere(id, |_| true).is_empty()
    }

    /// Where White's piece can come to from any of its squares by some of its rays, whatever stands where.
    fn anywhere(&self, id: PieceId, rays: impl Fn(&Ray) -> bool) -> SquareSet {
        let zone = self.zone(Man { side: Side::White, piece: id });
        zone.iter().map(|from| self.targets(id, from, &rays)).fold(SquareSet::EMPTY, SquareSet::union)
    }

    /// Where White's piece can come to from a square by some of its rays, whatever stands where.
    fn targets(&self, id: PieceId, from: Square, rays: impl Fn(&Ray) -> bool) -> SquareSet {
        let mut targets = SquareSet::EMPTY;
        for ray in self.piece(id).movement.rays().iter().filter(|ray| rays(ray)) {
            let mut at = from;
            // A hopper cannot end where the man is that he passes over.
            let first = usize::from(ray.is_hopper());
            for (n, leg) in ray.legs().enumerate() {
                let Some(to) = self.board.offset(at, leg.step).filter(|&to| to != from) else { break };
                if leg.is_landing && n >= first {
                    targets.insert(to);
                }
                at = to;
            }
        }
        targets
    }

    /// Whether some square of the pawn's zone leads to a promotion square.
    fn can_promote(&self, id: PieceId, rules: &PawnRules) -> bool {
        let mut steps = rules.zone.iter().map(|from| self.targets(id, from, |_| true));
        steps.any(|to| !to.intersection(rules.promotion).is_empty())
    }

    /// A square on which a double step of White's pawn ends, and where it must promote.
    fn promoting_double_step(&self, id: PieceId, rules: &PawnRules) -> Option<Square> {
        let ends = self.steps_taken_twice(Man { side: Side::White, piece: id }).into_iter().map(|(_, to)| to);
        ends.into_iter().find(|&to| rules.promotion.contains(to) && !rules.zone.contains(to))
    }

    /// Whether White's pawn may both step and capture to a square that a pawn of Black passes over.
    fn has_doubtful_en_passant(&self, id: PieceId) -> bool {
        let double = |piece| self.double_steps(Man { side: Side::Black, piece });
        let double: Vec<(Square, Square)> = self.piece_ids().flat_map(double).collect();
        self.zone(Man { side: Side::White, piece: id }).iter().any(|from| {
            let [steps, captures] = [false, true]
                .map(|captures| self.targets(id, from, |ray| if captures { ray.capture } else { ray.quiet }));
            let both = steps.intersection(captures);
            double.iter().any(|&(over, to)| to != from && both.contains(over))
        })
    }

    /// Whether some pawn of Black captures on a square that White's pawn passes over.
    fn is_taken_en_passant(&self, id: PieceId) -> bool {
        let board = &self.board;
        let passed = self.squares_passed_over(Man { side: Side::White, piece: id });
        let captures = self.pawns().map(|id| self.anywhere(id, |ray| ray.capture).mirror_ranks(board));
        !captures.fold(SquareSet::EMPTY, SquareSet::union).intersection(passed).is_empty()
    }
}

fn is_circular(ray: &Ray) -> bool {
    matches!(ray.path, RayPath::CircularLeft | RayPath::CircularRight)
}
