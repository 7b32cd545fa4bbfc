//! Checks the invariants of a variant one by one, whether it was read from a text or built in a program.

use crate::contradiction::{Checker, Subject, Violation};
use crate::{Metric, PawnRules, Piece, PieceId, Rules, Side, Variant};
use geometry::{Board, SquareSet, Step};
use piece::{Ray, RayPath};

/// The men limit of a variant that names none.
pub(crate) const DEFAULT_MEN_LIMIT: usize = 4;
/// The largest men limit.
pub(crate) const MAX_MEN_LIMIT: usize = 6;

impl Variant {
    /// The variant of these parts: the pieces in any order, each [`PieceId`] a place in `pieces` as given.
    ///
    /// Royal pieces are brought to the front and the pawns to the end; the men limit is 4 and the metric
    /// DTM.
    ///
    /// # Errors
    /// Every invariant of [`Variant`] that the parts break, as a sentence each.
    pub fn from_parts(
        name: impl Into<String>,
        board: Board,
        pieces: Vec<Piece>,
        rules: Rules,
    ) -> Result<Self, Vec<String>> {
        let name = name.into();
        let violations = check(&name, Some(&board), &pieces, &rules);
        if !violations.is_empty() {
            return Err(violations.into_iter().map(|v| format!("{}; {}", v.message, v.help)).collect());
        }
        let (pieces, rules) = ordered(pieces, rules);
        Ok(Variant {
            name,
            description: String::new(),
            source: String::new(),
            board,
            pieces,
            rules,
            men_limit: DEFAULT_MEN_LIMIT,
            default_metric: Metric::Dtm,
        })
    }
}

impl Variant {
    /// Whether a variant may have this name: it names a folder of tables.
    #[must_use]
    pub fn is_name(name: &str) -> bool {
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        !name.is_empty() && name.chars().all(fits) && !is_device(name)
    }
}

/// Whether Windows has a device of this name, which no folder can have.
fn is_device(name: &str) -> bool {
    let number = name.strip_prefix("com").or_else(|| name.strip_prefix("lpt"));
    let is_numbered = number.is_some_and(|number| matches!(number.as_bytes(), [b'0'..=b'9']));
    is_numbered || matches!(name, "aux" | "con" | "nul" | "prn")
}

/// Brings royal pieces to the front and pawns to the end, and the ids in promotions and rules along.
pub(crate) fn ordered(pieces: Vec<Piece>, mut rules: Rules) -> (Vec<Piece>, Rules) {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|&i| (!pieces[i].royal, pieces[i].pawn.is_some()));
    let mut place = vec![PieceId(0); pieces.len()];
    for (to, &from) in order.iter().enumerate() {
        place[from] = PieceId(to as u8);
    }
    let mut slots: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    let mut moved: Vec<Piece> = order.into_iter().filter_map(|from| slots[from].take()).collect();
    for rules in moved.iter_mut().filter_map(|piece| piece.pawn.as_mut()) {
        let black = rules.black.iter_mut().flat_map(|black| &mut black.promotes_to);
        rules.promotes_to.iter_mut().chain(black).for_each(|id| *id = place[id.0 as usize]);
    }
    for kinds in rules.kinds_mut() {
        kinds.iter_mut().for_each(|id| *id = place[id.0 as usize]);
        kinds.sort_unstable();
    }
    if let Some(castling) = &mut rules.castling {
        castling.king = place[castling.king.0 as usize];
    }
    (moved, rules)
}

/// All broken invariants of these parts; without a board those that need none.
pub(crate) fn check(name: &str, board: Option<&Board>, pieces: &[Piece], rules: &Rules) -> Vec<Violation> {
    let mut checker = Checker { board, pieces, rules, violations: Vec::new() };
    checker.name(name);
    checker.holes();
    checker.letters();
    checker.royals();
    for (i, piece) in pieces.iter().enumerate() {
        checker.movement(i, piece);
        if let Some(rules) = &piece.pawn {
            checker.pawn(i, piece, rules);
        }
        checker.regions(i, piece);
    }
    checker.contradictions();
    checker.violations
}

impl Checker<'_> {
    fn name(&mut self, name: &str) {
        if !Variant::is_name(name) {
            let message = format!("`{}` cannot be a variant's name", name.escape_debug());
            let help = match is_device(name) {
                true => "Windows has a device of this name, so no folder of tables can have it: take another",
                false => "it names a folder of tables: use lower-case letters, digits, `-` and `_`",
            };
            self.fault(Subject::Name, message, help);
        }
    }

    /// Black plays White's game from the other side of the board, so the board must look the same from there.
    fn holes(&mut self) {
        let Some(board) = self.board else { return };
        for hole in board.holes().iter() {
            let mirrored = board.mirror_ranks(hole);
            if board.has(mirrored) {
                let (hole_name, mirrored) = (board.name(hole), board.name(mirrored));
                let message =
                    format!("{hole_name} is missing, but {mirrored}, its mirror image for Black, is not");
                self.fault(Subject::Hole(hole), message, format!("name {mirrored} too, or neither"));
            }
        }
    }

    fn letters(&mut self) {
        for (i, piece) in self.pieces.iter().enumerate() {
            if !piece.letter.is_ascii_uppercase() {
                let message = format!("`{}` cannot be a piece's letter", piece.letter.escape_debug());
                self.fault(Subject::Letter(i), message, "use one upper-case letter from A to Z");
            } else if let Some(first) = self.pieces[..i].iter().find(|p| p.letter == piece.letter) {
                let message = format!(
                    "two pieces have the letter `{}`: {} and {}",
                    piece.letter, first.name, piece.name
                );
                let free: String =
                    ('A'..='Z').filter(|c| self.pieces.iter().all(|p| p.letter != *c)).take(3).collect();
                self.fault(
                    Subject::Letter(i),
                    message,
                    format!("give one of them another letter, as one of `{free}`"),
                );
            }
        }
    }

    fn royals(&mut self) {
        let pieces = self.pieces;
        for i in (0..pieces.len()).filter(|&i| pieces[i].royal && pieces[i].pawn.is_some()) {
            let message = format!("{} is royal and a pawn at once", self.pieces[i].name);
            self.fault(Subject::Pawn(i), message, "remove its `pawn` table, or make another piece royal");
        }
    }

    fn movement(&mut self, i: usize, piece: &Piece) {
        if piece.movement.rays().iter().any(|ray| (ray.step.files, ray.step.ranks) == (0, 0)) {
            let message = format!("{} has a step that leads nowhere", piece.name);
            self.fault(Subject::Movement(i), message, "passing is a rule, not a move: leave the step out");
        }
        if !piece.movement.rays().iter().all(|ray| fits_a_board(ray.step)) {
            let message = format!("{} has a step that is longer than any board", piece.name);
            self.fault(Subject::Movement(i), message, "leave the step out");
        }
    }

    fn pawn(&mut self, i: usize, piece: &Piece, rules: &PawnRules) {
        let name = &piece.name;
        let steps = piece.movement.rays();
        let both = || std::iter::once(rules).chain(rules.black.as_deref());
        if steps.iter().any(|ray| ray.step.ranks <= 0) {
            let help =
                "a pawn never comes back: keep the forward moves only (`f…`), or remove its `pawn` table";
            self.fault(
                Subject::Movement(i),
                format!("{name} is a pawn with moves that do not lead forward"),
                help,
            );
        }
        if steps.iter().any(|ray| ray.limit != 1) {
            let help = "a pawn moves one step at a time; for its first move there is `double-step`";
            self.fault(Subject::Movement(i), format!("{name} is a pawn with moves of several steps"), help);
        }
        let is_lame_step = |ray: &Ray| ray.path == RayPath::Lame && !ray.capture;
        if steps.iter().any(|ray| ray.path != RayPath::Plain && !is_lame_step(ray)) {
            let help = "a pawn leaps: leave out `p`, `g` and `q`, and `n` where it captures";
            self.fault(Subject::Movement(i), format!("{name} is a pawn that hops or can be blocked"), help);
        } else if steps.iter().any(is_lame_step) && both().any(|rules| !rules.double_step_from.is_empty()) {
            let help = "set `double-step = false`, or leave out `n`";
            self.fault(Subject::DoubleStep(i), format!("{name} has lame steps and double steps"), help);
        }
        if let Some(board) = self.board {
            self.squares(board, i, piece, rules);
            if let Some(black) = rules.black_squares() {
                let name = format!("{} of Black, seen from its end,", piece.name);
                self.squares(board, i, &Piece { name, ..piece.clone() }, black);
            }
        }
        if both().any(|rules| rules.en_passant && rules.double_step_from.is_empty()) {
            let message = format!("{name} is captured en passant but has no double step");
            self.fault(Subject::EnPassant(i), message, "set `en-passant = false`, or `double-step = true`");
        }
        let black = rules.black.as_ref().map(|black| &black.promotes_to[..]);
        let black = black.filter(|black| *black != rules.promotes_to).unwrap_or_default();
        for (n, id) in rules.promotes_to.iter().chain(black).enumerate() {
            let of_black = n.checked_sub(rules.promotes_to.len());
            let before = of_black.map_or_else(|| &rules.promotes_to[..n], |n| &black[..n]);
            let help = "name pieces that are neither pawns nor royal, each once";
            let message = match self.pieces.get(id.0 as usize) {
                None => format!("{name} promotes to a piece that does not exist"),
                Some(to) if to.pawn.is_some() => format!("{name} promotes to {}, which is a pawn", to.name),
                Some(to) if to.royal => format!("{name} promotes to {}, which is royal", to.name),
                Some(to) if before.contains(id) => {
                    format!("{name} promotes to {} twice", to.name)
                }
                Some(_) => continue,
            };
            self.fault(Subject::PromotesTo(i, n), message, help);
        }
    }

    fn regions(&mut self, i: usize, piece: &Piece) {
        let Some(board) = self.board else { return };
        for (side, region) in Side::BOTH.into_iter().zip(piece.regions) {
            let name = &piece.name;
            let (message, help) = match region {
                None => continue,
                Some(_) if piece.pawn.is_some() => (
                    format!("{name} is a pawn, and pawns are kept to no region"),
                    "leave it out; where a pawn stands and promotes is said in `[piece.pawn]`",
                ),
                Some(region) if region.is_empty() => (
                    format!("the region of {name} has no square, so it never moves"),
                    "name the squares to which it may go, or leave the region out",
                ),
                Some(region) if !region.without(board.all()).is_empty() => (
                    format!("the region of {name} has squares that the board does not have"),
                    "name squares of the board",
                ),
                Some(_) => continue,
            };
            self.fault(Subject::Region(i, side), message, help);
        }
    }

    /// Zone, promotion squares and double steps of a pawn.
    fn squares(&mut self, board: &Board, i: usize, piece: &Piece, rules: &PawnRules) {
        let name = &piece.name;
        let PawnRules { zone, promotion, double_step_from, .. } = *rules;
        let on_board = |set: SquareSet| set.without(board.all()).is_empty();
        if zone.is_empty() {
            let help = "leave squares from `start-rank` to the rank before `promotion-rank`; holes are none";
            self.fault(Subject::Zone(i), format!("{name} has no square to stand on"), help);
            return;
        }
        if !on_board(zone) {
            self.fault(Subject::Zone(i), format!("{name} may stand off the board"), "leave such squares out");
            return;
        }
        if promotion.is_empty() {
            let help = "let some square beyond `start-rank` be one of promotion; holes are none";
            self.fault(Subject::Promotion(i), format!("{name} has no square to promote on"), help);
            return;
        }
        if !on_board(promotion) {
            let message = format!("{name} would promote off the board");
            self.fault(Subject::Promotion(i), message, "leave such squares out");
            return;
        }
        let known = zone.union(promotion);
        if !piece.movement.rays().iter().all(|ray| ray.step.ranks > 0 && fits_a_board(ray.step)) {
            // Said already, and such steps lead out of every zone.
            return;
        }
        let leaves =
            |from, step, within: SquareSet| board.offset(from, step).is_some_and(|to| !within.contains(to));
        let rays = piece.movement.rays();
        if let Some(from) = zone.iter().find(|&from| rays.iter().any(|ray| leaves(from, ray.step, known))) {
            let message = format!(
                "from {} {name} could leave the squares where it may stand or promote",
                board.name(from)
            );
            self.fault(
                Subject::Zone(i),
                message,
                "let every step from the zone end in the zone or on a promotion square",
            );
        }
        if !double_step_from.without(zone).is_empty() {
            let message = format!("{name} has double steps from squares where it cannot stand");
            self.fault(
                Subject::DoubleStep(i),
                message,
                "let them start from `start-rank` on, and before it promotes",
            );
        }
        let lands = |from| {
            // Over a missing square no double step leads.
            let passed = |ray: &Ray| board.offset(from, ray.step).map(|passed| (passed, ray.step));
            let mut passed = rays.iter().filter(|ray| ray.quiet).filter_map(passed);
            passed.any(|(passed, step)| leaves(passed, step, known))
        };
        if double_step_from.intersection(zone).iter().any(lands) {
            let message =
                format!("a double step of {name} would leave the squares where it may stand or promote");
            self.fault(
                Subject::DoubleStep(i),
                message,
                "let it start farther back, or set `double-step = false`",
            );
        }
    }
}

fn fits_a_board(step: Step) -> bool {
    step.files.unsigned_abs() < 16 && step.ranks.unsigned_abs() < 16
}
